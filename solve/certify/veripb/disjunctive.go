package veripb

import (
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// sureUse is the use of a place whose task is sure to be there: when it begins and for how long it lasts at the least.
type sureUse struct {
	place  *place
	begin  inference.Span
	length model.Time
	asked  bool
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

// disjunctive argues that a task, of those on a slave of which no two fit into a line at a time, comes too late or too early:
// that others come before it, or after it, follows by unit propagation, and then they take too long in sum.
func (t *pricing) disjunctive(l *line, id model.TaskID) func() bool {
	t.hold, t.begins = l.hold(), map[Literal]inference.Span{}
	var sure []sureUse
	for _, u := range l.users {
		p := &t.f.places[u.place]
		task := t.f.tasks[p.task].id
		start, get, ok := t.view.Reach(task, p.slave)
		if !ok || !t.view.Sure(task, p.slave) || 2*u.units <= slices.Max(l.units) {
			continue
		}
		sure = append(sure, map[model.Hold]sureUse{
			model.HoldRun:   {p, start, p.run, task == id},
			model.HoldFetch: {p, get, p.fetch, task == id},
			model.HoldStay:  {p, get, p.fetch + p.run, task == id},
		}[t.hold])
	}
	const back = true
	if block, from, to := late(sure); block != nil {
		return t.crowded(l, sure, block, model.Interval{Start: from, End: to}, !back)
	}
	reversed := make([]sureUse, len(sure))
	for i, u := range sure {
		reversed[i] = u.reversed()
	}
	if block, from, to := late(reversed); block != nil {
		return t.crowded(l, sure, block, model.Interval{Start: -to, End: -from}, back)
	}
	return func() bool { return false }
}

// late gives the uses, of those that come before the one that is asked about, that take too long from a time on to be
// over by when that has to begin; nil if it need not be late.
func late(sure []sureUse) (block []int, from, to model.Time) {
	k := slices.IndexFunc(sure, func(u sureUse) bool { return u.asked })
	if k < 0 {
		return nil, 0, 0
	}
	this, order := sure[k], []int{}
	for i, u := range sure {
		if !u.asked && u.length > 0 && this.begin.First+this.length > u.begin.Last {
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
		a, b := sure[i].begin.Last, this.begin.Last
		if after {
			a = in.Start - 1
		}
		moves := sure[i].length // of the one that is pushed over the other, from point to point
		if a < b {
			moves = this.length
		}
		for at := min(a, b); at < max(a, b); at += moves {
			t.addUp(l, at)
		}
		t.addUp(l, max(a, b))
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
