package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// TestGangEndsFirst: where the tasks of a gang are alike, and do not wait for each other's input, no start, and no way to share the slaves out,
// lets it end before the one that is found, beside what is there.
func TestGangEndsFirst(t *testing.T) {
	asked, waited := 0, 0
	for seed := range testkit.Tiny(t, 300, 500) {
		rng := rand.New(rand.NewPCG(seed, 22))
		js := coupledSet(rng).Returning()
		if js.FIFO {
			continue // where the beats that are tried would not be enough
		}
		fig := NewFigures(js)
		b := NewBoard(fig, seed)
		b.Construct(context.Background(), Rules()[rng.IntN(len(Rules()))].Order(fig), Deferral{})
		for stage := range int32(len(fig.Stages)) {
			st := &fig.Stages[stage]
			if n := len(st.Tasks); !st.Gang || n > 3 || !allAlike(js, st.Tasks) || !st.Apart && waits(js, st.Tasks[0]) {
				continue
			}
			b.takeStages(context.Background(), stage, fig.Base[st.Ref.Job+1])
			ready := b.Ready(stage)
			if !b.Insert(st.Tasks[0], ready, model.Never) {
				t.Fatalf("seed %d: no room for a gang", seed)
			}
			asked++
			if b.Finish[stage] > ready+st.Length {
				waited++
			}
			if err := endsBefore(js, b.Place, st.Tasks, ready, b.Finish[stage]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for next := stage + 1; next < fig.Base[st.Ref.Job+1]; next++ {
				b.insertStage(context.Background(), next)
			}
		}
	}
	if asked < 30 || waited < asked/4 {
		t.Errorf("%d gangs, %d of which had to wait", asked, waited)
	}
}

func allAlike(js *model.JobSet, tasks []model.TaskID) bool {
	return !slices.ContainsFunc(tasks, func(t model.TaskID) bool { return !js.Tasks[t].Alike(&js.Tasks[tasks[0]]) })
}

// waits reports whether tasks like one of the set may wait for each other's input on a slave.
func waits(js *model.JobSet, t model.TaskID) bool {
	for s := range model.SlaveID(len(js.Slaves)) {
		if task := &js.Tasks[t]; js.Fetch == model.FetchExclusive && task.Eligible(s) && task.Transfer(s) > 0 {
			return true
		}
	}
	return false
}

// endsBefore tries all places that end before a time for tasks that are alike and start together. A
// task is handed out at the last heartbeat before its fetch: from an earlier one it would hold more.
func endsBefore(js *model.JobSet, s model.Schedule, tasks []model.TaskID, ready, end model.Time) error {
	const most = 16 // ticks that all fetches and a heartbeat take
	try, first := slices.Clone(s), tasks[0]
	for _, t := range tasks {
		try[t].Slave = model.NoSlave
	}
	for start := ready; start < end; start++ {
		var places []model.Placement
		for slave := range model.SlaveID(len(js.Slaves)) {
			if e := js.Tasks[first].WCET(slave); e == 0 || start+e >= end {
				continue
			}
			for fetch := max(ready, start-most); fetch <= start; fetch++ {
				beat, at := js.BeatAtOrBefore(slave, fetch)
				try[first] = model.Placement{Slave: slave, Beat: beat, Fetch: fetch, Start: start}
				if beat >= 0 && at >= ready && taskFault(js, try, first) == nil {
					places = append(places, try[first])
				}
			}
			try[first].Slave = model.NoSlave
		}
		if fillWith(js, try, tasks, places) {
			return fmt.Errorf("%s can start with its gang at %d and not at %d: %v", js.TaskName(first), start, s[first].Start, try)
		}
	}
	return nil
}

// fillWith gives each task one of some places, in their order.
func fillWith(js *model.JobSet, s model.Schedule, tasks []model.TaskID, places []model.Placement) bool {
	if len(tasks) == 0 {
		return true
	}
	for i, p := range places {
		if s[tasks[0]] = p; taskFault(js, s, tasks[0]) == nil && fillWith(js, s, tasks[1:], places[i:]) {
			return true
		}
	}
	s[tasks[0]].Slave = model.NoSlave
	return false
}

// TestStartsAreExact: the first start from a time on, and the place at a given start, are those that
// trying all finds.
func TestStartsAreExact(t *testing.T) {
	asked, later := 0, 0
	for seed := range testkit.Tiny(t, 60, 150) {
		rng := rand.New(rand.NewPCG(seed, 23))
		js := coupledSet(rng).Returning()
		b := NewBoard(NewFigures(js), seed)
		b.Load(context.Background(), construct(js, Rules()[0], nil, seed))
		id := model.TaskID(rng.IntN(len(js.Tasks)))
		slave := model.SlaveID(rng.IntN(len(js.Slaves)))
		if st, gang := js.GangOf(id); !js.Tasks[id].Eligible(slave) || gang || st.Apart {
			continue
		}
		rest := slices.Clone(b.Place)
		for other := range rest {
			if to := &js.Tasks[other]; model.TaskID(other) == id || to.Job == js.Tasks[id].Job && to.Stage > js.Tasks[id].Stage {
				rest[other].Slave = model.NoSlave
			}
		}
		b.Load(context.Background(), rest)
		r := b.request(id, slave)
		r.Ready = b.Ready(b.StageOf(id))
		from := r.Ready + model.Time(rng.IntN(20))
		got, ok := b.Lines[slave].EarliestFrom(r, from, model.Never)
		if !ok {
			t.Fatalf("seed %d: no place at all", seed)
		}
		want := bruteFrom(js, rest, id, slave, from)
		if got != want {
			t.Fatalf("seed %d: %s on slave %d from %d: got %+v, want %+v", seed, js.TaskName(id), slave, from, got, want)
		}
		if asked++; got.Start > from {
			later++
		}
	}
	if asked < 20 || later < asked/4 {
		t.Errorf("%d asked, %d of them later", asked, later)
	}
}

// bruteFrom tries every start from a time on, then the latest beat, then the earliest fetch.
func bruteFrom(js *model.JobSet, rest model.Schedule, id model.TaskID, slave model.SlaveID, from model.Time) Fit {
	s := slices.Clone(rest)
	for start := from; ; start++ {
		for at := start; at >= 0; at-- {
			beat, when := js.BeatAtOrBefore(slave, at)
			if beat < 0 || when != at {
				continue
			}
			for fetch := at; fetch <= start; fetch++ {
				s[id] = model.Placement{Slave: slave, Beat: beat, Fetch: fetch, Start: start}
				if taskFault(js, s, id) == nil {
					return Fit{Assigned: at, Fetch: fetch, Start: start, Finish: start + js.Tasks[id].WCET(slave)}
				}
			}
		}
	}
}

// TestGangWaitsForFirstHeartbeats: a gang finds its places however late slaves come, or come back.
func TestGangWaitsForFirstHeartbeats(t *testing.T) {
	on := model.NewProfile(model.ConstRow(2, 1), model.ConstRow(2, 2))
	for beat := model.Time(1); beat < 10_000; beat *= 7 {
		for _, down := range [][]model.Interval{nil, {{Start: beat + 1, End: 3 * beat}}} {
			slaves := []model.Slave{{Name: "a", Cores: 3, Slots: 3, FirstBeat: beat, Down: down}, {Name: "b", Cores: 1, Slots: 1}}
			js := &model.JobSet{Heartbeat: 1, Slaves: slaves, Jobs: []model.Job{{Name: "j", Stages: []model.Stage{{
				Name: "map", Gang: true, Groups: []model.Group{{Count: 4, Profile: on}},
			}}}}}
			if err := js.Assemble(); err != nil {
				t.Fatal(err)
			}
			fig := NewFigures(js)
			b := NewBoard(fig, 1)
			want := beat + 7 // three inputs one after the other, and a tick to run
			if down != nil && down[0].Start < want {
				want = max(want, down[0].End+7)
			}
			if !b.Insert(0, 0, model.Never) || b.Finish[0] != want {
				t.Errorf("first heartbeat %d, away %v: ends at %d, not at %d", beat, down, b.Finish[0], want)
			}
		}
	}
}
