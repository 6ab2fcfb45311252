package certify_test

import (
	"bytes"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Jobs that clash do so by claims of the proof, which exhaustive search and the second checker agree to.
func TestClashesAreCertified(t *testing.T) {
	clashes, open := 0, 0
	var samples []secondopinion.Sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 400)) {
		js := []func(uint64) *model.JobSet{gen.Tiny, gen.TodayTiny, gen.KindredTiny}[seed%3](9_000_000 + seed)
		js = hurried(t, js)
		if js == nil {
			continue
		}
		r, s := proofOf(t, js, false)
		if r.Analysis == nil {
			continue
		}
		s.Holds(t)
		samples = append(samples, s)
		hard := hardOf(js, nil)
		for _, c := range r.Analysis.Conflicts {
			same := func(of []model.JobID) bool { return slices.Equal(of, c.Jobs) }
			switch {
			case len(hardOf(js, c.Jobs)) == len(hard):
			case slices.ContainsFunc(claims(r), same):
				clashes++
			default:
				open++
				t.Logf("seed %d: %v are not certified to clash, by %s", seed, c.Jobs, c.Proof)
			}
		}
	}
	agree(t, samples)
	t.Logf("%d clashes are certified, %d are not", clashes, open)
	if clashes == 0 || open > clashes/20 {
		t.Errorf("of %d clashes %d are not certified", clashes+open, open)
	}
}

// hurried is a set with all deadlines hard and a third as long; nil where it has less than three jobs.
func hurried(t *testing.T, js *model.JobSet) *model.JobSet {
	t.Helper()
	if len(js.Jobs) < 3 || js.Leavable() != nil {
		return nil
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind != model.BestEffort {
			job.Kind, job.Deadline = model.Hard, max(1, job.Deadline*2/3)
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// hardOf are the hard ones of jobs, of all for nil.
func hardOf(js *model.JobSet, jobs []model.JobID) (out []model.JobID) {
	for i := range model.JobID(len(js.Jobs)) {
		if js.Jobs[i].Kind == model.Hard && (jobs == nil || slices.Contains(jobs, i)) {
			out = append(out, i)
		}
	}
	return out
}

func claims(r *solve.Result) (out [][]model.JobID) {
	for i := range r.Certificate.Claims {
		out = append(out, r.Certificate.Claims[i].Jobs)
	}
	return out
}

// A claim that fewer jobs clash than its refutation asks for is not delivered.
func TestClashOfFewerJobs(t *testing.T) {
	for seed := uint64(0); ; seed++ {
		js := hurried(t, gen.TodayTiny(seed))
		if js == nil {
			continue
		}
		r, s := proofOf(t, js, false)
		if len(claims(r)) < 2 || len(claims(r)[1]) < 2 {
			continue
		}
		v, err := inference.CheckFile(t.Context(), js, bytes.NewReader([]byte(s.Text)))
		if err != nil || !slices.Equal(v.Claims[1].Jobs, claims(r)[1]) {
			t.Fatalf("seed %d: %v, not %v: %v", seed, v, claims(r), err)
		}
		if best, err := oracle.SolveFor(js.Subset(v.Claims[1].Jobs), nil, false); err != nil || best.Status != model.Infeasible {
			t.Fatalf("seed %d: %v do not clash: %v", seed, v.Claims[1].Jobs, err)
		}
		claim := &r.Certificate.Claims[1]
		claim.Jobs = claim.Jobs[1:]
		if err := r.Certificate.Deliver(t.Context(), nil, true); err != nil || r.Certificate.Proof.Refused == nil {
			t.Errorf("seed %d: that fewer jobs clash is delivered: %v", seed, err)
		}
		return
	}
}
