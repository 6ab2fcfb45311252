package lcg

// pace decides when to start again from the top, and when to drop clauses. It
// goes by turns: short runs that end when learnt clauses get worse than usual
// (good at refuting), and long ones by Luby's sequence that hold on to what
// they have (good at finding plans).
type pace struct {
	steady              bool
	turnEnds, turnLen   int64 // in conflicts
	luby                luby
	since               int64   // conflicts since the last restart
	recent, usual       float64 // means of glue
	nextRephase, rounds int64
	nextReduce          int64
	reductions          int64
}

func newPace() pace {
	return pace{turnEnds: 1000, turnLen: 1000, nextRephase: 1000, nextReduce: 2000, luby: luby{u: 1, v: 1, left: lubyUnit}}
}

// noteGlue keeps running means; the long one settles in the first conflicts.
func (c *pace) noteGlue(glue uint32, conflicts int64) {
	g := float64(glue)
	c.recent += (g - c.recent) * 0.03
	c.usual += (g - c.usual) * max(1e-4, 1/float64(min(conflicts, 1000)+1))
	c.since++
	if c.steady {
		c.luby.tick()
	}
}

func (c *pace) restartDue() bool {
	if c.steady {
		return c.luby.due()
	}
	return c.since > 2 && c.recent > 1.1*c.usual
}

// decay is how much more a conflict counts than the one before.
func (c *pace) decay() float64 {
	if c.steady {
		return 1 / 0.95
	}
	return 1 / 0.8
}

// search looks for values of all literals. It gives up when stop, asked now and
// then, says so.
func (s *solver) search(stop func() bool) Answer {
	if s.broken || !s.propagate() {
		s.broken = true
		return Unsatisfiable
	}
	for v := range s.level {
		if s.place[v] < 0 && s.vals[v<<1] == 0 {
			s.push(uint32(v))
		}
	}
	const often = 256
	for decisions := int64(1); ; decisions++ {
		for !s.propagate() {
			s.conflicts++
			if !s.learn() {
				s.broken = true
				return Unsatisfiable
			}
			s.step *= s.decay()
			if s.conflicts%often == 0 && stop() {
				s.backTo(0)
				return Unknown
			}
		}
		if decisions%(16*often) == 0 && stop() {
			s.backTo(0)
			return Unknown
		}
		if s.restartDue() {
			s.restart()
			continue
		}
		if s.conflicts >= s.nextReduce {
			s.backTo(0)
			s.reductions++
			s.nextReduce = s.conflicts + 2000 + 300*s.reductions
			s.reduce()
			continue
		}
		p, open := s.pick()
		if !open {
			return Satisfiable
		}
		s.decide(p)
	}
}

func (s *solver) restart() {
	s.noteBest()
	s.backTo(0)
	s.since = 0
	if s.conflicts >= s.turnEnds {
		s.steady = !s.steady
		s.turnLen += s.turnLen / 4
		s.turnEnds = s.conflicts + s.turnLen
	}
	if s.conflicts >= s.nextRephase {
		s.rounds++
		s.nextRephase = s.conflicts + 1000*(1+s.rounds)
		s.rephase(s.rounds)
	}
}

// luby counts down Luby's sequence, in Knuth's form.
type luby struct {
	u, v, left int64
	ready      bool
}

const lubyUnit = 512

func (r *luby) tick() {
	if r.left--; r.left > 0 {
		return
	}
	if r.u&-r.u == r.v {
		r.u, r.v = r.u+1, 1
	} else {
		r.v *= 2
	}
	r.left, r.ready = r.v*lubyUnit, true
}

func (r *luby) due() bool {
	due := r.ready
	r.ready = false
	return due
}
