package cover

import (
	"cmp"
	"math/bits"
	"slices"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/solve/relaxation"
)

// lagrangian is the Lagrangian relaxation of all cuts: whatever the multipliers
// λ_k ≥ 0,
//
//	Σ_k λ_k − Σ_i max(0, Σ_k λ_k · min(1, coefficient_ik / rhs_k) − weight_i)
//
// is no more than the weight of any cover (Beasley, 1987). All figures are in
// units of 1/unit and exact integers, rounded so that the bound stays one.
type lagrangian struct {
	// jobs lists the soft jobs of all cuts, those first that are clearest:
	// deciding otherwise costs |reducedCost|.
	jobs []relaxedJob
	// bound on the weight of a cover, in units; nothing is known to be less.
	bound int64
}

// relaxedJob is a job of some cut.
type relaxedJob struct {
	id     model.JobID
	weight int64
	// reducedCost is the weight less what the multipliers pay for its
	// coefficients, in units: below 0 the relaxation takes the job.
	reducedCost int64
}

// Bound is a lower bound on the weight of soft jobs that satisfy all cuts, by the
// relaxation alone. There is no use in exceeding target.
func Bound(weight []int64, cuts []proof.Cut, target int64) int64 {
	given, rest := settle(cuts)
	spent := int64(0)
	for _, i := range given {
		spent += weight[i]
	}
	return spent + inWeight(relax(weight, rest, target-spent).bound)
}

// unit divides a weight. A hundred times the largest sum of weights, 10⁶ for
// each of 10⁶ jobs, stays below 2^63.
const unit = inference.CoverUnit

// relax is the relaxation at good multipliers; target is as for them.
func relax(weight []int64, cuts []proof.Cut, target int64) *lagrangian {
	return exact(weight, cuts, Multipliers(weight, cuts, target))
}

// Multipliers looks for good ones, of each cut in units of 1/inference.CoverUnit. target is a
// weight that no bound exceeds, or that there is no use in exceeding.
func Multipliers(weight []int64, cuts []proof.Cut, target int64) []int64 {
	out := make([]int64, len(cuts))
	for k, m := range ascend(weight, cuts, target) {
		out[k] = int64(m * unit)
	}
	return out
}

// ascend improves multipliers by subgradient steps, from 0 on.
func ascend(weight []int64, cuts []proof.Cut, target int64) []float64 {
	jobs, share := shares(cuts)
	all := 0.0
	for _, i := range jobs {
		all += float64(weight[i])
	}
	goal := min(all, float64(target))
	multiplier := make([]float64, len(cuts))
	best, bestMultipliers := 0.0, slices.Clone(multiplier)
	for range min(ascents, 1+maxWork/(1+entries(cuts))) {
		value := 0.0
		slope := make([]float64, len(cuts))
		for k := range cuts {
			value += multiplier[k]
			slope[k] = 1
		}
		for n, i := range jobs {
			reducedCost := float64(weight[i])
			for _, part := range share[n] {
				reducedCost -= multiplier[part.cut] * part.share
			}
			if reducedCost < 0 {
				value += reducedCost
				for _, part := range share[n] {
					slope[part.cut] -= part.share
				}
			}
		}
		if value > best {
			best, bestMultipliers = value, slices.Clone(multiplier)
		}
		if !relaxation.Polyak(multiplier, slope, goal-value, all) {
			break
		}
	}
	return bestMultipliers
}

// ascents is the number of steps that the multipliers are improved by, fewer where cuts
// name so many jobs that they would take more than maxWork.
// There are few multipliers, and Polyak's steps need not shrink.
const ascents = 300

// part is what part of a cut's right-hand side a job makes up for, at most all of it.
type part struct {
	cut   int
	share float64
}

// shares lists the jobs of all cuts and their parts.
func shares(cuts []proof.Cut) (jobs []model.JobID, share [][]part) {
	place := map[model.JobID]int{}
	for k := range cuts {
		for n, i := range cuts[k].Jobs {
			at, seen := place[i]
			if !seen {
				at = len(jobs)
				place[i] = at
				jobs = append(jobs, i)
				share = append(share, nil)
			}
			share[at] = append(share[at], part{k, min(1, float64(cuts[k].Coefficients[n])/float64(cuts[k].RHS))})
		}
	}
	return jobs, share
}

// exact works the bound out in integers.
func exact(weight []int64, cuts []proof.Cut, multipliers []int64) *lagrangian {
	p := &lagrangian{}
	jobs, _ := shares(cuts)
	reducedCost := map[model.JobID]int64{}
	for _, i := range jobs {
		reducedCost[i] = weight[i] * unit
	}
	for k := range cuts {
		multiplier := multipliers[k]
		p.bound += multiplier
		for n, i := range cuts[k].Jobs {
			reducedCost[i] -= partOf(multiplier, min(cuts[k].Coefficients[n], cuts[k].RHS), cuts[k].RHS)
		}
	}
	for _, i := range jobs {
		p.bound += min(0, reducedCost[i])
		p.jobs = append(p.jobs, relaxedJob{i, weight[i], reducedCost[i]})
	}
	slices.SortStableFunc(p.jobs, func(a, b relaxedJob) int { return cmp.Compare(abs(b.reducedCost), abs(a.reducedCost)) })
	return p
}

// partOf is v·part/whole rounded up, 0 ≤ part ≤ whole.
func partOf(v, part, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(v), uint64(part))
	quotient, rest := bits.Div64(hi, lo, uint64(whole))
	if rest > 0 {
		quotient++
	}
	return int64(quotient)
}

func abs(v int64) int64 { return max(v, -v) }

// inWeight is a bound in units as a weight: weights are whole.
func inWeight(v int64) int64 { return max(0, (v+unit-1)/unit) }
