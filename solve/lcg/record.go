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

// record says, in the words of a proof file (docs/proof.md), what the variables of the
// solver are and by which rules its clauses and propagators hold. It is nil where nothing
// is recorded.
type record struct {
	question *query.Question
	rules    []rule // by label less 1
	bools    map[core.Lit]atom
	ints     map[core.View]atom
}

// rule is one of a proof file, with the numbers that it is about.
type rule struct {
	name string
	args []int
}

// atom is what a variable stands for: x and u of a task on a slave, the end e of a job by
// a time; s, r, f, g and e of what has a number are integers.
type atom struct {
	letter byte
	number int32
	second int32 // slave or time
}

// beginRecord has a search recorded if that is asked, of a question that a proof file can
// put.
func (p *problem) beginRecord(q *query.Question, opt *Options) {
	if !opt.Record || q.Restrict != nil || q.Fixed != nil {
		return
	}
	most := opt.MostRecorded
	if most == 0 {
		most = DefaultMostRecorded
	}
	p.record = &record{question: q, bools: map[core.Lit]atom{}, ints: map[core.View]atom{}}
	p.Record(most)
}

// because says by which rule what is added next holds.
func (p *problem) because(name string, args ...int) {
	if p.record != nil {
		p.rules = append(p.rules, rule{name, slices.Clone(args)})
		p.SetLabel(core.Label(len(p.rules)))
	}
}

// called says what a Boolean stands for.
func (p *problem) called(x core.Lit, a atom) {
	if p.record != nil {
		p.bools[x] = a
	}
}

// calledInt says what an integer stands for.
func (p *problem) calledInt(v core.View, letter byte, number int) {
	if p.record != nil {
		p.ints[v] = atom{letter: letter, number: int32(number)}
	}
}

// taskLate is a task of a job that is late alone which has no place in time.
func (p *problem) taskLate(i model.JobID) model.TaskID {
	t := p.JS.Jobs[i].First
	for p.Windows.Tasks[t].FirstFinish <= p.Cap[i] {
		t++
	}
	return t
}

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
	if w.MissLimit < 0 && w.HardMissLimit < 0 {
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

// rule writes a rule and what it is about; what a user that is pushed notes comes first.
func (w *writer) rule(r *rule, noted []int32) {
	name, pushed := r.name, r.name == "cap" && noted[0] >= 0
	if pushed {
		name = "push"
	}
	w.out = append(append(w.out, ' '), name...)
	if r.name == "cap" {
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
	if a.letter == 'e' {
		w.bound(a, a.second, p)
		return
	}
	if p&1 == 1 {
		w.out = append(w.out, '-')
	}
	w.out = fmt.Appendf(w.out, "%c%d.%d", a.letter, a.number, a.second)
}

// bound writes that what has a letter and a number is at most some time, or if p is negated
// that it is not.
func (w *writer) bound(a atom, at int32, p core.Lit) {
	sign := "<="
	if p&1 == 1 {
		sign = ">"
	}
	w.out = append(w.out, a.letter)
	w.out = strconv.AppendInt(w.out, int64(a.number), 10)
	w.out = strconv.AppendInt(append(w.out, sign...), int64(at), 10)
}
