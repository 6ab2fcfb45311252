package verify

import (
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/model/proof"
)

// DualBound recomputes an argument by prices (see [proof.DualBound]) for jobs that are
// to finish by due (absolute; only of jobs with a refusal): the surplus of what
// they pay over what there is to buy, which may be negative. Whatever the plan,
// the refusals of the jobs that do not finish by due add up to the surplus at
// least. The error says what is wrong with the prices themselves. The cost is
// tasks × (slaves + ticks) × ticks of the job's window × the heartbeat interval at most.
func DualBound(js *model.JobSet, due []model.Time, tf *proof.DualBound) (surplus int64, err error) {
	return tariff(js, due, tf, nil)
}

// LeastCosts works out, for jobs that are to finish by due (absolute; model.Never for
// jobs that play no part), what each pays at least at the prices of tolls, and what
// all that is on sale is worth. In every plan the jobs that do finish by due pay
// no more than that between them, so that the pays of the others make up for the
// difference. Pays stop where they say that a job is late whatever others do.
func LeastCosts(js *model.JobSet, due []model.Time, tolls []proof.Multiplier) (pays []int64, worth int64, err error) {
	end := model.Time(0)
	for _, d := range due {
		if d < model.Never {
			end = max(end, d)
		}
	}
	if end > mostTicks {
		return nil, 0, fmt.Errorf("a job is due at %d", end)
	}
	shops, worth, err := open(js, tolls, end)
	if err != nil {
		return nil, 0, err
	}
	pays = make([]int64, len(js.Jobs))
	for i, d := range due {
		switch most := min(worth+1, mostPrice); {
		case d >= model.Never:
		case d < js.Jobs[i].Release:
			pays[i] = most
		default:
			c := customer{js: js, job: &js.Jobs[i], due: d, most: most, shops: shops}
			pays[i] = c.least()
		}
	}
	return pays, worth, nil
}

// tariff is Tariff for plans in which tasks keep to leeways, by TaskID; nil for
// all plans.
func tariff(js *model.JobSet, due []model.Time, tf *proof.DualBound, left []leeway) (surplus int64, err error) {
	if len(due) != len(js.Jobs) || len(tf.Penalty) != len(js.Jobs) {
		return 0, fmt.Errorf("%d due times and %d refusals for %d jobs", len(due), len(tf.Penalty), len(js.Jobs))
	}
	end := model.Time(0)
	for i, r := range tf.Penalty {
		switch {
		case r < 0 || r > mostPrice:
			return 0, fmt.Errorf("a refusal of %d", r)
		case r > 0 && (due[i] < 0 || due[i] > mostTicks):
			return 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, due[i])
		case r > 0:
			end = max(end, due[i])
		}
	}
	shops, worth, err := open(js, tf.Multipliers, end)
	if err != nil {
		return 0, err
	}
	surplus = -worth
	for i, refusal := range tf.Penalty {
		switch {
		case refusal > 0 && due[i] < js.Jobs[i].Release:
			surplus += refusal
		case refusal > 0:
			c := customer{js: js, job: &js.Jobs[i], due: due[i], most: refusal, shops: shops, left: left}
			surplus += c.least()
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

// shop is what a slave sells, tick by tick; slots at the ticks of heartbeats.
type shop struct {
	core, fetch []int64
	slot        [2][]int64
}

func newShop(js *model.JobSet, s model.SlaveID, end model.Time) shop {
	sh := shop{core: make([]int64, end), fetch: make([]int64, end)}
	for p := range js.Slaves[s].Pools() {
		sh.slot[p] = make([]int64, end)
	}
	return sh
}

// open makes the shops of all slaves until end, with the prices put up.
func open(js *model.JobSet, tolls []proof.Multiplier, end model.Time) (shops []shop, worth int64, err error) {
	shops = make([]shop, len(js.Slaves))
	for s := range shops {
		shops[s] = newShop(js, model.SlaveID(s), end)
	}
	worth, err = putUp(js, shops, tolls, end)
	return shops, worth, err
}

// putUp puts up the prices and adds up what everything is worth at them.
func putUp(js *model.JobSet, shops []shop, tolls []proof.Multiplier, end model.Time) (worth int64, err error) {
	for _, toll := range tolls {
		if toll.Slave < 0 || int(toll.Slave) >= len(shops) {
			return 0, fmt.Errorf("a toll on slave %d", toll.Slave)
		}
		iv := toll.Interval
		if toll.Value <= 0 || toll.Value > mostPrice || iv.Start < 0 || iv.End > end {
			return 0, fmt.Errorf("a toll of %d in %s", toll.Value, span(iv))
		}
		prices, units, err := shelf(js, &shops[toll.Slave], toll)
		if err != nil {
			return 0, err
		}
		for t := iv.Start; t < iv.End; t++ {
			if toll.Resource != proof.CoreTicks && toll.Resource != proof.FetchTicks && !isBeat(js, toll.Slave, t) {
				continue
			}
			prices[t] += toll.Value
			worth += units * toll.Value
		}
		if worth > mostWorth {
			return 0, errors.New("the prices are too high to add up")
		}
	}
	return worth, nil
}

// shelf is where the goods of a toll stand, and how many of each there are.
func shelf(js *model.JobSet, sh *shop, toll proof.Multiplier) ([]int64, int64, error) {
	slave := &js.Slaves[toll.Slave]
	switch {
	case toll.Resource == proof.CoreTicks:
		return sh.core, int64(slave.Cores), nil
	case toll.Resource == proof.FetchTicks && js.Fetch != model.FetchConcurrent:
		return sh.fetch, 1, nil
	case toll.Resource == proof.MapSlotTicks:
		return sh.slot[0], int64(slave.PoolSize(0)), nil
	case toll.Resource == proof.ReduceSlotTicks && slave.SplitSlots:
		return sh.slot[1], int64(slave.PoolSize(1)), nil
	}
	return nil, 0, fmt.Errorf("a toll on %s of slave %s", toll.Resource, slave.Name)
}

func isBeat(js *model.JobSet, s model.SlaveID, t model.Time) bool {
	first := js.Slaves[s].FirstBeat
	return t >= first && (t-first)%js.Heartbeat == 0
}

// customer is a job on its cheapest way through the cluster.
type customer struct {
	js    *model.JobSet
	job   *model.Job
	due   model.Time
	most  int64
	shops []shop
	left  []leeway
}

// least is the least cost of the job, up to most.
func (c *customer) least() int64 {
	after := make([]int64, c.due+1)
	for k := len(c.job.Stages) - 1; k >= 0; k-- {
		after = c.through(&c.job.Stages[k], after)
	}
	return after[c.job.Release]
}

// through gives, by time, the least cost, up to most, of a stage that is handed
// out at that time or later and of what comes after; after gives the latter by
// the time at which the stage ends.
func (c *customer) through(st *model.Stage, after []int64) []int64 {
	kinds := c.kinds(st)
	for i := range kinds {
		kinds[i].cheapest = make([]int64, c.due+1)
		for end := range kinds[i].cheapest {
			kinds[i].cheapest[end] = c.most
		}
	}
	from := make([]int64, c.due+1)
	total := make([]int64, c.due+1)
	for gate := c.due; gate >= c.job.Release; gate-- {
		clear(total)
		for i := range kinds {
			c.handOut(&kinds[i], gate)
			best := c.most
			for end, cost := range kinds[i].cheapest {
				best = min(best, cost)
				total[end] = min(c.most, total[end]+kinds[i].count*best)
			}
		}
		from[gate] = c.most
		for end := gate; end <= c.due; end++ {
			from[gate] = min(from[gate], total[end]+after[end])
		}
	}
	return from
}

// kind is a number of equal tasks, and the least cost of one by its finish.
type kind struct {
	task     model.TaskID
	left     *leeway
	count    int64
	cheapest []int64
}

func (c *customer) kinds(st *model.Stage) []kind {
	var kinds []kind
	for t := st.First; t < st.End; t++ {
		left := &anywhere
		if c.left != nil {
			left = &c.left[t]
		}
		if n := len(kinds); n > 0 && c.js.Tasks[t].Profile == c.js.Tasks[kinds[n-1].task].Profile && left.equal(kinds[n-1].left) {
			kinds[n-1].count++
		} else {
			kinds = append(kinds, kind{task: t, left: left, count: 1})
		}
	}
	return kinds
}

// handOut lowers the cost of tasks of a kind to that of placements with a
// heartbeat at gate. Prices are not negative, so a task is best handed out at
// the last heartbeat before its fetch.
func (c *customer) handOut(k *kind, gate model.Time) {
	for s := range model.SlaveID(len(c.js.Slaves)) {
		hold := holdTime(c.js, k.task, s)
		if hold == 0 || !isBeat(c.js, s, gate) || gate+hold > c.due || gate < k.left.assignFrom || k.left.bars(s) {
			continue
		}
		limit := c.due
		if d, away := firstAbsence(&c.js.Slaves[s], model.Interval{Start: gate, End: limit}); away {
			limit = d.Start
		}
		limit = min(limit, k.left.finish.End)
		for fetch := max(gate, k.left.fetch.Start); fetch < gate+c.js.Heartbeat && fetch+hold <= limit && fetch <= k.left.fetch.End; fetch++ {
			c.fetchAt(k, s, gate, fetch, limit)
		}
	}
}

// fetchAt is handOut for one slave, up to limit, and one start of the fetch.
func (c *customer) fetchAt(k *kind, s model.SlaveID, beat, fetch, limit model.Time) {
	task, sh := &c.js.Tasks[k.task], &c.shops[s]
	slots := sh.slot[c.js.Slaves[s].Pool(task.Slot)]
	wcet, ready := task.WCET(s), fetch+task.Transfer(s)
	finish := ready + wcet
	cost := sum(sh.fetch, fetch, ready) + sum(slots, beat, finish) + sum(sh.core, ready, finish)
	for {
		if finish >= k.left.finish.Start {
			k.cheapest[finish] = min(k.cheapest[finish], cost)
		}
		if finish == limit {
			return
		}
		cost += slots[finish] + sh.core[finish] - sh.core[finish-wcet]
		finish++
	}
}

func sum(prices []int64, from, to model.Time) int64 {
	total := int64(0)
	for _, p := range prices[from:to] {
		total += p
	}
	return total
}
