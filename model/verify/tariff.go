package verify

import (
	"errors"
	"fmt"

	"downbeat/model"
)

// Tariff recomputes an argument by prices (see [model.Tariff]) for jobs that are
// to finish by due (absolute; only of jobs with a refusal): the surplus of what
// they pay over what there is to buy, which may be negative. Whatever the plan,
// the refusals of the jobs that do not finish by due add up to the surplus at
// least. The error says what is wrong with the prices themselves. The cost is
// tasks × slaves × ticks, times ticks again for stages that are neither the
// first nor the last.
func Tariff(js *model.JobSet, due []model.Time, tf *model.Tariff) (surplus int64, err error) {
	if len(due) != len(js.Jobs) || len(tf.Refusal) != len(js.Jobs) {
		return 0, fmt.Errorf("%d due times and %d refusals for %d jobs", len(due), len(tf.Refusal), len(js.Jobs))
	}
	end := model.Time(0)
	for i, r := range tf.Refusal {
		switch {
		case r < 0 || r > mostPrice:
			return 0, fmt.Errorf("a refusal of %d", r)
		case r > 0 && (due[i] < js.Jobs[i].Release || due[i] > mostTicks):
			return 0, fmt.Errorf("job %s is due at %d", js.Jobs[i].Name, due[i])
		case r > 0:
			end = max(end, due[i])
		}
	}
	shops := make([]shop, len(js.Slaves))
	for s := range shops {
		shops[s] = newShop(js, model.SlaveID(s), end)
	}
	worth, err := putUp(js, shops, tf.Tolls, end)
	if err != nil {
		return 0, err
	}
	surplus = -worth
	for i, refusal := range tf.Refusal {
		if refusal > 0 {
			c := customer{js: js, job: &js.Jobs[i], due: due[i], most: refusal, shops: shops}
			surplus += c.least(0, c.job.Release)
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

// putUp puts up the prices and adds up what everything is worth at them.
func putUp(js *model.JobSet, shops []shop, tolls []model.Toll, end model.Time) (worth int64, err error) {
	for _, toll := range tolls {
		if toll.Slave < 0 || int(toll.Slave) >= len(shops) {
			return 0, fmt.Errorf("a toll on slave %d", toll.Slave)
		}
		iv := toll.Interval
		if toll.Price <= 0 || toll.Price > mostPrice || iv.Start < 0 || iv.End > end {
			return 0, fmt.Errorf("a toll of %d in %s", toll.Price, span(iv))
		}
		prices, units, err := shelf(js, &shops[toll.Slave], toll)
		if err != nil {
			return 0, err
		}
		for t := iv.Start; t < iv.End; t++ {
			if toll.Resource != model.CoreTicks && toll.Resource != model.FetchTicks && !isBeat(js, toll.Slave, t) {
				continue
			}
			prices[t] += toll.Price
			worth += units * toll.Price
		}
		if worth > mostWorth {
			return 0, errors.New("the prices are too high to add up")
		}
	}
	return worth, nil
}

// shelf is where the goods of a toll stand, and how many of each there are.
func shelf(js *model.JobSet, sh *shop, toll model.Toll) ([]int64, int64, error) {
	slave := &js.Slaves[toll.Slave]
	switch {
	case toll.Resource == model.CoreTicks:
		return sh.core, int64(slave.Cores), nil
	case toll.Resource == model.FetchTicks && js.Fetch != model.FetchConcurrent:
		return sh.fetch, 1, nil
	case toll.Resource == model.MapSlotTicks:
		return sh.slot[0], int64(slave.PoolSize(0)), nil
	case toll.Resource == model.ReduceSlotTicks && slave.SplitSlots:
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
	// rest holds results of least, by stage and gate, end those of last.
	rest []map[model.Time]int64
	end  []int64
}

// least is the least cost, up to most, of the stages from k on if stage k is
// handed out at gate or later.
func (c *customer) least(k int, gate model.Time) int64 {
	if k == len(c.job.Stages)-1 {
		return c.last()[gate]
	}
	if c.rest == nil {
		c.rest = make([]map[model.Time]int64, len(c.job.Stages))
	}
	if c.rest[k] == nil {
		c.rest[k] = map[model.Time]int64{}
	}
	if cost, known := c.rest[k][gate]; known {
		return cost
	}
	cost := c.most
	for end, own := range c.until(k, gate) {
		if own < cost && model.Time(end) >= gate {
			cost = min(cost, own+c.least(k+1, model.Time(end)))
		}
	}
	c.rest[k][gate] = cost
	return cost
}

// until gives, by time, the least cost, up to most, of stage k alone if it is
// handed out at gate or later and ends at that time or before.
func (c *customer) until(k int, gate model.Time) []int64 {
	return c.stage(k, func(t model.TaskID, by []int64) {
		c.placements(t, gate, func(_, finish model.Time, cost int64) { by[finish] = min(by[finish], cost) })
		for end := 1; end < len(by); end++ {
			by[end] = min(by[end], by[end-1])
		}
	})
}

// last gives, by time, the least cost, up to most, of the last stage if it is
// handed out at that time or later.
func (c *customer) last() []int64 {
	if c.end == nil {
		c.end = c.stage(len(c.job.Stages)-1, func(t model.TaskID, by []int64) {
			c.placements(t, c.job.Release, func(beat, _ model.Time, cost int64) { by[beat] = min(by[beat], cost) })
			for gate := len(by) - 2; gate >= 0; gate-- {
				by[gate] = min(by[gate], by[gate+1])
			}
		})
	}
	return c.end
}

// stage adds up what fill gives for each of its tasks.
func (c *customer) stage(k int, fill func(t model.TaskID, by []int64)) []int64 {
	st := &c.job.Stages[k]
	total, one := make([]int64, c.due+1), make([]int64, c.due+1)
	for t := st.First; t < st.End; t++ {
		if t == st.First || c.js.Tasks[t].Profile != c.js.Tasks[t-1].Profile {
			for at := range one {
				one[at] = c.most
			}
			fill(t, one)
		}
		for at := range total {
			total[at] = min(c.most, total[at]+one[at])
		}
	}
	return total
}

// placements tells of the ways to place a task that is handed out at gate or
// later, each with its heartbeat, its finish and its cost; those that cost as
// much as a refusal may be left out. Prices are not negative, so a task is best
// handed out at the last heartbeat before its fetch.
func (c *customer) placements(t model.TaskID, gate model.Time, tell func(beat, finish model.Time, cost int64)) {
	for s := range model.SlaveID(len(c.js.Slaves)) {
		slave := &c.js.Slaves[s]
		hold := holdTime(c.js, t, s)
		for fetch := max(gate, slave.FirstBeat); hold > 0 && fetch+hold <= c.due; fetch++ {
			if beat := fetch - (fetch-slave.FirstBeat)%c.js.Heartbeat; beat >= gate {
				c.fetchedAt(t, s, beat, fetch, tell)
			}
		}
	}
}

// fetchedAt is placements for one slave, heartbeat and fetch.
func (c *customer) fetchedAt(t model.TaskID, s model.SlaveID, beat, fetch model.Time, tell func(beat, finish model.Time, cost int64)) {
	slave, sh := &c.js.Slaves[s], &c.shops[s]
	slots := sh.slot[slave.Pool(c.js.Tasks[t].Slot)]
	wcet, first := c.js.Tasks[t].WCET(s), fetch+c.js.Tasks[t].Transfer(s)
	limit := c.due
	if d, away := firstAbsence(slave, model.Interval{Start: beat, End: limit}); away {
		limit = d.Start
	}
	if first+wcet > limit {
		return
	}
	cost := sum(sh.fetch, fetch, first) + sum(slots, beat, first+wcet) + sum(sh.core, first, first+wcet)
	for finish := first + wcet; ; finish++ {
		tell(beat, finish, cost)
		if finish == limit {
			return
		}
		cost += slots[finish] + sh.core[finish] - sh.core[finish-wcet]
	}
}

func sum(prices []int64, from, to model.Time) int64 {
	total := int64(0)
	for _, p := range prices[from:to] {
		total += p
	}
	return total
}
