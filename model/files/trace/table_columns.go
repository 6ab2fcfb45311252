package trace

import (
	"slices"
	"strings"

	"downbeat/model/near"
)

// tableColumn is a column that tables can have.
type tableColumn struct {
	// Name is its heading, Synonyms are others that stand for it.
	Name     string
	Synonyms []string
	// Help says what it holds, and Example what a cell may look like.
	Help, Example string

	form form // of its cells
}

// The columns of tables, in the order in which people read them; those of plans, which are read too, need no help.
var tableColumns = []tableColumn{
	{"job", []string{"dag_id", "dag", "name", "job_name", "jobname"}, "name of the job; several lines of it are its stages, or groups of a stage's tasks", "etl", naming},
	{"stage", []string{"task_id", "step"}, "name of the stage; without one the job has a single stage. Stages come one after the other unless after says otherwise", "extract", anyText},
	{"tasks", []string{"completions", "count", "instances"}, "number of equal tasks, 1 where it is empty", "10", counting},
	{"minutes", []string{"mins", "duration_minutes"}, "how long a task takes. In place of minutes: seconds, hours, or duration with cells such as 90s, 1h30m or 00:12:30 (a bare number is in seconds), or start and end", "12.5", tableNumber},
	{"seconds", []string{"secs", "runtime", "run_time", "elapsed", "duration_seconds"}, "", "", tableNumber},
	{"hours", nil, "", "", tableNumber},
	{"duration", nil, "", "", lasting},
	{"start", []string{"start_date", "start_time", "starttime", "started", "started_at"}, "", "", moment},
	{"end", []string{"end_date", "end_time", "endtime", "finish", "finished", "finished_at", "completion_time", "completiontime"}, "", "", moment},
	{"fetch", nil, "how long it takes to get a task's input, written as duration is", "30s", lasting},
	{"cores", []string{"cpu", "cpus", "vcores", "parallelism_cores"}, "cores of a task, 1 where it is empty", "2", tableNumber},
	{"memory", []string{"mem", "ram", "memory_mb"}, "memory of a task: 512M, 2G; a bare number is in MB", "2G", amount},
	{"slot", nil, "map or reduce, for clusters that have slots of both kinds", "map", slotKind},
	{"after", []string{"upstream", "upstream_task_ids", "depends_on", "dependencies", "deps", "requires"}, "stages of the job, or other jobs, that have to be done before, with ; between; - for none", "extract", anyText},
	{"release", []string{"submit", "submitted", "submit_time", "scheduled", "scheduled_time", "not_before"}, "when the job may begin: 22:30, 2026-11-21 22:30, or 30m for that long after the start; without it the first start of its tasks, if the table has such, else the start of the table", "22:30", moment},
	{"deadline", []string{"sla", "within"}, "by when it has to be done, from its release on: 2h", "2h", lasting},
	{"due", []string{"due_by", "due_time", "until"}, "the same as a point in time: 06:00", "", moment},
	{"hard", []string{"must", "critical"}, "yes where the deadline must be met", "yes", answer},
	{"weight", []string{"priority_weight"}, "how much being late matters, 1 where it is empty", "1", counting},
	{"slaves", []string{"nodes", "allowed"}, "slaves that its tasks may run on, with ; between; empty for all", "", anyText},
	{"slave", []string{"host", "hostname", "node", "worker", "machine"}, "where the task ran", "", anyText},
	{"run", []string{"run_id", "dag_run", "dag_run_id", "execution_date", "logical_date"}, "tells runs of the job apart: the times of all of them count", "", anyText},
	{"state", []string{"status", "outcome", "result"}, "lines of tasks that did not succeed are left out", "", anyText},
	{"task", []string{"index"}, "", "", anyText},
	{"fetch_start", nil, "", "", anyText},
	{"fetch_end", nil, "", "", anyText},
	{"after_jobs", nil, "", "", anyText},
}

// passedOver are columns that say nothing of the job set: those of plans, and Airflow's
// tableNumber of a task within its stage.
var passedOver = append([]string{"map_index"}, planned...)

// planned are the columns that all tables of plans have, and no others.
var planned = []string{"beat", "assigned", "assigned_clock"}

// clockSuffix is the end of the name of a column that has the clock times of another.
const clockSuffix = "_clock"

// TableHeading is the name of the column with that heading, in any spelling; where there is none
// ok is false and the name is the heading in small letters, with _ between its words.
func TableHeading(heading string) (name string, ok bool) {
	name = strings.ToLower(strings.TrimSpace(heading))
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_")
	base, clocked := strings.CutSuffix(name, clockSuffix)
	for _, c := range tableColumns {
		switch {
		case c.Name == name || slices.Contains(c.Synonyms, name):
			return c.Name, true
		case clocked && (c.Name == base || slices.Contains(c.Synonyms, base)):
			return c.Name + clockSuffix, true
		}
	}
	return name, false
}

// meant is the heading that an unknown one is near to.
func meant(heading string) string {
	var known []string
	for _, c := range tableColumns {
		known = append(known, c.Name)
	}
	return near.Word(heading, known)
}

// TableHeader is the line that a table for people begins with, and an example below it.
func TableHeader() [][]string {
	lines := make([][]string, 2)
	for _, c := range tableColumns {
		if c.Example != "" {
			lines[0] = append(lines[0], c.Name)
			lines[1] = append(lines[1], c.Example)
		}
	}
	return lines
}

// IsTableHeader reports whether a line looks like the headings of a table: most are known, and job
// is among them.
func IsTableHeader(line string) bool {
	if strings.ContainsAny(line, "{[") || len(line) > 10_000 {
		return false
	}
	cells := strings.Split(strings.TrimSpace(line), string(separatorOf(line)))
	known, job := 0, false
	for _, cell := range cells {
		name, ok := TableHeading(strings.Trim(cell, `" `))
		if ok || slices.Contains(passedOver, name) {
			known++
		}
		job = job || name == "job"
	}
	return job && len(cells) > 1 && known*2 >= len(cells)
}
