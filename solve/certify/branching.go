package certify

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// byBranching refutes a question by multipliers, and splits: a split is a bound on when
// stages, jobs or tasks end, or on a task's slave, and the clauses of both sides leave
// nothing. Where a leaf was searched search is asked about it once more, as a question of its
// own: it may be nil, and answer nil. There is no refutation where it does, or splits other
// than those of when jobs end lead to the leaf, or the argument gets too long, or ctx is done.
func byBranching(ctx context.Context, js *model.JobSet, q query.Question, by *proof.Branching, search Search) *proof.Refutation {
	b := &branches{steps: steps{ctx: ctx}, js: js, series: inference.Series(js), q: &q, search: search}
	if _, ok := b.refute(by, nil); !ok {
		return nil
	}
	out := b.refutation(&q)
	out.Uses = b.uses
	return out
}

// Search refutes a question, or is nil where it does not.
type Search func(q query.Question) *proof.Refutation

// branches are an argument by cases that is being written.
type branches struct {
	steps
	js, series *model.JobSet
	q          *query.Question
	// settled are the bounds that hold in all cases.
	settled []atom
	search  Search
	// uses are the refutations of leaves that were searched, each with by when jobs end there.
	uses   []*proof.Refutation
	usesBy [][]model.Time
}

// refute writes what speaks against plans on a path, as a clause of the negations of its
// statements. Nothing is left of a path without any: what holds everywhere is settled.
func (b *branches) refute(t *proof.Branching, path []atom) (id int64, ok bool) {
	switch {
	case t == nil || b.tooLong():
		return 0, false
	case t.Holds == nil && t.Fails == nil && (t.Bound != nil || t.Searched):
		return b.leaf(t.Bound, path)
	case t.Holds == nil || t.Fails == nil:
		return 0, false
	}
	holds := b.saying(&t.Split)
	switch {
	case len(path) == 0 && len(holds) == 1 && t.Holds.Leaves() <= t.Fails.Leaves():
		if _, ok = b.refute(t.Holds, holds); !ok {
			return 0, false
		}
		b.settled = with(b.settled, holds[0].negated())
		return b.refute(t.Fails, nil)
	case len(path) == 0:
		for _, a := range holds {
			if _, ok = b.refute(t.Fails, []atom{a.negated()}); !ok {
				return 0, false
			}
			b.settled = with(b.settled, a)
		}
		return b.refute(t.Holds, nil)
	}
	var hints []int64
	inside := path
	for _, a := range holds {
		if id, ok = b.refute(t.Fails, with(path, a.negated())); !ok {
			return 0, false
		}
		hints = append(hints, id)
		inside = with(inside, a)
	}
	if id, ok = b.refute(t.Holds, inside); !ok {
		return 0, false
	}
	hints = append(hints, id)
	id = b.nogood(negations(path), hints...)
	b.forget(hints...)
	return id, true
}

// saying are the statements that say together that a split holds. Multipliers are sought
// for jobs as sequences of stages, each of which may stand for several that overlap: what
// one of them ends by is what the last ones of these end by.
func (b *branches) saying(s *proof.Split) []atom {
	task := &b.series.Tasks[s.Task]
	switch s.Kind {
	case proof.TaskEndsBy:
		return []atom{{of: 'f', id: int32(s.Task), at: s.At}}
	case proof.FetchedBy:
		return []atom{{of: 'r', id: int32(s.Task), at: s.At}}
	case proof.OnSlave:
		return []atom{{of: 'x', id: int32(s.Task), slave: s.Slave}}
	}
	if int(task.Stage)+1 == len(b.series.Jobs[task.Job].Stages) {
		return []atom{{of: 'e', id: int32(task.Job), at: s.At}}
	}
	whole := &b.series.Jobs[task.Job].Stages[task.Stage]
	job := &b.js.Jobs[task.Job]
	within := func(k int32) bool { return job.Stages[k].First >= whole.First && job.Stages[k].End <= whole.End }
	var out []atom
	for k := range int32(len(job.Stages)) {
		followed := func(n int32) bool { return within(n) && slices.Contains(job.Stages[n].After, k) }
		if within(k) && !slices.ContainsFunc(job.Order(), followed) {
			out = append(out, atom{of: 'g', id: int32(job.FirstStage) + k, at: s.At})
		}
	}
	return out
}

// leaf writes that multipliers speak against a path, or a search where there are none.
func (b *branches) leaf(d *proof.DualBound, path []atom) (id int64, ok bool) {
	if d != nil && d.Base != nil {
		return 0, false // prices of proofs know of no lanes
	}
	var hints []int64
	inside := path
	if limit, delays := b.delays(); delays {
		due, some := b.dueOn(path, limit)
		if !some {
			return b.infer(limit.Objective.InProofs(), negations(path)), true
		}
		inside, hints = b.endBy(due, path, limit)
		if d != nil {
			d = until(d, due)
		}
	}
	against := inside
	if len(path) == 0 {
		against = nil // what was written about ends holds everywhere
	}
	if d != nil {
		m := b.multipliers(b.js, b.pricesOf(d, b.last == 0 && !b.inTime(d)))
		id = b.infer(byPrices(m), negations(against))
		b.forget(m)
	} else if used, found := b.searched(inside); found {
		id = b.infer(byCut(used), negations(against))
	} else {
		return 0, false
	}
	if len(hints) > 0 && len(path) > 0 {
		hints = append(hints, id)
		id = b.nogood(negations(path), hints...)
		b.forget(hints...)
	}
	return id, true
}

// delays is a limit on a sum that grows with finishes; ok is false where there is none.
func (b *branches) delays() (limit query.Limit, ok bool) {
	for _, l := range b.q.Limits {
		if !l.Objective.Shape().Counts() {
			return l, true
		}
	}
	return query.Limit{}, false
}

// endBy writes that jobs end by the times that a limit on their finishes leaves them on a
// path, and gives the path with these.
func (b *branches) endBy(due []model.Time, path []atom, limit query.Limit) (inside []atom, hints []int64) {
	inside = path
	for i, by := range due {
		if by < b.q.Cap[i] {
			a := atom{of: 'e', id: int32(i), at: by}
			hints = append(hints, b.infer(limit.Objective.InProofs(), append(negations(path), a)))
			inside = with(inside, a)
		}
	}
	return inside, hints
}

// searched is the index of a refutation that jobs end by the times of a path, from an earlier
// leaf or by a search.
func (b *branches) searched(path []atom) (index int, ok bool) {
	by := slices.Clone(b.q.Cap)
	for _, a := range slices.Concat(b.settled, path) {
		switch {
		case a.of != 'e':
			return 0, false
		case !a.not:
			by[a.id] = min(by[a.id], a.at)
		}
	}
	for k, known := range b.usesBy {
		if within(by, known) {
			return k, true
		}
	}
	if b.search == nil {
		return 0, false
	}
	q := unlimited(b.q)
	q.Cap = by
	for i := range q.Role {
		if q.Role[i] == query.May {
			q.Role[i] = query.Out
		}
	}
	r := b.search(q)
	if r == nil {
		return 0, false
	}
	b.uses, b.usesBy = append(b.uses, r), append(b.usesBy, by)
	return len(b.uses) - 1, true
}

// within reports that no time is after its limit.
func within(times, limits []model.Time) bool {
	for i, t := range times {
		if t > limits[i] {
			return false
		}
	}
	return true
}

// inTime reports whether multipliers speak against jobs ending by the times that the
// question has for them: not if they count those that end after their deadlines.
func (b *branches) inTime(d *proof.DualBound) bool {
	surplus, err := inference.Surplus(b.ctx, b.js, b.q.Cap, d)
	return err == nil && surplus > 0
}

// pricesOf are multipliers, with a price for lateness where jobs pay for it, and one of
// misses where jobs that may be let go, or count, pay for being late.
func (b *branches) pricesOf(d *proof.DualBound, count bool) *prices {
	p := &prices{of: d.Multipliers}
	for _, l := range b.q.Limits {
		shape, price := l.Objective.Shape(), int64(0)
		raise := func(cost, weight int64) { price = max(price, (cost+weight-1)/weight) }
		for i := range b.js.Jobs {
			job := &b.js.Jobs[i]
			may := b.q.Role[i] == query.May || count && b.q.Role[i] == query.Must && b.q.Cap[i] > job.Due()
			switch {
			case !shape.Jobs.Has(job.Kind):
			case shape.Counts() && may:
				raise(d.Penalty[i], shape.Weight(job))
			case !shape.Counts() && d.Late != nil:
				raise(d.Late[i], shape.Weight(job))
			}
		}
		p.limits = append(p.limits, limitPrice{l.Objective, price})
	}
	return p
}

// dueOn is by when jobs end on a path, in plans within a limit on a sum that grows with their
// finishes: what some cost at least is not left to the others. There may be none.
func (b *branches) dueOn(path []atom, limit query.Limit) (due []model.Time, some bool) {
	due = slices.Clone(b.q.Cap)
	shape, late, rest := limit.Objective.Shape(), make([]int64, len(due)), limit.Most
	for _, a := range append(slices.Clone(b.settled), path...) {
		if job := &b.js.Jobs[max(a.id, 0)%int32(len(due))]; a.of == 'e' && a.not && shape.Jobs.Has(job.Kind) {
			late[a.id] = max(late[a.id], int64(a.at+1-shape.From(job)))
		}
	}
	for i, ticks := range late {
		if weight := shape.Weight(&b.js.Jobs[i]); ticks > rest/weight {
			return nil, false
		} else {
			rest -= ticks * weight
		}
	}
	for i := range due {
		if job := &b.js.Jobs[i]; shape.Jobs.Has(job.Kind) && b.q.Role[i] == query.Must {
			due[i] = min(due[i], shape.From(job)+model.Time(late[i]+rest/shape.Weight(job)))
		}
	}
	return due, true
}

// until is a dual bound without multipliers on times after which no job is due that pays.
func until(d *proof.DualBound, due []model.Time) *proof.DualBound {
	end := model.Time(0)
	for i, penalty := range d.Penalty {
		if penalty > 0 {
			end = max(end, due[i])
		}
	}
	out := &proof.DualBound{Penalty: d.Penalty, Late: d.Late}
	for _, m := range d.Multipliers {
		if m.Interval.End = min(m.Interval.End, end); m.Interval.Len() > 0 {
			out.Multipliers = append(out.Multipliers, m)
		}
	}
	return out
}
