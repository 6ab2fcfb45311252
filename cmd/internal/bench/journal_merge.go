package bench

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"downbeat/model"
)

// merge adds to a record what another one of the same job set knows. Of two answers of the solver
// the best value and the best bound count, of two elapsed times the shorter, so the order
// does not matter; but of runs of different definitions of a policy the other's count, which
// came later. It fails where the two contradict each other; the record is spoilt then.
func merge(r, other *Record) error {
	if r.Digest != other.Digest {
		return fmt.Errorf("two job sets have the name %s", r.Set)
	}
	runs := r.Runs()
	for i := range other.Cells {
		theirs := &other.Cells[i]
		run := RunOf{Seed: theirs.Seed, Policy: theirs.Policy}
		at, known := runs[run]
		if !known {
			runs[run] = len(r.Cells)
			r.Cells = append(r.Cells, *theirs)
			continue
		}
		ours := &r.Cells[at]
		if ours.Definition != theirs.Definition {
			*ours = *theirs // made anew, as the program of the policy has changed
			continue
		}
		if !reflect.DeepEqual(ours.Measures, theirs.Measures) {
			return fmt.Errorf("job set %s has two runs of policy %s with seed %d that differ", r.Set, ours.Policy, ours.Seed)
		}
		ours.Seconds = min(ours.Seconds, theirs.Seconds)
	}
	switch {
	case other.Answer == "":
		return nil
	case r.Answer == "":
		r.TakeAnswer(other)
		return nil
	}
	return mergeAnswer(r, other)
}

// mergeAnswer puts two answers of the solver together.
func mergeAnswer(r, other *Record) error {
	a, err := model.ParseStatus(r.Answer)
	b, err2 := model.ParseStatus(other.Answer)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("job set %s: %w", r.Set, err)
	}
	answer, err := combine(a, b)
	if err != nil {
		return fmt.Errorf("job set %s: %w", r.Set, err)
	}
	r.Seconds = min(r.Seconds, other.Seconds)
	r.Best = mergeBest(r.Best, other.Best)
	r.Limit, r.Uncertified = r.Limit && other.Limit, r.Uncertified && other.Uncertified
	for _, best := range r.Best {
		if best.Value < best.Bound {
			return fmt.Errorf("job set %s: a plan with %s %d was found, and a bound of %d proved", r.Set, best.Objective, best.Value, best.Bound)
		}
	}
	r.Answer = answer.String()
	return nil
}

// mergeBest takes the best of both, objective by objective.
func mergeBest(a, b []Best) []Best {
	var out []Best
	for _, name := range model.ObjectiveNames() {
		ours, known := best(a, name)
		theirs, too := best(b, name)
		switch {
		case known && too:
			out = append(out, Best{Objective: name, Value: min(ours.Value, theirs.Value), Bound: max(ours.Bound, theirs.Bound)})
		case known:
			out = append(out, ours)
		case too:
			out = append(out, theirs)
		}
	}
	return out
}

// best finds what is known of an objective.
func best(list []Best, objective string) (Best, bool) {
	i := slices.IndexFunc(list, func(b Best) bool { return b.Objective == objective })
	if i < 0 {
		return Best{}, false
	}
	return list[i], true
}
