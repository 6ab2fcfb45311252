package imports

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/files/trace"
)

// DefaultHistory is how many runs a stage needs for durations, unless a rule says otherwise: the fewest of
// which one, with the next, is a tenth.
const DefaultHistory = 9

// DefaultHalfLife is in runs. It was chosen on nights of a generator with drift (docs/starts.md).
const DefaultHalfLife = 20

// quantilePercents are those that are kept: 0 is the least that was seen.
var quantilePercents = []int32{0, 10, 25, 50, 75, 90}

// stageRun is what the tasks of a stage took in a run.
type stageRun struct {
	submit  int64
	samples []sample
}

// weighted is a time with what it counts.
type weighted struct {
	ms     int64
	weight float64
}

// quantile is the time, in milliseconds, of a percent of the runs.
type quantile struct {
	percent int32
	ms      int64
}

// history works out the quantiles of a stage over runs; nil where these are too few. Each run counts as
// much as its age says, however many tasks it has, and the next run, of which nothing is known, as much as
// the last: it may be longer than all that were seen, or shorter. So of n runs that count the same the
// p-th quantile is not the n·p-th time but the (n+1)·p-th, from the middle outwards, as in conformal
// prediction (Vovk, Gammerman and Shafer 2005; with weights for what drifts Barber, Candès, Ramdas and
// Tibshirani 2023).
func (r *Rules) history(runs []stageRun) []quantile {
	if r.History == 0 || len(runs) < r.History {
		return nil
	}
	slices.SortStableFunc(runs, func(a, b stageRun) int { return cmp.Compare(b.submit, a.submit) }) // the last first
	var all []weighted
	total := 0.0
	for age, run := range runs {
		weight := 1.0
		if r.HalfLife > 0 {
			weight = math.Exp2(-float64(age) / r.HalfLife)
		}
		total += weight
		tasks := 0.0
		for _, s := range run.samples {
			tasks += float64(s.count)
		}
		for _, s := range run.samples {
			all = append(all, weighted{s.ms, weight * float64(s.count) / tasks})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.ms, b.ms) })
	var out []quantile
	for _, p := range quantilePercents {
		share := float64(p) / 100
		ms := upTo(all, share*(total+1))
		if p < 50 {
			ms = downTo(all, (1-share)*(total+1))
		}
		out = append(out, quantile{p, ms})
	}
	return out
}

// slight is what sums of weights may be off by.
const slight = 1e-9

// upTo is the least time that so much weight stays within, or the most that was seen.
func upTo(all []weighted, weight float64) int64 {
	for _, w := range all {
		if weight -= w.weight; weight <= slight {
			return w.ms
		}
	}
	return all[len(all)-1].ms
}

// downTo is the largest time that so much weight reaches, or the least that was seen.
func downTo(all []weighted, weight float64) int64 {
	for _, w := range slices.Backward(all) {
		if weight -= w.weight; weight <= slight {
			return w.ms
		}
	}
	return all[0].ms
}

// stageRuns collects by stage what its tasks took, run by run.
func (m *maker) stageRuns(g *group) map[string][]stageRun {
	out := map[string][]stageRun{}
	if m.History == 0 || len(g.runs) < m.History || m.WCET.name == "own" {
		return out
	}
	for _, j := range g.runs {
		of := map[string][]sample{}
		for k := range j.Stages {
			st := &j.Stages[k]
			for t := range st.Tasks {
				if ms := m.time(&st.Tasks[t]); ms != trace.Unknown {
					of[st.Name] = append(of[st.Name], sample{ms, st.Tasks[t].Count})
				}
			}
		}
		for name, samples := range of {
			out[name] = append(out[name], stageRun{j.Submit, samples})
		}
	}
	return out
}

// durations are the quantiles of a stage in ticks, none above the worst case.
func (m *maker) durations(of *pool, wcet model.Time) model.Quantiles {
	var out model.Quantiles
	for _, q := range of.history {
		out = append(out, model.Quantile{Percent: q.percent, Value: min(wcet, max(1, m.up(q.ms)))})
	}
	return out
}

// historyRule says how durations were made.
func (r *Rules) historyRule() string {
	text := fmt.Sprintf("history %d: of stages with so many runs durations say how long tasks took, in p0 to p90 of the runs, the next one reckoned in", r.History)
	if r.HalfLife > 0 {
		text += fmt.Sprintf("; --half-life %g: so many runs ago counts half", r.HalfLife)
	}
	return text + "."
}
