package fluid

import (
	"math"

	"downbeat/model"
)

// search is what finds the cheapest column of a job; its arrays are reused.
type search struct {
	// sums are, for each row, what a unit costs from the job's release to each grid
	// point.
	sums [][]float64
	// best is, by stage and grid point, the least cost of finishing by then, from the
	// entry that attains it in choice.
	best   [][]float64
	choice [][]choice
	found  column
	// change is by how much the use of each step would change, touched the steps for
	// which it is not 0.
	change  []float64
	touched []int32
	isIn    []bool
}

// choice is a hand-out of a stage; the modes of its parts follow from it, but for
// stages of one part.
type choice struct{ at, mode int32 }

func newSearch(rows, steps int) search {
	return search{sums: make([][]float64, rows), change: make([]float64, steps), isIn: make([]bool, steps)}
}

// addUp fills in the sums for a job.
func (r *Relaxation) addUp(j *job) {
	first := int(j.release / r.Step)
	for row := range r.Supplies {
		price := r.price[row*r.Steps:][:r.Steps]
		sums := append(r.search.sums[row][:0], 0)
		b, left, sum := first, model.Time(first+1)*r.Step-j.release, 0.0
		for range j.length {
			need := j.unit
			for ; need >= left; left = r.Step {
				sum += price[b] * float64(left)
				need -= left
				b++
			}
			sum += price[b] * float64(need)
			left -= need
			sums = append(sums, sum)
		}
		r.search.sums[row] = sums
	}
}

// cost is what a mode costs at a hand-out.
func (s *search) cost(m *mode, at int) float64 {
	sum := 0.0
	for i := range m.needs {
		n := &m.needs[i]
		from, to := m.held(at, n.hold)
		sum += n.units * (s.sums[n.row][to] - s.sums[n.row][from])
	}
	return sum
}

// cheapest finds the cheapest column of a job at the prices that were added up: a dynamic
// program over its stages.
func (r *Relaxation) cheapest(j *job) float64 {
	s := &r.search
	for len(s.best) < len(j.stages) {
		s.best, s.choice = append(s.best, nil), append(s.choice, nil)
	}
	for k := range j.stages {
		r.Looked += int64(j.length)
		s.stage(j, k)
	}
	s.found.out, s.found.share = false, 0
	s.found.picks = s.found.picks[:0]
	at, cost := s.finish(j)
	if j.drop < cost {
		s.found.out = true
		return j.drop
	}
	s.trace(j, at)
	return cost
}

// finish chooses the grid point at which the job finishes.
func (s *search) finish(j *job) (at int, cost float64) {
	best := s.best[len(j.stages)-1]
	at, cost = j.due, best[j.due]
	if j.slope > 0 {
		for e := j.due + 1; e <= j.length; e++ {
			if c := best[e] + j.slope*float64(e-j.due); c < cost {
				at, cost = e, c
			}
		}
	}
	return at, cost
}

// stage works out the best entries of a stage from those of the one before.
func (s *search) stage(j *job, k int) {
	st := &j.stages[k]
	best := resize(&s.best[k], j.length+1)
	choices := resize(&s.choice[k], j.length+1)
	for i := range best {
		best[i] = math.Inf(1)
	}
	offer := func(at, mode, end int, cost float64) {
		if k > 0 {
			cost += s.best[k-1][at]
		}
		if cost < best[end] {
			best[end], choices[end] = cost, choice{int32(at), int32(mode)}
		}
	}
	if len(st.parts) == 1 {
		for m := range st.parts[0].modes {
			mode := &st.parts[0].modes[m]
			length := mode.fetch + mode.run
			st.starts(j.stride, length, func(at int) { offer(at, m, at+length, s.cost(mode, at)) })
		}
	} else {
		st.starts(j.stride, st.shortest(), func(at int) {
			end, cost := at, 0.0
			for p := range st.parts {
				m, c := s.mode(&st.parts[p], at, st.last)
				end, cost = max(end, at+st.parts[p].modes[m].length()), cost+c
			}
			offer(at, 0, end, cost)
		})
	}
	for i := 1; i < len(best); i++ {
		if best[i-1] <= best[i] {
			best[i], choices[i] = best[i-1], choices[i-1]
		}
	}
}

// starts yields the hand-outs of a stage that are looked at, the last one among them.
func (st *stage) starts(stride, length int, yield func(at int)) {
	last := st.last - length
	for at := st.first; at < last; at += stride {
		yield(at)
	}
	if last >= st.first {
		yield(last)
	}
}

// mode is the cheapest mode of a part from a hand-out that finishes in time, of those
// that do.
func (s *search) mode(p *part, at, last int) (index int, cost float64) {
	cost = math.Inf(1)
	for m := range p.modes {
		if at+p.modes[m].length() > last {
			continue
		}
		if c := s.cost(&p.modes[m], at); c < cost {
			index, cost = m, c
		}
	}
	return index, cost
}

// trace reads the column that finishes at a grid point off the entries.
func (s *search) trace(j *job, at int) {
	for k := len(j.stages) - 1; k >= 0; k-- {
		c := s.choice[k][at]
		parts := j.stages[k].parts
		for p := len(parts) - 1; p >= 0; p-- {
			mode := int(c.mode)
			if len(parts) > 1 {
				mode, _ = s.mode(&parts[p], int(c.at), j.stages[k].last)
			}
			s.found.picks = append(s.found.picks, pick{c.at, int32(mode)})
		}
		at = int(c.at)
	}
	for i, n := 0, len(s.found.picks); i < n/2; i++ {
		s.found.picks[i], s.found.picks[n-1-i] = s.found.picks[n-1-i], s.found.picks[i]
	}
}

// costOf is what a column costs at the prices that were added up.
func (s *search) costOf(j *job, w *column) float64 {
	if w.out {
		return j.drop
	}
	cost, end := 0.0, 0
	j.walk(w, func(m *mode, at int) {
		cost += s.cost(m, at)
		end = max(end, at+m.length())
	})
	return cost + j.slope*float64(max(0, end-j.due))
}

// walk yields the modes of a column that is not out, with their hand-outs.
func (j *job) walk(w *column, yield func(m *mode, at int)) {
	i := 0
	for k := range j.stages {
		for p := range j.stages[k].parts {
			yield(&j.stages[k].parts[p].modes[w.picks[i].mode], int(w.picks[i].at))
			i++
		}
	}
}

// resize gives a slice of some length, whose content is arbitrary.
func resize[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, 2*n)
	}
	return (*s)[:n]
}
