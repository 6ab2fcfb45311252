package basic

import (
	"math"

	"downbeat/model"
	"downbeat/online"
)

// WSPT serves the job with the most weight for the work that is left of it (online.View.Work):
// weighted shortest processing time. On one core, for jobs of one task that are all there, that is
// the order with the least weighted sum of completion times (Smith, "Various optimizers for
// single-stage production", Naval Research Logistics Quarterly 1956).
func WSPT(options Options) online.Policy {
	r := by("wspt", "work per weight", options, func(v *online.View, j *online.Job) key {
		return key{num: v.Work(j), den: j.Spec().Weight}
	})
	r.moves = true
	return r
}

// DefaultLookAhead is the look-ahead parameter k of ATC that Vepsalainen and Morton found good on
// one machine.
const DefaultLookAhead = 2

// ATC serves the job with the largest apparent tardiness cost (Vepsalainen and Morton, "Priority
// Rules for Job Shops with Weighted Tardiness Costs", Management Science 1987):
//
//	(w/p)·exp(−max(0, d − p' − t)/(k·p̄))
//
// w is the job's weight, d its deadline, t now. Jobs of many tasks have two processing times where
// the source has one: p is the work that is left (online.View.Work), p' the least time that this
// takes (online.View.Remaining), and p̄ the mean of p' over the jobs with something to hand out. A job that
// has no laxity left counts as in WSPT; with little lookAhead k > 0 of the others the one with the
// least laxity comes first, with much all go as in WSPT. Jobs without a deadline come last. Indices are
// as at the first heartbeat of a tick.
func ATC(options Options, lookAhead float64) online.Policy {
	mean := 1.0
	r := by("atc", "apparent cost", options, func(v *online.View, j *online.Job) key {
		at := latest(v, j)
		if at == model.Never {
			return key{num: int64(model.Never), den: 1}
		}
		slack := max(0, float64(at-v.Now()))
		cost := math.Log(float64(max(1, v.Work(j)))/float64(j.Spec().Weight)) + slack/(lookAhead*mean)
		return key{num: int64(math.Round(min(cost, mostCost) * grain)), den: grain}
	})
	r.words, r.moves, r.ages = "minus log of the apparent cost", true, true
	r.prepare = func(v *online.View) {
		sum := model.Time(0)
		for _, j := range v.Ready() {
			sum += v.Remaining(j)
		}
		mean = max(1, float64(sum)/float64(len(v.Ready())))
	}
	return r
}

// grain is by how much logarithms of costs have to differ to count as different, one over it: less
// is in the last digits, where machines may round otherwise. mostCost keeps them within int64.
const (
	grain    = 1_000_000
	mostCost = 1e12
)
