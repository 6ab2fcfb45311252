package imports

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
)

// Result is a job set made of a trace.
type Result struct {
	Set *model.JobSet
	// Comments say what the set was made of, and by which rules.
	Comments jobfile.Comments
	// Notes are for people: what was left out, and what is odd.
	Notes []string
}

// Write writes the job set with its comments.
func (r *Result) Write(w io.Writer) error {
	return jobfile.WriteCommented(w, r.Set, r.Comments)
}

// result puts the set and what is said about it together.
func (m *maker) result(files int) *Result {
	out := &Result{Set: m.js, Notes: m.notes()}
	say := func(format string, args ...any) {
		out.Comments.Head = append(out.Comments.Head, fmt.Sprintf(format, args...))
	}
	say("Made by downbeat import %s, version %s, from %s.", m.kind.Name, version.String(), document.Plural(files, "file"))
	say("What the source does not say comes from rules, each of them a flag:")
	for _, rule := range m.rules() {
		say("  --%s", rule)
	}
	if m.kind.Name == "slurm" {
		for _, rule := range slurmRules {
			say("%s", rule)
		}
	}
	for _, k := range m.t.Unusable.Kinds {
		say("Left out: %s (%d); the first: %s", k.What, k.Count, k.First.String())
	}
	if n := m.t.Early + m.t.Late; n > 0 {
		say("Left out: %s outside the window.", document.Plural(n, "job"))
	}
	if m.t.Beyond > 0 {
		say("Left out: %s beyond the limit.", document.Plural(m.t.Beyond, "job"))
	}
	for _, k := range m.t.Remarks.Kinds {
		say("Note: %s (%d); the first: %s", k.What, k.Count, k.First.String())
	}
	if soft := m.softness(); soft != "" {
		say("Note: %s.", soft)
	}
	for i := range m.js.Jobs {
		out.Comments.Jobs = append(out.Comments.Jobs, m.about(i))
	}
	return out
}

// rules are the declared rules with what they come to.
func (m *maker) rules() []string {
	unit := clock.FormatDuration(m.js.TimeUnit)
	out := []string{
		fmt.Sprintf("wcet %s: %s.", m.WCET.name, m.WCET.sentence()),
		fmt.Sprintf("deadline %s: %s.", m.Deadline.name, m.Deadline.sentence(m.Hard, m.t.Deadlines)),
		"cluster " + m.made + ".",
		fmt.Sprintf("tick %s: times are rounded up to it, deadlines down.", unit),
	}
	if m.js.Durations() != nil {
		out = append(out, m.historyRule())
	}
	if m.Cluster.Of == nil {
		out = append(out, fmt.Sprintf("heartbeat %v: %s.", m.Heartbeat, document.Plural(int(m.js.Heartbeat), "tick")))
	}
	out = append(out, fmt.Sprintf("runs %s: %s.", m.Runs, map[string]string{
		EachRun:   "each run is a job; runs of one name are runs of one job, whose times are taken together",
		LastRun:   "of each name the last run is the job; the times of all its runs are taken together",
		ApartRuns: "each run is a job that has nothing to do with others of its name",
		NextRuns:  "runs that have not ended are jobs; those that have tell how long tasks of their name take",
	}[m.Runs]))
	switch {
	case m.AddRetries && slices.Contains([]string{"csv", "airflow", "dbt"}, m.kind.Name):
		out = append(out, "retries add: lines of attempts that failed are left out all the same, since the source does not say what they took.")
	case m.AddRetries:
		out = append(out, "retries add: a task takes the time of its failed attempts too.")
	default:
		out = append(out, "retries drop: failed attempts do not count.")
	}
	switch {
	case m.memory:
		out = append(out, fmt.Sprintf("memory-unit %s: what a container held, or where that is not told the most that a task of the stage used, in units of this.", memoryText(m.Memory)))
	case m.Memory > 0 && m.needsMemory():
		out = append(out, fmt.Sprintf("memory-unit %s: left out, since the cluster does not say what it has.", memoryText(m.Memory)))
	}
	if rule := m.weightRule(); rule != "" {
		out = append(out, rule)
	}
	if rule := m.poolRule(); rule != "" {
		out = append(out, rule)
	}
	if m.Network > 0 {
		out = append(out, fmt.Sprintf("network %g: MB a second at which a task's input goes to a machine that does not hold it.", m.Network))
	}
	if m.kind.Name == "kubernetes" {
		out = append(out, fmt.Sprintf("cpu-unit %v: a core of this set is so much cpu; requests are rounded up to it, what nodes and quotas have down.", m.CPUUnit))
	}
	if m.kind.Name == "swim" {
		out = append(out, fmt.Sprintf("swim %s: %s.", m.SWIM.String(), m.SWIM.sentence()))
	}
	return out
}

// weightRule says what jobs of each class of priority weigh; empty where none has a class.
func (m *maker) weightRule() string {
	count := map[string]int{}
	for _, p := range m.picked {
		if p.run.Class != "" {
			count[p.run.Class]++
		}
	}
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(count)) {
		n := document.Plural(count[class], "job")
		if w, given := m.Weights[class]; given {
			parts = append(parts, fmt.Sprintf("%s=%d (%s)", class, w, n))
		} else {
			parts = append(parts, fmt.Sprintf("%s (%s) has no weight by its class", class, n))
		}
	}
	if more := len(parts) - mostNamedPools; more > 0 {
		parts = append(parts[:mostNamedPools], fmt.Sprintf("and %d more", more))
	}
	if parts == nil {
		return ""
	}
	return "weight CLASS=N: " + strings.Join(parts, ", ") + "."
}

// slurmRules say what becomes of what only Slurm has; no flag changes them.
var slurmRules = []string{
	"Slurm's points in time are in the zone of its site, which --zone names.",
	"A job may begin when it was submitted, or became eligible if that is later and no job is known that it waits for.",
	"An array is a stage, its limit a cap; a job on several nodes is a gang with a task a node, each with its share of cores and memory; steps belong to their job.",
	"Partitions, and nodes named by jobs, bind where files describe the nodes; licences are pools; jobs that failed or were cancelled are left out; deadlines are hard.",
}

// about says what a job was made of.
func (m *maker) about(i int) string {
	run, s := m.picked[i].run, m.picked[i].seen
	var parts []string
	if run.ID != m.js.Jobs[i].Name {
		parts = append(parts, run.ID)
	}
	if !m.js.Origin.IsZero() {
		parts = append(parts, "released "+m.js.Origin.Add(time.Duration(m.js.Jobs[i].Release)*m.js.TimeUnit).Format("2006-01-02 15:04:05"))
	}
	tasks := document.Plural(s.tasks, "task")
	if s.least <= s.most { // else none is known to have run
		tasks += " of " + lengths(s.least, s.most)
	}
	parts = append(parts, tasks)
	if n := len(m.picked[i].group.runs); n > 1 {
		parts = append(parts, fmt.Sprintf("one of %d runs", n))
	}
	if s.failed > 0 {
		parts = append(parts, "failed attempts took "+span(s.failed))
	}
	return strings.Join(parts, ", ")
}

// lengths is a range of times.
func lengths(least, most int64) string {
	if least >= most {
		return span(most)
	}
	return span(least) + " to " + span(most)
}

func span(ms int64) string {
	return clock.FormatDuration(time.Duration(min(ms, 1<<40)) * time.Millisecond)
}

// notes are for people while the program runs.
func (m *maker) notes() []string {
	var out []string
	for _, k := range m.t.Unusable.Kinds {
		out = append(out, fmt.Sprintf("left out: %s (%d); the first: %s", k.What, k.Count, k.First.String()))
	}
	for _, k := range m.t.Remarks.Kinds {
		out = append(out, fmt.Sprintf("%s (%d); the first: %s", k.What, k.Count, k.First.String()))
	}
	if n := m.t.Early + m.t.Late; n > 0 {
		out = append(out, fmt.Sprintf("%s outside the window of --since and --window left out", document.Plural(n, "job")))
	}
	switch {
	case m.t.Beyond == 0:
	case !m.t.Limited():
		out = append(out, fmt.Sprintf("%s left out, with which there would be more than a million tasks, the most that are kept; --since and --window take others", document.Plural(m.t.Beyond, "job")))
	case m.Runs == LastRun:
		out = append(out, fmt.Sprintf("%s of the first %d names taken, %s more left out; --limit, --since and --window take others", document.Plural(len(m.t.Jobs), "run"), m.t.Filter.Limit, document.Plural(m.t.Beyond, "run")))
	default:
		out = append(out, fmt.Sprintf("the first %s taken, %s more left out; --limit, --since and --window take others", document.Plural(len(m.t.Jobs), "job"), strconv.Itoa(m.t.Beyond)))
	}
	several := 0
	for i := range m.groups {
		if len(m.groups[i].runs) > 1 {
			several++
		}
	}
	if several > 0 && m.Runs == EachRun {
		out = append(out, fmt.Sprintf("%s with several runs: each run is a job; --runs last makes one job of each", document.Plural(several, "job")))
	}
	if soft := m.softness(); soft != "" {
		out = append(out, soft)
	}
	if m.Cluster.Of == nil && m.Cluster.nodes == 0 && strings.HasPrefix(m.made, "the source") {
		out = append(out, m.made)
	}
	return out
}
