package strategy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
)

// branching refutes values of an objective that is a time, from its bound up, or
// that there is a plan, by multipliers in the parts that shaving and splits leave.
// A value that was not refuted is gone on with where its search stopped.
type branching struct {
	w *portfolio.Work
	joint
	// open are the searches that came to no end, in the order in which they began.
	open []*search
	// extent hands multipliers of the whole on from one search to the next.
	extent lagrange.Extent
	// brief counts the first slices of less than leastWork, which are no attempts.
	brief int
}

// attempt is to refute a value, thoroughly or not.
type attempt struct {
	value    int64
	thorough bool
}

// search is an attempt under way, which alive ends with, and the work that was done for it.
type search struct {
	*lagrange.Refutation
	attempt
	due   []model.Time
	alive context.Context
	end   context.CancelFunc
	done  int
}

// Branching bounds an objective that is a time, or refutes that there is any plan, by
// multipliers in the parts that shaving and splits leave.
var Branching = &portfolio.Strategy{
	Name: "branching", Sharing: portfolio.Together, Crew: treeCrew, After: Multipliers, Unit: "an eighth of a second of branching", Proves: "branching, lcg",
	Grows: branchingGrows, Most: mostBranching, Applies: boundsHold,
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner { return &branching{w: w} },
}

// Run implements portfolio.Runner.
func (b *branching) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if !b.lead() {
		b.follow(ctx)
		return portfolio.Open
	}
	defer b.leave()
	if s.Units < branchingUnits {
		b.brief = s.Number + 1
	}
	attempt := s.Number - b.brief
	e := lagrange.Effort{Work: leastWork / branchingUnits * s.Units, Thorough: thorough(attempt) || attempt > 0 && b.ofMany()}
	if b.w.P == incumbent.AnyPlan {
		b.refuteHard(ctx, e)
	} else {
		raiseTime(ctx, b.w, func(v int64) *proof.Branching { return b.refute(ctx, v, e) })
	}
	return portfolio.Open
}

// Many is the number of tasks from which on the first bounds mostly leave tardiness open, so
// that plans come before branching, and dives after a slice of it: of fourteen sets of 60 tasks nine are then proved on a budget of 24,000, not five, and
// the others end one to three below; four of 50 take two thirds of the time, six of 40 four fifths.
const Many = 40

// ofMany tells that branching which is not thorough hardly refutes anything.
func (b *branching) ofMany() bool {
	return b.w.P != incumbent.AnyPlan && b.w.Goal[b.w.P].Shape() == model.Tardiness.Shape() && len(b.w.JS.Tasks) >= Many
}

func (b *branching) refuteHard(ctx context.Context, e lagrange.Effort) {
	w := b.w
	s := b.search(ctx, attempt{thorough: e.Thorough}, query.HardDues(w.JS))
	if c := b.goOn(ctx, s, e.Work, w.Question(nil), w.Offer); c != nil {
		w.Refute(incumbent.NoPlan{Proof: c.Proof(), Branching: c})
	}
}

// refute looks for an argument that no plan has the objective at v or below.
func (b *branching) refute(ctx context.Context, v int64, e lagrange.Effort) *proof.Branching {
	w := b.w
	s := b.search(ctx, attempt{v, e.Thorough}, query.AtMost(w.JS, w.Goal[w.P], model.Time(v)))
	found := func(plan model.Schedule) { w.Receive(plan, w.P, v) }
	return b.goOn(ctx, s, e.Work, w.Question(w.Limits(w.P, v)), found)
}

// search is the one for an attempt, a new one if there is none: for an argument that not all jobs finish
// by due.
func (b *branching) search(ctx context.Context, at attempt, due []model.Time) *search {
	for _, s := range b.open {
		if s.attempt == at {
			return s
		}
	}
	s := &search{attempt: at, due: due}
	s.alive, s.end = b.w.Until(ctx, b.w.P, at.value)
	s.Refutation = lagrange.NewRefutation(s.alive, b.w.JS, due, at.thorough)
	s.Extent = b.extent
	b.open = append(b.open, s)
	return s
}

// goOn goes on with a search until it has had some work all together. Parts are asked about as parts
// of q.
func (b *branching) goOn(ctx context.Context, s *search, work int, q query.Question, found func(plan model.Schedule)) (c *proof.Branching) {
	more := work - s.done
	if more <= 0 {
		return nil
	}
	s.done = work
	ask := func(ctx context.Context) lagrange.Ask { return askLeaves(ctx, s.alive, b.w, q, work, found) }
	b.helped(func(ctx context.Context) { charge(ctx, s.Help(ask(ctx))) }, func(begun func()) {
		s.Begun = begun
		c = refuteOn(ctx, b.w.Incumbent, s.Refutation, s.due, more, ask(ctx))
	})
	b.extent = s.Extent
	b.trim()
	return c
}

// trim forgets searches for values that are settled, and has the one that holds most
// begin anew if all together hold too much.
func (b *branching) trim() {
	b.open = slices.DeleteFunc(b.open, func(s *search) bool {
		if b.settled(s.value) {
			s.end()
			return true
		}
		return false
	})
	total := 0
	var largest *search
	for _, s := range b.open {
		if total += s.Size(); largest == nil || s.Size() > largest.Size() {
			largest = s
		}
	}
	if total > mostMultipliers {
		largest.Forget()
		largest.done = 0
	}
}

// settled tells that there is a plan with a value, or none.
func (b *branching) settled(v int64) bool {
	if b.w.P == incumbent.AnyPlan {
		return false
	}
	value, bound := b.w.Gap(b.w.P)
	return v < bound || v >= value
}
