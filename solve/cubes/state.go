package cubes

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/solve/lcg"
)

// State is what has come of a problem so far.
type State struct {
	*Problem
	// Tree has the cubes; nil where nothing was split.
	Tree *Tree
	// Bound is what the open objective was proved to be at least before it was split, in steps.
	Bound int64
	// Best is the best plan that Keeps, in steps, nil for none.
	Best model.Schedule

	refuted map[string][]*Refuted // by cube, the highest limit first
	carried map[[2]int64]bool
}

// Refute notes what is refuted of a cube.
func (s *State) Refute(cube string, r *Refuted) {
	if s.refuted == nil {
		s.refuted, s.carried = map[string][]*Refuted{}, map[[2]int64]bool{}
	}
	s.refuted[cube] = append(s.refuted[cube], r)
	slices.SortStableFunc(s.refuted[cube], func(a, b *Refuted) int { return cmp.Compare(b.Most, a.Most) })
}

// Of is what is refuted of a cube by its name that holds of a limit, with steps if there is one that has
// them; nil for nothing.
func (s *State) Of(cube string, most int64) (of *Refuted) {
	for _, r := range s.refuted[cube] {
		if (of == nil || of.By == nil) && r.Most >= most && s.carries(r.Most, most) {
			of = r
		}
	}
	return of
}

// Stray is the name of a cube that is refuted by a clause which its literals do not deny, as one of another
// cube; "" if there is none.
func (s *State) Stray() string { return s.stray(s.Tree, nil) }

func (s *State) stray(t *Tree, way []string) string {
	for _, r := range s.refuted[t.Cube] {
		for _, l := range r.Clause {
			if !slices.Contains(way, lcg.Opposite(l)) {
				return t.Cube
			}
		}
	}
	if t.Literal == "" {
		return ""
	}
	way = slices.Clip(way)
	return cmp.Or(s.stray(t.Holds, append(way, t.Literal)), s.stray(t.Fails, append(way, lcg.Opposite(t.Literal))))
}

func (s *State) carries(from, to int64) bool {
	key := [2]int64{from, to}
	ok, known := s.carried[key]
	if !known {
		ok = s.Carries(from, to)
		s.carried[key] = ok
	}
	return ok
}

// Refuted is the highest limit of which all cubes are refuted, or that was before; -1 for none, AnyPlan
// where there is no plan at all.
func (s *State) Refuted() int64 {
	known := s.Bound - 1
	if s.Tree == nil {
		return known
	}
	highest, any := s.highest()
	var limits []int64
	for _, all := range s.refuted {
		for _, r := range all {
			if any {
				limits = append(limits, min(r.Most, highest))
			} else {
				limits = append(limits, r.Most)
			}
		}
	}
	slices.Sort(limits)
	for _, most := range slices.Backward(slices.Compact(limits)) {
		if most > known && len(s.Open(most)) == 0 {
			return most
		}
	}
	return known
}

// highest is the limit just below the best plan; any is false where there is none.
func (s *State) highest() (most int64, any bool) {
	if s.Best == nil {
		return AnyPlan, false
	}
	return s.Value(s.Best) - 1, true
}

// Target is the limit that cubes are asked about next: halfway between what is refuted and the best plan,
// so that either comes nearer; not ok where nothing is left.
func (s *State) Target() (most int64, ok bool) {
	return s.target(s.Refuted())
}

func (s *State) target(refuted int64) (most int64, ok bool) {
	highest, any := s.highest()
	switch {
	case !any:
		return AnyPlan, refuted < AnyPlan
	case s.P == len(s.Goal):
		return 0, false
	}
	return highest - (highest-refuted)/2, refuted < highest
}

// Open lists the cubes that are left of a limit.
func (s *State) Open(most int64) []Cube {
	return s.Tree.Open(func(cube string) bool { return s.Of(cube, most) != nil })
}
