package lagrange

import (
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// coarse is a relaxation of a job set with times in coarser ticks, for sets whose ticks are so fine that a step of
// multipliers takes long: all times are rounded down.
//
// Of a plan of the set round every heartbeat, fetch and start down, and have tasks take as many coarse ticks as they take whole ones: then
// what is to come after something still does, for ⌊a+b⌋ ≥ ⌊a⌋+⌊b⌋, nothing ends later than its end rounded down, and what is held in a coarse tick is
// held in the plan in the last tick of that. So prices of coarse ticks are prices of their last ticks, at which each job pays no less in
// ticks than in coarse ones, and all capacity is worth the same: the argument is one about the set itself.
type coarse struct {
	// js is the set in coarse ticks of step each, of the set as it stands, in which what is found is rechecked; where step is 1 they are the same.
	js, of *model.JobSet
	step   model.Time
	// beats tells that a coarse tick has one heartbeat of a slave at most.
	beats bool
}

// Sets that are looked at in coarser ticks are those of more than fineTicks, in coarse ones of at least a shareOfTask of the shortest task, which is
// about what a bound loses, and at least coarseTicks of them.
const fineTicks, coarseTicks, shareOfTask = 4000, 500, 64

// coarsened looks at a set in coarser ticks where those are so fine up to the times by which jobs are due (absolute, by JobID; model.Never for jobs that play no
// part). Heartbeats stay as regular as they are.
func coarsened(js *model.JobSet, due []model.Time) *coarse {
	return inStepsOf(js, coarseStep(js, due))
}

// Fine reports whether ticks are so fine, up to the times by which all jobs are due, that multipliers are sought in coarser ones.
func Fine(js *model.JobSet) bool {
	due := make([]model.Time, len(js.Jobs))
	for i := range due {
		due[i] = js.Jobs[i].Due()
	}
	return coarseStep(js, due) > 1
}

// inStepsOf looks at a set in coarse ticks of step each, by which its heartbeat, unless it is 1, can be divided and no task is shorter than.
func inStepsOf(js *model.JobSet, step model.Time) *coarse {
	if step == 1 {
		return &coarse{js: js, of: js, step: 1}
	}
	of := js
	js = query.Series(js)
	c := &coarse{js: model.InTicksOf(js, step), of: of, step: step, beats: js.Heartbeat > 1}
	c.js.ShareAs(model.InTicksOf(of, step)) // stages that are joined have no caps of their own
	for i := range c.js.Jobs {
		if job := &c.js.Jobs[i]; job.Kind != model.BestEffort {
			job.Deadline = js.Jobs[i].Due()/step - job.Release // charges are less by what that is early
		}
	}
	return c
}

// coarseStep is the length of a coarse tick.
func coarseStep(js *model.JobSet, due []model.Time) model.Time {
	end, shortest := model.Time(0), model.Time(math.MaxInt64)
	seen := map[*model.Profile]bool{}
	for i, by := range due {
		if by == model.Never {
			continue
		}
		end = max(end, by)
		for t := js.Jobs[i].First; t < js.Jobs[i].End; t++ {
			if p := js.Tasks[t].Profile; !seen[p] {
				seen[p] = true
				p.EachRun(func(wcet, _ model.Time, _ model.SlaveID) {
					if wcet > 0 {
						shortest = min(shortest, wcet)
					}
				})
			}
		}
	}
	if end <= fineTicks {
		return 1
	}
	step := max(1, min(shortest/shareOfTask, end/coarseTicks))
	for js.Heartbeat > 1 && js.Heartbeat%step > 0 {
		step--
	}
	return step
}

// dues are due times in coarse ticks.
func (c *coarse) dues(due []model.Time) []model.Time {
	out := slices.Clone(due)
	for i := range out {
		if out[i] < model.Never {
			out[i] /= c.step
		}
	}
	return out
}

// slack is by how much longer than is counted tasks may take, in coarse ticks.
func (c *coarse) slack() model.Time {
	if c.step > 1 {
		return 1
	}
	return 0
}

// charges are what jobs pay in coarse ticks: for each as much as for all of its ticks.
func (c *coarse) charges(of charges) charges {
	if c.step == 1 {
		return of
	}
	of.lanes = false // what tasks pay in any case is another matter tick by tick
	of.due, of.late, of.short = c.dues(of.due), slices.Clone(of.late), slices.Clone(of.late)
	for i := range of.late {
		of.late[i] *= int64(c.step)
		of.short[i] *= int64(c.of.Jobs[i].Due() % c.step)
	}
	return of
}

// branching is an argument about coarse ticks as one about the set. What is part of it in several places stays one.
func (c *coarse) branching(b *proof.Branching) *proof.Branching {
	if c.step == 1 {
		return b
	}
	return c.parts(b, map[*proof.Branching]*proof.Branching{nil: nil})
}

// parts is branching where some parts are known.
func (c *coarse) parts(b *proof.Branching, known map[*proof.Branching]*proof.Branching) *proof.Branching {
	if out, is := known[b]; is {
		return out
	}
	out := *b
	known[b] = &out
	out.Holds, out.Fails, out.Bound = c.parts(b.Holds, known), c.parts(b.Fails, known), c.bound(b.Bound)
	if b.Split.Kind != proof.OnSlave {
		out.Split.At = c.last(b.Split.At)
	}
	return &out
}

// bound is a dual bound about coarse ticks as one about the set.
func (c *coarse) bound(d *proof.DualBound) *proof.DualBound {
	if d == nil || c.step == 1 {
		return d
	}
	out := &proof.DualBound{Penalty: d.Penalty, Late: slices.Clone(d.Late)}
	for i := range out.Late {
		out.Late[i] /= int64(c.step)
	}
	for _, m := range d.Multipliers {
		held := m.Slave != model.NoSlave && m.Resource.Hold() == model.HoldStay && c.beats
		for t := m.Interval.Start; t < m.Interval.End; t++ {
			fine := m
			fine.Interval = model.Interval{Start: c.last(t), End: c.last(t) + 1}
			if held { // the heartbeat may be any of the ticks
				fine.Interval.Start = t * c.step
			}
			out.Multipliers = append(out.Multipliers, fine)
		}
	}
	return out
}

// last is the last tick of a coarse one.
func (c *coarse) last(t model.Time) model.Time { return (t+1)*c.step - 1 }

// restrictions are those of the set that leave all that such in coarse ticks do.
func (c *coarse) restrictions(of []query.Restriction) []query.Restriction {
	if c.step == 1 {
		return of
	}
	for t := range of {
		r := &of[t]
		if r.From < model.Never {
			r.From *= c.step
		}
		if r.To < model.Never {
			r.To = c.last(r.To+1) - 1 // both its start and what it takes may be a coarse tick less one more
		}
	}
	return of
}

// ask puts questions that are in coarse ticks to one that answers about the set.
func (c *coarse) ask(of Ask) Ask {
	if of == nil || c.step == 1 {
		return of
	}
	return func(restrict []query.Restriction, last bool) (refuted, planned bool) {
		return of(c.restrictions(restrict), last)
	}
}
