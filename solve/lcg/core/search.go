package core

import "context"

// Answer is what a search found out; the zero value claims nothing.
type Answer int

// The answers.
const (
	Unknown Answer = iota
	Satisfiable
	Unsatisfiable
)

// How often the condition to stop is polled, and how often the context, by conflicts and
// decisions alike: where there are many tasks and slaves a thousand decisions take a second.
const pollConflicts, pollDecisions, pollContext = 256, 4096, 16

// pollPropagators is how many propagators are run, before anything is decided, until the context is looked at. Of a thousand tasks on a
// machine one takes milliseconds.
const pollPropagators = 64

// Search looks for values of all literals, which are then to be read off; what
// does not depend on decisions stays known. It gives up when stop, polled every
// PollConflicts conflicts, 256 by default, and every 4096 decisions, says so, or ctx is done, and can then go on.
func (s *Solver) Search(ctx context.Context, stop func() bool) Answer {
	if s.exchange != nil {
		s.backTo(0) // from the solution that it has given
		s.collect()
		s.takeIn()
	}
	switch ok, ended := s.settle(ctx); {
	case !ok:
		return Unsatisfiable
	case !ended:
		return Unknown
	}
	s.pushOpen()
	s.searching = true
	defer func() { s.searching = false }()
	for decisions := int64(1); !s.refuted; decisions++ {
		for !s.propagate() {
			s.conflicts++
			if !s.learn() {
				s.refuted = true
				return Unsatisfiable
			}
			s.stopRecording()
			s.step *= s.decay()
			if s.poll(stop) || s.conflicts%pollContext == 0 && ctx.Err() != nil {
				s.backTo(0)
				return Unknown
			}
		}
		if decisions%pollDecisions == 0 && stop() || decisions%pollContext == 0 && ctx.Err() != nil {
			s.backTo(0)
			return Unknown
		}
		if s.restartDue() {
			s.restart()
			continue
		}
		if s.takeDue() {
			s.backTo(0)
			s.takeIn()
			continue
		}
		if s.reduceDue(s.conflicts) {
			s.backTo(0)
			s.reduce(&s.trail)
			s.dropLiterals()
			continue
		}
		p, open := s.next()
		switch {
		case !open:
			return Satisfiable
		case s.IsFalse(p):
			s.refuteAssumed(p)
			s.backTo(0)
			return Unsatisfiable
		}
		s.decide(p)
	}
	return Unsatisfiable
}

// Settle propagates what holds without decisions, as far as it comes before ctx is done; false if there is no solution.
func (s *Solver) Settle(ctx context.Context) bool {
	ok, _ := s.settle(ctx)
	return ok
}

// settle is Settle; ended tells that nothing follows any more.
func (s *Solver) settle(ctx context.Context) (ok, ended bool) {
	for !s.refuted {
		switch ok, ended := s.propagateFor(pollPropagators); {
		case !ok:
			s.recordEnd()
			s.refuted = true
		case ended || ctx.Err() != nil:
			return true, ended
		}
	}
	return false, false
}

func (s *Solver) restart() {
	s.restarted++
	s.noteBest()
	s.backTo(0)
	s.takeIn()
	s.switchMode(s.conflicts)
	if s.rephaseDue(s.conflicts) {
		s.rephase(s.rephases)
	}
}
