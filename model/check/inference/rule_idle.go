package inference

import (
	"errors"
	"slices"

	"downbeat/model"
)

// overpaidWhileIdle: as overpaid, but what no task can hold yet, as the first inputs on a slave come
// one after the other, is worth nothing.
func (st *state) overpaidWhileIdle(a []int64) error {
	if st.js.Fetch == model.FetchConcurrent {
		return errors.New("inputs do not wait for each other where fetches are concurrent")
	}
	return st.overpay(a[0], func(m *multipliers) int64 {
		worth := m.worth
		for of, prices := range m.of {
			if of.Hold() != model.HoldFetch {
				worth -= st.idle(of, prices)
			}
		}
		return worth
	}, st.pays)
}

// idle is what units of a resource that no task can hold are worth. If k units are held of what at
// most n each hold, k/n tasks hold some: all of their inputs have come one after the other if they
// run, all but that of the last if they stay.
func (st *state) idle(of resource, prices priceList) int64 {
	begin, inputs, most := st.queue(of)
	supplies := st.js.Supplies(of.SlaveID)
	has := supplies[slices.IndexFunc(supplies, func(p model.Supply) bool { return p.Resource == of.ResourceID })]
	if has.Hold == model.HoldStay { // what is handed out before the next heartbeat is held from the one before
		begin -= st.js.Heartbeat - 1
		if len(inputs) > 0 {
			inputs = slices.Insert(inputs[:len(inputs)-1], 0, 0)
		}
	}
	sum, arrived := int64(0), begin
	before := func(end model.Time, units int64) {
		has.Units = units
		for _, p := range prices {
			if in := p.in.Intersect(model.Interval{Start: p.in.Start, End: end}); in.Len() > 0 {
				sum += worth(st.js, of.SlaveID, &has, in, p.each)
			}
		}
	}
	left := has.Units
	for _, input := range inputs {
		if left == 0 || st.stoppedAfter(len(prices)) {
			return sum
		}
		arrived = min(arrived+input, model.Never)
		units := min(most, left)
		before(arrived, units)
		left -= units
	}
	before(model.Never, left)
	return sum
}

// queue lists how long the tasks fetch, the shortest first, that may hold a resource on a slave, with
// the time before which none of them is handed out there, and the most that one of them holds.
func (st *state) queue(of resource) (begin model.Time, inputs []model.Time, most int64) {
	begin = model.Never
	for _, k := range st.onSlave[of.SlaveID] {
		p := &st.places[k]
		need, first := st.need(p, of.ResourceID), p.first
		if need == 0 || st.on(k) == no || st.stopped() {
			continue
		}
		if st.in(st.tasks[p.task].job) {
			left, ok := st.fit(p, st.among(p))
			if !ok {
				continue
			}
			first = left.fetch.first
		}
		begin, most, inputs = min(begin, first), max(most, need), append(inputs, p.fetch)
	}
	slices.Sort(inputs)
	return begin, inputs, most
}
