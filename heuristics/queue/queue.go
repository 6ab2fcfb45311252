package queue

import (
	"math"
	"slices"

	"downbeat/model"
)

// queue is the list of a slave, laid out in time.
type queue struct {
	slave     int32
	firstBeat int32
	cores     int
	// pools has, of each pool of slots, how many there are up to its end.
	pools []int
	list  []int32 // tasks
	// fetch and start are by place; cost is what all before a place cost, and frees what is free before it: width times each.
	fetch, start []int32
	cost         []int64
	frees        []int32
}

func newQueue(js *model.JobSet, s model.SlaveID) queue {
	slave := &js.Slaves[s]
	q := queue{slave: int32(s), firstBeat: int32(slave.FirstBeat), cores: slave.Cores}
	n := 0
	for k := range slave.Pools() {
		n += slave.PoolSize(k)
		q.pools = append(q.pools, n)
	}
	q.grow(0)
	return q
}

// width is of the times in frees: when each core is free, ascending, the fetch line, and each slot, ascending by pool.
func (q *queue) width() int { return q.cores + 1 + q.pools[len(q.pools)-1] }

// before is what is free before a place.
func (q *queue) before(place int) []int32 {
	w := q.width()
	return q.frees[place*w : (place+1)*w]
}

// total is what all tasks cost.
func (q *queue) total() int64 { return q.cost[len(q.list)] }

// around is the place of the first task that is fetched at a time or later.
func (q *queue) around(at int32) int {
	k, _ := slices.BinarySearch(q.fetch[:len(q.list)], at)
	return k
}

// grow makes room for n tasks.
func (q *queue) grow(n int) {
	if more := n + 1 - len(q.cost); more > 0 {
		more += n / 2
		q.fetch, q.start = append(q.fetch, make([]int32, more)...), append(q.start, make([]int32, more)...)
		q.cost, q.frees = append(q.cost, make([]int64, more)...), append(q.frees, make([]int32, more*q.width())...)
	}
}

// copyFrom has a queue be what another is from a place on.
func (q *queue) copyFrom(of *queue, place int) {
	n := len(of.list)
	q.grow(n)
	q.list = append(slices.Grow(q.list, n)[:place], of.list[place:]...)
	q.copyTimes(of, place, place)
}

// copyTimes copies the times and costs of another queue from one of its places on to a place.
func (q *queue) copyTimes(of *queue, from, to int) {
	n, w := len(of.list), q.width()
	copy(q.fetch[to:], of.fetch[from:n])
	copy(q.start[to:], of.start[from:n])
	copy(q.cost[to:], of.cost[from:n+1])
	copy(q.frees[to*w:], of.frees[from*w:(n+1)*w])
}

// change is how a queue differs from what it was.
type change struct {
	// from is the first place that differs; from settled on the list is what it was, by so many places further back.
	from, settled, by int
	// later: nothing starts sooner than it did, as there is but a task more.
	later bool
}

// anew is the change of a queue that is laid out for the first time.
var anew = change{settled: math.MaxInt}

// lay lays a queue out from where it has changed. It is false, and cut short, where it costs more than most. was is
// the queue as it was: lay ends where all is free as it was there.
func (s *Search) lay(q, was *queue, c change, most int64) bool {
	n := len(q.list)
	q.grow(n)
	for i := c.from; i < n; i++ {
		s.place(q, i)
		cost, rest := q.cost[i+1], int64(0)
		if i+1 >= c.settled {
			k := i + 1 - c.by
			if slices.Equal(q.before(i+1), was.before(k)) {
				if c.by != 0 {
					q.copyTimes(was, k, i+1)
					q.cost[i+1] = cost
				}
				for j, more := i+2, cost-was.cost[k]; more != 0 && j <= n; j++ {
					q.cost[j] += more
				}
				break
			}
			if c.later {
				rest = was.total() - was.cost[k]
			}
		}
		if cost+rest > most {
			return false
		}
	}
	return q.total() <= most
}

const (
	// mostLate is how many times its length a task counts as late at most: beyond, it is no worse than one that has no place at all.
	mostLate = 2
	// lateCharge is what a task that is late at all costs beside: without it a try ends with many tasks late by a tick or two.
	lateCharge = 2
)

// place lays out the task of a place, behind those before it.
func (s *Search) place(q *queue, i int) {
	t := q.list[i]
	at, st := s.p.pairs[int(t)*len(s.queues)+int(q.slave)], &s.p.stages[s.p.of[t]]
	free := q.before(i + 1)
	copy(free, q.before(i))
	cores, slots := free[:q.cores], free[q.cores+1:]
	if len(q.pools) > 1 {
		if st.slot == model.MapSlot {
			slots = slots[:q.pools[0]]
		} else {
			slots = slots[q.pools[0]:]
		}
	}
	handed := max(st.ready, slots[0], q.firstBeat)
	if r := (handed - q.firstBeat) % s.p.beat; r > 0 {
		handed += s.p.beat - r
	}
	fetch := handed
	if s.p.serial && at.fetch > 0 {
		fetch = max(handed, free[q.cores])
		if free[q.cores] = fetch + at.fetch; s.p.fetching {
			s.level(q, free)
		}
	}
	start := max(fetch+at.fetch, cores[0])
	end := start + at.run
	replace(cores, end)
	replace(slots, end)
	q.fetch[i], q.start[i], q.cost[i+1] = fetch, start, q.cost[i]+st.cost(end, at.run)
	s.work++
}

// cost is what a task of the stage costs by its end.
func (st *stage) cost(end, run int32) int64 {
	late := end - st.due
	switch {
	case late <= 0:
		return 0
	case st.pays:
		return st.price * int64(late)
	}
	return st.price * int64(lateCharge+min(late, mostLate*run))
}

// level has what is free before the fetch line is be free as late as the next task can make use of it, so that what is free is sooner
// as it was.
func (s *Search) level(q *queue, free []int32) {
	line := free[q.cores]
	for k := 0; k < q.cores && free[k] < line; k++ {
		free[k] = line
	}
	for k, beat := q.cores+1, line-s.p.beat; k < len(free); k++ {
		free[k] = max(free[k], beat)
	}
}

// replace puts a time in place of the least of those that ascend.
func replace(times []int32, by int32) {
	i := 1
	for ; i < len(times) && times[i] < by; i++ {
		times[i-1] = times[i]
	}
	times[i-1] = by
}

// placement is that of the task of a place.
func (s *Search) placement(q *queue, i int) model.Placement {
	fetch := q.fetch[i]
	return model.Placement{
		Slave: model.SlaveID(q.slave), Beat: model.Time((fetch - q.firstBeat) / s.p.beat),
		Fetch: model.Time(fetch), Start: model.Time(q.start[i]),
	}
}
