package lcg

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg/core"
)

// assumptions are what a search supposes.
type assumptions struct {
	words map[core.Lit]string
	// never is an assumption that holds in no plan, as is known from the start; "" if there is none.
	never string
	// assumedJobs are the literals of jobs that are supposed to be in time.
	assumedJobs map[core.Lit]model.JobID
}

// said is what a negated assumption is called.
func (a *assumptions) said(p core.Lit) string { return Opposite(a.words[p.Not()]) }

// Assume has Run answer from now on about plans in which some literals hold, in the words of a
// proof file (docs/proof.md): x3.2, -x3.2, s5<=40, e2>17. The assumptions from before are dropped. A
// question may have no such variable, as where it follows from another one; the error says so, and
// tells of literals that contradict each other. It is for searches with Cubes, or that are recorded.
func (s *Search) Assume(words []string) error {
	a, m := assumptions{words: map[core.Lit]string{}}, s.p.meanings()
	var assumed []core.Lit
	for _, word := range words {
		p, err := m.literal(word)
		if err != nil {
			return err
		}
		switch {
		case p == core.False:
			a.never = word
		case p == core.True || a.words[p] != "":
		default:
			for _, q := range assumed {
				if s.p.contradict(p, q) {
					return fmt.Errorf("no plan has %.40q and %.40q", a.words[q], word)
				}
			}
			a.words[p] = word
			assumed = append(assumed, p)
		}
	}
	s.assumptions = a
	s.p.Solver.Assume(assumed...)
	return nil
}

// Failed is, after Run was Unsatisfiable, a clause of negated assumptions that holds in every
// plan: empty if there is no plan whatever is assumed.
func (s *Search) Failed() (clause []string) {
	if s.never != "" {
		return []string{Opposite(s.never)}
	}
	for _, p := range s.p.Solver.Failed() {
		clause = append(clause, s.said(p))
	}
	return clause
}

// AssumeInTime has Run answer from now on about plans in which some jobs are in time, none of which is left out of the
// question. Where that has one of them in, and lets it be late, it is to have NoSymmetry: jobs that are alike would be ordered, and cores
// be those of that order. The assumptions from before are dropped.
func (s *Search) AssumeInTime(jobs []model.JobID) {
	s.assumptions = assumptions{assumedJobs: map[core.Lit]model.JobID{}}
	var assumed []core.Lit
	for _, i := range jobs {
		for _, p := range s.p.inTime(i) {
			if p != core.True {
				assumed, s.assumedJobs[p] = append(assumed, p), i
			}
		}
	}
	s.p.Solver.Assume(assumed...)
}

// inTime are the literals that hold if a job is in time, all of them.
func (p *problem) inTime(i model.JobID) (all []core.Lit) {
	job := &p.JS.Jobs[i]
	switch p.Role[i] {
	case query.Out: // it is late alone
		return append(all, core.False)
	case query.May:
		return append(all, p.on[i])
	}
	for _, f := range p.lastFinishes(job) {
		all = append(all, p.Le(f, int32(job.Due())))
	}
	return all
}

// FailedJobs lists, after Run was Unsatisfiable, jobs of those that were supposed to be in time that no plan has in time
// together; none if there is no plan whatever is supposed.
func (s *Search) FailedJobs() (jobs []model.JobID) {
	for _, p := range s.p.Solver.Failed() {
		jobs = append(jobs, s.assumedJobs[p.Not()])
	}
	slices.Sort(jobs)
	return slices.Compact(jobs)
}

// Tell is [Search.Refutation] without the steps that an earlier call has told: IDs go on from
// call to call.
func (s *Search) Tell() *proof.Refutation {
	p := s.p
	if p.record == nil {
		return nil
	}
	w := &writer{problem: p}
	w.letGo()
	first := w.last
	if s.told {
		w.out = nil
	}
	last, next := p.Solver.Tell(func(step *core.Step) bool {
		w.step(step, first)
		return true
	})
	switch {
	case s.never != "":
		last = next
		w.out = fmt.Appendf(w.out, "n %d : %s :\n", first+int64(last), Opposite(s.never))
	case last == 0:
		return nil
	case s.renamed():
		w.out = fmt.Appendf(w.out, "n %d : %s : %d\n", first+int64(next), strings.Join(s.Failed(), " "), first+int64(last))
		last = next
	}
	s.told = true
	return &proof.Refutation{Question: p.question.Lines(), Steps: w.out, Last: first + int64(last)}
}

// Recording reports whether there is room to record more of the search.
func (s *Search) Recording() bool { return s.p.Solver.Recording() }

// renamed reports whether assumptions that fail are called other than as the solver has them.
func (s *Search) renamed() bool {
	return slices.ContainsFunc(s.p.Solver.Failed(), func(p core.Lit) bool { return s.said(p) != s.p.name(p) })
}

// Split proposes up to n lists of literals to assume (cubes): every plan that has the literals of
// from, with which they begin, has all of exactly one list. The literals are about places and starts of
// tasks, ends of jobs and jobs let go. It is for a search with Cubes that has gone on for a while, so
// that it knows what matters, and drops its assumptions. There is one list, and it is from, where
// nothing can be split; there is none where that shows that there is no plan. Where ctx ends there are fewer lists. Errors are those of Assume.
func (s *Search) Split(ctx context.Context, n int, from []string) (cubes [][]string, err error) {
	if err := s.Assume(from); err != nil || s.never != "" {
		return [][]string{from}, err
	}
	m := s.p.meanings()
	var begin []core.Lit
	for _, word := range from {
		if p, _ := m.literal(word); p != core.True {
			begin = append(begin, p)
		}
	}
	s.assumptions = assumptions{}
	s.p.Solver.Assume()
	for _, cube := range s.p.Solver.Split(ctx, n, begin, s.p.splits) {
		words := slices.Clone(from)
		for _, p := range cube[len(begin):] {
			words = append(words, s.p.name(p))
		}
		cubes = append(cubes, words)
	}
	return cubes, nil
}

// splits reports whether a variable stands for what questions within other limits have as well, whereas
// r and f may follow from s there or not, g may be f, and u counts the tasks that there are.
func (p *problem) splits(x core.Lit) bool {
	a, named := atom{}, false
	if v, _, ok := p.Order(x); ok {
		a, named = p.names.ints[v]
	} else if a, named = p.names.bools[x]; !named {
		a, named = p.names.bools[x.Not()]
	}
	return named && (a.letter == 'x' || a.letter == 's' || a.letter == 'e')
}

// contradict reports whether two literals never hold together, by what they say alone.
func (p *problem) contradict(a, b core.Lit) bool {
	v, at, ok := p.Order(a)
	w, other, both := p.Order(b)
	switch {
	case a == b.Not():
		return true
	case !ok || !both || v != w || a&1 == b&1:
		return false
	case a&1 == 1:
		return at >= other
	}
	return other >= at
}

// Opposite is the negation of a literal.
func Opposite(word string) string {
	switch {
	case strings.HasPrefix(word, "-"):
		return word[1:]
	case strings.HasPrefix(word, "x"), strings.HasPrefix(word, "b"):
		return "-" + word
	case strings.Contains(word, ">"):
		return strings.Replace(word, ">", "<=", 1)
	}
	return strings.Replace(word, "<=", ">", 1)
}

// meanings are the variables behind names.
type meanings struct {
	*problem
	bools map[atom]core.Lit
	ints  map[atom]core.View
}

func (p *problem) meanings() *meanings {
	m := &meanings{p, map[atom]core.Lit{}, map[atom]core.View{}}
	if p.names != nil {
		for x, a := range p.names.bools {
			m.bools[a] = x
		}
		for v, a := range p.names.ints {
			m.ints[a] = v
		}
	}
	return m
}

// literal is the one that a word stands for: True or False if it holds in every plan, or in none.
func (m *meanings) literal(word string) (core.Lit, error) {
	left, negated := strings.CutPrefix(word, "-x")
	if negated {
		left = "x" + left
	}
	sign := "."
	if !strings.HasPrefix(left, "x") {
		if sign = "<="; !strings.Contains(left, sign) {
			sign, negated = ">", true
		}
	}
	of, second, found := strings.Cut(left, sign)
	other, err := strconv.ParseInt(second, 10, 32)
	if !found || of == "" || err != nil {
		return core.False, fmt.Errorf("%.40q is no literal", word)
	}
	number, err := strconv.ParseInt(of[1:], 10, 32)
	if err != nil {
		return core.False, fmt.Errorf("%.40q is no literal", word)
	}
	p, ok := m.variable(of[0], int32(number), int32(other))
	if !ok {
		return core.False, fmt.Errorf("the question has no variable for %.40q", word)
	}
	if negated {
		return p.Not(), nil
	}
	return p, nil
}

// variable is the literal, not negated, of a letter, a number and a slave, task or time.
func (m *meanings) variable(letter byte, number, second int32) (core.Lit, bool) {
	if v, ok := m.ints[atom{letter: letter, number: number}]; ok {
		return m.Le(v, second), true
	}
	if p, ok := m.bools[atom{letter, number, second}]; ok {
		return p, true
	}
	switch {
	case letter == 'e':
		return m.end(number, second)
	case letter == 's' && number >= 0 && int(number) < len(m.tasks) && len(m.tasks[number].places) == 0:
		return constant(second >= 0), true // it is 0 then
	case letter != 'x' || number < 0 || int(number) >= len(m.tasks) || second < 0 || int(second) >= len(m.JS.Slaves):
		return core.False, false
	}
	// It may be the only place of the task that is left, or none.
	places := m.tasks[number].places
	if k := slices.IndexFunc(places, func(at place) bool { return at.slave == second }); k >= 0 {
		return places[k].x, true
	}
	return core.False, true
}

// end is the literal that a job ends by a time where there is no variable for that: a job that is in
// ends by its time, one that is late alone after it.
func (m *meanings) end(job, by int32) (core.Lit, bool) {
	if job < 0 || int(job) >= len(m.on) {
		return core.False, false
	}
	last := m.Cap[job]
	switch role := m.Role[job]; {
	case role == query.Must && model.Time(by) >= last, role == query.Out && last < model.Never && model.Time(by) > last:
		return core.True, true
	case by < 0, role == query.Out && last < model.Never:
		return core.False, true
	}
	return core.False, false
}

func constant(holds bool) core.Lit {
	if holds {
		return core.True
	}
	return core.False
}
