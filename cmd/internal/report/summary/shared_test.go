package summary

import (
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// coupled is a random set with pools, caps and gangs, and a plan for it; nil where lists find none.
func coupled(seed uint64) (*model.JobSet, model.Schedule) {
	js := gen.Coupled(gen.TodayTiny(seed), seed, false)
	plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	if plan == nil || !plan.Complete() {
		return js, nil
	}
	return js, plan
}

// What a plan holds of pools and caps is what is counted tick by tick from its tasks, in sum, at most, and
// over time; of two plans in one it is that of each.
func TestSharedCountedTickByTick(t *testing.T) {
	lines, changing := 0, 0
	for seed := range testkit.Tiny(t, 150, 400) {
		js, plan := coupled(seed)
		if plan == nil {
			continue
		}
		p := model.NewPlan(js)
		p.FillTasks(js, plan)
		one := Summarize(js, plan)
		two := SummarizeDiff(js, p, p, model.ComparePlans(js, p, p))
		if len(one.Shared) != len(js.Shared()) || len(two.Shared) != 2*len(one.Shared) {
			t.Fatalf("seed %d: %d and %d lines of %d limits", seed, len(one.Shared), len(two.Shared), len(js.Shared()))
		}
		for id := range js.Shared() {
			line := &one.Shared[id]
			lines++
			if len(line.Levels) > 1 {
				changing++
			}
			held, there, most := int64(0), int64(0), int64(0)
			for now := range one.End {
				at := heldAt(js, plan, model.SharedID(id), now)
				if got := amountAt(line.Steps, now); got != at {
					t.Fatalf("seed %d: %d of %s held at %d, not %d", seed, got, line.Name, now, at)
				}
				held, there, most = held+at, there+js.Shared()[id].At(now), max(most, at)
			}
			for _, l := range []*SharedLine{line, &two.Shared[2*id], &two.Shared[2*id+1]} {
				if l.Held != held || l.There != there || l.Peak != most {
					t.Errorf("seed %d: %s has held %d of %d, %d at most; it is %d of %d, %d", seed, l.Name, l.Held, l.There, l.Peak, held, there, most)
				}
			}
			if most > line.Most(one.End) {
				t.Errorf("seed %d: %d of %s are held, and there are %s", seed, most, line.Name, line.Amount(one.End))
			}
		}
	}
	if t.Logf("%d limits, of which %d change", lines, changing); lines == 0 || changing == 0 {
		t.Error("too few")
	}
}

// heldAt is what tasks of a plan hold of a limit at a time.
func heldAt(js *model.JobSet, plan model.Schedule, id model.SharedID, now model.Time) int64 {
	sum := int64(0)
	for k, p := range plan {
		for _, take := range js.Takes(model.TaskID(k)) {
			if take.Shared == id && js.Assigned(p) <= now && now < js.Finish(model.TaskID(k), p) {
				sum += int64(take.Units)
			}
		}
	}
	return sum
}

// amountAt is the last of the amounts that has begun by a time, 0 before the first.
func amountAt(levels []model.Level, now model.Time) int64 {
	amount := int64(0)
	for _, l := range levels {
		if l.From <= now {
			amount = l.Amount
		}
	}
	return amount
}

// Each gang of a plan starts once, with all of its tasks.
func TestGangStarts(t *testing.T) {
	gangs := 0
	for seed := range testkit.Tiny(t, 150, 400) {
		js, plan := coupled(seed)
		if plan == nil {
			continue
		}
		want := 0
		for i := range js.Jobs {
			for k := range js.Jobs[i].Stages {
				if js.Jobs[i].Stages[k].IsGang() {
					want++
				}
			}
		}
		s := Summarize(js, plan)
		starts := s.GangStarts()
		if len(starts) != want {
			t.Errorf("seed %d: %d starts of %d gangs", seed, len(starts), want)
		}
		for _, g := range starts {
			st := &js.Jobs[g.Job].Stages[g.Stage]
			if len(g.Attempts) != int(st.End-st.First) {
				t.Errorf("seed %d: %d of %d tasks of %s start together", seed, len(g.Attempts), st.End-st.First, g.Name(js))
			}
			for _, i := range g.Attempts {
				if a := &s.Attempts[i]; a.Start != g.Start || a.Task < st.First || a.Task >= st.End {
					t.Errorf("seed %d: %s of %s starts at %d", seed, js.TaskName(a.Task), g.Name(js), a.Start)
				}
			}
			gangs++
		}
	}
	if gangs == 0 {
		t.Error("no gangs")
	}
}
