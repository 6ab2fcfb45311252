package pooled

import (
	"downbeat/model"
	"downbeat/solve/relaxation"
)

// supply is what a pool has of a resource; of what it has none there is no relaxation.Supply.
type supply struct {
	*relaxation.Supply
	// multiplier is that of each step, before the sum of those of all ticks before it, both
	// with one step more than there are.
	multiplier, before []int64
}

// newRows makes rows for all pools until end, in steps of 1<<shift ticks. What is held from
// a heartbeat on has one row per heartbeat interval, where intervals are longer than steps
// and those of all slaves of the pool fall together.
func newRows(js *model.JobSet, pools []pool, end model.Time, shift uint) *relaxation.Rows {
	g := relaxation.Grain{Step: 1 << shift, Steps: int(end>>shift) + 1}
	for k := range pools {
		g.Places = append(g.Places, pools[k].slaves)
	}
	return relaxation.NewRows(g, relaxation.Has{
		Supplies: js.Supplies, Closed: js.Closed,
		Joined: func(place int, hold model.Hold, step int) bool {
			p, at := &pools[place], model.Time(step)<<shift
			return hold == model.HoldStay && p.aligned && p.beat > g.Step && p.lastBeat(at) == p.lastBeat(at-g.Step)
		},
	})
}

// supplied makes what is worked out of multipliers for each supply.
func (r *lagrangian) supplied() {
	r.supplies, r.shared = make([][model.NumResources]supply, len(r.pools)), make([]supply, len(r.rows))
	for k := range r.Supplies {
		s := &r.Supplies[k]
		of := supply{s, make([]int64, r.Steps+1), make([]int64, r.Steps+1)}
		if s.Place == relaxation.Everywhere {
			r.shared[s.Shared] = of
		} else {
			r.supplies[s.Place][s.Resource] = of
		}
	}
}

// each yields all supplies that there are.
func (r *lagrangian) each(yield func(*supply)) {
	for k := range r.supplies {
		for i := range r.supplies[k] {
			if s := &r.supplies[k][i]; s.Supply != nil {
				yield(s)
			}
		}
	}
	for k := range r.shared {
		if s := &r.shared[k]; s.Supply != nil {
			yield(s)
		}
	}
}

// sum brings multipliers by step and their sums up to date.
func (r *lagrangian) sum() {
	r.each(func(s *supply) {
		for c := range r.Steps {
			s.multiplier[c] = r.Multipliers[s.Row(c)]
			s.before[c+1] = s.before[c] + s.multiplier[c]<<r.shift
		}
	})
}

// until is the sum of multipliers of a resource of a pool over the ticks before t.
func (r *lagrangian) until(s *supply, t model.Time) int64 {
	c := t >> r.shift
	if int(c) >= r.Steps {
		return s.before[r.Steps]
	}
	return s.before[c] + int64(t-c<<r.shift)*s.multiplier[c]
}
