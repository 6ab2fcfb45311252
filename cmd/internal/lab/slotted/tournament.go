package slotted

// tournament keeps the place of the least of some figures.
type tournament struct {
	// least has at size+i figure i, and before that at k the least of those at 2k and 2k+1.
	least []float64
	size  int
}

// newTournament has n figures, all 0.
func newTournament(n int) tournament {
	size := 1
	for size < n {
		size *= 2
	}
	t := tournament{make([]float64, 2*size), size}
	for i := n; i < size; i++ {
		t.set(i, never)
	}
	return t
}

// never is above all figures.
const never = 1e300

func (t *tournament) of(i int) float64 { return t.least[t.size+i] }

func (t *tournament) set(i int, figure float64) {
	k := t.size + i
	t.least[k] = figure
	for k /= 2; k > 0; k /= 2 {
		t.least[k] = min(t.least[2*k], t.least[2*k+1])
	}
}

// first is the place of the least figure; of equals one is drawn on the way down.
func (t *tournament) first(draw *stream) int {
	k := 1
	for k < t.size {
		k *= 2
		switch left, right := t.least[k], t.least[k+1]; {
		case right < left, right == left && right < never && draw.below(2) == 1:
			k++
		}
	}
	return k - t.size
}
