package lagrange

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/memory"
)

// unit is the rejection penalty of a job of weight 1, so that multipliers, which
// are whole, can be fine.
const unit = 1 << 20

// maxWeight keeps sums of multipliers within an int64.
const maxWeight = 1 << 12

// DefaultSteps is a number of steps after which multipliers hardly get any better.
const DefaultSteps = 1000

// LateWeight looks for multipliers that prove that jobs of a certain weight do not
// finish by due (absolute, by JobID), weight[i] being that of job i, 0 for jobs
// that play no part. target is a weight that no bound exceeds. A weight of 0 proves
// nothing and has no multipliers; so it is where some weight exceeds 4096.
func LateWeight(ctx context.Context, js *model.JobSet, due []model.Time, weight []int64, target int64, e *Extent) (*proof.DualBound, int64) {
	penalty := make([]int64, len(weight))
	for i, w := range weight {
		if w > maxWeight {
			return nil, 0
		}
		penalty[i] = w * unit
	}
	bound, value := maximise(ctx, js, charges{due: due, penalty: penalty}, e, (target-1)*unit+1, target*unit)
	if value <= 0 {
		return nil, 0
	}
	return bound, Weight(value)
}

// Weight is the least weight of late jobs whose penalties make up for the value of
// a dual bound.
func Weight(value int64) int64 { return (value + unit - 1) / unit }

// WeightedTardiness looks for multipliers that prove as high a weighted tardiness as
// possible, up to value, of plans that meet the hard deadlines; due (absolute) is by
// when jobs finish in plans of less. There may be none.
func WeightedTardiness(ctx context.Context, js *model.JobSet, value int64, e *Extent) (d *proof.DualBound, due []model.Time) {
	c, allowed, hope := weighted(js, value-1)
	c.lanes = e.Lanes
	d, _ = maximise(ctx, js, c, e, allowed+1, allowed+hope)
	return d, c.due
}

// maximise looks for multipliers of as high a value as possible; enough is as much
// as is of use, target as much as there could be.
func maximise(ctx context.Context, js *model.JobSet, c charges, e *Extent, enough, target int64) (*proof.DualBound, int64) {
	if !c.fit(ctx, js) {
		return nil, 0
	}
	in := coarsened(js, c.dues())
	r := newLagrangian(ctx, in.js, in.charges(c))
	steps := r.affordable(e)
	if steps == 0 {
		return nil, 0
	}
	a := r.Ascend(steps)
	for a.Run(ctx, min(stretch, steps-a.Taken), enough, target) && a.Taken < steps {
		if r.looked >= e.work() {
			e.Cut = true
			break
		}
	}
	e.Taken, e.Done = a.Taken, r.looked
	return in.bound(r.dualBound(a.Best)), a.Value
}

// stretch is the number of steps after each of which the work done is held against its bound.
const stretch = 20

// Bounds on the rows of a resource and on the work of one ascent, 3 to 10 s; fewer
// steps than fewestSteps are of no use.
const (
	maxRows     = 4_000_000
	maxWork     = 1_000_000_000
	fewestSteps = 60
	maxPairs    = 3_000_000 // of task and slave
)

// What a row, a pair, and a tick of a stage take in memory.
const rowBytes, pairBytes, timeBytes = 100, 100, 8

// fit reports whether a relaxation would not be too large, for itself or for the
// memory that there is.
func (c *charges) fit(ctx context.Context, js *model.JobSet) bool {
	end, stages := model.Time(0), 0
	for i, p := range c.penalty {
		if p > 0 {
			end = max(end, c.due[i])
			stages += len(js.Jobs[i].Stages)
		}
	}
	rows, pairs := int64(end)*int64(len(js.Slaves)+len(sharedRows(js, end))), int64(len(js.Tasks))*int64(len(js.Slaves))
	return end < maxRows && rows < maxRows && pairs < maxPairs &&
		memory.Allows(ctx, "dual prices", rowBytes*rows+pairBytes*pairs+timeBytes*int64(end)*int64(stages))
}

// Extent is how far an ascent goes: so many steps, 0 standing for DefaultSteps, and no more work than that, in starts looked at, 0 standing for 10⁹. Where ticks are
// fine, or tasks and slaves many, Cut tells that it was too little for the steps. Taken is how many were taken where it is no search for an argument
// ([Refutation]), which tells of its own; Done is the work that they were.
//
// Lanes tells [WeightedTardiness] that the tasks of a job's first stage run in lanes (see [proof.DualBound.Base]), where ticks are not fine.
type Extent struct {
	Steps, Work int
	Lanes       bool
	Cut         bool
	Taken, Done int
	// left are multipliers that the latest ascent of a whole in coarse ticks was left with, by which the next one begins; nil in ticks of the set, of which a
	// step takes little.
	left *leftover
}

// leftover are multipliers in coarse ticks, by supply.
type leftover struct {
	step model.Time
	rows [][]int64
}

// leave has an ascent that comes later begin with the multipliers as they are.
func (e *Extent) leave(r *lagrangian, step model.Time) {
	if step == 1 {
		return
	}
	e.left = &leftover{step: step}
	for k := range r.Supplies {
		first := r.Supplies[k].First
		e.left.rows = append(e.left.rows, slices.Clone(r.Multipliers[first:first+r.Steps]))
	}
}

// takeUp has the multipliers be those that were left, if there are some for such ticks.
func (e *Extent) takeUp(r *lagrangian, step model.Time) {
	if e.left == nil || e.left.step != step || len(e.left.rows) != len(r.Supplies) {
		e.left = nil
		return
	}
	for k := range r.Supplies {
		first := r.Supplies[k].First
		copy(r.Multipliers[first:first+r.Steps], e.left.rows[k])
	}
}

func (e *Extent) work() int { return cmp.Or(e.Work, maxWork) }

// affordable is how many steps to take, 0 if so few are of no use.
func (r *lagrangian) affordable(e *Extent) int {
	wanted := cmp.Or(e.Steps, DefaultSteps)
	if e.left != nil {
		wanted = min(wanted, 2*manySteps)
	}
	steps := min(wanted, e.work()/(1+r.size))
	e.Cut = steps < wanted
	if steps < fewestSteps {
		return 0
	}
	return steps
}

// dualBound lists multipliers, equal ones of neighbouring ticks together.
func (r *lagrangian) dualBound(multipliers []int64) *proof.DualBound {
	return &proof.DualBound{Penalty: r.penalty, Late: r.late, Multipliers: r.list(multipliers), Base: r.basesAt(multipliers)}
}
