package lcg

import (
	"strconv"

	"downbeat/solve/lcg/core"
)

// names say, in the words of a proof file (docs/proof.md), what the variables of a solver are. It
// is nil where nobody asks.
type names struct {
	bools map[core.Lit]atom
	ints  map[core.View]atom
}

// atom is what a variable stands for: x of a task on a slave, the first task u of a slave up to
// a task, the end e of a job by a time, b of a task that starts before another one; s, r, f, g and e of what has a number are
// integers.
type atom struct {
	letter byte
	number int32
	second int32 // slave, task or time
}

func newNames() *names { return &names{bools: map[core.Lit]atom{}, ints: map[core.View]atom{}} }

// called says what a Boolean stands for.
func (n *names) called(x core.Lit, a atom) {
	if n != nil {
		n.bools[x] = a
	}
}

// calledInt says what an integer stands for.
func (n *names) calledInt(v core.View, letter byte, number int) {
	if n != nil {
		n.ints[v] = atom{letter: letter, number: int32(number)}
	}
}

// name is what a literal stands for.
func (p *problem) name(l core.Lit) string { return string(p.appendLiteral(nil, p.Solver, p.NameOf(l))) }

// appendLiteral writes what a literal of a solver stands for.
func (n *names) appendLiteral(out []byte, s *core.Solver, name core.Name) []byte {
	if v, at, ok := s.OrderOf(name); ok {
		return appendBound(out, n.ints[v], at, name&1 == 1)
	}
	p := s.LiteralOf(name)
	positive := p &^ 1
	a, ok := n.bools[positive]
	if !ok {
		// Named by its negation.
		a = n.bools[positive.Not()]
		p = p.Not()
	}
	if a.letter != 'x' && a.letter != 'b' {
		return appendBound(out, a, a.second, p&1 == 1)
	}
	if p&1 == 1 {
		out = append(out, '-')
	}
	out = strconv.AppendInt(append(out, a.letter), int64(a.number), 10)
	return strconv.AppendInt(append(out, '.'), int64(a.second), 10)
}

// appendBound writes that what has a letter and a number is at most some time, or if that is negated
// that it is not.
func appendBound(out []byte, a atom, at int32, negated bool) []byte {
	sign := "<="
	if negated {
		sign = ">"
	}
	out = strconv.AppendInt(append(out, a.letter), int64(a.number), 10)
	return strconv.AppendInt(append(out, sign...), int64(at), 10)
}
