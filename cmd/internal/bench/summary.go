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
	Limited int
	// Failed are runs that came to nothing for what the program of a policy did, in the order of the
	// sets; they are left out.
	Failed     []FailedRun
	Policies   []PolicySummary
	Objectives []string
	// Compared are the paired comparisons, of one policy with each of some others.
	Compared []*Comparison
	// Levels are the same of each workload, in their order, and of each level of Parameter, ascending, where
	// records stand at several or are of several; else there are none. Parameter is empty where there
	// are workloads alone, Workloads tells whether there are several.
	Parameter string
	Workloads bool
	Levels    []LevelSummary
}

// FailedRun is a failure with its job set.
type FailedRun struct {
	Set string
	Failure
}

// LevelSummary is of the job sets of a workload at one level.
type LevelSummary struct {
	Workload string
	// Level is not a number where there are workloads alone.
	Level float64
	*Summary
}

// PolicySummary is a policy's line.
type PolicySummary struct {
	Policy string
	// Observations is how many of the runs count by themselves: those of equal job sets, and of
	// sets that were drawn with the same seed, are one.
	Observations int
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
	// comparisons of the summary and of its levels; 1 where there is nothing to compare.
	Corrected []float64
	// SameJobs tells that both accepted every job in every run.
	SameJobs bool
}

// Summarize puts records into figures; nil records are sets not done. compare
// is empty or some of the policies: the first is compared with each of the others.
func (c *Config) Summarize(records []*Record, compare []string) *Summary {
	s := c.summarize(records, Objectives(records))
	s.Program = c.Program
	s.Compared = c.comparisons(records, compare, s.Objectives)
	family := slices.Clone(s.Compared)
	var levels []part
	s.Parameter, s.Workloads, levels = parts(records)
	for _, l := range levels {
		of := c.summarize(l.records, s.Objectives)
		of.Compared = c.comparisons(l.records, compare, s.Objectives)
		family = append(family, of.Compared...)
		s.Levels = append(s.Levels, LevelSummary{l.workload, l.level, of})
	}
	correct(family)
	return s
}

// comparisons are those of the first of some policies with each of the others.
func (c *Config) comparisons(records []*Record, compare, objectives []string) []*Comparison {
	var out []*Comparison
	for i := 1; i < len(compare); i++ {
		out = append(out, c.compare(records, compare[0], compare[i], objectives))
	}
	return out
}

// summarize is the part that is the same for all records and for those of a level.
func (c *Config) summarize(records []*Record, objectives []string) *Summary {
	s := &Summary{Planned: len(records), Objectives: objectives}
	for _, rec := range records {
		if rec == nil {
			continue
		}
		s.Sets++
		s.Runs += (len(rec.Cells) + len(rec.Failed)) / max(1, len(c.Policies))
		for _, f := range rec.Failed {
			s.Failed = append(s.Failed, FailedRun{rec.Set, f})
		}
		s.count(c.verdict(rec), rec)
	}
	for _, p := range c.Policies {
		line, runs := PolicySummary{Policy: p}, runsOf(records, p)
		units := observations(runs)
		line.Observations = units.Count(len(runs))
		for i := range measures {
			line.Measures = append(line.Measures, measures[i].sample(runs, units))
		}
		for _, o := range s.Objectives {
			of, gaps, bounds := c.gapsOf(runs, o)
			line.Gaps, line.ToBound = append(line.Gaps, stats.MeanOfUnits(gaps, observations(of))), append(line.ToBound, bounds)
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

// valuesOf lists a figure of runs.
func valuesOf(runs []played, of func(*Cell) float64) []float64 {
	var out []float64
	for _, r := range runs {
		out = append(out, of(r.cell))
	}
	return out
}

// Gaps are those of a policy in an objective, over the runs that can be compared; toBound of
// them are to a bound.
func (c *Config) Gaps(records []*Record, policy, objective string) (gaps []float64, toBound int) {
	_, gaps, toBound = c.gapsOf(runsOf(records, policy), objective)
	return gaps, toBound
}

// gapsOf are the gaps of runs, and the runs that they are of.
func (c *Config) gapsOf(runs []played, objective string) (of []played, gaps []float64, toBound int) {
	for _, r := range runs {
		if g, ok := c.gap(r.rec, r.cell, objective); ok {
			of, gaps = append(of, r), append(gaps, float64(g.Value))
			toBound += int(truth(g.ToBound))
		}
	}
	return of, gaps, toBound
}

// compare pairs the runs of two policies by job set and seed. Gaps are paired
// where both runs have one.
func (c *Config) compare(records []*Record, a, b string, objectives []string) *Comparison {
	out := &Comparison{A: a, B: b, SameJobs: true}
	pairs := twins(records, a, b)
	units := observations(pairs)
	for i := range measures {
		var left, right []float64
		for _, t := range pairs {
			left, right = append(left, measures[i].of(t.cell)), append(right, measures[i].of(t.of))
		}
		out.Measures = append(out.Measures, stats.PairUnits(left, right, units, measures[i].better))
	}
	for _, o := range objectives {
		var of []played
		var left, right []float64
		for _, t := range pairs {
			ga, okA := c.gap(t.rec, t.cell, o)
			gb, okB := c.gap(t.rec, t.of, o)
			if okA && okB {
				of, left, right = append(of, t), append(left, float64(ga.Value)), append(right, float64(gb.Value))
			}
		}
		out.Gaps = append(out.Gaps, stats.PairUnits(left, right, observations(of), -1))
	}
	for _, t := range pairs {
		out.SameJobs = out.SameJobs && t.cell.Accepted == t.cell.Jobs && t.of.Accepted == t.of.Jobs
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
