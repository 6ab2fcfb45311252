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

// multipliers are a line m: prices of what slaves have, or other such lines, each so many
// times; and prices of what limits allow.
type multipliers struct {
	rows     [][]*row // by slave
	parts    []part
	ofLimits [limits]int64
	// worth is what all is worth that slaves have, and size counts the times of rows.
	worth int64
	size  model.Time
	known map[paying]*pay
}

type part struct {
	*multipliers
	times int64
}

// row is the price of a resource by time, added up: all before from+k is worth sums[k].
type row struct {
	resource model.ResourceID
	from     model.Time
	sums     []int64
}

// readMultipliers reads a line m.
func (st *state) readMultipliers(f *fields) error {
	m := &multipliers{rows: make([][]*row, len(st.slaves)), known: map[paying]*pay{}}
	id := st.nextID(f)
	for f.more() {
		st.readPrice(m, f)
	}
	if len(m.parts) > 0 && (m.size > 0 || m.ofLimits[weighted] > 0) {
		f.fail("a line of lines has no prices of its own but of misses")
	}
	if m.worth >= mostWorth {
		f.fail("all is worth too much")
	}
	for _, rows := range m.rows {
		for _, r := range rows {
			if st.stoppedAfter(len(r.sums)) {
				return st.ctx.Err()
			}
			sum := int64(0)
			for k, price := range r.sums {
				r.sums[k] = sum
				sum = plus(sum, price)
			}
		}
	}
	st.multipliers[id] = m
	return f.end()
}

// readPrice reads R.S.A.B.V, ID*N, or the price of a limit.
func (st *state) readPrice(m *multipliers, f *fields) {
	word := f.word()
	parts, isPart := bytes.Split(word, []byte(".")), bytes.Contains(word, []byte("*"))
	if isPart {
		parts = bytes.Split(word, []byte("*"))
	}
	n, fine := make([]int64, len(parts)), true
	limit := slices.IndexFunc(limitWords[:], func(w string) bool { return len(parts) == 2 && w == string(parts[0]) })
	for i := max(0, min(1, limit+1)); i < len(parts); i++ {
		v, ok := parse(parts[i])
		n[i], fine = v, fine && ok && v >= 0
	}
	last := len(n) - 1
	switch of := (*multipliers)(nil); {
	case !fine || last < 1 || n[last] < 1 || n[last] > mostWorth:
		f.fail("%.40q is no price", word)
	case limit >= 0 && !isPart && m.ofLimits[limit] == 0:
		m.ofLimits[limit] = n[1]
	case last == 4 && !isPart:
		st.put(m, f, n)
	case last == 1 && isPart && limit < 0:
		if of = st.multipliers[n[0]]; of == nil || len(of.parts) > 0 || of.ofLimits != [limits]int64{} {
			f.fail("%.40q is no line of prices of what slaves have", word)
			return
		}
		m.parts = append(m.parts, part{of, n[1]})
		m.worth = plus(m.worth, times(of.worth, n[1]))
	default:
		f.fail("%.40q is no price", word)
	}
}

// put adds the price of a resource on a slave in an interval, R.S.A.B.V.
func (st *state) put(m *multipliers, f *fields, n []int64) {
	r, from, to := model.ResourceID(min(n[0], int64(model.Resources))), model.Time(n[2]), model.Time(n[3])
	if n[0] >= int64(int(model.FirstNamed)+len(st.js.Named)) || n[1] >= int64(len(st.slaves)) || from >= to || to > latest {
		f.fail("a price of nothing")
		return
	}
	s := model.SlaveID(n[1])
	units, offered := st.units(s, r)
	at := slices.IndexFunc(m.rows[s], func(o *row) bool { return o.resource == r })
	if at < 0 {
		at = len(m.rows[s])
		m.rows[s] = append(m.rows[s], &row{r, from, make([]int64, 1)})
	}
	row := m.rows[s][at]
	done := model.Time(len(row.sums)) - 1
	if m.size += to - row.from - done; !offered || from < row.from+done || m.size > mostTicks {
		f.fail("prices of what there is not, that do not ascend, or of too many times")
		return
	}
	row.sums = append(row.sums, make([]int64, to-row.from-done)...)
	step := model.Time(1)
	if r.Hold() == model.HoldStay {
		from, step = st.beatFrom(&st.slaves[s], from), st.js.Heartbeat
	}
	for ; from < to; from += step {
		row.sums[from-row.from] = n[4]
		m.worth = plus(m.worth, times(units, n[4]))
	}
}

// prices: jobs pay more, all together, than all that has a price is worth.
func prices(st *state, a []int64) error {
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
	j, end := &st.jobs[k], st.end(k)
	spec := &st.js.Jobs[j.job]
	missed, perTick, least := m.ofLimits[hardMisses], int64(0), int64(math.MaxInt64)
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
	// It is in, and late where it may be; or in time.
	late := span{st.lo[end], min(st.hi[end], j.by)}
	inTime := span{late.first, min(late.last, spec.Due())}
	if late != inTime && missed > 0 {
		least = min(least, plus(missed, st.paysWithin(m, k, late, perTick)))
		late = inTime
	}
	if !late.empty() {
		least = min(least, st.paysWithin(m, k, late, perTick))
	}
	return least
}

// paysWithin is the least that a job pays if it is in and ends within some time, but for
// missing its deadline.
func (st *state) paysWithin(m *multipliers, k int32, end span, perTick int64) int64 {
	if len(m.parts) == 0 {
		return st.cheapest(m, k, end, perTick)
	}
	out := int64(0)
	for _, p := range m.parts {
		out = plus(out, times(p.times, st.cheapest(p.multipliers, k, end, 0)))
	}
	return out
}

// paying is a job, in time or not; pay is the least that it pays if so much is left to it.
type paying struct {
	job    int32
	inTime bool
}

type pay struct {
	left []model.Time
	cost int64
}

// cheapest is paysWithin by prices of what slaves have.
func (st *state) cheapest(m *multipliers, k int32, end span, perTick int64) int64 {
	j := &st.jobs[k]
	stages := int32(len(st.js.Jobs[j.job].Stages))
	left := []model.Time{end.first, end.last}
	for _, some := range [][]model.Time{st.lo, st.hi} {
		left = append(left, some[st.start(j.task):st.start(j.last)]...)
		left = append(left, some[st.over(j.stage):st.over(j.stage+stages)]...)
	}
	for at := st.tasks[j.task].place; at < st.tasks[j.last-1].end; at++ {
		left = append(left, model.Time(st.on(at)))
	}
	key := paying{k, end.last <= st.js.Jobs[j.job].Due()}
	if p := m.known[key]; p == nil || !slices.Equal(p.left, left) {
		w := way{state: st, m: m, k: k, spec: &st.js.Jobs[j.job], end: end, perTick: perTick}
		m.known[key] = &pay{left, w.least()}
	}
	return m.known[key].cost
}
