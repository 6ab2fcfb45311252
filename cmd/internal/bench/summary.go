package bench

import (
	"slices"

	"downbeat/cmd/internal/stats"
	"downbeat/model"
)

// Summary is a bench in figures: what tables and JSON answers are made of.
type Summary struct {
	// Program is the version that ran, empty where nobody says.
	Program string
	// Sets that are done, of so many Planned, with Runs per policy.
	Sets, Planned, Runs int
	// Feasible, Infeasible and Unknown count sets by the answer on their hard
	// deadlines; all zero without the optimum. ByRun of the Feasible are so
	// because a policy met all hard deadlines, where the solver reached no answer.
	Feasible, Infeasible, Unknown, ByRun int
	// Uncertified counts sets of which something that the solver found is left out, for its
	// proof was not complete.
	Uncertified int
	// Limited counts sets whose optimum a clock limit cut short.
	Limited    int
	Policies   []PolicySummary
	Objectives []string
	// Compared are the paired comparisons, of one policy with each of some others.
	Compared []*Comparison
	// Levels are the same of each level of Parameter, ascending, where records stand at
	// several; else there are none.
	Parameter string
	Levels    []LevelSummary
}

// LevelSummary is of the job sets at one level.
type LevelSummary struct {
	Level float64
	*Summary
}

// PolicySummary is a policy's line.
type PolicySummary struct {
	Policy string
	// Measures in the order of MeasureNames.
	Measures []stats.Sample
	// Gaps per objective of the summary, over the runs that can be compared;
	// ToBound of these are to a bound.
	Gaps    []stats.Sample
	ToBound []int
}

// Comparison is of two policies on the same runs.
type Comparison struct {
	A, B string
	// Lines per measure in the order of MeasureNames, then per gap.
	Measures, Gaps []stats.Paired
	// Corrected are the p-values of Measures, then of Gaps, by Holm's method over all
	// comparisons of the summary; 1 where there is nothing to compare.
	Corrected []float64
	// SameJobs tells that both accepted every job in every run.
	SameJobs bool
}

// Summarize puts records into figures; nil records are sets not done. compare
// is empty or some of the policies: the first is compared with each of the others.
func (c *Config) Summarize(records []*Record, compare []string) *Summary {
	s := c.summarize(records, Objectives(records))
	s.Program = c.Program
	parameter, levels := sweptLevels(records)
	for _, l := range levels {
		s.Parameter, s.Levels = parameter, append(s.Levels, LevelSummary{l.X, c.summarize(l.Records, s.Objectives)})
	}
	for i := 1; i < len(compare); i++ {
		s.Compared = append(s.Compared, c.compare(records, compare[0], compare[i], s.Objectives))
	}
	correct(s.Compared)
	return s
}

// summarize is the part that is the same for all records and for those of a level.
func (c *Config) summarize(records []*Record, objectives []string) *Summary {
	s := &Summary{Planned: len(records), Objectives: objectives}
	for _, rec := range records {
		if rec == nil {
			continue
		}
		s.Sets++
		s.Runs += len(rec.Cells) / max(1, len(c.Policies))
		s.count(c.verdict(rec), rec)
	}
	for _, p := range c.Policies {
		line := PolicySummary{Policy: p}
		for i := range measures {
			line.Measures = append(line.Measures, measures[i].sample(valuesOf(records, p, measures[i].of)))
		}
		for _, o := range s.Objectives {
			gaps, bounds := c.Gaps(records, p, o)
			line.Gaps, line.ToBound = append(line.Gaps, stats.MeanOf(gaps)), append(line.ToBound, bounds)
		}
		s.Policies = append(s.Policies, line)
	}
	return s
}

func (s *Summary) count(verdict string, rec *Record) {
	switch verdict {
	case model.Feasible.String():
		s.Feasible++
		if rec.Answer == model.Unknown.String() {
			s.ByRun++
		}
	case model.Infeasible.String():
		s.Infeasible++
	case model.Unknown.String():
		s.Unknown++
	}
	if rec.Limit {
		s.Limited++
	}
	if rec.Uncertified {
		s.Uncertified++
	}
}

// verdict is what is known of a set's hard deadlines: the solver's answer, or
// feasible where a run at worst-case times met them all. Empty where the
// solver was not asked.
func (c *Config) verdict(rec *Record) string {
	if rec.Answer != model.Unknown.String() || !c.worstCase() {
		return rec.Answer
	}
	if slices.ContainsFunc(rec.Cells, func(cell Cell) bool { return cell.HardMet() }) {
		return model.Feasible.String()
	}
	return rec.Answer
}

// Objectives lists those that some record knows the best of.
func Objectives(records []*Record) []string {
	var out []string
	for _, name := range model.ObjectiveNames() {
		if slices.ContainsFunc(records, func(rec *Record) bool {
			if rec == nil {
				return false
			}
			_, ok := rec.best(name)
			return ok
		}) {
			out = append(out, name)
		}
	}
	return out
}

// valuesOf lists a figure over all runs of a policy.
func valuesOf(records []*Record, policy string, of func(*Cell) float64) []float64 {
	var out []float64
	for _, rec := range records {
		if rec == nil {
			continue
		}
		for i := range rec.Cells {
			if rec.Cells[i].Policy == policy {
				out = append(out, of(&rec.Cells[i]))
			}
		}
	}
	return out
}

// Gaps are those of a policy in an objective, over the runs that can be compared; toBound of
// them are to a bound.
func (c *Config) Gaps(records []*Record, policy, objective string) (gaps []float64, toBound int) {
	for _, rec := range records {
		if rec == nil {
			continue
		}
		for i := range rec.Cells {
			if rec.Cells[i].Policy != policy {
				continue
			}
			if g, ok := c.gap(rec, &rec.Cells[i], objective); ok {
				gaps = append(gaps, float64(g.Value))
				toBound += int(truth(g.ToBound))
			}
		}
	}
	return gaps, toBound
}

// compare pairs the runs of two policies by job set and seed. Gaps are paired
// where both runs have one.
func (c *Config) compare(records []*Record, a, b string, objectives []string) *Comparison {
	out := &Comparison{A: a, B: b, SameJobs: true}
	type twin struct {
		rec  *Record
		a, b *Cell
	}
	var twins []twin
	for _, rec := range records {
		if rec == nil {
			continue
		}
		bySeed := map[uint64]*Cell{}
		for i := range rec.Cells {
			if rec.Cells[i].Policy == b {
				bySeed[rec.Cells[i].Seed] = &rec.Cells[i]
			}
		}
		for i := range rec.Cells {
			if cell := &rec.Cells[i]; cell.Policy == a {
				twins = append(twins, twin{rec, cell, bySeed[cell.Seed]})
			}
		}
	}
	for i := range measures {
		var left, right []float64
		for _, t := range twins {
			left, right = append(left, measures[i].of(t.a)), append(right, measures[i].of(t.b))
		}
		out.Measures = append(out.Measures, stats.Pair(left, right, measures[i].better))
	}
	for _, o := range objectives {
		var left, right []float64
		for _, t := range twins {
			ga, okA := c.gap(t.rec, t.a, o)
			gb, okB := c.gap(t.rec, t.b, o)
			if okA && okB {
				left, right = append(left, float64(ga.Value)), append(right, float64(gb.Value))
			}
		}
		out.Gaps = append(out.Gaps, stats.Pair(left, right, -1))
	}
	for _, t := range twins {
		out.SameJobs = out.SameJobs && t.a.Accepted == t.a.Jobs && t.b.Accepted == t.b.Jobs
	}
	return out
}

// lines are those of the measures, then of the gaps.
func (c *Comparison) lines() []stats.Paired { return slices.Concat(c.Measures, c.Gaps) }

// told reports whether the i-th of the lines can tell the policies apart: some pairs differ,
// and one is better than the other.
func (c *Comparison) told(i int) bool {
	p := c.lines()[i]
	return p.Equal < p.Difference.N && (i >= len(measures) || measures[i].better != 0)
}

// correct fills in Corrected; the family is every line of all comparisons that can tell
// policies apart.
func correct(all []*Comparison) {
	var ps []float64
	for _, c := range all {
		for i, p := range c.lines() {
			c.Corrected = append(c.Corrected, 1)
			if c.told(i) {
				ps = append(ps, p.P())
			}
		}
	}
	ps = stats.Holm(ps)
	for _, c := range all {
		for i := range c.Corrected {
			if c.told(i) {
				c.Corrected[i], ps = ps[0], ps[1:]
			}
		}
	}
}
