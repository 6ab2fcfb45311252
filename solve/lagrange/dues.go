package lagrange

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// dueTimes tries multipliers on due times that differ from one try to the next. Jobs are
// numbered as in jobs. It is not for concurrent use.
type dueTimes struct {
	p prober
	// jobs are those that are due.
	jobs []model.JobID
	// inTime has all of them be in time.
	inTime charges
}

// newDueTimes prepares tries on due times up to some (absolute, in ticks of the set, by JobID; model.Never
// for jobs that play no part), in ticks as it is looked at. possible tells that no job is late alone by these; d is
// nil where not, or where there is too much to try anything.
func newDueTimes(ctx context.Context, in *coarse, latest []model.Time, lanes bool) (d *dueTimes, possible bool) {
	pay := inTime(latest)
	pay.lanes = lanes
	if !pay.fit(ctx, query.Series(in.of)) {
		return nil, true
	}
	pay = in.charges(pay)
	r := newLagrangian(ctx, in.js, pay)
	r.slack = in.slack()
	if r.Base > 0 || r.affordable(&Extent{}) < DefaultSteps {
		return nil, r.Base == 0
	}
	d = &dueTimes{inTime: pay, p: prober{ctx: ctx, domains: newDomains(r), workers: &workers{}}}
	for j := range r.jobs {
		d.jobs = append(d.jobs, r.jobs[j].id)
	}
	return d, true
}

// size is what a subgradient step looks at, in starts.
func (d *dueTimes) size() int { return d.p.lagrangian.size }

// work is how many starts have been looked at, and steps how many subgradient steps were
// taken, since the beginning.
func (d *dueTimes) work() int { return d.p.spent }

// steps is said at work.
func (d *dueTimes) steps() int { return d.p.steps }

// lastStage is the first task of a job's last stage.
func (d *dueTimes) lastStage(j int) model.TaskID {
	stages := d.p.js.Jobs[d.jobs[j]].Stages
	return stages[len(stages)-1].First
}

// endsBy is the split that says that a job ends by a time.
func (d *dueTimes) endsBy(j int, at model.Time) proof.Split {
	return proof.Split{Kind: proof.StageEndsBy, Task: d.lastStage(j), At: at}
}

// first is when a job ends at the earliest by itself.
func (d *dueTimes) first(j int) model.Time {
	first, _ := d.p.completions(d.lastStage(j))
	return first - d.p.slack
}

// refute looks for multipliers that refute due times, all no earlier than first, near
// some that are known or, if that is nil, from none; nil if it finds none. Those that refute
// are raised further, to a part of what a job pays at most, for others' sake. base is what tasks in lanes pay in any case.
func (d *dueTimes) refute(due []model.Time, near []int64) (multipliers, base []int64) {
	steps, factor := manySteps, warmFactor
	if near == nil {
		near, steps, factor = make([]int64, len(d.p.Multipliers)), DefaultSteps, 1
	}
	defer d.narrow(due)()
	best, value := d.p.ascend(near, steps, factor, 0, deep)
	if value <= 0 {
		return nil, nil
	}
	return slices.Clone(best), d.p.basesAt(best)
}

// deep is the value from which on multipliers refute enough: with any value above 0 a search
// on ends needs two to three times the cuts, with more than this no fewer.
const deep = unit / 5

// narrow leaves placements that let jobs end in time, each stage as early as those after it take at least, and has steps look at
// these alone; what it gives takes that back.
func (d *dueTimes) narrow(due []model.Time) (undo func()) {
	r := d.p.lagrangian
	mark, size, lasts := d.p.mark(), r.size, make([]model.Time, len(due))
	r.size = 0
	for j, at := range due {
		b := &d.p.jobs[j]
		lasts[j], b.last = b.last, max(b.first, min(b.last, at))
		for k := len(b.stages) - 1; k >= 0; k-- {
			d.p.each(b.stages[k].groups, func(d *domain) { d.lastRun = min(d.lastRun, at-d.wcet) })
			r.size += b.stages[k].starts()
			at -= b.stages[k].shortest
		}
	}
	return func() {
		d.p.undo(mark)
		r.size = size
		for j := range lasts {
			d.p.jobs[j].last = lasts[j]
		}
	}
}

// starts is how many a step looks at.
func (st *stage) starts() (n int) {
	for i := range st.groups {
		for k := range st.groups[i].domains {
			d := &st.groups[i].domains[k]
			n += int(max(0, d.lastRun-d.firstAssign))
		}
	}
	if st.lanes != nil {
		n += n / 2 // what lanes take on top
	}
	return n
}

// restrictions are what due times leave to tasks.
func (d *dueTimes) restrictions(due []model.Time) []query.Restriction {
	defer d.narrow(due)()
	return d.p.restrictions()
}

// put makes multipliers those that worth and costs are about.
func (d *dueTimes) put(multipliers []int64) {
	copy(d.p.Multipliers, multipliers)
	d.p.sum()
}

// worth is what all capacities cost, and bound the argument that is made of it.
func (d *dueTimes) worth() (worth int64, bound *proof.DualBound) {
	return d.p.Worth(), d.p.dualBound(d.p.Multipliers)
}

// costs are what a job pays at least if it ends by a time, from one on in steps until
// they are the last ones.
func (d *dueTimes) costs(j int, from, step model.Time) (costs []int64) {
	b := &d.p.jobs[j]
	before := b.beforeLast()
	for t := from; ; t += step {
		costs = append(costs, min(b.penalty, b.endingBy(before, min(t, b.last)).cost))
		d.p.spent += 1 + d.size()/len(d.jobs)
		if t >= b.last {
			return costs
		}
	}
}

// last is when a job ends at the latest.
func (d *dueTimes) last(j int) model.Time { return d.p.jobs[j].last }

// listed are multipliers of a list, by row.
func (d *dueTimes) listed(list []proof.Multiplier) []int64 {
	d.p.unlist(list)
	return slices.Clone(d.p.Multipliers)
}
