package inference

import (
	"fmt"
	"iter"
	"slices"

	"downbeat/model"
)

// supply is what a slave has of a resource at a point: less reservations, and at
// heartbeats only if it is held for stays. A negative point stands for no point.
func (st *state) supply(s model.SlaveID, r model.ResourceID, at model.Time) (int64, error) {
	supplies := st.js.Supplies(s)
	k := slices.IndexFunc(supplies, func(p model.Supply) bool { return p.Resource == r })
	switch {
	case k < 0:
		return 0, fmt.Errorf("slave %d has no resource %d", s, r)
	case r.Hold() == model.HoldStay && at >= 0 && st.beatFrom(s, at) != at:
		return 0, fmt.Errorf("%d is no heartbeat of slave %d", at, s)
	}
	return st.unreserved(s, &supplies[k], at), nil
}

// unreserved is what there is of a supply at a point, less reservations.
func (st *state) unreserved(s model.SlaveID, has *model.Supply, at model.Time) int64 {
	units := has.Units
	for _, k := range st.js.Slaves[s].Reservations {
		if k.Resource == has.Resource && k.Start <= at && at < k.End {
			units = max(0, units-k.Units)
		}
	}
	return units
}

// sure gives the tasks that are known to be on a slave, but one, with what is left to them
// there. If one has nowhere to go the state is dead.
func (st *state) sure(s model.SlaveID, but int32) iter.Seq2[*place, reach] {
	return func(yield func(*place, reach) bool) {
		for _, k := range st.onSlave[s] {
			p := &st.places[k]
			if p.task == but || st.on(k) != yes || st.stopped() {
				continue
			}
			left, ok := st.fit(p, st.among(p))
			if st.dead = st.dead || !ok; st.dead || !yield(p, left) {
				return
			}
		}
	}
}

// use is when a task at a place begins to hold a resource, for how long at the least, and
// until when at the least, begun at its first.
func (p *place) use(h model.Hold, r *reach) (begin *span, length, until model.Time) {
	switch h {
	case model.HoldRun:
		return &r.start, p.run, r.start.first + p.run
	case model.HoldFetch:
		return &r.fetch, p.fetch, r.fetch.first + p.fetch
	default: // from R on at the least
		return &r.fetch, p.fetch + p.run, r.start.first + p.run
	}
}

// step is the time between points at which a resource can be short. What begins before the
// next one is held at a point: handed out at the heartbeat, if for a stay.
func (st *state) step(h model.Hold) model.Time {
	if h == model.HoldStay {
		return st.js.Heartbeat
	}
	return 1
}

// need is what the task of a place holds of a resource.
func (st *state) need(p *place, r model.ResourceID) int64 {
	return st.js.Need(&st.js.Tasks[st.tasks[p.task].id], p.slave, r)
}

// held is what tasks surely hold on a slave at a point, whatever they do within reach.
func (st *state) held(s model.SlaveID, r model.ResourceID, at model.Time, but int32) (sum int64) {
	for p, left := range st.sure(s, but) {
		if begin, _, until := p.use(r.Hold(), &left); begin.last < at+st.step(r.Hold()) && at < until {
			sum = plus(sum, st.need(p, r))
		}
	}
	return sum
}
