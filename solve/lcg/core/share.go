package core

import "math/rand/v2"

// Clause is one that a solver has learned, for others with the same variables, clauses and
// propagators.
type Clause struct {
	// Lits are not to be changed.
	Lits []Name
	// Glue is that of the solver that has learned it.
	Glue uint32

	// from is the step of a record that says it, if there is one.
	from foreign
}

// Exchange is where solvers leave what they have learned, for each other.
type Exchange interface {
	// Post leaves what was learned since the last time. The solver does not use it any more.
	Post(learned []Clause)
	// Collect is what others have left since the last time.
	Collect() []Clause
}

// What is exchanged: clauses of glue up to sharedGlue with up to sharedLits literals, and all of one
// or two; of job shops about two thirds of what is learned. Conflicts of all solvers together until
// ft10 is refuted at 929, where one takes 5300 in the mean of three seeds:
//
//	             2      4      8
//	3 and 40            11950  16213
//	4 and 16            12164  13149
//	6 and 24     6798          9198
//	8 and 30     6611   8229   9140
//
// (the first two when all that was collected waited for a restart). Without exchange four took 20242
// and eight 37165, of other seeds with which one took 6563.
const sharedGlue, sharedLits = 8, 30

// How often solvers exchange, in conflicts: they post and collect, and take in what they have
// collected when they restart, at the latest after some more. Every 256 conflicts, with the limits
// of 8 and 30, it took 12631 where there were eight. Taking in costs a fifth more
// time a conflict then.
const exchangeConflicts, takeConflicts = 64, 256

// sharing is what a solver has for others, and from them.
type sharing struct {
	exchange Exchange
	outbox   []Clause
	inbox    []Clause
}

// Share has searches from now on exchange what they learn. Records, if not nil, are those of all
// that do: of a solver that is recorded, which joins them.
func (s *Solver) Share(with Exchange, records *Records) {
	s.exchange = with
	if s.rec != nil && records != nil {
		s.rec.join(records)
	}
}

// Diversify has a solver differ from others from its first decision on, by its seed: it prefers
// variables at random until they have taken part in conflicts. To do so with an eighth of them alone,
// or to turn over an eighth of the values to try first as well, was no better and no worse; with seeds
// alone solvers do the same until a thousand conflicts have passed, and eight took 28103.
func (s *Solver) Diversify(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for v, kind := range s.kindOf {
		if kind < 0 || s.kept.has(uint32(v)) || s.isWhole(uint32(v), kind) {
			s.activity[v] = s.step * rng.Float64() / 1024
		}
	}
}

// poll exchanges, and asks whether to stop, when it is time for that.
func (s *Solver) poll(stop func() bool) (stopped bool) {
	if s.exchange != nil && (s.conflicts%exchangeConflicts == 0 || s.ExchangeAlways) {
		s.post()
		defer s.collect() // what others post while stop waits for them comes at once
	}
	return s.conflicts%s.PollConflicts == 0 && stop()
}

// post leaves what has been learned.
func (s *Solver) post() {
	if s.rec != nil {
		s.rec.publish()
	}
	if len(s.outbox) > 0 {
		s.exchange.Post(s.outbox)
		s.outbox = nil
	}
}

func (s *Solver) collect() { s.inbox = append(s.inbox, s.exchange.Collect()...) }

// takeDue reports whether what was collected has waited for long enough.
func (s *Solver) takeDue() bool {
	return len(s.inbox) > 0 && (s.conflicts%takeConflicts == 0 || s.ExchangeAlways)
}

// export puts the clause that was learned, whose origin is from, to what is for others.
func (s *Solver) export(clause []Lit, glue uint32, from origin) {
	if s.exchange != nil && (len(clause) <= 2 || glue <= sharedGlue && len(clause) <= sharedLits) {
		s.outbox = append(s.outbox, Clause{s.appendNames(nil, clause), glue, s.rec.foreign(from)})
	}
}

// takeIn adds what was collected, without decisions.
func (s *Solver) takeIn() {
	for i := range s.inbox {
		s.take(&s.inbox[i])
	}
	s.inbox = s.inbox[:0]
	s.stopRecording()
}

// take adds a clause, but for literals that never hold. It may be dropped again, as others that are
// learned.
func (s *Solver) take(c *Clause) {
	if s.refuted || s.rec != nil && c.from.step == 0 {
		return
	}
	left := s.found[:0]
	for _, n := range c.Lits {
		p := s.LiteralOf(n)
		switch {
		case s.IsTrue(p):
			return
		case !s.IsFalse(p):
			left = append(left, p)
		}
	}
	s.found = left
	from := s.recordTaken(c, left)
	switch len(left) {
	case 0:
		s.refuted = true
	case 1:
		s.enqueue(left[0], byDecision)
	case 2:
		s.addPair(left[0], left[1])
	default:
		s.learned = append(s.learned, s.store(left, learnt|2*usedOnce|c.Glue, from))
	}
}
