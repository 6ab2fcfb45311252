package inference

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sort"

	"downbeat/model"
)

// Bounds that keep sums within an int64, and checks within bounds.
const (
	mostWorth = 1 << 58
	mostTicks = 1 << 20
	// never is a cost above all others; sums with a few of those do not overflow.
	never = 1 << 60
)

// multipliers are a line m: prices of what slaves have, and of what limits allow.
type multipliers struct {
	of       map[resource]priceList
	ofLimits [limits]int64
	worth    int64 // of all that slaves have
}

type resource struct {
	model.SlaveID
	model.ResourceID
}

// priceList has the prices of a resource, ascending.
type priceList []price

// price is that of a unit from one time to before another, and what all before it costs. Its
// time is in ticks, or in heartbeats of the slave where the resource is held for stays.
type price struct {
	from, to     model.Time
	each, before int64
}

// until is what a unit costs that is held from the beginning to t.
func (r priceList) until(t model.Time) int64 {
	k := sort.Search(len(r), func(k int) bool { return r[k].from >= t })
	if k == 0 {
		return 0
	}
	p := &r[k-1]
	return p.before + p.each*int64(min(t, p.to)-p.from)
}

// clock is t in the time of the prices of what is held in the way of h on a slave.
func (st *state) clock(s model.SlaveID, h model.Hold, t model.Time) model.Time {
	if h == model.HoldStay {
		return st.beats(s, t)
	}
	return t
}

// readMultipliers reads a line of prices, R.S.A.B.V of what slaves have, or NAME.V.
func (st *state) readMultipliers() {
	id, m := st.nextID(), &multipliers{of: map[resource]priceList{}}
	for st.more() {
		st.parts(func() {
			name, _, _ := bytes.Cut(st.left, []byte("."))
			if limit := slices.Index(limitWords[:], string(name)); limit >= 0 {
				st.word()
				m.ofLimits[limit] = plus(m.ofLimits[limit], st.number(1, mostWorth))
			} else {
				st.readPrice(m)
			}
		})
	}
	if m.worth >= mostWorth {
		st.fail("all is worth too much")
	}
	st.multipliers[id] = m
}

// readPrice reads the price of a resource on a slave in an interval.
func (st *state) readPrice(m *multipliers) {
	r, s := model.ResourceID(st.readArg('R')), model.SlaveID(st.readArg('S'))
	from := st.number(0, latest)
	to, each := st.number(from+1, latest), st.number(1, mostWorth)
	units, err := st.supply(s, r, -1)
	if err != nil {
		st.fail("a price of what there is not: %w", err)
	}
	if st.err != nil || units == 0 {
		return
	}
	of, last := m.of[resource{s, r}], price{}
	if len(of) > 0 {
		last = of[len(of)-1]
	}
	p := price{from: st.clock(s, r.Hold(), model.Time(from)), to: st.clock(s, r.Hold(), model.Time(to)), each: each}
	if p.from < last.to {
		st.fail("prices of a resource of a slave that do not ascend")
	}
	p.before = last.before + last.each*int64(last.to-last.from)
	m.worth = plus(m.worth, times(times(units, each), int64(p.to-p.from)))
	m.of[resource{s, r}] = append(of, p)
}

// overpaid: jobs pay more, all together, than all that has a price is worth.
func (st *state) overpaid(a []int64) error {
	m := st.multipliers[a[0]]
	if m == nil {
		return fmt.Errorf("there is no line of prices %d", a[0])
	}
	worth, all := m.worth, int64(0)
	for k, price := range m.ofLimits {
		worth = plus(worth, times(price, st.q.limits[k]))
	}
	for k := range st.jobs {
		if all = plus(all, st.pays(m, int32(k))); all > worth || st.stopped() {
			break
		}
	}
	if all <= worth {
		return errors.New("jobs may pay no more than what all that has a price is worth")
	}
	return nil
}

// pays is the least that a job pays: more than there is where it can neither be in nor be
// let go.
func (st *state) pays(m *multipliers, k int32) int64 {
	j := &st.jobs[k]
	spec := &st.js.Jobs[j.job]
	missed, perTick := m.ofLimits[hardMisses], int64(0)
	if spec.Kind != model.Hard {
		missed = times(m.ofLimits[misses], spec.Weight)
	}
	if spec.Kind == model.Soft && j.role == must {
		perTick = times(m.ofLimits[weighted], spec.Weight)
	}
	letGo := missed
	if j.by < spec.Due() {
		letGo = 0
	}
	if st.letGo(k) || !st.in(k) && letGo == 0 {
		return letGo
	}
	least := st.cheapest(m, k, min(j.by, spec.Due()), 0)
	if j.by > spec.Due() {
		least = min(least, plus(missed, st.cheapest(m, k, j.by, perTick)))
	}
	if !st.in(k) {
		least = min(least, letGo)
	}
	return least
}

// cheapest is the least that a job pays for its tasks, and per tick after its deadline, if it
// ends by a time.
func (st *state) cheapest(m *multipliers, k int32, by model.Time, perTick int64) int64 {
	j := &st.jobs[k]
	defer st.undo(len(st.trail))
	st.lower(j.end, by)
	for t := j.task; t < j.last && !st.stopped(); t++ {
		st.pressEnds(t)
	}
	spec := &st.js.Jobs[j.job]
	switch {
	case st.dead || by < spec.Release:
		return largest
	case by-spec.Release >= mostTicks:
		return 0
	}
	w := way{state: st, m: m, from: spec.Release, after: make([]int64, 1+by-spec.Release)}
	for t := range w.after {
		if end := max(w.from+model.Time(t), w.is[j.end].first); end > spec.Due() {
			w.after[t] = min(mostWorth, times(perTick, int64(end-spec.Due())))
		}
	}
	first := &st.stages[j.stage]
	if !spec.Chain() {
		first = &stage{task: j.task, end: j.last}
	}
	for n := j.lastStage - 1; n > j.stage && spec.Chain(); n-- {
		w.after = w.handedOut(&st.stages[n])
	}
	return w.least(w.batches(first), 0, model.Never)
}

// way is the search for the cheapest way of a job through the cluster. Its stages are taken
// one after the other if they are a chain, the last one first: what is left costs the less
// the sooner it may begin. Otherwise all are taken for one.
type way struct {
	*state
	m *multipliers
	// from is the first time that lists of costs by time are about, after what all
	// stages after one cost by when it ends.
	from  model.Time
	after []int64
}

// batch is a number of equal tasks of a stage, with what one costs by when it ends.
type batch struct {
	stays []stay
	count int64
	ends  []int64
}

// stay is what is left to a task at a spot during one presence of its slave, with what its
// run costs by its start.
type stay struct {
	*spot
	reach
	runs []int64
}

// batches lists the tasks of a stage, as many as there is room for: others cost nothing.
func (w *way) batches(of *stage) (out []batch) {
	alike := func(a, b stay) bool { return a.slave == b.slave && a.reach == b.reach }
	size := 0
	for t := of.task; t < of.end; t++ {
		b := batch{count: 1}
		w.each(t, func(s *spot, here *reach) { b.stays = append(b.stays, stay{spot: s, reach: *here}) })
		n := len(out) - 1
		if n >= 0 && w.js.Tasks[w.tasks[t].id].Alike(&w.js.Tasks[w.tasks[t-1].id]) && slices.EqualFunc(b.stays, out[n].stays, alike) {
			out[n].count++
			continue
		}
		for _, s := range b.stays {
			size += int(1 + s.start.last - s.start.first)
		}
		if size += len(w.after); size > mostEnds {
			break
		}
		b.ends = slices.Repeat([]int64{never}, len(w.after))
		for k := range b.stays {
			for start := b.stays[k].start.first; start <= b.stays[k].start.last; start++ {
				b.stays[k].runs = append(b.stays[k].runs, b.stays[k].running(start))
			}
		}
		out = append(out, b)
	}
	return out
}

// least is the least that tasks cost, and what comes after them, of which the ones that are
// handed out before some time count, and now those that are from one to before another.
func (w *way) least(all []batch, from, to model.Time) int64 {
	sum := slices.Clone(w.after)
	for i := range all {
		b := &all[i]
		for k := range b.stays {
			b.stays[k].ending(from, to, b.ends)
		}
		cheapest := int64(mostWorth)
		for end, cost := range b.ends {
			cheapest = min(cheapest, cost)
			sum[end] = min(mostWorth, plus(sum[end], times(b.count, cheapest)))
		}
	}
	return min(mostWorth, slices.Min(sum))
}

// ending lowers the costs of a task, by when it ends, that is handed out at from or later,
// before to.
func (s *stay) ending(from, to model.Time, ends []int64) {
	fetch := max(s.reach.fetch.first, s.beatFrom(s.slave, from))
	last := min(s.reach.fetch.last, s.beatFrom(s.slave, min(to, latest))-1)
	begun := int64(never)
	for start := max(s.reach.start.first, fetch+s.place.fetch); start <= s.reach.start.last && (fetch <= last || begun < never); start++ {
		if s.tied {
			begun = never
		}
		for ; fetch <= min(last, start-s.place.fetch); fetch++ {
			begun = min(begun, s.fetching(fetch))
		}
		end := &ends[start+s.run-s.from]
		*end = min(*end, begun+s.runs[start-s.reach.start.first])
	}
}

// mostEnds bounds how many times are looked at, and kept, for parts of a job.
const mostEnds = 1 << 22

// handedOut is what the tasks of a stage cost, and what comes after them, that are handed out
// at a time or later, by that. Where there are many times it is worked out for some, and
// costs no less in between.
func (w *way) handedOut(of *stage) []int64 {
	n := model.Time(len(w.after))
	out, all, step := make([]int64, n), w.batches(of), 1+n/(1+mostEnds/n)
	for at := (n - 1) / step * step; at >= 0 && !w.stoppedAfter(int(n)*len(all)); at -= step {
		least := w.least(all, w.from+at, w.from+at+step)
		for t := at; t < min(at+step, n); t++ {
			out[t] = least
		}
	}
	return out
}

// each goes through what is left to a task, by place and presence.
func (w *way) each(t int32, yield func(*spot, *reach)) {
	for at := w.tasks[t].place; at < w.tasks[t].end; at++ {
		if w.on(at) == no {
			continue
		}
		s := w.spot(at)
		for here := range w.during(s.place, w.among(s.place)) {
			if w.stoppedAfter(int(here.start.last - here.fetch.first)) {
				return
			}
			yield(s, &here)
		}
	}
}

// spot is a place with the prices of what the task holds there.
type spot struct {
	*way
	*place
	held []holding
}

// holding is so many units of something, and what these cost.
type holding struct {
	hold  model.Hold
	units int64
	priceList
}

func (w *way) spot(at int32) *spot {
	s := &spot{way: w, place: &w.places[at]}
	for _, has := range w.js.Supplies(s.slave) {
		units, prices := w.need(s.place, has.Resource), w.m.of[resource{s.slave, has.Resource}]
		if units > 0 && prices != nil {
			s.held = append(s.held, holding{has.Hold, units, prices})
		}
	}
	return s
}

// until is what the task pays for what it holds in the way of h, if that is held from the
// beginning to t.
func (s *spot) until(h model.Hold, t model.Time) int64 {
	sum := int64(0)
	for _, p := range s.held {
		if p.hold == h {
			sum += p.units * p.until(s.clock(s.slave, h, t))
		}
	}
	return sum
}

// running is what the task pays for its run, and for a stay from the beginning to its end.
func (s *spot) running(start model.Time) int64 {
	return s.until(model.HoldRun, start+s.run) - s.until(model.HoldRun, start) + s.until(model.HoldStay, start+s.run)
}

// fetching is what the task pays for its fetch, less a stay from the beginning to its
// hand-out.
func (s *spot) fetching(fetch model.Time) int64 {
	return s.until(model.HoldFetch, fetch+s.place.fetch) - s.until(model.HoldFetch, fetch) - s.until(model.HoldStay, s.beat(fetch))
}

// beat is the last heartbeat before a fetch.
func (s *spot) beat(fetch model.Time) model.Time {
	return s.beatFrom(s.slave, fetch+1) - s.js.Heartbeat
}
