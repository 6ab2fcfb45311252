package strategy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/exact"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// PartialOrders improves the greatest finish, or lateness, of a plan by large neighbourhood search that keeps no times: most tasks
// stay on their slaves, and after those of which they have taken over cores, slots, resources or what is shared, while package
// lcg puts the others anew (partial order schedules; Godard, Laborie and Nuijten 2005). Where the end of all tasks is what counts,
// hardly any tasks can end earlier while all others keep their places, as in Neighbourhoods.
var PartialOrders = &portfolio.Strategy{
	Name: "neighbourhoods of partial orders", Unit: "a neighbourhood", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool {
		return !w.JS.FIFO && w.Exact.Allows(exact.LCG) && w.Goal[w.P].Shape().Max
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		o := &partialOrders{
			w: w, rng: rand.New(rand.NewPCG(seed, 3)), free: make([]bool, len(w.JS.Tasks)),
			justified: newJustifier(w, seed),
		}
		for k := range o.wanted {
			o.wanted[k] = firstOrdered
		}
		return o
	},
}

const (
	// firstOrdered is the number of tasks that are set free at first. It then follows what the search can do.
	firstOrdered = 30
	// orderedPoll is after how many conflicts the search for one is polled, orderedPolls how often before it is given up: what is found mostly
	// takes some ten conflicts. With fewer than easyOrdered it was easy. orderedUnits is what the layout, and each
	// poll, costs of a budget.
	orderedPoll, orderedPolls, easyOrdered, orderedUnits = 32, 4, 64, 8
	// orderedLiterals bounds what is laid out, which is all tasks of the set.
	orderedLiterals = 1_000_000
	// growOrdered changes the size after a quick refutation; it shrinks as other neighbourhoods do.
	growOrdered = 1.1
	// mostBarrenOrders bring nothing in a row before a slice of the first round ends.
	mostBarrenOrders = 60
)

// partialOrders is the state of such a search over the objective of its work.
type partialOrders struct {
	w   *portfolio.Work
	rng *rand.Rand
	// wanted is the number of tasks to be set free, per kind of neighbourhood.
	wanted [neighbourhoodKinds]float64
	free   []bool
	// stride is by how much the value is asked to fall.
	stride    int64
	justified *justifier
	// at is the plan that neighbourhoods are of, as good as the best one when it was found, with value.
	at    model.Schedule
	value int64
}

// Run implements portfolio.Runner.
func (o *partialOrders) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	barren := 0
	for n := 0; n < s.Units && ctx.Err() == nil; n++ {
		value, bound := o.w.Gap(o.w.P)
		if o.at == nil || value < o.value {
			o.at, o.value, barren = o.w.Best(), value, 0
		}
		if value <= bound || s.Round == 0 && barren == mostBarrenOrders {
			break
		}
		var err error
		if barren%2 == 0 {
			err = o.descend(ctx, bound)
		} else {
			err = o.drift(ctx)
		}
		if err != nil { // it is as large with other tasks set free
			break
		}
		barren++
	}
	return portfolio.Open
}

// descend asks for a better plan, and has sizes follow what comes of that.
func (o *partialOrders) descend(ctx context.Context, bound int64) error {
	o.stride = max(stride(o.w), min(o.stride, (o.value-bound)/2))
	kind, v := o.rng.IntN(neighbourhoodKinds), o.value-o.stride
	search, err := o.ask(ctx, kind, v, o.at)
	if err != nil {
		return err
	}
	switch answer, plan := o.run(ctx, search); {
	case answer == lcg.Satisfiable:
		o.w.Receive(plan, o.w.P, v)
		o.justified.justify(ctx)
		o.stride *= 2
		return nil
	case answer == lcg.Unknown:
		o.wanted[kind] = max(leastSize, o.wanted[kind]*shrinkSize)
	case search.Conflicts() < easyOrdered:
		o.wanted[kind] = min(float64(len(o.free)), o.wanted[kind]*growOrdered)
	}
	o.stride = 1 + o.stride/4
	return nil
}

// drift goes over to a plan that is as good: from a local optimum, which descending soon comes to, others are reached by that. Its search
// begins as clause learning does by itself, so that it mostly finds another plan.
func (o *partialOrders) drift(ctx context.Context) error {
	search, err := o.ask(ctx, o.rng.IntN(neighbourhoodKinds), o.value, nil)
	if err != nil {
		return err
	}
	if answer, plan := o.run(ctx, search); answer == lcg.Satisfiable {
		o.w.Receive(plan, o.w.P, o.value)
		o.at = plan
	}
	return nil
}

// ask puts the question for a plan in a neighbourhood of a kind, with the objective at most v, and the search at first like another
// plan, if any. Errors are those of [lcg.New].
func (o *partialOrders) ask(ctx context.Context, kind int, v int64, like model.Schedule) (*lcg.Search, error) {
	o.choose(o.at, kind, int(o.wanted[kind]))
	q := o.w.Question(o.w.Limits(o.w.P, v))
	q.Restrict = make([]query.Restriction, len(o.at))
	for t := range o.at {
		q.Restrict[t].To = model.Never
		if !o.free[t] {
			q.Restrict[t].Slaves = []model.SlaveID{o.at[t].Slave}
		}
	}
	q.Ordered = slices.DeleteFunc(o.chains(o.at), func(of [2]model.TaskID) bool {
		return q.Role[o.w.JS.Tasks[of[0]].Job] != query.Must || q.Role[o.w.JS.Tasks[of[1]].Job] != query.Must
	})
	budget.Spend(ctx, orderedUnits)
	return lcg.New(ctx, q, lcg.Options{Seed: o.rng.Uint64(), MaxLiterals: orderedLiterals, Like: like, PollConflicts: orderedPoll})
}

// run searches for a plan for some polls, and gives it whole.
func (o *partialOrders) run(ctx context.Context, search *lcg.Search) (lcg.Answer, model.Schedule) {
	polls := 0
	answer, found := search.Run(ctx, func() bool {
		budget.Spend(ctx, orderedUnits)
		polls++
		return polls == orderedPolls || o.w.Over(o.w.P)
	})
	if answer != lcg.Satisfiable {
		return answer, nil
	}
	return answer, tidied(ctx, o.w, o.w.Complete(found))
}

// choose sets some tasks of a plan free.
func (o *partialOrders) choose(plan model.Schedule, kind, wanted int) {
	clear(o.free)
	switch kind {
	case aroundTime:
		for _, t := range o.nearest(plan, wanted) {
			o.free[t] = true
		}
	case someSlaves:
		on := make([][]model.TaskID, len(o.w.JS.Slaves))
		for t := range plan {
			on[plan[t].Slave] = append(on[plan[t].Slave], model.TaskID(t))
		}
		for _, s := range o.rng.Perm(len(on)) {
			if wanted -= o.release(on[s], wanted); wanted <= 0 {
				return
			}
		}
	case someJobs:
		for _, i := range o.rng.Perm(len(o.w.JS.Jobs)) {
			job, tasks := &o.w.JS.Jobs[i], []model.TaskID(nil)
			for t := job.First; t < job.End; t++ {
				tasks = append(tasks, t)
			}
			if wanted -= o.release(tasks, wanted); wanted <= 0 {
				return
			}
		}
	}
}

// release sets up to a number of tasks free, that follow each other in a list, and tells how many.
func (o *partialOrders) release(tasks []model.TaskID, most int) int {
	if len(tasks) > most {
		from := o.rng.IntN(len(tasks) - most + 1)
		tasks = tasks[from : from+most]
	}
	for _, t := range tasks {
		o.free[t] = true
	}
	return len(tasks)
}

// nearest lists up to a number of tasks, those first that run nearest to a moment of the plan.
func (o *partialOrders) nearest(plan model.Schedule, wanted int) []model.TaskID {
	at := model.Time(o.rng.Int64N(int64(max(1, slices.Max(o.w.JS.Finishes(plan))))))
	tasks := make([]model.TaskID, len(plan))
	for t := range tasks {
		tasks[t] = model.TaskID(t)
	}
	return nearestOf(o.w.JS, plan, tasks, model.Interval{Start: at, End: at}, wanted)
}

// chains lists pairs of tasks that are not free, of which the second takes over from the first, in the plan, what a slave has but its
// fetch line, or what is shared: whatever the times, of tasks that keep to all pairs no more run together than there is for (what they hold
// before they start, and how much there is at a time, is left to package lcg).
func (o *partialOrders) chains(plan model.Schedule) (pairs [][2]model.TaskID) {
	js := o.w.JS
	on := make([][]model.TaskID, len(js.Slaves))
	for t := range plan {
		if !o.free[t] {
			on[plan[t].Slave] = append(on[plan[t].Slave], model.TaskID(t))
		}
	}
	var holders []holding
	for s := range on {
		for _, supply := range js.Supplies(model.SlaveID(s)) {
			if supply.Hold == model.HoldFetch {
				continue
			}
			holders = holders[:0]
			for _, t := range on[s] {
				if need := js.Need(&js.Tasks[t], model.SlaveID(s), supply.Resource); need > 0 {
					holders = append(holders, holding{t, js.Held(&js.Tasks[t], plan[t], supply.Hold), need})
				}
			}
			pairs = takeOver(pairs, holders, supply.Units)
		}
	}
	for id := range js.Shared() {
		sh := &js.Shared()[id]
		holders = holders[:0]
		for _, t := range sh.Tasks {
			for _, take := range js.Takes(t) {
				if !o.free[t] && take.Shared == model.SharedID(id) {
					holders = append(holders, holding{t, js.Held(&js.Tasks[t], plan[t], model.HoldStay), take.Units})
				}
			}
		}
		most := slices.MaxFunc(sh.Levels, func(a, b model.Level) int { return cmp.Compare(a.Amount, b.Amount) })
		pairs = takeOver(pairs, holders, most.Amount)
	}
	slices.SortFunc(pairs, func(a, b [2]model.TaskID) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(pairs)
}

// holding is a task that holds units of something during an interval.
type holding struct {
	task  model.TaskID
	held  model.Interval
	units int64
}

// takeOver adds the pairs of tasks that hand units on: each takes them over from those that have ended last.
func takeOver(pairs [][2]model.TaskID, holders []holding, units int64) [][2]model.TaskID {
	slices.SortStableFunc(holders, func(a, b holding) int { return cmp.Compare(a.held.Start, b.held.Start) })
	given := []holding{{task: -1, units: units}} // who had them last, the latest first
	for _, h := range holders {
		need := h.units
		for k := range given {
			g := &given[k]
			if need == 0 || g.held.End > h.held.Start {
				continue
			}
			taken := min(need, g.units)
			need -= taken
			if g.units -= taken; g.task >= 0 {
				pairs = append(pairs, [2]model.TaskID{g.task, h.task})
			}
		}
		given = slices.DeleteFunc(given, func(g holding) bool { return g.units == 0 })
		at, _ := slices.BinarySearchFunc(given, h, func(g, h holding) int { return cmp.Compare(h.held.End, g.held.End) })
		given = slices.Insert(given, at, h)
	}
	return pairs
}
