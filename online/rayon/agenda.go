package rayon

import (
	"cmp"
	"container/heap"
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

// pastFull is the window that lies on the far side of what is full in a window: before the
// last full step, or, early, after the first. The window has a full step.
func (a *Agenda) pastFull(iv model.Interval, early bool) model.Interval {
	i, by := a.index(iv.End-1), -1
	if early {
		i, by = a.index(iv.Start), +1
	}
	for a.steps[i].used < a.capacity {
		i += by
	}
	if !early {
		return edge(model.Interval{End: a.steps[i].at}, iv.Len(), false)
	}
	free := model.Never
	if i+1 < len(a.steps) {
		free = a.steps[i+1].at
	}
	return edge(model.Interval{Start: free}, iv.Len(), true)
}

// edge is the window of d ticks at the end of an interval, or, early, at its beginning.
func edge(iv model.Interval, d model.Time, early bool) model.Interval {
	if early {
		return model.Interval{Start: iv.Start, End: iv.Start + d}
	}
	return model.Interval{Start: iv.End - d, End: iv.End}
}

// Block is a number of slots reserved over an interval.
type Block struct {
	model.Interval
	Slots int
}

// Greedy reserves n slots for d ticks each within an interval, as late as it goes: as many as
// fit into the last d ticks, then into the last before what is full, and so on. With early it
// begins at the other end. Without room for all nothing is reserved.
func (a *Agenda) Greedy(n int, d model.Time, within model.Interval, early bool) ([]Block, bool) {
	var out []Block
	for iv := edge(within, d, early); n > 0; {
		if iv.Start < within.Start || iv.End > within.End {
			a.cancel(out)
			return nil, false
		}
		k := min(n, a.Room(iv))
		if k == 0 {
			iv = a.pastFull(iv, early)
			continue
		}
		out = append(out, a.take(iv, k))
		n -= k
	}
	return out, true
}

// Smoothness divides what a window would have of a stage that is spread evenly: so many
// slots, and at least one, LowCost reserves at a time.
const Smoothness = 10

// mostWindows bounds the windows that LowCost looks at, those that it prefers among equals.
const mostWindows = 10_000

// LowCost reserves n slots for d ticks each, part by part, in the window with the least load
// among those of d ticks that end with an interval, or lie whole windows before its end; of
// equal ones in the last. With early they begin with the interval, or lie whole windows after
// that, and of equal ones it takes the first. Without room for all nothing is reserved.
func (a *Agenda) LowCost(n int, d model.Time, within model.Interval, early bool) ([]Block, bool) {
	windows := int((within.End - within.Start) / d)
	if windows < 1 {
		return nil, false
	}
	part := max(1, max(1, n/windows)/Smoothness)
	h := make(byLoad, 0, min(windows, mostWindows))
	for i, iv := 0, edge(within, d, early); i < cap(h); i++ {
		if a.Room(iv) > 0 {
			h = append(h, &window{Block: Block{Interval: iv}, load: a.Load(iv), place: i})
		}
		if early {
			iv = edge(model.Interval{Start: iv.End}, d, true)
		} else {
			iv = edge(model.Interval{End: iv.Start}, d, false)
		}
	}
	heap.Init(&h)
	var used []*window
	for n > 0 && len(h) > 0 {
		w := h[0]
		if w.Slots == 0 {
			used = append(used, w)
		}
		b := a.take(w.Interval, min(part, n, a.Room(w.Interval)))
		n, w.Slots, w.load = n-b.Slots, w.Slots+b.Slots, a.Load(w.Interval)
		if a.Room(w.Interval) > 0 {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	out := make([]Block, len(used))
	for i, w := range used {
		out[i] = w.Block
	}
	if n > 0 {
		a.cancel(out)
		return nil, false
	}
	return out, true
}

// window is one of LowCost's, with what it has reserved in it, and its place among equals.
type window struct {
	Block
	load  model.Time
	place int
}

// byLoad is a heap of windows.
type byLoad []*window

// Len implements heap.Interface.
func (h byLoad) Len() int { return len(h) }

// Less implements heap.Interface.
func (h byLoad) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(h[i].load, h[k].load), h[i].place-h[k].place) < 0
}

// Swap implements heap.Interface.
func (h byLoad) Swap(i, k int) { h[i], h[k] = h[k], h[i] }

// Push implements heap.Interface.
func (h *byLoad) Push(w any) { *h = append(*h, w.(*window)) }

// Pop implements heap.Interface.
func (h *byLoad) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	*h = (*h)[:last]
	return w
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
