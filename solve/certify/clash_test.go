package certify_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/certify"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
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

// Jobs that packing, or the assignment, shows to clash do so by claims of the proof without a search, whatever other jobs there are.
func TestClashByCores(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	clashes := [2]int{}
	var samples []secondopinion.Sample
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
		js := dueTogether(t, seed)
		w := incumbent.New(js, nil, nil, nil, time.Now())
		jobs := []model.JobID{1, 2, 4, 5, 6}
		alone := strategy.ByCores(t.Context(), w, jobs, 1)
		if alone.Refuted() == nil {
			continue
		}
		clashes[seed%2]++
		c := &certify.Certificate{JS: js, Unit: 1}
		if err := c.Clash(over, t.Context(), w, &portfolio.Work{Incumbent: w, P: incumbent.AnyPlan}, jobs, alone.Refuted().Argument()); err != nil || len(c.Open) > 0 {
			t.Fatalf("seed %d: %v are not certified to clash: %v", seed, jobs, err)
		}
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		s := secondopinion.Sample{JS: js, Text: text.String()}
		s.Holds(t)
		samples = append(samples, s)
	}
	agree(t, samples[:min(len(samples), 10)])
	if t.Logf("%v clashes", clashes); clashes[0] == 0 || clashes[1] == 0 {
		t.Error("there were none")
	}
}

// dueTogether draws seven hard jobs of a task each that are due together, on two slaves that are alike, or not where seed is odd.
func dueTogether(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 13))
	js := &model.JobSet{Heartbeat: 1}
	for s := range 2 {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: 8})
	}
	for i := range 7 {
		row := []model.Time{model.Time(1 + r.IntN(9)), model.Time(1 + r.IntN(9))}
		if seed%2 == 0 {
			row[1] = row[0]
		}
		profile := model.NewProfile(model.DenseRow(row), model.ConstRow(2, 0))
		js.Jobs = append(js.Jobs, model.Job{
			Name: fmt.Sprint("j", i), Kind: model.Hard, Deadline: model.Time(6 + seed%6),
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}
