package relaxation

import "downbeat/model"

// Grain is what a relaxation takes for one: slaves in places, ticks in steps.
type Grain struct {
	// Places are a partition of the slaves.
	Places [][]model.SlaveID
	// Step is the length of a step in ticks, Steps their number.
	Step  model.Time
	Steps int
}

// Single has each slave in a place of its own, by SlaveID.
func Single(js *model.JobSet) [][]model.SlaveID {
	out := make([][]model.SlaveID, len(js.Slaves))
	for s := range out {
		out[s] = []model.SlaveID{model.SlaveID(s)}
	}
	return out
}

// PlacesBy has slaves with equal keys in one place, in the order of their first slaves;
// nil where that makes more than most.
func PlacesBy[K comparable](js *model.JobSet, most int, key func(model.SlaveID) K) [][]model.SlaveID {
	out := [][]model.SlaveID{}
	at := map[K]int{}
	for s := range model.SlaveID(len(js.Slaves)) {
		k := key(s)
		n, seen := at[k]
		if !seen {
			if n = len(out); n == most {
				return nil
			}
			at[k] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], s)
	}
	return out
}

// Spread yields the steps that an interval has ticks in, and how many.
func (g *Grain) Spread(iv model.Interval, yield func(step int, ticks int64)) {
	length := g.Step
	from, to := iv.Start, min(iv.End, length*model.Time(g.Steps))
	for k := from / length; from < to; k++ {
		next := min(to, (k+1)*length)
		yield(int(k), int64(next-from))
		from = next
	}
}
