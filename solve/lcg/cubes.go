package lcg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/solve/lcg/core"
)

// assumptions are what a search supposes.
type assumptions struct {
	words map[core.Lit]string
	// never is an assumption that holds in no plan, as is known from the start; "" if there is none.
	never string
}

// said is what a negated assumption is called.
func (a *assumptions) said(p core.Lit) string { return opposite(a.words[p.Not()]) }

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
		return []string{opposite(s.never)}
	}
	for _, p := range s.p.Solver.Failed() {
		clause = append(clause, s.said(p))
	}
	return clause
}

// Split proposes up to n lists of literals to assume (cubes): every plan has all literals of
// exactly one list. It is for a search with Cubes that has gone on for a while, so that it knows
// what matters, and drops its assumptions. There is one list, and it is empty, where nothing can be
// split; there is none where that shows that there is no plan.
func (s *Search) Split(n int) (cubes [][]string) {
	s.assumptions = assumptions{}
	s.p.Solver.Assume()
	for _, cube := range s.p.Solver.Split(n) {
		words := []string{}
		for _, p := range cube {
			words = append(words, s.p.name(p))
		}
		cubes = append(cubes, words)
	}
	return cubes
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

// opposite is the negation of a literal.
func opposite(word string) string {
	switch {
	case strings.HasPrefix(word, "-"):
		return word[1:]
	case strings.HasPrefix(word, "x"):
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
	if letter != 'x' || number < 0 || int(number) >= len(m.tasks) || second < 0 || int(second) >= len(m.JS.Slaves) {
		return core.False, false
	}
	// It may be the only place of the task that is left, or none.
	places := m.tasks[number].places
	if k := slices.IndexFunc(places, func(at place) bool { return at.slave == second }); k >= 0 {
		return places[k].x, true
	}
	return core.False, true
}
