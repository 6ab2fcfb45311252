package core

import (
	"math/rand/v2"
	"slices"
)

// Propagator tightens bounds and sets literals.
type Propagator interface {
	// Propagate looks at bounds as they are and explains what it makes follow; it
	// returns false if that was a conflict. What propagators keep between runs is how often they have
	// looked for what others need not find, and what they have seen, against which they hold what they see.
	Propagate(s *Solver) bool
	// Priority is when to run among those that wait: 0 first, 2 last.
	Priority() int
}

// Solver is a CDCL solver with order-encoded integers and propagators. Variables,
// clauses and propagators are added before the first Search.
type Solver struct {
	// Check makes every explanation be checked as it is given, for tests.
	Check bool
	// Mislead, if not nil, changes what propagators of a label infer and from what, for tests
	// of whether that is noticed in a record.
	Mislead func(by Label, p Lit, explanation []Lit) (Lit, []Lit)

	// MostAtOnce is up to how many literals an integer has all of them when it is made, not when they are first named; tests
	// set it to 0.
	MostAtOnce int32

	// ExchangeAlways has a solver exchange after every conflict, for tests.
	ExchangeAlways bool
	// PollConflicts is after how many conflicts Search polls its condition to stop.
	PollConflicts int64

	trail
	clauses
	branching
	analysis
	restarts
	assumptions
	sharing

	queue       queue
	head        int      // into assigned: what is before has been propagated
	marks       []mark   // at each decision
	changes     []change // of bounds, to take back
	behind      [][]Lit  // by level: order literals that have a value since then, and are not on the trail
	settled     int      // how many literals Booleans and bounds give a value
	searching   bool     // literals that are named now may be dropped again
	explained   []uint32 // explanations: number and true literals
	explanation []Lit    // in hand
	conflict    []Lit    // all false

	ints        []integer
	kindOf      []int32          // by variable: index into ints, or ^index of a Boolean
	wakers      [][]PropagatorID // by Boolean·2 + sign: woken when it becomes true
	propagators []Propagator
	running     PropagatorID
	failed      reason    // what has no way left to hold s.conflict off
	rec         *recorder // nil: nothing is recorded
	told        telling

	rng       *rand.Rand
	refuted   bool // whatever is decided
	conflicts int64
	restarted int64
}

// mark is how much there was of explained and changes.
type mark struct{ explained, changes int32 }

// New makes a solver; equal seeds give equal searches.
func New(seed uint64) *Solver {
	s := &Solver{rng: rand.New(rand.NewPCG(seed, 0)), restarts: newRestarts(), MostAtOnce: mostAtOnce, PollConflicts: pollConflicts}
	s.step, s.lists = 1, make([]list, 1)
	s.NewBool()
	s.vals[True], s.vals[False] = 1, -1
	return s
}

// newVar makes a variable of a name.
func (s *Solver) newVar(kind int32, name uint32) uint32 {
	v := uint32(len(s.level))
	s.nameOf = append(s.nameOf, name)
	s.vals = append(s.vals, 0, 0)
	s.level = append(s.level, 0)
	s.reasons = append(s.reasons, byDecision)
	s.listOf = append(s.listOf, 0, 0)
	s.kindOf = append(s.kindOf, kind)
	s.activity = append(s.activity, 0)
	s.place = append(s.place, -1)
	s.phase = append(s.phase, 0)
	s.best = append(s.best, 0)
	s.seen, s.hopeless = append(s.seen, false), append(s.hopeless, false)
	s.position = append(s.position, 0)
	s.made, s.kept, s.forGood = s.made.grown(v), s.kept.grown(v), s.forGood.grown(v)
	if s.rec != nil {
		s.rec.unit = append(s.rec.unit, 0)
	}
	return v
}

// NewBool makes a Boolean variable, and returns its literal that is tried first.
func (s *Solver) NewBool() Lit {
	kind := ^int32(len(s.wakers) / 2)
	s.wakers = append(s.wakers, nil, nil)
	return Lit(s.newVar(kind, s.nextName(uint32(len(s.level)), 0)) << 1)
}

// TryFirst makes p the value of its variable that is tried first.
func (s *Solver) TryFirst(p Lit) { s.phase[p.variable()] = p.sign() }

// Refute says that there is no solution.
func (s *Solver) Refute() {
	s.refuted = true
	s.recordGiven(nil, nil)
}

// Conflicts counts what has been learnt from so far, Restarts how often the search began
// again from the top.
func (s *Solver) Conflicts() int64 { return s.conflicts }

// Restarts is told of at Conflicts.
func (s *Solver) Restarts() int64 { return s.restarted }

// AddClause asks for one of some literals.
func (s *Solver) AddClause(ps ...Lit) {
	ps = slices.Sorted(slices.Values(ps))
	var out, dropped []Lit
	for i, p := range ps {
		switch {
		case s.IsTrue(p), i > 0 && ps[i-1] == p.Not():
			return
		case s.IsFalse(p) && p != False && s.rec != nil:
			dropped = append(dropped, p)
		case s.IsFalse(p), i > 0 && ps[i-1] == p:
		default:
			out = append(out, p)
		}
	}
	from := s.recordGiven(out, dropped)
	switch len(out) {
	case 0:
		s.refuted = true
	case 1:
		s.enqueue(out[0], byDecision)
	case 2:
		s.addPair(out[0], out[1])
	default:
		s.given = append(s.given, s.store(out, 0, from))
	}
}

// Add adds a propagator, to be run a first time. What wakes it afterwards is for
// OnTrue, OnLower and OnUpper to say.
func (s *Solver) Add(r Propagator) PropagatorID {
	s.propagators = append(s.propagators, r)
	if s.rec != nil {
		s.rec.labels = append(s.rec.labels, s.rec.label)
	}
	id := s.queue.add(r.Priority())
	s.queue.wake(id)
	return id
}

// OnTrue wakes a propagator when Boolean p becomes true.
func (s *Solver) OnTrue(p Lit, r PropagatorID) {
	k := uint32(^s.kindOf[p.variable()])<<1 | uint32(p&1)
	s.wakers[k] = append(s.wakers[k], r)
}
