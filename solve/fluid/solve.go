package fluid

import (
	"context"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/solve/relaxation"
)

const (
	// firstPenalty is the penalty over the typical price, chargeFactor the share of
	// it that multipliers take over after a pass. Both from trials on sets of 1,000 to
	// 100,000 tasks.
	firstPenalty, chargeFactor = 15, 0.3
	// freePasses is the number of passes before multipliers move.
	freePasses = 2
	// bisections find the length of a step.
	bisections = 12
	// leastShare is the share below which a column is forgotten, mostColumns how many a job
	// has at most.
	leastShare, mostColumns = 1e-7, 24
)

// Pass improves the shares of every job once, in an order drawn by chance, and then
// the multipliers. It ends early, with false, if ctx does.
func (r *Relaxation) Pass(ctx context.Context, charge bool) bool {
	r.rng.Shuffle(len(r.order), func(i, k int) { r.order[i], r.order[k] = r.order[k], r.order[i] })
	for n, i := range r.order {
		if n%1024 == 0 && ctx.Err() != nil {
			return false
		}
		r.improve(&r.jobs[i])
	}
	if charge {
		r.charge(chargeFactor)
	}
	return true
}

// Run makes a number of passes.
func (r *Relaxation) Run(ctx context.Context, passes int) bool {
	for n := range passes {
		if !r.Pass(ctx, n >= freePasses) {
			return false
		}
	}
	return true
}

// improve moves share from the dearest column of a job to the cheapest.
func (r *Relaxation) improve(j *job) {
	r.addUp(j)
	cost := r.cheapest(j)
	s := &r.search
	if len(j.active) == 0 {
		s.gather(r.rows, j, &s.found, 1)
		r.apply(1)
		j.adopt(&s.found, 1)
		return
	}
	dearest, known, worst := 0, -1, math.Inf(-1)
	for i := range j.active {
		if c := s.costOf(j, &j.active[i]); c > worst {
			dearest, worst = i, c
		}
		if j.active[i].equal(&s.found) {
			known = i
		}
	}
	if known == dearest || worst-cost < 1e-9*(1+math.Abs(cost)) {
		return
	}
	if known < 0 && len(j.active) >= mostColumns {
		r.forget(j)
		return
	}
	r.shift(j, dearest, known)
}

// shift moves as much share as pays to the column that was found, which is the one of
// the given index, or new.
func (r *Relaxation) shift(j *job, from, to int) {
	s := &r.search
	dearest := &j.active[from]
	s.gather(r.rows, j, &s.found, 1)
	s.gather(r.rows, j, dearest, -1)
	fixed := j.fixedCost(&s.found) - j.fixedCost(dearest)
	share := dearest.share
	if r.slope(fixed, share) > 0 {
		low, high := 0.0, share
		for range bisections {
			if mid := (low + high) / 2; r.slope(fixed, mid) > 0 {
				high = mid
			} else {
				low = mid
			}
		}
		share = (low + high) / 2
	}
	r.apply(share)
	dearest.share -= share
	if to >= 0 {
		j.active[to].share += share
	} else {
		j.adopt(&s.found, share)
	}
	if j.active[from].share < leastShare {
		j.active[from] = j.active[len(j.active)-1]
		j.active = j.active[:len(j.active)-1]
	}
}

// forget makes room for the column that was found: it takes the place of the one with the
// least share.
func (r *Relaxation) forget(j *job) {
	least := 0
	for i := range j.active {
		if j.active[i].share < j.active[least].share {
			least = i
		}
	}
	w := &j.active[least]
	r.search.gather(r.rows, j, &r.search.found, 1)
	r.search.gather(r.rows, j, w, -1)
	r.apply(w.share)
	w.out, w.picks = r.search.found.out, append(w.picks[:0], r.search.found.picks...)
}

// adopt adds a column with a share.
func (j *job) adopt(w *column, share float64) {
	j.active = append(j.active, column{share: share, out: w.out, picks: slices.Clone(w.picks)})
}

// fixedCost is what a column costs at prices of 0.
func (j *job) fixedCost(w *column) float64 {
	if w.out {
		return j.drop
	}
	return j.slope * float64(max(0, j.end(w)-j.due))
}

// end is the grid point at which a column that is not out finishes.
func (j *job) end(w *column) int {
	end := 0
	j.walk(w, func(m *mode, at int) { end = max(end, at+m.length()) })
	return end
}

// gather adds a multiple of what a column uses to the change of use.
func (s *search) gather(r *rows, j *job, w *column, factor float64) {
	if w.out {
		return
	}
	j.walk(w, func(m *mode, at int) {
		for i := range m.needs {
			n := &m.needs[i]
			from, to := m.held(at, n.hold)
			base := n.row * r.Steps
			r.Spread(model.Interval{Start: j.clock(from), End: j.clock(to)}, func(b int, ticks int64) {
				if !s.isIn[base+b] {
					s.isIn[base+b] = true
					s.touched = append(s.touched, int32(base+b))
				}
				s.change[base+b] += factor * n.units * float64(ticks)
			})
		}
	})
}

// slope is by how much the whole costs more per share that is moved beyond some.
func (r *Relaxation) slope(fixed, moved float64) float64 {
	sum := fixed
	for _, i := range r.search.touched {
		if c := r.search.change[i]; c != 0 {
			sum += c * r.priceAt(int(i), moved*c)
		}
	}
	return sum
}

// apply makes a share of the change of use come true, and forgets the change.
func (r *Relaxation) apply(share float64) {
	s := &r.search
	for _, i := range s.touched {
		r.use[i] += share * s.change[i]
		r.reprice(int(i))
		s.change[i], s.isIn[i] = 0, false
	}
	s.touched = s.touched[:0]
}

// Scale counts on a part of all capacity, 0 < factor, at all times.
func (r *Relaxation) Scale(factor float64) {
	for b := range r.factor {
		r.factor[b] = factor
	}
	r.count()
}

// Feed tells what came of a plan made by the guide: where jobs were late by mistake
// less is counted on from release to due time, by a share; elsewhere by another share
// more, up to a most.
func (r *Relaxation) Feed(late []model.JobID, less, more, most float64) {
	hit := make([]bool, r.Steps)
	isLate := make([]bool, len(r.js.Jobs))
	for _, i := range late {
		isLate[i] = true
	}
	for i := range r.jobs {
		if j := &r.jobs[i]; isLate[j.id] {
			r.Spread(model.Interval{Start: j.release, End: j.clock(j.length)}, func(b int, _ int64) { hit[b] = true })
		}
	}
	for b := range r.factor {
		if hit[b] {
			r.factor[b] *= 1 - less
		} else {
			r.factor[b] = min(most, r.factor[b]*(1+more))
		}
	}
	r.count()
}

// busiest is the part of their time that cores run tasks in a plan that is as good as
// full: the rest goes in heartbeats, fetching and what is left between tasks. What is
// held for longer than the run is not short of that part.
const busiest = 0.92

// count sets capacities by the factors.
func (r *Relaxation) count() {
	for i := range r.counted {
		factor := r.factor[i%r.Steps]
		if s := &r.Supplies[i/r.Steps]; s.Resource != model.Cores || s.Place == relaxation.Everywhere {
			factor = min(1, factor/busiest)
		}
		r.counted[i] = factor * max(0, float64(r.Capacity[i]))
		r.reprice(i)
	}
}
