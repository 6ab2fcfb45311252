package lagrange

import (
	"math/bits"
	"slices"

	"downbeat/model"
)

// charges are what jobs pay beside what their tasks hold. Those that play no part
// have no penalty.
type charges struct {
	// due is by when jobs are to finish (absolute), penalty what they pay at most, where
	// they do not; both by JobID.
	due     []model.Time
	penalty []int64
	// late is what they pay for each tick that they end after their own deadline; nil
	// where lateness is free.
	late []int64
	// short is by how much less they pay who end after it, where their own deadline is within a coarse tick, of which they pay the rest; nil where
	// none is.
	short []int64
	// lanes tells that the tasks of a first stage run in lanes.
	lanes bool
}

// dues are the due times of the jobs that play a part, model.Never for others.
func (c *charges) dues() []model.Time {
	out := slices.Clone(c.due)
	for i := range out {
		if c.penalty[i] == 0 {
			out[i] = model.Never
		}
	}
	return out
}

// inTime has each job that is due pay one unit where it is late.
func inTime(due []model.Time) charges {
	c := charges{due: due, penalty: make([]int64, len(due))}
	for i, d := range due {
		if d < model.Never {
			c.penalty[i] = unit
		}
	}
	return c
}

// weighted has jobs pay for their weighted tardiness, of which most is allowed and costs
// as much as allowed: one that is later than that, or misses a hard deadline, pays hope
// more, a guess of how far above multipliers can come.
func weighted(js *model.JobSet, most int64) (c charges, allowed, hope int64) {
	c = charges{due: latestEnds(js, most), penalty: make([]int64, len(js.Jobs)), late: make([]int64, len(js.Jobs))}
	shift := tickShift(most)
	allowed = scaled(most, shift)
	hope = max(1, scaled(1+most/4, shift))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if job.Kind != model.BestEffort {
			c.penalty[i] = allowed + hope
		}
		if job.Kind == model.Soft {
			c.late[i] = scaled(job.Weight, shift)
		}
	}
	return c, allowed, hope
}

// mostLate is the most that a recheck takes for a tick. What would pay more weighs more than all
// that is allowed, so that it is not late at all.
const mostLate = 1 << 36

// latestEnds is by when jobs finish (absolute) in plans that meet the hard deadlines and
// have a weighted tardiness of most or less; model.Never for those without a deadline.
func latestEnds(js *model.JobSet, most int64) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	for i := range due {
		job := &js.Jobs[i]
		if due[i] = job.Due(); job.Kind == model.Soft {
			due[i] += model.Time(most / job.Weight)
		}
	}
	return due
}

// tickShift tells by which power of 2 a multiplier of 1 for a tick is scaled, so that
// multipliers, which are whole, can be fine, and sums stay within an int64.
func tickShift(most int64) int { return min(20, 32-bits.Len64(uint64(most))) }

// scaled is a value scaled so, mostLate at the most.
func scaled(v int64, shift int) int64 {
	if shift < 0 {
		return min(v>>-shift, mostLate)
	}
	return min(v, mostLate>>shift) << shift
}
