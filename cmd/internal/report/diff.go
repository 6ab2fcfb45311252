package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// DiffLine says in a line how two plans differ: 2 jobs later, 1 earlier, 5 tasks moved,
// misses 1 → 1.
func DiffLine(js *model.JobSet, d *model.PlanDiff) string {
	if len(d.Tasks) == 0 {
		return "the same plan (" + wording.Count(len(js.Tasks), "task") + ")"
	}
	var parts []string
	noun := func(n int, what, noun string) {
		switch {
		case n > 0 && noun != "":
			parts = append(parts, wording.Count(n, noun)+" "+what)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	later, earlier := jobShifts(d)
	noun(later, "later", "job")
	noun(earlier, "earlier", map[bool]string{true: "job"}[later == 0])
	noun(d.Counts[model.DiffMoved], "moved", "task")
	noun(d.Counts[model.DiffLater]+d.Counts[model.DiffEarlier], "at another time", map[bool]string{true: "task"}[d.Counts[model.DiffMoved] == 0])
	noun(d.Counts[model.DiffAdded], "added", "task")
	noun(d.Counts[model.DiffRemoved], "left out", "task")
	for _, v := range d.Values {
		if v.Objective == model.HardMisses && zero(v.Before) && zero(v.After) {
			continue // hard deadlines are met, as they are to be
		}
		parts = append(parts, fmt.Sprintf("%s %s → %s", v.Objective, valueText(js, v.Objective, v.Before), valueText(js, v.Objective, v.After)))
	}
	return strings.Join(parts, ", ")
}

// zero reports whether a value is known and 0.
func zero(v *int64) bool { return v != nil && *v == 0 }

// jobShifts counts the jobs that end later, and earlier.
func jobShifts(d *model.PlanDiff) (later, earlier int) {
	for _, j := range d.Jobs {
		switch {
		case j.Before == 0 || j.After == 0:
		case j.After > j.Before:
			later++
		case j.After < j.Before:
			earlier++
		}
	}
	return later, earlier
}

// valueText is the value of an objective; - where it has none.
func valueText(js *model.JobSet, o model.Objective, v *int64) string {
	if v == nil {
		return "-"
	}
	return wording.ClockOf(js).Value(o.String(), *v)
}

// mostDiffering bounds the tasks that are listed; JSON has them all.
const mostDiffering = 200

// Diff prints values, jobs and tasks that differ.
func (v *textView) Diff(js *model.JobSet, d *model.PlanDiff) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, DiffLine(js, d))
	fmt.Fprintln(&b, wording.SetLine(js))
	v.diffValues(&b, js, d)
	if len(d.Tasks) > 0 {
		v.diffJobs(&b, js, d)
		v.diffTasks(&b, js, d)
	}
	return v.flush(&b)
}

func (v *textView) diffValues(b *bytes.Buffer, js *model.JobSet, d *model.PlanDiff) {
	v.page.Title(b, "Values")
	t := table.Table{Align: "<>>"}
	t.Add(table.Head("objective"), table.Head("before"), table.Head("after"))
	values := slices.Clone(d.Values)
	if k := slices.IndexFunc(values, func(o model.ValueDiff) bool { return o.Objective == model.HardMisses }); k > 0 {
		hard := values[k] // what is hard stands first
		values = slices.Insert(slices.Delete(values, k, k+1), 0, hard)
	}
	for _, o := range values {
		t.Add(o.Objective.String(), valueText(js, o.Objective, o.Before), valueText(js, o.Objective, o.After))
	}
	t.Write(b, v.page)
}

func (v *textView) diffJobs(b *bytes.Buffer, js *model.JobSet, d *model.PlanDiff) {
	v.page.Title(b, "Jobs")
	clock := wording.ClockOf(js)
	point := func(t model.Time) string {
		if t == 0 {
			return "-"
		}
		return clock.Point(t)
	}
	t := table.Table{Align: "<>>><>"}
	t.Add(table.Head("job"), table.Head("deadline"), table.Head("before"), table.Head("after"), table.Head("change"), table.Head("tasks changed"))
	for _, j := range d.Jobs {
		job, due := &js.Jobs[j.ID], "-"
		if job.Kind != model.BestEffort {
			due = clock.Point(job.Due())
		}
		st := table.Plain
		if j.After > 0 && job.Late(j.After) > job.Late(j.Before) {
			st = table.Bad
		}
		t.Add(table.Bold.Cell(job.Name), due, point(j.Before), st.Cell(point(j.After)), shiftText(clock, j.Before, j.After), j.Tasks)
	}
	t.Write(b, v.page)
}

// shiftText says by how much a time differs.
func shiftText(clock wording.Clock, before, after model.Time) string {
	switch {
	case before == 0 || after == 0:
		return ""
	case before == after:
		return "same finish"
	case after > before:
		return clock.Span(after-before) + " later"
	default:
		return clock.Span(before-after) + " earlier"
	}
}

func (v *textView) diffTasks(b *bytes.Buffer, js *model.JobSet, d *model.PlanDiff) {
	v.page.Title(b, "Tasks")
	clock := wording.ClockOf(js)
	t := table.Table{Align: "<<<<<"}
	t.Add(table.Head("task"), table.Head("machine"), table.Head("assigned"), table.Head("finish"), table.Head(""))
	for i, task := range d.Tasks {
		if i == mostDiffering {
			break
		}
		one := task.After
		if one == nil {
			one = task.Before
		}
		slave, assigned, finish, shift := one.Slave, clock.Point(one.Assigned), clock.Point(one.Finish), string(task.Kind)
		if task.Before != nil && task.After != nil {
			slave = arrow(task.Before.Slave, slave)
			assigned = arrow(clock.Point(task.Before.Assigned), assigned)
			finish = arrow(clock.Point(task.Before.Finish), finish)
			shift = shiftText(clock, task.Before.Finish, task.After.Finish)
		}
		t.Add(js.TaskName(task.ID), slave, assigned, finish, shift)
	}
	t.Write(b, v.page)
	if more := len(d.Tasks) - mostDiffering; more > 0 {
		fmt.Fprintf(b, "and %s more; --format json lists them\n", wording.Count(more, "task"))
	}
}

// arrow is both texts where they differ.
func arrow(before, after string) string {
	if before == after {
		return after
	}
	return before + " → " + after
}

type diffJSON struct {
	aboutJSON
	Same    int `json:"same"`
	Moved   int `json:"moved"`
	Later   int `json:"later"`
	Earlier int `json:"earlier"`
	Added   int `json:"added"`
	Removed int `json:"removed"`
	// JobsLater and JobsEarlier end later, and earlier.
	JobsLater   int         `json:"jobs_later"`
	JobsEarlier int         `json:"jobs_earlier"`
	Values      []diffValue `json:"values"`
	Jobs        []diffJob   `json:"jobs"`
	Tasks       []diffTask  `json:"tasks"`
}

type diffValue struct {
	Name   string `json:"name"`
	Before *int64 `json:"before"`
	After  *int64 `json:"after"`
}

type diffJob struct {
	Job    string     `json:"job"`
	Before model.Time `json:"before"`
	After  model.Time `json:"after"`
	Tasks  int        `json:"tasks"`
}

type diffTask struct {
	Task   string            `json:"task"`
	Kind   string            `json:"kind"`
	Before *model.TaskResult `json:"before"`
	After  *model.TaskResult `json:"after"`
}

// Diff prints what differs, all of it.
func (v *jsonView) Diff(js *model.JobSet, d *model.PlanDiff) error {
	later, earlier := jobShifts(d)
	answer := diffJSON{
		JobsLater: later, JobsEarlier: earlier,
		aboutJSON: newAboutJSON(js), Same: d.Counts[model.DiffSame], Moved: d.Counts[model.DiffMoved],
		Later: d.Counts[model.DiffLater], Earlier: d.Counts[model.DiffEarlier], Added: d.Counts[model.DiffAdded], Removed: d.Counts[model.DiffRemoved],
		Values: []diffValue{}, Jobs: []diffJob{}, Tasks: []diffTask{},
	}
	for _, o := range d.Values {
		answer.Values = append(answer.Values, diffValue{o.Objective.String(), o.Before, o.After})
	}
	for _, j := range d.Jobs {
		answer.Jobs = append(answer.Jobs, diffJob{js.Jobs[j.ID].Name, j.Before, j.After, j.Tasks})
	}
	for _, t := range d.Tasks {
		answer.Tasks = append(answer.Tasks, diffTask{js.TaskName(t.ID), string(t.Kind), t.Before, t.After})
	}
	return v.write(answer)
}
