package inference

import (
	"context"
	"fmt"
	"math/bits"

	"downbeat/model"
	"downbeat/model/proof"
)

// WeightedTardiness recomputes what an argument by multipliers proves about plans
// that meet the hard deadlines and have a weighted tardiness of most or less: the
// least that they have, more than most if there are none. Jobs that do not finish by
// due (absolute; only of jobs with a penalty) must pay no more than for being as
// late. The cost is that of [Surplus].
func WeightedTardiness(ctx context.Context, js *model.JobSet, most int64, due []model.Time, d *proof.DualBound) (least int64, err error) {
	js = Series(js)
	surplus, err := bound(&pace{ctx: ctx}, js, due, d, nil)
	if err != nil {
		return 0, err
	}
	cap := latestEnds(js, most)
	for i, penalty := range d.Penalty {
		if penalty > 0 && due[i] < cap[i] && penalty > lateness(js, d.Late, model.JobID(i), due[i]+1) {
			return 0, fmt.Errorf("job %s pays more where it is late than for being late", js.Jobs[i].Name)
		}
	}
	for from, to := int64(0), most+1; ; {
		if from == to {
			return from, nil
		}
		if at := from + (to-from)/2; surplus > mostPaid(js, d.Late, at) {
			from = at + 1
		} else {
			to = at
		}
	}
}

// lateness is what a job pays for ending at a time, 0 where that is free.
func lateness(js *model.JobSet, late []int64, i model.JobID, end model.Time) int64 {
	if late == nil || end <= js.Jobs[i].Due() {
		return 0
	}
	high, low := bits.Mul64(uint64(late[i]), uint64(end-js.Jobs[i].Due()))
	if high > 0 || low > mostAdded {
		return mostAdded
	}
	return int64(low)
}

// payable checks what jobs pay for each tick that they are late.
func payable(js *model.JobSet, late []int64) error {
	if late != nil && len(late) != len(js.Jobs) {
		return fmt.Errorf("%d prices of lateness for %d jobs", len(late), len(js.Jobs))
	}
	for i, price := range late {
		if price < 0 || price > mostPrice || price > 0 && js.Jobs[i].Kind != model.Soft {
			return fmt.Errorf("job %s pays %d for a tick", js.Jobs[i].Name, price)
		}
	}
	return nil
}

// mostPaid is what jobs pay at most for lateness, at the prices late, in a plan with a
// weighted tardiness of no more than most ≥ 0: all of it by the job that pays most for
// its weight. It stops at what no surplus reaches.
func mostPaid(js *model.JobSet, late []int64, most int64) int64 {
	paid := int64(0)
	for i, price := range late {
		if price == 0 {
			continue
		}
		high, low := bits.Mul64(uint64(price), uint64(most))
		weight := uint64(js.Jobs[i].Weight)
		if high >= weight {
			return mostAdded
		}
		q, _ := bits.Div64(high, low, weight)
		paid = max(paid, int64(min(q, mostAdded)))
	}
	return paid
}

// latestEnds is by when each job finishes (absolute) in a plan that meets the hard
// deadlines and has a weighted tardiness of most or less; model.Never for those that
// have no deadline.
func latestEnds(js *model.JobSet, most int64) []model.Time {
	due := make([]model.Time, len(js.Jobs))
	for i := range due {
		job := &js.Jobs[i]
		switch job.Kind {
		case model.Hard:
			due[i] = job.Due()
		case model.Soft:
			due[i] = job.Due() + model.Time(min(most/job.Weight, int64(model.Never-job.Due())))
		default:
			due[i] = model.Never
		}
	}
	return due
}
