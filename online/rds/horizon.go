package rds

import (
	"gonum.org/v1/gonum/mat"

	"downbeat/online/qp"
)

// track is what the controller knows of one job. Times are in intervals, work
// in slot-intervals, resources in slots.
type track struct {
	// progress has y(t+i), i = 0 … H_p, as a function of the moves, and ref what
	// y^ref(t+i) asks for. weight is W at each step.
	progress    []affine
	ref, weight []float64
	// size is the work of the whole job, by which progress and moves are
	// divided: both count as shares of the job.
	size float64
	// before has the slots held now, u(t−1).
	before [kinds]float64
	// left is the slot time that each kind of stage still needs, width how many
	// slots it can use at once, and from the first step in which it can run.
	left, width [kinds]float64
	from        [kinds]int
}

// horizon is one problem of the receding-horizon controller, Eq. 3: choose
// u ≥ 0 in moves 0 … H_c, the last of which lasts until step H_p.
type horizon struct {
	tracks []track
	// capacity has the slots in each step, r_a(t+i); pools those of each kind
	// where map and reduce slots are apart, else nil.
	capacity []float64
	pools    *[kinds][]float64
	// p and q price the moves (their lengths are H_c + 1).
	p, q []float64
	// cumulative compares progress since now with what is due by then, instead of
	// interval by interval.
	cumulative bool
}

// index numbers the variables of the quadratic program: those that are not
// bound to be 0.
type index struct {
	at [][]int // by track, then by 1 + i·kinds + k as in affine; -1 for none
	n  int
}

func (h *horizon) index() index {
	var ix index
	for j := range h.tracks {
		t := &h.tracks[j]
		row := []int{-1}
		for i := range h.p {
			for k := range kinds {
				if t.left[k] > 0 && i >= t.from[k] {
					row = append(row, ix.n)
					ix.n++
				} else {
					row = append(row, -1)
				}
			}
		}
		ix.at = append(ix.at, row)
	}
	return ix
}

// problem is the quadratic program, without constants.
func (h *horizon) problem() (*qp.Problem, index) {
	ix := h.index()
	if ix.n == 0 {
		return nil, ix
	}
	b := builder{p: &qp.Problem{H: mat.NewSymDense(ix.n, nil), G: make([]float64, ix.n)}}
	for j := range h.tracks {
		t := &h.tracks[j]
		b.at = ix.at[j]
		h.follow(&b, t)
		h.price(&b, t)
		h.limit(&b, t)
	}
	h.share(&b, ix)
	b.finish()
	return b.p, ix
}

// follow adds Σ_i |y(t+i) − y^ref(t+i)|²_W.
func (h *horizon) follow(b *builder, t *track) {
	due := make(affine, len(b.at))
	for i, y := range t.progress {
		if !h.cumulative {
			clear(due)
		}
		due.add(1/t.size, y)
		due[0] -= t.ref[i] / t.size
		b.square(t.weight[i], due)
	}
}

// price adds Σ_i |Δu^m(t+i)|²_P + |Δu^r(t+i)|²_Q.
func (h *horizon) price(b *builder, t *track) {
	for i := range h.p {
		for k, w := range [kinds]float64{h.p[i], h.q[i]} {
			move := make(affine, len(b.at))
			move[1+i*kinds+k] = 1 / t.size
			if i > 0 {
				move[1+(i-1)*kinds+k] = -1 / t.size
			} else {
				move[0] = -t.before[k] / t.size
			}
			b.square(w, move)
		}
	}
}

// limit keeps a job from more slots than its tasks and its work can use.
func (h *horizon) limit(b *builder, t *track) {
	for k := range kinds {
		work := make(affine, len(b.at))
		for i := range h.capacity {
			work[1+min(i, len(h.p)-1)*kinds+k]++
		}
		b.atMost(work, t.left[k])
		for i := range h.p {
			if t.width[k] < h.capacityOf(h.capacity, i) {
				wide := make(affine, len(b.at))
				wide[1+i*kinds+k] = 1
				b.atMost(wide, t.width[k])
			}
		}
	}
}

// capacityOf is what is there throughout move i.
func (h *horizon) capacityOf(capacity []float64, i int) float64 {
	least := capacity[i]
	if i == len(h.p)-1 {
		for _, c := range capacity[i:] {
			least = min(least, c)
		}
	}
	return least
}

// share keeps all jobs together within the capacity.
func (h *horizon) share(b *builder, ix index) {
	row := func(i int, counts [kinds]float64, most float64) {
		all := make([]float64, ix.n)
		some := false
		for _, at := range ix.at {
			for k := range kinds {
				if v := at[1+i*kinds+k]; v >= 0 && counts[k] > 0 {
					all[v], some = 1, true
				}
			}
		}
		if some {
			b.rows, b.p.B = append(b.rows, all), append(b.p.B, most)
		}
	}
	for i := range h.p {
		row(i, [kinds]float64{1, 1}, h.capacityOf(h.capacity, i))
		if h.pools != nil {
			row(i, [kinds]float64{1, 0}, h.capacityOf(h.pools[0], i))
			row(i, [kinds]float64{0, 1}, h.capacityOf(h.pools[1], i))
		}
	}
}

// ask makes what tells this problem from others with the same options the question.
func (h *horizon) ask(m *memo[[][][kinds]float64]) {
	m.ask()
	m.add(h.capacity...)
	if h.pools != nil {
		m.add(h.pools[0]...)
		m.add(h.pools[1]...)
	}
	for j := range h.tracks {
		t := &h.tracks[j]
		for _, y := range t.progress {
			m.add(y...)
		}
		m.add(t.ref...)
		m.add(t.weight...)
		m.add(t.size, float64(t.from[0]), float64(t.from[1]))
		m.add(t.before[:]...)
		m.add(t.left[:]...)
		m.add(t.width[:]...)
	}
}

// moves solves the problem: u by track, move and kind. It is nil if rounding kept the
// solver from an answer; there always is one, as u = 0 is feasible and every move has
// its price.
func (h *horizon) moves() [][][kinds]float64 {
	p, ix := h.problem()
	var x []float64
	if p != nil {
		r := qp.Solve(p)
		if r.Status != qp.Optimal {
			return nil
		}
		x = r.X
	}
	u := make([][][kinds]float64, len(h.tracks))
	for j := range u {
		u[j] = make([][kinds]float64, len(h.p))
		for i := range h.p {
			for k := range kinds {
				if v := ix.at[j][1+i*kinds+k]; v >= 0 {
					u[j][i][k] = x[v]
				}
			}
		}
	}
	return u
}

// builder adds up a quadratic program from terms of one job.
type builder struct {
	p    *qp.Problem
	rows [][]float64
	at   []int // variables of the job at hand
}

// square adds weight·a².
func (b *builder) square(weight float64, a affine) {
	for i, v := range b.at {
		if v < 0 || a[i] == 0 {
			continue
		}
		b.p.G[v] += 2 * weight * a[0] * a[i]
		for l := i; l < len(a); l++ {
			if w := b.at[l]; w >= 0 {
				b.p.H.SetSym(v, w, b.p.H.At(v, w)+2*weight*a[i]*a[l])
			}
		}
	}
}

// atMost adds the constraint a ≤ most for the variables in a, if it has any.
func (b *builder) atMost(a affine, most float64) {
	row := make([]float64, len(b.p.G))
	some := false
	for i, v := range b.at {
		if v >= 0 && a[i] != 0 {
			row[v], some = a[i], true
		}
	}
	if some {
		b.rows, b.p.B = append(b.rows, row), append(b.p.B, most)
	}
}

func (b *builder) finish() {
	if len(b.rows) == 0 {
		return
	}
	b.p.A = mat.NewDense(len(b.rows), len(b.p.G), nil)
	for i, row := range b.rows {
		b.p.A.SetRow(i, row)
	}
}
