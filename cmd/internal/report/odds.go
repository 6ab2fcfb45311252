package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/stats"
	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/online"
)

// chancesJSON is the answer of simulate for many seeds.
type chancesJSON struct {
	simulationJSON
	Odds []oddsJSON `json:"odds"`
}

// Odds prints how likely jobs are in time: a line for each, a column for each policy.
func (v *textView) Odds(sim *Simulation, tallies []ontime.Tally) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, wording.SetLine(sim.JS))
	fmt.Fprintf(&b, "%s; %s, the same for every policy\n\n", sim.drawn(), wording.Count(tallies[0].Runs, "seed"))
	t := table.Table{Align: "<<"}
	header := []any{table.Head("in time"), table.Head("")}
	for i := range tallies {
		t.Align += ">"
		header = append(header, table.Head(tallies[i].Policy))
	}
	t.Add(header...)
	line := func(name table.Cell, kind string, hits func(*ontime.Tally) int) {
		cells := []any{name, kind}
		for i := range tallies {
			cells = append(cells, chance(tallies[i].Share(hits(&tallies[i]))))
		}
		t.Add(cells...)
	}
	hard := false
	for i := range sim.JS.Jobs {
		job := &sim.JS.Jobs[i]
		hard = hard || job.Kind == model.Hard
		if job.Kind != model.BestEffort {
			line(table.Bold.Cell(job.Name), job.Kind.String(), func(t *ontime.Tally) int { return t.InTime[i] })
		}
	}
	if hard {
		line(table.Cell{Text: "every hard job"}, "", func(t *ontime.Tally) int { return t.HardMet })
	}
	meanLines(&t, wording.ClockOf(sim.JS), tallies)
	for _, o := range declaredGoal(sim.JS) {
		cells := []any{table.Cell{Text: o.String()}, "declared"}
		for i := range tallies {
			cells = append(cells, wording.ClockOf(sim.JS).Value(o.String(), tallies[i].Declared.Value(o)))
		}
		t.Add(cells...)
	}
	t.Write(&b, v.page)
	fmt.Fprintln(&b, "\nshares of the runs with Wilson's interval of 95 %; declared: at declared times, without failures")
	if _, ok := sim.Options.Durations.(online.History); ok {
		for i := range tallies {
			v.intervals(&b, sim.JS, &tallies[i], "Jobs under "+tallies[i].Policy)
		}
		b.WriteString(aboutIntervals)
	}
	if len(tallies[0].Goal()) > 0 {
		text := "mean: of the runs, with an interval of 95 %"
		if n := len(tallies); n > 1 {
			text += fmt.Sprintf("; below it the difference to %s on the same draws", tallies[n-1].Policy)
		}
		fmt.Fprintln(&b, text)
	}
	return v.flush(&b)
}

// meanLines adds what the runs came to on average, and how far that is from the last policy
// on the same draws.
func meanLines(t *table.Table, by wording.Clock, tallies []ontime.Tally) {
	last := &tallies[len(tallies)-1]
	for k, o := range last.Goal() {
		means, differences := []any{table.Cell{Text: o.String()}, "mean"}, []any{"", "difference"}
		for i := range tallies {
			s := stats.MeanOf(tallies[i].Values[k])
			means = append(means, meanText(s, func(x, half float64) string { return meanValue(by, o, stats.Figure(x, half)) }))
			if d := tallies[i].Against(last, k).Difference; i < len(tallies)-1 {
				differences = append(differences, meanText(d, func(x, half float64) string { return meanLength(by, o, stats.Signed(x, half)) }))
			}
		}
		t.Add(means...)
		if len(tallies) > 1 {
			t.Add(append(differences, "")...)
		}
	}
}

// meanValue writes a mean of an objective, a figure in ticks where that is a time, for people.
func meanValue(by wording.Clock, o model.Objective, figure string) string {
	if x, err := strconv.ParseFloat(figure, 64); err == nil && o.Shape().Point() && !by.Origin.IsZero() {
		return by.Point(model.Time(math.Round(x)))
	}
	return meanLength(by, o, figure)
}

// meanLength writes a mean or a difference of means, as a duration where it is a time.
func meanLength(by wording.Clock, o model.Objective, figure string) string {
	x, err := strconv.ParseFloat(figure, 64)
	d := x * float64(by.Unit)
	if err != nil || !o.Shape().Timed() || by.Unit == 0 || math.Abs(d) > math.MaxInt64/2 {
		return figure
	}
	sign, length := "", time.Duration(math.Abs(d)).Round(min(by.Unit, time.Second))
	if d < 0 && length > 0 {
		sign = "-"
	} else if strings.HasPrefix(figure, "+") {
		sign = "+"
	}
	return sign + clock.FormatDuration(length)
}

// meanText is a figure with its interval; "(few)" where several runs are too alike for one.
func meanText(s stats.Sample, figure func(x, uncertainty float64) string) string {
	half := s.HalfWidth()
	switch {
	case s.Fixed():
		return fmt.Sprintf("%s (%s to %s)", figure(s.Mean, half), figure(s.Low, half), figure(s.High, half))
	case s.N > 1:
		return figure(s.Mean, 0) + " (few)"
	}
	return figure(s.Mean, 0)
}

// declaredGoal lists the objectives, and makespan, by which plans are compared at declared times.
func declaredGoal(js *model.JobSet) []model.Objective {
	goal := slices.Clone(js.Goal())
	if !slices.Contains(goal, model.Makespan) {
		goal = append(goal, model.Makespan)
	}
	return goal
}

// chance is a share with its interval: "87% (79–92)". 0% is none, and 100% all.
func chance(s stats.Sample) string {
	share := fmt.Sprintf("%.0f%%", 100*s.Mean)
	switch {
	case s.Mean > 0 && s.Mean < 0.01:
		share = "<1%"
	case s.Mean > 0.99 && s.Mean < 1:
		share = ">99%"
	}
	return fmt.Sprintf("%s (%.0f–%.0f)", share, 100*s.Low, 100*s.High)
}

type oddsJSON struct {
	Policy string `json:"policy"`
	Runs   int    `json:"runs"`
	// Hard is how likely all hard jobs are in time.
	Hard chanceJSON `json:"hard"`
	// Jobs has those with a deadline.
	Jobs []jobOddsJSON `json:"jobs"`
	// Intervals has all jobs.
	Intervals []intervalsJSON `json:"intervals"`
	// Mean has what the runs came to by objective, and Difference how far that is from the
	// last policy on the same draws.
	Mean       map[string]meanJSON `json:"mean"`
	Difference map[string]meanJSON `json:"difference"`
	// Declared has the objectives at declared times, without failures.
	Declared map[string]int64 `json:"declared"`
}

type jobOddsJSON struct {
	Job string `json:"job"`
	chanceJSON
}

// meanJSON is a mean with an interval of 95 %.
type meanJSON struct {
	Mean float64 `json:"mean"`
	// Low and High are null where runs are too few or too alike for an interval.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// chanceJSON is a share of runs with Wilson's interval of 95 %.
type chanceJSON struct {
	InTime int     `json:"in_time"`
	Share  float64 `json:"share"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Odds prints how likely jobs are in time, by policy.
func (v *jsonView) Odds(sim *Simulation, tallies []ontime.Tally) error {
	answer := chancesJSON{simulationJSON: newSimulationJSON(sim)}
	for i := range tallies {
		t := &tallies[i]
		of := func(hits int) chanceJSON {
			s := t.Share(hits)
			return chanceJSON{hits, s.Mean, s.Low, s.High}
		}
		line := oddsJSON{Policy: t.Policy, Runs: t.Runs, Hard: of(t.HardMet), Jobs: []jobOddsJSON{},
			Mean: map[string]meanJSON{}, Difference: map[string]meanJSON{}, Declared: map[string]int64{}}
		for k, o := range t.Goal() {
			line.Mean[o.String()] = meanOf(stats.MeanOf(t.Values[k]))
			line.Difference[o.String()] = meanOf(t.Against(&tallies[len(tallies)-1], k).Difference)
		}
		for _, o := range declaredGoal(sim.JS) {
			line.Declared[o.String()] = t.Declared.Value(o)
		}
		for k := range sim.JS.Jobs {
			if job := &sim.JS.Jobs[k]; job.Kind != model.BestEffort {
				line.Jobs = append(line.Jobs, jobOddsJSON{job.Name, of(t.InTime[k])})
			}
		}
		line.Intervals = newIntervalsJSON(sim.JS, t)
		answer.Odds = append(answer.Odds, line)
	}
	return v.write(answer)
}

func meanOf(s stats.Sample) meanJSON {
	if !s.Fixed() {
		return meanJSON{Mean: s.Mean}
	}
	return meanJSON{s.Mean, &s.Low, &s.High}
}
