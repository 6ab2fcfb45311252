package inference

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	if end > dualMostTicks {
		return nil, 0, fmt.Errorf("a job is due at %d", end)
	}
	js = Series(js)
	prices, worth, err := dualPriced(js, multipliers, end)
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
	end, all := model.Time(0), int64(0)
	for i, penalty := range d.Penalty {
		if penalty < 0 || penalty > mostPrice {
			return 0, fmt.Errorf("a penalty of %d", penalty)
		}
		if penalty == 0 {
			continue
		}
		if due[i] < 0 || due[i] > dualMostTicks {
			return 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, due[i])
		}
		end = max(end, due[i])
		if all += penalty; all > dualMostWorth {
			return 0, errors.New("the penalties are too high to add up")
		}
	}
	prices, worth, err := dualPriced(js, d.Multipliers, end)
	if err != nil {
		return 0, err
	}
	surplus = -worth
	for i, penalty := range d.Penalty {
		if penalty > 0 && pace.err == nil {
			p := subproblem{js: js, job: &js.Jobs[i], due: due[i], most: penalty, prices: prices, left: left, steps: mostSteps, pace: pace}
			if d.Late != nil {
				p.late = d.Late[i]
			}
			surplus += p.least()
		}
	}
	return surplus, pace.err
}

// Bounds that keep sums within an int64, and rechecks within bounds.
const (
	mostPrice     = 1 << 36
	dualMostTicks = 1 << 22
	dualMostWorth = 1 << 60
	mostSteps     = 1 << 22 // see subproblem
)

// supply is what a slave has of a resource, with its prices.
type supply struct {
	model.Supply
	// sums are the prices of the ticks before each, added up, those of what is held
	// from a heartbeat at the ticks of heartbeats; nil where there are none.
	sums []int64
}

// dualPriced puts the multipliers on what slaves have, by SlaveID, until end, and adds up
// what all that has a price is worth.
func dualPriced(js *model.JobSet, multipliers []proof.Multiplier, end model.Time) (supplies [][]supply, worth int64, err error) {
	supplies = make([][]supply, len(js.Slaves))
	for s := range supplies {
		for _, has := range js.Supplies(model.SlaveID(s)) {
			supplies[s] = append(supplies[s], supply{Supply: has})
		}
	}
	for i := range multipliers {
		m := &multipliers[i]
		has, err := supplyOf(js, supplies, m, end)
		if err != nil {
			return nil, 0, err
		}
		if worth += has.put(js, m, end); worth > dualMostWorth {
			return nil, 0, errors.New("the multipliers are too high to add up")
		}
	}
	for s := range supplies {
		for k := range supplies[s] {
			for t, sum := 0, int64(0); t < len(supplies[s][k].sums); t++ {
				price := supplies[s][k].sums[t]
				supplies[s][k].sums[t] = sum
				sum += price
			}
		}
	}
	return supplies, worth, nil
}

// supplyOf finds what a multiplier is the price of.
func supplyOf(js *model.JobSet, supplies [][]supply, m *proof.Multiplier, end model.Time) (*supply, error) {
	if m.Slave < 0 || int(m.Slave) >= len(supplies) {
		return nil, fmt.Errorf("a multiplier on slave %d", m.Slave)
	}
	if m.Value <= 0 || m.Value > mostPrice || m.Interval.Start < 0 || m.Interval.End > end {
		return nil, fmt.Errorf("a multiplier of %d in [%d, %d)", m.Value, m.Interval.Start, m.Interval.End)
	}
	for k := range supplies[m.Slave] {
		has := &supplies[m.Slave][k]
		if has.Resource != m.Resource {
			continue
		}
		if has.Units > dualMostWorth/(m.Value*int64(1+m.Interval.Len())) {
			return nil, errors.New("the multipliers are too high to add up")
		}
		return has, nil
	}
	return nil, fmt.Errorf("slave %s has no %s for a multiplier", js.Slaves[m.Slave].Name, m.Resource)
}

// put adds a multiplier to the prices, not yet added up, and tells its worth.
func (p *supply) put(js *model.JobSet, m *proof.Multiplier, end model.Time) (worth int64) {
	if p.sums == nil {
		p.sums = make([]int64, end+1)
	}
	for t := m.Interval.Start; t < m.Interval.End; t++ {
		if p.Hold != model.HoldStay || isBeat(js, m.Slave, t) {
			p.sums[t] += m.Value
			worth += p.Units * m.Value
		}
	}
	return worth
}

func isBeat(js *model.JobSet, s model.SlaveID, t model.Time) bool {
	first := js.Slaves[s].FirstBeat
	return t >= first && (t-first)%js.Heartbeat == 0
}

// subproblem is a job on its cheapest way through the cluster.
type subproblem struct {
	js     *model.JobSet
	job    *model.Job
	due    model.Time
	most   int64
	prices [][]supply
	left   []domain
	// steps bounds, for a dualStage of several tasks between two others, the times at
	// which it is taken to be handed out, times the ticks in which it may end.
	steps int
	pace  *pace
	// late is what the job pays for each tick that it ends after its deadline.
	late int64
}

// least is the least cost of the job, up to most.
func (p *subproblem) least() int64 {
	if p.due < p.job.Release {
		return p.most
	}
	stages := make([]dualStage, len(p.job.Stages))
	ready := p.job.Release
	for k := range stages {
		stages[k] = p.stage(&p.job.Stages[k], ready)
		if ready = stages[k].end; ready > p.due {
			return p.most
		}
	}
	after := p.atEnd()
	for k := len(stages) - 1; k >= 0; k-- {
		switch st := &stages[k]; {
		case st.alone() || k == len(stages)-1 && p.late == 0:
			after = p.oneByOne(st, after)
		case k == 0:
			after = p.together(st, after, 1+p.due-st.ready)
		default:
			window := 1 + p.due - st.ready
			after = p.together(st, after, 1+window/(1+model.Time(p.steps)/window))
		}
	}
	return after[p.job.Release]
}

// atEnd gives, by the time at which the job ends, what it pays for being late, up to
// most.
func (p *subproblem) atEnd() []int64 {
	out := make([]int64, p.due+1)
	for end := range out {
		if t := model.Time(end); p.late > 0 && t > p.job.Due() {
			out[end] = min(p.most, p.late*int64(t-p.job.Due()))
		}
	}
	return out
}

// dualStage is what a job's dualStage comes to when the job is alone.
type dualStage struct {
	groups []group
	// ready is when it is handed out, and end when it ends, at the earliest; end is
	// model.Never if it cannot end in time. shortest is the least time between.
	ready, end, shortest model.Time
}

// alone tells that the dualStage has a single task.
func (st *dualStage) alone() bool { return len(st.groups) == 1 && st.groups[0].count == 1 }

// group is a number of equal tasks.
type group struct {
	task  *model.Task
	left  *domain
	count int64
	// cost, by SlaveID, is what a task pays there.
	cost []cost
}

// dualStage looks at a dualStage that is handed out at ready at the earliest.
func (p *subproblem) stage(st *model.Stage, ready model.Time) dualStage {
	out := dualStage{ready: ready, end: ready}
	for t := st.First; t < st.End; t++ {
		task, left := &p.js.Tasks[t], &anywhere
		if p.left != nil {
			left = &p.left[t]
		}
		if n := len(out.groups); n > 0 && task.Alike(out.groups[n-1].task) && left.equal(out.groups[n-1].left) {
			out.groups[n-1].count++
			continue
		}
		g := group{task: task, left: left, count: 1}
		end, shortest := model.Never, model.Never
		for s := range model.SlaveID(len(p.prices)) {
			g.cost = append(g.cost, p.costOf(task, s))
			p.placements(&g, s, model.Interval{Start: ready, End: p.due}, func(w *placements) {
				end = min(end, w.firstFinish)
				shortest = min(shortest, w.hold)
			})
		}
		out.end, out.shortest = max(out.end, end), max(out.shortest, shortest)
		out.groups = append(out.groups, g)
	}
	return out
}

// cost adds up, for a task on a slave, the prices of all that it holds in the same
// way, by model.Hold; nil where it holds nothing that has a price.
type cost [model.HoldStay + 1][]int64

func (p *subproblem) costOf(task *model.Task, s model.SlaveID) (sums cost) {
	for k := range p.prices[s] {
		has := &p.prices[s][k]
		need := p.js.Need(task, s, has.Resource)
		switch {
		case need == 0 || need > has.Units || has.sums == nil:
		case need == 1 && sums[has.Hold] == nil:
			sums[has.Hold] = has.sums
		default:
			sums[has.Hold] = dualPlus(sums[has.Hold], has.sums, need)
		}
	}
	return sums
}

// dualPlus is a, nil for zeros, and times b.
func dualPlus(a, b []int64, times int64) []int64 {
	out := make([]int64, len(b))
	copy(out, a)
	for t := range b {
		out[t] += times * b[t]
	}
	return out
}

// of is the cost of holding in the way of h from one time to another.
func (c *cost) of(h model.Hold, from, to model.Time) int64 {
	if c[h] == nil {
		return 0
	}
	return c[h][to] - c[h][from]
}

// placements are those of a task on a slave, by itself, during one of its presences.
// Multipliers are not negative, so a task is best handed out at the last heartbeat
// before its fetch.
type placements struct {
	*group
	slave model.SlaveID
	// wcet and hold are the times for which it runs, and holds a slot at least.
	wcet, hold model.Time
	// beat is the first heartbeat that may hand it out.
	beat model.Time
	// firstFetch and lastFetch bound the start of its fetch, firstFinish and
	// lastFinish its end; it finishes at lastFetch+hold at the dualLatest whatever its
	// other domains.
	firstFetch, lastFetch, firstFinish, lastFinish model.Time
}

// placements yields the placements of a task of a group on a slave, presence by
// presence, handed out within a period. There is none where there is nothing between
// bounds.
func (p *subproblem) placements(g *group, s model.SlaveID, handOut model.Interval, yield func(*placements)) {
	wcet := g.task.WCET(s)
	if wcet == 0 || g.left.bars(s) || p.pace.err != nil {
		return
	}
	hold := g.task.Transfer(s) + wcet
	slave, h := &p.js.Slaves[s], p.js.Heartbeat
	nextBeat := func(t model.Time) model.Time { return slave.FirstBeat + max(0, t-slave.FirstBeat+h-1)/h*h }
	from := max(handOut.Start, g.left.assignFrom)
	until := nextBeat(handOut.End) // the first beat that is too late
	d := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > from })
	for from < handOut.End {
		away := model.Interval{Start: model.Never, End: model.Never}
		if d < len(slave.Down) {
			away = slave.Down[d]
		}
		w := placements{group: g, slave: s, wcet: wcet, hold: hold, beat: nextBeat(from)}
		w.lastFinish = min(p.due, away.Start, g.left.finish.End)
		w.firstFetch, w.lastFetch = max(w.beat, g.left.fetch.Start), min(g.left.fetch.End, w.lastFinish-hold, until-1)
		w.firstFinish = max(w.firstFetch+hold, g.left.finish.Start)
		if w.beat < until && w.firstFetch <= w.lastFetch && w.firstFinish <= w.lastFinish {
			p.pace.spend(int(w.lastFinish - w.firstFetch))
			yield(&w)
		}
		from = max(from, away.End)
		d++
	}
}

// oneByOne gives, by time, the least cost, up to most, of a dualStage that is handed out
// at that time or later and of what comes after; after gives the latter by the time
// at which the dualStage ends. It is for stages whose tasks do not wait for each other:
// nothing comes after, or there is one only.
func (p *subproblem) oneByOne(st *dualStage, after []int64) []int64 {
	from := make([]int64, p.due+1)
	for i := range st.groups {
		g := &st.groups[i]
		begins := p.dear()
		for s := range model.SlaveID(len(p.prices)) {
			p.placements(g, s, model.Interval{Start: st.ready, End: p.due}, func(w *placements) {
				w.begins(p.js.Heartbeat, after, begins)
			})
		}
		least := p.most
		for t := p.due; t >= p.job.Release; t-- {
			least = min(least, begins[t])
			from[t] = min(p.most, from[t]+g.count*least)
		}
	}
	return from
}

// together is oneByOne for several tasks with something after. What they cost by the
// end of the dualStage is another matter for each time at which it is handed out. It is
// worked out for every step-th of these, and taken to be no more in between: a lower
// bound, as is what the dualStage costs if it is handed out freely and only its
// shortest time counts. The greater of the two is given.
func (p *subproblem) together(st *dualStage, after []int64, step model.Time) []int64 {
	ends := make([][]int64, len(st.groups))
	for i := range ends {
		ends[i] = p.dear()
	}
	total, from := p.dear(), make([]int64, p.due+1)
	least := p.most
	for at := st.ready + (p.due-st.ready)/step*step; at >= st.ready && p.pace.err == nil; at -= step {
		if p.handOut(st, model.Interval{Start: at, End: min(at+step, p.due)}, ends) {
			p.add(st, ends, at, total)
			least = p.most
			for end := at; end <= p.due; end++ {
				least = min(least, total[end]+after[end])
			}
		}
		for t := at; t < min(at+step, p.due+1); t++ {
			from[t] = least
		}
	}
	least = p.most
	for t := p.due; t >= p.job.Release; t-- {
		if end := t + st.shortest; end <= p.due {
			least = min(least, total[end]+after[end])
		}
		from[t] = max(from[t], least)
	}
	return from
}

// dear is the most that a job pays, at every time.
func (p *subproblem) dear() []int64 { return slices.Repeat([]int64{p.most}, int(p.due)+1) }

// handOut lowers the costs of tasks by their finish, one list per group of a dualStage,
// to those of placements that are handed out within a period. It reports whether
// there are any.
func (p *subproblem) handOut(st *dualStage, period model.Interval, ends [][]int64) bool {
	some := false
	for i := range st.groups {
		for s := range model.SlaveID(len(p.prices)) {
			p.placements(&st.groups[i], s, period, func(w *placements) {
				w.ends(p.js.Heartbeat, ends[i])
				some = true
			})
		}
	}
	return some
}

// add works out what all tasks of a dualStage cost together, up to most, by its end,
// from a time on.
func (p *subproblem) add(st *dualStage, ends [][]int64, from model.Time, total []int64) {
	p.pace.spend(len(ends) * int(p.due-from))
	clear(total[from:])
	for i := range st.groups {
		least := p.most
		for t := from; t <= p.due; t++ {
			least = min(least, ends[i][t])
			total[t] = min(p.most, total[t]+st.groups[i].count*least)
		}
	}
}

// dualNever is a cost above all others; sums with a few of those do not overflow.
const dualNever = math.MaxInt64 / 4

// ends lowers the costs of a task, by its finish, to those of the placements.
func (w *placements) ends(heartbeat model.Time, cheapest []int64) {
	cost := &w.cost[w.slave]
	held, beat := int64(dualNever), w.firstFetch-(w.firstFetch-w.beat)%heartbeat
	for finish := w.firstFetch + w.hold; finish <= w.lastFinish; finish++ {
		if fetch := finish - w.hold; fetch <= w.lastFetch {
			if fetch == beat+heartbeat {
				beat = fetch
			}
			held = min(held, cost.of(model.HoldFetch, fetch, finish-w.wcet)-cost.of(model.HoldStay, 0, beat))
		}
		if finish >= w.firstFinish {
			cheapest[finish] = min(cheapest[finish], held+w.running(cost, finish))
		}
	}
}

// begins lowers the costs of a task and what comes after, by when it is handed out,
// to those of the placements.
func (w *placements) begins(heartbeat model.Time, after, cheapest []int64) {
	cost := &w.cost[w.slave]
	right, beat := int64(dualNever), w.lastFetch-(w.lastFetch-w.beat)%heartbeat
	for finish := w.lastFinish; finish >= w.firstFetch+w.hold; finish-- {
		if finish >= w.firstFinish {
			right = min(right, w.running(cost, finish)+after[finish])
		}
		if fetch := finish - w.hold; fetch <= w.lastFetch {
			if fetch < beat {
				beat -= heartbeat
			}
			begun := cost.of(model.HoldFetch, fetch, finish-w.wcet) - cost.of(model.HoldStay, 0, beat)
			cheapest[beat] = min(cheapest[beat], begun+right)
		}
	}
}

// running is what a task that finishes at a time pays for its run, and for its stay
// from time 0 on.
func (w *placements) running(cost *cost, finish model.Time) int64 {
	return cost.of(model.HoldRun, finish-w.wcet, finish) + cost.of(model.HoldStay, 0, finish)
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

// spend counts steps.
func (p *pace) spend(steps int) {
	if p.steps += steps; p.steps >= stride {
		p.steps, p.err = 0, p.ctx.Err()
	}
}
