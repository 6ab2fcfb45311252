package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
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
				s := construct(js, rule, goal, seed)
				if !s.Complete() {
					t.Fatalf("seed %d, rule %s, goal %v: tasks are missing", seed, rule.Name, goal)
				}
				if err := check.Schedule(js, s, true).Err(); err != nil {
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
	for seed := range testkit.Sets[uint64](25, 80) {
		rng := rand.New(rand.NewPCG(seed, 2))
		js := randomSet(t, rng)
		s := construct(js, Rules()[rng.IntN(len(Rules()))], nil, seed)
		b := NewBoard(NewFigures(js), 0)
		b.Load(context.Background(), s)
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
			b.Load(context.Background(), rest)
			r := b.request(id, slave)
			r.Ready = b.Ready(b.StageOf(id))
			tl := &b.Lines[slave]
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
	if asked < testkit.Sets(50, 150) {
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
					return Fit{Assigned: at, Fetch: fetch, Start: start, Finish: start + e}
				}
			}
		}
	}
}

func TestInsertAndRemoveLeaveNoTrace(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		js := randomSet(t, rng)
		s := construct(js, Rules()[0], nil, seed)
		b := NewBoard(NewFigures(js), 0)
		half := slices.Clone(s)
		for id := range half {
			if rng.IntN(2) == 0 {
				half[id].Slave = model.NoSlave
			}
		}
		b.Load(context.Background(), half)
		want := fmt.Sprint(b.Lines)
		perm := rng.Perm(len(s))
		for _, id := range perm {
			if half[id].Slave == model.NoSlave {
				b.Put(model.TaskID(id), s[id])
			}
		}
		rng.Shuffle(len(perm), func(i, j int) { perm[i], perm[j] = perm[j], perm[i] })
		for _, id := range perm {
			if half[id].Slave == model.NoSlave {
				b.Take(model.TaskID(id))
			}
		}
		if got := fmt.Sprint(b.Lines); got != want {
			t.Fatalf("seed %d: timelines are %s, were %s", seed, got, want)
		}
	}
}

// TestBoardTakesJobsOut takes a job of two stages off a full board: its hand-outs
// and finishes go, the rest stays, and it finds its way back.
func TestBoardTakesJobsOut(t *testing.T) {
	for seed := range uint64(100) {
		js := randomSet(t, rand.New(rand.NewPCG(seed, 8)))
		b := NewBoard(NewFigures(js), seed)
		b.Construct(t.Context(), Rules()[0].Order(b.fig), NewDeferral(js, nil, nil))
		for i := range js.Jobs {
			id := model.JobID(i)
			full, finish := slices.Clone(b.Place), b.JobFinish(id)
			if finish != js.Finishes(full)[i] {
				t.Fatalf("seed %d: job %d finishes at %d, the board says %d", seed, i, js.Finishes(full)[i], finish)
			}
			if b.fig.LateAlone(id) && js.Jobs[i].Late(finish) == 0 {
				t.Fatalf("seed %d: job %d is on time, though late even alone", seed, i)
			}
			for stage := b.fig.Base[i]; stage < b.fig.Base[i+1]; stage++ {
				if next := b.NextAssigned(stage); next < b.Finish[stage] {
					t.Fatalf("seed %d: stage %d ends at %d, the next is handed out at %d", seed, stage, b.Finish[stage], next)
				}
			}
			b.TakeJob(id)
			for task := range full {
				if out := js.Tasks[task].Job == id; out != (b.Place[task].Slave == model.NoSlave) {
					t.Fatalf("seed %d: task %d is out: %t, though its job was to be", seed, task, !out)
				}
			}
			if b.InsertJob(id); !b.Place.Complete() || b.JobFinish(id) > finish {
				t.Fatalf("seed %d: job %d finished at %d, now at %d", seed, i, finish, b.JobFinish(id))
			}
		}
	}
}

// TestSampledSlaves lists one slave per profile, as on sets with very many of
// both, and leaves the others to chance: plans are valid, and equal seeds repeat.
func TestSampledSlaves(t *testing.T) {
	elsewhere := 0
	for seed := range uint64(60) {
		js := randomSet(t, rand.New(rand.NewPCG(seed, 9)))
		f := NewFigures(js)
		for i := range f.profiles {
			if p := &f.profiles[i]; len(p.list) > 1 {
				p.list, p.more = p.list[:1], true
			}
		}
		var plans [2]model.Schedule
		for k := range plans {
			b := NewBoard(f, seed)
			b.Construct(t.Context(), Rules()[0].Order(f), NewDeferral(js, nil, nil))
			plans[k] = b.Place
		}
		if err := check.Schedule(js, plans[0], true).Err(); err != nil || !plans[0].Complete() {
			t.Fatalf("seed %d: complete %t, %v", seed, plans[0].Complete(), err)
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
		for id, p := range plans[0] {
			if p.Slave != f.Best(model.TaskID(id)).Slave {
				elsewhere++
			}
		}
	}
	if elsewhere == 0 {
		t.Fatal("no task was placed on a slave that is not listed")
	}
}

// TestInsertAmongIsInsertOnThoseSlaves: with all slaves named in the order of their
// figures it places as Insert does, with one of them there or nowhere.
func TestInsertAmongIsInsertOnThoseSlaves(t *testing.T) {
	placed := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 9))
		js := randomSet(t, rng)
		fig := NewFigures(js)
		b, c, one := NewBoard(fig, seed), NewBoard(fig, seed), NewBoard(fig, seed)
		for id := range js.Tasks {
			t1 := model.TaskID(id)
			if js.Tasks[id].Stage > 0 {
				continue // its job's first stage need not be placed
			}
			var slaves []model.SlaveID
			for _, o := range fig.options(t1).list {
				slaves = append(slaves, o.Slave)
			}
			ready := js.Jobs[js.Tasks[id].Job].Release + model.Time(rng.IntN(20))
			limit := ready + model.Time(rng.IntN(60))
			ok := b.Insert(t1, ready, limit)
			if c.InsertAmong(t1, slaves, ready, limit) != ok || ok && b.Place[t1] != c.Place[t1] {
				t.Fatalf("seed %d, task %d: %v, Insert gives %v", seed, id, c.Place[t1], b.Place[t1])
			}
			s := model.SlaveID(rng.IntN(len(js.Slaves)))
			if one.InsertAmong(t1, []model.SlaveID{s}, ready, limit) {
				placed++
				if p := one.Place[t1]; p.Slave != s || js.Assigned(p) < ready || js.Finish(t1, p) >= limit {
					t.Fatalf("seed %d, task %d: placed at %v on slave %d between %d and %d", seed, id, p, s, ready, limit)
				}
			}
		}
		if err := fault(js, one.Place); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if placed < 50 {
		t.Errorf("%d tasks placed: too few to mean much", placed)
	}
}

// TestConstructIsCutShort: a context that ends leaves part of the schedule that would
// have been made, one that does not makes no difference.
func TestConstructIsCutShort(t *testing.T) {
	cut := 0
	for seed := range testkit.Sets[uint64](100, 1000) {
		rng := rand.New(rand.NewPCG(seed, 15))
		js := randomSet(t, rng)
		f := NewFigures(js)
		order := Rules()[rng.IntN(len(Rules()))].Order(f)
		whole, part := NewBoard(f, seed), NewBoard(f, seed)
		whole.Construct(t.Context(), order, Deferral{})
		if part.Construct(testkit.After(t.Context(), rng.IntN(2*len(js.Tasks))), order, Deferral{}) {
			if !slices.Equal(part.Place, whole.Place) {
				t.Fatalf("seed %d: two runs differ", seed)
			}
			continue
		}
		cut++
		for id, p := range part.Place {
			if p.Slave != model.NoSlave && p != whole.Place[id] {
				t.Fatalf("seed %d: task %d is at %v, would have been at %v", seed, id, p, whole.Place[id])
			}
		}
	}
	if cut < 20 {
		t.Fatalf("only %d constructions were cut short", cut)
	}
}

// TestRepairIsCutShort: a context that ends leaves nothing, one that does not makes no
// difference; so it is with taking a plan over.
func TestRepairIsCutShort(t *testing.T) {
	cut, loaded := 0, 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 21))
		js := randomSet(t, rng)
		from := construct(js, Rules()[0], nil, seed)
		b := NewBoard(NewFigures(js), seed)
		if b.Load(testkit.After(t.Context(), rng.IntN(2*len(from))), from) {
			if loaded++; !slices.Equal(b.Place, from) {
				t.Errorf("seed %d: another plan was loaded", seed)
			}
		}
		for i := range from {
			if rng.IntN(3) == 0 {
				from[i].Slave = model.NoSlave
			}
		}
		whole := Repair(js, from)
		switch got := NewFigures(js).Repair(testkit.After(t.Context(), rng.IntN(6*len(from))), from); {
		case got == nil:
			cut++
		case !slices.Equal(got, whole):
			t.Errorf("seed %d: another plan than without an end", seed)
		}
	}
	if cut == 0 || cut == 100 || loaded == 0 || loaded == 100 {
		t.Errorf("%d of 100 repairs cut short, %d plans loaded", cut, loaded)
	}
}
