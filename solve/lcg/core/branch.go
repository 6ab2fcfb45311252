package core

// branching chooses what to decide next: the open variable of greatest activity,
// first of lower number, with the value it had last.
type branching struct {
	naming   // what is first made comes first of those that are as active
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
	return h.nameOf[a] < h.nameOf[b]
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

// remove takes a variable off the heap.
func (h *branching) remove(v uint32) {
	i, last := int(h.place[v]), h.heap[len(h.heap)-1]
	h.heap = h.heap[:len(h.heap)-1]
	h.place[v] = -1
	if last != v {
		h.heap[i] = last
		h.place[last] = int32(i)
		h.up(i)
		h.down(int(h.place[last]))
	}
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
func (s *Solver) pick() (p Lit, open bool) {
	for len(s.heap) > 0 {
		v := s.pop()
		if i := s.kindOf[v]; i >= 0 && s.isWhole(v, i) {
			if x := &s.ints[i]; x.lb == x.ub {
				continue
			}
			s.push(v)
			return s.choose(i), true
		}
		p := Lit(v << 1)
		s.makeSure(p)
		if s.vals[p] != 0 {
			continue
		}
		if s.phase[v] < 0 {
			p = p.Not()
		}
		return p, true
	}
	return 0, false
}

// pushOpen has all be decided that is open: Booleans, integers, and literals of these that clauses or conflicts had.
func (s *Solver) pushOpen() {
	for v := range uint32(len(s.level)) {
		if s.place[v] >= 0 || s.vals[v<<1] != 0 {
			continue
		}
		if i := s.kindOf[v]; i < 0 || s.kept.has(v) || s.activity[v] > 0 || s.isWhole(v, i) {
			s.push(v)
		}
	}
}

// noteBest keeps the values set now if they are the most so far.
func (s *Solver) noteBest() {
	if s.settled <= s.bestSize {
		return
	}
	s.bestSize = s.settled
	for v := range s.best {
		s.best[v] = s.vals[v<<1]
	}
	for i := range s.ints {
		x := &s.ints[i]
		x.bestLo, x.bestHi = x.lb, x.ub
	}
}

// rephase goes back to the best values, and every other time turns some over.
func (s *Solver) rephase(round int64) {
	if round%2 == 0 {
		for v := range s.phase {
			if s.rng.IntN(8) == 0 {
				s.phase[v] = -s.phase[v]
			}
		}
		return
	}
	for v, b := range s.best {
		if b != 0 {
			s.phase[v] = b
		}
	}
	for i := range s.ints {
		x := &s.ints[i]
		x.value = x.near(x.bestLo, x.bestHi)
	}
	s.bestSize = 0
}
