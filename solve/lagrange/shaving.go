package lagrange

import (
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// shaving narrows domains by refuting their edges, target by target and round by
// round. It can be halted between any two probes and goes on where it was. Other workers may
// take targets of a round: mu guards what they read meanwhile.
type shaving struct {
	basis
	tree *tree
	// fixings are what was learnt; rest is an argument against all that they leave,
	// once there is one.
	fixings []fixing
	rest    *proof.Branching
	// begun tells that a pass has begun; effort and next are where it is, known is
	// the number of fixings when the round began.
	begun               bool
	effort, next, known int
	// taken is the first target of the round that no worker has taken, found is what came of
	// targets that others took, or that were taken before others had come to an end.
	taken int
	found map[int]fixing
	// current is the round, while others may take targets of it.
	current *round
	// edge is the one that is being shaved, rate the success rate of the probe at
	// which the shaving was halted.
	edge edge
	rate *successRate
}

// fixing is a split of which one side is left, for the other is refuted.
type fixing struct {
	split   proof.Split
	holds   bool // which side is left
	refuted *proof.Branching
}

// effort is what shaving does at each target.
type effort struct {
	steps int
	// gain is the least gain of a probe that is worth the steps.
	gain float64
	// fixings is their number in a round, at least, that is worth another.
	fixings int
}

// Shaving of stages' ends, of tasks once those are settled, and of tasks when one
// is thorough. Nearly no edge of less gain gave way. Of tasks few did below
// 0.3: they are not worth it before a plan is asked for, but without them leaves
// multiply. Steps are well spent on tasks: 250 refuted three times as many as 100,
// 1,000 four times.
var (
	stageEfforts    = []effort{{fewSteps, 0.001, 1}, {manySteps, 0.001, 1}}
	taskEfforts     = []effort{{fewSteps, 0.1, 6}}
	thoroughEfforts = []effort{{manySteps, 0.001, 1}}
)

// likely is a gain with which nearly all edges give way.
const likely = 0.5

// pass shaves targets until nothing more comes of it, or everything is refuted. It
// reports whether it has finished.
func (s *shaving) pass(targets []target, efforts []effort) bool {
	for s.effort < len(efforts) && s.rest == nil {
		e := efforts[s.effort]
		if s.next == 0 {
			if s.halted() {
				return false
			}
			if !s.begun {
				s.update()
				s.begun = true
			}
			s.known = len(s.fixings)
		}
		if !s.round(targets, e) {
			return false
		}
		learnt := len(s.fixings) - s.known
		if learnt > 0 && s.rest == nil {
			s.rest = s.byMultipliers(s.start, manySteps, warmFactor)
			copy(s.start, s.Multipliers)
			s.update()
		}
		if learnt < e.fixings {
			s.effort++
		}
	}
	s.effort, s.begun = 0, false
	return true
}

// round shaves each target, and reports whether it has finished. What comes of targets is
// learnt in their order.
func (s *shaving) round(targets []target, e effort) (finished bool) {
	s.openRound(targets, e)
	defer func() { s.closeRound(finished) }()
	for s.next < len(targets) && s.rest == nil {
		k, f, known, ok := s.take()
		if !ok || s.ctx.Err() != nil {
			return false
		}
		if !known {
			if f, ok = s.shave(&targets[k], e); !ok {
				if k != s.next {
					s.edge, s.rate = edge{}, nil // it is taken anew
				}
				return false
			}
		}
		if k != s.next {
			s.keep(s.current.number, k, f)
			continue
		}
		s.learn(f)
		s.next++
	}
	s.next = 0
	return true
}

// shave refutes a target as far as it can: the fixing has no argument where it cannot. If it
// has not finished it is to be called again for the same target.
func (s *shaving) shave(t *target, e effort) (f fixing, finished bool) {
	if t.split.Kind == proof.OnSlave {
		return s.shaveSlave(t, e)
	}
	return s.shaveEdge(t, e)
}

// shaveSlave refutes that a task is on a slave.
func (s *shaving) shaveSlave(t *target, e effort) (f fixing, finished bool) {
	if s.rate == nil && (!s.possible(t.domain) || s.gain(&t.split, true) < e.gain) {
		return fixing{}, true
	}
	return s.against(t.split, true, e.steps)
}

// edge is one end of a window of time, and how far it is cut off.
type edge struct {
	target      *target
	first, last model.Time
	// cut is what is to be cut off next, stride by how much more then, most the most
	// that may be worth it.
	cut, stride, most model.Time
	// best is the furthest cut so far.
	best fixing
}

// split parts what is cut off from the rest.
func (e *edge) split(cut model.Time) proof.Split {
	split := e.target.split
	if split.At = e.last - cut; e.target.holds {
		split.At = e.first + cut - 1
	}
	return split
}

// shaveEdge refutes that something happens by a time as late as it can, or that it
// happens after a time as early as it can: first as far as multipliers make likely
// without a step, then by a tick more, by three more, and so on while there is a
// gain in it.
func (s *shaving) shaveEdge(t *target, e effort) (best fixing, finished bool) {
	if s.edge.most == 0 {
		if s.halted() {
			return fixing{}, false
		}
		if s.edge = s.edgeOf(t, e); s.edge.most == 0 {
			return fixing{}, true
		}
	}
	for at := &s.edge; ; at.stride *= 2 {
		f, finished := s.against(at.split(at.cut), t.holds, e.steps)
		if !finished {
			return fixing{}, false
		}
		if f.refuted != nil {
			at.best = f
		}
		if f.refuted == nil || at.cut == at.most {
			break
		}
		at.cut = min(at.cut+at.stride, at.most)
	}
	best, s.edge = s.edge.best, edge{}
	return best, true
}

// edgeOf works out where to begin with an edge; most is 0 if nothing is worth it.
func (s *shaving) edgeOf(t *target, e effort) edge {
	at := edge{target: t, stride: 1}
	at.first, at.last = s.window(t)
	// The more is cut off the more is left there, and the less the gain.
	furthest := func(least float64) model.Time {
		return model.Time(sort.Search(int(at.last-at.first), func(k int) bool {
			split := at.split(model.Time(k + 1))
			return s.gain(&split, t.holds) < least
		}))
	}
	if at.most = furthest(e.gain); at.most > 0 {
		at.cut = max(1, furthest(likely))
	}
	return at
}

// against refutes one side of a split, if it can. If it has not finished it is to
// be called again for the same side.
func (s *shaving) against(split proof.Split, holds bool, steps int) (f fixing, finished bool) {
	f = fixing{split: split, holds: !holds}
	p := probe{split: split, holds: holds, steps: steps}
	if s.rate == nil {
		s.rate = s.success.of(p, s.gain(&split, holds), s.value)
	}
	mark := s.mark()
	defer s.undo(mark)
	switch {
	case !s.narrow(&split, holds):
		f.refuted = s.empty()
	case s.halted():
		return f, false
	case !s.thorough || split.Kind == proof.StageEndsBy || s.success.worth(s.rate):
		s.away = true
		var reached int64
		f.refuted, reached = s.within(s.start, steps, warmFactor, s.value)
		s.success.note(p, s.rate, f.refuted != nil, reached, s.value)
	}
	s.rate = nil
	return f, true
}

// learn keeps a fixing, if it is one, and if it is new: where it was found with the domains as
// they were before others it may not be.
func (s *shaving) learn(f fixing) {
	if f.refuted == nil {
		return
	}
	mark := s.mark()
	possible := s.narrow(&f.split, f.holds)
	if s.mark() == mark {
		return
	}
	s.success.learnt()
	j := s.at[f.split.Task].job
	cost := s.cost[j]
	if possible {
		cost = s.costNow(j)
	} else {
		s.rest = s.empty()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fixings = append(s.fixings, f)
	s.value += cost - s.cost[j]
	s.cost[j] = cost
}
