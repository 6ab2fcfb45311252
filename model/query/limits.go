package query

import "downbeat/model"

// Limits are values that objectives may not exceed; absent means no limit.
type Limits map[model.Objective]int64

// Within asks for a plan within limits, in which hard jobs meet their deadlines,
// unless they may miss them. Jobs that cannot keep such a plan from existing are
// left out: they can be appended after everything else, where nothing is in
// their way (heuristics.Complete does better).
//
//   - With a makespan limit every job must be in, by then.
//   - With a limit on tardiness every soft job must be in, by its deadline
//     plus the lateness it is allowed.
//   - Otherwise lateness has no measure, only its occurrence: a soft job is on
//     time or left out.
//   - Without a makespan limit best-effort jobs are left out, and so are hard
//     jobs that miss their deadlines, where they may.
//   - A job that one which is not left out comes after must be in, however late
//     (see requireBefore).
func Within(js *model.JobSet, mayMissHard bool, lim Limits) Question {
	q := Question{
		JS:   js,
		Role: make([]Role, len(js.Jobs)), Cap: make([]model.Time, len(js.Jobs)),
		MissLimit: Unbounded, HardMissLimit: Unbounded, WeightedLimit: Unbounded,
	}
	if v, ok := lim[model.Misses]; ok {
		q.MissLimit = v
	}
	if v, ok := lim[model.WeightedTardiness]; ok {
		q.WeightedLimit = v
	}
	if v, ok := lim[model.HardMisses]; ok && mayMissHard {
		q.HardMissLimit = v
	}
	for i := range js.Jobs {
		q.Role[i], q.Cap[i] = lim.asks(&js.Jobs[i], mayMissHard)
	}
	q.requireBefore()
	return q
}

// asks is what limits ask of a job.
func (lim Limits) asks(job *model.Job, mayMissHard bool) (Role, model.Time) {
	due := job.Due()
	end, mustEnd := lim[model.Makespan]
	switch {
	case job.Kind == model.Hard && !mayMissHard:
		if mustEnd {
			due = min(due, model.Time(end))
		}
		return Must, due
	case job.Kind == model.Soft:
		if late, ok := lim.late(job); ok {
			due += model.Time(late)
			if mustEnd {
				due = min(due, model.Time(end))
			}
			return Must, due
		}
	}
	_, missesCount := lim[model.Misses]
	switch {
	case mustEnd:
		return Must, model.Time(end)
	case job.Kind == model.Hard, job.Kind == model.Soft && missesCount:
		return May, due
	default:
		return Out, model.Never
	}
}

// late is how late a soft job may be under limits on lateness.
func (lim Limits) late(job *model.Job) (int64, bool) {
	late, ok := lim[model.Tardiness]
	if w, has := lim[model.WeightedTardiness]; has {
		if byWeight := w / job.Weight; !ok || byWeight < late {
			late, ok = byWeight, true
		}
	}
	return late, ok
}
