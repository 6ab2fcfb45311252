package lagrange

import (
	"context"
	"math"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Dive narrows by fixings what shaving has left of the whole: to what hardly raises the
// cost of its job at the multipliers, as long as others do not refute what is left. In so
// little an exact search often finds the plan that it misses in the whole.
type Dive struct {
	tree
	coarse   *coarse
	shavings []func(*node) bool // those that have not come to an end
	root     int                // the trail's mark after shaving
	start    []int64
}

// NewDive prepares dives for due; Shave comes next. It has nothing to dive into if that cannot be told by multipliers. It is over
// when ctx is done.
func NewDive(ctx context.Context, js *model.JobSet, due []model.Time) *Dive {
	c := coarsened(js, due)
	d := &Dive{coarse: c, tree: tree{prober: prober{ctx: ctx, workers: &workers{}, thorough: true}, extent: &Extent{}, fewest: DefaultSteps}}
	if d.relax(c, due) != nil || d.over.Load() {
		d.over.Store(true)
		return d
	}
	d.target()
	d.push(0)
	d.shavings = []func(*node) bool{(*node).shaveStages, (*node).shaveTasks}
	return d
}

// Shave goes on with shaving the whole, as [NewRefutation] has it, for so much work at most, in starts looked at, and reports
// whether nothing gives way any more. There is nothing to dive into where the whole is refuted.
func (d *Dive) Shave(work int) (finished bool) {
	n := d.stack[0]
	for d.left.Add(int64(work)); len(d.shavings) > 0 && d.shavings[0](n); {
		d.shavings = d.shavings[1:]
	}
	full := d.over.Load() // it holds as much as it may, which is no reason not to dive
	d.over.Store(n.rest != nil || d.ctx.Err() != nil)
	return len(d.shavings) == 0 || full || d.over.Load()
}

// Shaved ends shaving; what it has come to is where dives begin, each of which Up ends.
func (d *Dive) Shaved() {
	n := d.stack[0]
	d.shavings = nil
	d.left.Store(math.MaxInt64)
	d.spent = 0
	d.root, d.start = d.mark(), append(d.start, n.start...)
}

// Over tells that there is nothing to dive into.
func (d *Dive) Over() bool { return d.over.Load() }

// Large tells that this is so because the steps of a dive would take too long, more than
// a few milliseconds each, or too much memory.
func (d *Dive) Large() bool { return d.large }

// Steps counts those taken with multipliers.
func (d *Dive) Steps() int { return d.steps }

// Restrictions are what is left to each task, by TaskID.
func (d *Dive) Restrictions() []query.Restriction { return d.coarse.restrictions(d.restrictions()) }

// Up takes all fixings back.
func (d *Dive) Up() {
	n := d.stack[0]
	d.undo(d.root)
	copy(n.start, d.start)
	n.away = true
}

// Fix cuts off the slaves and edges that have a gain of least, in parts of what is
// missing, times noise, which is asked for each of them. It takes that back if multipliers
// refute what is left, or find less than half as much missing. some tells that there were any.
func (d *Dive) Fix(least float64, noise func() float64) (some, held bool) {
	d.stack[0].update()
	fixings := d.fixings(least, noise)
	return len(fixings) > 0, d.try(fixings)
}

func (d *Dive) fixings(least float64, noise func() float64) (out []fixing) {
	n := d.stack[0]
	for _, targets := range [][]target{d.stages, d.tasks} {
		for k := range targets {
			t, from := &targets[k], least*noise()
			if d.ctx.Err() != nil {
				return nil
			}
			if t.split.Kind == proof.OnSlave {
				if n.possible(t.domain) && n.gain(&t.split, true) > from {
					out = append(out, fixing{split: t.split})
				}
			} else if at := n.edgeOf(t, effort{gain: from}); at.most > 0 {
				out = append(out, fixing{split: at.split(at.most), holds: !t.holds})
			}
		}
	}
	return out
}

func (d *Dive) try(fixings []fixing) bool {
	n, mark, possible := d.stack[0], d.mark(), len(fixings) > 0
	for k := range fixings {
		possible = d.narrow(&fixings[k].split, fixings[k].holds) && possible
	}
	n.away = true
	if possible {
		if _, value := d.ascend(n.start, manySteps, warmFactor, math.MinInt64, 1); value <= n.value/2 {
			copy(n.start, d.Multipliers)
			return true
		}
	}
	d.undo(mark)
	return false
}
