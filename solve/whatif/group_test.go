package whatif

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
)

// crowd has jobs of two hours each, all due after three, on one core.
func crowd(t *testing.T, jobs int) *model.JobSet {
	t.Helper()
	var b strings.Builder
	b.WriteString("version: 1\ncluster: {heartbeat: 1, slaves: [{name: node}]}\njobs:\n")
	for i := range jobs {
		fmt.Fprintf(&b, "- {name: j%d, deadline: 180, hard: true, map: {tasks: 1, wcet: 120}}\n", i)
	}
	js, err := jobfile.Load("crowd", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// counts answers by what one core can do: one hard job is in time, or any jobs of which the others are due much later.
func counts(asked *int) func(context.Context, *model.JobSet) (model.Status, model.Schedule, error) {
	return func(_ context.Context, js *model.JobSet) (model.Status, model.Schedule, error) {
		*asked++
		pressed := 0
		for i := range js.Jobs {
			if js.Jobs[i].Kind == model.Hard && js.Jobs[i].Deadline < 240 {
				pressed++
			}
		}
		if pressed > len(js.Slaves) {
			return model.Infeasible, nil, nil
		}
		return model.Unknown, nil, nil
	}
}

// Of a hundred jobs of which all but one have to go, changes to single ones are refuted many at a time.
func TestVainTogether(t *testing.T) {
	js, asked := crowd(t, 100), 0
	all := make([]model.JobID, len(js.Jobs))
	for i := range all {
		all[i] = model.JobID(i)
	}
	out, err := FindRepairs(t.Context(), js, &RepairOptions{Conflicts: [][]model.JobID{all}, Plan: counts(&asked)})
	if err != nil {
		t.Fatal(err)
	}
	vain := 0
	for _, v := range out.Vain {
		if v.Change.Kind == change.Deadline || v.Change.Kind == change.Soften {
			vain++
		}
	}
	if vain != 200 {
		t.Errorf("%d changes to single jobs were refuted, of 200", vain)
	}
	if asked > 30 {
		t.Errorf("%d questions were asked", asked)
	}
}

// A deadline is not said to be perhaps enough that is before a job can finish by itself.
func TestDeadlinesAloneRefutes(t *testing.T) {
	js := crowd(t, 1)
	js.Jobs[0].Deadline = 101
	plan := func(_ context.Context, js *model.JobSet) (model.Status, model.Schedule, error) {
		if js.Jobs[0].Kind == model.Hard && js.Jobs[0].Due() < 200 {
			return model.Unknown, nil, nil
		}
		return model.Feasible, listed(t, js), nil
	}
	for _, alone := range [][]LateAlone{nil, {{Job: 0, Earliest: 120}}} {
		out, err := FindRepairs(t.Context(), js, &RepairOptions{Conflicts: [][]model.JobID{{0}}, Alone: alone, Plan: plan})
		if err != nil {
			t.Fatal(err)
		}
		want := model.Time(102)
		if alone != nil {
			want = 120
		}
		seen := false
		for _, r := range out.Single {
			if r.Changes[0].Kind == change.Deadline {
				seen = true
				if r.AtLeast[0].At != want {
					t.Errorf("late alone %v: a deadline of %d may do, not %d", alone, r.AtLeast[0].At, want)
				}
			}
		}
		if !seen {
			t.Error("no later deadline")
		}
	}
}
