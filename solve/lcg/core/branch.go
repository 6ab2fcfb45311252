package core

import "math/rand/v2"

// branching chooses what to decide next: the open variable of greatest activity,
// first of lower number, with the value it had last.
type branching struct {
	activity []float64
	step     float64  // what taking part in a conflict adds
	heap     []uint32 // variables, the first is the next; may hold some that are not open
	place    []int32  // in heap, -1 for none
	phase    []int8   // by variable: 1 or -1, the value to try
	best     []int8   // values when most were set without a conflict
	bestSize int
}

func (h *branching) before(a, b uint32) bool {
	if h.activity[a] != h.activity[b] {
		return h.activity[a] > h.activity[b]
	}
	return a < b
}

func (h *branching) push(v uint32) {
	h.place[v] = int32(len(h.heap))
	h.heap = append(h.heap, v)
	h.up(len(h.heap) - 1)
}

func (h *branching) pop() uint32 {
	top, last := h.heap[0], h.heap[len(h.heap)-1]
	h.heap = h.heap[:len(h.heap)-1]
	h.place[top] = -1
	if len(h.heap) > 0 {
		h.heap[0] = last
		h.down(0)
	}
	return top
}

func (h *branching) up(i int) {
	v := h.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(v, h.heap[parent]) {
			break
		}
		h.heap[i] = h.heap[parent]
		h.place[h.heap[i]] = int32(i)
		i = parent
	}
	h.heap[i] = v
	h.place[v] = int32(i)
}

func (h *branching) down(i int) {
	v := h.heap[i]
	for 2*i+1 < len(h.heap) {
		child := 2*i + 1
		if child+1 < len(h.heap) && h.before(h.heap[child+1], h.heap[child]) {
			child++
		}
		if !h.before(h.heap[child], v) {
			break
		}
		h.heap[i] = h.heap[child]
		h.place[h.heap[i]] = int32(i)
		i = child
	}
	h.heap[i] = v
	h.place[v] = int32(i)
}

// bump notes that a variable took part in a conflict.
func (h *branching) bump(v uint32) {
	const huge = 1e100
	h.activity[v] += h.step
	if h.activity[v] > huge {
		for i := range h.activity {
			h.activity[i] /= huge
		}
		h.step /= huge
	}
	if h.place[v] >= 0 {
		h.up(int(h.place[v]))
	}
}

// pick is the next literal to decide; false if all are set.
func (h *branching) pick(vals []int8) (p Lit, open bool) {
	for len(h.heap) > 0 {
		v := h.pop()
		p := Lit(v << 1)
		if vals[p] != 0 {
			continue
		}
		if h.phase[v] < 0 {
			p = p.Not()
		}
		return p, true
	}
	return 0, false
}

// noteBest keeps the values set now, of size literals, if they are the most so far.
func (h *branching) noteBest(vals []int8, size int) {
	if size > h.bestSize {
		h.bestSize = size
		for v := range h.best {
			h.best[v] = vals[v<<1]
		}
	}
}

// rephase goes back to the best values, and every other time turns some over.
func (h *branching) rephase(round int64, rng *rand.Rand) {
	if round%2 == 0 {
		for v := range h.phase {
			if rng.IntN(8) == 0 {
				h.phase[v] = -h.phase[v]
			}
		}
		return
	}
	for v, b := range h.best {
		if b != 0 {
			h.phase[v] = b
		}
	}
	h.bestSize = 0
}
