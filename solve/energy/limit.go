package energy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// limit is a pool or a cap that may be short. It is counted whichever slaves tasks are put on.
type limit struct {
	id     model.SharedID
	takers []taker // ascending
}

// taker is a task that takes of a limit; at indexes problem.tasks.
type taker struct {
	at    int
	units int64
}

// newLimits lists those that tasks with a due time take of, but for those whose sums may be more than
// an int64 holds.
func (p *problem) newLimits() []limit {
	if !p.js.Coupled() {
		return nil
	}
	byID := make([]limit, len(p.js.Shared()))
	for at := range p.tasks {
		for _, take := range p.js.Takes(p.tasks[at].id) {
			of := &byID[take.Shared]
			of.id, of.takers = take.Shared, append(of.takers, taker{at, take.Units})
		}
	}
	return slices.DeleteFunc(byID, func(l limit) bool { return len(l.takers) == 0 || p.isLarge(&l) })
}

// isLarge reports whether what tasks could need of a limit, or what there is of it until they could
// need any, may add up to more than is summed.
func (p *problem) isLarge(l *limit) bool {
	units, end := p.js.Shared()[l.id].Most(), model.Time(0)
	for _, t := range l.takers {
		it := &p.tasks[t.at].items[held]
		units, end = max(units, t.units), max(end, it.lastStart+it.length)
	}
	return float64(units)*float64(end+p.js.Heartbeat)*float64(1+len(l.takers)) > mostSum
}

// sweeperOf is one over the tasks that take of a limit, and what there is of it.
func (p *problem) sweeperOf(l *limit) *sweeper {
	at := map[item]int{}
	var groups []group
	for _, t := range l.takers {
		it := p.tasks[t.at].items[held]
		k, seen := at[it]
		if !seen {
			k = len(groups)
			at[it] = k
			groups = append(groups, group{it, 0})
		}
		groups[k].count += t.units
	}
	levels := p.js.Shared()[l.id].Levels
	rate := max(0, levels[0].Amount)
	last := rate
	var changes []change
	for _, level := range levels[1:] {
		amount := max(0, level.Amount)
		changes, last = append(changes, change{level.From, amount - last}), amount
	}
	s := newSweeper(groups, rate, changes)
	s.last = last
	return s
}

// short finds the interval in which a limit is short most, and by how much.
func (p *problem) short(ctx context.Context, l *limit, steps int) (iv model.Interval, overload int64, spent int) {
	s := p.sweeperOf(l)
	iv, overload = s.most(ctx, steps)
	return iv, overload, min(steps, 2*s.steps(2*len(s.groups)))
}

// capped makes a row of each job that is late alone for a cap on it. There may be as many as jobs, and
// each would take a refutation of its own.
func (p *problem) capped(ctx context.Context) []proof.Cut {
	var out []proof.Cut
	for k := range p.limits {
		if ctx.Err() != nil {
			break
		}
		sh := &p.js.Shared()[p.limits[k].id]
		if sh.Pool >= 0 || p.js.Jobs[sh.Job].Kind != model.Soft {
			continue
		}
		if iv, overload, _ := p.short(ctx, &p.limits[k], maxSteps/8); overload > 0 {
			if r := p.row(p.tightenLimit(p.limits[k].id, iv)); r.RHS > 0 {
				out = append(out, r)
			}
		}
	}
	return out
}

// partsOf lists the jobs that need some of a limit inside iv.
func (p *problem) partsOf(id model.SharedID, iv model.Interval) []part {
	var out []part
	for _, t := range p.js.Shared()[id].Tasks {
		at, due := slices.BinarySearchFunc(p.tasks, t, func(a taskItems, t model.TaskID) int { return int(a.id - t) })
		if !due {
			continue
		}
		need, job := int64(p.tasks[at].items[held].inside(iv))*p.js.Taken(t, id), p.js.Tasks[t].Job
		switch n := len(out) - 1; {
		case need == 0:
		case n >= 0 && out[n].job == job:
			out[n].need += need
		default:
			out = append(out, part{job: job, need: need})
		}
	}
	return out
}

// tightenLimit makes an overload of what tasks hold of a limit inside iv, leaving out the jobs with the
// least need while the rest is still too much.
func (p *problem) tightenLimit(id model.SharedID, iv model.Interval) *proof.Overload {
	parts, need := byNeed(p.partsOf(id, iv))
	sh := &proof.Overload{Resource: proof.SharedTicks, Shared: id, Interval: iv, Have: p.js.Shared()[id].Ticks(iv)}
	parts, sh.Need = fewest(parts, need, sh.Have)
	sh.Jobs = jobsOf(parts)
	return sh
}
