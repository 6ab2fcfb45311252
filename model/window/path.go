package window

import (
	"context"

	"downbeat/model"
)

// CriticalPaths are, per job, the earliest times at which they can finish alone, as
// Compute finds them, but in no more memory than that. Where ctx ends before all is
// done, the rest is 0.
func CriticalPaths(ctx context.Context, js *model.JobSet) []model.Time {
	paths := make([]model.Time, len(js.Jobs))
	ends, presences := make([]model.Time, js.Stages()), NewPresences(js)
	for _, id := range js.JobOrder() {
		job, end := &js.Jobs[id], model.Time(0)
		for _, k := range job.Order() {
			st := job.FirstStage + model.StageID(k)
			ready := job.Release
			for _, before := range js.Before(st) {
				ready = max(ready, ends[before])
			}
			ends[st] = stageEnd(ctx, js, &job.Stages[k], ready, presences)
			end = max(end, ends[st])
		}
		if ctx.Err() != nil {
			break
		}
		paths[id] = end
	}
	return paths
}

// stageEnd is the earliest end of a stage alone that can begin at ready, or less where ctx
// has ended.
func stageEnd(ctx context.Context, js *model.JobSet, st *model.Stage, ready model.Time, presences *Presences) model.Time {
	end := ready
	var last *model.Profile
	for t := st.First; t < st.End; t++ {
		task := &js.Tasks[t]
		if task.Profile == last {
			continue
		}
		if last = task.Profile; ctx.Err() != nil {
			break
		}
		finish := model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			if wcet := task.WCET(s); wcet > 0 {
				hold := task.Transfer(s) + wcet
				finish = min(finish, presences.First(s, ready, hold)+hold)
			}
		}
		end = max(end, finish)
	}
	return end
}
