package query

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Limits are values that objectives may not exceed; absent means no limit.
type Limits map[model.Objective]int64

// Within asks for a plan within limits, in which hard jobs meet their deadlines,
// unless they may miss them. Jobs that cannot keep such a plan from existing are
// left out: they can be appended after everything else, where nothing is in
// their way (heuristics.Complete does better).
//
//   - With a limit on when jobs finish, or on how late, each that it looks at must be in, by
//     the time by which it alone reaches the limit.
//   - Otherwise lateness has no measure, only its occurrence: a job of which late ones are
//     counted is on time or left out, and so is a hard one that may be late.
//   - All others are left out.
//   - A job that one which is not left out comes after must be in, however late
//     (see requireBefore).
func Within(js *model.JobSet, mayMissHard bool, lim Limits) Question {
	q := Question{JS: js, Role: make([]Role, len(js.Jobs)), Cap: make([]model.Time, len(js.Jobs))}
	all := lim.inOrder()
	for _, l := range all {
		if shape := l.Objective.Shape(); (shape.Counts() || shape.Sums()) && (mayMissHard || !shape.OfHard()) {
			q.Limits = append(q.Limits, l)
		}
	}
	for i := range js.Jobs {
		q.Role[i], q.Cap[i] = asks(all, &js.Jobs[i], mayMissHard)
	}
	q.requireBefore()
	return q
}

// Limit is that an objective is at most some value.
type Limit struct {
	Objective model.Objective
	Most      int64
}

// inOrder lists limits, by ascending objectives.
func (lim Limits) inOrder() []Limit {
	list := make([]Limit, 0, len(lim))
	for o, most := range lim {
		list = append(list, Limit{o, most})
	}
	slices.SortFunc(list, func(a, b Limit) int { return cmp.Compare(a.Objective, b.Objective) })
	return list
}

// asks is what limits ask of a job.
func asks(all []Limit, job *model.Job, mayMissHard bool) (Role, model.Time) {
	counts, must, by := job.Kind == model.Hard, false, model.Never
	if job.Kind == model.Hard && !mayMissHard {
		must, by = true, job.Due()
	}
	for _, l := range all {
		switch shape := l.Objective.Shape(); {
		case !shape.Jobs.Has(job.Kind):
		case shape.Counts():
			counts = true
		default:
			must, by = true, min(by, shape.Latest(job, l.Most))
		}
	}
	switch {
	case must:
		return Must, by
	case counts:
		return May, job.Due()
	default:
		return Out, model.Never
	}
}
