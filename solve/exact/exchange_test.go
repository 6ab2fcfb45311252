package exact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lcg"
	"downbeat/solve/lcg/core"
)

// late is a question that takes a thousand conflicts to refute, or to find a plan for.
func late(t testing.TB, most int64) query.Question {
	t.Helper()
	js, _, err := gen.Family("tardiness-60", 1)
	if err != nil {
		t.Fatal(err)
	}
	return query.Within(js, false, query.Limits{model.Tardiness: most})
}

func join(t testing.TB, q query.Question, opt *Options, seed uint64) *Search {
	t.Helper()
	s, err := Join(t.Context(), q, opt, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSearchesSideBySide: searches on goroutines of their own exchange clauses until one answers;
// what it has refuted is accepted though it rests on what others have recorded, some of it about wider questions. One
// of them is given up now and then, and begun anew.
func TestSearchesSideBySide(t *testing.T) {
	js := late(t, 3).JS
	late := func(_ testing.TB, most int64) query.Question {
		return query.Within(js, false, query.Limits{model.Tardiness: most})
	}
	q := late(t, 3)
	opt := &Options{Record: true, Exchange: NewExchange(4, false)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var by *proof.Refutation
	for k := range 4 {
		wg.Go(func() {
			s := join(t, late(t, 3+2*int64(k)), opt, uint64(k))
			for round := 1; ctx.Err() == nil; round++ {
				polls := 0
				a, _ := s.Run(ctx, func() bool { polls++; return polls > 4 })
				wide := round <= 2 && k > 0
				switch {
				case a == lcg.Satisfiable && !wide:
					t.Error("there is a plan")
				case a == lcg.Satisfiable || wide:
					if !s.Narrow(q) {
						t.Error("not narrowed")
					}
				}
				if a == lcg.Unsatisfiable {
					mu.Lock()
					by = s.Refutation()
					mu.Unlock()
					stop()
				}
				if k == 3 && round%2 == 0 {
					s.Close()
					s = join(t, q, opt, uint64(k+10*round))
				}
			}
		})
	}
	wg.Wait()
	if by == nil {
		t.Fatal("no refutation")
	}
	lines := []string{"downbeat proof 1", "digest " + q.JS.Digest(), "tick 1", "question 1"}
	lines = append(append(lines, by.Question...), strings.Split(strings.TrimSpace(string(by.Steps)), "\n")...)
	lines = append(lines, fmt.Sprintf("refuted 1 %d", by.Last), "claim tardiness >= 4 by 1")
	lines = append(lines, fmt.Sprintf("end %d", len(lines)), "")
	if _, err := inference.CheckFile(t.Context(), q.JS, strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Error(err)
	}
}

// TestEpochsRepeat: searches on goroutines of their own that meet after every two polls do the same
// work each time, and other work than without the others.
func TestEpochsRepeat(t *testing.T) {
	q := late(t, 12)
	narrower := query.Within(q.JS, false, query.Limits{model.Tardiness: 11})
	run := func(workers int) (conflicts []int64) {
		x := NewExchange(workers, true)
		searches := make([]*Search, workers)
		for epoch := range testkit.Sets(4, 10) {
			var wg sync.WaitGroup
			for k := range searches {
				wg.Go(func() {
					if epoch == 0 || k == 2 && epoch == 3 {
						searches[k].Close()
						searches[k] = join(t, q, &Options{Exchange: x, Worker: k}, 5)
					}
					if k == 1 && epoch == 2 && !searches[k].Narrow(narrower) {
						t.Error("not narrowed")
					}
					polls := 0
					searches[k].Run(t.Context(), func() bool { polls++; return polls > 1 })
				})
			}
			wg.Wait()
			x.Epoch()
		}
		for _, s := range searches {
			conflicts = append(conflicts, s.lcg.Conflicts(), s.lcg.Restarts())
		}
		return conflicts
	}
	first, again, alone := run(3), run(3), run(1)
	if !slices.Equal(first, again) {
		t.Errorf("conflicts and restarts %v, and then %v", first, again)
	}
	if slices.Equal(first[:2], first[2:4]) || slices.Equal(first[:2], alone) {
		t.Errorf("conflicts and restarts %v, of one alone %v", first, alone)
	}
}

// clauses are some of a number of literals, and of that glue.
func clauses(first, n, lits int) (out []core.Clause) {
	for i := range n {
		c := core.Clause{Glue: uint32(lits)}
		for k := range lits {
			c.Lits = append(c.Lits, core.Name(1000*k+first+i))
		}
		out = append(out, c)
	}
	return out
}

// TestWhatIsLeft: clauses go to others once each, not back, and not if another has said the same;
// one that joins later gets the better half of too many; where there are epochs they come in the
// order of workers.
func TestWhatIsLeft(t *testing.T) {
	testkit.OneGoroutine(t)
	q := late(t, 9)
	x := NewExchange(3, false)
	var m []*member
	for k := range 2 {
		m = append(m, join(t, q, &Options{Exchange: x}, uint64(k)).member)
	}
	m[0].Post(clauses(0, 5, 3))
	m[1].Post(clauses(3, 5, 3))
	if a, b := m[0].Collect(), m[1].Collect(); len(a) != 3 || len(b) != 5 || len(m[0].Collect()) > 0 {
		t.Errorf("%d and %d clauses", len(a), len(b))
	}
	m[0].Post(clauses(10_000, keptClauses, 7))
	late := join(t, q, &Options{Exchange: x}, 2)
	got := late.member.Collect()
	if len(got) != keptClauses/2 || len(got[0].Lits) != 3 || int(got[len(got)-1].Lits[0]) != 10_000+keptClauses-1 {
		t.Errorf("the one that is late gets %d clauses", len(got))
	}
	if got := m[1].Collect(); len(got) != mostCollected {
		t.Errorf("%d clauses come at once", len(got))
	}
	m[1].Post(clauses(10_000, 3, 7))
	if n := len(m[0].Collect()); n != 3 {
		t.Errorf("%d of three that were dropped come again", n)
	}
	m[1].Post(append(clauses(50_000, mostCollected, 7), clauses(70_000, 1, 2)...))
	if got := m[0].Collect(); len(got) != mostCollected || len(got[0].Lits) != 2 {
		t.Errorf("%d clauses come at once, the first is %v", len(got), got[0])
	}

	x = NewExchange(2, true)
	m = nil
	for k := range 2 {
		m = append(m, join(t, q, &Options{Exchange: x, Worker: 1 - k}, uint64(k)).member)
	}
	m[0].Post(clauses(0, 1, 3))
	m[1].Post(clauses(7, 1, 3))
	watcher := join(t, q, &Options{Exchange: x}, 2).member
	if n := len(watcher.Collect()); n > 0 {
		t.Errorf("%d clauses before the epoch ends", n)
	}
	x.Epoch()
	if got := watcher.Collect(); len(got) != 2 || got[0].Lits[0] != 7 {
		t.Errorf("left in the epoch: %v", got)
	}
}

// TestNarrowerQuestions: what was learnt about a question goes to those who ask for less as well, not to those who ask
// for more; and to one who comes to ask for less, then with what it was passed over for before.
func TestNarrowerQuestions(t *testing.T) {
	testkit.OneGoroutine(t)
	js := late(t, 9).JS
	most := func(v int64) query.Question { return query.Within(js, false, query.Limits{model.Tardiness: v}) }
	for _, epochs := range []bool{false, true} {
		x := NewExchange(3, epochs)
		collected := func(s *Search) int {
			x.Epoch()
			return len(s.member.Collect())
		}
		wide := join(t, most(9), &Options{Exchange: x}, 1)
		x.Epoch()
		narrow := join(t, most(7), &Options{Exchange: x, Worker: 1}, 1)
		other := join(t, most(8), &Options{Exchange: x, Worker: 2}, 1)
		if len(x.boards) != 1 {
			t.Fatalf("%d boards", len(x.boards))
		}
		wide.member.Post(clauses(0, 2, 3))
		narrow.member.Post(clauses(10, 3, 3))
		other.member.Post(clauses(20, 5, 3))
		if a, b, c := collected(wide), collected(narrow), collected(other); a != 0 || b != 7 || c != 2 {
			t.Errorf("%d, %d and %d clauses", a, b, c)
		}
		if !wide.Narrow(most(8)) {
			t.Fatal("not narrowed")
		}
		if a := collected(wide); a != 5 {
			t.Errorf("%d clauses, narrowed to what the other asks", a)
		}
		wide.member.Post(clauses(30, 1, 3))
		if !wide.Narrow(most(6)) || wide.Narrow(most(7)) {
			t.Fatal("not narrowed, or widened")
		}
		if a, b, c := collected(wide), collected(narrow), collected(other); a != 3 || b != 1 || c != 1 {
			t.Errorf("%d, %d and %d clauses", a, b, c)
		}
		if wider := join(t, most(12), &Options{Exchange: x}, 1); len(x.boards) != 2 || collected(wider) != 0 {
			t.Error("a wider question is on the same board")
		}
	}
}

// TestManyQuestions: however many values are asked about, a board keeps a bounded number of questions, and nobody gets a
// clause of a question that what is asked does not narrow. Of what holds most is kept.
func TestManyQuestions(t *testing.T) {
	testkit.OneGoroutine(t)
	js := late(t, 9).JS
	const values = 400
	most := func(v int64) *query.Question {
		q := query.Within(js, false, query.Limits{model.Tardiness: v})
		return &q
	}
	for _, epochs := range []bool{false, true} {
		x := NewExchange(3, epochs)
		rng := rand.New(rand.NewPCG(1, 0))
		var m []*member
		for k := range 3 {
			m = append(m, join(t, *most(values), &Options{Exchange: x, Worker: k}, 1).member)
		}
		b, came, passed := m[0].b, 0, 0
		asks := []int64{values, values, values}
		for round := range values {
			k := rng.IntN(len(m))
			v := int64(values - round - rng.IntN(min(values-round, 30)))
			if round%50 == 49 {
				v = int64(values - 1)
			}
			m[k].ask(most(v))
			asks[k] = v
			m[k].Post([]core.Clause{{Glue: 3, Lits: []core.Name{core.Name(v), core.Name(values + round)}}})
			x.Epoch()
			for other := range m {
				for _, c := range m[other].Collect() {
					if came++; int64(c.Lits[0]) < asks[other] {
						t.Fatalf("what is learnt about %d goes to one who asks about %d", c.Lits[0], asks[other])
					}
				}
			}
			passed++
			if n := len(b.asked); n > 2*keptAsked+1 || len(b.narrows) > n*n || epochs && n > keptAsked+2 {
				t.Fatalf("%d questions are kept, %d pairs", n, len(b.narrows))
			}
		}
		if came < passed {
			t.Errorf("%d clauses came of %d", came, passed)
		}
		late := join(t, *most(0), &Options{Exchange: x}, 2)
		if n := len(late.member.Collect()); n < values/2 {
			t.Errorf("%d of %d clauses are left", n, values)
		}
	}
}

// TestQuestionsAreForgotten: those that nobody asks are kept for a while, up to so many; others
// exchange nothing.
func TestQuestionsAreForgotten(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, epochs := range []bool{false, true} {
		x := NewExchange(2, epochs)
		stays := join(t, late(t, 0), &Options{Exchange: x}, 1)
		js := late(t, 0).JS
		apart := func(most int64) query.Question { // none of them narrows another
			return query.Within(js, false, query.Limits{model.Tardiness: most, model.Misses: 60 - most})
		}
		for most := range int64(keptQuestions + 2) {
			s := join(t, apart(1+most), &Options{Exchange: x}, 1)
			s.member.Post(clauses(0, 3, 3))
			s.Close()
			s.Close()
			x.Epoch()
		}
		if len(x.boards) != keptQuestions+1 {
			t.Errorf("%d questions are kept", len(x.boards))
		}
		for most, want := range map[int64]int{1: 0, keptQuestions + 2: 3} {
			s := join(t, apart(most), &Options{Exchange: x}, 1)
			if got := s.member.Collect(); len(got) != want {
				t.Errorf("tardiness of %d: %d clauses", most, len(got))
			}
		}
		stays.Close()
	}
	if NewExchange(1, false) != nil {
		t.Error("one worker exchanges")
	}
	q := late(t, 9)
	q.Restrict = make([]query.Restriction, len(q.JS.Tasks))
	for i := range q.Restrict {
		q.Restrict[i].To = q.Cap[q.JS.Tasks[i].Job]
	}
	if s := join(t, q, &Options{Exchange: NewExchange(2, false)}, 1); s.member != nil {
		t.Error("searches of a part exchange")
	}
}
