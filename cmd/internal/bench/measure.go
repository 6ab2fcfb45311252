package bench

import (
	"fmt"
	"strings"

	"downbeat/cmd/internal/stats"
)

// measure is a figure of a run.
type measure struct {
	// name is for files, flags and heads of tables, title for figures.
	name, title string
	of          func(*Cell) float64
	// better is +1 where more is better, -1 where less is, 0 where neither.
	better int
	// yesNo figures are 0 or 1: their mean is a share of runs.
	yesNo bool
	// percent figures lie in [0, 1].
	percent bool
	// accepted figures are over the accepted jobs: two policies that accept
	// different jobs are not measured on the same.
	accepted bool
	// whole figures are integers.
	whole bool
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// measures are the figures of the spec, in the order of tables.
var measures = []measure{
	{name: "hard-met", title: "share of runs without a hard miss", yesNo: true, percent: true, better: +1, whole: true,
		of: func(c *Cell) float64 { return truth(c.HardMet()) }},
	{name: "accept-ratio", title: "share of jobs accepted", percent: true, better: +1,
		of: func(c *Cell) float64 { return c.AcceptRatio }},
	{name: "success-ratio", title: "share of accepted jobs in time", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.SuccessRatio }},
	{name: "utilisation", title: "slot time held by jobs in time", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.Utilization }},
	{name: "total-utilisation", title: "slot time held", percent: true, accepted: true,
		of: func(c *Cell) float64 { return c.TotalUtilization }},
	{name: "hard-misses", title: "hard jobs late", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.HardMisses) }},
	{name: "rejected-hard", title: "hard jobs rejected", better: -1, whole: true,
		of: func(c *Cell) float64 { return float64(c.RejectedHard) }},
	{name: "misses", title: "jobs late, by weight", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.Misses) }},
	{name: "weighted-tardiness", title: "weighted tardiness (ticks)", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.WeightedTardiness) }},
	{name: "tardiness", title: "largest tardiness (ticks)", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.MaxTardiness) }},
	{name: "penalty", title: "penalty (weight × delay / deadline)", better: -1, accepted: true,
		of: func(c *Cell) float64 { return c.Penalty }},
	{name: "locality", title: "share of tasks fed locally", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.Locality }},
	{name: "makespan", title: "makespan (ticks)", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.Makespan) }},
	{name: "mean-response", title: "mean response time (ticks)", better: -1, accepted: true,
		of: func(c *Cell) float64 { return c.MeanResponse }},
}

// MeasureNames lists the measures as flags and files name them.
func MeasureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// MeasureName is the name of a measure for one that it may have had before: with lines
// below in place of hyphens, and utilization.
func MeasureName(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "_", "-"), "utilization", "utilisation")
}

// measureNamed finds a measure by its name.
func measureNamed(name string) (*measure, error) {
	for i := range measures {
		if measures[i].name == name {
			return &measures[i], nil
		}
	}
	return nil, fmt.Errorf("unknown measure %q", name)
}

// value is the figure of a run as files have it.
func (m *measure) value(c *Cell) any {
	v := m.of(c)
	if m.whole {
		return int64(v)
	}
	return v
}

// sample is the mean of the measure over runs of a policy.
func (m *measure) sample(runs []played, units stats.Units) stats.Sample {
	if !m.yesNo {
		return stats.MeanOfUnits(valuesOf(runs, m.of), units)
	}
	var hits []bool
	for _, v := range valuesOf(runs, m.of) {
		hits = append(hits, v == 1)
	}
	return stats.ShareOfUnits(hits, units)
}
