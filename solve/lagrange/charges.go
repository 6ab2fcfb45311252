package lagrange

import (
	"math/bits"

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
	// allowed is what they may pay for that all together: only what is above refutes.
	allowed int64
	// hope is a guess of how far above multipliers can come.
	hope int64
}

// inTime has each job that is due pay one unit where it is late.
func inTime(due []model.Time) charges {
	c := charges{due: due, penalty: make([]int64, len(due)), hope: unit}
	for i, d := range due {
		if d < model.Never {
			c.penalty[i] = unit
		}
	}
	return c
}

// weighted has jobs pay for their weighted tardiness, of which most is allowed: one
// that is later than that allows, or misses a hard deadline, pays for more.
func weighted(js *model.JobSet, most int64) charges {
	c := charges{
		due: make([]model.Time, len(js.Jobs)), penalty: make([]int64, len(js.Jobs)), late: make([]int64, len(js.Jobs)),
	}
	shift := tickShift(most)
	c.allowed = scaled(most, shift)
	c.hope = max(1, scaled(1+most/4, shift))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		if c.due[i] = job.Due(); job.Kind == model.BestEffort {
			continue
		}
		c.penalty[i] = c.allowed + c.hope
		if job.Kind == model.Soft {
			c.due[i] += model.Time(most / job.Weight)
			c.late[i] = scaled(job.Weight, shift)
		}
	}
	return c
}

// tickShift tells by which power of 2 a price of 1 for a tick is scaled, so that
// multipliers, which are whole, can be fine, and sums stay within an int64.
func tickShift(most int64) int { return min(20, 32-bits.Len64(uint64(most))) }

func scaled(v int64, shift int) int64 {
	if shift < 0 {
		return v >> -shift
	}
	return v << shift
}
