package veripb

import (
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// turn is the use of a place whose task is sure to be there: when it begins and for how long it lasts at the least.
type turn struct {
	place  *place
	begin  inference.Span
	length model.Time
	asked  bool
}

// begins is the scale of when it begins, R where it is a stay.
func (u *turn) begins(h model.Hold) *scale {
	if h == model.HoldRun {
		return &u.place.start
	}
	return &u.place.get
}

// reversed is the same with time backwards.
func (u turn) reversed() turn {
	u.begin = inference.Span{First: -u.begin.Last - u.length, Last: -u.begin.First - u.length}
	return u
}

// disjunctive argues that a task, of those on a slave of which no two fit into a line at a time, comes too late or too early:
// that others come before it, or after it, follows by unit propagation, and then they take too long in sum.
func (t *tariff) disjunctive(l *line, id model.TaskID) func() bool {
	t.hold, t.begins = l.hold(), map[Literal]inference.Span{}
	var turns []turn
	for _, u := range l.users {
		p := &t.f.places[u.place]
		task := t.f.tasks[p.task].id
		start, get, ok := t.view.Reach(task, p.slave)
		if !ok || !t.view.Sure(task, p.slave) || 2*u.units <= slices.Max(l.units) {
			continue
		}
		turns = append(turns, map[model.Hold]turn{
			model.HoldRun:   {p, start, p.run, task == id},
			model.HoldFetch: {p, get, p.fetch, task == id},
			model.HoldStay:  {p, get, p.fetch + p.run, task == id},
		}[t.hold])
	}
	const back = true
	if block, from, to := late(turns); block != nil {
		return t.crowded(l, turns, block, model.Interval{Start: from, End: to}, !back)
	}
	reversed := make([]turn, len(turns))
	for i, u := range turns {
		reversed[i] = u.reversed()
	}
	if block, from, to := late(reversed); block != nil {
		return t.crowded(l, turns, block, model.Interval{Start: -to, End: -from}, back)
	}
	return func() bool { return false }
}

// late gives the turns, of those that come before the one that is asked about, that take too long from a time on to be
// over by when that has to begin; nil if it need not be late.
func late(turns []turn) (block []int, from, to model.Time) {
	k := slices.IndexFunc(turns, func(u turn) bool { return u.asked })
	if k < 0 {
		return nil, 0, 0
	}
	this, order := turns[k], []int{}
	for i, u := range turns {
		if !u.asked && u.length > 0 && this.begin.First+this.length > u.begin.Last {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(turns[a].begin.First - turns[b].begin.First) })
	end := model.Time(0)
	for n, i := range order {
		if u := &turns[i]; n == 0 || u.begin.First > end {
			block, from, end = nil, u.begin.First, u.begin.First
		}
		block, end = append(block, i), end+turns[i].length
	}
	if end <= this.begin.Last {
		return nil, 0, 0
	}
	return block, from, this.begin.Last
}

// crowded argues that turns are all within an interval, which is too short for them: before the one that is asked about, or
// after it.
func (t *tariff) crowded(l *line, turns []turn, block []int, in model.Interval, after bool) func() bool {
	this := &turns[slices.IndexFunc(turns, func(u turn) bool { return u.asked })]
	for _, i := range block {
		a, b := turns[i].begin.Last, this.begin.Last
		if after {
			a = in.Start - 1
		}
		moves := turns[i].length // of the one that is pushed over the other, from point to point
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
			u := &turns[i]
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
