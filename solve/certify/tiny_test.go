package certify_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/certificate"
	"downbeat/model/certificate/certificatetest"
	"downbeat/model/gen"
	"downbeat/model/longtest"
	"downbeat/model/oracle"
	"downbeat/solve"
)

// proofOf plans a set and has the answer proved: the sample is empty if nothing is claimed.
func proofOf(t *testing.T, js *model.JobSet, relax bool) (*solve.Result, certificatetest.Sample) {
	t.Helper()
	r, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, Budget: 100_000, Proof: true, Relax: relax})
	if err != nil {
		t.Fatal(err)
	}
	s := certificatetest.Sample{JS: js}
	if c := r.Certificate; c != nil && len(c.Claims) > 0 {
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		s.Text = text.String()
	}
	return r, s
}

// No bound is certified that exhaustive search contradicts, and all answers about tiny sets
// are; the second checker agrees on the proofs.
func TestTinyProofs(t *testing.T) {
	kinds, second := map[model.Status]int{}, []certificatetest.Sample{}
	open := 0
	for seed := range longtest.Sets[uint64](40, 10000) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		relax := seed%3 == 0
		r, s := proofOf(t, js, relax)
		kinds[r.Status]++
		open += len(r.Certificate.Open)
		if len(r.Certificate.Open) > 0 && !js.FIFO {
			t.Errorf("seed %d: %v, but not proved: %v", seed, r.Status, r.Certificate.Open)
		}
		if s.Text == "" {
			continue
		}
		v, err := certificate.Check(t.Context(), js, strings.NewReader(s.Text))
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		for i := range v.Claims {
			holds(t, js, &v.Claims[i])
		}
		if len(second) < longtest.Sets(20, 1000) && len(s.Text) < 50_000 {
			second = append(second, s)
		}
	}
	for i, said := range certificatetest.Second(t, "../../model/certificate/testdata/check_proof.py", second) {
		if first := second[i].First(t); first != said {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, second[i].Text)
		}
	}
	t.Logf("%v, %d claims open, %d proofs checked twice", kinds, open, len(second))
}

// holds checks a claim by exhaustive search.
func holds(t *testing.T, js *model.JobSet, c *certificate.Claim) {
	var goal []model.Objective
	for _, l := range c.Given {
		goal = append(goal, l.Objective)
	}
	if !c.Infeasible {
		goal = append(goal, c.Objective)
	}
	best, err := oracle.SolveFor(js, goal, slices.Contains(goal, model.HardMisses))
	if err != nil {
		t.Fatal(err)
	}
	within := best.Status != model.Infeasible
	for k, l := range c.Given {
		within = within && best.Values[k] <= l.Most
	}
	if within && (c.Infeasible || best.Values[len(goal)-1] < c.Least) {
		t.Errorf("%s is claimed, but there is a plan with %v", certificatetest.Claimed(c), best.Values)
	}
}
