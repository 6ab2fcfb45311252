package veripb

import (
	"slices"
	"strconv"

	"downbeat/model"
)

// sum is a sum of constraints times multipliers of 0 or more, and of literals, which are 0 or more.
type sum struct {
	x     *exporter
	parts []part
}

// part is a constraint, or a literal if its number is 0.
type part struct {
	id      int64
	literal Literal
	times   int64
}

// add adds a constraint; one without a number says nothing.
func (s *sum) add(id, times int64) {
	if id > 0 && times > 0 {
		s.parts = append(s.parts, part{id: id, times: times})
	}
}

// axiom adds that a literal is 0 or more.
func (s *sum) axiom(l Literal, times int64) {
	if times > 0 && l != True && l != False {
		s.parts = append(s.parts, part{literal: l, times: times})
	}
}

// addOr adds a constraint that literals sum up to no more than another, or, if it has no number as it says nothing,
// what it says all the same.
func (s *sum) addOr(id, times int64, most Literal, literals ...Literal) {
	if id > 0 {
		s.add(id, times)
		return
	}
	s.axiom(most, times)
	for _, l := range literals {
		s.axiom(-l, times)
	}
}

// derive writes the sum, and gives its number; 0 if there is nothing.
func (s *sum) derive() int64 {
	if len(s.parts) == 0 {
		return 0
	}
	text := append(s.x.text[:0], "pol"...)
	for i, p := range s.parts {
		text = append(text, ' ')
		if p.id > 0 {
			text = strconv.AppendInt(text, p.id, 10)
		} else {
			text = s.x.f.append(text, p.literal)
		}
		if p.times > 1 {
			text = append(strconv.AppendInt(append(text, ' '), p.times, 10), " *"...)
		}
		if i > 0 {
			text = append(text, " +"...)
		}
	}
	s.x.text = append(text, ";\n"...)
	s.x.out.Write(s.x.text)
	s.x.last++
	return s.x.last
}

// gap are values of a scale, by index behind lo up to hi, that the time does not have.
type gap struct{ lo, hi int }

// costs are what is paid by the value of a scale.
type costs []int64

// in reports whether an index is in one of some gaps.
func in(gaps []gap, i int) bool {
	return slices.ContainsFunc(gaps, func(g gap) bool { return g.lo < i && i <= g.hi })
}

// least gives the least cost up to each value, or, backwards, from each value on, of those in no gap. Where there is
// none it is that of the first that has one, and 0 if there is none at all.
func (c costs) least(gaps []gap, backwards bool) costs {
	out, first, best := slices.Clone(c), -1, int64(0)
	for k := range c {
		i := k
		if backwards {
			i = len(c) - 1 - k
		}
		if !in(gaps, i) && (first < 0 || c[i] < best) {
			if best = c[i]; first < 0 {
				first = k
			}
		}
		out[i] = best
	}
	for k := range max(0, first) {
		if backwards {
			out[len(c)-1-k] = out[len(c)-1-first]
		} else {
			out[k] = out[first]
		}
	}
	return out
}

// rise adds that the literal of an index is no less than that of the one before.
func (s *sum) rise(of *scale, i int, times int64) {
	switch {
	case i == 0:
		s.axiom(of.nth(0), times)
	case i == of.n-1 && of.top == True:
		s.axiom(-of.nth(i-1), times)
	default:
		s.add(of.rises+int64(i)-1, times)
	}
}

// change turns costs by the value of a scale into others, which are no more but in gaps.
func (s *sum) change(of *scale, from, to costs, gaps []gap) {
	done := 0
	for _, g := range append(slices.Clone(gaps), gap{of.n - 1, of.n - 1}) {
		for ; done <= min(g.lo, of.n-1); done++ {
			s.rise(of, done, from[done]-to[done])
		}
		most := int64(0)
		for i := done; i <= g.hi; i++ {
			most = max(most, to[i]-from[i])
		}
		if most > 0 {
			s.add(s.x.rup(clause(of.nth(g.lo), -of.nth(g.hi))), most)
		}
		for ; done <= g.hi; done++ {
			s.rise(of, done, most-(to[done]-from[done]))
		}
	}
}

// ordered are gaps that ascend and do not overlap, of n values.
func ordered(gaps []gap, n int) []gap {
	slices.SortFunc(gaps, func(a, b gap) int { return a.lo - b.lo })
	out := gaps[:0]
	for _, g := range gaps {
		g.hi = min(g.hi, n-1)
		if k := len(out); k > 0 && out[k-1].hi > g.lo {
			g.lo = out[k-1].hi
		}
		if g.lo < g.hi {
			out = append(out, g)
		}
	}
	return out
}

// within are the gaps that leave the values from first to last.
func within(of *scale, first, last model.Time) []gap {
	return []gap{{-1, of.index(first - 1)}, {of.index(last), of.n - 1}}
}
