package certify

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/energy"
	"downbeat/solve/lagrange"
)

// Arguments by what slaves share are proofs for both checkers, hold by exhaustive search, and are no
// longer once anything in them is altered that matters.
func TestProofsByLimits(t *testing.T) {
	var samples []secondopinion.Sample
	byEnergy, byPrices := 0, 0
	claim := func(js *model.JobSet, by *proof.Refutation) {
		c := &Certificate{JS: js, Unit: 1, Claims: []Claim{{inference.Claim{Infeasible: true}, by}}}
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		s := secondopinion.Sample{JS: js, Text: text.String()}
		if said := s.First(t); !strings.HasPrefix(said, "proved") {
			t.Fatalf("%s\n%s", said, s.Text)
		}
		s.Holds(t)
		if strings.Contains(s.Text, " pool.") && len(samples) < secondopinion.Count(12, 150) {
			samples = append(samples, s)
		}
	}
	for seed := range testkit.Tiny(t, 400, 600) {
		js := allHard(gen.Coupled(gen.TodayTiny(seed), seed, seed%4 == 0))
		q := query.Within(js, false, nil)
		if o := energy.Infeasible(t.Context(), js); o != nil && o.Resource == proof.SharedTicks {
			byEnergy++
			by := byOverload(js, q, o)
			if by == nil {
				t.Fatalf("seed %d: an overload is not said", seed)
			}
			claim(js, by)
		}
		if slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return !j.Chain() }) {
			continue // a file may take their stages for one
		}
		if b, _ := lagrange.NewRefutation(t.Context(), js, query.HardDues(js), false).Run(200_000, nil); b != nil && b.Bound != nil && anyShared(b.Bound) {
			byPrices++
			if by := byBranching(t.Context(), js, q, b, nil); by != nil {
				claim(js, by)
			}
		}
	}
	t.Logf("%d overloads, %d sets of prices, %d checked twice", byEnergy, byPrices, len(samples))
	if byEnergy == 0 || byPrices == 0 || len(samples) == 0 {
		t.Error("the test is too narrow")
	}
	for i, said := range secondopinion.Second(t, script, samples) {
		if !strings.HasPrefix(said, "proved") {
			t.Errorf("the second checker says %s\n%s", said, samples[i].Text)
		}
	}
	secondopinion.Altered(t, script, samples)
}

// script is the second checker.
const script = "../../model/check/inference/testdata/check_proof.py"

// allHard has all jobs be due a little earlier, without a choice.
func allHard(js *model.JobSet) *model.JobSet {
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind == model.BestEffort {
			job.Deadline = 12
		}
		job.Kind, job.Weight, job.Deadline = model.Hard, 1, max(1, job.Deadline*3/4)
	}
	js.FIFO = false
	return js
}

// anyShared reports whether a pool or a cap has a price.
func anyShared(d *proof.DualBound) bool {
	for _, m := range d.Multipliers {
		if m.Slave == model.NoSlave {
			return true
		}
	}
	return false
}
