package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/infeasible"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
)

// truth answers by exhaustive search what the analysis of a set and its repairs say.
type truth struct {
	t    *testing.T
	seed uint64
	js   *model.JobSet
	// single and found count what changes to one thing help, and those of them reported;
	// pairs and paired what pairs of them help where none does alone, and those for which
	// something as cheap is reported.
	single, found, pairs, paired int
}

func (x *truth) fits(js *model.JobSet) bool {
	a, err := oracle.SolveFor(js, nil, false)
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	return a.Status != model.Infeasible
}

// mended reports whether the set fits with changes.
func (x *truth) mended(changes ...model.Change) bool {
	js, err := change.Apply(x.js, changes)
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	return x.fits(js)
}

// held holds what is said of a set against exhaustive search; settled tells that no limit was reached.
func (x *truth) held(v *Verdict, settled bool) error {
	of := infeasible.Truth{JS: x.js, Fits: x.mended, Settled: settled, Saw: func(string, ...any) {}}
	of.Tardiness = func(changes ...model.Change) (model.Time, bool) {
		js, err := change.Apply(x.js, changes)
		if err != nil {
			x.t.Fatalf("seed %d: %v", x.seed, err)
		}
		best, err := oracle.SolveFor(js, []model.Objective{model.Tardiness}, false)
		if err != nil || best.Status == model.Infeasible {
			x.t.Fatalf("seed %d: %v, %v", x.seed, best.Status, err)
		}
		return model.Time(best.Values[0]), true
	}
	return errors.Join(of.Analysis(v.Analysis), of.Repairs(v.Repairs))
}

// squeeze makes deadlines hard, and cuts some of them.
func squeeze(t *testing.T, js *model.JobSet, by model.Time) {
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind == model.BestEffort {
			continue
		}
		job.Kind = model.Hard
		job.Deadline = max(1, job.Deadline*(11-by)/10)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
}

// crowd has the shortest job that is due, four times and no other, with room for few of them.
func crowd(t *testing.T, js *model.JobSet, room model.Time) {
	least := -1
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind != model.BestEffort && job.End-job.First == 1 && (least < 0 || job.Deadline < js.Jobs[least].Deadline) {
			least = i
		}
	}
	if least < 0 {
		return
	}
	var jobs []model.Job
	for k := range 4 {
		job := js.Jobs[least]
		job.Name, job.After, job.Stages = fmt.Sprintf("%s-%d", job.Name, k), nil, slices.Clone(job.Stages)
		task, longest := &js.Tasks[job.First], model.Time(0)
		for s := range model.SlaveID(len(js.Slaves)) {
			if task.Eligible(s) {
				longest = max(longest, task.WCET(s)+task.Transfer(s))
			}
		}
		job.Kind, job.Deadline = model.Hard, 2*js.Heartbeat+room*longest/2
		jobs = append(jobs, job)
	}
	js.Jobs = jobs
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
}

// TestNoAgreesWithExhaustiveSearch: every sentence about an infeasible set holds, the least
// number of jobs to leave out is always found, and at least 99 % of the changes to one
// thing that help are reported.
func TestNoAgreesWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	infeasible, groups, together, sum := 0, 0, 0, truth{}
	for seed := range testkit.Sets(uint64(24), 300) {
		js := gen.Tiny(2_000_000 + seed/2)
		if seed%2 == 1 {
			js = gen.TodayTiny(2_000_000 + seed/2)
		}
		switch {
		case seed%8 >= 6:
			crowd(t, js, 2+model.Time(seed/8%4))
		case seed%8 >= 2:
			squeeze(t, js, model.Time(seed%8))
		}
		x := &truth{t: t, seed: seed, js: js}
		v, err := Check(context.Background(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != model.Infeasible {
			continue
		}
		infeasible++
		if err := x.held(v, true); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		x.checkFound(v.Repairs)
		groups, together = groups+len(v.Analysis.Groups), together+len(v.Repairs.Together)
		sum.single, sum.found, sum.pairs, sum.paired = sum.single+x.single, sum.found+x.found, sum.pairs+x.pairs, sum.paired+x.paired
	}
	t.Logf("%d sets, %d groups, %d repairs of several changes, %d of %d single ones, %d of %d pairs",
		infeasible, groups, together, sum.found, sum.single, sum.paired, sum.pairs)
	if infeasible == 0 || sum.found == 0 || 100*sum.found < 99*sum.single {
		t.Errorf("%d of %d single repairs were found, in %d sets", sum.found, sum.single, infeasible)
	}
	if groups == 0 || sum.pairs == 0 || 100*sum.paired < 99*sum.pairs {
		t.Errorf("%d groups, and for %d of %d pairs something as cheap was found", groups, sum.paired, sum.pairs)
	}
}
