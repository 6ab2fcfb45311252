// Package cnf holds formulas in conjunctive normal form: clauses over gini's
// literals, cardinality constraints, weighted sums, and their text in DIMACS. It
// knows nothing of what the variables stand for.
package cnf

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/irifrance/gini/inter"
	"github.com/irifrance/gini/z"
)

// Formula is a CNF that we own: gini's own Write is no export of what it was
// given, and its copies lose their search settings, so every solver gets the
// clauses replayed from here.
type Formula struct {
	lits    []z.Lit // clauses, each ended by z.LitNull
	clauses int64
	vars    z.Var
	// empty is set when a clause without literals was added.
	empty bool
	// heed, which may be nil, ends the adding of clauses.
	heed    context.Context
	stopped bool
	// keepSums keeps sums as they are (linear.go).
	keepSums bool
	sums     []Linear
}

// Heed makes ctx end the adding of clauses: once it is done, which is asked now and
// then, no more are added, and the formula is of no use.
func (f *Formula) Heed(ctx context.Context) { f.heed = ctx }

// Stopped reports whether clauses are missing.
func (f *Formula) Stopped() bool { return f.stopped }

// often is the number of clauses between two looks at a context, a millisecond.
const often = 1 << 13

// True is a literal fixed to true in every Formula; its negation is False.
// Builders use them for order literals outside a window.
var (
	True  = z.Var(1).Pos()
	False = z.Var(1).Neg()
)

// New has one variable, fixed to true.
func New() *Formula {
	return &Formula{lits: []z.Lit{True, z.LitNull}, clauses: 1, vars: 1}
}

// Grow makes room for n clauses of two or three literals.
func (f *Formula) Grow(n int64) { f.lits = slices.Grow(f.lits, int(3*n)) }

// Lit is the positive literal of a new variable.
func (f *Formula) Lit() z.Lit {
	f.vars++
	return f.vars.Pos()
}

// Block makes n ≥ 0 variables in a row and returns the first.
func (f *Formula) Block(n int) z.Var {
	first := f.vars + 1
	f.vars += z.Var(n)
	return first
}

// Chain orders n variables in a row: each implies the next.
func (f *Formula) Chain(first z.Var, n int) {
	for i := 1; i < n; i++ {
		f.Add((first + z.Var(i-1)).Neg(), (first + z.Var(i)).Pos())
	}
}

// Add appends a clause. Literals that are False are dropped; a clause that
// holds True is not added.
func (f *Formula) Add(clause ...z.Lit) {
	if f.stopped {
		return
	}
	start := len(f.lits)
	for _, m := range clause {
		switch m {
		case True:
			f.lits = f.lits[:start]
			return
		case False:
		default:
			f.lits = append(f.lits, m)
		}
	}
	if len(f.lits) == start {
		f.empty = true
	}
	f.lits = append(f.lits, z.LitNull)
	f.clauses++
	if f.heed != nil && f.clauses%often == 0 && f.heed.Err() != nil {
		f.stopped = true
	}
}

// Clauses is the number of clauses, Vars the number of variables.
func (f *Formula) Clauses() int64 { return f.clauses }

// Vars is the number of variables, numbered from 1.
func (f *Formula) Vars() int { return int(f.vars) }

// Empty reports whether a clause without literals was added: the formula is
// unsatisfiable as it stands.
func (f *Formula) Empty() bool { return f.empty }

// Feed replays all clauses into a solver.
func (f *Formula) Feed(dst inter.Adder) {
	for _, m := range f.lits {
		dst.Add(m)
	}
}

// FeedShuffled replays the clauses in an order drawn from rng, so that solvers
// side by side take different ways through the same formula.
func (f *Formula) FeedShuffled(dst inter.Adder, rng *rand.Rand) {
	starts := make([]int, 0, f.clauses)
	for i := range f.lits {
		if i == 0 || f.lits[i-1] == z.LitNull {
			starts = append(starts, i)
		}
	}
	rng.Shuffle(len(starts), func(i, j int) { starts[i], starts[j] = starts[j], starts[i] })
	for _, i := range starts {
		for ; f.lits[i] != z.LitNull; i++ {
			dst.Add(f.lits[i])
		}
		dst.Add(z.LitNull)
	}
}
