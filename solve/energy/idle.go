package energy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// Idle is a lower bound on the largest lateness of a soft job, or on the last finish of all jobs, beyond one that
// is known, by overloads that count what slots and cores stand idle while the first inputs are
// fetched (see [proof.Overload]). It is 0 with an empty certificate if it is no higher. When ctx ends it
// returns what is proved by then.
func Idle(ctx context.Context, js *model.JobSet, o model.Objective, known int64) (int64, *proof.EnergyBound) {
	if !fetchesInTurn(js) {
		return 0, &proof.EnergyBound{Objective: o}
	}
	return climbed(js, o, known, newIdleProver(ctx, js).refute)
}

// InfeasibleByIdle is an overload that counts what stands idle so, and shows that the hard jobs cannot all meet their deadlines, where
// [Infeasible] shows nothing; nil if none is found, or when ctx ends.
func InfeasibleByIdle(ctx context.Context, js *model.JobSet) *proof.Overload {
	if !fetchesInTurn(js) {
		return nil
	}
	return newIdleProver(ctx, js).refute(query.HardDues(js))
}

func newIdleProver(ctx context.Context, js *model.JobSet) *prover {
	p := newProver(ctx, js)
	p.idle, p.pressing = true, false
	return p
}

// fetchesInTurn reports whether something may stand idle while first inputs come, in sets that are looked at.
func fetchesInTurn(js *model.JobSet) bool {
	return js.Fetch != model.FetchConcurrent && pairs(js) <= mostUnhurried && fetches(js)
}

// climbed is the bound by the overload that refutes the greatest value from known on, if hard deadlines are not refuted already.
func climbed(js *model.JobSet, o model.Objective, known int64, refute func(due []model.Time) *proof.Overload) (int64, *proof.EnergyBound) {
	c := &proof.EnergyBound{Objective: o}
	if refute(query.HardDues(js)) != nil {
		return 0, c
	}
	v, sh := climb(model.Time(known), func(v model.Time) *proof.Overload {
		sh := refute(query.AtMost(js, o, v))
		if sh != nil && o == model.Tardiness && len(proof.SoftOf(js, sh.Jobs)) == 0 {
			return nil
		}
		return sh
	})
	if sh == nil {
		return 0, c
	}
	c.Value = int64(v) + 1
	if o != model.Tardiness {
		v = 0
	}
	c.Add(sh, v)
	return c.Value, c
}

// fetches reports whether some task has input to fetch.
func fetches(js *model.JobSet) bool {
	return slices.ContainsFunc(js.Tasks, func(t model.Task) bool {
		for s := range model.SlaveID(len(js.Slaves)) {
			if t.WCET(s) > 0 && t.Transfer(s) > 0 {
				return true
			}
		}
		return false
	})
}

// idleGroups are what slots or cores of g stand idle whichever of the tasks that are due are counted: items that
// do not move.
func (p *problem) idleGroups(g subset, r proof.Resource) []group {
	var jobs []model.JobID
	for i := range p.tasks {
		jobs = append(jobs, p.js.Tasks[p.tasks[i].id].Job)
	}
	var out []group
	p.eachIdle(slices.Compact(jobs), g.slaves, r, func(iv model.Interval, units int64) {
		out = append(out, group{item{length: iv.Len(), firstEnd: iv.End, lastStart: iv.Start}, units})
	})
	return out
}

// idle is what slots or cores stand idle inside iv while the first inputs of jobs are fetched.
func (p *problem) idle(jobs []model.JobID, slaves mask, r proof.Resource, iv model.Interval) int64 {
	total := int64(0)
	p.eachIdle(jobs, slaves, r, func(idle model.Interval, units int64) { total += units * int64(idle.Intersect(iv).Len()) })
	return total
}

// eachIdle goes over the stretches for which slots or cores of slaves stand idle while the first inputs of
// jobs are fetched, with the number of those that do.
func (p *problem) eachIdle(jobs []model.JobID, slaves mask, r proof.Resource, do func(model.Interval, int64)) {
	slots := r == proof.SlotTicks || r == proof.MapSlotTicks || r == proof.ReduceSlotTicks
	if !p.countsIdle || r != proof.CoreTicks && !(slots && p.js.Heartbeat == 1) {
		return
	}
	release := model.Never
	for _, i := range jobs {
		release = min(release, p.js.Jobs[i].Release)
	}
	for _, s := range slaves.slaves(len(p.js.Slaves)) {
		transfers := p.transfers(jobs, s, r)
		if len(p.js.Slaves[s].Down) > 0 || len(transfers) == 0 {
			continue
		}
		_, begin := p.js.BeatAtOrAfter(s, release)
		if slots {
			transfers = slices.Insert(transfers, 0, 0) // the first slot is taken at once
		}
		end, left := begin, p.units[s][r]
		for k := 0; k < len(transfers) && left > 0; k++ {
			n := int64(1)
			if k+1 == len(transfers) {
				n = left // no task is left that could take one
			}
			if end, left = end+transfers[k], left-n; end > begin {
				do(model.Interval{Start: begin, End: end}, n)
			}
		}
	}
}

// transfers of the tasks of jobs to a slave that can run them, the shortest first; none where one of them takes
// several cores of those that are counted.
func (p *problem) transfers(jobs []model.JobID, s model.SlaveID, r proof.Resource) []model.Time {
	var out []model.Time
	for _, i := range jobs {
		for t := p.js.Jobs[i].First; t < p.js.Jobs[i].End; t++ {
			task := &p.js.Tasks[t]
			if task.WCET(s) == 0 {
				continue
			}
			if r == proof.CoreTicks && r.Need(p.js, task, s) > 1 {
				return nil
			}
			out = append(out, task.Transfer(s))
		}
	}
	slices.Sort(out)
	return out
}
