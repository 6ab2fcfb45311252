package bench

import (
	"fmt"

	"downbeat/cmd/internal/stats"
)

// measure is a figure of a run.
type measure struct {
	// name is for files and flags, title for people.
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
	{name: "hard_met", title: "hard met", yesNo: true, percent: true, better: +1, whole: true,
		of: func(c *Cell) float64 { return truth(c.HardMet()) }},
	{name: "accept_ratio", title: "accepted", percent: true, better: +1,
		of: func(c *Cell) float64 { return c.AcceptRatio }},
	{name: "success_ratio", title: "success", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.SuccessRatio }},
	{name: "utilization", title: "utilization", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.Utilization }},
	{name: "total_utilization", title: "of all", percent: true, accepted: true,
		of: func(c *Cell) float64 { return c.TotalUtilization }},
	{name: "hard_misses", title: "hard misses", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.HardMisses) }},
	{name: "rejected_hard", title: "hard rejected", better: -1, whole: true,
		of: func(c *Cell) float64 { return float64(c.RejectedHard) }},
	{name: "misses", title: "misses", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.Misses) }},
	{name: "weighted-tardiness", title: "weighted tardiness", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.WeightedTardiness) }},
	{name: "tardiness", title: "max tardiness", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.MaxTardiness) }},
	{name: "penalty", title: "penalty", better: -1, accepted: true,
		of: func(c *Cell) float64 { return c.Penalty }},
	{name: "locality", title: "locality", percent: true, better: +1, accepted: true,
		of: func(c *Cell) float64 { return c.Locality }},
	{name: "makespan", title: "makespan", better: -1, accepted: true, whole: true,
		of: func(c *Cell) float64 { return float64(c.Makespan) }},
	{name: "mean_response", title: "response", better: -1, accepted: true,
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

// measureNamed finds a measure by its name.
func measureNamed(name string) (*measure, error) {
	for i := range measures {
		if measures[i].name == name {
			return &measures[i], nil
		}
	}
	return nil, fmt.Errorf("unknown measure %q", name)
}

// sample is the mean of values of the measure.
func (m *measure) sample(values []float64) stats.Sample {
	if !m.yesNo {
		return stats.MeanOf(values)
	}
	hits := 0
	for _, v := range values {
		if v == 1 {
			hits++
		}
	}
	return stats.ShareOf(hits, len(values))
}
