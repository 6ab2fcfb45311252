package heuristics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/verify"
)

var goals = [][]model.Objective{
	nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan},
	{model.Misses, model.Tardiness}, {model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness, model.Makespan},
}

func TestConstructIsValidForEveryRuleAndGoal(t *testing.T) {
	for seed := range uint64(40) {
		js := randomSet(t, rand.New(rand.NewPCG(seed, 1)))
		for _, rule := range Rules() {
			for _, goal := range goals {
				s := Construct(js, rule, goal, seed)
				if !s.Complete() {
					t.Fatalf("seed %d, rule %s, goal %v: tasks are missing", seed, rule.Name, goal)
				}
				if err := verify.Schedule(js, s, true).Err(); err != nil {
					t.Fatalf("seed %d, rule %s, goal %v: %v", seed, rule.Name, goal, err)
				}
			}
		}
	}
}

// TestEarliestIsExact fills boards and asks every task for its best place on
// every slave, against trying all of them tick by tick.
func TestEarliestIsExact(t *testing.T) {
	asked := 0
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 2))
		js := randomSet(t, rng)
		s := Construct(js, Rules()[rng.IntN(len(Rules()))], nil, seed)
		b := newBoard(NewFigures(js), nil)
		b.load(s)
		for range 6 {
			id := model.TaskID(rng.IntN(len(s)))
			slave := model.SlaveID(rng.IntN(len(js.Slaves)))
			if !js.Tasks[id].Eligible(slave) {
				continue
			}
			asked++
			// Take the task and the stages after it out: they are beside the point.
			rest := slices.Clone(s)
			for other := range rest {
				to := &js.Tasks[other]
				if model.TaskID(other) == id || to.Job == js.Tasks[id].Job && to.Stage > js.Tasks[id].Stage {
					rest[other].Slave = model.NoSlave
				}
			}
			b.load(rest)
			r := b.request(id, slave)
			r.Ready = b.ready(b.stageOf(id))
			tl := &b.lines[slave]
			fit, ok := tl.Earliest(r, model.Never)
			if !ok {
				t.Fatalf("seed %d: no place at all", seed)
			}
			settled := tl.Settle(fit, r)
			want := bruteBest(js, rest, id, slave)
			if fit.Finish != want.Finish || settled != want {
				t.Fatalf("seed %d, task %s on slave %d: got %+v, settled %+v, want %+v", seed, js.TaskName(id), slave, fit, settled, want)
			}
			if again, ok := tl.Earliest(r, fit.Finish+1); !ok || again != fit {
				t.Fatalf("seed %d: a limit past the finish changes the answer", seed)
			}
			if _, ok := tl.Earliest(r, fit.Finish); ok {
				t.Fatalf("seed %d: the limit is not kept", seed)
			}
		}
	}
	if asked < 150 {
		t.Fatalf("only %d questions asked", asked)
	}
}

// bruteBest tries every (finish, beat, fetch) and takes the least finish, then
// the latest beat, then the earliest fetch.
func bruteBest(js *model.JobSet, rest model.Schedule, id model.TaskID, slave model.SlaveID) Fit {
	s := slices.Clone(rest)
	e := js.Tasks[id].WCET(slave)
	for start := model.Time(0); ; start++ {
		for at := start; at >= 0; at-- {
			beat, when := js.BeatAtOrBefore(slave, at)
			if beat < 0 || when != at {
				continue
			}
			for fetch := at; fetch <= start; fetch++ {
				s[id] = model.Placement{Slave: slave, Beat: beat, Fetch: fetch, Start: start}
				if taskFault(js, s, id) == nil {
					return Fit{at, fetch, start, start + e}
				}
			}
		}
	}
}

func TestInsertAndRemoveLeaveNoTrace(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		js := randomSet(t, rng)
		s := Construct(js, Rules()[0], nil, seed)
		b := newBoard(NewFigures(js), nil)
		half := slices.Clone(s)
		for id := range half {
			if rng.IntN(2) == 0 {
				half[id].Slave = model.NoSlave
			}
		}
		b.load(half)
		want := snapshot(b)
		perm := rng.Perm(len(s))
		for _, id := range perm {
			if half[id].Slave == model.NoSlave {
				b.put(model.TaskID(id), s[id])
			}
		}
		rng.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		for _, id := range perm {
			if half[id].Slave == model.NoSlave {
				b.take(model.TaskID(id))
			}
		}
		for i, got := range snapshot(b) {
			if !slices.Equal(got, want[i]) {
				t.Fatalf("seed %d: step function %d is %v, was %v", seed, i, got, want[i])
			}
		}
	}
}

// snapshot copies all step functions of a board, and the hand-outs as if one.
func snapshot(b *board) (out []steps) {
	for i := range b.lines {
		tl := &b.lines[i]
		for _, f := range []steps{tl.cores, tl.fetch, tl.slots[0], tl.slots[1]} {
			out = append(out, slices.Clone(f))
		}
		order := steps{}
		for _, h := range tl.held {
			order = append(order, step{h.assigned, int32(h.start)})
		}
		out = append(out, order)
	}
	return out
}
