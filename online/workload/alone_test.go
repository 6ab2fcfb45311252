package workload

import (
	"testing"

	"downbeat/model"
	"downbeat/model/check"
)

// The schedules behind alone break no rule, on every kind of cluster.
func TestAloneIsAPlan(t *testing.T) {
	for _, w := range everyWorkload(t) {
		for seed := range uint64(10) {
			js := generate(t, w, seed)
			for id := range min(len(js.Jobs), 5) {
				one := js.Subset([]model.JobID{model.JobID(id)})
				one.Slaves = append([]model.Slave(nil), one.Slaves...)
				for s := range one.Slaves {
					one.Slaves[s].Down = nil
				}
				places := placeAlone(one, 0)
				if err := check.Schedule(one, places, true).Err(); err != nil {
					t.Fatalf("%s, seed %d, job %d: %v", w.name, seed, id, err)
				}
				if need := one.Finishes(places)[0] - one.Jobs[0].Release; alone(js, model.JobID(id)) != need {
					t.Fatalf("%s, seed %d, job %d: alone is %d, its plan takes %d", w.name, seed, id, alone(js, model.JobID(id)), need)
				}
			}
			if w.name == "rds" || w.name == "ec2" {
				break
			}
		}
	}
}

func TestAloneByHand(t *testing.T) {
	p := Platform{Heartbeat: 4, Fetch: model.FetchExclusive}
	js := p.jobSet(0, class("s", 1, splitSlots(2, 2, 1)))
	js.Slaves[0].Down = []model.Interval{{Start: 0, End: 1000}} // not looked at
	js.Jobs = []model.Job{{Name: "j", Release: 2, Stages: []model.Stage{
		blocks{remote: 3}.mapStage(js, 3, model.ConstRow(1, 5), 1, 0),
		reduceStage(js, 1, model.ConstRow(1, 6), 1),
	}}}
	js, err := finish(js)
	if err != nil {
		t.Fatal(err)
	}
	// Released at 2, first heartbeat at 4: the first map fetches in [4, 7) and
	// runs in [7, 12), the second fetches in [7, 10) and runs in [10, 15). A slot
	// is free at 12, a heartbeat: fetch [12, 15), run [15, 20). The reduce is
	// handed out at 20, fetches until 21, runs until 27.
	if got := alone(js, 0); got != 25 {
		t.Errorf("alone the job takes %d, want 25", got)
	}
}

// With fifo a task handed out later waits for the start of an earlier one whose
// input takes long; without, it goes ahead.
func TestAloneKeepsTheOrderOfHeartbeats(t *testing.T) {
	for _, c := range []struct {
		fifo  bool
		start model.Time
	}{{false, 2}, {true, 9}} {
		p := Platform{Heartbeat: 1, Fetch: model.FetchConcurrent, FIFO: c.fifo}
		js := p.jobSet(0, class("s", 1, model.Slave{Cores: 2, Slots: 2}))
		task := func(wcet, transfer model.Time) model.Group {
			return model.Group{Count: 1, Profile: model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, transfer))}
		}
		// The first runs in [0, 2), the second fetches in [0, 9), the third gets
		// the first one's slot at 2.
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{task(2, 0), task(5, 9), task(2, 0)}},
		}}}
		js, err := finish(js)
		if err != nil {
			t.Fatal(err)
		}
		places := placeAlone(js, 0)
		if err := check.Schedule(js, places, true).Err(); err != nil {
			t.Error(err)
		}
		if places[2].Beat != 2 || places[2].Start != c.start {
			t.Errorf("fifo %t: the third task is handed out at %d and starts at %d, want 2 and %d", c.fifo, places[2].Beat, places[2].Start, c.start)
		}
	}
}
