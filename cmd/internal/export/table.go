package export

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/model"
)

// The columns of a table of tasks, for spreadsheets. Points in time, which are in ticks,
// have their clock time in a column after them, named so with _clock, where there is an
// origin. All that a job set says of a job stands in each of its lines.
var (
	placeColumns = []string{"job", "stage", "task", "slave"}
	timeColumns  = []string{"assigned", "fetch_start", "fetch_end", "start", "end", "release", "due"}
	jobColumns   = []string{"cores", "slot", "hard", "weight", "after", "after_jobs", "outcome"}
	// sharedColumns are what a task takes of pools, and the gang that it starts with, of sets that have
	// such. Tables that are read may have columns of one's own that begin so.
	sharedColumns = []string{"x_pools", "x_gang"}
)

// Table writes a line for each task in CSV, by slave and time.
func Table(w io.Writer, s *summary.Summary) error {
	out := &tableWriter{Writer: csv.NewWriter(w), s: s, clocked: s.Clock.Stamp(0) != "", shared: len(s.JS.Pools) > 0 || s.JS.Gangs()}
	out.header()
	for i := range s.Attempts {
		out.attempt(&s.Attempts[i])
	}
	out.Flush()
	return out.Error()
}

// tableWriter writes a task a line. A csv.Writer keeps its first error.
type tableWriter struct {
	*csv.Writer
	s       *summary.Summary
	clocked bool
	shared  bool // there are pools, or gangs
}

func (o *tableWriter) header() {
	header := append([]string{}, placeColumns...)
	for _, c := range timeColumns {
		header = append(header, c)
		if o.clocked {
			header = append(header, c+"_clock")
		}
	}
	header = append(header, jobColumns...)
	if o.shared {
		header = append(header, sharedColumns...)
	}
	o.Write(header)
}

func (o *tableWriter) attempt(a *summary.Attempt) {
	js := o.s.JS
	task := &js.Tasks[a.Task]
	job := &js.Jobs[task.Job]
	stage := &job.Stages[task.Stage]
	record := []string{job.Name, stage.Name, strconv.Itoa(int(task.Number)), js.Slaves[a.Slave].Name}
	for _, t := range [...]model.Time{a.Assigned, a.Fetch, a.Fetched, a.Start, a.Finish, job.Release, job.Due()} {
		record = append(record, o.point(t)...)
	}
	stages, jobs := []string{}, []string{}
	for _, k := range stage.After {
		stages = append(stages, job.Stages[k].Name)
	}
	for _, k := range job.After {
		jobs = append(jobs, js.Jobs[k].Name)
	}
	if len(stages) == 0 {
		stages = []string{"-"} // what is empty might be taken for the stage before
	}
	outcome := "done"
	if a.Lost {
		outcome = "lost"
	}
	record = append(record, strconv.FormatInt(task.Cores(), 10), task.Slot.String(), strconv.FormatBool(job.Kind == model.Hard), strconv.FormatInt(job.Weight, 10),
		strings.Join(stages, ";"), strings.Join(jobs, ";"), outcome)
	if o.shared {
		record = append(record, takes(js, a.Task), gang(js, a.Task))
	}
	o.Write(record)
}

// takes is what a task takes of pools: db=1;licence=2.
func takes(js *model.JobSet, t model.TaskID) string {
	var out []string
	for _, take := range js.Takes(t) {
		if pool := js.Shared()[take.Shared].Pool; pool >= 0 {
			out = append(out, js.Pools[pool].Name+"="+strconv.FormatInt(take.Units, 10))
		}
	}
	return strings.Join(out, ";")
}

// gang is the stage whose tasks a task starts with: job/stage, empty where it starts by itself.
func gang(js *model.JobSet, t model.TaskID) string {
	st, gang := js.GangOf(t)
	if !gang {
		return ""
	}
	return js.Jobs[js.Tasks[t].Job].Name + "/" + st.Name
}

// point is a point in time and its clock time; empty where there is none.
func (o *tableWriter) point(t model.Time) []string {
	cells := []string{"", ""}
	if t < model.Never {
		cells = []string{strconv.FormatInt(int64(t), 10), o.s.Clock.Stamp(t)}
	}
	if !o.clocked {
		cells = cells[:1]
	}
	return cells
}
