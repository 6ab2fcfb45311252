package online

import (
	"math/rand/v2"

	"downbeat/model"
)

// History are the [Durations] that take execution times from what the job set tells of each group's
// history (model.Quantiles). Tasks of groups of which it tells nothing take their worst case; none takes
// longer.
type History struct {
	// ByTask draws for each task by itself. Otherwise one draw a run holds for all tasks of a group,
	// and for all attempts: that they are slow together is what nights have in common.
	ByTask bool
}

// Factor implements Durations: of tasks without a history.
func (History) Factor(*rand.Rand) float64 { return 1 }

// Most implements Durations.
func (History) Most() float64 { return 1 }

// String implements Durations.
func (h History) String() string {
	if h.ByTask {
		return "history:task"
	}
	return "history"
}

// length is how long an attempt at a task takes whose worst case is wcet.
func (h History) length(o *Options, d *model.GroupDurations, t model.TaskID, attempt int32, wcet model.Time) model.Time {
	key := 1<<62 | uint64(d.First)
	if h.ByTask {
		key = 1<<62 | uint64(attempt)<<32 | uint64(t)
	}
	rng := rand.New(rand.NewPCG(o.Seed, key))
	return d.Length(100*rng.Float64(), wcet)
}
