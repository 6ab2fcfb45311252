package report

import (
	"bytes"
	"fmt"
	"slices"

	"downbeat/cmd/internal/odds"
	"downbeat/cmd/internal/stats"
	"downbeat/model"
)

// Odds prints how likely jobs are in time: a line for each, a column for each policy.
func (v *textView) Odds(sim *Simulation, tallies []odds.Tally) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, setLine(sim.JS))
	fmt.Fprintf(&b, "%s; %s, the same for every policy\n\n", sim.drawn(), count(tallies[0].Runs, "seed"))
	t := table{align: "<<"}
	header := []any{head("in time"), head("")}
	for i := range tallies {
		t.align += ">"
		header = append(header, head(tallies[i].Policy))
	}
	t.add(header...)
	line := func(name cell, kind string, hits func(*odds.Tally) int) {
		cells := []any{name, kind}
		for i := range tallies {
			cells = append(cells, chance(tallies[i].Share(hits(&tallies[i]))))
		}
		t.add(cells...)
	}
	hard := false
	for i := range sim.JS.Jobs {
		job := &sim.JS.Jobs[i]
		hard = hard || job.Kind == model.Hard
		if job.Kind != model.BestEffort {
			line(cell{job.Name, bold}, job.Kind.String(), func(t *odds.Tally) int { return t.InTime[i] })
		}
	}
	if hard {
		line(cell{text: "every hard job"}, "", func(t *odds.Tally) int { return t.HardMet })
	}
	for _, o := range declaredGoal(sim.JS) {
		cells := []any{cell{text: o.String()}, "declared"}
		for i := range tallies {
			cells = append(cells, fmt.Sprint(tallies[i].Declared.Value(o)))
		}
		t.add(cells...)
	}
	t.write(&b, v.page.Color)
	fmt.Fprintln(&b, "\nshares of the runs with Wilson's interval of 95 %; declared: at declared times, without failures")
	return v.flush(&b)
}

// declaredGoal lists the objectives, and makespan, by which plans are compared at declared times.
func declaredGoal(js *model.JobSet) []model.Objective {
	goal := slices.Clone(js.Goal())
	if !slices.Contains(goal, model.Makespan) {
		goal = append(goal, model.Makespan)
	}
	return goal
}

// chance is a share with its interval: "87% (79–92)".
func chance(s stats.Sample) string {
	return fmt.Sprintf("%.0f%% (%.0f–%.0f)", 100*s.Mean, 100*s.Low, 100*s.High)
}

type oddsJSON struct {
	Policy string `json:"policy"`
	Runs   int    `json:"runs"`
	// Hard is how likely all hard jobs are in time.
	Hard chanceJSON `json:"hard"`
	// Jobs has those with a deadline.
	Jobs []jobOddsJSON `json:"jobs"`
	// Declared has the objectives at declared times, without failures.
	Declared map[string]int64 `json:"declared"`
}

type jobOddsJSON struct {
	Job string `json:"job"`
	chanceJSON
}

// chanceJSON is a share of runs with Wilson's interval of 95 %.
type chanceJSON struct {
	InTime int     `json:"in_time"`
	Share  float64 `json:"share"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Odds prints how likely jobs are in time, by policy.
func (v *jsonView) Odds(sim *Simulation, tallies []odds.Tally) error {
	answer := struct {
		simulationJSON
		Odds []oddsJSON `json:"odds"`
	}{simulationJSON: newSimulationJSON(sim)}
	for i := range tallies {
		t := &tallies[i]
		of := func(hits int) chanceJSON {
			s := t.Share(hits)
			return chanceJSON{hits, s.Mean, s.Low, s.High}
		}
		line := oddsJSON{Policy: t.Policy, Runs: t.Runs, Hard: of(t.HardMet), Jobs: []jobOddsJSON{}, Declared: map[string]int64{}}
		for _, o := range declaredGoal(sim.JS) {
			line.Declared[o.String()] = t.Declared.Value(o)
		}
		for k := range sim.JS.Jobs {
			if job := &sim.JS.Jobs[k]; job.Kind != model.BestEffort {
				line.Jobs = append(line.Jobs, jobOddsJSON{job.Name, of(t.InTime[k])})
			}
		}
		answer.Odds = append(answer.Odds, line)
	}
	return v.write(answer)
}
