package certificate

import (
	"bytes"
	"cmp"
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
)

// multipliers are a line m: prices of what slaves have, and of what limits allow.
type multipliers struct {
	tariffs  map[model.SlaveID][]*tariff
	ofLimits [limits]int64
	worth    int64 // of all that slaves have
}

// tariff is the price of a resource of a slave, which changes in steps. Its time is in ticks,
// or in heartbeats of the slave where the resource is held for stays.
type tariff struct {
	resource model.ResourceID
	steps    []step // ascending
}

// step is a price from some time on, and what all before is worth.
type step struct {
	from          model.Time
	price, before int64
}

// until is what a unit costs that is held from the beginning to t.
func (r *tariff) until(t model.Time) int64 {
	k := sort.Search(len(r.steps), func(k int) bool { return r.steps[k].from > t }) - 1
	if k < 0 {
		return 0
	}
	return r.steps[k].before + r.steps[k].price*int64(t-r.steps[k].from)
}

// clock is t in the time of what is held in the way of h on a slave.
func (st *state) clock(s model.SlaveID, h model.Hold, t model.Time) model.Time {
	if h == model.HoldStay {
		return st.beats(s, t)
	}
	return t
}

// readMultipliers reads a line of prices, which add up.
func (st *state) readMultipliers(f *fields) error {
	id := st.nextID(f)
	m := &multipliers{tariffs: map[model.SlaveID][]*tariff{}}
	for f.more() {
		price := f.parts()
		name, _, _ := bytes.Cut(price.left, []byte("."))
		if limit := slices.Index(limitWords[:], string(name)); limit >= 0 {
			price.word()
			m.ofLimits[limit] = plus(m.ofLimits[limit], price.number(1, mostWorth))
		} else {
			st.readPrice(m, price)
		}
		f.err = cmp.Or(f.err, price.end())
	}
	if m.worth >= mostWorth {
		f.fail("all is worth too much")
	}
	for _, tariffs := range m.tariffs {
		for _, r := range tariffs {
			r.addUp()
		}
	}
	st.multipliers[id] = m
	return f.end()
}

// readPrice reads the price of a resource on a slave in an interval, R.S.A.B.V.
func (st *state) readPrice(m *multipliers, f *fields) {
	r, s := model.ResourceID(f.number(0, int64(model.Resources)-1)), model.SlaveID(f.number(0, int64(len(st.js.Slaves))-1))
	from := f.number(0, latest)
	to := f.number(from+1, latest)
	price := f.number(1, mostWorth)
	units, offered := st.units(s, r)
	if !offered {
		f.fail("a price of what there is not")
	}
	if f.err != nil || units == 0 {
		return
	}
	at := slices.IndexFunc(m.tariffs[s], func(o *tariff) bool { return o.resource == r })
	if at < 0 {
		at = len(m.tariffs[s])
		m.tariffs[s] = append(m.tariffs[s], &tariff{resource: r})
	}
	begin, end := st.clock(s, r.Hold(), model.Time(from)), st.clock(s, r.Hold(), model.Time(to))
	m.worth = plus(m.worth, times(times(units, price), int64(end-begin)))
	of := m.tariffs[s][at]
	of.steps = append(of.steps, step{from: begin, price: price}, step{from: end, price: -price})
}

// addUp makes steps of changes of the price.
func (r *tariff) addUp() {
	slices.SortFunc(r.steps, func(a, b step) int { return cmp.Compare(a.from, b.from) })
	var last step
	for k := range r.steps {
		s := &r.steps[k]
		s.before = last.before + last.price*int64(s.from-last.from)
		s.price += last.price
		last = *s
	}
}

// overpaid: jobs pay more, all together, than all that has a price is worth.
func (st *state) overpaid(a []int64) error {
	m := st.multipliers[a[0]]
	if m == nil {
		return fmt.Errorf("there is no line of prices %d", a[0])
	}
	worth, all := m.worth, int64(0)
	for k, price := range m.ofLimits {
		if price > 0 && st.q.limits[k] == noLimit {
			return fmt.Errorf("there is a price of %s, and no limit", limitWords[k])
		}
		worth = plus(worth, times(price, max(0, st.q.limits[k])))
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
	missed, perTick, least := m.ofLimits[hardMisses], int64(0), int64(largest)
	if spec.Kind != model.Hard {
		missed = times(m.ofLimits[misses], spec.Weight)
	}
	if spec.Kind == model.Soft && j.role == must {
		perTick = times(m.ofLimits[weighted], spec.Weight)
	}
	if !st.in(k) {
		least = 0
		if j.by >= spec.Due() {
			least = missed
		}
	}
	if st.letGo(k) || least == 0 {
		return least
	}
	if j.by <= spec.Due() || missed > 0 {
		least = min(least, st.cheapest(m, k, min(j.by, spec.Due()), 0))
	}
	if j.by > spec.Due() {
		least = min(least, plus(missed, st.cheapest(m, k, j.by, perTick)))
	}
	return least
}

// cheapest is the least that a job pays for its tasks, and per tick after its deadline, if it
// ends by a time.
func (st *state) cheapest(m *multipliers, k int32, by model.Time, perTick int64) int64 {
	j := &st.jobs[k]
	defer st.undo(len(st.trail))
	st.lower(j.end, by)
	for t := j.task; t < j.last; t++ {
		st.pressEnds(t)
	}
	switch from := st.js.Jobs[j.job].Release; {
	case st.dead || by < from:
		return largest
	case by-from >= mostTicks:
		return 0
	default:
		w := way{state: st, m: m, from: from}
		return w.least(j, by, perTick)
	}
}

// way is the search for the cheapest way of a job through the cluster. Its stages are taken
// in parts, one after the other: all tasks of a part wait for all of the part before.
type way struct {
	*state
	m *multipliers
	// from is the first time that lists of costs by time are about, after what all parts
	// after one cost by when it ends.
	from  model.Time
	after []int64
}

// least works back from the end of the job: what is left costs the less the sooner it may
// begin.
func (w *way) least(j *job, by model.Time, perTick int64) int64 {
	spec := &w.js.Jobs[j.job]
	w.after = make([]int64, 1+by-w.from)
	for t := range w.after {
		if end := max(w.from+model.Time(t), w.is[j.end].first); end > spec.Due() {
			w.after[t] = min(mostWorth, times(perTick, int64(end-spec.Due())))
		}
	}
	all := parts(spec)
	for _, part := range slices.Backward(all[1:]) {
		w.after = w.handedOut(w.tasksOf(j, part))
	}
	least := int64(mostWorth)
	for end, cost := range w.ended(w.tasksOf(j, all[0])) {
		least = min(least, cost+w.after[end])
	}
	return least
}

// tasksOf lists the tasks of some stages of a job.
func (w *way) tasksOf(j *job, stages []int32) []int32 {
	var out []int32
	for _, n := range stages {
		for t := w.stages[j.stage+n].task; t < w.stages[j.stage+n].end; t++ {
			out = append(out, t)
		}
	}
	return out
}

// ended is what tasks cost that end by a time, by that.
func (w *way) ended(tasks []int32) []int64 {
	sum := make([]int64, len(w.after))
	for _, t := range tasks {
		ends := slices.Repeat([]int64{never}, len(sum))
		w.each(t, func(s *spot, here *reach) {
			begun, fetch := int64(never), here.fetch.first
			for start := here.start.first; start <= here.start.last; start++ {
				if s.tied {
					begun = never
				}
				for ; fetch <= min(here.fetch.last, start-s.place.fetch); fetch++ {
					begun = min(begun, s.fetching(fetch))
				}
				end := &ends[start+s.run-w.from]
				*end = min(*end, begun+s.running(start))
			}
		})
		cumulate(slices.All(ends), sum)
	}
	return sum
}

// handedOut is what tasks cost, and what comes after them, that are handed out at a time or
// later, by that. What comes after is shared out among them: each pays for its share as if
// it was the last one to end.
func (w *way) handedOut(tasks []int32) []int64 {
	sum := make([]int64, len(w.after))
	for n, t := range tasks {
		begins := slices.Repeat([]int64{never}, len(sum))
		w.each(t, func(s *spot, here *reach) {
			rest, start := int64(never), here.start.last
			for fetch := here.fetch.last; fetch >= here.fetch.first; fetch-- {
				if s.tied {
					rest = never
				}
				for ; start >= max(here.start.first, fetch+s.place.fetch); start-- {
					share := (w.after[start+s.run-w.from] + int64(n)) / int64(len(tasks))
					rest = min(rest, share+s.running(start))
				}
				begin := &begins[s.beat(fetch)-w.from]
				*begin = min(*begin, s.fetching(fetch)+rest)
			}
		})
		cumulate(slices.Backward(begins), sum)
	}
	return sum
}

// cumulate adds to sums the least of some costs so far.
func cumulate(costs func(func(int, int64) bool), sums []int64) {
	least := int64(mostWorth)
	for t, cost := range costs {
		least = min(least, cost)
		sums[t] = min(mostWorth, sums[t]+least)
	}
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

// parts lists the stages of a job in as many parts as there can be, each of which waits for
// all of those before it.
func parts(job *model.Job) [][]int32 {
	var out [][]int32
	order, begin := job.Order(), 0
	for at := 1; at < len(order); at++ {
		if waits(job, order[:at], order[at:]) {
			out = append(out, order[begin:at])
			begin = at
		}
	}
	return append(out, order[begin:])
}

// waits reports whether each of some stages waits for all before them, by way of others or
// not: then those that come after none of their own come after all that none of the ones
// before comes after.
func waits(job *model.Job, before, stages []int32) bool {
	follows := func(k, b int32) bool { return slices.Contains(job.Stages[k].After, b) }
	for _, k := range stages {
		first := !slices.ContainsFunc(stages, func(b int32) bool { return follows(k, b) })
		for _, b := range before {
			last := !slices.ContainsFunc(before, func(n int32) bool { return follows(n, b) })
			if first && last && !follows(k, b) {
				return false
			}
		}
	}
	return true
}

// never is a cost above all others; sums with a few of those do not overflow.
const never = 1 << 60

// spot is a place with the prices of what the task holds there.
type spot struct {
	*way
	*place
	held []priced
}

// priced is so many units of something, at its price.
type priced struct {
	*tariff
	units int64
}

func (w *way) spot(at int32) *spot {
	s := &spot{way: w, place: &w.places[at]}
	for _, r := range w.m.tariffs[s.slave] {
		if units := w.need(s.place, r.resource); units > 0 {
			s.held = append(s.held, priced{r, units})
		}
	}
	return s
}

// until is what the task pays for what it holds in the way of h, if that is held from the
// beginning to t.
func (s *spot) until(h model.Hold, t model.Time) int64 {
	sum := int64(0)
	for _, p := range s.held {
		if p.resource.Hold() == h {
			sum += p.units * p.tariff.until(s.clock(s.slave, h, t))
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
