package solve

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
	"downbeat/model/query"
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

func (x *truth) errorf(format string, args ...any) {
	x.t.Helper()
	x.t.Errorf("seed %d: "+format, append([]any{x.seed}, args...)...)
}

// fit reports whether hard jobs fit where all other hard jobs are left out.
func (x *truth) fit(hard []model.JobID) bool {
	var kept []model.JobID
	for i := range model.JobID(len(x.js.Jobs)) {
		if x.js.Jobs[i].Kind != model.Hard || slices.Contains(hard, i) {
			kept = append(kept, i)
		}
	}
	return len(kept) == 0 || x.fits(x.js.Subset(kept))
}

// mended reports whether the set fits with changes.
func (x *truth) mended(changes ...model.Change) bool {
	js, err := change.Apply(x.js, changes)
	if err != nil {
		x.t.Fatalf("seed %d: %v", x.seed, err)
	}
	return x.fits(js)
}

// some calls back with each choice of jobs.
func some(jobs []model.JobID, do func([]model.JobID)) {
	for mask := range 1 << len(jobs) {
		var out []model.JobID
		for k := range jobs {
			if mask>>k&1 == 1 {
				out = append(out, jobs[k])
			}
		}
		do(out)
	}
}

// most is the largest number of some hard jobs that fit.
func (x *truth) most(jobs []model.JobID) int {
	best := 0
	some(jobs, func(kept []model.JobID) {
		if len(kept) > best && x.fit(kept) {
			best = len(kept)
		}
	})
	return best
}

func (x *truth) checkOut(a *Analysis) {
	hard := query.HardJobs(x.js)
	least := len(hard) - x.most(hard)
	if !a.Out.Closed() || a.Out.Least != least {
		x.errorf("%+v have to be left out, exhaustive search says %d", a.Out, least)
	}
	rest := slices.DeleteFunc(slices.Clone(hard), func(i model.JobID) bool { return slices.Contains(a.Out.Jobs, i) })
	if !x.fit(rest) {
		x.errorf("without %v the others do not fit", a.Out.Jobs)
	}
	for _, g := range a.Groups {
		if n := len(g.Jobs) - x.most(g.Jobs); g.Least != n {
			x.errorf("group %+v, exhaustive search says %d", g, n)
		}
		some(g.Jobs, func(kept []model.JobID) {
			if len(kept) == g.Any && !x.fit(kept) {
				x.errorf("group %+v, but %v do not fit", g, kept)
			}
		})
	}
	for _, c := range a.Conflicts {
		if !c.Irreducible || x.fits(x.js.Subset(c.Jobs)) {
			x.errorf("clash %v, irreducible %t", c.Jobs, c.Irreducible)
		}
		for k := range c.Jobs {
			if rest := slices.Delete(slices.Clone(c.Jobs), k, k+1); len(rest) > 0 && !x.fits(x.js.Subset(rest)) {
				x.errorf("%v clash, and so do %v", c.Jobs, rest)
			}
		}
	}
}

// only is the set of some jobs in which job i alone has a deadline, of a kind.
func (x *truth) only(i model.JobID, jobs []model.JobID, kind model.JobKind) *model.JobSet {
	sub := x.js.Subset(jobs)
	for k := range sub.Jobs {
		if jobs[k] != i {
			sub.Jobs[k].Kind, sub.Jobs[k].Deadline = model.BestEffort, 0
		} else {
			sub.Jobs[k].Kind = kind
		}
	}
	return sub
}

func (x *truth) checkAlone(a *Analysis) {
	for _, i := range query.HardJobs(x.js) {
		jobs := x.js.WithBefore([]model.JobID{i})
		var said []model.Time
		for _, alone := range a.Alone {
			if alone.Job != i {
				continue
			}
			needed := slices.Sorted(slices.Values(append([]model.JobID{i}, alone.After...)))
			best, err := oracle.SolveFor(x.only(i, needed, model.Soft), []model.Objective{model.Tardiness}, false)
			if err != nil || best.Status == model.Infeasible {
				x.t.Fatalf("seed %d: %v, %v", x.seed, best.Status, err)
			}
			said = append(said, alone.Earliest)
			if want := x.js.Jobs[i].Due() + model.Time(best.Values[0]); alone.Earliest != want || !alone.Exact {
				x.errorf("alone %+v, exhaustive search says %d", alone, want)
			}
			for _, k := range alone.After {
				rest := slices.DeleteFunc(slices.Clone(needed), func(i model.JobID) bool { return i == k })
				if !x.fits(x.only(i, rest, model.Hard)) {
					x.errorf("alone %+v, but without %d it is no better", alone, k)
				}
			}
		}
		if x.fits(x.only(i, jobs, model.Hard)) != (said == nil) {
			x.errorf("job %d alone: finishes said to be %v", i, said)
		}
	}
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
		x.checkOut(v.Analysis)
		x.checkAlone(v.Analysis)
		x.checkRepairs(v.Repairs)
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
