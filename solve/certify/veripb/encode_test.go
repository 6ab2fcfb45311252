package veripb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve/certify/veripb"
)

// solvable asks gini whether a question as it is stated has a solution.
func solvable(t *testing.T, q *veripb.Question) bool {
	t.Helper()
	formula, variables := cnf.New(), []z.Lit{0}
	literal := func(l veripb.Literal) z.Lit {
		for int(max(l, -l)) >= len(variables) {
			variables = append(variables, formula.Lit())
		}
		if l < 0 {
			return variables[-l].Not()
		}
		return variables[l]
	}
	_, err := veripb.Encode(t.Context(), q, func(c *veripb.Constraint) {
		var lits []z.Lit
		var needs []int64
		room := -c.Least
		for _, term := range c.Terms {
			l, n := literal(term.Literal), term.Coefficient
			if n < 0 {
				l, n = l.Not(), -n
			} else {
				room += n
			}
			lits, needs = append(lits, l.Not()), append(needs, n)
		}
		if room < 0 {
			formula.Add()
			return
		}
		formula.AtMostSum(lits, needs, room)
	})
	if err != nil {
		t.Fatal(err)
	}
	if formula.Empty() {
		return false
	}
	g := gini.New()
	formula.Feed(g)
	return g.Solve() == 1
}

// horizon is a time by which all tasks of a set may run one after the other, after all else is over.
func horizon(js *model.JobSet) model.Time {
	end := js.SettledFrom()
	for i := range js.Slaves {
		for _, d := range js.Slaves[i].Down {
			if d.End < model.Never {
				end = max(end, d.End)
			}
		}
	}
	for i := range js.Jobs {
		end = max(end, js.Jobs[i].Release)
		if due := js.Jobs[i].Due(); due < model.Never {
			end = max(end, due)
		}
	}
	for i := range js.Tasks {
		longest := model.Time(0)
		for s := range model.SlaveID(len(js.Slaves)) {
			longest = max(longest, js.Tasks[i].WCET(s)+js.Tasks[i].Transfer(s))
		}
		end += longest + js.Heartbeat
	}
	return end
}

// asks asks for a plan in which an objective is at most a value, and hard deadlines are met unless they are what
// is counted. Late jobs of which misses are counted may be let go where nothing waits for them, and that is asked for.
func asks(js *model.JobSet, o model.Objective, most int64, letGo bool) *veripb.Question {
	q := &veripb.Question{Set: js, Limits: map[model.Objective]int64{}}
	if o.InProofs() != "" {
		q.Limits[o] = most
	}
	shape := o.Shape()
	awaited := map[model.JobID]bool{}
	for i := range js.Jobs {
		for _, k := range js.Jobs[i].After {
			awaited[k] = true
		}
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		a := inference.Asked{Job: model.JobID(i), Role: "must", By: horizon(js)}
		if job.Kind == model.Hard && o != model.HardMisses {
			a.By = job.Due()
		}
		if shape.Grows(job.Kind) {
			a.By = min(a.By, shape.Latest(job, most))
		}
		if letGo && shape.Counts() && shape.Jobs.Has(job.Kind) && !awaited[a.Job] {
			a.Role, a.By = "may", job.Due()
		}
		q.Jobs = append(q.Jobs, a)
	}
	return q
}

// breaks states all that may be assumed of equal tasks of a stage, and of equal slaves.
func breaks(js *model.JobSet, q *veripb.Question) {
	for t := range model.TaskID(len(js.Tasks)) {
		for u := t + 1; u < model.TaskID(len(js.Tasks)); u++ {
			if a, b := &js.Tasks[t], &js.Tasks[u]; a.Job == b.Job && a.Stage == b.Stage && a.Alike(b) {
				q.Order = append(q.Order, [2]model.TaskID{t, u})
			}
		}
	}
	for s := range model.SlaveID(len(js.Slaves)) {
		for r := range s {
			a, b := js.Slaves[r], js.Slaves[s]
			a.Name, a.Class, a.Cost, b.Name, b.Class, b.Cost = "", "", 0, "", "", 0
			differs := func(t model.Task) bool { return t.WCET(r) != t.WCET(s) || t.Transfer(r) != t.Transfer(s) }
			if fmt.Sprint(a) != fmt.Sprint(b) || slices.ContainsFunc(js.Tasks, differs) {
				continue
			}
			for t := range model.TaskID(len(js.Tasks)) {
				q.First = append(q.First, veripb.First{Task: t, Before: r, After: s})
			}
		}
	}
}

// A question as it is stated has a solution exactly if exhaustive search finds a plan: at the optimum, and not
// below. So it has where equal tasks and slaves are in order.
func TestEncodingAgainstExhaustiveSearch(t *testing.T) {
	yes, no, broken := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 1500)) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		if seed%5 == 0 {
			js = gen.KindredTiny(seed)
		}
		if gone := gen.GoneTiny(seed); seed%7 == 0 && gone.Leavable() == nil {
			js = gone
		}
		js.FIFO = js.FIFO && seed%3 == 1
		if seed%3 == 0 {
			js = gen.Coupled(js, seed, false)
		}
		objectives := [...]model.Objective{model.Makespan, model.Misses, model.Tardiness, model.WeightedTardiness, model.HardMisses}
		o := objectives[seed/3%5]
		best, err := oracle.SolveFor(js, []model.Objective{o}, o == model.HardMisses)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(horizon(js))
		if best.Status != model.Infeasible {
			if most = best.Values[0]; !solvable(t, asks(js, o, most, seed%2 == 0)) {
				t.Errorf("seed %d: there is a plan with %s of %d, and no solution", seed, o, most)
			}
			q := asks(js, o, most, seed%2 == 0)
			if breaks(js, q); !js.FIFO && len(q.Order)+len(q.First) > 0 {
				if broken++; !solvable(t, q) {
					t.Errorf("seed %d: there is a plan with %s of %d, and no solution with symmetries broken", seed, o, most)
				}
			}
			yes++
			most--
		}
		if most >= 0 && !js.FIFO { // which leaves the order of starts out
			if no++; solvable(t, asks(js, o, most, seed%2 == 0)) {
				t.Errorf("seed %d: a solution says that %s may be %d, exhaustive search %v", seed, o, most, best.Values)
			}
		}
	}
	t.Logf("%d questions with a solution, of which %d also with symmetries broken, %d without", yes, broken, no)
}

// Questions that would take too much are not stated, nor is any when the time is up.
func TestTooLarge(t *testing.T) {
	js := gen.Tiny(1)
	q := asks(js, model.Makespan, 1, false)
	for i := range q.Jobs {
		q.Jobs[i].By = 1 << 40
	}
	if _, err := veripb.Encode(t.Context(), q, nil); !errors.Is(err, veripb.ErrTooLarge) {
		t.Errorf("windows of 2^40 ticks: %v", err)
	}
	for i := range q.Jobs {
		q.Jobs[i].By = 1 << 18
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := veripb.Encode(ctx, q, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// How late a job is at the least is no loop over time, which a file could make as long as it likes.
func TestLongTasks(t *testing.T) {
	const long = 1 << 30
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}},
		Jobs: []model.Job{{Name: "j", Kind: model.Soft, Weight: 1, Deadline: 5, Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, long), model.ConstRow(1, 0))}},
		}}}},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]bool{long - 4: true, long - 5: true, long - 6: false} {
		q := &veripb.Question{
			Set: js, Jobs: []inference.Asked{{Job: 0, Role: "must", By: long + 2}},
			Limits: map[model.Objective]int64{model.WeightedTardiness: most},
		}
		if solvable(t, q) != want {
			t.Errorf("%d late at most: not %t", most, want)
		}
	}
}
