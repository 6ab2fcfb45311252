package bench

import (
	"errors"
	"fmt"
	"reflect"

	"downbeat/model"
)

// Cell finds the run of a policy with a seed, nil if there is none.
func (r *Record) Cell(seed uint64, policy string) *Cell {
	for i := range r.Cells {
		if c := &r.Cells[i]; c.Seed == seed && c.Policy == policy {
			return c
		}
	}
	return nil
}

// Merge adds what another record of the same job set knows. Of two answers of the solver
// the best value and the best bound count, of two elapsed times the shorter, so the order
// does not matter. It fails where the two contradict each other; the record is spoilt then.
func (r *Record) Merge(other *Record) error {
	if r.Digest != other.Digest {
		return fmt.Errorf("two job sets have the name %s", r.Set)
	}
	for i := range other.Cells {
		theirs := &other.Cells[i]
		ours := r.Cell(theirs.Seed, theirs.Policy)
		if ours == nil {
			r.Cells = append(r.Cells, *theirs)
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
		r.takeAnswer(other)
		return nil
	}
	return r.mergeAnswer(other)
}

// takeAnswer takes over what the solver said.
func (r *Record) takeAnswer(from *Record) {
	r.Answer, r.Limit, r.Best, r.Seconds = from.Answer, from.Limit, from.Best, from.Seconds
}

// mergeAnswer puts two answers of the solver together.
func (r *Record) mergeAnswer(other *Record) error {
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
	r.Limit = r.Limit && other.Limit
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
		ours, known := (&Record{Best: a}).best(name)
		theirs, too := (&Record{Best: b}).best(name)
		switch {
		case known && too:
			out = append(out, Best{name, min(ours.Value, theirs.Value), max(ours.Bound, theirs.Bound)})
		case known:
			out = append(out, ours)
		case too:
			out = append(out, theirs)
		}
	}
	return out
}

// combine puts two answers about the hard deadlines of one job set together.
func combine(a, b model.Status) (model.Status, error) {
	if b == model.Optimal {
		b = model.Feasible
	}
	switch {
	case a == model.Unknown || a == b:
		return b, nil
	case b == model.Unknown:
		return a, nil
	}
	return a, errors.New("the hard deadlines were proved infeasible, and a plan found")
}
