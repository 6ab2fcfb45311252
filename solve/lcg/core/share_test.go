package core

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
)

// board passes on what solvers learn, to each after a random while.
type board struct {
	rng    *rand.Rand
	boxes  [][]Clause
	passed int
}

type boardSide struct {
	*board
	number int
}

func (b boardSide) Post(learned []Clause) {
	for i := range b.boxes {
		if i != b.number {
			b.boxes[i] = append(b.boxes[i], learned...)
		}
	}
}

func (b boardSide) Collect() []Clause {
	n := b.rng.IntN(len(b.boxes[b.number]) + 1)
	out := b.boxes[b.number][:n]
	b.boxes[b.number] = b.boxes[b.number][n:]
	b.passed += n
	return out
}

// TestExchangedRecordsAreRefutations has several solvers refute the same random formulas by turns,
// and exchange what they learn; some are not recorded, and now and then one is given up and begun
// anew. All answers are the same, and the steps of the one that ends first follow, whoever recorded
// them.
func TestExchangedRecordsAreRefutations(t *testing.T) {
	answers, learnt, passed := map[Answer]int{}, 0, 0
	for seed := range uint64(testkit.Sets(12, 150)) {
		rng := rand.New(rand.NewPCG(seed, 21))
		vars := 100 + rng.IntN(70)
		clauses := formula(rng, vars, 4.4, seed%2 == 1)
		b := &board{rng: rng, boxes: make([][]Clause, 2+rng.IntN(4))}
		records := &Records{}
		var given map[string]bool
		begin := func(number int) *Solver {
			s := New(rng.Uint64())
			s.Check, s.ExchangeAlways = true, seed%2 == 0
			if number != 1 {
				s.Record(1 << 24)
				s.SetLabel(1)
			}
			given = addFormula(s, vars, clauses)
			s.Share(boardSide{b, number}, records)
			s.Diversify(rng.Uint64())
			return s
		}
		var solvers []*Solver
		for k := range b.boxes {
			solvers = append(solvers, begin(k))
		}
		a, last := Unknown, 0
		for k := 0; a == Unknown; k = rng.IntN(len(solvers)) {
			if rng.IntN(40) == 0 {
				solvers[k] = begin(k)
			}
			a, last = solvers[k].Search(context.Background(), func() bool { return rng.IntN(2) == 0 }), k
		}
		answers[a]++
		passed += b.passed
		if hold(clauses, nil) != (a == Satisfiable) {
			t.Fatalf("seed %d: answer %d", seed, a)
		}
		if a == Unsatisfiable && last != 1 {
			learnt += follow(t, seed, solvers[last], given, nil)
		}
		for k, s := range solvers {
			if also := s.Search(context.Background(), func() bool { return false }); also != a {
				t.Fatalf("seed %d: answer %d, but of solver %d %d", seed, a, k, also)
			}
			if a == Unsatisfiable && k != 1 {
				learnt += follow(t, seed, s, given, nil)
			}
		}
	}
	if answers[Satisfiable] == 0 || answers[Unsatisfiable] == 0 || learnt == 0 || passed == 0 {
		t.Errorf("answers %v, %d clauses learnt, %d passed on", answers, learnt, passed)
	}
	t.Log(answers, learnt, "clauses learnt,", passed, "passed on")
}

// TestWhatIsTaken: clauses that are shortened by what never holds, down to none, and those
// that hold always.
func TestWhatIsTaken(t *testing.T) {
	for _, c := range []struct {
		name  string
		lits  []Lit
		want  Answer
		given bool // it was learned with a record
	}{
		{"holds always", []Lit{2, 7, 9}, Satisfiable, true},
		{"one literal is left", []Lit{3, 5, 6}, Satisfiable, true},
		{"none is left", []Lit{3, 5}, Unsatisfiable, true},
		{"without a record", []Lit{3, 5}, Satisfiable, false},
	} {
		var records Records
		other := New(1)
		other.Record(1 << 10)
		addFormula(other, 4, nil)
		other.Share(nil, &records)
		step := other.rec.add(1, nil, c.lits, nil, nil)
		other.rec.publish()
		from := foreign{0, step}
		if !c.given {
			from = foreign{}
		}
		s := New(2)
		s.Record(1 << 10)
		s.SetLabel(1)
		given := addFormula(s, 4, [][]Lit{{2}, {4}})
		given[name(c.lits)] = true
		b := &board{rng: rand.New(rand.NewPCG(1, 1)), boxes: [][]Clause{nil}}
		s.Share(boardSide{b, 0}, &records)
		s.inbox = []Clause{{s.appendNames(nil, c.lits), 2, from}}
		if a := s.Search(context.Background(), func() bool { return false }); a != c.want {
			t.Errorf("%s: answer %d", c.name, a)
		}
		if c.name == "one literal is left" && !s.IsTrue(6) {
			t.Errorf("%s: it is not true", c.name)
		}
		if c.want == Unsatisfiable {
			follow(t, 0, s, given, nil)
		}
	}
}

// TestRecordsShareTheirBytes: what one has recorded another may not.
func TestRecordsShareTheirBytes(t *testing.T) {
	var records Records
	both := [2]*Solver{New(1), New(2)}
	for _, s := range both {
		s.Record(1000)
		s.Share(boardSide{}, &records)
	}
	for !both[0].rec.full() {
		both[0].rec.steps.add(1, nil, []Name{2, 4}, nil, nil)
	}
	both[0].rec.publish()
	if both[1].rec.publish(); !both[1].rec.full() || records.Bytes() < 1000 {
		t.Errorf("%d bytes, but there is room", records.Bytes())
	}
	if s := both[1]; s.Recording() {
		t.Error("it goes on recording")
	}
	if !slices.Equal(records.published[0].starts, both[0].rec.starts) {
		t.Error("not all is published")
	}
}

// TestCollectedAfterASolution: a solver that is asked again after it was Satisfiable takes in what
// others have left as of no decisions, not of those that the solution rests on.
func TestCollectedAfterASolution(t *testing.T) {
	b := &board{rng: rand.New(rand.NewPCG(1, 1)), boxes: [][]Clause{nil}}
	s := New(2)
	addFormula(s, 4, nil)
	s.Share(boardSide{b, 0}, nil)
	ask := func() Answer { return s.Search(context.Background(), func() bool { return false }) }
	if a := ask(); a != Satisfiable {
		t.Fatalf("answer %d at first", a)
	}
	p, q := Lit(2), Lit(4)
	for _, l := range []*Lit{&p, &q} {
		if s.IsTrue(*l) {
			*l = l.Not()
		}
	}
	s.inbox = []Clause{{s.appendNames(nil, []Lit{p, q}), 2, foreign{}}}
	if a := ask(); a != Satisfiable || !s.IsTrue(p) && !s.IsTrue(q) {
		t.Errorf("answer %d with a clause that has solutions", a)
	}
}

// TestRecordsCountByEpochs: when another has recorded within an epoch makes no difference to when there is no
// more room.
func TestRecordsCountByEpochs(t *testing.T) {
	records := Records{ByEpochs: true}
	both := [2]*Solver{New(1), New(2)}
	for _, s := range both {
		s.Record(1000)
		s.Share(boardSide{}, &records)
	}
	for !both[0].rec.full() {
		both[0].rec.steps.add(1, nil, []Name{2, 4}, nil, nil)
	}
	both[0].rec.publish()
	if both[1].rec.publish(); both[1].rec.full() {
		t.Error("what another has recorded in this epoch counts")
	}
	records.Epoch()
	if both[1].rec.publish(); !both[1].rec.full() {
		t.Error("what another has recorded in the last epoch does not count")
	}
}
