package pooled

import (
	"context"
	"math/bits"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/memory"
)

// Search looks for multipliers in stages that get finer, each of which begins with the
// multipliers that the one before ended with.
type Search struct {
	js *model.JobSet
	// last is what each stage ended with, nil for those that did not run.
	last [Stages]*lagrangian
	// next is the index of the next stage.
	next int
}

// NewSearch begins a search.
func NewSearch(js *model.JobSet) *Search { return &Search{js: query.Series(js)} }

// stages are those of a search: how slaves are pooled, whether tasks are told apart by
// their transfers, how many steps are taken, and how long the first is, as a part of
// Polyak's. A few rows that stand for all rise fast, and after that those of single
// slaves only have to be told apart: on 1,000 tasks and 30 slaves that is as good as
// three times the steps from no multipliers at all.
//
// Where a sum is bounded the last stages have scaled steps, whose first is that part of a
// multiplier: they see bounds that are small beside what all capacity is worth. A set of 1,000
// tasks of which 1.2 jobs are late was at 0.2 to 1.1 after Polyak's, by what these aimed
// at. Where any surplus will do they were not tried.
var stages = [Stages]struct {
	by     int
	apart  bool
	steps  int
	factor float64
	scaled float64 // 0: none
}{
	{coreKinds, true, 300, 1, 0},
	{phases, false, 200, 0.2, 0},
	{phases, true, 250, 0.1, 0.15},
	{phases, true, 500, 0.1, 0.1},
}

// Stages is the number of stages of a search.
const Stages = 4

// Again goes back to the last stage that ran, or to one before it, for another question.
// Stages begin with the multipliers that they ended with before.
func (s *Search) Again(before int) { s.next = max(0, s.next-1-before) }

// Done reports whether all stages are over.
func (s *Search) Done() bool { return s.next == Stages }

// Next runs the next stage. It gives the multipliers found and what all jobs cost at
// least by them; nil and 0 if they prove nothing, or would take more memory than there is. More than most is of no use. steps are
// those taken.
func (s *Search) Next(ctx context.Context, q *proof.LateCosts, most int64) (bound *proof.PoolBound, least int64, steps int) {
	st := &stages[s.next]
	s.next++
	k := &grain{pools: newPools(s.js, st.by), apart: st.apart}
	k.shift = shiftFor(s.js, q, len(k.pools))
	if st.apart && len(s.js.Tasks)*len(k.pools) > mostApart {
		return nil, 0, 0
	}
	if !k.fit(ctx, s.js, q) {
		return nil, 0, 0
	}
	r := newLagrangian(ctx, s.js, q, k)
	r.takeOver(s.start())
	s.last[s.next-1] = r
	wanted := max(fewestSteps, min(st.steps, mostWork/(1+r.size)))
	a := r.Ascend(wanted)
	if enough := (most-1)*r.Unit + 1; st.scaled > 0 && most > 1 {
		a.RunScaled(ctx, wanted, enough, st.scaled*finer(len(s.js.Tasks))*r.typical())
	} else {
		a.Factor = st.factor
		a.Run(ctx, wanted, enough, reach*most*r.Unit)
	}
	if a.Value <= 0 {
		return nil, 0, a.Taken
	}
	return r.bound(a.Best), (a.Value + r.Unit - 1) / r.Unit, a.Taken
}

// typical is about what a tick of a unit costs where a job of little weight is on the edge of
// being late.
func (r *lagrangian) typical() float64 {
	if len(r.jobs) == 0 {
		return 0
	}
	work, penalties := int64(0), make([]int64, len(r.jobs))
	for i := range r.jobs {
		penalties[i] = r.jobs[i].penalty
		work += r.jobs[i].work()
	}
	slices.Sort(penalties)
	return float64(penalties[len(penalties)/4]) * float64(len(r.jobs)) / float64(max(1, work))
}

// finer is what scaled steps are multiplied by for a number of tasks. The more tasks there are, the less of a pool
// is one job's, and the closer to the best multipliers are those to begin with: at 10,000 tasks steps as for
// 1,000 led away from them, and did not come back in as many as there are. Ten times finer is as fine as was measured.
func finer(tasks int) float64 {
	return max(0.1, min(1, 1000/float64(tasks)))
}

// reach is what Polyak's steps aim at, in terms of what is of use: on sets of 1,000
// tasks aiming at three times as much came closer in as many steps (0.8 to 1.2 and 8.8 to
// 9.2 late jobs).
const reach = 3

// start is the relaxation whose multipliers the stage begins with, nil for none.
func (s *Search) start() *lagrangian {
	for k := s.next - 1; k >= 0; k-- {
		if s.last[k] != nil {
			return s.last[k]
		}
	}
	return nil
}

// Bounds on the work of a stage, in steps of starts looked at, a few seconds; on the
// fewest steps; on the tasks times pools that are told apart; on the starts looked at
// in a step, and on rows, above which steps of time get longer.
const (
	mostWork    = 400_000_000
	fewestSteps = 60
	mostApart   = 1_000_000
	mostStarts  = 10_000_000
	mostRows    = 1_000_000
)

// sizes are the starts of stages and the rows that there are in steps of a tick.
func sizes(js *model.JobSet, q *proof.LateCosts, pools int) (starts, rows int) {
	end, limits := model.Time(0), len(newTakings(js).limits())
	for i, w := range q.Weight {
		if w > 0 {
			job := &js.Jobs[i]
			starts += int(max(0, q.Due[i]-job.Release)) * len(job.Stages) * pools
			end = max(end, q.Due[i])
		}
	}
	return starts, int(end) * (pools*int(model.NumResources) + limits)
}

// shiftFor is how long steps of time are to be for a number of pools.
func shiftFor(js *model.JobSet, q *proof.LateCosts, pools int) uint {
	starts, rows := sizes(js, q, pools)
	return uint(max(bits.Len(uint(starts/mostStarts)), bits.Len(uint(rows/mostRows))))
}

// What a row, a start, and a group of tasks in a pool take in memory, in bytes.
const rowBytes, startBytes, domainBytes = 70, 8, 200

// fit reports whether a relaxation would not be too large for the memory that there is,
// with longer steps if need be.
func (k *grain) fit(ctx context.Context, js *model.JobSet, q *proof.LateCosts) bool {
	starts, rows := sizes(js, q, len(k.pools))
	domains := js.Stages() * len(k.pools)
	if k.apart {
		domains = len(js.Tasks) * len(k.pools)
	}
	bytes := func() int64 {
		return int64(rows>>k.shift)*rowBytes + int64(starts>>k.shift)*startBytes + int64(domains)*domainBytes
	}
	for rows>>k.shift > 0 && !memory.Allows(ctx, "short steps of the prices of pools", bytes()) {
		k.shift++
	}
	return memory.Allows(ctx, "prices of pools", bytes())
}

// unitOf is what a weight of 1 is in multipliers: much, so that they can be fine, but sums
// stay within an int64.
func unitOf(q *proof.LateCosts) int64 {
	all := uint64(0)
	for _, w := range q.Weight {
		all += uint64(w)
	}
	return 1 << max(0, 44-bits.Len64(all))
}

// largest is the largest multiplier of use that keeps sums within an int64.
func (r *lagrangian) largest() int64 {
	most, units, take := int64(0), int64(1), r.mostTaken()
	for i := range r.jobs {
		most = max(most, r.jobs[i].penalty)
		for _, st := range r.jobs[i].stages {
			tasks := int64(0)
			for _, g := range st.groups {
				tasks += g.count
			}
			units = max(units, tasks*take)
		}
	}
	for _, c := range r.Capacity {
		units = max(units, c>>r.shift)
	}
	return min(most, mostSum/int64(len(r.pools)*int(model.NumResources)+len(r.limits()))/units/int64(r.Steps)>>r.shift)
}

// mostSum bounds what tasks of a stage can pay together, and what all there is can be
// worth.
const mostSum = 1 << 56

// takeOver sets the multipliers to those of another relaxation, if any, of the pool that
// the first slave is in.
func (r *lagrangian) takeOver(old *lagrangian) {
	if old == nil {
		return
	}
	poolOf := map[model.SlaveID]int{}
	for k := range old.pools {
		for _, s := range old.pools[k].slaves {
			poolOf[s] = k
		}
	}
	for k := range r.pools {
		from := poolOf[r.pools[k].slaves[0]]
		for i := range r.supplies[k] {
			r.takeOverOf(old, &old.supplies[from][i], &r.supplies[k][i])
		}
	}
	for k := range r.shared {
		r.takeOverOf(old, &old.shared[k], &r.shared[k])
	}
}

// takeOverOf does so for a supply, where either has it.
func (r *lagrangian) takeOverOf(old *lagrangian, before, now *supply) {
	if before.Supply == nil || now.Supply == nil {
		return
	}
	for c := range r.Steps {
		if at := c << r.shift >> old.shift; at < old.Steps {
			m := float64(old.Multipliers[before.Row(at)]) / float64(old.Unit) * float64(r.Unit)
			r.Multipliers[now.Row(c)] = min(r.Largest, int64(m))
		}
	}
}

// bound is the argument by multipliers.
func (r *lagrangian) bound(multipliers []int64) *proof.PoolBound {
	out := &proof.PoolBound{Step: 1 << r.shift, Apart: r.apart, Unit: r.Unit, Pools: r.Places}
	r.each(func(s *supply) {
		price := proof.PoolPrice{Pool: s.Place, Resource: s.Resource, Shared: s.Shared}
		r.Runs(s.Supply, multipliers, func(iv model.Interval, value int64) {
			price.Interval, price.Value = iv, value
			out.Prices = append(out.Prices, price)
		})
	})
	return out
}
