package strategy

import (
	"context"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/query"
	"downbeat/solve/assignment"
	"downbeat/solve/incumbent"
	"downbeat/solve/memory"
	"downbeat/solve/portfolio"
)

// assigner settles values of an objective that is a time, or whether the hard deadlines can be met, where all there is to find is which core does which task.
type assigner struct {
	w *portfolio.Work
	// rewards are the last ones of the whole, by TaskID.
	rewards []int64
	// whole is a value that rewards of the whole do not refute, -1 for none, and begun that plans were looked for.
	whole int64
	begun bool
	// open is a value for which no plan was found of late.
	open  int64
	tries uint64
	// refused counts what was found with the bound, and is no plan.
	refused int
}

// Assignment has tasks that take longer on some slaves than on others, or are not released and due together, done by cores, for an objective that is a time, or for any plan:
// rewards for tasks refute values, or rule out who does most of them, and a search through what is left settles the others.
var Assignment = &portfolio.Strategy{
	Name: "assignment", Unit: "100 million cells of tables, an eighth of a second", Proves: "dual", Grows: 2, Most: mostGrown,
	Applies: func(w *portfolio.Work) bool { return boundsHold(w) && poses(w, assignment.New) },
	Begin:   func(w *portfolio.Work, _ uint64) portfolio.Runner { return &assigner{w: w, whole: -1} },
}

// mostRefused is how often there may be who does what by the bound, and no plan of it: then slots are in the way, and
// no rewards say so.
const mostRefused = 20

// cellsOfAssigning are a unit.
const cellsOfAssigning = 100_000_000

// Run implements portfolio.Runner.
func (k *assigner) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	left := s.Units * cellsOfAssigning
	if !k.raise(ctx) {
		return portfolio.Done
	}
	if !k.begun {
		k.begun = true
		left -= k.begin(ctx)
	}
	for left > 0 && ctx.Err() == nil && !k.w.Over(k.w.P) {
		value, bound := timesOpen(k.w)
		answer, took := k.search(ctx, bound, assignment.Limits{Cells: left / 2, Exchanges: left / 8})
		if answer == assignment.Found && !k.w.Over(k.w.P) {
			if k.refused++; k.refused > mostRefused {
				return portfolio.Done
			}
		}
		if left -= max(1, took); answer == assignment.Open && bound < value-1 {
			left -= max(1, k.between(ctx, value, bound, assignment.Limits{Cells: left / 2, Exchanges: left / 8}))
		}
	}
	return portfolio.Open
}

// between looks for a plan with the value halfway between the best and one for which none was found, which is the bound at first, and
// again once there is no such value.
func (k *assigner) between(ctx context.Context, value, bound int64, l assignment.Limits) (cells int) {
	if k.open < bound || k.open >= value-1 {
		k.open = bound
	}
	v := (k.open + value) / 2
	answer, cells := k.search(ctx, v, l)
	if answer == assignment.Open {
		k.open = v
	}
	return cells
}

// raise refutes values by rewards of the whole, in steps that double after each success. It is false where it cannot look at them.
func (k *assigner) raise(ctx context.Context) bool {
	for stride := int64(1); ctx.Err() == nil && !k.w.Over(k.w.P); {
		value, bound := timesOpen(k.w)
		if k.whole < bound {
			k.whole = value
		}
		if k.whole = min(k.whole, value); k.whole <= bound {
			return true
		}
		v := min(bound+stride-1, k.whole-1)
		switch answer, took := k.search(ctx, v, assignment.Limits{}); {
		case took == 0:
			return false
		case answer == assignment.None:
			stride *= 2
		default:
			k.whole = v
			stride = max(1, (v-bound)/2)
		}
	}
	return true
}

// begin looks for plans with values of which the first are next to the bound, and those after ever further from it.
func (k *assigner) begin(ctx context.Context) (cells int) {
	for d := int64(0); ctx.Err() == nil; d = 2*d + 1 {
		value, bound := timesOpen(k.w)
		if bound+d >= value {
			return cells
		}
		answer, took := k.search(ctx, bound+d, assignment.Limits{Exchanges: cellsOfAssigning})
		if cells += took; answer == assignment.Found {
			return cells
		}
	}
	return cells
}

// search settles a value, within limits.
func (k *assigner) search(ctx context.Context, v int64, l assignment.Limits) (answer assignment.Answer, cells int) {
	w := k.w
	p, ok := assignment.New(w.JS, duesAt(w, v))
	if !ok || !memory.Allows(ctx, "assignment", p.Bytes()) {
		return assignment.Open, 0
	}
	k.tries++
	s := assignment.NewSearch(p, w.Seed+k.tries)
	l.From = k.rewards
	answer, none := s.Run(ctx, l)
	k.rewards = s.Rewards()
	switch answer {
	case assignment.Found:
		if plan := w.Complete(s.Plan()); check.Schedule(w.JS, plan, w.MayMissHard).Err() == nil { // else slots are in the way
			w.Offer(plan)
		}
	case assignment.None:
		k.claim(ctx, v+1, none)
	}
	return answer, s.Cells()
}

// claim raises the bound, once the checker of proof files agrees.
func (k *assigner) claim(ctx context.Context, least int64, none *assignment.Argument) {
	w := k.w
	if w.P == incumbent.AnyPlan {
		asked := query.Within(w.JS, false, nil)
		by := none.Refutation(&asked)
		if err := inference.CheckInfeasible(ctx, w.JS, by); err != nil {
			w.Fail(err)
			return
		}
		w.Refute(incumbent.NoPlan{Proof: model.DualProof, Refutation: by, Sentence: none.Sentence()})
		return
	}
	asked := query.Within(w.JS, false, query.Limits{w.Goal[w.P]: least - 1})
	by := none.Refutation(&asked)
	if err := inference.CheckClaim(ctx, w.JS, w.Goal[w.P], least, by); err != nil {
		w.Fail(err)
		return
	}
	w.RaiseBy(w.P, least, model.DualProof, incumbent.Argument{Refutation: by}, claim(w.JS, w.Goal[w.P], least), none.Sentence())
}
