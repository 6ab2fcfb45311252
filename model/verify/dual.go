package verify

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// DualBound recomputes an argument by multipliers (see [proof.DualBound]) for jobs
// that are to finish by due (absolute; only of jobs with a penalty): the surplus of
// what they pay over what everything that has a price is worth, which may be
// negative. Whatever the plan, the penalties of the jobs that do not finish by due
// add up to the surplus at least. The error says what is wrong with the multipliers
// themselves. The cost is tasks × (slaves + ticks) × ticks of the job's window × the
// heartbeat interval at most.
func DualBound(js *model.JobSet, due []model.Time, d *proof.DualBound) (surplus int64, err error) {
	return dualBound(js, due, d, nil)
}

// LeastCosts works out, for jobs that are to finish by due (absolute; model.Never for
// jobs that play no part), what each pays at least at the multipliers, and what
// everything that has a price is worth. In every plan the jobs that do finish by due
// pay no more than that between them, so that the costs of the others make up for
// the difference. Costs stop where they say that a job is late whatever others do.
func LeastCosts(js *model.JobSet, due []model.Time, multipliers []proof.Multiplier) (costs []int64, worth int64, err error) {
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
	if end > mostTicks {
		return nil, 0, fmt.Errorf("a job is due at %d", end)
	}
	prices, worth, err := priced(js, multipliers, end)
	if err != nil {
		return nil, 0, err
	}
	costs = make([]int64, len(js.Jobs))
	for i, d := range due {
		if d < model.Never {
			p := subproblem{js: js, job: &js.Jobs[i], due: d, most: min(worth+1, mostPrice), prices: prices}
			costs[i] = p.least()
		}
	}
	return costs, worth, nil
}

// dualBound is DualBound for plans in which tasks keep to their domains, by TaskID;
// nil for all plans.
func dualBound(js *model.JobSet, due []model.Time, d *proof.DualBound, left []domain) (surplus int64, err error) {
	if len(due) != len(js.Jobs) || len(d.Penalty) != len(js.Jobs) {
		return 0, fmt.Errorf("%d due times and %d penalties for %d jobs", len(due), len(d.Penalty), len(js.Jobs))
	}
	end, all := model.Time(0), int64(0)
	for i, penalty := range d.Penalty {
		if penalty < 0 || penalty > mostPrice {
			return 0, fmt.Errorf("a penalty of %d", penalty)
		}
		if penalty == 0 {
			continue
		}
		if due[i] < 0 || due[i] > mostTicks {
			return 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, due[i])
		}
		end = max(end, due[i])
		if all += penalty; all > mostWorth {
			return 0, errors.New("the penalties are too high to add up")
		}
	}
	prices, worth, err := priced(js, d.Multipliers, end)
	if err != nil {
		return 0, err
	}
	surplus = -worth
	for i, penalty := range d.Penalty {
		if penalty > 0 {
			p := subproblem{js: js, job: &js.Jobs[i], due: due[i], most: penalty, prices: prices, left: left}
			surplus += p.least()
		}
	}
	return surplus, nil
}

// Bounds that keep sums within an int64.
const (
	mostPrice = 1 << 36
	mostTicks = 1 << 20
	mostWorth = 1 << 60
)

// supply is what a slave has of a resource, with its prices.
type supply struct {
	model.Supply
	// sums are the prices of the ticks before each, added up, those of what is held
	// from a heartbeat at the ticks of heartbeats; nil where there are none.
	sums []int64
}

// priced puts the multipliers on what slaves have, by SlaveID, until end, and adds up
// what all that has a price is worth.
func priced(js *model.JobSet, multipliers []proof.Multiplier, end model.Time) (supplies [][]supply, worth int64, err error) {
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
		if worth += has.put(js, m, end); worth > mostWorth {
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
		return nil, fmt.Errorf("a multiplier of %d in %s", m.Value, span(m.Interval))
	}
	for k := range supplies[m.Slave] {
		has := &supplies[m.Slave][k]
		if has.Resource != m.Resource {
			continue
		}
		if has.Units > mostWorth/(m.Value*int64(1+m.Interval.Len())) {
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
}

// least is the least cost of the job, up to most.
func (p *subproblem) least() int64 {
	if p.due < p.job.Release {
		return p.most
	}
	after := make([]int64, p.due+1)
	for k := len(p.job.Stages) - 1; k >= 0; k-- {
		after = p.through(&p.job.Stages[k], after)
	}
	return after[p.job.Release]
}

// through gives, by time, the least cost, up to most, of a stage that is handed
// out at that time or later and of what comes after; after gives the latter by
// the time at which the stage ends.
func (p *subproblem) through(st *model.Stage, after []int64) []int64 {
	groups := p.groups(st)
	from := make([]int64, p.due+1)
	total := make([]int64, p.due+1)
	for ready := p.due; ready >= p.job.Release; ready-- {
		clear(total)
		for i := range groups {
			p.handOut(&groups[i], ready)
			best := p.most
			for end, cost := range groups[i].cheapest {
				best = min(best, cost)
				total[end] = min(p.most, total[end]+groups[i].count*best)
			}
		}
		from[ready] = p.most
		for end := ready; end <= p.due; end++ {
			from[ready] = min(from[ready], total[end]+after[end])
		}
	}
	return from
}

// group is a number of equal tasks.
type group struct {
	task  *model.Task
	left  *domain
	count int64
	// cost, by SlaveID, is what a task pays there.
	cost []cost
	// cheapest is the least cost of one task by its finish, up to most.
	cheapest []int64
}

func (p *subproblem) groups(st *model.Stage) []group {
	var groups []group
	for t := st.First; t < st.End; t++ {
		task, left := &p.js.Tasks[t], &anywhere
		if p.left != nil {
			left = &p.left[t]
		}
		if n := len(groups); n > 0 && task.Profile == groups[n-1].task.Profile && left.equal(groups[n-1].left) {
			groups[n-1].count++
			continue
		}
		g := group{task: task, left: left, count: 1, cheapest: make([]int64, p.due+1)}
		for end := range g.cheapest {
			g.cheapest[end] = p.most
		}
		for s := range p.prices {
			g.cost = append(g.cost, p.costOf(task, model.SlaveID(s)))
		}
		groups = append(groups, g)
	}
	return groups
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
			sums[has.Hold] = plus(sums[has.Hold], has.sums, need)
		}
	}
	return sums
}

// plus is a, nil for zeros, and times b.
func plus(a, b []int64, times int64) []int64 {
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

// handOut lowers the cost of tasks of a group to that of placements with a
// heartbeat at a time. Multipliers are not negative, so a task is best handed out
// at the last heartbeat before its fetch.
func (p *subproblem) handOut(g *group, beat model.Time) {
	for s := range model.SlaveID(len(p.js.Slaves)) {
		hold := holdTime(g.task, s)
		if hold == 0 || !isBeat(p.js, s, beat) || beat+hold > p.due || beat < g.left.assignFrom || g.left.bars(s) {
			continue
		}
		limit := p.due
		if d, away := firstAbsence(&p.js.Slaves[s], model.Interval{Start: beat, End: limit}); away {
			limit = d.Start
		}
		limit = min(limit, g.left.finish.End)
		for fetch := max(beat, g.left.fetch.Start); fetch < beat+p.js.Heartbeat && fetch+hold <= limit && fetch <= g.left.fetch.End; fetch++ {
			g.fetchAt(s, beat, fetch, limit)
		}
	}
}

// fetchAt is handOut for one slave, up to limit, and one start of the fetch.
func (g *group) fetchAt(s model.SlaveID, beat, fetch, limit model.Time) {
	wcet, ready, prices := g.task.WCET(s), fetch+g.task.Transfer(s), &g.cost[s]
	fetched := prices.of(model.HoldFetch, fetch, ready)
	for finish := max(ready+wcet, g.left.finish.Start); finish <= limit; finish++ {
		cost := fetched + prices.of(model.HoldStay, beat, finish) + prices.of(model.HoldRun, finish-wcet, finish)
		g.cheapest[finish] = min(g.cheapest[finish], cost)
	}
}
