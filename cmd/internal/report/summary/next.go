package summary

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// Next is what goes on from a time on, and up to another.
type Next struct {
	Now, Until model.Time
	// Running were begun before Now and have not ended by then, Starts are begun in
	// [Now, Until), and Ends end in (Now, Until]; each in the order of these times.
	Running, Starts, Ends []TaskRow
	// Comes are handed out or begun in [Now, Until), in the order of their starts.
	Comes []TaskRow
	// JobsDone counts the jobs whose last task is among Ends.
	JobsDone int
}

// TaskRow is a task, or tasks of a stage that go on together on a slave.
type TaskRow struct {
	Attempt
	// Tasks are ascending.
	Tasks []model.TaskID
	// EndsJob tells that no task of the job ends later.
	EndsJob bool
}

// Next looks at what goes on from now until then, on the slaves that pick picks.
func (s *Summary) Next(now, until model.Time, pick func(model.SlaveID) bool) *Next {
	n := &Next{Now: now, Until: until}
	done := map[model.JobID]bool{}
	var running, starts, comes, ends []Attempt
	for _, a := range s.Attempts {
		if a.Lost || !pick(a.Slave) {
			continue
		}
		if a.Start < now && a.Finish > now {
			running = append(running, a)
		}
		if now <= a.Start && a.Start < until {
			starts = append(starts, a)
		}
		if now <= a.Start && a.Start < until || now <= a.Assigned && a.Assigned < until {
			comes = append(comes, a)
		}
		if now < a.Finish && a.Finish <= until {
			ends = append(ends, a)
			if job := s.JS.Tasks[a.Task].Job; a.Finish == s.Jobs[job].Finish {
				done[job] = true
			}
		}
	}
	n.JobsDone = len(done)
	begun := func(a Attempt) model.Time { return a.Start }
	ended := func(a Attempt) model.Time { return a.Finish }
	n.Running, n.Starts, n.Comes, n.Ends = s.taskRows(running, begun), s.taskRows(starts, begun), s.taskRows(comes, begun), s.taskRows(ends, ended)
	return n
}

// taskRows puts tasks that go on together in a row, in the order of a time.
func (s *Summary) taskRows(of []Attempt, at func(Attempt) model.Time) []TaskRow {
	slices.SortFunc(of, func(a, b Attempt) int {
		return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.Slave, b.Slave), cmp.Compare(s.JS.StageOf(&s.JS.Tasks[a.Task]), s.JS.StageOf(&s.JS.Tasks[b.Task])),
			cmp.Compare(a.Assigned, b.Assigned), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Finish, b.Finish), cmp.Compare(a.Task, b.Task))
	})
	var rows []TaskRow
	for _, a := range of {
		if k := len(rows) - 1; k >= 0 && s.together(&rows[k].Attempt, &a) {
			rows[k].Tasks = append(rows[k].Tasks, a.Task)
			continue
		}
		rows = append(rows, TaskRow{Attempt: a, Tasks: []model.TaskID{a.Task}, EndsJob: a.Finish == s.Jobs[s.JS.Tasks[a.Task].Job].Finish})
	}
	return rows
}

// together reports whether two tasks are of one stage, on one slave and at the same times.
func (s *Summary) together(a, b *Attempt) bool {
	return a.Slave == b.Slave && a.Assigned == b.Assigned && a.Start == b.Start && a.Finish == b.Finish &&
		s.JS.StageOf(&s.JS.Tasks[a.Task]) == s.JS.StageOf(&s.JS.Tasks[b.Task])
}

// RowName names the tasks of a row: job/stage/number, or job/stage ×n.
func (s *Summary) RowName(row *TaskRow) string {
	if len(row.Tasks) == 1 {
		return s.JS.TaskName(row.Task)
	}
	task := &s.JS.Tasks[row.Task]
	job := &s.JS.Jobs[task.Job]
	return fmt.Sprintf("%s/%s ×%d", job.Name, job.Stages[task.Stage].Name, len(row.Tasks))
}
