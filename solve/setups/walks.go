package setups

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// walks bound what is left of an order on two machines: a walk sets up as many jobs as are left, each as soon as server and machine are free,
// but may take a job several times, if not twice in a row, or never. A walk gets the reward of each job that it takes; a job that is left
// pays its own once. So what a walk leaves is told by the number of jobs, by how much later the other machine is free, and by
// the last job (state-space relaxation; Christofides, Mingozzi and Toth, 1981).
//
// Sums do not see that the server waits where a run is longer than the set-up beside it, and a machine where it is shorter. Walks do: rewards are
// such that the cheapest one takes each job about once.
type walks struct {
	jobs []job
	// latest is by how much later the other machine is free at the most, the longest run.
	latest ticks
	// rewards are by job, in parts of a tick; fine has what steps have come to, direction the mean of the latest.
	rewards         []int64
	fine, direction []float64
	// cheapest has for each number of jobs and each time by which the other machine is free later what walks cost.
	cheapest []walk
}

// walk is what the cheapest walk costs, in parts of a tick, the job that it begins with, and the cheapest that begins with another one.
type walk struct {
	cost, other int64
	job         int32
}

// partsOfTick are those in which rewards are counted.
const partsOfTick = 256

// mostWalks bounds the beginnings of walks that a step works out, jobs × jobs × times: 10 ms. Memory is 1 MB where there are 50
// jobs, 50 MB over their number where there are few.
const mostWalks = 1 << 21

// newWalks is nil where there are not two machines, or too many jobs or ticks.
func newWalks(p *Problem) *walks {
	n, latest := len(p.jobs), p.jobs[0].run
	if p.machines != 2 || n < 2 || n > MostSearched || n*n*(int(latest)+1) > mostWalks {
		return nil
	}
	w := &walks{p.jobs, latest, make([]int64, n), make([]float64, n), make([]float64, n), make([]walk, (n+1)*(int(latest)+1))}
	for k := range p.jobs { // with which walks come to what sums do
		if w.rewards[k] = partsOfTick * int64(p.jobs[k].setup); 2*p.setups < p.work {
			w.rewards[k] = partsOfTick / 2 * int64(p.jobs[k].setup+p.jobs[k].run)
		}
		w.fine[k] = float64(w.rewards[k])
	}
	w.fill()
	return w
}

// Walked reports whether walks bound what is left of an order, forward.
func (p *Problem) Walked() bool { return p.walks != nil }

// of are the walks of so many jobs.
func (w *walks) of(left int) []walk {
	size := int(w.latest) + 1
	return w.cheapest[left*size : (left+1)*size]
}

// fill works out what walks cost.
func (w *walks) fill() {
	for later := range w.of(0) {
		w.of(0)[later] = walk{partsOfTick * int64(later), partsOfTick * int64(later), -1}
	}
	for left := 1; left <= len(w.jobs); left++ {
		of, after := w.of(left), w.of(left-1)
		for later := range of {
			best := walk{math.MaxInt64, math.MaxInt64, -1}
			for k := range w.jobs {
				if cost := w.begun(k, ticks(later), after); cost < best.cost {
					best = walk{cost, best.cost, int32(k)}
				} else {
					best.other = min(best.other, cost)
				}
			}
			of[later] = best
		}
	}
}

// begun is what the cheapest walk costs that begins with a job.
func (w *walks) begun(k int, later ticks, after []walk) int64 {
	j := &w.jobs[k]
	took, later := j.then(later)
	return partsOfTick*int64(took) - w.rewards[k] + after[later].but(k)
}

// then has a job set up, on two machines of which the other is free later by some ticks: how long it takes until the next set-up can begin,
// and by how much the other machine is free later then.
func (j *job) then(later ticks) (took, next ticks) {
	later = max(0, later-j.setup)
	if later < j.run {
		return j.setup + later, j.run - later
	}
	return j.setup + j.run, later - j.run
}

// but is what a walk costs that begins with another job.
func (w *walk) but(k int) int64 {
	if int(w.job) == k {
		return w.other
	}
	return w.cost
}

// left is what all jobs of a set pay.
func (w *walks) left(jobs uint64) (sum int64) {
	for ; w != nil && jobs != 0; jobs &= jobs - 1 {
		sum += w.rewards[bits.TrailingZeros64(jobs)]
	}
	return sum
}

// least is a lower bound on when so many jobs that are left end, in parts of a tick, where one has been set up last, or none, -1, and they pay
// so much.
func (w *walks) least(at *state, left, last int, pay int64) int64 {
	begin := max(at.server, at.free[0])
	return partsOfTick*int64(begin) + w.of(left)[min(w.latest, max(0, at.free[1]-begin))].but(last) + pay
}

// runs counts how often the cheapest walk from a state takes each job.
func (w *walks) runs(at *state) []int {
	runs, last := make([]int, len(w.jobs)), -1
	later := min(w.latest, max(0, at.free[1]-max(at.server, at.free[0])))
	for left := len(w.jobs); left > 0; left-- {
		on := &w.of(left)[later]
		next := int(on.job)
		for k := 0; next == last; k++ {
			if k != last && w.begun(k, later, w.of(left-1)) == on.other {
				next = k
			}
		}
		runs[next]++
		_, later = w.jobs[next].then(later)
		last = next
	}
	return runs
}

// Measured on twelve draws of 20 jobs, s in 1 to 80, 100, 120 and 150, at most 300,000 nodes each: 1.70 million nodes in all, one draw open.
const (
	// mostSteps bounds the steps for a time that is asked for: with 250 and with 1000 nothing changes.
	mostSteps = 500
	// pastSteps is the part of those before in a direction. With none 1.66 million nodes, with 0.8 as many, but two draws open.
	pastSteps = 0.6
	// firstFactor is that of Polyak's length, which is halved after so many steps without progress, from the best rewards on, but not below the last.
	// Twice the first: 1.74 million nodes, half of it: 1.63 million, two open; 0.05 for the last: 1.59 million. Half the patience:
	// 1.47 million, two open, twice: 2.09 million, two open.
	firstFactor, lastFactor, patience = 1.0, 0.01, 12
	// aboveAsked is the part of the time asked for by which steps aim above it. With 10 1.83 million nodes, with 100 1.81 million, two open.
	aboveAsked = 30
	// begunPerNode are the beginnings of walks that take as long as a node of a search.
	begunPerNode = 200
)

// raise looks for rewards with which no order from a state ends by a time, by subgradient steps, and keeps the best. It reports whether
// there are some, and how many nodes of a search take as long.
func (w *walks) raise(ctx context.Context, at *state, by ticks) (shown bool, nodes int) {
	pays := firstJobs(len(w.jobs))
	aim := partsOfTick * (int64(by) + 1 + int64(by)/aboveAsked)
	best, rewards, idle := int64(math.MinInt64), slices.Clone(w.rewards), 0
	clear(w.direction)
	factor := firstFactor
	for step := 0; step < mostSteps && factor > lastFactor && ctx.Err() == nil; step++ {
		w.fill()
		nodes += len(w.jobs) * len(w.cheapest) / begunPerNode
		value := w.least(at, len(w.jobs), -1, w.left(pays))
		if idle++; value > best {
			best, idle = value, 0
			copy(rewards, w.rewards)
		}
		if value > partsOfTick*int64(by) {
			return true, nodes
		}
		if idle > patience {
			factor, idle = factor/2, 0
		}
		if !w.step(w.runs(at), factor*float64(aim-value)) {
			break
		}
	}
	copy(w.rewards, rewards)
	for k, r := range rewards {
		w.fine[k] = float64(r)
	}
	w.fill()
	return false, nodes + len(w.jobs)*len(w.cheapest)/begunPerNode
}

// step moves rewards by a length over the square of the direction. It is false where jobs run once each.
func (w *walks) step(runs []int, length float64) bool {
	norm := 0
	for _, run := range runs {
		norm += (1 - run) * (1 - run)
	}
	if norm == 0 {
		return false
	}
	for k, run := range runs {
		w.direction[k] = float64(pastSteps*w.direction[k]) + float64((1-pastSteps)*float64(1-run))
		w.fine[k] += float64(length / float64(norm) * w.direction[k])
		w.rewards[k] = int64(math.Round(w.fine[k]))
	}
	return true
}
