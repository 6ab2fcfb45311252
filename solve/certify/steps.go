package certify

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// steps are those of a refutation that is being written.
type steps struct {
	ctx  context.Context
	text bytes.Buffer
	last int64
}

// mostSteps bounds what a refutation may take, in bytes.
const mostSteps = 1 << 30

// tooLong reports that there is more than anybody would read, or no time for more.
func (s *steps) tooLong() bool { return s.text.Len() > mostSteps || s.ctx.Err() != nil }

// refutation is that of a question, of which the last step was the empty clause.
func (s *steps) refutation(q *query.Question) *proof.Refutation {
	return &proof.Refutation{Question: q.Lines(), Steps: s.text.Bytes(), Last: s.last}
}

// prices are multipliers, with the prices of limits, by ascending objectives.
type prices struct {
	of     []proof.Multiplier
	limits []limitPrice
	// charges, ascending, say what jobs pay for others in units of prices; nil where each pays for itself.
	charges []proof.Charge
}

// limitPrice is the price of a unit of what a limit allows.
type limitPrice struct {
	on    model.Objective
	price int64
}

// added are the same prices, those of a resource of a slave, or of a limit, ascending, none twice at
// a time.
func added(all []proof.Multiplier) []proof.Multiplier {
	var changes []proof.Multiplier // by Value, at the start of Interval
	for _, m := range all {
		end := m
		end.Interval.Start, end.Value = m.Interval.End, -m.Value
		changes = append(changes, m, end)
	}
	slices.SortFunc(changes, func(a, b proof.Multiplier) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Slave, b.Slave), cmp.Compare(a.Shared, b.Shared), cmp.Compare(a.Interval.Start, b.Interval.Start))
	})
	var out []proof.Multiplier
	price := int64(0)
	for k, m := range changes {
		price += m.Value
		if m.Value = price; price > 0 {
			m.Interval.End = changes[k+1].Interval.Start
		}
		if price > 0 && m.Interval.Len() > 0 {
			out = append(out, m)
		}
	}
	return out
}

// multipliers writes a line of them, about js.
func (s *steps) multipliers(js *model.JobSet, p *prices) int64 {
	s.last++
	fmt.Fprintf(&s.text, "m %d", s.last)
	for _, m := range added(p.of) {
		if m.Slave == model.NoSlave {
			fmt.Fprintf(&s.text, " %s.%d.%d.%d.%d", inference.SharedPrice, proof.LimitNumber(js, m.Shared), m.Interval.Start, m.Interval.End, m.Value)
			continue
		}
		fmt.Fprintf(&s.text, " %d.%d.%d.%d.%d", m.Resource, m.Slave, m.Interval.Start, m.Interval.End, m.Value)
	}
	for _, l := range p.limits {
		if l.price > 0 {
			fmt.Fprintf(&s.text, " %s.%d", l.on.InProofs(), l.price)
		}
	}
	for _, c := range p.charges {
		fmt.Fprintf(&s.text, " %s.%d.%d.%d", inference.ChargeWord, c.Job, c.To, c.Ticks)
	}
	s.text.WriteByte('\n')
	return s.last
}

// weights writes what tasks weigh.
func (s *steps) weights(of []proof.Weight) int64 {
	s.last++
	fmt.Fprintf(&s.text, "m %d", s.last)
	for _, w := range of {
		fmt.Fprintf(&s.text, " %s.%d.%d", inference.WeightWord, w.Task, w.Weight)
	}
	s.text.WriteByte('\n')
	return s.last
}

// infer writes that one of literals holds, by a rule with its arguments.
func (s *steps) infer(rule string, literals []atom) int64 {
	s.last++
	fmt.Fprintf(&s.text, "c %d %s :", s.last, rule)
	s.end(literals)
	return s.last
}

// nogood writes that one of literals holds, by clauses before.
func (s *steps) nogood(literals []atom, by ...int64) int64 {
	s.last++
	fmt.Fprintf(&s.text, "n %d :", s.last)
	for _, l := range literals {
		s.text.WriteByte(' ')
		s.text.WriteString(l.String())
	}
	s.text.WriteString(" :")
	s.ids(by)
	return s.last
}

// end ends a line by literals.
func (s *steps) end(literals []atom) {
	for _, l := range literals {
		s.text.WriteByte(' ')
		s.text.WriteString(l.String())
	}
	s.text.WriteByte('\n')
}

// forget writes that lines are not needed any more.
func (s *steps) forget(ids ...int64) {
	s.text.WriteByte('d')
	s.ids(ids)
}

func (s *steps) ids(ids []int64) {
	for _, id := range ids {
		s.text.WriteByte(' ')
		s.text.WriteString(strconv.FormatInt(id, 10))
	}
	s.text.WriteByte('\n')
}

// atom is a statement about a plan, or its negation: that something of number id is at most
// at, or for 'x' that the task of number id is on a slave.
type atom struct {
	of    byte // g: the end of a stage, e: of a job, r, f: fetch and finish of a task, x
	id    int32
	slave model.SlaveID
	at    model.Time
	not   bool
}

// negated is the opposite.
func (a atom) negated() atom {
	a.not = !a.not
	return a
}

// String is the atom as the file says it.
func (a atom) String() string {
	switch {
	case a.of == 'x' && a.not:
		return fmt.Sprintf("-x%d.%d", a.id, a.slave)
	case a.of == 'x':
		return fmt.Sprintf("x%d.%d", a.id, a.slave)
	case a.not:
		return fmt.Sprintf("%c%d>%d", a.of, a.id, a.at)
	default:
		return fmt.Sprintf("%c%d<=%d", a.of, a.id, a.at)
	}
}

// implies reports whether a, a bound, is at least as tight as b.
func (a atom) implies(b atom) bool {
	if a.of != b.of || a.id != b.id || a.not != b.not || a.slave != b.slave {
		return false
	}
	if a.of == 'x' {
		return true
	}
	return a.at == b.at || a.not == (a.at > b.at)
}

// with is path and one more statement, without those that it implies; nothing of path
// changes.
func with(path []atom, a atom) []atom {
	out := make([]atom, 0, len(path)+1)
	for _, b := range path {
		if b.implies(a) {
			return path
		}
		if !a.implies(b) {
			out = append(out, b)
		}
	}
	return append(out, a)
}

// negations are the literals of a clause that speaks against a path.
func negations(path []atom) []atom {
	out := make([]atom, len(path))
	for i, a := range path {
		out[i] = a.negated()
	}
	return out
}
