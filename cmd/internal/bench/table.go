package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"

	"downbeat/cmd/internal/stats"
)

// tableHead are the columns of the table as CSV: the level, what is known of its job sets, and
// a measure of a policy with its 95 % interval, or the reason why there is none. Where against
// names another policy, it is the mean difference to that on the same runs, with its p-value,
// also after Holm's correction.
var tableHead = []string{"parameter", "level", "sets", "feasible", "infeasible", "unknown", "policy", "measure", "runs", "mean", "low", "high", "to_bound", "reason",
	"workload", "observations", "against", "p", "p_holm"}

// Line is one of the table: a measure of a policy, over the job sets of a workload at a level.
type Line struct {
	// Parameter is what the levels are of, Workload where there are several; empty where there is none.
	Parameter, Workload string
	// Level is not a number where there is none.
	Level float64
	// Sets are done, of which so many have hard deadlines that can be met, cannot, or nothing is known of.
	Sets, Feasible, Infeasible, Unknown int
	Policy, Measure                     string
	// Against is the policy that the figure is the mean difference to, on the same runs; empty where it is
	// the policy's own.
	Against string
	// Sample is the mean with its interval.
	stats.Sample
	// Observations is how many of the runs count by themselves.
	Observations int
	// ToBound counts the gaps that are to a bound, of gaps.
	ToBound int
	// P is the p-value of a difference, and Holm that after the correction for all of the summary.
	P, Holm float64
}

// Lines are those of the table: one to each workload, level, policy and measure, gaps among them as
// gap_OBJECTIVE; where there is one workload at one level, to each policy and measure. Lines of
// comparisons follow those of their level.
func (s *Summary) Lines() []Line {
	if len(s.Levels) == 0 {
		return s.lines(Line{Level: math.NaN()})
	}
	var out []Line
	for i := range s.Levels {
		l := &s.Levels[i]
		like := Line{Parameter: s.Parameter, Level: l.Level}
		if s.Workloads {
			like.Workload = l.Workload
		}
		out = append(out, l.lines(like)...)
	}
	return out
}

func (s *Summary) lines(like Line) []Line {
	like.Sets, like.Feasible, like.Infeasible, like.Unknown = s.Sets, s.Feasible, s.Infeasible, s.Unknown
	var out []Line
	observed := map[string]int{}
	for _, p := range s.Policies {
		observed[p.Policy] = p.Observations
		line := like
		line.Policy, line.Observations = p.Policy, p.Observations
		for i, m := range p.Measures {
			line.Measure, line.Sample = measures[i].name, m
			out = append(out, line)
		}
		for i, g := range p.Gaps {
			line.Measure, line.Sample, line.ToBound = gapName(s.Objectives[i]), g, p.ToBound[i]
			out = append(out, line)
		}
	}
	for _, c := range s.Compared {
		for i, p := range c.lines() {
			line := like
			line.Policy, line.Observations, line.Against = c.A, observed[c.A], c.B
			if i < len(measures) {
				line.Measure = measures[i].name
			} else {
				line.Measure = gapName(s.Objectives[i-len(measures)])
			}
			if line.Sample = p.Difference; line.N > 0 {
				line.P, line.Holm = p.P(), c.Corrected[i]
				out = append(out, line)
			}
		}
	}
	return out
}

// gapName is the measure of gaps in an objective.
func gapName(objective string) string { return gapPrefix + objective }

const gapPrefix = "gap_"

// WriteTable writes the lines as CSV.
func (s *Summary) WriteTable(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(tableHead) // Error below tells
	for _, l := range s.Lines() {
		out.Write(l.fields())
	}
	out.Flush()
	return out.Error()
}

// fields are the columns of a line, in the order of tableHead.
func (l *Line) fields() []string {
	level, toBound, p, holm := "", "", "", ""
	if !math.IsNaN(l.Level) {
		level = text(l.Level)
	}
	isGap := strings.HasPrefix(l.Measure, gapPrefix)
	switch {
	case l.Against != "":
		p, holm = text(l.P), text(l.Holm)
	case isGap:
		toBound = fmt.Sprint(l.ToBound)
	}
	f := figuresOf(l.Sample)
	out := []string{l.Parameter, level, fmt.Sprint(l.Sets), fmt.Sprint(l.Feasible), fmt.Sprint(l.Infeasible), fmt.Sprint(l.Unknown), l.Policy, l.Measure, fmt.Sprint(f.N)}
	for _, v := range []*float64{f.Mean, f.Low, f.High} {
		if v == nil {
			out = append(out, "")
		} else {
			out = append(out, text(*v))
		}
	}
	return append(out, toBound, f.Reason, l.Workload, fmt.Sprint(l.Observations), l.Against, p, holm)
}
