package queue

import (
	"cmp"
	"math"
	"slices"

	"downbeat/model"
)

// queue is the list of a slave, laid out in time.
type queue struct {
	slave     int32
	firstBeat int32
	cores     int
	// pools are what tasks hold for their stays: slots, and resources by name. What they take of cores and pools is by kind.
	pools []pool
	takes []take
	// Where tasks start in the order of their heartbeats, the last times in frees are the last heartbeat and start, from last on; else it is the end of frees.
	last, wide int
	// away are absences, ascending; one without an end lasts until maxTime.
	away []absence
	list []int32 // tasks
	// fetch and start are by place; cost is what all before a place cost, and frees what is free before it: width times each.
	fetch, start []int32
	cost         []int64
	frees        []int32
}

// pool is a resource, and where its units are among what is free.
type pool struct {
	of       model.ResourceID
	from, to int
}

// take is what tasks of a kind take on a slave: of its cores while they run, of each of its pools for their stays.
type take struct {
	cores int
	units []int
}

// absence is when a slave is away.
type absence struct{ from, to int32 }

func newQueue(p *problem, s model.SlaveID) queue {
	slave := &p.js.Slaves[s]
	q := queue{slave: int32(s), firstBeat: int32(slave.FirstBeat), cores: slave.Cores}
	for _, d := range slave.Down {
		q.away = append(q.away, absence{int32(d.Start), int32(min(d.End, maxTime))})
	}
	n := q.cores + 1
	for _, supply := range p.js.Supplies(s) {
		if supply.Hold == model.HoldStay {
			units := int(supply.Units / p.unit[supply.Resource])
			q.pools = append(q.pools, pool{supply.Resource, n, n + units})
			n += units
		}
	}
	for _, task := range p.kinds {
		of := take{cores: int(task.Cores())}
		for _, pool := range q.pools {
			of.units = append(of.units, int(p.js.Need(task, s, pool.of)/p.unit[pool.of]))
		}
		q.takes = append(q.takes, of)
	}
	if q.last, q.wide = n, n; p.js.FIFO {
		q.wide += 2
	}
	q.grow(0)
	q.reserve(p, slave)
	return q
}

// reserve has what others hold not free before they have given it back, each unit for as many of them as hold it one after the other.
func (q *queue) reserve(p *problem, slave *model.Slave) {
	held := slices.SortedFunc(slices.Values(slave.Reservations), func(a, b model.Reservation) int { return cmp.Compare(a.Start, b.Start) })
	for _, k := range held {
		units := q.unitsOf(k.Resource)
		for range min(len(units), int((k.Units+p.unit[k.Resource]-1)/p.unit[k.Resource])) {
			i, _ := slices.BinarySearch(units, int32(k.Start)+1)
			units[max(0, i-1)] = int32(k.End)
			slices.Sort(units)
		}
	}
}

// unitsOf is when each unit of a resource is free at first.
func (q *queue) unitsOf(r model.ResourceID) []int32 {
	free := q.before(0)
	switch r.Hold() {
	case model.HoldRun:
		return free[:q.cores]
	case model.HoldFetch:
		return free[q.cores : q.cores+1]
	}
	k := slices.IndexFunc(q.pools, func(p pool) bool { return p.of == r })
	return free[q.pools[k].from:q.pools[k].to]
}

// width is of the times in frees: when each core is free, ascending, the fetch line, each unit of a pool, ascending by pool, and what last is.
func (q *queue) width() int { return q.wide }

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

// shift has times and costs from a place on be so many places further back.
func (q *queue) shift(from, by int) {
	n, w := len(q.list), q.width()
	q.grow(n + by)
	copy(q.fetch[from+by:], q.fetch[from:n])
	copy(q.start[from+by:], q.start[from:n])
	copy(q.cost[from+by:], q.cost[from:n+1])
	copy(q.frees[(from+by)*w:], q.frees[from*w:(n+1)*w])
}

// draft is what a queue would be after a change: from the change on, until all is free as it was.
type draft struct {
	queue
	change
	end int
	sum int64 // what all tasks would cost
}

// begin makes a draft of a queue, as it is up to a place.
func (d *draft) begin(q *queue, from int) {
	d.list = append(slices.Grow(d.list[:0], len(q.list)+1)[:from], q.list[from:]...)
	d.grow(len(q.list) + 1)
	d.cost[from] = q.cost[from]
	copy(d.before(from), q.before(from))
}

// adopt has a queue be what its draft is.
func (q *queue) adopt(d *draft) {
	w := q.width()
	more := int64(0)
	if d.end < len(d.list) {
		more = d.cost[d.end] - q.cost[d.end-d.by]
		if d.by != 0 {
			q.shift(d.end-d.by, d.by)
		}
	}
	q.list = append(q.list[:d.from], d.list[d.from:]...)
	q.grow(len(q.list))
	copy(q.fetch[d.from:], d.fetch[d.from:d.end])
	copy(q.start[d.from:], d.start[d.from:d.end])
	copy(q.cost[d.from:], d.cost[d.from:d.end+1])
	copy(q.frees[d.from*w:], d.frees[d.from*w:(d.end+1)*w])
	for j := d.end + 1; more != 0 && j <= len(q.list); j++ {
		q.cost[j] += more
	}
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

// lay lays a draft of a queue out from where it has changed, until all is free as it is in the queue. It is false, and cut short,
// where it costs more than most.
func (s *Search) lay(d *draft, q *queue, c change, most int64) bool {
	d.change = c
	n := len(d.list)
	for i := c.from; i < n; i++ {
		s.place(&d.queue, i)
		cost, rest := d.cost[i+1], int64(0)
		if i+1 >= c.settled {
			k := i + 1 - c.by
			rest = q.total() - q.cost[k]
			if slices.Equal(d.before(i+1), q.before(k)) {
				d.end, d.sum = i+1, cost+rest
				return d.sum <= most
			}
			if !c.later {
				rest = 0
			}
		}
		if cost+rest > most {
			return false
		}
	}
	d.end, d.sum = n, d.cost[n]
	return d.sum <= most
}

// lost is what a task costs that waits for a slave which is gone for good.
const lost = 1 << 36

// mostLate is how many times its length a task counts as late at most: beyond, it is no worse than one that has no place at all.
const mostLate = 2

// place lays out the task of a place, behind those before it.
func (s *Search) place(q *queue, i int) {
	t := q.list[i]
	at, st := s.p.pairs[int(t)*len(s.queues)+int(q.slave)], &s.p.stages[s.p.of[t]]
	free, was, take := q.before(i+1), q.before(i), &q.takes[s.p.kind[t]]
	line, ready := q.cores, st.ready
	for k, n := range take.units {
		if n > 0 {
			ready = max(ready, was[q.pools[k].from+n-1])
		}
	}
	earliest := max(was[take.cores-1], st.start)
	if q.last < q.wide {
		ready, earliest = max(ready, was[q.last]), max(earliest, was[q.last+1])
	}
	soonest, queues := int32(math.MinInt32), s.p.serial && at.fetch > 0
	lineFree := int32(0)
	if queues {
		lineFree = was[line]
	}
	handed := s.p.beatFrom(q, ready)
	fetch := max(handed, lineFree)
	start := max(fetch+at.fetch, earliest)
	for len(q.away) > 0 {
		back := q.backAt(handed, start+at.run)
		if back == handed {
			break
		}
		handed = s.p.beatFrom(q, back)
		fetch = max(handed, lineFree)
		start = max(fetch+at.fetch, earliest)
	}
	end := start + at.run
	free[line] = was[line]
	if queues {
		if free[line] = fetch + at.fetch; s.p.fetching {
			soonest = free[line]
		}
	}
	replace(free[:line], was[:line], take.cores, end, soonest)
	// What is free before the fetch line is counts as free as late as the next task can make use of it, so that what is free is
	// sooner as it was.
	if soonest > math.MinInt32 {
		soonest -= s.p.beat
	}
	for k, n := range take.units {
		of := &q.pools[k]
		replace(free[of.from:of.to], was[of.from:of.to], n, end, soonest)
	}
	if q.last < q.wide {
		free[q.last], free[q.last+1] = fetch-(fetch-q.firstBeat)%s.p.beat, start
	}
	q.fetch[i], q.start[i], q.cost[i+1] = fetch, start, q.cost[i]+st.cost(end, at.run, s.p.charge)
	s.work++
}

// beatFrom is the first heartbeat of a slave from a time on, be it away or not.
func (p *problem) beatFrom(q *queue, time int32) int32 {
	time = max(time, q.firstBeat)
	if r := (time - q.firstBeat) % p.beat; r > 0 {
		time += p.beat - r
	}
	return time
}

// backAt is the end of the first absence that meets [from, to), from itself if there is none.
func (q *queue) backAt(from, to int32) int32 {
	i, _ := slices.BinarySearchFunc(q.away, from+1, func(a absence, t int32) int { return cmp.Compare(a.to, t) })
	if i < len(q.away) && q.away[i].from < to {
		return q.away[i].to
	}
	return from
}

// cost is what a task of the stage costs by its end, with a charge for one that is late at all, and for one that starts behind others of its gang.
func (st *stage) cost(end, run, charge int32) (sum int64) {
	late, behind := end-st.due, end-run-st.start
	if end >= maxTime {
		return lost
	}
	if st.gang && behind > 0 {
		sum = st.price * int64(charge+min(behind, mostLate*run))
	}
	switch {
	case late <= 0:
		return sum
	case st.lenient():
		return sum + st.price*int64(late)
	}
	return sum + st.price*int64(charge+min(late, mostLate*run))
}

// replace makes times what others are, which ascend, with as many that are no less than the least n of them in the place of these, and none before
// soonest.
func replace(times, others []int32, n int, by, soonest int32) {
	i := n
	for ; i < len(others) && others[i] < by; i++ {
		times[i-n] = max(others[i], soonest)
	}
	for k := i - n; k < i; k++ {
		times[k] = max(by, soonest)
	}
	for ; i < len(others); i++ {
		times[i] = max(others[i], soonest)
	}
}

// placement is that of the task of a place.
func (s *Search) placement(q *queue, i int) model.Placement {
	fetch := q.fetch[i]
	return model.Placement{
		Slave: model.SlaveID(q.slave), Beat: model.Time((fetch - q.firstBeat) / s.p.beat),
		Fetch: model.Time(fetch), Start: model.Time(q.start[i]),
	}
}
