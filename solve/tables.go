package solve

import (
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// The tables: which strategies run, in what order and with what share, on one
// worker and on two. Before any table plan.go tries energy and some constructions
// (findPlan, close). A worker goes over its entries in rounds; Units are those of
// rounds 0, 1, …, the last for all after. What a unit is, is said at the strategy's
// constructor. A single worker counts work in place of time, so that its answers
// repeat, and takes turns between bounds and plans. Of two the first works on the
// bound, the second on the plan, with slices of time that double with its rounds.
// Further workers search locally with other seeds.

// secondWorkerPatience is the slice of a second worker in its first round: a question that
// is settled at all is settled within it in most sets of up to 100 tasks.
const secondWorkerPatience = 2 * time.Second

// forObjective is the table for an objective.
func forObjective(w *portfolio.Work, cuts *strategy.Cuts, byGuide *strategy.Guided, workers int) []portfolio.Worker {
	bounds := boundsFor(w, cuts, workers)
	if workers == 1 {
		return []portfolio.Worker{enumerated(led(packed(priced(alone(w, bounds), w), w), byGuide, len(w.JS.Tasks)), w)}
	}
	first := []portfolio.Entry{{Name: "values from the bound up", Strategy: strategy.NewFromBound(w)}}
	if strategy.ForEjection(w) && misses(w) {
		first = append(first, ejectionPool(w, w.Seed+2, aidingEjections))
	}
	out := []portfolio.Worker{
		enumerated(packed(priced(portfolio.Worker{
			Entries:   append(first, bounds.first...),
			Otherwise: improving(w, w.Seed, w.Seed),
		}, w), w), w),
		led(above(w, bounds.second), byGuide, len(w.JS.Tasks)),
	}
	for k := 2; k < workers; k++ {
		out = append(out, portfolio.Worker{Entries: []portfolio.Entry{
			localSearch(w, w.Seed+uint64(k), nil),
		}})
	}
	return out
}

// aidingEjections are units of the ejection pool of the worker that works on the bound:
// two seconds at first, and more as the questions beside it take longer. The bound of so
// many tasks comes of prices mostly, and the plan is what is far off.
var aidingEjections = []int{16, 32, 64}

// misses reports whether the objective at hand counts late jobs.
func misses(w *portfolio.Work) bool {
	return w.Goal[w.P] == model.Misses || w.Goal[w.P] == model.HardMisses
}

// moreGuides is how many guides are looked at in each round but the first, in which it
// is many more where sets are small.
const moreGuides = 8

func firstGuides(tasks int) int { return max(20, 80_000/tasks) }

// led puts guided plans first, where there are any.
func led(k portfolio.Worker, byGuide *strategy.Guided, tasks int) portfolio.Worker {
	if byGuide == nil {
		return k
	}
	entry := portfolio.Entry{Name: "guided list scheduling", Strategy: byGuide, Units: []int{firstGuides(tasks), moreGuides}}
	k.Entries = append([]portfolio.Entry{entry}, k.Entries...)
	k.Otherwise = append([]portfolio.Entry{entry}, k.Otherwise...)
	return k
}

// bounds are the entries for the bound: of the first worker, beside questions, and
// what the second lends a hand with.
type bounds struct{ first, second []portfolio.Entry }

// enumerated puts enumeration first where ticks are so fine that all else takes long.
func enumerated(k portfolio.Worker, w *portfolio.Work) portfolio.Worker {
	if strategy.FineTicks(w.JS) {
		k.Entries = append(enumeration(w), k.Entries...)
	}
	return k
}

// enumeratedLast puts it last where ticks are not.
func enumeratedLast(entries []portfolio.Entry, w *portfolio.Work) []portfolio.Entry {
	if strategy.FineTicks(w.JS) {
		return entries
	}
	return append(entries, enumeration(w)...)
}

func enumeration(w *portfolio.Work) []portfolio.Entry {
	return []portfolio.Entry{{Name: "enumeration", Strategy: strategy.NewEnumeration(w), Units: []int{1}}}
}

// packed puts packing first, which is over at once where it does not apply.
func packed(k portfolio.Worker, w *portfolio.Work) portfolio.Worker {
	if w.Goal[w.P] == model.Makespan || w.Goal[w.P] == model.Tardiness {
		entry := portfolio.Entry{Name: "packing", Strategy: strategy.NewPacking(w), Units: []int{packings}}
		k.Entries = append([]portfolio.Entry{entry}, k.Entries...)
	}
	return k
}

// priced puts the prices of pools first: what they have for large sets comes in seconds,
// and before questions that may be too large to be put.
func priced(k portfolio.Worker, w *portfolio.Work) portfolio.Worker {
	prices := portfolio.Entry{Name: "prices of pools", Strategy: strategy.NewPoolPrices(w), Units: []int{pooledStages}}
	k.Entries = append([]portfolio.Entry{prices}, k.Entries...)
	return k
}

// pooledStages is how many stages of a search for prices of pools are run in a round.
const pooledStages = 12

// boundsFor is the table of the bounds.
func boundsFor(w *portfolio.Work, cuts *strategy.Cuts, workers int) bounds {
	dual := strategy.NewDual(w, cuts)
	switch w.Goal[w.P] {
	case model.Misses, model.HardMisses:
		var between []portfolio.Entry
		if workers == 1 {
			between = improving(w, w.Seed+1, w.Seed)
		}
		master := strategy.NewMaster(w, cuts, tardinessRelaxation, between)
		return bounds{
			first: []portfolio.Entry{
				{Name: "dual prices", Strategy: dual, Units: []int{1, 0, 16, 0}},
				{Name: "master problem of late jobs", Strategy: master},
				{Name: "dives for late jobs", Strategy: master.Dives(), Units: []int{1, 2}},
			},
			second: []portfolio.Entry{{Name: "branching on candidates", Strategy: master.Aside()}},
		}
	case model.WeightedTardiness:
		return bounds{first: []portfolio.Entry{
			{Name: "dual prices", Strategy: dual, Units: []int{1, 0}},
			{Name: "branching on ends", Strategy: strategy.NewOnEnds(w), Units: []int{1}},
		}}
	case model.Tardiness:
		return bounds{first: []portfolio.Entry{
			{Name: "dual prices", Strategy: dual, Units: []int{1, 0}},
			{Name: "branching", Strategy: strategy.NewBranching(w), Units: []int{2, 1}},
		}}
	default:
		return bounds{first: []portfolio.Entry{
			{Name: "dual prices", Strategy: dual, Units: []int{1, 0}},
			{Name: "branching", Strategy: strategy.NewBranching(w), Units: []int{0, 1}},
		}}
	}
}

// alone is the table of a single worker: in round 0 the bounds, in each round after
// a question, more for the bounds, list scheduling and neighbourhoods. Tardiness of many
// tasks is left open by the first bounds: plans come before branching then, in round 0
// too, dives after it, for small budgets are better spent on the bound, and the question,
// which takes long there, comes last. For weighted tardiness a short slice on the bound is
// before them, which small budgets are better spent on, and the question, which is not
// answered in time as long as the gap is wide, waits for another round.
func alone(w *portfolio.Work, b bounds) portfolio.Worker {
	question := []portfolio.Entry{{Name: "values from the bound up", Strategy: strategy.NewFromBound(w), Units: []int{0, 1}}}
	dual := slices.Clone(b.first[:1])
	if strategy.BesideLists(w) {
		dual = append(dual, ejectionPool(w, w.Seed, []int{firstEjection, 0}))
	}
	plans := improving(w, w.Seed+1, w.Seed)
	for k := range plans {
		plans[k].Units = []int{0, plans[k].Units[0]}
	}
	entries := slices.Concat(question, dual, b.first[1:], plans)
	tardiness, weighted := strategy.TardinessOfMany(w), strategy.WeightedOfMany(w)
	if tardiness || weighted {
		plans[0].Units[0], plans[1].Units[0] = 1, earlyNeighbourhoods
	}
	switch {
	case tardiness:
		entries = slices.Concat(dual, plans, b.first[1:], []portfolio.Entry{dives(w, w.Seed)}, question)
	case weighted:
		question[0].Units = []int{0, 0, 1}
		entries = slices.Concat(dual, b.first[1:], plans, question)
	}
	return portfolio.Worker{Entries: entries, Otherwise: improving(w, w.Seed, w.Seed)}
}

// Dives: most that come to a plan do so with the first, and once for each value that is
// between the bound and the plan; the last tick has been found by the thirtieth.
const firstDives, moreDives = 6, 12

func dives(w *portfolio.Work, seed uint64) portfolio.Entry {
	return portfolio.Entry{Name: "dives", Strategy: strategy.NewDives(w, seed), Units: []int{firstDives, moreDives}}
}

// earlyNeighbourhoods is how many are searched before the first branching.
const earlyNeighbourhoods = 15

// above is the table of the worker that improves the plan.
func above(w *portfolio.Work, aside []portfolio.Entry) portfolio.Worker {
	upper := strategy.NewBelowPlan(w, w.Seed+1)
	atOnce := []portfolio.Entry{{Name: "values below the plan, at once", Strategy: upper.Quick()}}
	search := localSearches(w, w.Seed+1, nil)
	if strategy.TardinessOfMany(w) {
		search = append([]portfolio.Entry{dives(w, w.Seed+1)}, search...)
	}
	if strategy.ForEjection(w) { // of so many tasks nothing is answered at once
		atOnce, search = search, atOnce
	}
	entries := append(slices.Concat(aside, atOnce, search),
		portfolio.Entry{Name: "large neighbourhoods", Strategy: strategy.NewNeighbourhoods(w, w.Seed+1), Units: []int{neighbourhoodsFor(w.JS)}},
		portfolio.Entry{Name: "values below the plan", Strategy: upper},
	)
	return portfolio.Worker{Entries: enumeratedLast(entries, w), Patience: secondWorkerPatience, Otherwise: improving(w, w.Seed+1, w.Seed+1)}
}

// packings is how many values are looked at in a round, where it applies at all.
const packings = 16

// neighbourhoods is how many are searched between rounds of list scheduling.
const neighbourhoods = 60

// neighbourhoodsFor is how many are searched of a set. Where jobs come after jobs, and
// are few, one is nearly as hard as the question about the whole, for which the time is
// better spent.
func neighbourhoodsFor(js *model.JobSet) int {
	if js.JobsLinked() && len(js.Tasks) < 100 {
		return neighbourhoods / 10
	}
	return neighbourhoods
}

// ejectionsBetween are units of the ejection pool where it is beside lists: half a second,
// for at so few tasks a unit takes a quarter of what it does otherwise.
const ejectionsBetween = 16

// firstEjection is a third of a second of the ejection pool, after the first bound and before
// candidates: most of what it comes to at all comes then.
const firstEjection = 12

// improving is what is left where no questions can be asked, and what is done for
// the plan between those that are: half a second of local search, then neighbourhoods.
func improving(w *portfolio.Work, lists, neighbours uint64) []portfolio.Entry {
	entries := append(localSearches(w, lists, []int{4}),
		portfolio.Entry{Name: "large neighbourhoods", Strategy: strategy.NewNeighbourhoods(w, neighbours), Units: []int{neighbourhoodsFor(w.JS)}})
	return enumeratedLast(entries, w)
}

// localSearches are the ejection pool and lists where both are of use, else the one that
// is, with the units given.
func localSearches(w *portfolio.Work, seed uint64, units []int) []portfolio.Entry {
	entries := []portfolio.Entry{localSearch(w, seed, units)}
	if strategy.BesideLists(w) {
		if units != nil {
			units = []int{ejectionsBetween}
		}
		return append([]portfolio.Entry{ejectionPool(w, seed, units)}, entries...)
	}
	return entries
}

func ejectionPool(w *portfolio.Work, seed uint64, units []int) portfolio.Entry {
	return portfolio.Entry{Name: "ejection pool", Strategy: strategy.NewEjectionPool(w, seed), Units: units}
}

// localSearch is by lists, or by ejection pool where that is better; units are the same.
func localSearch(w *portfolio.Work, seed uint64, units []int) portfolio.Entry {
	if strategy.ForEjection(w) {
		return ejectionPool(w, seed, units)
	}
	return portfolio.Entry{Name: "list scheduling", Strategy: strategy.NewLists(w, seed), Units: units}
}

// forAnyPlan is the table for a plan that meets the hard deadlines, or a proof that
// there is none. Of many such questions, each with little work, most are answered at once by
// clause learning, which comes first then.
func forAnyPlan(w *portfolio.Work, workers int, many bool) []portfolio.Worker {
	ask := portfolio.Entry{Name: "clause learning", Strategy: strategy.NewHardByLCG(w)}
	otherwise := []portfolio.Entry{
		{Name: "SAT", Strategy: strategy.NewHardBySAT(w)},
		{Name: "enumeration", Strategy: strategy.NewEnumeration(w)},
		{Name: "list scheduling", Strategy: strategy.NewLists(w, w.Seed+2)},
	}
	prices := portfolio.Entry{Name: "dual prices", Strategy: strategy.NewDual(w, nil), Units: []int{1, 0}}
	branching := portfolio.Entry{Name: "branching", Strategy: strategy.NewBranching(w), Units: []int{1}}
	relaxation := portfolio.Entry{
		Name: "tardiness relaxation", Units: []int{1},
		Strategy: strategy.NewHardByTardiness(w, query.HardDues(w.JS), tardinessRelaxation),
	}
	switch {
	case many:
		ask.Units, prices.Units, branching.Units, relaxation.Units = []int{1}, []int{0, 1, 0}, []int{0, 1}, []int{0, 0, 1}
		return []portfolio.Worker{{Entries: []portfolio.Entry{ask, prices, branching, relaxation}, Otherwise: otherwise}}
	case workers == 1:
		ask.Units, branching.Units, relaxation.Units = []int{0, 1}, []int{0, 1}, []int{0, 1}
		return []portfolio.Worker{{Entries: []portfolio.Entry{prices, ask, branching, relaxation}, Otherwise: otherwise}}
	}
	return []portfolio.Worker{
		{Entries: []portfolio.Entry{ask}, Otherwise: otherwise},
		{
			Entries:  []portfolio.Entry{prices, branching, {Name: "SAT", Strategy: strategy.NewHardBySAT(w)}, relaxation},
			Patience: secondWorkerPatience,
		},
	}
}

// tardinessRelaxation is what a relaxation runs round by round: each a quarter of
// what others do between two questions.
func tardinessRelaxation(w *portfolio.Work) []portfolio.Entry {
	return []portfolio.Entry{
		{Name: "list scheduling", Strategy: strategy.NewLists(w, w.Seed), Units: []int{1}},
		{Name: "large neighbourhoods", Strategy: strategy.NewNeighbourhoods(w, w.Seed), Units: []int{neighbourhoods / 4}},
		{Name: "values below the plan, at once", Strategy: strategy.NewBelowPlan(w, w.Seed).Quick(), Units: []int{16}},
	}
}
