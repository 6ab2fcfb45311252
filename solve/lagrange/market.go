package lagrange

import (
	"downbeat/model"
	"downbeat/model/window"
)

// market is a question with prices on everything that jobs share.
type market struct {
	js *model.JobSet
	// refusal is what each job pays at most, in units of price; 0 for jobs that
	// play no part.
	refusal []int64
	// end is the time by which all jobs that play a part are due.
	end    model.Time
	slaves []stall
	jobs   []buyer
	// price, capacity and usage are indexed by good: one unit of a core in a
	// tick, of the fetch line in a tick, of a slot at a heartbeat.
	price    []int64
	capacity []int64
	usage    []int32
	// single is scratch: costs of one task, by time.
	single []int64
	// dearest is the greatest refusal: no price need be higher.
	dearest int64
	// size is the number of starts to look at, over all classes and slaves.
	size int
}

// stall is what one slave sells. The goods of each kind are numbered from an
// offset on, one per tick; slots use those of ticks with a heartbeat only.
type stall struct {
	core, fetch int
	slot        [2]int
	// beat is the last heartbeat at or before a tick, -1 if there is none; of
	// absences only what lies within is of no use.
	beat []int32
	// there lists the presences within [0, end).
	there []model.Interval
	// cores, fetches and slots sum prices up: over ticks before t, and over
	// heartbeats before t.
	cores, fetches []int64
	slots          [2][]int64
}

// buyer is a job with what it can buy.
type buyer struct {
	id     model.JobID
	stages []stage
	// first and last bound the times at which its tasks are handed out and finish.
	first, last model.Time
	// until, one per stage but the last, is the least cost of all up to that
	// stage if it ends at a time or before. Here and in from only times between
	// first and last are looked at.
	until [][]int64
	// paid is what the job pays at the prices last looked at; bought tells that
	// this bought its way.
	paid   int64
	bought bool
	// from is the least cost of the last stage if it is handed out at a time or after.
	from []int64
}

// stage is a stage with equal tasks together.
type stage struct {
	classes []class
	// alone tells that it has a single task: then it can be chained to the stage
	// before exactly.
	alone bool
	// hold is the time between being handed out and its end, at least.
	hold model.Time
}

// class is a number of equal tasks of a stage.
type class struct {
	count   int64
	options []option
}

// option is a slave for a class, and the windows there.
type option struct {
	slave          int32
	pool           int32
	wcet, transfer model.Time
	// firstAssign bounds the heartbeat, firstFetch and lastFetch the start of the
	// fetch, firstRun and lastRun that of the run.
	firstAssign, firstFetch, lastFetch, firstRun, lastRun model.Time
	// least is the least cost at the prices last looked at, wherever the gates are.
	least int64
}

// newMarket sets up the question whether jobs can finish by due; refusal[i] is
// 0 for jobs that need not. Jobs that are late alone are refused whatever the
// prices: what they pay is impossible, and no jobs stand for them.
func newMarket(js *model.JobSet, due []model.Time, refusal []int64) (m *market, impossible int64) {
	m = &market{js: js, refusal: refusal}
	dues := make([]model.Time, len(due))
	for i := range due {
		dues[i] = model.Never
		if refusal[i] > 0 {
			dues[i] = due[i]
			m.end = max(m.end, due[i])
			m.dearest = max(m.dearest, refusal[i])
		}
	}
	m.open()
	w := window.Compute(js, dues)
	for i := range js.Jobs {
		switch {
		case refusal[i] == 0:
		case w.IsLate(model.JobID(i)):
			impossible += refusal[i]
		default:
			m.jobs = append(m.jobs, m.newBuyer(model.JobID(i), w))
		}
	}
	return m, impossible
}

// open numbers the goods.
func (m *market) open() {
	ticks := int(m.end)
	m.slaves = make([]stall, len(m.js.Slaves))
	for s := range m.slaves {
		st, slave := &m.slaves[s], &m.js.Slaves[s]
		st.core = m.offer(ticks, int64(slave.Cores))
		st.fetch = m.offer(ticks, 1)
		for p := range slave.Pools() {
			st.slot[p] = m.offer(ticks, int64(slave.PoolSize(p)))
			st.slots[p] = make([]int64, ticks+1)
		}
		st.cores, st.fetches = make([]int64, ticks+1), make([]int64, ticks+1)
		st.beat = make([]int32, ticks)
		for t := range st.beat {
			st.beat[t] = -1
			if gamma, at := m.js.BeatAtOrBefore(model.SlaveID(s), model.Time(t)); gamma >= 0 {
				st.beat[t] = int32(at)
			}
		}
		since := model.Time(0)
		for _, d := range slave.Down {
			if d.Start > since {
				st.there = append(st.there, model.Interval{Start: since, End: min(d.Start, m.end)})
			}
			since = d.End
		}
		if since < m.end {
			st.there = append(st.there, model.Interval{Start: since, End: m.end})
		}
	}
	m.single = make([]int64, m.end+1)
	m.price = make([]int64, len(m.capacity))
	m.usage = make([]int32, len(m.capacity))
}

func (m *market) offer(ticks int, units int64) (offset int) {
	offset = len(m.capacity)
	for range ticks {
		m.capacity = append(m.capacity, units)
	}
	return offset
}

func (m *market) newBuyer(id model.JobID, w *window.Windows) buyer {
	b := buyer{id: id, first: m.end}
	job := &m.js.Jobs[id]
	for si := range job.Stages {
		b.stages = append(b.stages, m.newStage(&job.Stages[si], w))
		if si+1 < len(job.Stages) {
			b.until = append(b.until, make([]int64, m.end+1))
		}
	}
	for k := range b.stages {
		for c := range b.stages[k].classes {
			for _, o := range b.stages[k].classes[c].options {
				b.first, b.last = min(b.first, o.firstAssign), max(b.last, o.lastRun+o.wcet)
			}
		}
	}
	b.from = make([]int64, m.end+1)
	return b
}

func (m *market) newStage(st *model.Stage, w *window.Windows) stage {
	var out stage
	var last *model.Profile
	for t := st.First; t < st.End; t++ {
		task := &m.js.Tasks[t]
		if task.Profile == last {
			out.classes[len(out.classes)-1].count++
			continue
		}
		last = task.Profile
		c := class{count: 1}
		for s := range model.SlaveID(len(m.js.Slaves)) {
			if !task.Eligible(s) || !w.Possible(t, s) {
				continue
			}
			span := w.Span(t, s)
			c.options = append(c.options, option{
				slave: int32(s), pool: int32(m.js.Slaves[s].Pool(st.Slot)),
				wcet: task.WCET(s), transfer: task.Transfer(s),
				firstAssign: span.FirstFetch, lastFetch: span.LastStart, lastRun: span.LastStart,
			})
			m.size += int(span.LastStart - span.FirstFetch)
		}
		out.classes = append(out.classes, c)
		shortest := model.Never
		for _, o := range c.options {
			shortest = min(shortest, o.transfer+o.wcet)
		}
		out.hold = max(out.hold, shortest)
	}
	out.alone = len(out.classes) == 1 && out.classes[0].count == 1
	return out
}

// sum brings the sums of prices up to date.
func (m *market) sum() {
	for s := range m.slaves {
		st := &m.slaves[s]
		addUp(st.cores, m.price[st.core:])
		addUp(st.fetches, m.price[st.fetch:])
		for p := range m.js.Slaves[s].Pools() {
			addUp(st.slots[p], m.price[st.slot[p]:])
		}
	}
}

func addUp(sums, prices []int64) {
	total := int64(0)
	for t := range len(sums) - 1 {
		sums[t] = total
		total += prices[t]
	}
	sums[len(sums)-1] = total
}
