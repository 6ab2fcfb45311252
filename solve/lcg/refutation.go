package lcg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// Refutation has the steps by which a recorded search was Unsatisfiable, the last of which is
// what [Search.Failed] has said then; nil for others, and where there are too many to be kept.
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
	w.failed(s, first)
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
		w.out = w.appendLiteral(append(w.out, ' '), w.Solver, p)
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

// failed writes the clause of assumptions that do not hold together, where the last step does not
// say it in their words.
func (w *writer) failed(s *Search, first int64) {
	a := &s.assumptions
	switch {
	case a.never != "":
		w.last++
		w.out = fmt.Appendf(w.out, "n %d : %s :\n", w.last, Opposite(a.never))
	case w.last > first && s.renamed():
		w.last++
		w.out = fmt.Appendf(w.out, "n %d : %s : %d\nd %[3]d\n", w.last, strings.Join(s.Failed(), " "), w.last-1)
	}
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
