package tabu

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// HybridGreedy is iterated greedy for hybrid flow shops, as greedy is for flow shops: a search that goes on from slice to slice. Not safe for concurrent use.
type HybridGreedy struct {
	sh  *shop
	g   *graph
	rng *rand.Rand
	// lists are those of the search from the beginning, and of that from the end, which take turns.
	lists []*entryOrder
	turn  int
	// best is the shortest solution of all, found buffers for what is found.
	best           int32
	found          *solution
	work, improved int64
	poll           poll
}

// entryOrder is a list of the chains of a flow shop in the order in which they enter its first stage.
type entryOrder struct {
	*hybrid
	backward bool
	// list comes to value; part, to which left are to be added, comes to made.
	list, part, left []int32
	value, made      int32
	// temperature is by how much a list that is gone on with may be worse, about.
	temperature float64
	// try, order, arrival, on and free are buffers: a list, the order in which chains come to a stage, and when, the machines that they
	// have there, and when each is free.
	try, order, arrival, on, free []int32
}

// TreatsHybridGreedy reports whether an objective can be searched for by HybridGreedy: the greatest finish or lateness, over a set that is a
// hybrid flow shop.
func TreatsHybridGreedy(js *model.JobSet, o model.Objective) bool {
	sh := newShop(js, o)
	return sh != nil && newHybrid(sh, false) != nil
}

// NewHybridGreedy prepares a search, which TreatsHybridGreedy allows. Equal seeds give equal choices.
func NewHybridGreedy(js *model.JobSet, o model.Objective, seed uint64) *HybridGreedy {
	sh := newShop(js, o)
	s := &HybridGreedy{sh: sh, g: newGraph(sh), rng: rand.New(rand.NewPCG(seed, 9)), best: never}
	s.found = &solution{order: make([]int32, len(js.Tasks)), machine: make([]int32, len(js.Tasks)), length: never}
	for _, backward := range []bool{false, true} {
		s.lists = append(s.lists, newEntryOrder(newHybrid(sh, backward), backward))
	}
	return s
}

// newEntryOrder is an empty list, to which chains are to be added, the longest first (Nawaz, Enscore and Ham 1983).
func newEntryOrder(f *hybrid, backward bool) *entryOrder {
	n := len(f.entry)
	a := &entryOrder{hybrid: f, backward: backward, value: never}
	work, sum, tasks, machines := make([]int64, n), int64(0), 0, 0
	for k := range f.stages {
		st := &f.stages[k]
		machines = max(machines, len(st.machines))
		for i, v := range st.task {
			if v >= 0 {
				work[i] += int64(f.options[v][0].length)
				sum += int64(f.options[v][0].length)
				tasks++
			}
		}
	}
	a.temperature = relativeTemperature * float64(sum) / float64(tasks)
	for i := range n {
		a.left = append(a.left, int32(i))
	}
	slices.SortStableFunc(a.left, func(i, k int32) int { return cmp.Compare(work[i], work[k]) })
	a.try, a.order, a.arrival, a.on, a.free = make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, machines)
	return a
}

// Best is the value of the best plan so far.
func (s *HybridGreedy) Best() int64 { return s.sh.Value(s.best) }

// Work counts the tasks of all lists that were tried.
func (s *HybridGreedy) Work() int64 { return s.work }

// Improved is the work that had been done when the best plan so far was found.
func (s *HybridGreedy) Improved() int64 { return s.improved }

// Consider takes a valid complete schedule into account: the search goes on from the order in which chains come in, if that is better.
func (s *HybridGreedy) Consider(plan model.Schedule) {
	for _, a := range s.lists {
		list := a.listOf(s.sh.solutionOf(plan))
		if value := a.decode(list, never, nil); value < a.value {
			a.part, a.left, a.made = list, a.left[:0], value
		}
	}
}

// listOf lists chains by the order of their first tasks, backward of their last ones from the end.
func (a *entryOrder) listOf(b *solution) (list []int32) {
	chain := map[int32]int32{}
	for i, k := range a.entry {
		chain[a.stages[k].task[i]] = int32(i)
	}
	for _, v := range b.order {
		if i, first := chain[v]; first {
			list = append(list, i)
		}
	}
	if a.backward {
		slices.Reverse(list)
	}
	return list
}

// Run does about so much work, or until ctx is done, and offers each plan that is better than all before.
func (s *HybridGreedy) Run(ctx context.Context, work int64, offer func(model.Schedule)) {
	for end := s.work + work; s.work < end && ctx.Err() == nil; {
		a := s.lists[s.turn%len(s.lists)]
		if n := len(a.left) - 1; n >= 0 {
			v := a.left[n]
			a.left = a.left[:n]
			s.insert(ctx, a, v)
			continue
		}
		s.accept(a, offer)
		a.part, a.left = destruct(s.rng, append(a.part[:0], a.list...), a.left)
		s.turn++
	}
}

// accept goes on with the list that was made unless it is worse, or then by chance.
func (s *HybridGreedy) accept(a *entryOrder, offer func(model.Schedule)) {
	if !accepts(s.rng, a.made, a.value, a.temperature) {
		return
	}
	a.list, a.value = append(a.list[:0], a.part...), a.made
	if a.value >= s.best {
		return
	}
	a.decode(a.list, never, s.found)
	s.g.load(s.found)
	if length := s.g.longest(); length < s.best { // tasks may start sooner than seen from the end
		s.best, s.improved = length, s.work
		offer(s.sh.plan(s.found))
	}
}

// insert puts a chain into the list where that comes to least, of several such places one by chance.
func (s *HybridGreedy) insert(ctx context.Context, a *entryOrder, chain int32) {
	n := len(a.part)
	try := a.try[:n+1]
	copy(try[1:], a.part)
	least, at, ties := int32(math.MaxInt32), 0, 0
	for i := 0; ; i++ {
		try[i] = chain
		value := a.decode(try, least, nil)
		if value < least {
			least, at, ties = value, i, 0
		}
		if value == least {
			if ties++; s.rng.IntN(ties) == 0 {
				at = i
			}
		}
		s.work += int64((n + 1) * len(a.stages))
		if i == n || s.poll.done(ctx, s.work) {
			break
		}
		try[i] = a.part[i]
	}
	a.part, a.made = slices.Insert(a.part, at, chain), least
}

// decode is what a list comes to, or more than limit where that is more: chains go through the stages in the order in which they come
// to each. The solution that it stands for goes into to, unless that is nil.
func (a *entryOrder) decode(list []int32, limit int32, to *solution) int32 {
	order := a.order[:len(list)]
	copy(order, list)
	length, placed := int32(math.MinInt32), 0
	for k := range a.stages {
		if k > 0 {
			a.sortByArrival(order)
		}
		length = max(length, a.pass(int32(k), order, limit))
		if length > limit {
			return length
		}
		if to != nil {
			placed = a.put(int32(k), order, to, placed)
		}
	}
	if to != nil && a.backward {
		slices.Reverse(to.order)
	}
	return length
}

// sortByArrival sorts chains that are nearly in the order of their arrivals.
func (a *entryOrder) sortByArrival(order []int32) {
	for x := 1; x < len(order); x++ {
		i, y := order[x], x
		for at := a.arrival[i]; y > 0 && a.arrival[order[y-1]] > at; y-- {
			order[y] = order[y-1]
		}
		order[y] = i
	}
}

// pass has chains go through a stage in an order, and is the longest path so far, until it exceeds limit. Chains that enter later come to the
// next stage when they could begin at this one.
func (a *entryOrder) pass(k int32, order []int32, limit int32) (length int32) {
	st := &a.stages[k]
	free := a.free[:len(st.machines)]
	copy(free, st.begin)
	length = math.MinInt32
	for _, i := range order {
		v := st.task[i]
		if v < 0 {
			if a.entry[i] > k {
				a.arrival[i] = slices.Min(free)
			}
			continue
		}
		ready := st.release[i]
		if a.entry[i] < k {
			ready = max(ready, a.arrival[i])
		}
		m, end := 0, int32(0)
		if st.length[i] > 0 {
			for x := 1; x < len(free); x++ {
				if free[x] < free[m] {
					m = x
				}
			}
			end = max(ready, free[m]) + st.length[i]
		} else {
			m, end = st.soonest(a.options[v], ready, free)
		}
		free[m], a.arrival[i], a.on[i] = end, end, int32(m)
		if length = max(length, end+st.rest[i]); length > limit {
			break
		}
	}
	return length
}

// soonest is the machine where a task ends first, of several the one that is free last.
func (st *stage) soonest(options []option, ready int32, free []int32) (m int, end int32) {
	m, end = -1, never
	x := 0
	for _, o := range options {
		for st.machines[x] != o.machine {
			x++
		}
		if e := max(ready, free[x]) + o.length; e < end || e == end && free[x] > free[m] {
			m, end = x, e
		}
	}
	return m, end
}

// put adds what was done last at a stage to a solution that has some tasks, and gives how many it has then.
func (a *entryOrder) put(k int32, order []int32, to *solution, placed int) int {
	st := &a.stages[k]
	for _, i := range order {
		if v := st.task[i]; v >= 0 {
			to.order[placed], to.machine[v] = v, st.machines[a.on[i]]
			placed++
		}
	}
	return placed
}
