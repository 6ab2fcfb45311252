package core

import "slices"

// telling keeps which steps have been told, so that what several failed assumptions rest on is
// told once.
type telling struct {
	number []uint32          // by step less 1: the ID that it was told by, or 0
	unit   []bool            // by ID less 1: it has one literal
	same   map[uint64]uint32 // by hash of its literals: a step that was told
}

// Tell yields the steps that the empty clause, or that of [Solver.Failed], rests on, but for those
// told before: IDs go on from call to call. Last is the ID of that clause; 0, and nothing is
// yielded, unless a recorded search was Unsatisfiable and short enough, and shared no clauses. Next is an ID behind it that
// no step has or will have, for a step that the caller adds. Done is not set. A step is
// not to be kept: the next one is written over it.
func (s *Solver) Tell(yield func(*Step) bool) (last, next uint32) {
	if r := s.rec; r != nil && r.all == nil && r.end > 0 && !r.full() {
		last = r.tell(r.end, &s.told, yield)
	}
	s.told.unit = append(s.told.unit, false)
	return last, uint32(len(s.told.unit))
}

func (l *steps) tell(end uint32, t *telling, yield func(*Step) bool) uint32 {
	if t.same == nil {
		t.same = map[uint64]uint32{}
	}
	t.number = append(t.number, make([]uint32, max(0, int(end)-len(t.number)))...)
	needed := l.untold(end, t)
	var w, before written
	for id := uint32(1); id <= end; id++ {
		if !needed[id-1] {
			continue
		}
		l.read(id, &w)
		if t.number[id-1] = l.toldAs(&w, &before, t); t.number[id-1] > 0 {
			continue
		}
		w.Hints = slices.DeleteFunc(w.Hints, func(h uint32) bool { return t.unit[t.number[h-1]-1] })
		for i, h := range w.Hints {
			w.Hints[i] = t.number[h-1]
		}
		t.unit = append(t.unit, len(w.Lits) == 1)
		w.ID, w.Done = uint32(len(t.unit)), nil
		t.number[id-1] = w.ID
		if !yield(&w.Step) {
			break
		}
	}
	return t.number[end-1]
}

// untold marks, by step less 1, those that end rests on and that were not told.
func (l *steps) untold(end uint32, t *telling) []bool {
	needed := make([]bool, end)
	needed[end-1] = t.number[end-1] == 0
	var w written
	for id := end; id > 0; id-- {
		if !needed[id-1] {
			continue
		}
		l.read(id, &w)
		for _, list := range [][]uint32{w.Hints, w.units} {
			for _, h := range list {
				needed[h-1] = t.number[h-1] == 0
			}
		}
	}
	return needed
}

// toldAs is the ID by which a clause of the same literals was told, or 0: the step is then the first
// of its kind. It sorts the literals for that, which are a set.
func (l *steps) toldAs(w, before *written, t *telling) uint32 {
	slices.Sort(w.Lits)
	hash := hashOf(w.Lits)
	step, found := t.same[hash]
	if !found {
		t.same[hash] = w.ID
		return 0
	}
	l.read(step, before)
	if slices.Sort(before.Lits); !slices.Equal(w.Lits, before.Lits) {
		return 0
	}
	return t.number[step-1]
}

// Recording reports whether a record is kept, and is not half full yet.
func (s *Solver) Recording() bool {
	return s.rec != nil && 2*(s.rec.size()+s.rec.others) < s.rec.most
}
