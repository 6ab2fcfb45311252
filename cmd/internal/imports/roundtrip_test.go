package imports

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"downbeat/cmd/internal/export"
	"downbeat/cmd/internal/report/summary"
	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/planfile"
	"downbeat/model/gen"
)

// said is what a table of a plan says of a job set: jobs with their stages, what these come
// after, and what every task takes where it ran.
func said(js *model.JobSet, exec func(model.TaskID) (slave string, run, fetch model.Time)) []string {
	var out []string
	for i := range js.Jobs {
		j := &js.Jobs[i]
		var after []string
		for _, k := range j.After {
			after = append(after, js.Jobs[k].Name)
		}
		slices.Sort(after)
		out = append(out, fmt.Sprint(j.Name, " ", j.Release, " ", j.Deadline, " ", j.Kind, " ", j.Weight, " ", after))
		for k := range j.Stages {
			st := &j.Stages[k]
			var before, tasks []string
			for _, b := range st.After {
				before = append(before, j.Stages[b].Name)
			}
			slices.Sort(before)
			for t := st.First; t < st.End; t++ {
				_, run, fetch := exec(t)
				tasks = append(tasks, fmt.Sprint(run, "+", fetch))
			}
			slices.Sort(tasks)
			out = append(out, fmt.Sprint(j.Name, "/", st.Name, " ", before, tasks))
		}
	}
	slices.Sort(out)
	return out
}

// A plan's table becomes the job set of the plan, as far as a table can say it.
func TestPlansComeBack(t *testing.T) {
	for seed := range testkit.Sets[uint64](40, 1000) {
		js := gen.TodaySmall(seed, 12)
		unit := js.TimeUnit
		if unit == 0 {
			unit = time.Second
		}
		schedule := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		base := model.Never // a trace begins with its first job
		for i := range js.Jobs {
			base = min(base, js.Jobs[i].Release)
		}
		want := said(js, func(id model.TaskID) (string, model.Time, model.Time) {
			p := schedule[id]
			return js.Slaves[p.Slave].Name, js.Tasks[id].WCET(p.Slave), js.Tasks[id].Transfer(p.Slave)
		})
		var table bytes.Buffer
		if err := export.Table(&table, summary.Summarize(js, schedule)); err != nil {
			t.Fatal(err)
		}
		r := DefaultRules()
		r.WCET.name, r.Tick, r.Network = "own", unit, 0
		result, again, err := imported(t, "csv", Keep{}, r, file(t, "plan.csv", table.String()))
		if err != nil || len(result.Notes) > 0 {
			t.Fatalf("seed %d: %v, notes %v\n%s", seed, err, result, table.String())
		}
		if js.Origin.IsZero() == again.Origin.IsZero() && !again.Origin.IsZero() {
			base = model.Time(again.Origin.Sub(js.Origin) / unit)
		}
		for i := range again.Jobs {
			again.Jobs[i].Release += base
		}
		got := said(again, func(id model.TaskID) (string, model.Time, model.Time) {
			s := model.SlaveID(0)
			for !again.Tasks[id].Eligible(s) {
				s++
			}
			return "", again.Tasks[id].WCET(s), again.Tasks[id].Transfer(s)
		})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n got %q\nwant %q\n%s", seed, got, want, table.String())
		}
		for i := range again.Slaves {
			if !slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return s.Name == again.Slaves[i].Name && s.Cores >= again.Slaves[i].Cores }) {
				t.Errorf("seed %d: slave %v", seed, again.Slaves[i])
			}
		}
	}
}

// So does a plan in CSV as plan writes it, but for what it says nothing of: deadlines, what
// comes after what, and how much of the time before a start was spent fetching.
func TestPlanFilesComeBack(t *testing.T) {
	js := gen.Small(3, 10)
	schedule := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
	plan := model.NewPlan(js)
	plan.FillTasks(js, schedule)
	var table bytes.Buffer
	if err := planfile.Write(&table, plan, planfile.CSV); err != nil {
		t.Fatal(err)
	}
	r := DefaultRules()
	r.WCET.name = "own"
	_, again, err := imported(t, "csv", Keep{}, r, file(t, "plan.csv", table.String()))
	if err != nil || len(again.Jobs) != len(js.Jobs) || len(again.Tasks) != len(js.Tasks) {
		t.Fatalf("%v: %d jobs, %d tasks; want %d and %d", err, len(again.Jobs), len(again.Tasks), len(js.Jobs), len(js.Tasks))
	}
}
