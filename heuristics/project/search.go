package project

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

const (
	// population is how many schedules are kept. With 100 those of 120 tasks are as good after 6,000 constructions only.
	population = 40
	// swaps is how many tasks of a child's list are tried to change places with their neighbours, in the mean, however long lists are: with more of
	// them few children of long lists are better than their mothers. Those that the order of tasks forbids are left.
	swaps = 3
	// barren children per schedule that is kept, none of which came among them, have the search begin anew.
	barren = 10
	// never is above the length of every path.
	never = math.MaxInt32
)

// Search is a search that goes on from slice to slice. Not safe for concurrent use.
type Search struct {
	p   *project
	rng *rand.Rand
	// kept are good schedules, all different; mother is the one of them that the child was made of.
	kept   []*schedule
	mother *schedule
	best   int32
	// profiles, entries, spare, child, after, times, sorted, key, in and tails are buffers for schedules that are made and compared.
	profiles      []profile
	entries       []int
	spare, child  *schedule
	after         []int32
	times, sorted []int32
	key           []float64
	in            []bool
	tails         []int32
	// failed children in a row were not kept.
	failed         int
	work, improved int64
	wanted         []*schedule
}

// New prepares a search, which Treats allows. Equal seeds give equal choices.
func New(js *model.JobSet, o model.Objective, seed uint64) *Search {
	n := len(js.Tasks)
	s := &Search{p: newProject(js, o), rng: rand.New(rand.NewPCG(seed, 8)), best: never}
	s.profiles, s.entries = make([]profile, len(s.p.together)), make([]int, len(s.p.together))
	for i := range s.profiles {
		s.profiles[i].together = &s.p.together[i]
	}
	s.spare, s.child = blank(n), blank(n)
	s.times, s.sorted = make([]int32, n), make([]int32, n)
	s.after, s.key, s.in = make([]int32, n), make([]float64, n), make([]bool, n)
	s.tails = make([]int32, n)
	order := s.p.Ranked()
	for i := n - 1; i >= 0; i-- {
		v := order[i]
		s.tails[v] = max(s.p.Delivery[v], 0)
		for _, u := range s.p.After[v] {
			s.tails[v] = max(s.tails[v], s.tails[u])
		}
		s.tails[v] += s.p.length[v]
	}
	return s
}

func blank(n int) *schedule {
	return &schedule{list: make([]int32, n), start: make([]int32, n), length: never}
}

// Best is the value of the best plan so far.
func (s *Search) Best() int64 { return s.p.Value(s.best) }

// Work counts placements, several of a task that holds what is not together: the measure of work.
func (s *Search) Work() int64 { return s.work }

// Improved is the work that had been done when the best plan so far was found.
func (s *Search) Improved() int64 { return s.improved }

// Consider takes a valid complete schedule into account.
func (s *Search) Consider(plan model.Schedule) {
	a := blank(len(plan))
	copy(a.list, s.p.Ranked())
	slices.SortStableFunc(a.list, func(u, v int32) int { return cmp.Compare(plan[u].Start, plan[v].Start) })
	s.wanted = append(s.wanted, a)
}

// Run does about so much work, or until ctx is done, and offers each plan that is better than all before.
func (s *Search) Run(ctx context.Context, work int64, offer func(model.Schedule)) {
	for end := s.work + work; s.work < end && ctx.Err() == nil; {
		s.next()
		s.justify(s.child)
		if s.child.length < s.best {
			s.best, s.improved = s.child.length, s.work
			offer(s.p.plan(s.child.start))
		}
		s.keep()
	}
}

// next makes the list of the next child.
func (s *Search) next() {
	switch {
	case len(s.wanted) > 0:
		s.child.set(s.wanted[0])
		s.wanted = s.wanted[1:]
		if len(s.kept) > 0 {
			s.mother = slices.MaxFunc(s.kept, func(a, b *schedule) int { return int(a.length - b.length) }) // the worst makes way
		}
	case len(s.kept) < population && s.failed < population:
		s.random()
	default:
		s.mother = s.kept[s.rng.IntN(len(s.kept))]
		s.cross(s.mother, s.father())
		s.mutate()
	}
}

// random makes a list by the longest path that is left, by chance more or less, or by chance alone.
func (s *Search) random() {
	chance, blind := s.rng.Float64(), s.rng.IntN(4) == 0
	copy(s.child.list, s.p.Ranked())
	for i := len(s.child.list) - 1; i >= 0; i-- {
		v := s.child.list[i]
		s.key[v] = float64(s.tails[v]) * (1 - chance*s.rng.Float64())
		if blind {
			s.key[v] = s.rng.Float64()
		}
		for _, u := range s.p.After[v] {
			s.key[v] = max(s.key[v], s.key[u]) // a task is in front of those that wait for it
		}
	}
	slices.SortStableFunc(s.child.list, func(u, v int32) int { return cmp.Compare(s.key[v], s.key[u]) })
}

// father is the better of two.
func (s *Search) father() *schedule {
	a, b := s.kept[s.rng.IntN(len(s.kept))], s.kept[s.rng.IntN(len(s.kept))]
	if b.length < a.length {
		return b
	}
	return a
}

// cross makes a list of two: between two places it is that of the one, around it that of the other.
func (s *Search) cross(mother, father *schedule) {
	n := len(s.child.list)
	from := s.rng.IntN(n)
	to := from + s.rng.IntN(n-from+1)
	clear(s.in)
	list := s.child.list[:0]
	add := func(from []int32, until int) {
		for _, v := range from {
			if len(list) >= until {
				return
			}
			if !s.in[v] {
				s.in[v] = true
				list = append(list, v)
			}
		}
	}
	add(mother.list, from)
	add(father.list, to)
	add(mother.list, n)
}

// mutate changes a few neighbours in the child's list.
func (s *Search) mutate() {
	list := s.child.list
	often := swaps / float64(len(list))
	for i := 1; i < len(list); i++ {
		if s.rng.Float64() < often && !slices.Contains(s.p.Before[list[i]], list[i-1]) {
			list[i-1], list[i] = list[i], list[i-1]
		}
	}
}

// keep takes the child among those kept, in place of its mother if it is no worse (deterministic crowding; Mahfoud 1992): in place of the
// worst, all were soon much the same, and which schedules these were was chance. A child that is one of those kept is not.
func (s *Search) keep() {
	s.failed++
	switch m := s.mother; { // there is one where the population is complete
	case slices.ContainsFunc(s.kept, func(k *schedule) bool { return slices.Equal(k.start, s.child.start) }):
	case len(s.kept) < population:
		a := blank(len(s.child.list))
		a.set(s.child)
		s.kept, s.failed = append(s.kept, a), 0
		return
	case s.child.length <= m.length:
		if s.child.length < m.length {
			s.failed = 0
		}
		m.set(s.child)
		return
	}
	if s.failed > barren*population {
		best := slices.MinFunc(s.kept, func(a, b *schedule) int { return int(a.length - b.length) })
		s.kept, s.failed = append(s.kept[:0], best), 0
	}
}
