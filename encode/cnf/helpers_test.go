package cnf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"
)

// solver asks gini about a formula. After an unsatisfiable answer it starts
// with a new gini: one that has refuted its clauses cannot be asked again.
type solver struct {
	f *Formula
	g *gini.Gini
}

// ask tells whether the formula is satisfiable under assumptions.
func (s *solver) ask(t *testing.T, assume ...z.Lit) bool {
	t.Helper()
	if s.f.Empty() || slices.Contains(assume, False) {
		return false // gini takes neither
	}
	if s.g == nil {
		s.g = gini.NewVc(s.f.Vars()+1, int(s.f.Clauses())+1)
		s.f.Feed(s.g)
	}
	s.g.Assume(assume...)
	if s.g.Solve() == 1 {
		return true
	}
	s.g = nil
	return false
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
