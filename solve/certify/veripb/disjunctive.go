package veripb

import (
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// sureUse is the use of a place whose task is sure to be there: when it begins and for how long it lasts at the least.
type sureUse struct {
	task   model.TaskID
	place  *place
	begin  inference.Span
	length model.Time
	units  int64
	asked  bool
	// ordered: a literal says that it comes before the one that is asked about, or after it where time runs backwards.
	ordered bool
}

// begins is the scale of when it begins, R where it is a stay.
func (u *sureUse) begins(h model.Hold) *scale {
	if h == model.HoldRun {
		return &u.place.start
	}
	return &u.place.get
}

// reversed is the same with time backwards.
func (u sureUse) reversed() sureUse {
	u.begin = inference.Span{First: -u.begin.Last - u.length, Last: -u.begin.First - u.length}
	return u
}

// disjunctive argues that a task, of those on a slave that do not fit into a line with it, comes too late or too early:
// that others come before it, or after it, follows by unit propagation, and then they take too long in sum.
func (t *pricing) disjunctive(l *line, id model.TaskID) func() bool {
	t.hold, t.begins = l.hold(), map[Literal]inference.Span{}
	var sure []sureUse
	for _, u := range l.users {
		p := &t.f.places[u.place]
		task := t.f.tasks[p.task].id
		start, get, ok := t.view.Reach(task, p.slave)
		if !ok || !t.view.Sure(task, p.slave) {
			continue
		}
		use := sureUse{task: task, place: p, begin: get, length: p.fetch, units: u.units, asked: task == id}
		switch t.hold {
		case model.HoldRun:
			use.begin, use.length = start, p.run
		case model.HoldStay:
			use.length += p.run
		}
		sure = append(sure, use)
	}
	k := slices.IndexFunc(sure, func(u sureUse) bool { return u.asked })
	if k < 0 {
		return func() bool { return false }
	}
	all, this := slices.Max(l.units), sure[k].units
	sure = slices.DeleteFunc(sure, func(u sureUse) bool { return u.length <= 0 || !u.asked && u.units+this <= all })
	const back = true
	reversed := make([]sureUse, len(sure))
	for i := range sure {
		u := &sure[i]
		reversed[i] = u.reversed()
		if before, _ := t.ordered(u.task, id); !u.asked && before != False {
			u.ordered = true
		}
		if after, _ := t.ordered(id, u.task); !u.asked && after != False {
			reversed[i].ordered = true
		}
	}
	if block, from, to := late(sure, all); block != nil {
		return t.crowded(l, sure, block, model.Interval{Start: from, End: to}, !back)
	}
	if block, from, to := late(reversed, all); block != nil {
		return t.crowded(l, sure, block, model.Interval{Start: -to, End: -from}, back)
	}
	return func() bool { return false }
}

// late gives the uses, of those that come before the one that is asked about, that take too long from a time on to be
// over by when that has to begin; nil if it need not be late. Of those that need no more than half of all there is each is
// looked at by itself.
func late(sure []sureUse, all int64) (block []int, from, to model.Time) {
	k := slices.IndexFunc(sure, func(u sureUse) bool { return u.asked })
	if k < 0 {
		return nil, 0, 0
	}
	this, order := sure[k], []int{}
	for i, u := range sure {
		switch {
		case u.asked || this.begin.First+this.length <= u.begin.Last && !u.ordered:
		case u.begin.First+u.length > this.begin.Last:
			return []int{i}, u.begin.First, this.begin.Last
		case 2*u.units > all:
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(sure[a].begin.First - sure[b].begin.First) })
	end := model.Time(0)
	for n, i := range order {
		if u := &sure[i]; n == 0 || u.begin.First > end {
			block, from, end = nil, u.begin.First, u.begin.First
		}
		block, end = append(block, i), end+sure[i].length
	}
	if end <= this.begin.Last {
		return nil, 0, 0
	}
	return block, from, this.begin.Last
}

// crowded argues that uses are all within an interval, which is too short for them: before the one that is asked about, or
// after it.
func (t *pricing) crowded(l *line, sure []sureUse, block []int, in model.Interval, after bool) func() bool {
	this := &sure[slices.IndexFunc(sure, func(u sureUse) bool { return u.asked })]
	for _, i := range block {
		if !t.apart(l, &sure[i], this, in, after) {
			return func() bool { return false }
		}
	}
	t.price(l, in, 1)
	return func() bool {
		for _, i := range block {
			u := &sure[i]
			s := u.begins(t.hold)
			left := inference.Span{First: u.begin.First, Last: in.End - u.length}
			if after {
				left = inference.Span{First: in.Start, Last: u.begin.Last}
				t.or(-s.at(in.Start - 1))
			} else {
				t.or(s.at(left.Last))
			}
			if left.First > left.Last { // it does not fit in by itself
				t.or()
				return true
			}
			t.begins[u.place.on] = left
		}
		return t.refutes(false)
	}
}

// apart has unit propagation know that a use is before, or after, the one that is asked about: as there is no time for the
// other order, or by a literal.
func (t *pricing) apart(l *line, u, this *sureUse, in model.Interval, after bool) bool {
	switch {
	case after && this.begin.Last >= u.begin.First+u.length:
		return t.turns(l, this, u, in.Start-1)
	case !after && this.begin.First+this.length <= u.begin.Last:
		return t.turns(l, u, this, in.End)
	}
	a, b := u.begin.Last, this.begin.Last
	if after {
		a = in.Start - 1
	}
	moves := u.length // of the one that is pushed over the other, from point to point
	if a < b {
		moves = this.length
	}
	for at := min(a, b); at < max(a, b); at += moves {
		t.addUp(l, at)
	}
	t.addUp(l, max(a, b))
	return true
}
