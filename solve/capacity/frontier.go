package capacity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// FrontierAnswer says which sizes of two classes will do together.
type FrontierAnswer struct {
	A, B Supply
	// Columns has, by size of A from A.Least on, the least size of B that is known to do
	// with it at Fits (B.Most + 1 if none is), and the greatest that is known not to at
	// Fails (B.Least − 1 if none is).
	Columns []whatif.Edge
	Notes   []string
	Elapsed time.Duration
}

// Corner is a pair of sizes of A and B.
type Corner struct{ A, B int64 }

// Corners are the pairs of the frontier as far as it is known: of those known to do the
// ones that do with one less of neither class, as far as plans tell.
func (r *FrontierAnswer) Corners() []Corner {
	var out []Corner
	for k, e := range r.Columns {
		if e.Fits <= r.B.Most && (k == 0 || e.Fits < r.Columns[k-1].Fits) {
			out = append(out, Corner{r.A.Least + int64(k), e.Fits})
		}
	}
	return out
}

// Exact reports whether every pair of the grid is known to do or not to.
func (r *FrontierAnswer) Exact() bool {
	for k := range r.Columns {
		if !r.Columns[k].Exact() {
			return false
		}
	}
	return true
}

// Never reports whether no pair of the grid does.
func (r *FrontierAnswer) Never() bool { return r.Columns[len(r.Columns)-1].Fails == r.B.Most }

// Cost is what a pair costs.
func (r *FrontierAnswer) Cost(at Corner) int64 { return at.A*r.A.Cost + at.B*r.B.Cost }

// Cheapest is the pair that is known to do and costs least, the first of several, and a
// bound: what every pair of the grid that does costs at least. False if none is known.
func (r *FrontierAnswer) Cheapest() (at Corner, bound int64, ok bool) {
	for _, c := range r.Corners() {
		if !ok || r.Cost(c) < r.Cost(at) {
			at, ok = c, true
		}
	}
	bound = r.Cost(at)
	for k, e := range r.Columns {
		if e.Fails < r.B.Most {
			bound = min(bound, r.Cost(Corner{r.A.Least + int64(k), e.Fails + 1}))
		}
	}
	return at, bound, ok
}

// mostNew is how many times its size a class is tried with where nothing was said, and
// mostGrid the pairs that a grid may have.
const (
	mostNew  = 2
	mostGrid = 10_000
)

// ErrLargeGrid tells of a grid with too many pairs.
var ErrLargeGrid = errors.New("the grid has more pairs than the most")

// Frontier finds which sizes of two classes will do together: over the sizes that they
// name, up to twice what there are where they name none. It walks along the staircase
// between pairs that do and pairs that do not: with more of A no more of B is needed.
// Limits of opt hold for the whole. With in, not nil, each size of A is a piece. An error is an
// internal one, of in's, or says that the grid is too large.
func Frontier(ctx context.Context, js *model.JobSet, classA, classB Supply, limit *Limit, in Pieces, opt solve.Options) (*FrontierAnswer, error) {
	started := time.Now()
	for _, c := range []*Supply{&classA, &classB} {
		if c.Most == 0 {
			c.Most = max(c.Least, min(mostNew*c.Now, c.enough(js)))
		}
	}
	if width, height := classA.Most-classA.Least+1, classB.Most-classB.Least+1; width*height > mostGrid {
		return nil, fmt.Errorf("%w of %d: %d × %d", ErrLargeGrid, mostGrid, width, height)
	}
	r := &FrontierAnswer{A: classA, B: classB, Columns: make([]whatif.Edge, classA.Most-classA.Least+1)}
	for k := range r.Columns {
		r.Columns[k] = whatif.Edge{Fits: classB.Most + 1, Fails: classB.Least - 1}
	}
	a, stop := newAsker(ctx, opt, limit, in)
	defer stop()
	s := &sizer{asker: a, js: js}
	if err := s.staircase(r); err != nil {
		return nil, err
	}
	r.Notes, r.Elapsed = a.notes, time.Since(started)
	return r, nil
}

// staircase narrows the edges of all columns.
func (s *sizer) staircase(r *FrontierAnswer) error {
	if s.in != nil {
		var names []string
		for k := range r.Columns {
			names = append(names, r.A.Size(r.A.Least+int64(k)))
		}
		whole := r.Columns[0]
		return s.edgesInPieces(names, func(a *asker, k int) (whatif.Edge, error) {
			e, one := whole, &sizer{asker: a, js: s.js}
			err := a.toTheEnd(&e, func() error { return one.column(r, k, &e) })
			return e, err
		}, func(k int, e whatif.Edge) error { return r.take(k, &e) })
	}
	order := s.columns(len(r.Columns))
	for ; s.Round < rounds && !r.Exact() && (s.Round == 0 || s.ctx.Err() == nil); s.Round++ {
		if err := s.pass(r, order); err != nil {
			return err
		}
	}
	return nil
}

// columns is the order in which n columns are looked at: one after the other, or on several
// workers the ones in the middle first, for each tells something of all on one side of it.
func (a *asker) columns(n int) []int {
	var order []int
	if a.opt.Workers == 1 {
		for k := range n {
			order = append(order, k)
		}
		return order
	}
	type span struct{ from, to int }
	for spans := []span{{0, n}}; len(spans) > 0; spans = spans[1:] {
		s := spans[0]
		if s.from == s.to {
			continue
		}
		middle := s.from + (s.to-s.from)/2
		order = append(order, middle)
		spans = append(spans, span{s.from, middle}, span{middle + 1, s.to})
	}
	return order
}

// pass narrows the edge of each column that is open.
func (s *sizer) pass(r *FrontierAnswer, order []int) error {
	edges := make([]*whatif.Edge, len(order))
	return s.beside(len(order), func(i int, a *asker) func() error {
		k := order[i]
		if r.Columns[k].Exact() {
			return nil
		}
		edges[i] = new(r.Columns[k])
		return func() error { return (&sizer{asker: a, js: s.js}).column(r, k, edges[i]) }
	}, func(i int) error {
		if edges[i] == nil {
			return nil
		}
		return r.take(order[i], edges[i])
	})
}

// column narrows the edge of a column.
func (s *sizer) column(r *FrontierAnswer, k int, e *whatif.Edge) error {
	classes, a := []Supply{r.A, r.B}, r.A.Least+int64(k)
	of := whatif.Edge{Fits: min(e.Fits, r.B.Most), Fails: e.Fails, Proof: e.Proof}
	of.Refute(model.RelaxationProof, func(b int64) bool { _, err := s.set(classes, a, b); return err != nil })
	of.Fits = e.Fits
	*e = of
	return e.Narrow(func(b int64) (whatif.Reply, error) {
		s.say("trying %s and %s", r.A.Size(a), r.B.Size(b))
		return s.sized(classes, e.Fails+1, a, b)
	})
}

// take tells all columns what follows for them from the edge of one.
func (r *FrontierAnswer) take(k int, of *whatif.Edge) error {
	for i := range r.Columns {
		c := &r.Columns[i]
		if i >= k {
			c.Fits = min(c.Fits, of.Fits)
		}
		if i <= k && of.Fails > c.Fails {
			c.Fails, c.Proof = of.Fails, of.Proof
		}
		if c.Fits <= c.Fails {
			return fmt.Errorf("%d × %s: a plan was found with %d × %s, and %d refuted", r.A.Least+int64(i), r.A.Name, c.Fits, r.B.Name, c.Fails)
		}
	}
	return nil
}
