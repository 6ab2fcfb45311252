package inference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/model/proof"
)

// Surplus recomputes an argument by multipliers (see [proof.DualBound]) for jobs
// that are to finish by due (absolute; only of jobs with a penalty): the surplus of
// what they pay over what everything that has a price is worth, which may be
// negative. Whatever the plan, the penalties of the jobs that do not finish by due
// add up to the surplus at least. The error says what is wrong with the multipliers
// themselves; where the recheck is a long one it may be that of ctx. The cost is
// kinds of tasks × slaves × ticks of the job's window, but for stages of several
// tasks between two others, which take up to 4 million steps in place of ticks.
func Surplus(ctx context.Context, js *model.JobSet, due []model.Time, d *proof.DualBound) (surplus int64, err error) {
	return bound(&pace{ctx: ctx}, Series(js), due, d, nil)
}

// LeastCosts works out, for jobs that are to finish by due (absolute; model.Never for
// jobs that play no part), what each pays at least at the multipliers, and what
// everything that has a price is worth. In every plan the jobs that do finish by due
// pay no more than that between them, so that the costs of the others make up for
// the difference. Costs stop where they say that a job is late whatever others do.
// The error is as that of [Surplus].
func LeastCosts(ctx context.Context, js *model.JobSet, due []model.Time, multipliers []proof.Multiplier) (costs []int64, worth int64, err error) {
	if len(due) != len(js.Jobs) {
		return nil, 0, fmt.Errorf("%d due times for %d jobs", len(due), len(js.Jobs))
	}
	end := model.Time(0)
	for i, d := range due {
		if d < model.Never {
			end = max(end, d)
		}
		if d < 0 {
			return nil, 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, d)
		}
	}
	if end > mostDue {
		return nil, 0, fmt.Errorf("a job is due at %d", end)
	}
	js = Series(js)
	prices, worth, err := tariffOf(js, multipliers, end)
	if err != nil {
		return nil, 0, err
	}
	costs = make([]int64, len(js.Jobs))
	pace := &pace{ctx: ctx}
	for i, d := range due {
		if d < model.Never && pace.err == nil {
			p := subproblem{js: js, job: &js.Jobs[i], due: d, most: min(worth+1, mostPrice), prices: prices, steps: mostSteps, pace: pace}
			costs[i] = p.least()
		}
	}
	return costs, worth, pace.err
}

// bound is Surplus for plans in which tasks keep to their domains, by TaskID;
// nil for all plans.
func bound(pace *pace, js *model.JobSet, due []model.Time, d *proof.DualBound, left []domain) (surplus int64, err error) {
	if len(due) != len(js.Jobs) || len(d.Penalty) != len(js.Jobs) {
		return 0, fmt.Errorf("%d due times and %d penalties for %d jobs", len(due), len(d.Penalty), len(js.Jobs))
	}
	if err := payable(js, d.Late); err != nil {
		return 0, err
	}
	if err := bases(js, d.Base); err != nil {
		return 0, err
	}
	end, err := lastDue(js, due, d.Penalty)
	if err != nil {
		return 0, err
	}
	prices, worth, err := tariffOf(js, d.Multipliers, end)
	if err != nil {
		return 0, err
	}
	surplus = -worth
	for i, penalty := range d.Penalty {
		if penalty > 0 && pace.err == nil {
			p := subproblem{js: js, job: &js.Jobs[i], due: due[i], most: penalty, prices: prices, left: left, steps: mostSteps, pace: pace, base: d.Base}
			if d.Late != nil {
				p.late = d.Late[i]
			}
			surplus += p.least()
		}
	}
	return surplus, pace.err
}

// lastDue is when the last job that pays a penalty is due: an error unless every penalty and due time is within its bounds, and all
// penalties add up.
func lastDue(js *model.JobSet, due []model.Time, penalties []int64) (end model.Time, err error) {
	all := int64(0)
	for i, penalty := range penalties {
		if penalty < 0 || penalty > mostPrice {
			return 0, fmt.Errorf("a penalty of %d", penalty)
		}
		if penalty == 0 {
			continue
		}
		if due[i] < 0 || due[i] > mostDue {
			return 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, due[i])
		}
		end = max(end, due[i])
		if all += penalty; all > mostAdded {
			return 0, errors.New("the penalties are too high to add up")
		}
	}
	return end, nil
}

// Bounds that keep sums within an int64, and rechecks within bounds.
const (
	mostPrice = 1 << 36
	mostDue   = 1 << 22
	mostAdded = 1 << 60
)

// tariffOf puts the multipliers on what slaves have until end, and adds up
// what all that has a price is worth.
func tariffOf(js *model.JobSet, multipliers []proof.Multiplier, end model.Time) (prices *tariff, all int64, err error) {
	prices = newTariff(js, 0, end)
	takes, paid := largestTakes{}, int64(0)
	for i := range multipliers {
		m := &multipliers[i]
		if m.Value <= 0 || m.Value > mostPrice || m.Interval.Start < 0 || m.Interval.Start >= m.Interval.End || m.Interval.End > end {
			return nil, 0, fmt.Errorf("a multiplier of %d in %s", m.Value, intervalText(m.Interval))
		}
		if m.Slave == model.NoSlave {
			if all, err = putLimit(prices, m, all); err != nil {
				return nil, 0, err
			}
			if paid = plus(paid, takes.dearest(js, m.Shared, m.Interval, m.Value)); paid > mostAdded {
				return nil, 0, errors.New("a task may pay too much for pools and caps to add up")
			}
			continue
		}
		has, err := supplyOf(prices, m)
		if err != nil {
			return nil, 0, err
		}
		prices.put(m.Slave, has, m.Interval, m.Value)
		if all += worth(js, m.Slave, &has.Supply, m.Interval, m.Value); all > mostAdded {
			return nil, 0, errors.New("the multipliers are too high to add up")
		}
	}
	for s := range prices.lines {
		for k := range prices.lines[s] {
			prices.lines[s][k].addUp()
		}
	}
	prices.addUpShared()
	return prices, all, nil
}

// putLimit puts a multiplier on a pool or a cap, and adds what that is worth to all.
func putLimit(prices *tariff, m *proof.Multiplier, all int64) (int64, error) {
	if m.Shared < 0 || int(m.Shared) >= len(prices.js.Shared()) {
		return 0, fmt.Errorf("a multiplier on pool or cap %d", m.Shared)
	}
	prices.putShared(m.Shared, m.Interval, m.Value)
	if all = plus(all, worthOf(prices.js, m.Shared, m.Interval, m.Value)); all > mostAdded {
		return 0, errors.New("the multipliers are too high to add up")
	}
	return all, nil
}

// supplyOf finds what a multiplier is the price of.
func supplyOf(prices *tariff, m *proof.Multiplier) (*line, error) {
	if m.Slave < 0 || int(m.Slave) >= len(prices.lines) {
		return nil, fmt.Errorf("a multiplier on slave %d", m.Slave)
	}
	has := prices.on(m.Slave)
	k := slices.IndexFunc(has, func(l line) bool { return l.Resource == m.Resource })
	switch {
	case k < 0:
		return nil, fmt.Errorf("slave %s has no %s for a multiplier", prices.js.Slaves[m.Slave].Name, m.Resource)
	case has[k].Units > mostAdded/(m.Value*int64(1+m.Interval.Len())):
		return nil, errors.New("the multipliers are too high to add up")
	}
	return &has[k], nil
}

// subproblem is a job that pays for being late at most, in the windows that it has
// by itself.
type subproblem struct {
	js     *model.JobSet
	job    *model.Job
	due    model.Time
	most   int64
	prices *tariff
	left   []domain
	// steps bounds what a part of several tasks between two others takes (see mostSteps).
	steps model.Time
	pace  *pace
	// late is what the job pays for each tick that it ends after its deadline.
	late int64
	// base is what tasks of the first of several stages pay in any case, by TaskID; nil where each pays for itself alone.
	base []int64
}

// least is the least cost of the job, up to most.
func (p *subproblem) least() int64 {
	if p.due < p.job.Release {
		return p.most
	}
	parts := make([][]batch, len(p.job.Stages))
	ready := make([]model.Time, len(parts)+1)
	ready[0] = p.job.Release
	for k := range parts {
		if parts[k], ready[k+1] = p.stage(&p.job.Stages[k], ready[k]); ready[k+1] > p.due {
			return p.most
		}
	}
	r := &route{heartbeat: p.js.Heartbeat, from: p.job.Release, most: p.most, stop: p.pace.spend}
	if p.crowds(0) {
		r.crowd = func(part []batch, after []int64) []int64 { return p.inLanes(r, part, after) }
	}
	return r.cheapest(parts, p.atEnd(), func(k int) (anchor, step model.Time) {
		return ready[k], grain(p.js, 1+p.due-ready[k], p.steps)
	})
}

// atEnd gives, by the time at which its tasks end, what the job pays for being late, up to
// most: at least for the earliest end that is left to it.
func (p *subproblem) atEnd() []int64 {
	out, from := make([]int64, p.due-p.job.Release+1), model.Time(0)
	if p.left != nil {
		from = p.left[p.job.End-1].stageFrom
	}
	for k := range out {
		if t := max(from, p.job.Release+model.Time(k)); p.late > 0 && t > p.job.Due() {
			out[k] = min(p.most, p.late*int64(t-p.job.Due()))
		}
	}
	return out
}

// stage has the tasks of a stage that is handed out at ready at the earliest, and when it ends at the
// earliest: model.Never if it cannot end in time.
func (p *subproblem) stage(st *model.Stage, ready model.Time) (part []batch, end model.Time) {
	end = ready
	of := model.TaskID(-1)
	var in *domain // of the latest batch
	for t := st.First; t < st.End; t++ {
		left := &anywhere
		if p.left != nil {
			left = &p.left[t]
		}
		if of >= 0 && p.js.Alike(t, of) && left.equal(in) {
			part[len(part)-1].count++
			continue
		}
		b, first := batch{count: 1}, model.Never
		for s := range model.SlaveID(len(p.js.Slaves)) {
			for _, here := range p.stays(t, left, s, ready) {
				if p.crowds(p.js.Tasks[t].Stage) {
					b.stays = append(b.stays, here) // each slave has lanes of its own
				} else {
					b.with(here)
				}
				first = min(first, here.start.first+here.run)
			}
		}
		part, of, in, end = append(part, b), t, left, max(end, first)
	}
	return part, end
}

// stays are those of a task on a slave that is handed out at ready or later. There is none
// where nothing is left between bounds.
func (p *subproblem) stays(t model.TaskID, left *domain, s model.SlaveID, ready model.Time) (out []stay) {
	task := &p.js.Tasks[t]
	run := task.WCET(s)
	if run == 0 || left.bars(s) || p.pace.err != nil {
		return nil
	}
	transfer, slave := task.Transfer(s), &p.js.Slaves[s]
	from, c := max(ready, left.assignFrom), (*cost)(nil)
	d := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > from })
	for from < p.due {
		away := model.Interval{Start: model.Never, End: model.Never}
		if d < len(slave.Down) {
			away = slave.Down[d]
		}
		w := stay{slave: s, run: run, transfer: transfer, beat: slave.FirstBeat + beats(p.js, s, from)*p.js.Heartbeat}
		w.start.last = min(p.due, away.Start, left.finish.End) - run
		w.fetch = span{max(w.beat, left.fetch.Start), min(left.fetch.End, w.start.last-transfer)}
		w.start.first = max(w.fetch.first+transfer, left.finish.Start-run)
		if !w.fetch.empty() && !w.start.empty() {
			if c == nil {
				c = p.prices.costOf(t, s)
			}
			w.cost = c
			p.pace.spend(int(w.start.last - w.fetch.first))
			out = append(out, w)
		}
		from = max(from, away.End)
		d++
	}
	return out
}

// pace asks a context now and then whether to go on with a long recheck. A short one
// comes to its end whatever the context says.
type pace struct {
	ctx   context.Context
	steps int
	// err is the context's, once it has been asked and is done.
	err error
}

// stride is the number of steps between two looks at a context, some milliseconds.
const stride = 1 << 20

// spend counts steps, and reports whether the context was found to be done.
func (p *pace) spend(steps int) bool {
	if p.err != nil {
		return true
	}
	if p.steps += steps; p.steps >= stride {
		p.steps, p.err = 0, p.ctx.Err()
	}
	return p.err != nil
}
