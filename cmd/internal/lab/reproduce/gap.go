// Gap asks how much of the gap between the best online policy and the optimum is due
// to not knowing the future, and how much to decisions.

package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/stats"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/horizon"
	"downbeat/online/workload"
	"downbeat/solve"
)

// family is a kind of job set of which the gap is split.
type family struct {
	name      string
	objective model.Objective
	draw      func(seed uint64) (*model.JobSet, error)
}

func fromFamily(seed uint64, name string) (*model.JobSet, error) {
	js, _, err := gen.Family(name, seed)
	return js, err
}

// families are small enough for optima to be proved, and contended.
func families() []family {
	named := func(name string, o model.Objective) family {
		return family{name, o, func(seed uint64) (*model.JobSet, error) { return fromFamily(seed, name) }}
	}
	return []family{
		named("tight", model.Misses),
		named("misses", model.Misses),
		named("tardiness", model.Tardiness),
		{"small", model.WeightedTardiness, func(seed uint64) (*model.JobSet, error) { return gen.Small(seed, 24), nil }},
		{"realtime", model.Misses, func(seed uint64) (*model.JobSet, error) {
			w, err := workload.Parse(fmt.Sprintf("realtime:utilisation=0.8,seed=%d", seed))
			if err != nil {
				return nil, err
			}
			return w.JobSet()
		}},
	}
}

// softened is a set with all its hard jobs soft and one objective: every run of every
// policy that rejects none can then be held against the optimum.
func softened(js *model.JobSet, o model.Objective) *model.JobSet {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		if out.Jobs[i].Kind == model.Hard {
			out.Jobs[i].Kind = model.Soft
		}
	}
	out.Objectives = []model.Objective{o}
	return &out
}

// work is what a set may cost: units for the proof of its optimum, constructions of a plan
// for a decision of the horizon, and more of these.
type work struct {
	budget      int64
	usual, more int
}

func workOf(o Options) work {
	return work{int64(o.Few(20_000, 6_000)), o.Few(100, 2), o.Few(1_000, 4)}
}

// run is what came of a set.
type run struct {
	Proved  bool
	Optimum float64
	// Value is by policy.
	Value map[string]float64
	// Horizon is at the usual work, More at ten times of it, Informed with all of the set
	// known from the start and as much work as all decisions of horizon had.
	Horizon, More, Informed float64
	Decisions, ByEDF        int
}

// contenders are the policies that reject no job and do not plan.
func contenders() (names []string) {
	for _, name := range schedulers.Names() {
		if !slices.Contains([]string{"rtmr", "dc", "gree", "lowcost", "horizon"}, name) {
			names = append(names, name)
		}
	}
	return names
}

// try holds all schedulers against the optimum of a set.
func try(ctx context.Context, js *model.JobSet, w work) (r run, err error) {
	res, err := solve.Plan(ctx, js, solve.Options{Budget: w.budget, Seed: 1, NoConflict: true})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !res.Closed() {
		return r, err
	}
	objective := js.Objectives[0]
	r = run{Proved: true, Optimum: float64(res.Objectives[0].Value), Value: map[string]float64{}}
	for _, name := range contenders() {
		out, err := runPolicy(ctx, js, name, online.Options{Seed: 1})
		if err != nil {
			return r, err
		}
		r.Value[name] = float64(out.Value(objective))
	}
	for _, plan := range []struct {
		constructions int
		value         *float64
	}{{w.more, &r.More}, {w.usual, &r.Horizon}} {
		p := horizon.New(horizon.Params{Plan: schedulers.Plan, Constructions: plan.constructions, Placements: int(model.MaxTime), Seed: 1})
		out, err := online.Play(ctx, js, p, online.Options{Seed: 1})
		if err != nil {
			return r, err
		}
		*plan.value = float64(out.Value(objective))
		r.Decisions, r.ByEDF = p.Decisions()
	}
	whole := schedulers.Plan(js, model.NewSchedule(len(js.Tasks)), w.usual*r.Decisions, 1)
	r.Informed = float64(js.Value(objective, js.Finishes(whole)))
	return r, nil
}

// result is what came of a family.
type result struct {
	family
	runs []*run // of the sets with a proved optimum
	left int    // sets without
	best string // the policy with the least mean
}

func (g *result) values(of func(r *run) float64) sample {
	out := make(sample, len(g.runs))
	for i, r := range g.runs {
		out[i] = of(r)
	}
	return out
}

func (g *result) policy(name string) sample {
	return g.values(func(r *run) float64 { return r.Value[name] })
}

// findBest finds the policy with the least mean value.
func (g *result) findBest() {
	least := 0.0
	for _, name := range contenders() {
		if mean := g.policy(name).Mean().Value; g.best == "" || mean < least {
			g.best, least = name, mean
		}
	}
}

// gapParts are the parts of the gap between the best policy and the optimum.
var gapParts = []struct {
	name string
	of   func(r *run, best string) float64
}{
	{"search not finished", func(r *run, _ string) float64 { return r.Informed - r.Optimum }},
	{"future not known", func(r *run, _ string) float64 { return r.Horizon - r.Informed }},
	{"decisions", func(r *run, best string) float64 { return r.Value[best] - r.Horizon }},
}

func (g *result) part(i int) sample {
	return g.values(func(r *run) float64 { return gapParts[i].of(r, g.best) })
}

// collect draws sets of a family until so many have a proved optimum, or twice as many were
// drawn.
func collect(ctx context.Context, o Options, f family) (*result, error) {
	g := &result{family: f}
	for _, half := range []string{"first", "second"} {
		drawn := len(g.runs) + g.left
		runs, err := Collect(ctx, o, "gap "+f.name+" "+half, o.Seeds-len(g.runs), func(ctx context.Context, i int) (run, error) {
			js, err := f.draw(uint64(drawn + i + 1))
			if err != nil {
				return run{}, err
			}
			return try(ctx, softened(js, f.objective), workOf(o))
		})
		if err != nil {
			return nil, err
		}
		for i := range runs {
			if runs[i].Proved {
				g.runs = append(g.runs, &runs[i])
			} else {
				g.left++
			}
		}
	}
	if len(g.runs) < 2 {
		return nil, fmt.Errorf("family %s: fewer than two optima were proved", f.name)
	}
	g.findBest()
	return g, nil
}

// gapSections are the parts of the report.
func gapSections() []reportSection {
	return []reportSection{{Name: "the split of the gap", Write: gapWrite}}
}

func gapWrite(ctx context.Context, d *document, o Options) error {
	var results []*result
	w := workOf(o)
	for _, f := range families() {
		g, err := collect(ctx, o, f)
		if err != nil {
			return err
		}
		results = append(results, g)
	}
	sets, left := 0, 0
	for _, g := range results {
		sets, left = sets+len(g.runs), left+g.left
	}
	d.Para("Over %d job sets with a proved optimum, all jobs soft, tasks at declared times; %d more were drawn of which the optimum was not proved with %d units of work, and are left out. Figures are means with 95 %% intervals. Policies that reject jobs are left out.", sets, left, w.budget)
	d.Para("The best policy of a family is that with the least mean over the same sets, so the gap is that of the best choice in hindsight. Its gap to the optimum is split by two schedules between them. **Horizon** plans what is known at each decision with %d constructions of a plan, and knows no more than the policy does: what the policy is above it is due to decisions that could have been better with the same knowledge. **Informed** is a plan by the same search with all jobs known at tick 0 and as many constructions as all decisions of horizon together: what horizon is above it is due to not knowing the future. What informed is above the optimum is search that did not get there.", w.usual)
	writeValues(d, results, w)
	writeSplit(d, results)
	writeReading(d, results, w)
	return nil
}

// writeValues has the values themselves.
func writeValues(d *document, results []*result, w work) {
	d.Heading(2, "Values")
	var rows [][]string
	for _, g := range results {
		rows = append(rows, []string{
			g.name, g.objective.String(), fmt.Sprint(len(g.runs)), g.policy("edf").Mean().String(),
			fmt.Sprintf("%s (%s)", g.policy(g.best).Mean(), g.best),
			g.values(func(r *run) float64 { return r.Horizon }).Mean().String(),
			g.values(func(r *run) float64 { return r.More }).Mean().String(),
			g.values(func(r *run) float64 { return r.Informed }).Mean().String(),
			g.values(func(r *run) float64 { return r.Optimum }).Mean().String(),
			g.byEDF(),
		})
	}
	d.Table([]string{"family", "objective", "sets", "edf", "best policy", fmt.Sprintf("horizon, %d", w.usual), fmt.Sprintf("horizon, %d", w.more), "informed", "optimum", "by EDF"}, rows)
	var items []string
	for _, g := range results {
		p := stats.Pair(g.values(func(r *run) float64 { return r.Horizon }), g.policy("edf"), -1)
		items = append(items, fmt.Sprintf("%s: horizon is better than EDF on %d sets, worse on %d, equal on %d.", g.name, p.ABetter, p.BBetter, p.Equal))
	}
	d.List(items)
	d.Para("By EDF: the share of horizon's decisions at which the work was spent before there was a plan, and EDF decided.")
}

// byEDF is the share of decisions that fell back.
func (g *result) byEDF() string {
	all, byEDF := 0, 0
	for _, r := range g.runs {
		all, byEDF = all+r.Decisions, byEDF+r.ByEDF
	}
	return fmt.Sprintf("%.1f %% of %d", 100*float64(byEDF)/float64(max(1, all)), all)
}

// writeSplit has the parts, and the figure.
func writeSplit(d *document, results []*result) {
	d.Heading(2, "The split of the gap")
	bars := chart.BarChart{Title: "The best online policy's gap to the proved optimum, split", YLabel: "share of the gap in %"}
	header := []string{"family", "best policy", "its gap"}
	for _, p := range gapParts {
		header = append(header, p.name)
		bars.Series = append(bars.Series, p.name)
	}
	bars.Bars = make([][]chart.Bar, len(gapParts))
	var rows [][]string
	for _, g := range results {
		gap := g.values(func(r *run) float64 { return r.Value[g.best] - r.Optimum }).Mean()
		row := []string{g.name, g.best, gap.String()}
		bars.Groups = append(bars.Groups, g.name)
		for i := range gapParts {
			part, bar := g.part(i).Mean(), chart.Bar{Value: math.NaN(), Published: math.NaN()}
			text := part.String()
			if gap.Value > 0 {
				bar.Value, bar.Half = 100*part.Value/gap.Value, 100*part.Half()/gap.Value
				text = fmt.Sprintf("%s (%.0f %%)", part, bar.Value)
			}
			bars.Bars[i], row = append(bars.Bars[i], bar), append(row, text)
		}
		rows = append(rows, row)
	}
	d.Table(header, rows)
	d.Draw("gap", "share of the gap that is due to search, to the future and to decisions, by family", bars.Draw)
}

// writeReading says what the figures show and what they do not.
func writeReading(d *document, results []*result, w work) {
	d.Heading(2, "What this shows")
	var items []string
	for _, g := range results {
		future, decisions := g.part(1).Mean(), g.part(2).Mean()
		items = append(items, fmt.Sprintf("%s: %s", g.name, sentence(future, decisions)))
	}
	items = append(items,
		"The part of the future is an upper bound on the price of not knowing it: a policy that allows for jobs to come, as horizon does not, may do better with the same knowledge.",
		fmt.Sprintf("Where horizon with %d constructions is hardly better than with %d, more search within a decision would not move the border between the two parts.", w.more, w.usual))
	d.List(items)
}

// sentence says which of two parts is the larger, where their intervals let it.
func sentence(future, decisions estimate) string {
	switch {
	case decisions.Low > future.High:
		return "most of the gap is due to decisions that could have been better with what was known."
	case future.Low > decisions.High:
		return "most of the gap is due to not knowing the future."
	default:
		return "neither part is shown to be the larger."
	}
}
