package capacity

import (
	"math"
	"slices"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// A job that is left out has no lateness. So a time is kept by how much is left out, too, and
// there a size does only if no more is left out than with the largest: else a class of none
// might do, and one more would not. Misses have what is left out among them.

// leaving is what plans leave out at the least, in the order in which they minimise it: the
// weight of soft jobs, and the number of all. It is not known better than from a bound to a value.
type leaving struct{ bound, value []int64 }

// leavingOf reads it off an answer, which has a plan.
func leavingOf(res *solve.Result) leaving {
	out := leaving{make([]int64, 2), make([]int64, 2)}
	for k, of := range []model.Objective{model.LeftOutWeight, model.LeftOut} {
		for _, o := range res.Objectives {
			if !o.Is(of) {
				continue
			}
			if out.value[k] = o.Value; o.Bound != nil {
				out.bound[k] = *o.Bound
			}
		}
	}
	return out
}

func (l leaving) exact() bool { return slices.Equal(l.bound, l.value) }

// leastLeaving finds what is left out with the largest sizes of classes, as well as it can be
// found in a round. Nothing is known of it where ctx ends.
func (s *sizer) leastLeaving(classes []Supply) error {
	if s.least != nil && s.least.exact() || s.leastRound > s.Round {
		return nil
	}
	s.leastRound = s.Round + 1
	var sizes []int64
	for _, c := range classes {
		sizes = append(sizes, c.Most)
	}
	set, err := s.set(classes, sizes...)
	switch {
	case err != nil || whatif.TooLate(s.ctx, set):
		return nil
	case set.Leavable() == nil:
		s.least = &leaving{make([]int64, 2), make([]int64, 2)}
		return nil
	}
	res, err := s.solve(set, []model.Objective{s.limit.Objective})
	if err == nil && res.Schedule != nil {
		least := leavingOf(res)
		s.least = &least
	}
	return err
}

// judgeLeaving holds a result of a set of which plans may leave out jobs against the limit.
func (a *asker) judgeLeaving(res *solve.Result) (model.Status, model.Proof) {
	out, least := leavingOf(res), leaving{[]int64{0, 0}, []int64{math.MaxInt64, 0}}
	switch {
	case a.limit.Objective.Shape().Counts():
		least.bound = least.value
	case a.least != nil:
		least = *a.least
	}
	limited := res.Objectives[len(res.Objectives)-1]
	switch {
	case slices.Compare(out.value, least.bound) <= 0 && limited.Value <= a.limit.Value:
		return model.Feasible, model.WitnessProof
	case slices.Compare(out.bound, least.value) > 0, limited.Bound != nil && *limited.Bound > a.limit.Value:
		return model.Infeasible, res.Proof
	default:
		return model.Unknown, model.NoProof
	}
}
