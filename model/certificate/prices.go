package certificate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"downbeat/model"
)

// Bounds that keep sums within an int64, and checks within bounds.
const (
	mostWorth = 1 << 58
	mostTicks = 1 << 22
)

// multipliers are a line m: prices of what slaves have, and of what limits allow.
type multipliers struct {
	rows  map[has]*row
	parts []part
	// end is when prices end, and worth what all is worth that has one, limits apart.
	end   model.Time
	worth int64
	// ofLimits are the prices of limits, and size counts times that have a price.
	ofLimits [limits]int64
	size     model.Time
	// sums are prices of slots and named resources together, known what jobs pay.
	sums  map[held]*row
	known map[int32]*pay
}

// part is another line, so many times.
type part struct {
	*multipliers
	times int64
}

// has is what has a price.
type has struct {
	slave    model.SlaveID
	resource model.ResourceID
}

// held is what a task holds for its stay.
type held struct {
	slave model.SlaveID
	slot  model.SlotKind
	needs model.Needs
}

// pay is the least that a job pays for its tasks if it is in, where it is left so much;
// none if it cannot be in.
type pay struct {
	left []model.Time
	cost int64
	none bool
}

// row is a price by time, added up: all before from+k is worth sums[k].
type row struct {
	from model.Time
	sums []int64
}

// priced is so many units of something, at its price.
type priced struct {
	*row
	units int64
}

// before is the price of all that is before a time.
func (p priced) before(t model.Time) int64 {
	if p.row == nil || t <= p.from {
		return 0
	}
	return p.units * p.sums[min(int(t-p.from), len(p.sums)-1)]
}

// readMultipliers reads a line m.
func (st *state) readMultipliers(f *fields) error {
	m := &multipliers{rows: map[has]*row{}, sums: map[held]*row{}, known: map[int32]*pay{}}
	for id := st.nextID(f); ; st.readPrice(m, f) {
		if !f.more() {
			st.multipliers[id] = m
			break
		}
	}
	for _, r := range m.rows {
		sum := int64(0)
		for k, price := range r.sums {
			r.sums[k] = sum
			sum += price
		}
	}
	return f.end()
}

// readPrice reads R.S.A.B.V, ID*N, or the price of a limit.
func (st *state) readPrice(m *multipliers, f *fields) {
	word := f.word()
	var n [5]int64
	text, count, fine := word, 0, true
	for k := range limits {
		if after, found := bytes.CutPrefix(word, []byte(limitWords[k]+".")); found {
			v, ok := parse(after)
			if !ok || v < 1 || v > mostWorth || m.ofLimits[k] > 0 {
				f.fail("%.40q is no price, or the second of a limit", word)
			}
			m.ofLimits[k] = v
			return
		}
	}
	for more := true; more && fine; count++ {
		var number []byte
		number, text, more = bytes.Cut(text, []byte("."))
		if n[min(count, 4)], fine = parse(number); count > 4 {
			fine = false
		}
	}
	id, many, isPart := bytes.Cut(word, []byte("*"))
	switch {
	case isPart:
		st.readPart(m, f, id, many)
	case !fine || count != 5 || n[0] < 0 || n[0] >= int64(model.Resources) || n[1] < 0 || n[1] >= int64(len(st.slaves)):
		f.fail("%.40q is no price", word)
	default:
		if why := st.put(m, has{model.SlaveID(n[1]), model.ResourceID(n[0])}, span{model.Time(n[2]), model.Time(n[3])}, n[4]); why != "" {
			f.fail("%.40q: %s", word, why)
		}
	}
}

// readPart reads that prices are those of another line, so many times.
func (st *state) readPart(m *multipliers, f *fields, id, count []byte) {
	number, ok := parse(id)
	n, ok2 := parse(count)
	of := st.multipliers[number]
	if !ok || !ok2 || of == nil || n < 1 || len(of.parts) > 0 || of.ofLimits != [limits]int64{} {
		f.fail("%.40s*%.40s is not a line of prices of what slaves have, so many times", id, count)
		return
	}
	m.parts = append(m.parts, part{of, n})
	if m.worth = plus(m.worth, times(n, of.worth)); m.worth >= mostWorth {
		f.fail("all is worth too much")
	}
}

// put adds a price per unit, from the first of two times to before the last, after all
// others of the same thing; it tells what is wrong with it.
func (st *state) put(m *multipliers, of has, at span, price int64) string {
	units, offered := st.units(of.slave, of.resource)
	r := m.rows[of]
	if r == nil {
		r = &row{from: at.first, sums: make([]int64, 1)}
		m.rows[of] = r
	}
	end := at.last - r.from
	switch done := model.Time(len(r.sums) - 1); {
	case !offered:
		return "the slave has none of it"
	case at.first < r.from+done || at.first >= at.last || at.first < -latest || at.last > latest || price < 1:
		return "prices of one thing are positive, and their intervals ascend"
	case m.size+end-done > mostTicks:
		return "prices of too many times"
	default:
		m.size += end - done
		r.sums = append(r.sums, make([]int64, end-done)...)
	}
	step, t := model.Time(1), at.first
	if of.resource.Hold() == model.HoldStay {
		step, t = st.js.Heartbeat, st.beatFrom(&st.slaves[of.slave], at.first)
	}
	for ; t < at.last; t += step {
		r.sums[t-r.from] = price
		m.worth = plus(m.worth, times(units, price))
	}
	m.end = max(m.end, at.last)
	if m.worth >= mostWorth {
		return "all is worth too much"
	}
	return ""
}

// price finds the prices at a spot of a task.
func (m *multipliers) price(js *model.JobSet, t model.TaskID, s *spot) {
	task := &js.Tasks[t]
	s.cores = priced{m.rows[has{s.slave, model.Cores}], task.Cores()}
	if s.hold > s.run {
		s.line = priced{m.rows[has{s.slave, model.FetchLine}], 1}
	}
	of := held{s.slave, task.Slot, task.Needs()}
	sum, known := m.sums[of]
	if !known {
		sum = m.rows[has{s.slave, model.MapSlots + model.ResourceID(js.Slaves[s.slave].Pool(task.Slot))}]
		for k := range js.Named {
			if also := m.rows[has{s.slave, model.FirstNamed + model.ResourceID(k)}]; also != nil && task.Units(k) > 0 {
				sum = sum.plus(priced{also, task.Units(k)})
			}
		}
		m.sums[of] = sum
	}
	s.slots = priced{sum, 1}
}

// plus is the sum of prices; of none, where r is nil, and others.
func (r *row) plus(o priced) *row {
	from, end := o.from, o.from+model.Time(len(o.sums))
	if r != nil {
		from, end = min(from, r.from), max(end, r.from+model.Time(len(r.sums)))
	}
	out := &row{from, make([]int64, end-from)}
	for k := range out.sums {
		t := from + model.Time(k)
		out.sums[k] = priced{r, 1}.before(t) + o.before(t)
	}
	return out
}

// overpaid reports whether jobs pay more, all together, than all that has a price is
// worth.
func (st *state) overpaid(m *multipliers) bool {
	worth := m.worth
	for k, price := range m.ofLimits {
		if price == 0 {
			continue
		}
		if st.q.limits[k] == noLimit {
			return false // all that there is, without end
		}
		worth = plus(worth, times(price, st.q.limits[k]))
	}
	all := int64(0)
	for k := range st.jobs {
		paid := st.pays(m, int32(k))
		if all = plus(all, paid); all > worth || st.stopped() {
			break
		}
	}
	return all > worth
}

// pays is the least that a job pays: the most that there is where it can neither be in nor
// be let go.
func (st *state) pays(m *multipliers, k int32) int64 {
	j := &st.jobs[k]
	spec := &st.js.Jobs[j.job]
	missed, perTick := int64(0), int64(0)
	switch {
	case spec.Kind == model.Hard:
		missed = m.ofLimits[hardMisses]
	case spec.Kind == model.Soft:
		missed = times(m.ofLimits[misses], spec.Weight)
		if j.role == must {
			perTick = times(m.ofLimits[weighted], spec.Weight)
		}
	}
	out := int64(math.MaxInt64)
	if !st.in(k) {
		out = 0
		if j.by >= st.js.Jobs[j.job].Due() {
			out = missed
		}
	}
	if st.letGo(k) || out == 0 {
		return out
	}
	if cost, ok := st.paysIn(m, k, min(missed, mostWorth), min(perTick, mostWorth)); ok {
		out = min(out, cost)
	}
	return out
}

// paysIn is the least that a job pays if it is in; false if it cannot be in.
func (st *state) paysIn(m *multipliers, k int32, missed, perTick int64) (int64, bool) {
	if len(m.parts) == 0 {
		return st.cheapest(m, k, missed, perTick)
	}
	out, late := int64(0), st.lo[st.end(k)]-st.js.Jobs[st.jobs[k].job].Due()
	if late > 0 {
		out = plus(missed, times(perTick, int64(late)))
	}
	if len(m.rows) > 0 {
		cost, ok := st.cheapest(m, k, missed, perTick)
		if !ok {
			return 0, false
		}
		out = max(out, cost)
	}
	for _, p := range m.parts {
		cost, ok := st.cheapest(p.multipliers, k, 0, 0)
		if !ok {
			return 0, false
		}
		out = plus(out, times(p.times, cost))
	}
	return out, true
}

// cheapest is the cost of the cheapest way of a job and of its end.
func (st *state) cheapest(m *multipliers, k int32, missed, perTick int64) (int64, bool) {
	left := st.leftTo(k)
	if p := m.known[k]; p != nil && slices.Equal(p.left, left) {
		return p.cost, !p.none
	}
	w := way{state: st, m: m, k: k, spec: &st.js.Jobs[st.jobs[k].job], missed: missed, perTick: perTick}
	cost, ok := w.least()
	m.known[k] = &pay{left, cost, !ok}
	return cost, ok
}

// leftTo is all that is left to a job, as one list.
func (st *state) leftTo(k int32) []model.Time {
	j, spec := &st.jobs[k], &st.js.Jobs[st.jobs[k].job]
	add := func(out []model.Time, from, n int32) []model.Time {
		return append(append(out, st.lo[from:from+n]...), st.hi[from:from+n]...)
	}
	out := add(nil, st.end(k), 1)
	out[1] = min(out[1], j.by) // if it is in
	out = add(out, st.over(j.stage), int32(len(spec.Stages)))
	tasks := int32(spec.End - spec.First)
	out = add(out, st.start(j.task), 3*tasks)
	for at := st.tasks[j.task].place; at < st.tasks[j.task+tasks-1].end; at++ {
		on := model.Time(1)
		if st.on(at) == no {
			on = 0
		}
		out = append(out, on)
	}
	return out
}

// prices: what has a price in a line m does not do for what jobs pay at the least.
func prices(st *state, args []int64) error {
	m := st.multipliers[args[0]]
	if m == nil {
		return fmt.Errorf("there is no line of prices %d", args[0])
	}
	if !st.overpaid(m) {
		return errors.New("jobs may pay no more than what all that has a price is worth")
	}
	return nil
}
