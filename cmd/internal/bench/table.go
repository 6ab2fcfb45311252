package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"

	"downbeat/cmd/internal/stats"
)

// tableHead are the columns of the table as CSV: the level, what is known of its job sets, and
// a measure of a policy with its 95 % interval, or the reason why there is none. Where against
// names another policy, it is the mean difference to that on the same runs, with its p-value,
// also after Holm's correction.
var tableHead = []string{"parameter", "level", "sets", "feasible", "infeasible", "unknown", "policy", "measure", "runs", "mean", "low", "high", "to_bound", "reason",
	"workload", "observations", "against", "p", "p_holm"}

// WriteTable writes a line of CSV to each workload, level, policy and measure, gaps among them as
// gap_OBJECTIVE; where there is one workload at one level, to each policy and measure. Lines of
// comparisons follow those of their level.
func (s *Summary) WriteTable(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(tableHead) // Error below tells
	for i := range s.Levels {
		l := &s.Levels[i]
		level, workload := "", ""
		if !math.IsNaN(l.Level) {
			level = text(l.Level)
		}
		if s.Workloads {
			workload = l.Workload
		}
		l.writeTable(out, s.Parameter, level, workload)
	}
	if len(s.Levels) == 0 {
		s.writeTable(out, "", "", "")
	}
	out.Flush()
	return out.Error()
}

func (s *Summary) writeTable(out *csv.Writer, parameter, level, workload string) {
	write := func(policy, measure string, sample stats.Sample, bound string, more ...string) {
		line := []string{parameter, level, fmt.Sprint(s.Sets), fmt.Sprint(s.Feasible), fmt.Sprint(s.Infeasible), fmt.Sprint(s.Unknown), policy, measure}
		f := figuresOf(sample)
		line = append(line, fmt.Sprint(f.N))
		for _, v := range []*float64{f.Mean, f.Low, f.High} {
			if v == nil {
				line = append(line, "")
			} else {
				line = append(line, text(*v))
			}
		}
		out.Write(append(append(line, bound, f.Reason, workload), more...))
	}
	observed := map[string]string{}
	for _, p := range s.Policies {
		n := fmt.Sprint(p.Observations)
		observed[p.Policy] = n
		for i, m := range p.Measures {
			write(p.Policy, measures[i].name, m, "", n, "", "", "")
		}
		for i, g := range p.Gaps {
			write(p.Policy, "gap_"+s.Objectives[i], g, fmt.Sprint(p.ToBound[i]), n, "", "", "")
		}
	}
	for _, c := range s.Compared {
		for i, p := range c.lines() {
			name := ""
			if i < len(measures) {
				name = measures[i].name
			} else {
				name = "gap_" + s.Objectives[i-len(measures)]
			}
			if p.Difference.N > 0 {
				write(c.A, name, p.Difference, "", observed[c.A], c.B, text(p.P()), text(c.Corrected[i]))
			}
		}
	}
}
