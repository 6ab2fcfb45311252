// Gap asks how much of the gap between an online policy and the optimum is due
// to not knowing the future, how much to decisions, and how much to estimates of run times
// (estimates.go).

package reproduce

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

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
// for a decision of the horizon, units for the proof that a decision's plan is best.
type work struct {
	budget        int64
	constructions int
	decision      int64
}

func workOf(o Options) work {
	return work{int64(o.Few(20_000, 6_000)), o.Few(100, 2), int64(o.Few(1_000, 100))}
}

// run is what came of a set.
type run struct {
	Proved  bool
	Optimum float64
	// Value is by policy, Horizon by variant of the horizon.
	Value, Horizon map[string]float64
	// Decisions of the horizon, of which EDF decided some; Exact of the one that proves its plans, and
	// how many of these were best in the objective.
	Decisions, ByEDF, Exact, ProvedExact int
}

// The variants of horizon.
const (
	asItIs     = "horizon"
	exactPlans = "exact"
	ruleOnly   = "one construction"
	noIdling   = "no idling"
	otherGoal  = "another objective"
)

// contenders are the policies that reject no job and do not plan: each as it comes, and orders by a key with
// their options.
func contenders() (names []string) {
	for _, name := range schedulers.Names() {
		if !slices.Contains([]string{"rtmr", "dc", "gree", "lowcost", "federated", "horizon"}, name) {
			names = append(names, name)
		}
	}
	for _, order := range []string{"edf", "llf", "wspt", "atc", "atc:k=0.5"} {
		join := ":"
		if strings.Contains(order, ":") {
			join = ","
		}
		names = append(names, order+join+"choice=best", order+join+"choice=best,feasible=yes")
	}
	return names
}

// valuesOf runs all policies on a set.
func valuesOf(ctx context.Context, js *model.JobSet) (map[string]float64, error) {
	values := map[string]float64{}
	for _, name := range contenders() {
		out, err := runPolicy(ctx, js, name, online.Options{Seed: 1})
		if err != nil {
			return nil, err
		}
		values[name] = float64(out.Value(js.Objectives[0]))
	}
	return values, nil
}

// prove finds the optimum of a set with a single objective, if it can be proved.
func prove(ctx context.Context, js *model.JobSet, budget int64) (optimum float64, proved bool, err error) {
	res, err := solve.Plan(ctx, js, solve.Options{Budget: budget, Seed: 1, NoConflict: true})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || !res.Closed() {
		return 0, false, err
	}
	return float64(res.Objectives[0].Value), true, nil
}

// try holds all schedulers against the optimum of a set.
func try(ctx context.Context, js *model.JobSet, w work) (r run, err error) {
	r.Optimum, r.Proved, err = prove(ctx, js, w.budget)
	if err != nil || !r.Proved {
		return r, err
	}
	if r.Value, err = valuesOf(ctx, js); err != nil {
		return r, err
	}
	r.Horizon = map[string]float64{}
	prover := &prover{ctx: ctx, budget: w.decision}
	blind := *js // it plans for weighted tardiness, or where that is what counts for misses
	blind.Objectives = []model.Objective{model.WeightedTardiness}
	if js.Objectives[0] == model.WeightedTardiness {
		blind.Objectives[0] = model.Misses
	}
	for _, variant := range []struct {
		name   string
		js     *model.JobSet
		params horizon.Params
	}{
		{asItIs, js, horizon.Params{Plan: schedulers.Plan, Constructions: w.constructions}},
		{exactPlans, js, horizon.Params{Plan: prover.plan, Constructions: w.constructions}},
		{ruleOnly, js, horizon.Params{Plan: schedulers.Plan, Constructions: 1}},
		{noIdling, js, horizon.Params{Plan: schedulers.Plan, Constructions: w.constructions, NoIdle: true}},
		{otherGoal, &blind, horizon.Params{Plan: schedulers.Plan, Constructions: w.constructions}},
	} {
		out, p, err := playHorizon(ctx, variant.js, variant.params, online.Options{Seed: 1})
		if err != nil {
			return r, err
		}
		r.Horizon[variant.name] = float64(out.Value(js.Objectives[0]))
		if variant.name == asItIs {
			r.Decisions, r.ByEDF = p.Decisions()
		}
	}
	r.Exact, r.ProvedExact = prover.asked, prover.proved
	return r, ctx.Err()
}

// playHorizon runs the receding horizon, with no bound on placements.
func playHorizon(ctx context.Context, js *model.JobSet, params horizon.Params, opts online.Options) (*online.Outcome, *horizon.Policy, error) {
	params.Placements, params.Seed = int(model.MaxTime), 1
	p := horizon.New(params)
	out, err := online.Play(ctx, js, p, opts)
	return out, p, err
}

// prover plans decisions exactly as far as the budget goes, from what the search finds.
type prover struct {
	ctx           context.Context
	budget        int64
	asked, proved int // proved to be best in the first objective
}

func (p *prover) plan(js *model.JobSet, from model.Schedule, constructions int, seed uint64) model.Schedule {
	plan := schedulers.Plan(js, from, constructions, seed)
	res, err := solve.Plan(p.ctx, js, solve.Options{Budget: p.budget, Seed: seed, NoConflict: true, From: plan})
	p.asked++
	if err != nil || res.Schedule == nil {
		return plan
	}
	if first := res.Objectives[0]; first.Bound != nil && *first.Bound == first.Value {
		p.proved++
	}
	return res.Schedule
}

// result is what came of a family.
type result struct {
	family
	runs []*run // of the sets with a proved optimum
	left int    // sets without
	// chosen is the policy with the least mean over other sets, best that with the least over these.
	chosen, best string
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

func (g *result) horizon(variant string) sample {
	return g.values(func(r *run) float64 { return r.Horizon[variant] })
}

func (g *result) optimum() sample { return g.values(func(r *run) float64 { return r.Optimum }) }

// leastOf is the policy with the least mean value.
func leastOf(values []map[string]float64) (best string) {
	least := 0.0
	for _, name := range contenders() {
		sum := 0.0
		for _, v := range values {
			sum += v[name]
		}
		if best == "" || sum < least {
			best, least = name, sum
		}
	}
	return best
}

// gapParts are the parts of the gap between the chosen policy and the optimum.
var gapParts = []struct {
	name string
	of   func(g *result) sample
}{
	{"decisions", func(g *result) sample { return g.policy(g.chosen).minus(g.horizon(asItIs)) }},
	{"search", func(g *result) sample { return g.horizon(asItIs).minus(g.horizon(exactPlans)) }},
	{"future", func(g *result) sample { return g.horizon(exactPlans).minus(g.optimum()) }},
}

func (g *result) gap() sample { return g.policy(g.chosen).minus(g.optimum()) }

// training is the first of the seeds on which policies are chosen; none is among those of the report.
const training = 1_000_001

// choose finds the policy of a family on sets of its own.
func choose(ctx context.Context, o Options, f family) (string, error) {
	values, err := Collect(ctx, o, "gap "+f.name+" training", o.Seeds, func(ctx context.Context, i int) (map[string]float64, error) {
		js, err := f.draw(uint64(training + i))
		if err != nil {
			return nil, err
		}
		return valuesOf(ctx, softened(js, f.objective))
	})
	return leastOf(values), err
}

// collectProved tries seeds from 1 on until so many sets have a proved optimum, or twice as many were
// drawn; left counts those without.
func collectProved[T any](ctx context.Context, o Options, key string, proved func(*T) bool, try func(ctx context.Context, seed uint64) (T, error)) (runs []*T, left int, err error) {
	for _, half := range []string{"first", "second"} {
		drawn := len(runs) + left
		all, err := Collect(ctx, o, key+" "+half, o.Seeds-len(runs), func(ctx context.Context, i int) (T, error) {
			return try(ctx, uint64(drawn+i+1))
		})
		if err != nil {
			return nil, 0, err
		}
		for i := range all {
			if proved(&all[i]) {
				runs = append(runs, &all[i])
			} else {
				left++
			}
		}
	}
	if len(runs) < 2 {
		return nil, 0, fmt.Errorf("%s: fewer than two optima were proved", key)
	}
	return runs, left, nil
}

// collect tries a family.
func collect(ctx context.Context, o Options, f family) (*result, error) {
	g := &result{family: f}
	var err error
	if g.chosen, err = choose(ctx, o, f); err != nil {
		return nil, err
	}
	g.runs, g.left, err = collectProved(ctx, o, "gap "+f.name, func(r *run) bool { return r.Proved }, func(ctx context.Context, seed uint64) (run, error) {
		js, err := f.draw(seed)
		if err != nil {
			return run{}, err
		}
		return try(ctx, softened(js, f.objective), workOf(o))
	})
	if err != nil {
		return nil, err
	}
	var values []map[string]float64
	for _, r := range g.runs {
		values = append(values, r.Value)
	}
	g.best = leastOf(values)
	return g, nil
}

// gapSections are the parts of the report.
func gapSections() []reportSection {
	return []reportSection{
		{Name: "the split of the gap", Write: gapWrite},
		{Name: "what estimates cost", Write: writeEstimates},
	}
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
	d.Para("The policy of a family is that with the least mean over %d other sets of it, of %d policies; what would have been the best on the sets of the report is told beside it. Its gap to the optimum is split by two schedules between them. **Horizon** plans what is known at each decision with %d constructions of a plan, and knows no more than the policy does: what the policy is above it is due to *decisions* that could have been better with the same knowledge. **Exact** plans the same with the solver, %d units of work a decision, from what the search found: what horizon is above it is *search* that did not get there. What exact is above the optimum is the price of the *future* that it did not know.", o.Seeds, len(contenders()), w.constructions, w.decision)
	writeValues(d, results, w)
	writeSplit(d, results)
	writeAblation(d, results)
	writeReading(d, results)
	return nil
}

// writeValues has the values themselves.
func writeValues(d *document, results []*result, w work) {
	d.Heading(2, "Values")
	var rows [][]string
	for _, g := range results {
		rows = append(rows, []string{
			g.name, g.objective.String(), fmt.Sprint(len(g.runs)), g.policy("edf").Mean().String(),
			fmt.Sprintf("%s (`%s`)", g.policy(g.chosen).Mean(), g.chosen),
			fmt.Sprintf("%s (`%s`)", g.policy(g.best).Mean(), g.best),
			g.horizon(asItIs).Mean().String(), g.horizon(exactPlans).Mean().String(), g.optimum().Mean().String(),
			g.of(func(r *run) (int, int) { return r.ProvedExact, r.Exact }), g.of(func(r *run) (int, int) { return r.ByEDF, r.Decisions }),
		})
	}
	d.Table([]string{"family", "objective", "sets", "edf", "policy chosen", "best in hindsight", fmt.Sprintf("horizon, %d", w.constructions), "exact", "optimum", "proved", "by EDF"}, rows)
	d.Para("Proved: the share of exact's decisions of which the plan was proved to be best, in the objective, of what was known; of the others it is the best that was found. By EDF: the share of horizon's decisions at which the work was spent before there was a plan, and EDF decided.")
	var items []string
	for _, g := range results {
		p := stats.Pair(g.horizon(asItIs), g.policy("edf"), -1)
		items = append(items, fmt.Sprintf("%s: horizon is better than EDF on %d sets, worse on %d, equal on %d.", g.name, p.ABetter, p.BBetter, p.Equal))
	}
	d.List(items)
}

// of is a share of decisions.
func (g *result) of(count func(r *run) (part, whole int)) string {
	part, whole := 0, 0
	for _, r := range g.runs {
		p, w := count(r)
		part, whole = part+p, whole+w
	}
	return fmt.Sprintf("%.1f %% of %d", 100*float64(part)/float64(max(1, whole)), whole)
}

// there reports whether a gap is shown to be above 0.
func there(gap sample) bool { return gap.Mean().Low > 0 }

// shareOf is what share of a gap a part is, where there is one.
func shareOf(part, gap sample) string {
	if !there(gap) {
		return "-"
	}
	return ratio(part, gap).AsPercent()
}

// writeSplit has the parts, and the figure.
func writeSplit(d *document, results []*result) {
	d.Heading(2, "The split of the gap")
	bars := chart.BarChart{Title: "An online policy's gap to the proved optimum, split", YLabel: "share of the gap in %"}
	header := []string{"family", "policy", "its gap"}
	for _, p := range gapParts {
		header = append(header, p.name, "share")
		bars.Series = append(bars.Series, p.name)
	}
	bars.Bars = make([][]chart.Bar, len(gapParts))
	var rows [][]string
	for _, g := range results {
		gap := g.gap()
		row := []string{g.name, "`" + g.chosen + "`", gap.Mean().String()}
		bars.Groups = append(bars.Groups, g.name)
		for i, p := range gapParts {
			part, bar := p.of(g), chart.Bar{Value: math.NaN(), Published: math.NaN()}
			if there(gap) {
				r := ratio(part, gap)
				bar.Value, bar.Half = 100*r.Value, 100*r.Half()
			}
			bars.Bars[i], row = append(bars.Bars[i], bar), append(row, part.Mean().String(), shareOf(part, gap))
		}
		rows = append(rows, row)
	}
	d.Table(header, rows)
	d.Para("A share is the ratio of the means, its interval that of its linearisation over the sets: part and gap go up and down together. There is none where the gap is not shown to be above 0.")
	d.Draw("gap", "share of the gap that is due to decisions, to search and to the future, by family", bars.Draw)
}

// writeAblation takes from horizon one thing at a time in which it differs from policies.
func writeAblation(d *document, results []*result) {
	d.Heading(2, "What makes horizon better")
	d.Para("Horizon differs from the policies in its search, in slots that it leaves free, and in that it knows what counts. Each by itself: how much worse it is with a single construction a decision; with EDF handing out whatever fits where the plan leaves a slot free, on whatever slave asks; and if it plans for weighted tardiness (for misses, where weighted tardiness counts). Paired differences to horizon as it is; a sign test decides where too few sets differ for an interval.")
	variants := []string{ruleOnly, noIdling, otherGoal}
	var rows [][]string
	for _, g := range results {
		row := []string{g.name, g.policy(g.chosen).Mean().String(), g.horizon(asItIs).Mean().String()}
		for _, v := range variants {
			row = append(row, paired(g.horizon(v), g.horizon(asItIs)))
		}
		rows = append(rows, row)
	}
	d.Table(append([]string{"family", "policy chosen", "horizon"}, variants...), rows)
}

// writeReading says what the figures show and what they do not.
func writeReading(d *document, results []*result) {
	d.Heading(2, "What this shows")
	var items []string
	for _, g := range results {
		decisions := g.policy(g.chosen).minus(g.horizon(exactPlans))
		items = append(items, fmt.Sprintf("%s: %s", g.name, sentence(decisions, gapParts[2].of(g))))
	}
	items = append(items,
		"The part of the future is an upper bound on the price of not knowing it: a policy that allows for jobs to come, as horizon does not, may do better with the same knowledge.",
		"Where exact is not better than horizon, more search within a decision would not move the border between decisions and future.")
	d.List(items)
}

// sentence says which of two parts is the larger, by their paired difference: decisions and search, and
// the future.
func sentence(decisions, future sample) string {
	p := stats.Pair(decisions, future, +1)
	text := "Decisions and search less the future: " + paired(decisions, future) + ". "
	switch {
	case !p.Shows():
		return text + "Neither part is shown to be the larger."
	case p.Difference.Mean > 0:
		return text + "Most of the gap is due to decisions that could have been better with what was known."
	default:
		return text + "Most of the gap is due to not knowing the future."
	}
}

// paired is by how much a is above b in the mean, set by set; where there is no interval, whether a sign
// test shows it.
func paired(a, b sample) string {
	p := stats.Pair(a, b, +1)
	text := estimateOf(p.Difference).String()
	if !p.Difference.Fixed() && p.Shows() {
		return strings.Replace(text, "(few)", "(sign test)", 1)
	}
	return text
}
