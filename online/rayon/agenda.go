package rayon

import (
	"slices"

	"downbeat/model"
)

// Agenda is how many of some equal slots are reserved, over time.
type Agenda struct {
	capacity int
	// steps begin at 0 and ascend; each holds until the next.
	steps []step
}

type step struct {
	at   model.Time
	used int
}

// NewAgenda has nothing reserved.
func NewAgenda(capacity int) *Agenda {
	return &Agenda{capacity: capacity, steps: []step{{}}}
}

// index is the step that holds at t ≥ 0.
func (a *Agenda) index(t model.Time) int {
	at, found := slices.BinarySearchFunc(a.steps, t, func(s step, t model.Time) int { return int(s.at - t) })
	if !found {
		at--
	}
	return at
}

// cut makes a step begin at t, and is its index.
func (a *Agenda) cut(t model.Time) int {
	i := a.index(t)
	if a.steps[i].at < t {
		i++
		a.steps = slices.Insert(a.steps, i, step{t, a.steps[i-1].used})
	}
	return i
}

// Reserve adds n slots over an interval; n may be below 0.
func (a *Agenda) Reserve(iv model.Interval, n int) {
	if iv.Len() == 0 || n == 0 {
		return
	}
	from := a.cut(iv.Start)
	for i, to := from, a.cut(iv.End); i < to; i++ {
		a.steps[i].used += n
	}
}

// Room is how many slots are free during the whole of an interval.
func (a *Agenda) Room(iv model.Interval) int {
	most := 0
	for i := a.index(iv.Start); i < len(a.steps) && a.steps[i].at < iv.End; i++ {
		most = max(most, a.steps[i].used)
	}
	return max(0, a.capacity-most)
}

// Load is the sum over the ticks of an interval of the slots that are reserved.
func (a *Agenda) Load(iv model.Interval) model.Time {
	sum := model.Time(0)
	for i := a.index(iv.Start); i < len(a.steps) && a.steps[i].at < iv.End; i++ {
		end := iv.End
		if i+1 < len(a.steps) {
			end = min(end, a.steps[i+1].at)
		}
		sum += (end - max(iv.Start, a.steps[i].at)) * model.Time(a.steps[i].used)
	}
	return sum
}

// Peak is the most that is ever reserved.
func (a *Agenda) Peak() int {
	peak := 0
	for _, s := range a.steps {
		peak = max(peak, s.used)
	}
	return peak
}

// lastFull is when the last step of an interval begins in which no slot is free; the
// interval has one.
func (a *Agenda) lastFull(iv model.Interval) model.Time {
	for i := a.index(iv.End - 1); i > 0; i-- {
		if a.steps[i].used >= a.capacity {
			return a.steps[i].at
		}
	}
	return 0
}

// Block is a number of slots reserved over an interval.
type Block struct {
	model.Interval
	Slots int
}

// Latest reserves n slots for d ticks each between start and due, as late as it goes (GREE):
// as many as fit into the last d ticks, then into the last before what is full, and so on.
// Without room for all nothing is reserved.
func (a *Agenda) Latest(n int, d, start, due model.Time) ([]Block, bool) {
	var out []Block
	for at := due; n > 0; {
		iv := model.Interval{Start: at - d, End: at}
		if iv.Start < start {
			a.cancel(out)
			return nil, false
		}
		k := min(n, a.Room(iv))
		if k == 0 {
			at = a.lastFull(iv)
			continue
		}
		out = append(out, a.take(iv, k))
		n -= k
	}
	return out, true
}

// Smoothness is the number of parts in which LowCost reserves a stage.
const Smoothness = 10

// Cheapest reserves n slots for d ticks each, part by part, in the window with the least load
// among those of d ticks that end at due or lie whole windows before it, no earlier than
// start (LowCost, aligned). Of equal ones it takes the first. Without room for all nothing is
// reserved.
func (a *Agenda) Cheapest(n int, d, start, due model.Time) ([]Block, bool) {
	var out []Block
	part := (n + Smoothness - 1) / Smoothness
	for n > 0 {
		var best model.Interval
		least, found := model.Time(0), false
		for at := due; at-d >= start; at -= d {
			iv := model.Interval{Start: at - d, End: at}
			if load := a.Load(iv); (!found || load <= least) && a.Room(iv) > 0 {
				best, least, found = iv, load, true
			}
		}
		if !found {
			a.cancel(out)
			return nil, false
		}
		b := a.take(best, min(part, n, a.Room(best)))
		out = append(out, b)
		n -= b.Slots
	}
	return out, true
}

func (a *Agenda) take(iv model.Interval, n int) Block {
	a.Reserve(iv, n)
	return Block{iv, n}
}

func (a *Agenda) cancel(blocks []Block) {
	for _, b := range blocks {
		a.Reserve(b.Interval, -b.Slots)
	}
}
