package lcg

import (
	"fmt"
	"slices"
	"strconv"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// Refutation has the steps by which a recorded search was Unsatisfiable; nil for others, and
// where there are too many to be kept.
func (s *Search) Refutation() *proof.Refutation {
	p := s.p
	if p.record == nil {
		return nil
	}
	w := &writer{problem: p}
	w.letGo()
	first := w.last
	p.Solver.Refutation(func(step *core.Step) bool {
		w.step(step, first)
		return true
	})
	if w.last == first {
		return nil
	}
	return &proof.Refutation{Question: p.question.Lines(), Steps: w.out, Last: w.last}
}

// writer writes steps as lines.
type writer struct {
	*problem
	out  []byte
	last int64
}

// letGo writes that jobs which may be let go and are late alone are let go, on which the
// limits of the others rest.
func (w *writer) letGo() {
	if !slices.ContainsFunc(w.Limits, func(l query.Limit) bool { return l.Objective.Shape().Counts() }) {
		return
	}
	for i := range w.JS.Jobs {
		if w.question.Role[i] == query.May && w.Role[i] == query.Out {
			w.last++
			w.out = fmt.Appendf(w.out, "c %d task %d : e%d>%d\n", w.last, w.taskLate(model.JobID(i)), i, w.Cap[i])
		}
	}
}

// step writes a step, whose numbers begin after those that stand before.
func (w *writer) step(step *core.Step, first int64) {
	w.last = first + int64(step.ID)
	if step.Label == 0 {
		w.out = append(w.out, 'n')
	} else {
		w.out = append(w.out, 'c')
	}
	w.number(w.last)
	if step.Label > 0 {
		w.rule(&w.rules[step.Label-1], step.Args)
	}
	w.out = append(w.out, " :"...)
	for _, p := range step.Lits {
		w.literal(p)
	}
	if step.Label == 0 {
		w.out = append(w.out, " :"...)
		w.steps(step.Hints, first)
	}
	if len(step.Done) > 0 {
		w.out = append(w.out, "\nd"...)
		w.steps(step.Done, first)
	}
	w.out = append(w.out, '\n')
}

func (w *writer) steps(ids []uint32, first int64) {
	for _, id := range ids {
		w.number(first + int64(id))
	}
}

func (w *writer) number(n int64) {
	w.out = strconv.AppendInt(append(w.out, ' '), n, 10)
}

// ofPushed has the rules by which tasks are pushed from point to point, by those of what is held at
// one.
var ofPushed = map[string]string{"cap": "push", "pool": "pool-push"}

// rule writes a rule and what it is about; what a task that is pushed notes comes first.
func (w *writer) rule(r *rule, noted []int32) {
	name, pushed := r.name, false
	push, points := ofPushed[name]
	if pushed = points && noted[0] >= 0; pushed {
		name = push
	}
	w.out = append(append(w.out, ' '), name...)
	if points {
		if pushed {
			w.number(int64(noted[0]))
		}
		noted = noted[1:]
		slices.Sort(noted)
	}
	for _, a := range r.args {
		w.number(int64(a))
	}
	for _, a := range noted {
		w.number(int64(a))
	}
}

// literal writes what a literal stands for.
func (w *writer) literal(p core.Lit) {
	w.out = append(w.out, ' ')
	if v, at, ok := w.Order(p); ok {
		a := w.ints[v]
		w.bound(a, at, p)
		return
	}
	positive := p &^ 1
	a, ok := w.bools[positive]
	if !ok {
		// Named by its negation.
		a = w.bools[positive.Not()]
		p = p.Not()
	}
	if a.letter != 'x' {
		w.bound(a, a.second, p)
		return
	}
	if p&1 == 1 {
		w.out = append(w.out, '-')
	}
	w.out = strconv.AppendInt(append(w.out, a.letter), int64(a.number), 10)
	w.out = strconv.AppendInt(append(w.out, '.'), int64(a.second), 10)
}

// bound writes that what has a letter and a number is at most some time, or if p is negated
// that it is not.
func (w *writer) bound(a atom, at int32, p core.Lit) {
	sign := "<="
	if p&1 == 1 {
		sign = ">"
	}
	w.out = strconv.AppendInt(append(w.out, a.letter), int64(a.number), 10)
	w.out = strconv.AppendInt(append(w.out, sign...), int64(at), 10)
}
