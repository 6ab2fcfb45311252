package encode

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/dimacs"
	"github.com/irifrance/gini/z"

	"downbeat/model/gen"
	"downbeat/model/query"
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
	f := NewFormula()
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
	if g := NewFormula(); g.Clauses() != 1 || g.Vars() != 1 || g.Empty() {
		t.Errorf("a new formula has %d clauses", g.Clauses())
	}
}

// TestAddKeepsItsArgument: builders go on with the slice that they gave.
func TestAddKeepsItsArgument(t *testing.T) {
	f := NewFormula()
	clause := []z.Lit{f.Lit(), False, f.Lit()}
	kept := slices.Clone(clause)
	f.Add(clause...)
	if !slices.Equal(clause, kept) {
		t.Errorf("%v became %v", kept, clause)
	}
}

func TestNewBlock(t *testing.T) {
	f := NewFormula()
	first := f.newBlock(3)
	if next := f.Lit().Var(); next != first+3 || f.Vars() != int(next) {
		t.Errorf("a block of 3 from %d, then %d of %d", first, next, f.Vars())
	}
}

// TestImpossible: a job that must be placed and is late alone refutes the
// formula before any solver is asked.
func TestImpossible(t *testing.T) {
	for seed := range uint64(200) {
		js := gen.Tiny(seed)
		q := ask(js, "a job left out", newRand(seed))
		q.Role[0], q.Cap[0] = query.Must, js.Jobs[0].Release // no time at all
		e, err := Build(q, Predict(q, huge).Clauses)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Empty() || e.On(0) != False {
			t.Errorf("seed %d: formula empty: %v; job 1 is placed: %v", seed, e.Empty(), e.On(0))
		}
		q.Role[0] = query.May
		if e := buildWithout(q); e.On(0) != False || slices.Contains(e.Included(), 0) {
			t.Errorf("seed %d: a job that may be left out, and must be, is in the formula", seed)
		}
	}
}

// formulas are small ones with and without models.
func formulas(t *testing.T, check func(name string, f *Formula)) {
	t.Helper()
	for seed := range uint64(60) {
		kind := kinds[seed%10]
		e := buildWithout(ask(gen.Tiny(seed), kind, newRand(seed)))
		check(fmt.Sprintf("seed %d, question %q", seed, kind), e.Formula)
	}
	f := NewFormula()
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
		if s := (&solver{f: f}); s.ask(t) != (answer == 1) {
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
	if err := NewFormula().WriteDIMACS(failing{}); err == nil {
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
		if s := (&solver{f: f}); s.ask(t) != (g.Solve() == 1) {
			t.Errorf("%s: another answer", name)
		}
	})
	if moved < 40 { // some have one clause
		t.Errorf("only %d formulas in another order", moved)
	}
}
