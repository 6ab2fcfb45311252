package veripb

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"downbeat/model"
)

// Literal is a variable, counted from 1, or its negation, which has the sign turned.
type Literal int32

// True is the literal that always holds, False the one that never does.
const (
	True  Literal = math.MaxInt32
	False Literal = -True
)

// Term is a literal times a coefficient.
type Term struct {
	Coefficient int64
	Literal     Literal
}

// Constraint says that its terms sum up to Least or more.
type Constraint struct {
	Terms []Term
	Least int64
}

// add adds a term.
func (c *Constraint) add(coefficient int64, l Literal) {
	switch {
	case coefficient == 0 || l == False:
	case l == True:
		c.Least -= coefficient
	default:
		c.Terms = append(c.Terms, Term{coefficient, l})
	}
}

// normalise has each variable once, without its negation, and no term of 0.
func (c *Constraint) normalise() {
	for i, t := range c.Terms {
		if t.Literal < 0 {
			c.Terms[i] = Term{-t.Coefficient, -t.Literal}
			c.Least -= t.Coefficient
		}
	}
	slices.SortFunc(c.Terms, func(a, b Term) int { return int(a.Literal) - int(b.Literal) })
	out := c.Terms[:0]
	for _, t := range c.Terms {
		if n := len(out); n > 0 && out[n-1].Literal == t.Literal {
			out[n-1].Coefficient += t.Coefficient
		} else {
			out = append(out, t)
		}
	}
	c.Terms = slices.DeleteFunc(out, func(t Term) bool { return t.Coefficient == 0 })
}

// idle reports whether a constraint that is normalised says nothing.
func (c *Constraint) idle() bool {
	least := int64(0)
	for _, t := range c.Terms {
		least += min(0, t.Coefficient)
	}
	return least >= c.Least
}

// names are those of variables, in blocks of consecutive ones.
type names struct {
	blocks []block
	last   Literal // the last variable
}

// block is a number of variables from one on, whose names end in times, each a step after the one before; a
// step of 0 stands for a single variable without a time.
type block struct {
	first    Literal
	prefix   string
	lo, step model.Time
}

// add makes n variables, and gives the first.
func (v *names) add(prefix string, n int, lo, step model.Time) Literal {
	first := v.last + 1
	if n > 0 {
		v.blocks = append(v.blocks, block{first, prefix, lo, step})
		v.last += Literal(n)
	}
	return first
}

// append appends a literal as VeriPB writes it.
func (v *names) append(line []byte, l Literal) []byte {
	if l < 0 {
		line, l = append(line, '~'), -l
	}
	b := &v.blocks[sort.Search(len(v.blocks), func(i int) bool { return v.blocks[i].first > l })-1]
	line = append(line, b.prefix...)
	if b.step > 0 {
		line = append(line, '_')
		line = strconv.AppendInt(line, int64(b.lo+model.Time(l-b.first)*b.step), 10)
	}
	return line
}

// appendConstraint appends a constraint without its end.
func (v *names) appendConstraint(line []byte, c *Constraint) []byte {
	for _, t := range c.Terms {
		line = append(strconv.AppendInt(line, t.Coefficient, 10), ' ')
		line = append(v.append(line, t.Literal), ' ')
	}
	line = append(line, ">= "...)
	return strconv.AppendInt(line, c.Least, 10)
}

// scale is a time of something that may be there or not: at(v) is the literal that says that it is there, and
// the time is v or less.
type scale struct {
	lo, step model.Time
	n        int // values are lo, lo + step, …; the literal of the last is top
	first    Literal
	top      Literal
	// rises is the number of the constraint that says at(lo) ≤ at(lo + step); those of the others follow.
	rises int64
}

// index is the place of the last value up to v, -1 for none.
func (s *scale) index(v model.Time) int {
	if v < s.lo || s.n == 0 {
		return -1
	}
	return int(min((v-s.lo)/s.step, model.Time(s.n-1)))
}

// value is the i-th value, last the greatest.
func (s *scale) value(i int) model.Time { return s.lo + model.Time(i)*s.step }
func (s *scale) last() model.Time       { return s.value(s.n - 1) }

// nth is the literal of the i-th value.
func (s *scale) nth(i int) Literal {
	switch {
	case i < 0:
		return False
	case i == s.n-1:
		return s.top
	}
	return s.first + Literal(i)
}

func (s *scale) at(v model.Time) Literal { return s.nth(s.index(v)) }

// later is the scale of the time that is so much after that of s.
func (s *scale) later(by model.Time) *scale {
	out := *s
	out.lo += by
	return &out
}
