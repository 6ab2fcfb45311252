package report

import (
	"bytes"
	"fmt"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/runlog"
	"downbeat/solve/event"
	"downbeat/solve/memory"
)

// statsJSON are statistics as programs get them. Times are in seconds from the start, null
// where there was none.
type statsJSON struct {
	Reason    string   `json:"reason"`
	Plans     int      `json:"plans"`
	Bounds    int      `json:"bounds"`
	FirstPlan *float64 `json:"first_plan"`
	LastPlan  *float64 `json:"last_plan"`
	LastBound *float64 `json:"last_bound"`
	runlog.Counts
	Memory     int64          `json:"memory"`
	Strategies []strategyJSON `json:"strategies"`
}

type strategyJSON struct {
	Strategy string  `json:"strategy"`
	Row      int     `json:"row"`
	Slices   int     `json:"slices"`
	Seconds  float64 `json:"seconds"`
	runlog.Counts
}

func newStatsJSON(s *event.Stats) *statsJSON {
	if s == nil {
		return nil
	}
	out := &statsJSON{
		Reason: string(s.Reason), Plans: s.Plans, Bounds: s.Bounds, Counts: *runlog.CountsOf(s.Counts), Memory: s.Memory,
		Strategies: []strategyJSON{},
	}
	if s.Plans > 0 {
		first, last := runlog.Seconds(s.FirstPlan), runlog.Seconds(s.LastPlan)
		out.FirstPlan, out.LastPlan = &first, &last
	}
	if s.Bounds > 0 {
		last := runlog.Seconds(s.LastBound)
		out.LastBound = &last
	}
	for i := range s.Strategies {
		of := &s.Strategies[i]
		out.Strategies = append(out.Strategies, strategyJSON{of.Name, of.Row, of.Slices, runlog.Seconds(of.Time), *runlog.CountsOf(of.Counts)})
	}
	return out
}

// reasons say to people why a search stopped.
var reasons = map[event.Reason]string{
	event.Proved: "nothing is left open", event.Answered: "a plan was all that was asked for",
	event.TimeLimit: "the time limit was reached", event.Budget: "the budget was spent",
	event.Memory: "the memory ceiling was reached", event.Interrupted: "it was interrupted",
	event.Exhausted: "every strategy is through",
}

// stats tells what a search did, if that was asked for.
func (v *textView) stats(b *bytes.Buffer, s *event.Stats) {
	if s == nil {
		return
	}
	v.page.Title(b, "Search")
	fmt.Fprintf(b, "ended: %s; %s held at most\n", reasons[s.Reason], memory.Text(s.Memory))
	line := "no plan"
	if s.Plans > 0 {
		line = fmt.Sprintf("%s, each better than the one before, the first after %.2fs, the best after %.2fs", wording.Count(s.Plans, "plan"), s.FirstPlan.Seconds(), s.LastPlan.Seconds())
	}
	if s.Bounds > 0 {
		line += fmt.Sprintf("; %s, the last after %.2fs", wording.Count(s.Bounds, "better bound"), s.LastBound.Seconds())
	}
	fmt.Fprintln(b, line)
	t := table.Table{Align: "<>>>>>>>>"}
	t.Add(table.Head("strategy"), table.Head("row"), table.Head("slices"), table.Head("seconds"), table.Head("calls"), table.Head("conflicts"), table.Head("restarts"), table.Head("steps"), table.Head("constructions"))
	row := func(name string, number, slices any, seconds string, c event.Counts) {
		t.Add(name, number, slices, seconds, c.Calls, c.Conflicts, c.Restarts, c.Steps, c.Constructions)
	}
	for i := range s.Strategies {
		of := &s.Strategies[i]
		row(of.Name, of.Row, of.Slices, fmt.Sprintf("%.2f", of.Time.Seconds()), of.Counts)
	}
	row("all of it", "-", "-", "-", s.Counts)
	t.Write(b, v.page)
}
