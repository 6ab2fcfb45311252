package lcg

import (
	"cmp"
	"math"
	"slices"

	"downbeat/solve/lcg/core"
)

// loads weighs what slaves that do one task at a time have to do. A task costs as long as it takes times the weight of its slave, at least that of the
// cheapest slave that it has left, and all together cost no more than the time that there is on all slaves, weighted in the same way. So work
// that is too much for all slaves together is found, whoever does it, and tasks are ruled out of slaves on which they would cost too much.
// That holds with any weights; the dual of the relaxation that divides tasks among slaves has those that refute the most.
type loads struct {
	slaves []weighed
	tasks  []loaded
	limit  int64 // what the time is worth that there is where nothing is decided
}

// weighed is what a slave has of which tasks hold one after the other, and what a tick of it is worth.
type weighed struct {
	resource
	weight int64
}

// loaded is a task, with all its places.
type loaded struct {
	places []costly // by cost
	now    int      // the cheapest that is left
	least  int64    // what that costs where nothing is decided
}

// costly is a place, how long the task takes there, and what it costs.
type costly struct {
	x            core.Lit
	slave        int
	length, cost int64
}

// isExclusive reports whether tasks hold a resource one after the other, each for a time that is known.
func (r *resource) isExclusive() bool {
	return r.step == 1 && (inTurn(r) || len(r.tasks) == 1 && r.tasks[0].from == r.tasks[0].to)
}

// postLoads weighs what tasks have to do that are there and have a choice of the slaves whose resources these are.
func (p *problem) postLoads(of []resource) {
	r := &loads{}
	at := make([]loaded, len(p.tasks))
	for i := range of {
		r.slaves = append(r.slaves, weighed{resource: of[i]})
		for k := range of[i].tasks {
			u := &of[i].tasks[k]
			at[u.number].places = append(at[u.number].places, costly{x: u.x, slave: i, length: int64(u.length())})
		}
	}
	choice := false
	for t := range at {
		if n := len(at[t].places); n > 0 && n == len(p.tasks[t].places) && p.tasks[t].on == core.True {
			r.tasks = append(r.tasks, at[t])
			choice = choice || n > 1
		}
	}
	if !choice {
		return // edge finding looks at each slave
	}
	r.weigh()
	r.charge()
	r.post(p.Solver)
}

func (r *loads) post(s *core.Solver) {
	id := s.Add(r)
	for i := range r.tasks {
		for _, at := range r.tasks[i].places {
			s.OnTrue(at.x.Not(), id)
		}
	}
}

// weighings bound the rounds in which weights are sought, and the places gone over in these: the rounds of kacem4 take two milliseconds.
const weighings, mostWeighed = 1000, 2_000_000

// heaviest is the weight of the dearest slave: costs of all tasks stay within 63 bits.
const heaviest = 1 << 14

// weigh finds weights at which the tasks cost much as against what there is: slaves that have more than others to do at
// the weights of a round weigh more in the next one (multiplicative weights; Arora, Hazan and Kale 2012).
func (r *loads) weigh() {
	there, work := make([]float64, len(r.slaves)), make([]float64, len(r.slaves))
	weights := slices.Repeat([]float64{1}, len(r.slaves))
	for i := range r.slaves {
		there[i] = float64(r.slaves[i].time(nil))
	}
	places := 0
	for i := range r.tasks {
		places += len(r.tasks[i].places)
	}
	best, bestWeights := 0.0, slices.Clone(weights)
	for round := range max(1, min(weighings, mostWeighed/places)) {
		clear(work)
		cost, worth := 0.0, 0.0
		for i := range r.tasks {
			at := cheapest(r.tasks[i].places, weights)
			work[at.slave] += float64(at.length)
			cost += float64(float64(at.length) * weights[at.slave]) // in the same way on all machines
		}
		for i := range weights {
			worth += float64(weights[i] * there[i])
		}
		ratio := cost / worth
		if ratio > best {
			best = ratio
			copy(bestWeights, weights)
		}
		step := 1 / math.Sqrt(float64(4+round))
		for i := range weights {
			weights[i] *= max(0.5, min(2, 1+float64(step*(work[i]/there[i]-ratio))))
		}
		for most := slices.Max(weights); most > 1; most /= 2 {
			for i := range weights {
				weights[i] /= 2
			}
		}
	}
	most := slices.Max(bestWeights)
	for i := range r.slaves {
		r.slaves[i].weight = int64(heaviest * bestWeights[i] / most)
	}
}

// charge has all places cost what they do at the weights.
func (r *loads) charge() {
	for i := range r.tasks {
		places := r.tasks[i].places
		for k := range places {
			places[k].cost = places[k].length * r.slaves[places[k].slave].weight
		}
		slices.SortStableFunc(places, func(a, b costly) int { return cmp.Compare(a.cost, b.cost) })
	}
}

func cheapest(places []costly, weights []float64) *costly {
	best := &places[0]
	for k := range places {
		if at := &places[k]; float64(at.length)*weights[at.slave] < float64(best.length)*weights[best.slave] {
			best = at
		}
	}
	return best
}

// time is how long there is from the first start of a task to the last end of one, but those that are ruled out by a solver that is not nil.
func (r *resource) time(s *core.Solver) int64 {
	in := nowhere
	for k := range r.tasks {
		if u := &r.tasks[k]; s == nil || !s.IsFalse(u.x) {
			in.join(span{u.fromSpan.lo, u.fromSpan.hi + u.length()})
		}
	}
	return in.length()
}

// Priority is after the propagators that look at one task only.
func (r *loads) Priority() int { return 1 }

// Propagate rules out places that cost more than is left.
func (r *loads) Propagate(s *core.Solver) bool {
	cost := int64(0)
	for i := range r.tasks {
		t := &r.tasks[i]
		t.now = slices.IndexFunc(t.places, func(at costly) bool { return !s.IsFalse(at.x) })
		if t.now < 0 {
			return true // a clause says so
		}
		cost += t.places[t.now].cost
	}
	if s.Level() == 0 {
		r.begin(s)
	}
	left := r.limit - cost
	if left < 0 {
		r.explain(s, nobody, -left-1)
		return s.Imply(core.False)
	}
	for i := range r.tasks {
		if !r.ruleOut(s, i, left) {
			return false
		}
	}
	return true
}

// begin works out, where nothing is decided, what there is, and what each task costs: explanations rest on what is decided since. Windows may be
// narrower than before.
func (r *loads) begin(s *core.Solver) {
	r.limit = 0
	for i := range r.slaves {
		r.limit += r.slaves[i].weight * r.slaves[i].time(s)
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		t.least = t.places[t.now].cost
	}
}

// ruleOut excludes places of task i that cost more, beyond the cheapest one, than is left.
func (r *loads) ruleOut(s *core.Solver, i int, left int64) bool {
	t := &r.tasks[i]
	for _, at := range slices.Backward(t.places[t.now:]) {
		more := at.cost - t.places[t.now].cost
		if more <= left {
			return true
		}
		if s.Value(at.x) != 0 {
			continue
		}
		r.explain(s, i, more-left-1)
		if !s.Imply(at.x.Not()) {
			return false
		}
	}
	return true
}

// explain begins to explain what all tasks but one cost together, less some to spare: by the places that were ruled out of them since.
func (r *loads) explain(s *core.Solver, except int, spare int64) {
	s.BeginExplanation()
	for i := range r.tasks {
		if i == except {
			continue
		}
		t := &r.tasks[i]
		cost, k := t.places[t.now].cost, 0
		for ; t.places[k].cost < cost-spare; k++ {
			s.Explain(t.places[k].x.Not())
		}
		spare -= cost - max(t.least, t.places[k].cost)
	}
}
