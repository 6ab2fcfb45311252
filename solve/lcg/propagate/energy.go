package propagate

import (
	"slices"

	"downbeat/solve/lcg/core"
)

// energy adds up, for windows of time, what users of a resource must use within
// (energetic reasoning, Baptiste, Le Pape and Nuijten 2001). Users hold the
// resource for a fixed time from From on.
type energy struct {
	Resource
	// What follows is computed anew in every run: users that are there and that
	// may be, when each can start, and the starts and ends of windows.
	sure, open   []int
	start        []Span
	begins, ends []int32
}

// PostEnergy adds energetic reasoning to the time table of a resource, whose users
// hold it for After + 1 from From on, at the least, whatever the points. What is
// fixed is not added up.
//
// It pays where it is known who uses the resource: with it job shops were
// refuted with a third to a hundredth of the conflicts. On slaves that share
// their tasks it costs a third of the time for nothing.
func PostEnergy(s *core.Solver, resource Resource) {
	id := s.Add(&energy{Resource: resource, start: make([]Span, len(resource.Users))})
	for k := range resource.Users {
		u := &resource.Users[k]
		s.OnTrue(u.X, id)
		s.OnChange(u.From, id, u.X.Not())
	}
}

// Priority is last.
func (r *energy) Priority() int { return 2 }

func (u *User) length() int32 { return u.After + 1 }

// within is how long user k must hold the resource in [a, b).
func (r *energy) within(k int, a, b int32) int32 {
	length, start := r.Users[k].length(), r.start[k]
	return max(0, min(length, b-a, start.Lo+length-a, b-start.Hi))
}

// Propagate looks at all windows that begin at the first start of a user that is
// there, and end at the last end of one.
func (r *energy) Propagate(s *core.Solver) bool {
	r.read(s)
	for _, a := range r.begins {
		for _, b := range r.ends {
			if b > a && !r.checkWindow(s, a, b) {
				return false
			}
		}
	}
	return true
}

func (r *energy) read(s *core.Solver) {
	r.sure, r.open, r.begins, r.ends = r.sure[:0], r.open[:0], r.begins[:0], r.ends[:0]
	for k := range r.Users {
		u := &r.Users[k]
		r.start[k] = Span{max(s.Lower(u.From), u.FromSpan.Lo), min(s.Upper(u.From), u.FromSpan.Hi)}
		switch s.Value(u.X) {
		case 0:
			r.open = append(r.open, k)
		case 1:
			r.sure = append(r.sure, k)
			r.begins = append(r.begins, r.start[k].Lo)
			r.ends = append(r.ends, r.start[k].Hi+u.length())
		}
	}
	slices.Sort(r.begins)
	slices.Sort(r.ends)
	r.begins, r.ends = slices.Compact(r.begins), slices.Compact(r.ends)
}

// checkWindow compares what must be used in [a, b) with what is there, and
// rules out users for which too little is left.
func (r *energy) checkWindow(s *core.Solver, a, b int32) bool {
	left := r.Capacity * int64(b-a)
	for _, k := range r.sure {
		left -= r.Users[k].Need * int64(r.within(k, a, b))
	}
	if left < 0 {
		s.BeginExplanation()
		s.Note(a, b)
		r.explainUsed(s, a, b, -left-1)
		return s.Imply(core.False)
	}
	for _, k := range r.open {
		u, held := &r.Users[k], r.within(k, a, b)
		need := u.Need * int64(held)
		if need <= left || s.Value(u.X) != 0 {
			continue
		}
		s.BeginExplanation()
		s.Note(a, b)
		spare := r.explainUsed(s, a, b, need-left-1)
		r.explainWithin(s, k, a, b, held-int32(spare/u.Need))
		if !s.Imply(u.X.Not()) {
			return false
		}
	}
	return true
}

// explainUsed explains what users that are there use in [a, b), less spare: the
// weaker the explanation, the more it covers. It returns what is left of spare.
func (r *energy) explainUsed(s *core.Solver, a, b int32, spare int64) int64 {
	for _, k := range r.sure {
		need, held := r.Users[k].Need, r.within(k, a, b)
		less := int32(min(spare/need, int64(held)))
		spare -= need * int64(less)
		if held > less {
			s.Explain(r.Users[k].X)
			r.explainWithin(s, k, a, b, held-less)
		}
	}
	return spare
}

// explainWithin explains that user k, if it is there, holds the resource for some
// time in [a, b).
func (r *energy) explainWithin(s *core.Solver, k int, a, b, time int32) {
	u := &r.Users[k]
	if from := a - u.length() + time; u.FromSpan.Lo < from {
		s.ExplainLower(u.From, from)
	}
	if by := b - time; u.FromSpan.Hi > by {
		s.ExplainUpper(u.From, by)
	}
}
