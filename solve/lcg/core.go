package lcg

import "math/rand/v2"

// lit is a literal: twice the variable, plus 1 if negated. Variable 0 is true.
type lit uint32

const (
	yes lit = 0
	no  lit = 1
)

func (p lit) not() lit       { return p ^ 1 }
func (p lit) index() uint32  { return uint32(p >> 1) }
func (p lit) negative() bool { return p&1 == 1 }

// A reason says why a literal is true: two bits of kind, and where the
// antecedents are.
type reason uint32

const (
	byDecision reason = iota << 30
	byClause          // offset into arena
	byLiteral         // the true literal that implies it
	byRule            // offset into explained
	kindMask   reason = 3 << 30
)

// rule propagates. run returns false if it found a conflict. Rules keep no
// state between runs: they look at the bounds as they are.
type rule interface {
	run(s *solver) bool
	// priority is when to run among the rules that wait: 0 first.
	priority() int
}

const priorities = 3

// solver is a CDCL core with order-encoded integers and rules.
type solver struct {
	vals    []int8 // by literal: 1 true, -1 false, 0 open
	level   []int32
	reasons []reason
	trail   []lit
	levels  []int32 // length of trail at each decision
	marks   []int32 // length of explained at each decision
	head    int     // into trail: what is before has been propagated

	clauses
	pairs     [][]lit  // by literal: those that it implies, from clauses of two
	explained []uint32 // explanations of rules: number and true literals
	conflict  []lit    // all false
	because   []lit    // the explanation that a rule is putting together

	ints   []integer
	kindOf []int32   // by variable: index into ints, or ^index of a Boolean
	wakers [][]int32 // by Boolean·2 + sign: rules woken when it becomes true
	rules  []rule
	queued []bool
	queue  [priorities]fifo

	order
	analysis
	pace

	rng       *rand.Rand
	broken    bool // refuted whatever is decided
	conflicts int64
	// check makes every explanation be checked, for tests.
	check bool
}

func newSolver(seed uint64) *solver {
	s := &solver{rng: rand.New(rand.NewPCG(seed, 0)), pace: newPace()}
	s.step = 1
	s.newBool()
	s.vals[yes], s.vals[no] = 1, -1
	return s
}

func (s *solver) newVar(kind int32) uint32 {
	v := uint32(len(s.level))
	s.vals = append(s.vals, 0, 0)
	s.level = append(s.level, 0)
	s.reasons = append(s.reasons, byDecision)
	s.watches = append(s.watches, nil, nil)
	s.pairs = append(s.pairs, nil, nil)
	s.kindOf = append(s.kindOf, kind)
	s.activity = append(s.activity, 0)
	s.place = append(s.place, -1)
	s.phase = append(s.phase, 0)
	s.best = append(s.best, 0)
	s.seen = append(s.seen, false)
	return v
}

func (s *solver) newBool() lit {
	kind := ^int32(len(s.wakers) / 2)
	s.wakers = append(s.wakers, nil, nil)
	return lit(s.newVar(kind) << 1)
}

func (s *solver) isTrue(p lit) bool  { return s.vals[p] > 0 }
func (s *solver) isFalse(p lit) bool { return s.vals[p] < 0 }

// addRule adds a rule, to be run a first time.
func (s *solver) addRule(r rule) int32 {
	id := int32(len(s.rules))
	s.rules = append(s.rules, r)
	s.queued = append(s.queued, false)
	s.wake(id)
	return id
}

// onTrue wakes a rule when Boolean p becomes true.
func (s *solver) onTrue(p lit, rule int32) {
	k := uint32(^s.kindOf[p.index()])<<1 | uint32(p&1)
	s.wakers[k] = append(s.wakers[k], rule)
}

func (s *solver) wake(r int32) {
	if !s.queued[r] {
		s.queued[r] = true
		k := s.rules[r].priority()
		s.queue[k].ids = append(s.queue[k].ids, r)
	}
}

// enqueue makes an open literal true, and with an order literal all those that
// it implies, so that the literals of an integer never contradict each other.
func (s *solver) enqueue(p lit, why reason) {
	s.set(p, why)
	kind := s.kindOf[p.index()]
	if kind < 0 {
		for _, r := range s.wakers[uint32(^kind)<<1|uint32(p&1)] {
			s.wake(r)
		}
		return
	}
	x := &s.ints[kind]
	at := x.timeOf(p)
	woken := &x.onUpper
	if p.negative() {
		for u := at - 1; u >= x.lb; u-- {
			s.set(x.atMost(u).not(), byLiteral|reason(p))
		}
		x.lb = at + 1
		woken = &x.onLower
	} else {
		for u := at + 1; u < x.ub; u++ {
			s.set(x.atMost(u), byLiteral|reason(p))
		}
		x.ub = at
	}
	for _, w := range *woken {
		if s.vals[w.unless] <= 0 {
			s.wake(w.rule)
		}
	}
}

func (s *solver) set(p lit, why reason) {
	s.vals[p], s.vals[p.not()] = 1, -1
	v := p.index()
	s.level[v] = int32(len(s.levels))
	s.reasons[v] = why
	s.trail = append(s.trail, p)
}

// why adds a true literal to the explanation in hand.
func (s *solver) why(p lit) {
	if s.level[p.index()] > 0 {
		s.because = append(s.because, p)
	}
	if s.check && !s.isTrue(p) {
		panic("an explanation names a literal that is not true")
	}
}

// imply makes p true because the literals in s.because are. It returns false,
// with the conflict set, if p is false.
func (s *solver) imply(p lit) bool {
	switch {
	case s.isTrue(p):
		return true
	case s.isFalse(p):
		s.conflict = append(s.conflict[:0], p)
		for _, q := range s.because {
			s.conflict = append(s.conflict, q.not())
		}
		return false
	}
	at := len(s.explained)
	s.explained = append(s.explained, uint32(len(s.because)))
	for _, q := range s.because {
		s.explained = append(s.explained, uint32(q))
	}
	s.enqueue(p, byRule|reason(at))
	return true
}

// propagate runs clauses and rules until nothing follows any more; false with
// the conflict set.
func (s *solver) propagate() bool {
	for {
		for s.head < len(s.trail) {
			p := s.trail[s.head]
			s.head++
			if !s.follow(p) {
				s.forget()
				return false
			}
		}
		r, waiting := s.nextRule()
		if !waiting {
			return true
		}
		if !s.rules[r].run(s) {
			s.forget()
			return false
		}
	}
}

// fifo holds rules that wait: ids[head:].
type fifo struct {
	ids  []int32
	head int
}

func (s *solver) nextRule() (r int32, waiting bool) {
	for k := range s.queue {
		q := &s.queue[k]
		if q.head < len(q.ids) {
			r = q.ids[q.head]
			q.head++
			s.queued[r] = false
			return r, true
		}
		q.ids, q.head = q.ids[:0], 0
	}
	return 0, false
}

// forget drops what waits to be propagated: after a conflict it is undone.
func (s *solver) forget() {
	s.head = len(s.trail)
	for k := range s.queue {
		q := &s.queue[k]
		for _, r := range q.ids[q.head:] {
			s.queued[r] = false
		}
		q.ids, q.head = q.ids[:0], 0
	}
}

func (s *solver) decide(p lit) {
	s.levels = append(s.levels, int32(len(s.trail)))
	s.marks = append(s.marks, int32(len(s.explained)))
	s.enqueue(p, byDecision)
}

// backTo undoes all decisions above a level.
func (s *solver) backTo(level int) {
	if len(s.levels) <= level {
		return
	}
	from := int(s.levels[level])
	for k := len(s.trail) - 1; k >= from; k-- {
		p := s.trail[k]
		v := p.index()
		s.vals[p], s.vals[p.not()] = 0, 0
		s.phase[v] = sign(p)
		if i := s.kindOf[v]; i >= 0 {
			s.ints[i].release(p)
		}
		if s.place[v] < 0 {
			s.push(v)
		}
	}
	s.explained = s.explained[:s.marks[level]]
	s.trail = s.trail[:from]
	s.levels = s.levels[:level]
	s.marks = s.marks[:level]
	s.head = from
}

func sign(p lit) int8 {
	if p.negative() {
		return -1
	}
	return 1
}
