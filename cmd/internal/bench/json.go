package bench

import (
	"encoding/json"
	"io"
	"math"

	"downbeat/cmd/internal/stats"
)

// figures is a sample for programs; null where there is none.
type figures struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
	// Reason says why there is no interval.
	Reason string `json:"reason,omitempty"`
}

func figuresOf(s stats.Sample) figures {
	f := figures{N: s.N}
	if s.N >= 1 {
		f.Mean = &s.Mean
	}
	if s.Fixed() {
		f.Low, f.High = &s.Low, &s.High
	} else {
		f.Reason = few
	}
	return f
}

type pairedFigures struct {
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference figures `json:"difference"`
	ABetter    int     `json:"a_better"`
	BBetter    int     `json:"b_better"`
	Equal      int     `json:"equal"`
	// Shown is false where the interval holds zero or pairs are too few.
	Shown bool `json:"shown"`
	// P and Holm are p-values, by itself and corrected for all comparisons.
	P    float64 `json:"p"`
	Holm float64 `json:"p_holm"`
	// Effect is the standardised difference; Needed the pairs that show one of its size, 0
	// if there is none.
	Effect figures `json:"effect"`
	Needed int     `json:"sets_needed"`
}

func pairedFiguresOf(p stats.Paired, corrected float64) pairedFigures {
	effect := figures{N: p.Difference.N}
	if e := p.Effect(); !math.IsNaN(e.Mean) {
		effect = figuresOf(e)
	}
	return pairedFigures{p.A.Mean, p.B.Mean, figuresOf(p.Difference), p.ABetter, p.BBetter, p.Equal, p.Shows(), p.P(), corrected, effect, p.Needed()}
}

type policyFigures struct {
	Policy string `json:"policy"`
	// Failed counts runs that came to nothing for what a program did.
	Failed int `json:"failed,omitempty"`
	// Observations is how many of the runs count by themselves.
	Observations int                `json:"observations"`
	Measures     map[string]figures `json:"measures"`
	Gaps         map[string]figures `json:"gaps"`
	// ToBound counts the gaps that are to a bound.
	ToBound map[string]int `json:"gaps_to_bound"`
}

type comparisonFigures struct {
	A        string                   `json:"a"`
	B        string                   `json:"b"`
	SameJobs bool                     `json:"same_jobs"`
	Measures map[string]pairedFigures `json:"measures"`
	Gaps     map[string]pairedFigures `json:"gaps"`
}

// summaryFigures are a summary without its comparison.
type summaryFigures struct {
	Sets       int `json:"sets"`
	Planned    int `json:"planned"`
	Runs       int `json:"runs"`
	Feasible   int `json:"feasible"`
	Infeasible int `json:"infeasible"`
	Unknown    int `json:"unknown"`
	ByRun      int `json:"feasible_by_run_only"`
	Limited    int `json:"limited"`
	// Uncertified is there where optima were to be certified.
	Uncertified int             `json:"uncertified,omitempty"`
	Policies    []policyFigures `json:"policies"`
}

func summaryFiguresOf(s *Summary) summaryFigures {
	out := summaryFigures{s.Sets, s.Planned, s.Runs, s.Feasible, s.Infeasible, s.Unknown, s.ByRun, s.Limited, s.Uncertified, []policyFigures{}}
	for _, p := range s.Policies {
		line := policyFigures{p.Policy, s.failed(p.Policy), p.Observations, map[string]figures{}, map[string]figures{}, map[string]int{}}
		for i, m := range p.Measures {
			line.Measures[measures[i].name] = figuresOf(m)
		}
		for i, g := range p.Gaps {
			line.Gaps[s.Objectives[i]], line.ToBound[s.Objectives[i]] = figuresOf(g), p.ToBound[i]
		}
		out.Policies = append(out.Policies, line)
	}
	return out
}

// failed counts the runs of a policy that failed.
func (s *Summary) failed(policy string) (n int) {
	for _, f := range s.Failed {
		if f.Policy == policy {
			n++
		}
	}
	return n
}

// levelFigures are those of one level, of one workload where there are several.
type levelFigures struct {
	Workload string   `json:"workload,omitempty"`
	Level    *float64 `json:"level"`
	summaryFigures
	Comparisons []comparisonFigures `json:"comparisons,omitempty"`
}

func (s *Summary) levelFigures(l *LevelSummary) levelFigures {
	out := levelFigures{summaryFigures: summaryFiguresOf(l.Summary), Comparisons: l.compared()}
	if s.Workloads {
		out.Workload = l.Workload
	}
	if !math.IsNaN(l.Level) {
		out.Level = &l.Level
	}
	return out
}

// compared are the comparisons; none of no job set.
func (s *Summary) compared() (out []comparisonFigures) {
	if s.Sets == 0 {
		return nil
	}
	for _, c := range s.Compared {
		out = append(out, s.comparisonFigures(c))
	}
	return out
}

func (s *Summary) comparisonFigures(c *Comparison) comparisonFigures {
	out := comparisonFigures{c.A, c.B, c.SameJobs, map[string]pairedFigures{}, map[string]pairedFigures{}}
	for i, p := range c.Measures {
		out.Measures[measures[i].name] = pairedFiguresOf(p, c.Corrected[i])
	}
	for i, p := range c.Gaps {
		if p.Difference.N > 0 {
			out.Gaps[s.Objectives[i]] = pairedFiguresOf(p, c.Corrected[len(c.Measures)+i])
		}
	}
	return out
}

// printedSummary is a summary with its levels and comparisons.
type printedSummary struct {
	Program string `json:"program,omitempty"`
	summaryFigures
	Parameter *string        `json:"parameter"`
	Levels    []levelFigures `json:"levels"`
	// Compared is the first of the comparisons.
	Compared    *comparisonFigures  `json:"compared"`
	Comparisons []comparisonFigures `json:"comparisons,omitempty"`
}

// WriteJSON prints the summary for programs.
func (s *Summary) WriteJSON(w io.Writer) error {
	out := printedSummary{Program: s.Program, summaryFigures: summaryFiguresOf(s), Levels: []levelFigures{}}
	if s.Parameter != "" {
		out.Parameter = &s.Parameter
	}
	for i := range s.Levels {
		out.Levels = append(out.Levels, s.levelFigures(&s.Levels[i]))
	}
	if out.Comparisons = s.compared(); len(out.Comparisons) > 0 {
		out.Compared = &out.Comparisons[0]
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
