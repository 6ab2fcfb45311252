package energy

import (
	"cmp"
	"math/bits"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// price is a Lagrangian relaxation of the choice of late jobs that covers all
// rows: row k pays toll[k] ≥ 0 for being covered, and every job gets back what
// its needs cover. Whatever the tolls,
//
//	Σ_k toll_k − Σ_i max(0, Σ_k toll_k · min(1, need_ik / excess_k) − weight_i)
//
// is no more than the weight of any cover (Beasley, 1987). All figures are in
// units of 1/unit and exact integers, rounded so that the bound stays one.
type price struct {
	// jobs lists the soft jobs of all rows, those first whose choice is
	// clearest: changing it costs |margin|.
	jobs []pricedJob
	// bound on the weight of a cover, in units; nothing is known to be less.
	bound int64
}

// pricedJob is a job of some row.
type pricedJob struct {
	id     model.JobID
	weight int64
	// margin is the weight less what its needs cover, in units: below 0 the
	// relaxation takes the job.
	margin int64
}

// unit divides a weight. A hundred times the largest sum of weights, 10⁶ for
// each of 10⁶ jobs, stays below 2^63.
const unit = 1 << 16

// newPrice looks for good tolls. target is a weight that no bound exceeds, or
// that there is no use in exceeding.
func newPrice(js *model.JobSet, rows []proof.Cut, target int64) *price {
	jobs, share := shares(rows)
	all := 0.0
	for _, i := range jobs {
		all += float64(js.Jobs[i].Weight)
	}
	goal := min(all, float64(target))
	toll := make([]float64, len(rows))
	best, bestTolls := 0.0, slices.Clone(toll)
	for range ascents {
		value := 0.0
		slope := make([]float64, len(rows))
		for k := range rows {
			value += toll[k]
			slope[k] = 1
		}
		for n, i := range jobs {
			margin := float64(js.Jobs[i].Weight)
			for k := range rows {
				margin -= toll[k] * share[n][k]
			}
			if margin < 0 {
				value += margin
				for k := range rows {
					slope[k] -= share[n][k]
				}
			}
		}
		if value > best {
			best, bestTolls = value, slices.Clone(toll)
		}
		if !ascend(toll, slope, goal-value, all) {
			break
		}
	}
	return exactPrice(js, rows, jobs, bestTolls)
}

// ascents is the number of steps that the tolls are improved by.
const ascents = 300

// ascend moves the tolls along the slope by Polyak's step, gap / |slope|², to
// most at most, and reports whether there is anything left to gain.
func ascend(toll, slope []float64, gap, most float64) bool {
	norm := 0.0
	for _, g := range slope {
		norm += g * g
	}
	if gap <= 0 || norm == 0 {
		return false
	}
	for k, g := range slope {
		toll[k] = min(most, max(0, toll[k]+g*gap/norm))
	}
	return true
}

// shares lists the jobs of all rows and what part of each row's excess each
// covers, at most all of it.
func shares(rows []proof.Cut) (jobs []model.JobID, share [][]float64) {
	place := map[model.JobID]int{}
	for k := range rows {
		for n, i := range rows[k].Jobs {
			at, seen := place[i]
			if !seen {
				at = len(jobs)
				place[i] = at
				jobs = append(jobs, i)
				share = append(share, make([]float64, len(rows)))
			}
			share[at][k] = min(1, float64(rows[k].Coefficients[n])/float64(rows[k].RHS))
		}
	}
	return jobs, share
}

// exactPrice works the bound out in integers.
func exactPrice(js *model.JobSet, rows []proof.Cut, jobs []model.JobID, tolls []float64) *price {
	p := &price{}
	margin := map[model.JobID]int64{}
	for _, i := range jobs {
		margin[i] = js.Jobs[i].Weight * unit
	}
	for k := range rows {
		toll := int64(tolls[k] * unit)
		p.bound += toll
		for n, i := range rows[k].Jobs {
			margin[i] -= partOf(toll, min(rows[k].Coefficients[n], rows[k].RHS), rows[k].RHS)
		}
	}
	for _, i := range jobs {
		p.bound += min(0, margin[i])
		p.jobs = append(p.jobs, pricedJob{i, js.Jobs[i].Weight, margin[i]})
	}
	slices.SortStableFunc(p.jobs, func(a, b pricedJob) int { return cmp.Compare(abs(b.margin), abs(a.margin)) })
	return p
}

// partOf is v·need/whole rounded up, 0 ≤ need ≤ whole.
func partOf(v, need, whole int64) int64 {
	hi, lo := bits.Mul64(uint64(v), uint64(need))
	part, rest := bits.Div64(hi, lo, uint64(whole))
	if rest > 0 {
		part++
	}
	return int64(part)
}

func abs(v int64) int64 { return max(v, -v) }

// inWeight is a bound in units as a weight: weights are whole.
func inWeight(v int64) int64 { return max(0, (v+unit-1)/unit) }
