package heuristics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// checkRepair repairs a schedule and holds the result against the validator.
func checkRepair(js *model.JobSet, from model.Schedule) (model.Schedule, error) {
	given := slices.Clone(from)
	got := Repair(js, from)
	switch {
	case !slices.Equal(from, given):
		return nil, fmt.Errorf("the schedule given was changed")
	case !got.Complete():
		return nil, fmt.Errorf("tasks are missing")
	}
	if err := check.Schedule(js, got, true).Err(); err != nil {
		return nil, err
	}
	return got, fault(js, got)
}

// damage changes some placements at random, most of them a little.
func damage(js *model.JobSet, s model.Schedule, rng *rand.Rand) (damaged int) {
	for t := range s {
		if rng.IntN(5) > 0 {
			continue
		}
		damaged++
		p := &s[t]
		switch by := model.Time(rng.IntN(9) - 4); rng.IntN(8) {
		case 0:
			p.Slave = model.NoSlave
		case 1:
			p.Slave = model.SlaveID(rng.IntN(len(js.Slaves) + 2))
		case 2:
			p.Beat += by
		case 3:
			p.Fetch += by
		case 4:
			p.Start += by
		case 5:
			*p = s[rng.IntN(len(s))]
		case 6:
			p.Start, p.Beat = model.Time(rng.Int64()), model.Time(rng.Int64())
		case 7:
			p.Start, p.Fetch = -model.Time(rng.Int64()), model.Time(rng.Uint64())
		}
	}
	return damaged
}

func unmoved(a, b model.Schedule) (n int) {
	for t := range a {
		if a[t] == b[t] {
			n++
		}
	}
	return n
}

// A valid schedule is left as it is, and whatever is done to it, the repaired
// one is valid.
func TestRepair(t *testing.T) {
	seeds := testkit.Sets[uint64](500, 3000)
	tasks, broken, kept := 0, 0, 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		js := randomSet(t, rng)
		rules := Rules()
		valid := construct(js, rules[rng.IntN(len(rules))], js.Goal(), seed)
		if js.Value(model.HardMisses, js.Finishes(valid)) == 0 {
			got, err := checkRepair(js, valid)
			if err != nil {
				t.Fatalf("seed %d, valid: %v", seed, err)
			}
			if !slices.Equal(got, valid) {
				t.Fatalf("seed %d: a valid schedule was changed", seed)
			}
		}
		from := slices.Clone(valid)
		broken += damage(js, from, rng)
		got, err := checkRepair(js, from)
		if err != nil {
			t.Fatalf("seed %d, damaged: %v", seed, err)
		}
		tasks += len(from)
		kept += unmoved(from, got)
	}
	t.Logf("%d tasks, %d damaged, %d kept", tasks, broken, kept)
	if kept < tasks-broken-broken/4 {
		t.Errorf("of %d tasks with %d damaged only %d were kept", tasks, broken, kept)
	}
}

// Without a task placed, and with placements of anything, the result is valid.
func TestRepairNoise(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 6))
		js := randomSet(t, rng)
		from := model.NewSchedule(len(js.Tasks))
		if seed%2 == 0 {
			for t := range from {
				at := model.Time(rng.IntN(40))
				from[t] = model.Placement{
					Slave: model.SlaveID(rng.IntN(len(js.Slaves))), Beat: at / js.Heartbeat,
					Fetch: at + model.Time(rng.IntN(3)), Start: at + model.Time(rng.IntN(9)),
				}
			}
		}
		if _, err := checkRepair(js, from); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// The border keeps as many tasks as any other would.
func TestRepairBorder(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		js := randomSet(t, rng)
		from := construct(js, Rules()[0], nil, seed)
		damage(js, from, rng)
		r := newRepairer(NewFigures(js), from)
		for i := range js.Jobs {
			job := &js.Jobs[i]
			if len(job.Stages) < 2 {
				continue
			}
			var first, second []model.TaskID
			for id := job.First; id < job.Stages[1].End; id++ {
				switch {
				case !r.sound(id):
				case js.Tasks[id].Stage == 0:
					first = append(first, id)
				default:
					second = append(second, id)
				}
			}
			keeps := func(border model.Time) (n int) {
				for _, id := range first {
					if js.Finish(id, from[id]) <= border {
						n++
					}
				}
				for _, id := range second {
					if js.Assigned(from[id]) >= border {
						n++
					}
				}
				return n
			}
			got := keeps(r.border(first, second))
			for _, id := range first {
				if n := keeps(js.Finish(id, from[id])); n > got {
					t.Fatalf("seed %d, job %d: %d kept, %d could be", seed, i, got, n)
				}
			}
			if n := keeps(0); n > got {
				t.Fatalf("seed %d, job %d: %d kept, all of the second stage are %d", seed, i, got, n)
			}
		}
	}
}

// TestRepairOfGraphs: where stages are no chain a stage that is placed anew may be one
// whose turn was over.
func TestRepairOfGraphs(t *testing.T) {
	for seed := range testkit.Sets[uint64](300, 10_000) {
		js := gen.TodaySmall(seed, 8)
		rng := rand.New(rand.NewPCG(seed, 5))
		from := Repair(js, model.NewSchedule(len(js.Tasks)))
		for k := range from {
			at := model.Time(rng.IntN(30))
			from[k].Beat, from[k].Fetch, from[k].Start = at/js.Heartbeat, at, at+4
			if rng.IntN(3) == 0 {
				from[k].Slave = model.NoSlave
			}
		}
		got := Repair(js, from)
		if err := check.Schedule(js, got, true).Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// Hard jobs are placed in a round before soft ones where that has fewer of them late, and
// a soft task that waits for a hard one is not kept where it was if that one is later then.
// Here c on s leaves hard a, not placed yet, to end at 8, after its deadline of 3; in the
// round of its own it runs on s in [0,3), and b, which waits for it, was at 1.
func TestRepairMovesWhatWaitsForAnEarlierRound(t *testing.T) {
	js := &model.JobSet{
		Heartbeat: 1,
		Slaves:    []model.Slave{{Name: "s", Cores: 1, Slots: 1}, {Name: "t", Cores: 1, Slots: 1}},
	}
	zero := model.ConstRow(2, 0)
	add := func(name string, kind model.JobKind, deadline, onS, onT model.Time, after ...model.JobID) {
		p := model.NewProfile(model.DenseRow([]model.Time{onS, onT}), zero)
		js.Jobs = append(js.Jobs, model.Job{Name: name, Kind: kind, Deadline: deadline, After: after,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	add("a", model.Hard, 3, 3, 0)
	add("b", model.Soft, 9, 0, 1, 0)
	add("c", model.Soft, 5, 5, 0)
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	got, err := checkRepair(js, model.Schedule{{Slave: model.NoSlave}, {Slave: 1, Beat: 1, Fetch: 1, Start: 1}, {Slave: 0}})
	if err != nil {
		t.Fatal(err)
	}
	want := model.Schedule{{Slave: 0}, {Slave: 1, Beat: 3, Fetch: 3, Start: 3}, {Slave: 0, Beat: 3, Fetch: 3, Start: 3}}
	if !slices.Equal(got, want) {
		t.Errorf("repaired to %v, want %v", got, want)
	}
}
