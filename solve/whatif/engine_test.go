package whatif

import (
	"context"
	"testing"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// listed is a plan by list scheduling, hard deadlines aside.
func listed(t *testing.T, js *model.JobSet) model.Schedule {
	t.Helper()
	plan := heuristics.NewFigures(js).Repair(t.Context(), model.NewSchedule(len(js.Tasks)))
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// soft is a set without hard deadlines, all plans of which do.
func soft(js *model.JobSet) *model.JobSet {
	for i := range js.Jobs {
		js.Jobs[i].Kind, js.Jobs[i].Deadline = model.BestEffort, 0
	}
	return js
}

// What is settled about the same changes, and what a plan that is known shows, is not looked for:
// not even where the set has lost a slave on which the plan has nothing.
func TestEngineRemembers(t *testing.T) {
	js := soft(gen.Small(1, 20))
	grown, err := change.Apply(js, []change.Change{{Kind: change.Count, Name: js.Slaves[0].Class, N: int64(len(js.Slaves) + 3)}})
	if err != nil {
		t.Fatal(err)
	}
	var e Engine
	found := 0
	find := func(set *model.JobSet, status model.Status, plan model.Schedule) *Question {
		return &Question{Set: set, Find: func() (Answer, error) { found++; return Answer{Status: status, Plan: plan}, nil }}
	}
	plan := listed(t, js)
	for _, step := range []struct {
		what   string
		q      *Question
		key    string
		status model.Status
		found  int
	}{
		{"nothing is known", find(js, model.Feasible, plan), "", model.Feasible, 1},
		{"the plan is known", find(js, model.Unknown, nil), "", model.Feasible, 1},
		{"with more slaves", find(grown, model.Unknown, nil), "", model.Feasible, 1},
		{"open", find(nil, model.Unknown, nil), "a", model.Unknown, 2},
		{"open still", find(nil, model.Infeasible, nil), "a", model.Infeasible, 3},
		{"settled", find(nil, model.Unknown, nil), "a", model.Infeasible, 3},
		{"other changes", find(nil, model.Unknown, nil), "b", model.Unknown, 4},
		{"of the set with fewer tasks no plan is known", find(js.Subset([]model.JobID{0}), model.Unknown, nil), "", model.Unknown, 5},
	} {
		step.q.Key = step.key
		a, err := e.Ask(t.Context(), step.q)
		if err != nil || a.Status != step.status || found != step.found {
			t.Errorf("%s: %s after looking %d times, %v; want %s after %d", step.what, a.Status, found, err, step.status, step.found)
		}
		if a.Status == model.Feasible && check.Schedule(step.q.Set, a.Plan, false).Err() != nil {
			t.Errorf("%s: the plan is none of the set", step.what)
		}
	}
	q := find(js, model.Unknown, nil)
	q.Holds = func(model.Schedule) bool { return false }
	if a, err := e.Ask(t.Context(), q); err != nil || a.Status != model.Unknown {
		t.Errorf("a plan that is no answer: %s, %v", a.Status, err)
	}
	lost, err := change.Lose(grown, model.SlaveID(len(grown.Slaves)-1), 0)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := e.Ask(t.Context(), find(lost, model.Unknown, nil)); err != nil || a.Status != model.Feasible {
		t.Errorf("without an idle slave: %s, %v", a.Status, err)
	}
}

// Of the plans the newest are kept, and the first.
func TestEngineForgets(t *testing.T) {
	js := soft(gen.Small(1, 20))
	var e Engine
	if e.Newest(js) != nil {
		t.Error("a plan of nothing")
	}
	for n := range model.Time(2 * mostPlans) {
		plan := listed(t, js)
		plan[0].Start += n
		e.Keep(js, plan)
	}
	if len(e.plans) != mostPlans {
		t.Fatalf("%d plans", len(e.plans))
	}
	first := e.plans[0].plan[0].Start
	for k := range e.plans[1:] {
		if got := e.plans[1+k].plan[0].Start; got != first+model.Time(mostPlans+1+k) {
			t.Errorf("plan %d is the one of turn %d", 1+k, got-first)
		}
	}
	if got := e.Newest(js)[0].Start; got != first+2*mostPlans-1 {
		t.Errorf("the newest is that of turn %d", got-first)
	}
}

// After the limit only small sets are looked at; rounds take four times as much each.
func TestLimits(t *testing.T) {
	done, stop := context.WithCancel(t.Context())
	stop()
	small, large := gen.Small(1, 20), gen.Scale(5000, 1)
	if TooLate(done, small) || !TooLate(done, large) || TooLate(t.Context(), large) {
		t.Error("what is too late is not told by the limit and the size")
	}
	var e Engine
	asked := false
	q := Question{Set: large, Find: func() (Answer, error) { asked = true; return Answer{}, nil }}
	if a, err := e.Ask(done, &q); err != nil || a.Status != model.Unknown || asked {
		t.Errorf("%s, %v; asked: %t", a.Status, err, asked)
	}
	if Round(2).Work(99) != 16*Round(0).Work(99) || Round(3).Time(OneOfMany) != 64*50*time.Millisecond {
		t.Error("rounds do not take four times as much each")
	}
}
