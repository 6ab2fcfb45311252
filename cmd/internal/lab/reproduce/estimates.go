package reproduce

import (
	"context"
	"fmt"

	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/online"
	"downbeat/online/horizon"
)

// runTimes are how far run times lie below what is declared, as quantiles of their shares of it.
type runTimes struct {
	name   string
	shares []share
}

// share is a quantile as a share of the worst case.
type share struct {
	percent int32
	of      float64
}

func allRunTimes() []runTimes {
	return []runTimes{
		{"70 to 100 %", []share{{0, 0.7}}},
		{"10 to 100 %", []share{{0, 0.1}}},
		{"long tail", []share{{0, 0.1}, {50, 0.2}, {90, 0.5}}},
	}
}

// withHistory is a set whose tasks have a history with these run times.
func (s runTimes) withHistory(js *model.JobSet) *model.JobSet {
	out := *js
	out.Jobs, out.Tasks = append([]model.Job(nil), js.Jobs...), nil
	for i := range out.Jobs {
		stages := append([]model.Stage(nil), js.Jobs[i].Stages...)
		for k := range stages {
			groups := append([]model.Group(nil), stages[k].Groups...)
			for g := range groups {
				worst := float64(groups[g].Declared().Longest())
				groups[g].Durations = nil
				for _, q := range s.shares {
					groups[g].Durations = append(groups[g].Durations, model.Quantile{Percent: q.percent, Value: max(1, model.Time(q.of*worst))})
				}
			}
			stages[k].Groups = groups
		}
		out.Jobs[i].Stages = stages
	}
	return &out
}

// guessed is what came of a set with some run times, by what was known of them.
type guessed struct {
	Proved  bool
	Optimum float64
	// Value has the objective, Goodput the share of slot time that jobs in time held.
	Value, Goodput map[string]float64
}

// What is known of run times.
const (
	byPolicy   = "policy"
	byDeclared = "declared"
	byMedian   = "median"
	byScenario = "distribution"
	byPerfect  = "perfect"
)

var knowledge = []string{byPolicy, byDeclared, byMedian, byScenario, byPerfect}

// scenariosOf is how many draws a decision rests on.
func scenariosOf(o Options) int { return o.Few(8, 2) }

// guess holds what is known of run times against the optimum of a set of which all run times are known.
func guess(ctx context.Context, js *model.JobSet, policy string, s runTimes, o Options) (g guessed, err error) {
	w, opts := workOf(o), online.Options{Seed: 1, Durations: online.History{ByTask: true}}
	js = s.withHistory(js)
	if err := js.Assemble(); err != nil {
		return g, err
	}
	realised, err := opts.Realised(js)
	if err != nil {
		return g, err
	}
	if g.Optimum, g.Proved, err = prove(ctx, realised, w.budget); err != nil || !g.Proved {
		return g, err
	}
	g.Value, g.Goodput = map[string]float64{}, map[string]float64{}
	keep := func(name string, out *online.Outcome) {
		g.Value[name] = float64(out.Value(js.Objectives[0]))
		g.Goodput[name] = online.Measure(out).Utilization
	}
	out, err := runPolicy(ctx, js, policy, opts)
	if err != nil {
		return g, err
	}
	keep(byPolicy, out)
	for _, run := range []struct {
		name  string
		js    *model.JobSet
		opts  online.Options
		times horizon.Times
	}{
		{byDeclared, js, opts, horizon.Declared},
		{byMedian, js, opts, horizon.Median},
		{byScenario, js, opts, horizon.Distribution},
		{byPerfect, realised, online.Options{Seed: 1}, horizon.Declared},
	} {
		out, _, err := playHorizon(ctx, run.js, horizon.Params{
			Plan: schedulers.Plan, Constructions: w.constructions, Times: run.times, Scenarios: scenariosOf(o),
		}, run.opts)
		if err != nil {
			return g, err
		}
		keep(run.name, out)
	}
	return g, ctx.Err()
}

// estimated is what came of a family with some run times.
type estimated struct {
	family, times, policy string
	runs                  []*guessed // with a proved optimum
	left                  int
}

func (e *estimated) values(of func(g *guessed) float64) sample {
	out := make(sample, len(e.runs))
	for i := range e.runs {
		out[i] = of(e.runs[i])
	}
	return out
}

func (e *estimated) value(name string) sample {
	return e.values(func(g *guessed) float64 { return g.Value[name] })
}

func (e *estimated) goodput(name string) sample {
	return e.values(func(g *guessed) float64 { return g.Goodput[name] })
}

// collectEstimates tries a family with some run times.
func collectEstimates(ctx context.Context, o Options, f family, s runTimes) (*estimated, error) {
	policy, err := choose(ctx, o, f)
	if err != nil {
		return nil, err
	}
	e := &estimated{family: f.name, times: s.name, policy: policy}
	e.runs, e.left, err = collectProved(ctx, o, "gap "+f.name+" times "+s.name, func(g *guessed) bool { return g.Proved }, func(ctx context.Context, seed uint64) (guessed, error) {
		js, err := f.draw(seed)
		if err != nil {
			return guessed{}, err
		}
		return guess(ctx, softened(js, f.objective), policy, s, o)
	})
	return e, err
}

// writeEstimates asks what it costs not to know how long tasks take.
func writeEstimates(ctx context.Context, d *document, o Options) error {
	var all []*estimated
	for _, f := range families()[:o.Few(len(families()), 1)] {
		for _, s := range allRunTimes()[:o.Few(len(allRunTimes()), 1)] {
			e, err := collectEstimates(ctx, o, f, s)
			if err != nil {
				return err
			}
			all = append(all, e)
		}
	}
	w := workOf(o)
	d.Heading(2, "What estimates cost")
	d.Para("The same sets, of which tasks take less than declared, each by itself: between 70 and 100 %% of it, between 10 and 100 %%, or with a long tail (half up to 20 %%, nine in ten up to 50 %%). The history of tasks tells so, and horizon plans with declared worst cases, with medians, a point estimate, or with the distribution, by %d scenarios a decision; %d constructions a plan. *Perfect* is horizon with all run times of released jobs known, *optimum* that of the set with all run times and releases known, proved. The policy is that of the split, which sees declared times.", scenariosOf(o), w.constructions)
	d.Para("That is the question of 3Sigma (Park et al., EuroSys 2018), with its baselines of point estimates and of a perfect predictor, on sets, times and a planner of our own: orders can be compared with that paper's, figures cannot.")
	writeGuesses(d, all)
	writeGoodput(d, all)
	return nil
}

func writeGuesses(d *document, all []*estimated) {
	header := []string{"family", "run times", "sets", "left out"}
	header = append(append(header, knowledge...), "optimum", "median − perfect", "share of the gap", "median − distribution", "declared − distribution")
	var rows [][]string
	for _, e := range all {
		row := []string{e.family, e.times, fmt.Sprint(len(e.runs)), fmt.Sprint(e.left)}
		for _, name := range knowledge {
			row = append(row, e.value(name).Mean().String())
		}
		optimum := e.values(func(g *guessed) float64 { return g.Optimum })
		estimation := e.value(byMedian).minus(e.value(byPerfect))
		rows = append(rows, append(row, optimum.Mean().String(), paired(e.value(byMedian), e.value(byPerfect)),
			shareOf(estimation, e.value(byPolicy).minus(optimum)),
			paired(e.value(byMedian), e.value(byScenario)), paired(e.value(byDeclared), e.value(byScenario))))
	}
	d.Table(header, rows)
	d.Para("Median − perfect is what point estimates cost, and its share of the policy's gap to the optimum; the last two columns are what planning with the distribution saves. Differences are paired, set by set, and where too few differ for an interval a sign test decides; sets are left out whose optimum was not proved.")
}

// writeGoodput has the share of slot time that jobs in time held.
func writeGoodput(d *document, all []*estimated) {
	d.Heading(3, "Goodput")
	d.Para("The share of slot time, from the first release to the last finish, that jobs in time held.")
	var rows [][]string
	for _, e := range all {
		row := []string{e.family, e.times}
		for _, name := range knowledge {
			row = append(row, e.goodput(name).Share().AsPercent())
		}
		rows = append(rows, append(row, difference(e.goodput(byScenario), e.goodput(byMedian)).AsPercent()))
	}
	d.Table(append(append([]string{"family", "run times"}, knowledge...), "distribution − median"), rows)
}
