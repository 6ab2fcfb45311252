package lagrange

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
)

// firstSeed is that of sets of which some are refuted by several leaves.
const firstSeed = 7

// Up to the due times to which an argument is raised other code finds it to hold, and nothing refutes the ends of a
// plan.
func TestRaised(t *testing.T) {
	refuted, later, branched := 0, 0, 0
	for seed := range testkit.Sets[uint64](7, 200) {
		js, plan, err := gen.Family("tardiness", firstSeed+seed)
		if err != nil {
			t.Fatal(err)
		}
		finishes := js.Finishes(plan)
		latest, due := make([]model.Time, len(js.Jobs)), make([]model.Time, len(js.Jobs))
		for i := range js.Jobs {
			latest[i] = max(finishes[i], js.Jobs[i].Due()) + 20
			due[i] = max(js.Jobs[i].Due(), finishes[i]-model.Time(1+seed%4))
		}
		d, possible := newDueTimes(t.Context(), inStepsOf(js, 1), latest, true)
		if d == nil || !possible {
			continue
		}
		c, _ := NewRefutation(t.Context(), js, due, true).Run(8_000_000, nil)
		if c == nil {
			continue
		}
		refuted++
		ofJobs := make([]model.Time, len(d.jobs))
		for j, id := range d.jobs {
			ofJobs[j] = due[id]
		}
		raised, until := d.raised(c, ofJobs, func() bool { return false })
		reached, by := true, due
		for j, id := range d.jobs {
			if until[j] < due[id] {
				t.Errorf("seed %d: job %d is raised from %d to %d", seed, id, due[id], until[j])
			}
			if until[j] > due[id] {
				later++
			}
			by[id] = until[j]
			reached = reached && finishes[id] <= until[j]
		}
		if reached {
			t.Errorf("seed %d: the ends of a plan are refuted", seed)
		}
		if err := inference.Branching(t.Context(), js, by, raised); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if raised.Leaves() > 1 && raised != c {
			branched++
		}
	}
	t.Logf("%d refuted, %d jobs raised, %d arguments with other multipliers", refuted, later, branched)
	if refuted == 0 || later == 0 || branched == 0 {
		t.Error("nothing was raised")
	}
}

// What is not refuted by search is not raised.
func TestRaisesNoSearch(t *testing.T) {
	js, _, err := gen.Family("tardiness", 1)
	if err != nil {
		t.Fatal(err)
	}
	latest := make([]model.Time, len(js.Jobs))
	for i := range js.Jobs {
		latest[i] = js.Jobs[i].Due() + 100
	}
	d, _ := newDueTimes(t.Context(), inStepsOf(js, 1), latest, true)
	due := make([]model.Time, len(d.jobs))
	for j, id := range d.jobs {
		due[j] = js.Jobs[id].Due()
	}
	c := &proof.Branching{Searched: true}
	if raised, until := d.raised(c, due, func() bool { return false }); raised != c || !within(until, due) {
		t.Errorf("raised to %d from %d", until, due)
	}
}
