package tabu

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
)

// sample is how many of the tasks that could come next are looked at, drawn where there are more.
const sample = 64

// isToStart reports whether the next trajectory begins with a new solution, not with one from elsewhere or between two. Of flow shops the first one does.
func (s *Search) isToStart() bool {
	return s.tried < 0 && len(s.elite) < population && (len(s.wanted) == 0 || s.orders != nil && len(s.elite) == 0)
}

// start is a new solution to begin with.
func (s *Search) start() *solution {
	if s.orders == nil {
		return s.random()
	}
	s.orders.save(s.child)
	s.orders.order = s.orders.order[:0]
	return s.child
}

// isToOrder reports whether a better order of the jobs of a flow shop is sought before the next trajectory begins with it.
func (s *Search) isToOrder() bool {
	return s.orders != nil && s.isToStart() && (len(s.orders.order) == 0 || s.orders.stale < orderPatience)
}

// orderOn makes the next order of jobs.
func (s *Search) orderOn(ctx context.Context, offer func(model.Schedule)) {
	o := s.orders
	before := o.work
	if len(o.order) == 0 {
		o.begin(ctx)
	} else {
		o.step(ctx)
	}
	s.work += o.work - before
	if o.least < s.best {
		o.save(s.child)
		s.g.load(s.child)
		s.found.length = never
		s.took()
		s.handIn(offer)
	}
}

// random is a solution to begin with, by Giffler and Thompson (1960): of the tasks that could begin on a machine before
// any can end there, one that has much after it comes first, or by chance another.
func (s *Search) random() *solution {
	sh, a := s.sh, s.child
	n := len(a.order)
	if s.after == nil {
		s.after = sh.remainders()
	}
	waits, ready := make([]int, n), slices.Clone(sh.Release)
	free := make([]int32, len(sh.slaves))
	for k := range free {
		free[k] = int32(sh.js.Slaves[sh.slaves[k]].FirstBeat)
	}
	var open []int32
	for v := range n {
		if waits[v] = len(sh.Before[v]); waits[v] == 0 {
			open = append(open, int32(v))
		}
	}
	chance := s.rng.Float64()
	for i := range n {
		for k := 0; len(open) > sample && k < sample; k++ {
			r := k + s.rng.IntN(len(open)-k)
			open[k], open[r] = open[r], open[k]
		}
		seen := open[:min(len(open), sample)]
		machine, end := int32(0), int32(never)
		for _, v := range seen {
			for _, o := range sh.options[v] {
				if e := max(ready[v], free[o.machine]) + o.length; e < end {
					machine, end = o.machine, e
				}
			}
		}
		pick, most := -1, 0.0
		for k, v := range seen {
			o, can := sh.on(v, machine)
			if !can || max(ready[v], free[machine]) >= end || len(sh.options[v]) > 1 && max(ready[v], free[machine])+o.length > end+o.length/2 {
				continue
			}
			if key := float64(s.after[v]) * (1 - chance*s.rng.Float64()); pick < 0 || key > most {
				pick, most = k, key
			}
		}
		v := open[pick]
		open = slices.Delete(open, pick, pick+1)
		a.order[i], a.machine[v] = v, machine
		o, _ := sh.on(v, machine)
		free[machine] = max(ready[v], free[machine]) + o.length
		for _, u := range sh.After[v] {
			ready[u] = max(ready[u], free[machine])
			if waits[u]--; waits[u] == 0 {
				open = append(open, u)
			}
		}
	}
	return a
}

// remainders is the longest path from each task to the end where every task is alone on the fastest of its machines.
func (sh *shop) remainders() []int32 {
	order := sh.Ranked()
	after := make([]int32, len(order))
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		o := slices.MinFunc(sh.options[v], func(a, b option) int { return int(a.length - b.length) })
		after[v] = max(o.length, o.run+sh.Delivery[v])
		for _, u := range sh.After[v] {
			after[v] = max(after[v], o.length+after[u])
		}
	}
	return after
}

// solutionOf is a plan as a solution.
func (sh *shop) solutionOf(plan model.Schedule) *solution {
	js := sh.js
	n := len(plan)
	a := &solution{order: make([]int32, n), machine: make([]int32, n), length: never}
	for v := range a.order {
		a.order[v] = int32(v)
	}
	slices.SortFunc(a.order, func(u, v int32) int {
		return cmp.Or(cmp.Compare(plan[u].Start, plan[v].Start), cmp.Compare(sh.Rank[u], sh.Rank[v]))
	})
	free := make([]model.Time, len(sh.slaves))
	for _, v := range a.order {
		p := plan[v]
		// The machine of the slave that is free last, before the task takes it.
		k := sh.first[p.Slave]
		for o := k + 1; o < sh.first[p.Slave+1]; o++ {
			if free[o] <= p.Start && (free[k] > p.Start || free[o] > free[k]) {
				k = o
			}
		}
		a.machine[v] = k
		free[k] = js.Finish(model.TaskID(v), p)
	}
	return a
}

// plan is the schedule of a solution.
func (sh *shop) plan(a *solution) model.Schedule {
	plan, free := model.NewSchedule(len(a.order)), make([]int32, len(sh.slaves))
	for k := range free {
		free[k] = int32(sh.js.Slaves[sh.slaves[k]].FirstBeat)
	}
	next := make([]int32, len(a.order)) // when what waits for a task may start
	for _, v := range a.order {
		k := a.machine[v]
		o, _ := sh.on(v, k)
		head := max(sh.Release[v], free[k])
		for _, u := range sh.Before[v] {
			head = max(head, next[u])
		}
		next[v] = head + o.length
		free[k] = next[v]
		s, at := sh.slaves[k], model.Time(head)
		beat, _ := sh.js.BeatAtOrBefore(s, at)
		plan[v] = model.Placement{Slave: s, Beat: beat, Fetch: at, Start: at + sh.js.Tasks[v].Transfer(s)}
	}
	return plan
}
