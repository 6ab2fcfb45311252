package cnf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/dimacs"
	"github.com/irifrance/gini/z"
)

// clauses collects what a formula feeds to a solver.
type clauses struct {
	all  [][]z.Lit
	open []z.Lit
}

func (c *clauses) Add(m z.Lit) {
	if m == z.LitNull {
		c.all = append(c.all, c.open)
		c.open = nil
		return
	}
	c.open = append(c.open, m)
}

// Init and Eof make clauses a reader's visitor.
func (c *clauses) Init(vars, clauses int) {}
func (c *clauses) Eof()                   {}

func (c *clauses) String() string { return fmt.Sprint(c.all) }

func TestAdd(t *testing.T) {
	f := New()
	f.Grow(2)
	a, b := f.Lit(), f.Lit()
	f.Add(a, False, b.Not())
	f.Add(a, True)
	f.Add(True, b)
	f.Add(False, b)
	var got clauses
	f.Feed(&got)
	want := clauses{all: [][]z.Lit{{True}, {a, b.Not()}, {b}}}
	if got.String() != want.String() || f.Clauses() != 3 || f.Vars() != 3 || f.Empty() {
		t.Errorf("%v, %d clauses, %d variables, empty %v; want %v", got.all, f.Clauses(), f.Vars(), f.Empty(), want.all)
	}
	f.Add(False, False)
	if f.Clauses() != 4 || !f.Empty() {
		t.Errorf("after an empty clause: %d clauses, empty %v", f.Clauses(), f.Empty())
	}
	if g := New(); g.Clauses() != 1 || g.Vars() != 1 || g.Empty() {
		t.Errorf("a new formula has %d clauses", g.Clauses())
	}
}

// TestAddKeepsItsArgument: builders go on with the slice that they gave.
func TestAddKeepsItsArgument(t *testing.T) {
	f := New()
	clause := []z.Lit{f.Lit(), False, f.Lit()}
	kept := slices.Clone(clause)
	f.Add(clause...)
	if !slices.Equal(clause, kept) {
		t.Errorf("%v became %v", kept, clause)
	}
}

func TestNewBlock(t *testing.T) {
	f := New()
	first := f.Block(3)
	if next := f.Lit().Var(); next != first+3 || f.Vars() != int(next) {
		t.Errorf("a block of 3 from %d, then %d of %d", first, next, f.Vars())
	}
}

// TestChain: of three variables in a row those that hold are the last ones.
func TestChain(t *testing.T) {
	f := New()
	first := f.Block(3)
	f.Chain(first, 3)
	s := &solver{f: f}
	for mask := range 8 {
		var assume []z.Lit
		for i := range 3 {
			m := (first + z.Var(i)).Pos()
			if mask>>i&1 == 0 {
				m = m.Not()
			}
			assume = append(assume, m)
		}
		if got, want := s.ask(t, assume...), slices.Contains([]int{0b000, 0b100, 0b110, 0b111}, mask); got != want {
			t.Errorf("%03b: satisfiable %v", mask, got)
		}
	}
}

// formulas are small ones with and without models: random clauses of up to
// three of ten literals, around the number at which half have a model.
func formulas(t *testing.T, check func(name string, f *Formula)) {
	t.Helper()
	for seed := range uint64(60) {
		rng, f := newRand(seed), New()
		first := f.Block(10)
		for range 30 + rng.IntN(20) {
			var clause []z.Lit
			for range 2 + rng.IntN(2) {
				m := (first + z.Var(rng.IntN(10))).Pos()
				if rng.IntN(2) == 0 {
					m = m.Not()
				}
				clause = append(clause, m)
			}
			f.Add(clause...)
		}
		check(fmt.Sprint("seed ", seed), f)
	}
	f := New()
	check("nothing", f)
	f.Add()
	check("the empty clause", f)
}

// TestWriteDIMACS reads what is written, with a reader that holds the header
// against the clauses.
func TestWriteDIMACS(t *testing.T) {
	answers := map[int]int{}
	formulas(t, func(name string, f *Formula) {
		var text bytes.Buffer
		if err := f.WriteDIMACS(&text); err != nil {
			t.Fatal(err)
		}
		header := fmt.Sprintf("p cnf %d %d\n", f.Vars(), f.Clauses())
		if !strings.HasPrefix(text.String(), header) {
			t.Errorf("%s: header %q, want %q", name, strings.SplitAfter(text.String(), "\n")[0], header)
		}
		if lines := strings.Count(text.String(), "\n"); int64(lines) != f.Clauses()+1 {
			t.Errorf("%s: %d lines for %d clauses", name, lines, f.Clauses())
		}
		var read, fed clauses
		if err := dimacs.ReadCnf(bytes.NewReader(text.Bytes()), &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f.Feed(&fed)
		if read.String() != fed.String() {
			t.Errorf("%s: other clauses come back", name)
		}
		if f.Empty() {
			return // gini does not take the empty clause
		}
		g, err := gini.NewDimacs(&text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answer := g.Solve()
		answers[answer]++
		if (&solver{f: f}).ask(t) != (answer == 1) {
			t.Errorf("%s: answer %d to what was written", name, answer)
		}
	})
	if answers[1] == 0 || answers[-1] == 0 {
		t.Errorf("answers %v", answers)
	}
}

// failing is a writer that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, fmt.Errorf("full") }

func TestWriteDIMACSReportsErrors(t *testing.T) {
	if err := New().WriteDIMACS(failing{}); err == nil {
		t.Error("no error from a full disk")
	}
}

// TestFeedShuffled: the same clauses in another order, the same for the same
// seed.
func TestFeedShuffled(t *testing.T) {
	moved := 0
	formulas(t, func(name string, f *Formula) {
		var fed, shuffled, again clauses
		f.Feed(&fed)
		f.FeedShuffled(&shuffled, newRand(5))
		f.FeedShuffled(&again, newRand(5))
		if shuffled.String() != again.String() {
			t.Errorf("%s: one seed, two orders", name)
		}
		if shuffled.String() != fed.String() {
			moved++
		}
		for _, c := range []*clauses{&fed, &shuffled} {
			slices.SortFunc(c.all, slices.Compare[[]z.Lit])
		}
		if shuffled.String() != fed.String() {
			t.Errorf("%s: other clauses", name)
		}
		if f.Empty() {
			return
		}
		g := gini.NewVc(f.Vars()+1, int(f.Clauses())+1)
		f.FeedShuffled(g, newRand(5))
		if (&solver{f: f}).ask(t) != (g.Solve() == 1) {
			t.Errorf("%s: another answer", name)
		}
	})
	if moved < 40 { // some have one clause
		t.Errorf("only %d formulas in another order", moved)
	}
}
