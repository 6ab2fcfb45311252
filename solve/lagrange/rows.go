package lagrange

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/relaxation"
)

// rows are the capacity constraints that are relaxed: of every resource of every
// slave one per tick, and for what is held from a heartbeat on ([model.HoldStay])
// one per heartbeat. Those of a resource are numbered by tick; ticks without a
// heartbeat then have a row that nothing uses. Pools and caps have one per tick.
type rows struct {
	*relaxation.Relaxation
	js *model.JobSet
	// end is the time by which all jobs that play a part are due.
	end    model.Time
	slaves []slaveRows
	// shared are those of pools and caps, by SharedID; nil where there are none.
	shared map[model.SharedID]*relaxation.Supply
	// base is what tasks in lanes pay in any case, by TaskID, where that was found before; nil where it is worked out.
	base []int64
	// looked is about how many starts of last stages have been looked at.
	looked int
}

// slaveRows has the rows of one slave.
type slaveRows struct {
	supplies []*relaxation.Supply
	loads    []*load
	// beat is the last heartbeat at or before a tick, -1 if there is none; of
	// absences only what lies within is of no use.
	beat []int32
	// present lists the presences within [0, end).
	present []model.Interval
}

// load is what some tasks hold together in one way.
type load struct {
	hold  model.Hold
	needs []need
	// sums are the multipliers of the load, added up over ticks before t.
	sums []int64
}

// need is a number of units ≥ 1 in each of the rows from first on; of what is held for a stay in those of
// heartbeats, unless it is shared.
type need struct {
	first  int
	units  int64
	shared bool
}

// newRows is for the ticks [0, end), with multipliers of 0. Absences take nothing off
// capacities: nothing is placed there, and multipliers stay at 0.
func newRows(ctx context.Context, js *model.JobSet, end model.Time, columns relaxation.Columns) *rows {
	of := relaxation.NewRows(relaxation.Grain{Places: relaxation.Single(js), Step: 1, Steps: int(end)}, relaxation.Has{
		Supplies: func(s model.SlaveID) []model.Supply {
			supplies := js.Supplies(s)
			slices.SortStableFunc(supplies, func(a, b model.Supply) int { return int(a.Hold) - int(b.Hold) })
			return supplies
		},
	})
	of.AddShared(js, sharedRows(js, end))
	r := &rows{Relaxation: relaxation.New(ctx, of, unit, columns), js: js, end: end, slaves: make([]slaveRows, len(js.Slaves))}
	for k := range of.Supplies {
		supply := &of.Supplies[k]
		if supply.Place == relaxation.Everywhere {
			r.share(supply)
			continue
		}
		at := &r.slaves[supply.Place]
		at.supplies = append(at.supplies, supply)
	}
	for s := range r.slaves {
		r.slaves[s].beat = beats(js, model.SlaveID(s), end)
		r.slaves[s].present = presences(&js.Slaves[s], end)
	}
	return r
}

// share has rows of a pool or a cap.
func (r *rows) share(supply *relaxation.Supply) {
	if r.shared == nil {
		r.shared = map[model.SharedID]*relaxation.Supply{}
	}
	r.shared[supply.Shared] = supply
}

// sharedRows are the pools and caps that have rows: those that tasks take of, as long as there are not
// too many rows. Pools come first.
func sharedRows(js *model.JobSet, end model.Time) []model.SharedID {
	var out []model.SharedID
	for id := range js.Shared() {
		if int(end)*(len(js.Slaves)+len(out)+1) >= maxRows {
			break
		}
		if len(js.Shared()[id].Tasks) > 0 {
			out = append(out, model.SharedID(id))
		}
	}
	return out
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

// load is what a task holds on slave s in the way of hold, shared with all others
// that hold as much.
func (r *rows) load(t model.TaskID, s model.SlaveID, hold model.Hold) *load {
	at := &r.slaves[s]
	var needs []need
	for _, sup := range at.supplies {
		if units := r.js.Need(&r.js.Tasks[t], s, sup.Resource); units > 0 && sup.Hold == hold {
			needs = append(needs, need{first: sup.First, units: units})
		}
	}
	for _, take := range r.js.Takes(t) {
		if sup := r.shared[take.Shared]; sup != nil && hold == model.HoldStay {
			needs = append(needs, need{sup.First, take.Units, true})
		}
	}
	for _, l := range at.loads {
		if l.hold == hold && slices.Equal(l.needs, needs) {
			return l
		}
	}
	l := &load{hold, needs, make([]int64, r.end+1)}
	at.loads = append(at.loads, l)
	return l
}

// sum brings the sums of multipliers up to date.
func (r *rows) sum() {
	for s := range r.slaves {
		for _, l := range r.slaves[s].loads {
			l.sum(r.Multipliers)
		}
	}
}

func (l *load) sum(multipliers []int64) {
	clear(l.sums)
	sums := l.sums[1:]
	for _, n := range l.needs {
		total := int64(0)
		for t, m := range multipliers[n.first:][:len(sums)] {
			total += n.units * m
			sums[t] += total
		}
	}
}

// add counts the load of a number of equal tasks from one tick to another, at each
// or every so many of them; what is shared at each.
func (r *rows) add(l *load, count int64, from, to, step model.Time) {
	for _, n := range l.needs {
		step := step
		if n.shared {
			step = 1
		}
		for t := from; t < to; t += step {
			r.Use[n.first+int(t)] += n.units * count
		}
	}
}

// list lists multipliers, which are by row, those that are not 0: equal ones of
// neighbouring ticks together.
func (r *rows) list(multipliers []int64) (out []proof.Multiplier) {
	for k := range r.Supplies {
		s := &r.Supplies[k]
		r.Runs(s, multipliers, func(iv model.Interval, value int64) {
			m := proof.Multiplier{Slave: model.NoSlave, Shared: s.Shared, Interval: iv, Value: value}
			if s.Place != relaxation.Everywhere {
				m = proof.Multiplier{Slave: model.SlaveID(s.Place), Resource: s.Resource, Interval: iv, Value: value}
			}
			out = append(out, m)
		})
	}
	return out
}

// unlist has the multipliers be those of a list, up to the end.
func (r *rows) unlist(list []proof.Multiplier) {
	clear(r.Multipliers)
	for k := range list {
		m := &list[k]
		for i := range r.Supplies {
			if s := &r.Supplies[i]; isOf(m, s) {
				for t := m.Interval.Start; t < min(m.Interval.End, r.end); t++ {
					r.Multipliers[s.Row(int(t))] = m.Value
				}
			}
		}
	}
}

// isOf tells that a multiplier is one of the rows of a supply.
func isOf(m *proof.Multiplier, s *relaxation.Supply) bool {
	if m.Slave == model.NoSlave {
		return s.Place == relaxation.Everywhere && s.Shared == m.Shared
	}
	return s.Place == int(m.Slave) && s.Resource == m.Resource
}
