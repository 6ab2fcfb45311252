package lagrange

import (
	"slices"

	"downbeat/model"
)

// charge has jobs pay by other rules from now on.
func (d *dueTimes) charge(c charges) {
	r := d.p.lagrangian
	r.penalty, r.late, r.short, r.Largest, r.Base = c.penalty, c.late, c.short, 0, 0
	for j := range r.jobs {
		b := &r.jobs[j]
		b.penalty = c.penalty[b.id]
		b.pay(&c, &r.js.Jobs[b.id])
		r.Largest = max(r.Largest, b.penalty)
	}
}

// ascendLateness looks for multipliers at which jobs that end within a box pay as much as can be beyond what all capacities are worth, for lateness
// as well: that is value, and more than what is allowed refutes the box. start are multipliers near them, of a wider box, or
// nil; ends tells when jobs end at those that come after a third of the steps, base what tasks in lanes pay in any case.
func (d *dueTimes) ascendLateness(b box, pay *lateness, start []int64) (multipliers, base []int64, value int64, ends []meanEnd) {
	defer d.narrow(b.last)()
	defer d.charge(d.inTime)
	d.charge(pay.charges)
	for j := range d.p.jobs {
		job := &d.p.jobs[j]
		if job.late > 0 && b.from[j] > job.deadline {
			d.p.Base += job.paid(b.from[j])
			job.deadline, job.short = b.from[j], 0
		}
	}
	steps, factor := latenessSteps, warmFactor
	if start == nil {
		start, steps, factor = make([]int64, len(d.p.Multipliers)), DefaultSteps, 1
	}
	copy(d.p.Multipliers, start)
	a := d.p.Ascend(steps)
	a.Factor = factor
	at := make([][]model.Time, len(d.jobs))
	goesOn := func() bool {
		return float64(a.Taken) < mostSteps*float64(steps) || withinReach(a, pay.allowed, mostPaid*float64(pay.allowed))
	}
	for a.Taken < steps && goesOn() && a.Run(d.p.ctx, 1, 1+pay.allowed, pay.target()) {
		if a.Taken > steps/3 {
			for j := range at {
				at[j] = append(at[j], max(b.from[j], d.p.jobs[j].end))
			}
		}
	}
	d.p.spent += (1 + a.Taken) * (1 + d.p.lagrangian.size)
	d.p.steps += a.Taken
	for j := range at {
		ends = append(ends, meanOf(at[j]))
	}
	return slices.Clone(a.Best), d.p.basesAt(a.Best), a.Value, ends
}

// latenessSteps are those for multipliers at which jobs pay for lateness, from those of a wider box: of 200 fewer boxes are split, and
// refutations take as long.
const latenessSteps = 150

// lateness is what jobs pay for it.
type lateness struct {
	charges
	// most is what each pays at most for its tasks and for lateness together, by JobID.
	most []int64
	// shift is by which power of 2 a tick of weight 1 is scaled, allowed what may be paid.
	shift   int
	allowed int64
}

// newLateness is that for a weighted tardiness up to most of a set as it is looked at.
func newLateness(in *coarse, most int64) *lateness {
	c, allowed, _ := weighted(in.of, most)
	l := &lateness{charges: in.charges(c), shift: tickShift(most), allowed: allowed}
	for _, penalty := range c.penalty {
		if penalty > 0 {
			penalty += allowed
		}
		l.most = append(l.most, penalty)
	}
	return l
}

// target is what steps are long for: of five values of 40 and 60 tasks refutations took the least with three to four times what is allowed, half as
// much again with twice, two to four times with eight times.
func (l *lateness) target() int64 { return 1 + 3*l.allowed }

// mostPaid times the factor of a step, and what is allowed, is still gained at most: of 370 boxes of 40 and 60 tasks that were refuted after 100 of
// 150 steps or more none was further off then, of 1,097 that were not 928 were.
const mostPaid = 8

// meanEnd is when a job ended in the mean over some steps, and the sum of the distances from that.
type meanEnd struct {
	at     model.Time
	spread int64
}

func meanOf(times []model.Time) (m meanEnd) {
	for _, t := range times {
		m.at += t
	}
	m.at /= model.Time(max(1, len(times)))
	for _, t := range times {
		m.spread += int64(max(t-m.at, m.at-t))
	}
	return m
}
