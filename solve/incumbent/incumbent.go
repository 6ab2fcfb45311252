// Package incumbent holds what a solve has come to: the best plan so far, the
// bounds proved so far and by which arguments, or that there is no plan at all.
// All strategies of all workers share one, under one lock; they learn of each
// other's work in no other way. Every plan passes the validator on its way in,
// and claims that contradict each other are internal errors.
package incumbent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/event"
)

// AnyPlan stands in place of the index of an objective where any plan will do.
const AnyPlan = -1

// Incumbent is the state of one solve. The exported fields do not change, but for JS between objectives ([Incumbent.Narrow]).
type Incumbent struct {
	JS *model.JobSet
	// Goal is minimised in lexicographic order.
	Goal []model.Objective
	// MayMissHard: hard deadlines are an objective (HardMisses in Goal), not a rule.
	MayMissHard bool
	// Validated, if set, is told how long it took to validate a plan; several may be
	// validated at a time.
	Validated func(took time.Duration)
	// Proofs has the arguments behind bounds kept that stronger ones came after (see
	// [Incumbent.Proved]).
	Proofs bool
	// KeepsLate has the best plan kept of those offered that miss hard deadlines, too ([Incumbent.Late]).
	KeepsLate bool

	// start is a complete schedule to begin with, or nil; it may miss hard deadlines.
	start   model.Schedule
	tell    func(event.Event)
	started time.Time
	given   given
	// whole is JS as it was before values were kept, and what was given then; nil where none are.
	whole      *model.JobSet
	wholeGiven given

	mu sync.Mutex
	state
	asked []*asked
}

// state is what may change of an incumbent.
type state struct {
	best   model.Schedule
	values []int64 // of best, one per objective
	late   model.Schedule
	misses int64   // of late, hard deadlines
	bounds []int64 // proved; for objective p only under the values of those before
	proofs []model.Proof
	// reasons are what bounds rest on, one per objective.
	reasons []Reason
	// proved are the bounds of each objective, where Proofs asks for them.
	proved  [][]Proved
	refuted *NoPlan
	phase   int // the objective that is being closed; bounds after it mean nothing
	keeping
	doing string
	notes []string
	err   error
}

// NoPlan is the proof that the hard jobs cannot all meet their deadlines.
type NoPlan struct {
	Proof model.Proof
	// Overload, Branching or Packing is the argument; none of them where it is steps, which
	// Refutation has, of a search only if they were recorded.
	Overload   *proof.Overload
	Branching  *proof.Branching
	Packing    *proof.Packing
	Refutation *proof.Refutation
	// Sentence says to people that cores are too few, with Packing and where Refutation is of rewards; empty else.
	Sentence string
}

// Argument is the argument as one of a bound.
func (r *NoPlan) Argument() *Argument {
	a := &Argument{Refutation: r.Refutation, Branching: r.Branching, Packing: r.Packing}
	if r.Overload != nil {
		a.Overloads = []proof.Overload{*r.Overload}
	}
	return a
}

// New begins a solve at a time. start may be nil, and so may tell, which is
// called whenever something was learnt, by one goroutine at a time.
func New(js *model.JobSet, goal []model.Objective, start model.Schedule, tell func(event.Event), started time.Time) *Incumbent {
	return &Incumbent{
		JS: js, Goal: goal, MayMissHard: slices.Contains(goal, model.HardMisses),
		start: start, tell: tell, started: started,
		state: state{
			bounds:  make([]int64, len(goal)),
			proofs:  make([]model.Proof, len(goal)),
			reasons: make([]Reason, len(goal)),
			proved:  make([][]Proved, len(goal)),
		},
	}
}

// Offer takes a complete schedule into account: it becomes the best if it is
// valid and better. One that is not valid is an internal error.
func (s *Incumbent) Offer(plan model.Schedule) {
	finishes := s.JS.Finishes(plan)
	if s.JS.Stranded(finishes) > 0 {
		return
	}
	if misses := s.JS.Value(model.HardMisses, finishes); misses > 0 && !s.MayMissHard {
		s.keepLate(plan, misses)
		return
	}
	values := s.ValuesOf(finishes)
	s.mu.Lock()
	better := s.best == nil || slices.Compare(values, s.values) < 0
	s.mu.Unlock()
	if !better {
		return
	}
	err := s.validate(plan)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.failLocked(fmt.Errorf("a plan failed the validator: %w", err))
	case s.best == nil || slices.Compare(values, s.values) < 0:
		s.adopt(plan, values)
	}
}

// keepLate keeps a plan that misses so many hard deadlines if that is wanted, and none kept misses fewer.
func (s *Incumbent) keepLate(plan model.Schedule, misses int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.KeepsLate && (s.late == nil || misses < s.misses) {
		s.late, s.misses = slices.Clone(plan), misses
	}
}

// Late is the plan kept that misses the fewest hard deadlines, nil where there is none. The validator has not seen it.
func (s *Incumbent) Late() model.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late
}

// validate asks the validator about a plan.
func (s *Incumbent) validate(plan model.Schedule) error {
	begun := time.Now()
	err := check.Schedule(s.JS, plan, s.MayMissHard).Err()
	if s.Validated != nil {
		s.Validated(time.Since(begun))
	}
	return err
}

// Receive offers the plan that answers a question for objective p to be at most
// v. A plan that is not what was asked for would be asked for again for ever.
func (s *Incumbent) Receive(plan model.Schedule, p int, v int64) {
	s.Offer(plan)
	finishes := s.JS.Finishes(plan)
	if !s.MayMissHard && s.JS.Value(model.HardMisses, finishes) > 0 {
		s.Fail(errors.New("a question was answered by a plan that misses a hard deadline"))
	}
	values, lim := s.ValuesOf(finishes), s.Limits(p, v)
	for i, o := range s.Goal[:p+1] {
		if most, limited := lim[o]; limited && values[i] > most {
			s.Fail(fmt.Errorf("%s: a question for at most %d was answered by a plan with %d", o, most, values[i]))
		}
	}
}

// Earlier puts a plan in place of the best one, if there is one, in which jobs finish earlier
// where there is room ([heuristics.Earlier]). It is at least as good.
func (s *Incumbent) Earlier(ctx context.Context, seed uint64) {
	if best := s.Best(); best != nil {
		s.replace(best, heuristics.Earlier(ctx, s.JS, s.Goal, best, seed))
	}
}

// Tidy puts the tidied plan in place of the best one, if there is one. It is at
// least as good, and only open objectives can gain. Where ctx has ended little time is spent
// on it ([heuristics.Tidy]).
func (s *Incumbent) Tidy(ctx context.Context) {
	best := s.Best()
	if best == nil {
		return
	}
	s.replace(best, heuristics.Tidy(ctx, s.JS, best))
}

// replace puts a plan in place of the best one that it was made of.
func (s *Incumbent) replace(best, plan model.Schedule) {
	if slices.Equal(plan, best) {
		return // it has passed the validator
	}
	if err := s.validate(plan); err != nil {
		s.Fail(err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adopt(plan, s.ValuesOf(s.JS.Finishes(plan)))
}

// adopt makes a valid plan the best one, now or once values are no longer kept ([Incumbent.Release]), unless a proof says that it
// cannot be; s.mu is held.
func (s *Incumbent) adopt(plan model.Schedule, values []int64) {
	if s.refuted != nil {
		s.failLocked(errRefuted)
		return
	}
	for p := range min(s.phase+1, len(s.Goal)) {
		if values[p] < s.bounds[p] {
			s.failLocked(fmt.Errorf("%s: a plan with %d was found, and a bound of %d proved", s.Goal[p], values[p], s.bounds[p]))
			return
		}
		if values[p] > s.bounds[p] {
			break // bounds after this one do not speak of such a plan
		}
	}
	if s.waits(plan, values) {
		return
	}
	better := s.best == nil || slices.Compare(values, s.values) < 0
	if s.best, s.values = plan, values; better {
		s.report(event.Plan, nil)
		s.settle()
	}
}

var errRefuted = errors.New("the hard jobs were proved infeasible, and a plan found")

// Raise records that objective p cannot go below v, by what argument, and why in
// sentences.
func (s *Incumbent) Raise(p int, v int64, proof model.Proof, why ...string) {
	s.raise(p, v, proof, Reason{Sentences: why})
}

// RaiseBy is Raise by an argument that is kept as data.
func (s *Incumbent) RaiseBy(p int, v int64, proof model.Proof, by Argument, why ...string) {
	s.raise(p, v, proof, Reason{Sentences: why, Argument: by})
}

func (s *Incumbent) raise(p int, v int64, proof model.Proof, why Reason) {
	if s.given.why != "" {
		proof, why.Sentences = max(proof, s.given.proof), append(slices.Clone(why.Sentences), s.given.why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raiseLocked(p, v, proof, why) && s.Proofs {
		s.proved[p] = append(s.proved[p], Proved{v, why.Argument})
	}
}

// raiseLocked reports whether a bound is greater than the one before; s.mu is held.
func (s *Incumbent) raiseLocked(p int, v int64, proof model.Proof, why Reason) bool {
	if s.best != nil && v > s.values[p] {
		s.failLocked(fmt.Errorf("%s: a bound of %d was proved, and a plan with %d found", s.Goal[p], v, s.values[p]))
		return false
	}
	if v <= s.bounds[p] {
		return false
	}
	why.Objective = s.Goal[p]
	s.bounds[p], s.proofs[p], s.reasons[p] = v, proof, why
	s.report(event.Bound, nil)
	s.settle()
	return true
}

// Refute records that there is no plan, the first proof of it.
func (s *Incumbent) Refute(r NoPlan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuteLocked(&r)
}

func (s *Incumbent) refuteLocked(r *NoPlan) {
	if s.best != nil {
		s.failLocked(errRefuted)
	} else if s.refuted == nil {
		s.refuted = r
	}
}

// Refuted is the proof that there is no plan, nil if there is none.
func (s *Incumbent) Refuted() *NoPlan {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refuted
}

// Begin turns to objective p.
func (s *Incumbent) Begin(p int) {
	s.mu.Lock()
	s.phase = p
	s.mu.Unlock()
	s.Say("minimising " + s.Goal[p].String())
}

// ValuesOf are the values of the objectives for the finishes of all jobs.
func (s *Incumbent) ValuesOf(finishes []model.Time) []int64 {
	values := make([]int64, len(s.Goal))
	for i, o := range s.Goal {
		values[i] = s.JS.Value(o, finishes)
	}
	return values
}

// Best is the best plan, nil if there is none.
func (s *Incumbent) Best() model.Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.best
}

// Start is where to search from, the best plan or else the one to begin with, nil
// if there is neither; and the values that would close every objective up to the
// current one, HardMisses first.
func (s *Incumbent) Start() (from model.Schedule, target []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, target = s.best, slices.Clone(s.bounds)
	if from == nil {
		from = s.start
	}
	if !s.MayMissHard {
		target = append([]int64{0}, target...)
	}
	return from, target
}

// Gap is the best value of objective p and the bound on it.
func (s *Incumbent) Gap(p int) (value, bound int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[p], s.bounds[p]
}

// Closed reports whether objective p is at its proved best.
func (s *Incumbent) Closed(p int) bool {
	value, bound := s.Gap(p)
	return value == bound
}

// Over reports whether there is nothing left to be done for objective p, or for
// AnyPlan.
func (s *Incumbent) Over(p int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return true
	case p == AnyPlan:
		return s.best != nil || s.refuted != nil
	}
	return s.values[p] == s.bounds[p]
}

// Limits ask for objective p to be at most v, and those before it to be at the
// values at which they are closed or kept, but for those of which no plan has worse ones ([Incumbent.First]). For AnyPlan there are none.
func (s *Incumbent) Limits(p int, v int64) query.Limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	lim := query.Limits{}
	if p == AnyPlan {
		return lim
	}
	for i := s.given.kept; i < p; i++ {
		lim[s.Goal[i]] = s.values[i]
	}
	lim[s.Goal[p]] = v
	return lim
}

// Question asks for a plan within limits.
func (s *Incumbent) Question(lim query.Limits) query.Question {
	return query.Within(s.JS, s.MayMissHard, lim)
}

// Complete makes a plan of a schedule from which jobs were left out.
func (s *Incumbent) Complete(partial model.Schedule) model.Schedule {
	if partial.Complete() {
		return partial
	}
	return heuristics.Complete(s.JS, partial)
}

// failLocked records an internal error; the first one counts. s.mu is held.
func (s *Incumbent) failLocked(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Fail records an internal error, which ends the solve. That of a context is none: a
// recheck that was interrupted says nothing.
func (s *Incumbent) Fail(err error) {
	if interrupted(err) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failLocked(err)
}

// Err is the first internal error.
func (s *Incumbent) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Say sets the words that go with progress.
func (s *Incumbent) Say(doing string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = doing
	s.report(event.Phase, nil)
}

// Heard reports whether somebody listens.
func (s *Incumbent) Heard() bool { return s.tell != nil }

// Had tells of a strategy's slice.
func (s *Incumbent) Had(slice *event.Slice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(event.Strategy, slice)
}

// interrupted tells the error of a context.
func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// LeftOut keeps the remark that questions are not asked, and why; that ctx was done
// is none.
func (s *Incumbent) LeftOut(why error) {
	if !interrupted(why) {
		s.Note("the exact search was left out: " + why.Error())
	}
}

// Note keeps a remark for people. One is enough: the size of a question that is
// refused differs from one to the next.
func (s *Incumbent) Note(note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) == 0 {
		s.notes = []string{note}
	}
}

// report tells the observer; s.mu is held, so the observer hears one thing at
// a time.
func (s *Incumbent) report(kind event.Kind, slice *event.Slice) {
	if s.tell == nil {
		return
	}
	s.tell(event.Event{
		Kind: kind, Elapsed: time.Since(s.started), Phase: s.doing,
		HavePlan: s.best != nil, Objectives: s.objectives(), Slice: slice,
	})
}

// objectives pairs values with bounds; an objective has a bound only once all
// before it are closed. s.mu is held.
func (s *Incumbent) objectives() []model.ObjectiveValue {
	if s.best == nil {
		return nil
	}
	out := make([]model.ObjectiveValue, len(s.Goal))
	open := false
	for p, o := range s.Goal {
		out[p] = model.ObjectiveValue{Name: o.String(), Value: s.values[p]}
		if !open && p <= s.phase {
			bound := s.bounds[p]
			out[p].Bound = &bound
			if s.proofs[p] != model.NoProof {
				out[p].Proof = s.proofs[p].String()
			}
			open = bound < s.values[p]
		}
	}
	return out
}

// Answer is what a solve has come to.
type Answer struct {
	// Schedule is nil if there is no plan; then only Notes hold.
	Schedule   model.Schedule
	Objectives []model.ObjectiveValue
	// Proof backs the bound that was hardest to get, Why says on what bounds rest.
	Proof model.Proof
	Why   []Reason
	Notes []string
}

// Reason is what the bound on an objective rests on.
type Reason struct {
	Objective model.Objective
	// Sentences say it to people; empty where there is nothing to say.
	Sentences []string
	// Argument is the whole argument. Its times are in steps of Unit ticks, as those of the
	// sentences are; 0 stands for 1.
	Argument Argument
	Unit     model.Time
}

// Argument is what a bound rests on as data: one of these, or none where the argument is a
// search.
type Argument struct {
	// Branching is by multipliers, of the whole or of each case.
	Branching *proof.Branching
	// Overloads make a bound by energy. Allowed has, one per overload, by how many ticks
	// soft jobs may be late, beyond what each is late by anyway, and it still holds.
	Overloads []proof.Overload
	Allowed   []model.Time
	// Cuts on late jobs bound the misses, where proofs are asked for.
	Cuts []proof.Cut
	// Packing is by prices on lengths of tasks, Pooled by prices that slaves share.
	Packing *proof.Packing
	Pooled  *proof.PoolBound
	// Refutation has the steps of a search that was recorded: no plan has the objective below
	// the bound, and those before it at the values at which they are closed.
	Refutation *proof.Refutation
}

// Proved is a bound and what it rests on.
type Proved struct {
	Least int64
	By    Argument
}

// Proved are the bounds that were proved of objective p, the greatest first; none unless
// they were kept.
func (s *Incumbent) Proved(p int) []Proved {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.proved[p])
	slices.Reverse(all)
	return all
}

// Multipliers is an argument by those of the whole.
func Multipliers(by *proof.DualBound) Argument {
	return Argument{Branching: &proof.Branching{Bound: by}}
}

// Answer is the answer as it stands.
func (s *Incumbent) Answer() Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := Answer{Schedule: s.best, Objectives: s.objectives(), Notes: s.notes}
	for p, o := range a.Objectives {
		if o.Bound != nil {
			a.Proof = max(a.Proof, s.proofs[p])
			if why := s.reasons[p]; len(why.Sentences) > 0 {
				a.Why = append(a.Why, why)
			}
		}
	}
	return a
}
