// Package runlog writes what a solve tells of itself as a log, for people (text) or for
// programs (JSON, an object a line), and reads logs in JSON back.
package runlog

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/version"
	"downbeat/model"
	"downbeat/solve/event"
	"downbeat/solve/memory"
)

// Formats are the words for the formats of logs.
func Formats() []string { return []string{"text", "json"} }

// Version is that of the JSON format.
const Version = 1

//go:embed schema.json
var schema []byte

// Schema is a JSON Schema (draft 2020-12) of a line of a log in JSON.
func Schema() []byte { return slices.Clone(schema) }

// Log writes events, a line each. It is for one goroutine at a time.
type Log struct {
	w    io.Writer
	json bool
}

// New is a log in one of Formats.
func New(w io.Writer, format string) *Log { return &Log{w, format == "json"} }

// Line is a line of a log in JSON. What does not belong to the event is left out.
type Line struct {
	Event   string  `json:"event"`
	Seconds float64 `json:"seconds"`

	// Of start.
	Version     int      `json:"version,omitempty"`
	Program     string   `json:"program,omitempty"`
	JobSet      string   `json:"jobset,omitempty"`
	Digest      string   `json:"digest,omitempty"`
	Jobs        int      `json:"jobs,omitempty"`
	Tasks       int      `json:"tasks,omitempty"`
	Slaves      int      `json:"slaves,omitempty"`
	Goal        []string `json:"goal,omitempty"`
	Seed        *uint64  `json:"seed,omitempty"`
	Workers     int      `json:"workers,omitempty"`
	TimeLimit   float64  `json:"time_limit,omitempty"`
	Budget      int64    `json:"budget,omitempty"`
	MemoryLimit int64    `json:"memory_limit,omitempty"`

	// Of phase, and of a note.
	Phase string `json:"phase,omitempty"`
	Note  string `json:"note,omitempty"`

	// Of plan, bound and end.
	Objectives []model.ObjectiveValue `json:"objectives,omitempty"`

	// Of strategy.
	Strategy string   `json:"strategy,omitempty"`
	Worker   *int     `json:"worker,omitempty"`
	Round    *int     `json:"round,omitempty"`
	Outcome  string   `json:"outcome,omitempty"`
	Took     *float64 `json:"took,omitempty"`

	// Of strategy and end.
	*Counts
	Memory int64 `json:"memory,omitempty"`

	// Of verdict.
	Proof string `json:"proof,omitempty"`

	// Of verdict and end.
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Counts are event.Counts by their names in files.
type Counts struct {
	Calls         int64 `json:"calls"`
	Conflicts     int64 `json:"conflicts"`
	Restarts      int64 `json:"restarts"`
	Steps         int64 `json:"steps"`
	Constructions int64 `json:"constructions"`
}

// CountsOf names counts.
func CountsOf(c event.Counts) *Counts {
	return &Counts{c.Calls, c.Conflicts, c.Restarts, c.Steps, c.Constructions}
}

// Seconds keeps milliseconds.
func Seconds(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }

// lineOf is the line of an event.
func lineOf(e event.Event) Line {
	l := Line{Event: e.Kind.String(), Seconds: Seconds(e.Elapsed)}
	switch e.Kind {
	case event.Start:
		b := e.Begun
		l.Version, l.Program = Version, version.String()
		l.JobSet, l.Digest = b.JobSet.Name, b.JobSet.Digest()
		l.Jobs, l.Tasks, l.Slaves = len(b.JobSet.Jobs), len(b.JobSet.Tasks), len(b.JobSet.Slaves)
		for _, o := range b.Goal {
			l.Goal = append(l.Goal, o.String())
		}
		l.Seed, l.Workers, l.TimeLimit, l.Budget, l.MemoryLimit = &b.Seed, b.Workers, Seconds(b.TimeLimit), b.Budget, b.Memory
	case event.Phase:
		l.Phase = e.Phase
	case event.Verdict:
		l.Status, l.Proof = e.Settled.Status.String(), e.Settled.Proof.String()
	case event.Plan, event.Bound:
		l.Objectives = e.Objectives
	case event.Strategy:
		s := e.Slice
		took := Seconds(s.Took)
		l.Strategy, l.Worker, l.Round, l.Outcome, l.Took = s.Strategy, &s.Worker, &s.Round, s.Outcome, &took
		l.Counts, l.Memory = CountsOf(s.Counts), s.Memory
	case event.End:
		l.Objectives, l.Status, l.Reason = e.Objectives, e.Ended.Status.String(), string(e.Ended.Reason)
		l.Counts, l.Memory = CountsOf(e.Ended.Counts), e.Ended.Memory
	}
	return l
}

// Take writes an event. What cannot be written is left out.
func (o *Log) Take(e event.Event) { o.write(lineOf(e)) }

// Note writes a remark.
func (o *Log) Note(text string) { o.write(Line{Event: "note", Note: text}) }

func (o *Log) write(l Line) {
	if !o.json {
		io.WriteString(o.w, l.text())
		return
	}
	text, err := json.Marshal(l)
	if err == nil {
		o.w.Write(append(text, '\n'))
	}
}

// text is a line for people.
func (l *Line) text() string {
	var what string
	switch l.Event {
	case "start":
		what = fmt.Sprintf("%s: jobs %d, tasks %d, machines %d; minimising [%s]; seed %d, workers %d%s",
			l.JobSet, l.Jobs, l.Tasks, l.Slaves, strings.Join(l.Goal, " "), value(l.Seed), l.Workers, l.limits())
	case "note":
		return "note: " + l.Note + "\n"
	case "phase":
		what = l.Phase
	case "verdict":
		what = fmt.Sprintf("%s (proved by %s)", l.Status, l.Proof)
	case "plan", "bound":
		what = values(l.Objectives)
	case "strategy":
		what = fmt.Sprintf("%s, round %d of worker %d, %.3fs: %s; %s", l.Strategy, value(l.Round), value(l.Worker), value(l.Took), l.Outcome, l.counts())
	case "end":
		what = fmt.Sprintf("%s (%s); %s", l.Status, l.Reason, l.counts())
		if len(l.Objectives) > 0 {
			what = fmt.Sprintf("%s (%s); %s; %s", l.Status, l.Reason, values(l.Objectives), l.counts())
		}
	}
	return fmt.Sprintf("%8.3fs  %-8s  %s\n", l.Seconds, l.Event, what)
}

// value is what a field has, or 0 where a log leaves it out.
func value[T any](field *T) (v T) {
	if field != nil {
		v = *field
	}
	return v
}

// limits are those of a solve.
func (l *Line) limits() string {
	var b strings.Builder
	if l.TimeLimit > 0 {
		fmt.Fprintf(&b, ", time limit %.1fs", l.TimeLimit)
	}
	if l.Budget > 0 {
		fmt.Fprintf(&b, ", budget %d", l.Budget)
	}
	if l.MemoryLimit > 0 {
		fmt.Fprintf(&b, ", memory %s", memory.Text(l.MemoryLimit))
	}
	return b.String()
}

// values are what a plan has, and what is proved.
func values(objectives []model.ObjectiveValue) string {
	var parts []string
	for _, o := range objectives {
		text := fmt.Sprintf("%s %d", o.Name, o.Value)
		if o.Bound != nil {
			text += fmt.Sprintf(" ≥ %d", *o.Bound)
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return "any plan"
	}
	return strings.Join(parts, ", ")
}

// counts leaves out what there was none of.
func (l *Line) counts() string {
	if l.Counts == nil {
		return "nothing counted"
	}
	var parts []string
	for _, c := range []struct {
		n    int64
		what string
	}{
		{l.Calls, "calls"}, {l.Conflicts, "conflicts"}, {l.Restarts, "restarts"}, {l.Steps, "steps"}, {l.Constructions, "constructions"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", c.what, c.n))
		}
	}
	return strings.Join(append(parts, memory.Text(l.Memory)), ", ")
}
