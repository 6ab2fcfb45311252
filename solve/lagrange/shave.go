package lagrange

import (
	"math"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// shaving narrows windows by refuting their edges.
type shaving struct {
	*refuter
	// start are prices that are good for what is left; value is what comes of
	// them, at most 0, and paid what each job of the market pays.
	start []int64
	value int64
	paid  []int64
	// away tells that the prices of the market are others now.
	away  bool
	facts []fact
	// rest is an argument against all that the facts leave, once there is one.
	rest *proof.Branching
}

// effort is what shaving does at each edge.
type effort struct {
	steps int
	// promise is the least promise of an edge that is worth the steps.
	promise float64
	// gain is the number of facts of a round, at least, that are worth another.
	gain int
}

// Shaving of stages' ends, of tasks once those are settled, and of tasks when one
// is thorough. Nearly no edge of less promise gave way. Of tasks few did below
// 0.3: they are not worth it before a plan is asked for, but without them cases
// multiply. Steps are well spent on tasks: 250 refuted three times as many as 100,
// 1,000 four times.
var (
	gateEfforts    = []effort{{fewSteps, 0.001, 1}, {manySteps, 0.001, 1}}
	taskEffort     = effort{fewSteps, 0.1, 6}
	thoroughEffort = effort{manySteps, 0.001, 1}
)

// likely is a promise with which nearly all edges give way.
const likely = 0.5

// run shaves until nothing more comes of it, and reports whether everything is
// refuted.
func (s *shaving) run(round func(e effort), efforts ...effort) bool {
	s.look()
	for _, e := range efforts {
		for gained := e.gain; gained >= e.gain && s.rest == nil && !s.done(); {
			known := len(s.facts)
			round(e)
			if gained = len(s.facts) - known; gained > 0 && s.rest == nil {
				s.rest = s.byPrices(s.start, manySteps, warmFactor)
				copy(s.start, s.m.price)
				s.look()
			}
		}
	}
	return s.rest != nil
}

// look notes what comes of the prices at the start.
func (s *shaving) look() {
	copy(s.m.price, s.start)
	s.value, s.away = s.m.value(), false
	s.paid = s.paid[:0]
	for j := range s.m.jobs {
		s.paid = append(s.paid, s.m.jobs[j].paid)
	}
}

// promise is by what part of what is missing a side of a split makes its job pay
// more at the prices at the start: 1 or more refutes it.
func (s *shaving) promise(split *proof.Split, holds bool) float64 {
	mark := s.mark()
	defer s.back(mark)
	if !s.narrow(split, holds) {
		return math.Inf(1)
	}
	j := s.at[split.Task].job
	return float64(s.paysNow(j)-s.paid[j]) / float64(max(1, -s.value))
}

// asked asks about what is left, and reports whether it is refuted.
func (s *shaving) asked(last bool) bool {
	if s.ask == nil || s.done() {
		return false
	}
	refuted, planned := s.ask(s.rooms(), last)
	if refuted {
		s.rest = &proof.Branching{Searched: true}
	}
	s.over = s.over || planned
	return refuted
}

// gates shaves the times at which stages end.
func (s *shaving) gates(e effort) {
	for j := range s.m.jobs {
		b := &s.m.jobs[j]
		for k := range b.stages[:len(b.stages)-1] {
			split := proof.Split{Kind: proof.StageEndsBy, Task: s.m.js.Jobs[b.id].Stages[k].First}
			s.edges(split, func() (first, last model.Time) { return s.m.gate(b, k) }, e)
		}
	}
}

// tasks shaves where and when tasks run that are alone in their class.
func (s *shaving) tasks(e effort) {
	for t := range s.at {
		id := model.TaskID(t)
		if s.at[t].job < 0 || s.class(id).count > 1 {
			continue
		}
		c := s.class(id)
		for k := range c.options {
			if o := &c.options[k]; s.rest == nil && s.m.possible(o) {
				split := proof.Split{Kind: proof.OnSlave, Task: id, Slave: model.SlaveID(o.slave)}
				if s.promise(&split, true) >= e.promise {
					s.learn(s.against(split, true, e.steps))
				}
			}
		}
		s.edges(proof.Split{Kind: proof.TaskEndsBy, Task: id}, func() (first, last model.Time) { return s.m.finishes(c) }, e)
		s.edges(proof.Split{Kind: proof.FetchedBy, Task: id}, func() (first, last model.Time) { return s.m.fetches(c) }, e)
	}
}

// against refutes one side of a split, if it can.
func (s *shaving) against(split proof.Split, holds bool, steps int) fact {
	f := fact{split: split, holds: !holds}
	p := probe{split, holds, steps}
	r := s.odds.of(p, s.promise(&split, holds), s.value)
	mark := s.mark()
	defer s.back(mark)
	switch {
	case !s.narrow(&split, holds):
		f.refuted = s.empty()
	case s.done():
	case !s.thorough || split.Kind == proof.StageEndsBy || r.worth():
		s.away = true
		var reached int64
		f.refuted, reached = s.within(s.start, steps, warmFactor, s.value)
		s.odds.note(p, reached, s.value)
		r.note(f.refuted != nil)
	}
	return f
}

// learn keeps a fact, if it is one.
func (s *shaving) learn(f fact) {
	if f.refuted == nil {
		return
	}
	s.facts = append(s.facts, f)
	s.odds.learnt++
	if !s.narrow(&f.split, f.holds) {
		s.rest = s.empty()
		return
	}
	j := s.at[f.split.Task].job
	pays := s.paysNow(j)
	s.value += pays - s.paid[j]
	s.paid[j] = pays
}

// paysNow is what a job of the market pays at the prices at the start.
func (s *shaving) paysNow(j int32) int64 {
	if s.away {
		copy(s.m.price, s.start)
		s.m.sum()
		s.away = false
	}
	b := &s.m.jobs[j]
	cost, _ := s.m.cheapest(b)
	s.left -= s.m.size / len(s.m.jobs)
	return min(cost, s.m.refusal[b.id])
}

// edges refutes that something happens by a time as late as it can, and then that
// it happens after a time as early as it can: first as far as prices make likely
// without a step, then by a tick more, by three more, and so on while there is a
// promise in it.
func (s *shaving) edges(split proof.Split, window func() (first, last model.Time), e effort) {
	for _, below := range [...]bool{true, false} {
		if s.rest != nil || s.done() {
			return
		}
		first, last := window()
		at := func(cut model.Time) proof.Split {
			if split.At = last - cut; below {
				split.At = first + cut - 1
			}
			return split
		}
		// The more is cut off the more room there is in it, and the less the promise.
		furthest := func(least float64) model.Time {
			return model.Time(sort.Search(int(last-first), func(k int) bool {
				split := at(model.Time(k + 1))
				return s.promise(&split, below) < least
			}))
		}
		most := furthest(e.promise)
		if most == 0 {
			continue
		}
		var best fact
		for cut, stride := max(1, furthest(likely)), model.Time(1); ; stride *= 2 {
			f := s.against(at(cut), below, e.steps)
			if f.refuted != nil {
				best = f
			}
			if f.refuted == nil || cut == most {
				break
			}
			cut = min(cut+stride, most)
		}
		s.learn(best)
	}
}
