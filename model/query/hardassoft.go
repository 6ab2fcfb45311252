package query

import (
	"slices"

	"downbeat/model"
)

// HardAsSoft is js with its hard jobs soft, of weight 1, and no other deadlines: the misses of a schedule of it are the hard misses of js, and so on for
// tardiness.
func HardAsSoft(js *model.JobSet) *model.JobSet {
	out := *js
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		switch job := &out.Jobs[i]; job.Kind {
		case model.Hard:
			job.Kind, job.Weight = model.Soft, 1
		case model.Soft:
			job.Kind, job.Deadline = model.BestEffort, 0
		}
	}
	return &out
}
