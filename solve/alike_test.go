package solve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// ofGroups draws jobs that go through stages on slaves of two classes, whose members are alike: hybrid flow shops, and job sets
// of which tasks may run on either class.
func ofGroups(draw func(n int) int) *model.JobSet {
	js := &model.JobSet{Name: "groups", Heartbeat: 1 + model.Time(draw(4)/3)}
	for class := range 2 {
		s := model.Slave{Class: string(rune('a' + class)), Cores: 1, Slots: 1}
		if draw(2) == 0 {
			s.Slots = 7
		}
		for n := range 1 + draw(3) {
			s.Name = fmt.Sprint(s.Class, "-", n+1)
			js.Slaves = append(js.Slaves, s)
		}
	}
	kinds := draw(3)
	for left := 4 + draw(4); left > 0; {
		job := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Release: model.Time(draw(3)), Kind: model.BestEffort}
		if kinds > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(2+draw(7)), int64(1+draw(3))
		}
		if kinds == 2 && draw(2) == 0 {
			job.Kind, job.Weight = model.Hard, 0
		}
		for k := range min(left, 1+draw(3)) {
			wcet := make([]model.Time, len(js.Slaves))
			length, class := model.Time(1+draw(5)), draw(5)
			for s := range wcet {
				if on := int(js.Slaves[s].Class[0] - 'a'); class == 4 || on == class%2 {
					wcet[s] = length + model.Time(on)
				}
			}
			profile := model.NewProfile(model.DenseRow(wcet), model.ConstRow(len(wcet), 0))
			job.Stages = append(job.Stages, model.Stage{Name: fmt.Sprint("s", k), Groups: []model.Group{{Count: 1, Profile: profile}}})
			left--
		}
		js.Jobs = append(js.Jobs, job)
	}
	js.Objectives = [][]model.Objective{
		{model.Makespan}, {model.Misses, model.Makespan}, {model.Tardiness}, {model.WeightedTardiness},
	}[draw(4)]
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// TestSlavesThatAreAlike holds answers that were found with one slave for those that are alike against exhaustive search over all, and what
// they say of slaves against the set itself.
func TestSlavesThatAreAlike(t *testing.T) {
	statuses, overloads, branchings := map[model.Status]int{}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 400, 8000)) {
		js := ofGroups(rand.New(rand.NewPCG(seed, 21)).IntN)
		want, err := oracle.Solve(js)
		if err != nil {
			continue
		}
		got, err := Plan(t.Context(), js, Options{Seed: seed, Workers: 1})
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
		js.Heartbeat = 1 + beats
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		r := restated{js: js, original: js, unit: 1}
		if r.takeTogether(); (r.alike == nil) != (beats > 0) {
			t.Errorf("a heartbeat every %d ticks: %d slaves", js.Heartbeat, len(r.js.Slaves))
		}
	}
}
