package relaxation

import "downbeat/model"

// Rows are the capacity constraints that are relaxed: of every resource of every place one
// for each step of time, and so of what all places share.
type Rows struct {
	Grain
	// Supplies are in the order of places, what all share behind them, their rows one after the other.
	Supplies []Supply
	// Capacity is, by row, what there is in units × ticks.
	Capacity []int64
}

// Supply is what a place has of a resource; or what there is of a pool or a cap, where Place is
// Everywhere.
type Supply struct {
	Place    int
	Resource model.ResourceID
	Shared   model.SharedID
	Hold     model.Hold
	// First is the row of the first step.
	First int
	// joined is the row of each step where some have one in common, nil where not.
	joined []int32
}

// Everywhere is the place of what all places share.
const Everywhere = -1

// Row is that of a step.
func (s *Supply) Row(step int) int {
	if s.joined == nil {
		return s.First + step
	}
	return int(s.joined[step])
}

// Has says what there is.
type Has struct {
	// Supplies are those of a slave that have rows.
	Supplies func(model.SlaveID) []model.Supply
	// Closed are times at which a slave has nothing of what is held in a way. It may be nil.
	Closed func(model.SlaveID, model.Hold) []model.Interval
	// Joined reports whether a step after the first has no row of its own in a place, but
	// that of the step before, for what is held in a way. It may be nil.
	Joined func(place int, hold model.Hold, step int) bool
}

// NewRows makes the rows of a grain.
func NewRows(g Grain, has Has) *Rows {
	r := &Rows{Grain: g}
	for place, slaves := range g.Places {
		var at [model.NumResources]int // one more than the index of the supply
		for _, s := range slaves {
			for _, of := range has.Supplies(s) {
				if at[of.Resource] == 0 {
					r.add(place, &of, &has)
					at[of.Resource] = len(r.Supplies)
				}
				r.count(&r.Supplies[at[of.Resource]-1], s, &of, &has)
			}
		}
	}
	return r
}

// add numbers the rows of a resource of a place.
func (r *Rows) add(place int, of *model.Supply, has *Has) {
	s := Supply{Place: place, Resource: of.Resource, Hold: of.Hold, First: len(r.Capacity)}
	rows := r.Steps
	if has.Joined != nil {
		s.joined = make([]int32, r.Steps)
		last := int32(s.First)
		for k := range s.joined {
			if k > 0 && !has.Joined(place, of.Hold, k) {
				last++
			}
			s.joined[k] = last
		}
		if rows = int(last) + 1 - s.First; rows == r.Steps {
			s.joined = nil
		}
	}
	r.Supplies = append(r.Supplies, s)
	r.Capacity = append(r.Capacity, make([]int64, rows)...)
}

// count adds what a slave has of a resource.
func (r *Rows) count(s *Supply, slave model.SlaveID, of *model.Supply, has *Has) {
	for k := range r.Steps {
		r.Capacity[s.Row(k)] += of.Units * int64(r.Step)
	}
	if has.Closed == nil {
		return
	}
	for _, gap := range has.Closed(slave, of.Hold) {
		r.Spread(gap, func(k int, ticks int64) { r.Capacity[s.Row(k)] -= of.Units * ticks })
	}
}

// AddShared adds rows of pools and caps of a set.
func (r *Rows) AddShared(js *model.JobSet, limits []model.SharedID) {
	for _, id := range limits {
		r.Supplies = append(r.Supplies, Supply{Place: Everywhere, Shared: id, Hold: model.HoldStay, First: len(r.Capacity)})
		for k := range model.Time(r.Steps) {
			r.Capacity = append(r.Capacity, js.Shared()[id].Ticks(model.Interval{Start: k * r.Step, End: (k + 1) * r.Step}))
		}
	}
}

// Runs yields what values by row, those of a supply, are other than 0: equal ones of
// neighbouring steps together.
func (r *Rows) Runs(s *Supply, values []int64, yield func(iv model.Interval, value int64)) {
	for k := 0; k < r.Steps; {
		from, value := k, values[s.Row(k)]
		for k++; k < r.Steps && values[s.Row(k)] == value; k++ {
		}
		if value != 0 {
			yield(model.Interval{Start: model.Time(from) * r.Step, End: model.Time(k) * r.Step}, value)
		}
	}
}
