// Package rows has the capacity constraints that the Lagrangian relaxation relaxes, with
// their multipliers, and what tasks hold of them.
package rows

import (
	"slices"

	"downbeat/model"
)

// Rows are the capacity constraints that are relaxed: of every resource of every
// slave one per tick, and for what is held from a heartbeat on ([model.HoldStay])
// one per heartbeat. Those of a resource are numbered by tick; ticks without a
// heartbeat then have a row that nothing uses.
type Rows struct {
	js *model.JobSet
	// End is the time by which all jobs that play a part are due.
	End    model.Time
	Slaves []Slave
	// Multipliers ≥ 0, Capacity and Use are indexed by row, in units of the
	// resource. Use is that of the placements selected last.
	Multipliers []int64
	Capacity    []int64
	Use         []int64
	// Looked is about how many starts of last stages have been looked at.
	Looked int
}

// Slave has the rows of one slave.
type Slave struct {
	Supplies []Supply
	loads    []*Load
	// Beat is the last heartbeat at or before a tick, -1 if there is none; of
	// absences only what lies within is of no use.
	Beat []int32
	// Present lists the presences within [0, end).
	Present []model.Interval
}

// Supply is a resource with the number of its row of tick 0.
type Supply struct {
	model.Supply
	First int
}

// Load is what some tasks hold together in one way.
type Load struct {
	hold  model.Hold
	needs []need
	// Sums are the dual prices of the load, added up over ticks before t.
	Sums []int64
}

// need is a number of units ≥ 1 in each of the rows from first on.
type need struct {
	first int
	units int64
}

// New is for the ticks [0, end), with multipliers of 0.
func New(js *model.JobSet, end model.Time) *Rows {
	r := &Rows{js: js, End: end, Slaves: make([]Slave, len(js.Slaves))}
	for s := range r.Slaves {
		at := &r.Slaves[s]
		supplies := js.Supplies(model.SlaveID(s))
		slices.SortStableFunc(supplies, func(a, b model.Supply) int { return int(a.Hold) - int(b.Hold) })
		for _, sup := range supplies {
			at.Supplies = append(at.Supplies, Supply{sup, len(r.Capacity)})
			r.Capacity = append(r.Capacity, slices.Repeat([]int64{sup.Units}, int(end))...)
		}
		at.Beat = beats(js, model.SlaveID(s), end)
		at.Present = presences(&js.Slaves[s], end)
	}
	r.Multipliers = make([]int64, len(r.Capacity))
	r.Use = make([]int64, len(r.Capacity))
	return r
}

// beats lists the last heartbeat at or before each tick.
func beats(js *model.JobSet, s model.SlaveID, end model.Time) []int32 {
	beat := make([]int32, end)
	for t := range beat {
		beat[t] = -1
		if gamma, at := js.BeatAtOrBefore(s, model.Time(t)); gamma >= 0 {
			beat[t] = int32(at)
		}
	}
	return beat
}

// presences lists when a slave is there, within [0, end).
func presences(slave *model.Slave, end model.Time) []model.Interval {
	var present []model.Interval
	since := model.Time(0)
	for _, d := range slave.Down {
		if d.Start > since {
			present = append(present, model.Interval{Start: since, End: min(d.Start, end)})
		}
		since = d.End
	}
	if since < end {
		present = append(present, model.Interval{Start: since, End: end})
	}
	return present
}

// Load is what a task holds on slave s in the way of hold, shared with all others
// that hold as much.
func (r *Rows) Load(task *model.Task, s model.SlaveID, hold model.Hold) *Load {
	at := &r.Slaves[s]
	var needs []need
	for _, sup := range at.Supplies {
		if units := r.js.Need(task, s, sup.Resource); units > 0 && sup.Hold == hold {
			needs = append(needs, need{sup.First, units})
		}
	}
	for _, l := range at.loads {
		if l.hold == hold && slices.Equal(l.needs, needs) {
			return l
		}
	}
	l := &Load{hold, needs, make([]int64, r.End+1)}
	at.loads = append(at.loads, l)
	return l
}

// Heartbeat is the interval between heartbeats, in ticks.
func (r *Rows) Heartbeat() model.Time { return r.js.Heartbeat }

// Sum brings the sums of dual prices up to date.
func (r *Rows) Sum() {
	for s := range r.Slaves {
		for _, l := range r.Slaves[s].loads {
			l.sum(r.Multipliers)
		}
	}
}

func (l *Load) sum(multipliers []int64) {
	clear(l.Sums)
	sums := l.Sums[1:]
	for _, n := range l.needs {
		total := int64(0)
		for t, m := range multipliers[n.first:][:len(sums)] {
			total += n.units * m
			sums[t] += total
		}
	}
}

// Worth is what all capacities cost together.
func (r *Rows) Worth() int64 {
	total := int64(0)
	for k, m := range r.Multipliers {
		total += m * r.Capacity[k]
	}
	return total
}

// Add counts the load of a number of equal tasks from one tick to another, at each
// or every so many of them.
func (r *Rows) Add(l *Load, count int64, from, to, step model.Time) {
	for _, n := range l.needs {
		for t := from; t < to; t += step {
			r.Use[n.first+int(t)] += n.units * count
		}
	}
}
