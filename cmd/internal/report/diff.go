package report

import (
	"bytes"
	"fmt"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/compare"
)

// DiffLine says in a line how two plans differ.
func DiffLine(js *model.JobSet, d *compare.Diff) string {
	if len(d.Tasks) == 0 {
		return "the same plan (" + wording.Count(len(js.Tasks), "task") + ")"
	}
	var parts []string
	for _, k := range []struct {
		kind compare.Kind
		text string
	}{
		{compare.Moved, "on another machine"}, {compare.Later, "later"}, {compare.Earlier, "earlier"},
		{compare.Added, "added"}, {compare.Removed, "left out"},
	} {
		if n := d.Counts[k.kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k.text))
		}
	}
	return fmt.Sprintf("%d of %s differ: %s", len(d.Tasks), wording.Count(len(js.Tasks), "task"), strings.Join(parts, ", "))
}

// mostDiffering bounds the tasks that are listed; JSON has them all.
const mostDiffering = 200

// Diff prints values, jobs and tasks that differ.
func (v *textView) Diff(js *model.JobSet, d *compare.Diff) error {
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

func (v *textView) diffValues(b *bytes.Buffer, js *model.JobSet, d *compare.Diff) {
	v.page.Title(b, "Values")
	text := func(name string, value *int64) string {
		if value == nil {
			return "-"
		}
		return wording.ClockOf(js).Value(name, *value)
	}
	t := table.Table{Align: "<>>"}
	t.Add(table.Head("objective"), table.Head("before"), table.Head("after"))
	for _, o := range d.Values {
		t.Add(o.Name, text(o.Name, o.Before), text(o.Name, o.After))
	}
	t.Write(b, v.page)
}

func (v *textView) diffJobs(b *bytes.Buffer, js *model.JobSet, d *compare.Diff) {
	v.page.Title(b, "Jobs")
	clock := wording.ClockOf(js)
	point := func(t model.Time) string {
		if t == 0 {
			return "-"
		}
		return clock.Point(t)
	}
	t := table.Table{Align: "<>>><>"}
	t.Add(table.Head("job"), table.Head("deadline"), table.Head("before"), table.Head("after"), table.Head("change"), table.Head("tasks"))
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
	case before == 0 || after == 0 || before == after:
		return ""
	case after > before:
		return clock.Span(after-before) + " later"
	default:
		return clock.Span(before-after) + " earlier"
	}
}

func (v *textView) diffTasks(b *bytes.Buffer, js *model.JobSet, d *compare.Diff) {
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
	Same    int         `json:"same"`
	Moved   int         `json:"moved"`
	Later   int         `json:"later"`
	Earlier int         `json:"earlier"`
	Added   int         `json:"added"`
	Removed int         `json:"removed"`
	Values  []diffValue `json:"values"`
	Jobs    []diffJob   `json:"jobs"`
	Tasks   []diffTask  `json:"tasks"`
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
func (v *jsonView) Diff(js *model.JobSet, d *compare.Diff) error {
	answer := diffJSON{
		aboutJSON: newAboutJSON(js), Same: d.Counts[compare.Same], Moved: d.Counts[compare.Moved],
		Later: d.Counts[compare.Later], Earlier: d.Counts[compare.Earlier], Added: d.Counts[compare.Added], Removed: d.Counts[compare.Removed],
		Values: []diffValue{}, Jobs: []diffJob{}, Tasks: []diffTask{},
	}
	for _, o := range d.Values {
		answer.Values = append(answer.Values, diffValue(o))
	}
	for _, j := range d.Jobs {
		answer.Jobs = append(answer.Jobs, diffJob{js.Jobs[j.ID].Name, j.Before, j.After, j.Tasks})
	}
	for _, t := range d.Tasks {
		answer.Tasks = append(answer.Tasks, diffTask{js.TaskName(t.ID), string(t.Kind), t.Before, t.After})
	}
	return v.write(answer)
}
