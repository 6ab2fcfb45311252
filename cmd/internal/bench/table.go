package bench

import (
	"encoding/csv"
	"fmt"
	"io"

	"downbeat/cmd/internal/stats"
)

// tableHead are the columns of the table as CSV: the level, what is known of its job sets, and
// a measure of a policy with its 95 % interval, or the reason why there is none.
var tableHead = []string{"parameter", "level", "sets", "feasible", "infeasible", "unknown", "policy", "measure", "runs", "mean", "low", "high", "to_bound", "reason"}

// WriteTable writes a line of CSV to each level, policy and measure, gaps among them as
// gap_OBJECTIVE; where no parameter has several levels, to each policy and measure.
func (s *Summary) WriteTable(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(tableHead) // Error below tells
	for _, l := range s.Levels {
		l.writeTable(out, s.Parameter, text(l.Level))
	}
	if len(s.Levels) == 0 {
		s.writeTable(out, "", "")
	}
	out.Flush()
	return out.Error()
}

func (s *Summary) writeTable(out *csv.Writer, parameter, level string) {
	write := func(policy, measure string, sample stats.Sample, bound string) {
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
		out.Write(append(line, bound, f.Reason))
	}
	for _, p := range s.Policies {
		for i, m := range p.Measures {
			write(p.Policy, measures[i].name, m, "")
		}
		for i, g := range p.Gaps {
			write(p.Policy, "gap_"+s.Objectives[i], g, fmt.Sprint(p.ToBound[i]))
		}
	}
}
