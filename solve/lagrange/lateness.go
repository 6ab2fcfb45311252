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
// nil; ends tells when jobs end at the latest ones.
func (d *dueTimes) ascendLateness(b box, pay *lateness, start []int64) (multipliers []int64, value int64, ends *meanEnds) {
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
	ends = &meanEnds{sum: make([]int64, len(d.jobs)), at: make([][]model.Time, len(d.jobs))}
	for a.Taken < steps && a.Run(d.p.ctx, 1, 1+pay.allowed, pay.target()) {
		if a.Taken > steps/2 {
			ends.note(d.p.jobs, b.from)
		}
	}
	d.p.spent += (1 + a.Taken) * (1 + d.p.lagrangian.size)
	d.p.steps += a.Taken
	return slices.Clone(a.Best), a.Value, ends
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

// meanEnds are when jobs ended over some steps, by their numbers.
type meanEnds struct {
	sum []int64
	at  [][]model.Time
}

// note adds those of one more step, none before from.
func (m *meanEnds) note(jobs []subproblem, from []model.Time) {
	for j := range jobs {
		at := max(from[j], jobs[j].end)
		m.sum[j] += int64(at)
		m.at[j] = append(m.at[j], at)
	}
}

// spread is the mean end of a job, and the sum of the distances from it.
func (m *meanEnds) spread(j int) (mean model.Time, spread int64) {
	mean = model.Time(m.sum[j] / int64(max(1, len(m.at[j]))))
	for _, at := range m.at[j] {
		spread += int64(max(at-mean, mean-at))
	}
	return mean, spread
}
