package solve

import (
	"fmt"
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// TestSlavesThatAreAlike holds answers that were found with one slave for those that are alike, of half of the sets from some plan, against
// exhaustive search over all, and what they say of slaves against the set itself.
func TestSlavesThatAreAlike(t *testing.T) {
	testkit.OneGoroutine(t)
	statuses, overloads, branchings := map[model.Status]int{}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 400, 8000)) {
		js := gen.AlikeTiny(seed)
		want, err := oracle.Solve(js)
		if err != nil {
			continue
		}
		opt := Options{Seed: seed, Workers: 1}
		if seed%2 == 1 {
			opt.From = heuristics.Repair(js, model.NewSchedule(len(js.Tasks)))
		}
		got, err := Plan(t.Context(), js, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := agree(js, got, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		statuses[got.Status]++
		for _, c := range got.conflicts() {
			due := slices.Repeat([]model.Time{model.Never}, len(js.Jobs))
			for _, i := range c.Jobs {
				due[i] = js.Jobs[i].Due()
			}
			for _, o := range c.Overloads {
				if o.Resource == proof.CriticalPath {
					continue // of no slaves
				}
				units := int64(0)
				for _, s := range o.Slaves {
					units += o.Resource.Units(js, s)
				}
				if have := units * int64(o.Interval.Len()); have != o.Have || o.Need <= have-o.Idle {
					t.Errorf("seed %d: slaves %v have %d from %d to %d, said to be %d, of which %d is needed", seed, o.Slaves, have, o.Interval.Start, o.Interval.End, o.Have, o.Need)
				}
				overloads++
			}
			if c.Branching != nil {
				if err := inference.Branching(t.Context(), js, due, c.Branching); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				branchings++
			}
		}
	}
	t.Logf("%v, %d overloads, %d branchings", statuses, overloads, branchings)
	if statuses[model.Infeasible] == 0 {
		t.Error("nothing was infeasible")
	}
}

// Slaves with a slot each stay by themselves where the orders of jobs in them, at heartbeats, are what is to be found.
func TestTurnsAtHeartbeats(t *testing.T) {
	for beats := range model.Time(3) {
		js, _, err := gen.Family("parallel-16x2", 1)
		if err != nil {
			t.Fatal(err)
		}
		goal := js.Objectives
		js.Heartbeat, js.Objectives = 1+beats, nil // what is asked for counts, not what the set has
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		r := restated{js: js, original: js, unit: 1}
		if r.takeTogether(goal); (r.alike == nil) != (beats > 0) {
			t.Errorf("a heartbeat every %d ticks: %d slaves", js.Heartbeat, len(r.js.Slaves))
		}
	}
}

// Slaves of two classes count as one in proofs too, whatever else their classes say, unless what they offer differs that nothing needs.
func TestProofsOfSlavesThatAreAlike(t *testing.T) {
	for name, units := range map[string]int64{"alike": 4, "with more of what nothing needs": 8} {
		js := &model.JobSet{Name: name, Heartbeat: 1, Named: []string{"memory"}, Objectives: []model.Objective{model.Makespan}, Slaves: []model.Slave{
			{Name: "a", Class: "a", Cores: 1, Slots: 2, Units: []int64{4}},
			{Name: "b-1", Class: "b", Cores: 1, Slots: 2, Units: []int64{units}, ClassBeats: []model.Time{0, 1}},
			{Name: "b-2", Class: "b", Cores: 1, Slots: 2, Units: []int64{units}, FirstBeat: 1, ClassBeats: []model.Time{0, 1}},
		}}
		for i := range 4 {
			profile := model.NewProfile(model.ConstRow(3, model.Time(3+i)), model.ConstRow(3, 0))
			js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Stages: []model.Stage{{Name: "all", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if taken := model.OneOfAlike(js) != nil; taken != (units == 4) {
			t.Errorf("%s: some count as one: %t", name, taken)
		}
		r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: 1000, Proof: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Certificate.Deliver(t.Context(), nil, true); err != nil || r.Certificate.Proof.Refused != nil {
			t.Errorf("%s: %v, %v", name, err, r.Certificate.Proof.Refused)
		}
	}
}

// TestEachSlave: where others go on with a proof it speaks of each slave.
func TestEachSlave(t *testing.T) {
	together := 0
	for seed := range uint64(12) {
		js := gen.AlikeTiny(seed)
		for _, apart := range []bool{false, true} {
			r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: 200, Proof: true, EachSlave: apart})
			if err != nil {
				t.Fatal(err)
			}
			if r.Certificate == nil {
				continue
			}
			if n := len(r.Certificate.Alike); apart && n > 0 {
				t.Errorf("seed %d: %d groups of slaves count as one", seed, n)
			} else {
				together += n
			}
		}
	}
	if together == 0 {
		t.Error("no slaves count as one")
	}
}
