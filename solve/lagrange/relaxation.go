package lagrange

import (
	"context"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/model/window"
)

// lagrangian is the question whether jobs can finish in time, with the capacity
// constraints moved into the objective at multipliers.
type lagrangian struct {
	// ctx cuts values short: one takes long where ticks are fine.
	ctx context.Context
	js  *model.JobSet
	*rows
	charges
	jobs []subproblem
	// slack is by how much longer than is counted tasks may take, where times are rounded down (see coarse).
	slack model.Time
	// tables are what lanes of all jobs are worked out in, by slave.
	tables []laneTable
	// size is the number of starts to look at, over all groups and slaves.
	size int
}

// newLagrangian sets up the question whether jobs can finish by due. Jobs that are
// late alone are rejected whatever the multipliers: their penalties are paid in
// any case, and no subproblems stand for them. Jobs are taken for sequences of stages:
// the relaxation is one of the series of js.
func newLagrangian(ctx context.Context, js *model.JobSet, c charges) *lagrangian {
	js = query.Series(js)
	r := &lagrangian{ctx: ctx, js: js, charges: c}
	dues := make([]model.Time, len(c.due))
	end, largest, late := model.Time(0), int64(0), int64(0)
	for i := range dues {
		dues[i] = model.Never
		if c.penalty[i] > 0 {
			dues[i] = c.due[i]
			end = max(end, c.due[i])
			largest = max(largest, c.penalty[i])
		}
	}
	r.rows = newRows(ctx, js, end, r)
	single, lateness := make([]int64, end+1), make([]int64, end+1)
	w := window.Compute(js, dues)
	for i := range js.Jobs {
		switch {
		case c.penalty[i] == 0:
		case w.IsLate(model.JobID(i)):
			late += c.penalty[i]
		default:
			r.jobs = append(r.jobs, r.newSubproblem(model.JobID(i), w, single, lateness))
		}
	}
	r.Largest, r.Base = largest, late
	return r
}

func (r *lagrangian) newSubproblem(id model.JobID, w *window.Windows, single, lateness []int64) subproblem {
	b := subproblem{ctx: r.ctx, rows: r.rows, id: id, penalty: r.penalty[id], first: r.end, single: single, lateness: lateness}
	job := &r.js.Jobs[id]
	if r.late != nil && r.late[id] > 0 {
		b.pay(&r.charges, job)
	}
	for si := range job.Stages {
		b.stages = append(b.stages, r.newStage(&job.Stages[si], w))
		if si+1 < len(job.Stages) {
			b.until = append(b.until, make([]int64, r.end+1))
		}
	}
	if r.lanes && len(b.stages) > 1 {
		b.stages[0].lanes = r.newLanes(&b.stages[0])
	}
	for k := range b.stages {
		for i := range b.stages[k].groups {
			for _, d := range b.stages[k].groups[i].domains {
				b.first, b.last = min(b.first, d.firstAssign), max(b.last, d.lastRun+d.wcet)
			}
		}
	}
	b.from = make([]int64, r.end+1)
	return b
}

func (r *lagrangian) newStage(st *model.Stage, w *window.Windows) stage {
	var out stage
	for t := st.First; t < st.End; t++ {
		if t > st.First && r.js.Alike(t, t-1) {
			out.groups[len(out.groups)-1].count++
			continue
		}
		g := group{1, r.newDomains(t, w)}
		out.groups = append(out.groups, g)
		shortest := model.Never
		for i := range g.domains {
			d := &g.domains[i]
			shortest = min(shortest, d.transfer+d.wcet)
			r.size += int(d.lastRun - d.firstAssign)
		}
		out.shortest = max(out.shortest, shortest)
	}
	out.alone = len(out.groups) == 1 && out.groups[0].count == 1
	return out
}

// newDomains are the placements of a task that its job's windows leave.
func (r *lagrangian) newDomains(t model.TaskID, w *window.Windows) []domain {
	var domains []domain
	task := &r.js.Tasks[t]
	for s := range model.SlaveID(len(r.js.Slaves)) {
		if !task.Eligible(s) || !w.Possible(t, s) {
			continue
		}
		span := w.Span(t, s)
		domains = append(domains, domain{
			slave: int32(s), wcet: task.WCET(s), transfer: task.Transfer(s),
			run: r.load(t, s, model.HoldRun), fetch: r.load(t, s, model.HoldFetch), stay: r.load(t, s, model.HoldStay),
			firstAssign: span.FirstFetch, lastFetch: span.LastStart, lastRun: span.LastStart,
		})
	}
	return domains
}

// Price implements relaxation.Columns.
func (r *lagrangian) Price() { r.sum() }

// Jobs implements relaxation.Columns.
func (r *lagrangian) Jobs() int { return len(r.jobs) }

// Pay implements relaxation.Columns.
func (r *lagrangian) Pay(job int) int64 {
	b := &r.jobs[job]
	if c := b.solve(); b.cost < b.penalty {
		b.selectPlacements(c)
	}
	return b.cost
}
