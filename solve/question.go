package solve

import (
	"downbeat/encode"
	"downbeat/model"
)

// limits are values that objectives may not exceed; absent means no limit.
type limits map[model.Objective]int64

// Question asks for a plan that meets every hard deadline and keeps objectives
// within limits; jobs that cannot keep it from existing are left out of it.
func Question(js *model.JobSet, atMost map[model.Objective]int64) encode.Question {
	return (&search{js: js}).question(atMost)
}

// question asks for a plan within limits. Jobs that cannot keep such a plan
// from existing are left out: they can be appended after everything else,
// where nothing is in their way (heuristics.Complete does better).
//
//   - With a makespan limit every job must be in, by then.
//   - With a limit on tardiness every soft job must be in, by its deadline
//     plus the lateness it is allowed.
//   - Otherwise lateness has no measure, only its occurrence: a soft job is on
//     time or left out.
//   - Without a makespan limit best-effort jobs are left out, and so are hard
//     jobs that miss their deadlines, where they may.
func (s *search) question(lim limits) encode.Question {
	q := encode.Question{
		JS:   s.js,
		Role: make([]encode.Role, len(s.js.Jobs)), Cap: make([]model.Time, len(s.js.Jobs)),
		MissLimit: encode.Unbounded, HardMissLimit: encode.Unbounded, WeightedLimit: encode.Unbounded,
	}
	if v, ok := lim[model.Misses]; ok {
		q.MissLimit = v
	}
	if v, ok := lim[model.WeightedTardiness]; ok {
		q.WeightedLimit = v
	}
	if v, ok := lim[model.HardMisses]; ok && s.mayMissHard {
		q.HardMissLimit = v
	}
	for i := range s.js.Jobs {
		q.Role[i], q.Cap[i] = s.ask(&s.js.Jobs[i], lim)
	}
	return q
}

func (s *search) ask(job *model.Job, lim limits) (encode.Role, model.Time) {
	due := job.Due()
	end, mustEnd := lim[model.Makespan]
	switch {
	case job.Kind == model.Hard && !s.mayMissHard:
		if mustEnd {
			due = min(due, model.Time(end))
		}
		return encode.Must, due
	case job.Kind == model.Soft:
		if late, ok := lateLimit(job, lim); ok {
			due += model.Time(late)
			if mustEnd {
				due = min(due, model.Time(end))
			}
			return encode.Must, due
		}
	}
	_, missesCount := lim[model.Misses]
	switch {
	case mustEnd:
		return encode.Must, model.Time(end)
	case job.Kind == model.Hard, job.Kind == model.Soft && missesCount:
		return encode.May, due
	default:
		return encode.Out, model.Never
	}
}

// lateLimit is how late a soft job may be under limits on lateness.
func lateLimit(job *model.Job, lim limits) (int64, bool) {
	late, ok := lim[model.Tardiness]
	if w, has := lim[model.WeightedTardiness]; has {
		if byWeight := w / job.Weight; !ok || byWeight < late {
			late, ok = byWeight, true
		}
	}
	return late, ok
}
