package encode

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/query"
	"downbeat/model/window"
)

// solver asks gini about a formula. After an unsatisfiable answer it starts
// with a new gini: one that has refuted its clauses cannot be asked again.
type solver struct {
	f *cnf.Formula
	g *gini.Gini
}

// ask tells whether the formula is satisfiable under assumptions.
func (s *solver) ask(t testing.TB, assume ...z.Lit) bool {
	t.Helper()
	if s.f.Empty() || slices.Contains(assume, cnf.False) {
		return false
	}
	if s.g == nil {
		s.g = gini.NewVc(s.f.Vars()+1, int(s.f.Clauses())+1)
		s.f.Feed(s.g)
	}
	s.g.Assume(assume...)
	switch answer := s.g.Solve(); answer {
	case 1:
		return true
	case -1:
		s.g = nil
		return false
	default:
		t.Fatalf("gini answered %d", answer)
		return false
	}
}

// eachModel yields up to n models, after the first such in which slaves and
// starts of tasks drawn from rng are decided by chance: left alone, a solver
// ends up with schedules that look all alike. It reports whether there is any.
func eachModel(t testing.TB, e *Encoding, q *query.Question, rng *rand.Rand, n int, yield func(a answered)) bool {
	t.Helper()
	s := &solver{f: e.Formula}
	if !s.ask(t) {
		return false
	}
	yield(read(e, q, s.g.Value))
	for range n - 1 {
		var assume []z.Lit
		for _, id := range e.Included {
			first, last := e.Starts(id)
			switch at := first + model.Time(rng.Int64N(int64(last-first)+1)); rng.IntN(6) {
			case 0:
				assume = append(assume, e.StartBy(id, at))
			case 1:
				assume = append(assume, e.StartBy(id, at-1).Not())
			case 2:
				assume = append(assume, e.vars[id].x[rng.IntN(len(e.vars[id].x))])
			}
		}
		if s.ask(t, assume...) {
			yield(read(e, q, s.g.Value))
		}
	}
	return true
}

// buildWithout is Build for any size, but for the families with the names given.
func buildWithout(q query.Question, names ...string) *Encoding {
	return buildFamilies(newLayout(q), slices.DeleteFunc(slices.Clone(families), func(f family) bool {
		return slices.Contains(names, f.name)
	}))
}

func buildFamilies(l *layout, families []family) *Encoding {
	e := newEncoding(l)
	addClauses(e, families)
	return e
}

// kinds of questions, as a search for a plan asks them.
var kinds = []string{
	"feasible", "misses", "tardiness", "weighted-tardiness", "makespan", "hard-misses",
	"misses after tardiness", "weighted-tardiness after makespan", "a job left out",
}

// ask makes a question of a kind with limits drawn from rng.
func ask(js *model.JobSet, kind string, rng *rand.Rand) query.Question {
	q := query.Question{JS: js, Role: make([]query.Role, len(js.Jobs)), Cap: make([]model.Time, len(js.Jobs))}
	late, end := model.Time(rng.IntN(8)), randomEnd(js, rng)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		q.Role[i], q.Cap[i] = query.Out, model.Never
		if job.Kind == model.Hard {
			q.Role[i], q.Cap[i] = query.Must, job.Due()
		}
		soft := job.Kind == model.Soft
		switch kind {
		case "misses":
			if soft {
				q.Role[i], q.Cap[i] = query.May, job.Due()
			}
		case "tardiness", "misses after tardiness":
			if soft {
				q.Role[i], q.Cap[i] = query.Must, job.Due()+late
			}
		case "weighted-tardiness":
			if soft {
				q.Role[i], q.Cap[i] = query.Must, job.Due()+late/model.Time(job.Weight)
			}
		case "makespan", "weighted-tardiness after makespan":
			q.Role[i], q.Cap[i] = query.Must, min(q.Cap[i], end)
		case "hard-misses":
			if job.Kind == model.Hard {
				q.Role[i] = query.May
			}
		case "a job left out":
			if i == rng.IntN(len(js.Jobs)) {
				q.Role[i] = query.Out
			}
		}
	}
	requireBefore(&q, end)
	limit := func(o model.Objective, most int64) { q.Limits = []query.Limit{{Objective: o, Most: most}} }
	switch kind {
	case "misses", "misses after tardiness":
		limit(model.Misses, rng.Int64N(6))
	case "weighted-tardiness":
		limit(model.WeightedTardiness, int64(late))
	case "weighted-tardiness after makespan":
		limit(model.WeightedTardiness, rng.Int64N(12))
	case "hard-misses":
		limit(model.HardMisses, rng.Int64N(3))
	}
	return q
}

// requireBefore has jobs in that those which are in come after.
func requireBefore(q *query.Question, end model.Time) {
	for _, i := range slices.Backward(q.JS.JobOrder()) {
		if q.Role[i] == query.Out {
			continue
		}
		for _, k := range q.JS.Jobs[i].After {
			if q.Role[k] != query.Must {
				q.Role[k], q.Cap[k] = query.Must, end
			}
		}
	}
}

// randomEnd draws a makespan from what the longest job takes to twice that.
func randomEnd(js *model.JobSet, rng *rand.Rand) model.Time {
	never := make([]model.Time, len(js.Jobs))
	for i := range never {
		never[i] = model.Never
	}
	least := slices.Max(window.Compute(js, never).CriticalPath)
	return least + model.Time(rng.Int64N(int64(least)+1))
}

// answered is a model read back: the schedule, and which jobs are placed. q is
// the question as it was asked, before a layout leaves out what is late anyhow;
// value holds until the solver is asked again.
type answered struct {
	value  func(z.Lit) bool
	q      *query.Question
	plan   model.Schedule
	placed []bool
}

func read(e *Encoding, q *query.Question, value func(z.Lit) bool) answered {
	a := answered{value: value, q: q, plan: e.Decode(value), placed: make([]bool, len(e.JS.Jobs))}
	for i := range a.placed {
		on := e.On(model.JobID(i))
		a.placed[i] = on == cnf.True || on != cnf.False && value(on)
	}
	return a
}

// faults lists, each once, the rules of the validator that the placed jobs
// break, "cap" if one finishes after its cap, and the limits that are exceeded.
func (a *answered) faults() []string {
	js := a.q.JS
	var jobs []model.JobID
	var plan model.Schedule
	for i, placed := range a.placed {
		if placed {
			jobs = append(jobs, model.JobID(i))
			plan = append(plan, a.plan[js.Jobs[i].First:js.Jobs[i].End]...)
		}
	}
	sub := js.Subset(jobs)
	found := map[string]bool{}
	for _, v := range check.Schedule(sub, plan, true).Violations {
		found[v.Rule] = true
	}
	if plan.Complete() {
		a.checkLimits(sub.Finishes(plan), found)
	}
	return slices.Sorted(maps.Keys(found))
}

// checkLimits compares the finishes of the placed jobs with caps and limits.
func (a *answered) checkLimits(finishes []model.Time, found map[string]bool) {
	misses, hardMisses, weighted := int64(0), int64(0), int64(0)
	next := 0
	for i, placed := range a.placed {
		job := &a.q.JS.Jobs[i]
		late := !placed && a.q.Role[i] == query.May
		if placed {
			finish := finishes[next]
			next++
			late = job.Late(finish) > 0
			if finish > a.q.Cap[i] {
				found["cap"] = true
			}
			if job.Kind == model.Soft {
				weighted += job.Weight * int64(job.Late(finish))
			}
		}
		switch {
		case late && job.Kind == model.Soft:
			misses += job.Weight
		case late && job.Kind == model.Hard:
			hardMisses++
		}
		if !placed && a.q.Role[i] == query.Must {
			found["missing"] = true
		}
	}
	exceeds := func(o model.Objective, value int64) {
		if most, limited := a.q.Most(o); limited && value > most {
			found[o.String()] = true
		}
	}
	exceeds(model.Misses, misses)
	exceeds(model.HardMisses, hardMisses)
	exceeds(model.WeightedTardiness, weighted)
}

// assemble finishes a job set written by hand.
func assemble(t testing.TB, js *model.JobSet) *model.JobSet {
	t.Helper()
	for i := range js.Slaves {
		js.Slaves[i].Name = fmt.Sprint("s", i+1)
	}
	for i := range js.Jobs {
		js.Jobs[i].Name = fmt.Sprint("j", i+1)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// stage is a stage of n equal tasks with the same figures on all slaves.
func stage(n, slaves int, wcet, transfer model.Time) model.Stage {
	p := model.NewProfile(model.ConstRow(slaves, wcet), model.ConstRow(slaves, transfer))
	return model.Stage{Name: "map", Groups: []model.Group{{Count: n, Profile: p}}}
}

// hardJob is released at 0 and due at the time given.
func hardJob(due model.Time, stages ...model.Stage) model.Job {
	return model.Job{Kind: model.Hard, Deadline: due, Stages: stages}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
