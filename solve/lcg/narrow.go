package lcg

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// Narrow has Run answer from now on about a question that narrows the one that was asked ([query.Question.Narrows]),
// as a lower value of an objective does: what was learnt stays, for it holds of all schedules that are still asked
// for. It is false, and nothing is changed, where a search of its own is due: where more than bounds
// and windows would change, the question is found to have no answer as it is laid out, or there is too
// little room left to record it. The search is to take no assumptions.
//
// A refutation is about the question asked last. Steps from before hold of it, too: a rule by which a state is
// impossible finds it so in windows that are within those before (docs/proof.md).
func (s *Search) Narrow(q query.Question) bool {
	p := s.p
	if s.never != "" || len(s.words) > 0 || len(p.limited) < len(p.Limits) || !q.Narrows(&p.Question) {
		return false
	}
	if p.record != nil && !s.Recording() {
		return false
	}
	l := query.NewLayout(q)
	if l.Impossible >= 0 || !slices.Equal(l.Role, p.Role) || !slices.Equal(l.Missed, p.Missed) {
		return false
	}
	l.PlaceTasks()
	if !p.takesOver(l) {
		return false
	}
	p.Layout = l
	if p.record != nil {
		p.question = &q
	}
	p.narrowPlaces()
	p.narrowLimits()
	p.WakeAll()
	return true
}

// takesOver reports whether a layout differs in ends of windows, places that are gone, and limits alone, and has
// a place for each task.
func (p *problem) takesOver(l *query.Layout) bool {
	for _, t := range l.Included {
		places := l.Places[t]
		if len(places) == 0 {
			return false
		}
		k := 0
		for i := range places {
			for k < len(p.tasks[t].places) && p.tasks[t].places[k].slave < int32(places[i].Slave) {
				k++
			}
			if k == len(p.tasks[t].places) || !p.tasks[t].places[k].narrowedBy(&places[i]) {
				return false
			}
		}
	}
	for i, limit := range l.Limits {
		base := int64(0)
		if shape := limit.Objective.Shape(); shape.Counts() {
			_, base = l.Missable(shape)
		} else {
			_, base = l.Delayable(shape)
		}
		if base != p.limited[i].base || limit.Most < base {
			return false
		}
	}
	return l.NoSymmetry || slices.Equal(pairs(l), pairs(p.Layout))
}

// narrowedBy reports whether a place is the same but that tasks start there by an earlier time.
func (p *place) narrowedBy(by *query.Place) bool {
	return p.slave == int32(by.Slave) && p.firstFetch == int32(by.FirstFetch) && p.tied == by.Tied && int32(by.LastStart) <= p.lastStart
}

// pairs lists the pairs of tasks that are ordered.
func pairs(l *query.Layout) (list [][2]model.TaskID) {
	for t, u := range l.EqualPairs {
		list = append(list, [2]model.TaskID{t, u})
	}
	return list
}

// narrowPlaces cuts windows, and bounds of integers to what they were made with if the question were new.
func (p *problem) narrowPlaces() {
	lastFinish := make([]int32, len(p.tasks))
	for _, t := range p.Included {
		lastFinish[t] = p.narrowTask(t)
	}
	for i := range p.JS.Jobs {
		job := &p.JS.Jobs[i]
		for k := range job.Stages {
			st, stage := job.FirstStage+model.StageID(k), &job.Stages[k]
			if p.Role[i] != query.Out && len(p.Next(st)) > 0 {
				p.Hold(p.Le(p.completions[st], slices.Max(lastFinish[stage.First:stage.End])))
			}
		}
	}
	for i := range p.held {
		h := &p.held[i]
		for k := range h.tasks {
			u := &h.tasks[k]
			places := p.tasks[u.number].places
			at := slices.IndexFunc(places, func(at place) bool { return at.slave == int32(h.slave) })
			u.within(&places[at], h.hold)
		}
	}
}

// narrowTask cuts the windows of a task, and tells when it finishes at the latest.
func (p *problem) narrowTask(t model.TaskID) (lastFinish int32) {
	tk, left := &p.tasks[t], p.Places[t]
	starts, fetches, finishes := nowhere, nowhere, nowhere
	for k := range tk.places {
		at := &tk.places[k]
		if len(left) == 0 || int32(left[0].Slave) != at.slave {
			p.Hold(at.x.Not())
			continue
		}
		at.lastStart = int32(left[0].LastStart)
		left = left[1:]
		starts.join(at.starts())
		fetches.join(at.fetches())
		finishes.join(at.finishes())
	}
	p.Hold(p.Le(tk.start, starts.hi))
	p.Hold(p.Le(tk.fetch, fetches.hi))
	p.Hold(p.Le(tk.finish, finishes.hi))
	return finishes.hi
}

// narrowLimits lowers the limits, and by when jobs end of which the delays are limited.
func (p *problem) narrowLimits() {
	for i, limit := range p.Limits {
		l := &p.limited[i]
		*l.most = limit.Most - l.base
		for k, end := range l.ends {
			d := &l.delays[k]
			p.Hold(p.Le(end, int32(max(d.First, p.Cap[d.Job])))) // no end is before the first
		}
	}
}
