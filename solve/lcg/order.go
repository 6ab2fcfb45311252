package lcg

// order chooses what to decide next: the open variable of greatest activity,
// first of lower number, with the value it had last.
type order struct {
	activity []float64
	step     float64  // what taking part in a conflict adds
	heap     []uint32 // variables, the first is the next; may hold some that are not open
	place    []int32  // in heap, -1 for none
	phase    []int8   // by variable: 1 or -1, the value to try
	best     []int8   // values when most were set without a conflict
	bestSize int
}

func (o *order) before(a, b uint32) bool {
	if o.activity[a] != o.activity[b] {
		return o.activity[a] > o.activity[b]
	}
	return a < b
}

func (o *order) push(v uint32) {
	o.place[v] = int32(len(o.heap))
	o.heap = append(o.heap, v)
	o.up(len(o.heap) - 1)
}

func (o *order) pop() uint32 {
	top, last := o.heap[0], o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	o.place[top] = -1
	if len(o.heap) > 0 {
		o.heap[0] = last
		o.down(0)
	}
	return top
}

func (o *order) up(i int) {
	v := o.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !o.before(v, o.heap[parent]) {
			break
		}
		o.heap[i] = o.heap[parent]
		o.place[o.heap[i]] = int32(i)
		i = parent
	}
	o.heap[i] = v
	o.place[v] = int32(i)
}

func (o *order) down(i int) {
	v := o.heap[i]
	for 2*i+1 < len(o.heap) {
		child := 2*i + 1
		if child+1 < len(o.heap) && o.before(o.heap[child+1], o.heap[child]) {
			child++
		}
		if !o.before(o.heap[child], v) {
			break
		}
		o.heap[i] = o.heap[child]
		o.place[o.heap[i]] = int32(i)
		i = child
	}
	o.heap[i] = v
	o.place[v] = int32(i)
}

// bump notes that a variable took part in a conflict.
func (o *order) bump(v uint32) {
	const huge = 1e100
	o.activity[v] += o.step
	if o.activity[v] > huge {
		for i := range o.activity {
			o.activity[i] /= huge
		}
		o.step /= huge
	}
	if o.place[v] >= 0 {
		o.up(int(o.place[v]))
	}
}

// pick is the next literal to decide; false if all are set.
func (s *solver) pick() (p lit, open bool) {
	for len(s.heap) > 0 {
		v := s.pop()
		p := lit(v << 1)
		if s.vals[p] != 0 {
			continue
		}
		if s.phase[v] < 0 {
			p = p.not()
		}
		return p, true
	}
	return 0, false
}

// noteBest keeps the values set now if they are the most so far.
func (s *solver) noteBest() {
	if len(s.trail) > s.bestSize {
		s.bestSize = len(s.trail)
		for v := range s.best {
			s.best[v] = s.vals[v<<1]
		}
	}
}

// rephase goes back to the best values, and now and then turns some over.
func (s *solver) rephase(round int64) {
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
	s.bestSize = 0
}
