package lcg_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
	"downbeat/solve/lcg/core"
)

// turns has searches of the same question run by turns, each until it exchanges, in a random order.
type turns struct {
	rng      *rand.Rand
	searches []*lcg.Search
	boxes    [][]core.Clause
	answers  []lcg.Answer
	plans    []model.Schedule
	passed   int
}

// side is what one search sees of them.
type side struct {
	*turns
	number int
	yield  func(struct{}) bool
}

func (s *side) Post(learned []core.Clause) {
	for i := range s.boxes {
		if i != s.number {
			s.boxes[i] = append(s.boxes[i], learned...)
		}
	}
}

func (s *side) Collect() []core.Clause {
	s.yield(struct{}{})
	n := s.rng.IntN(len(s.boxes[s.number]) + 1)
	out := s.boxes[s.number][:n]
	s.boxes[s.number] = s.boxes[s.number][n:]
	s.passed += n
	return out
}

// exchanging runs some searches that exchange after every conflict to their ends.
func exchanging(q query.Question, n int, opt lcg.Options, rng *rand.Rand) (*turns, error) {
	all := &turns{rng: rng, boxes: make([][]core.Clause, n), answers: make([]lcg.Answer, n), plans: make([]model.Schedule, n)}
	var records core.Records
	var next []func() (struct{}, bool)
	for k := range n {
		opt.Seed = rng.Uint64()
		s, err := lcg.New(context.Background(), q, opt.Named())
		if err != nil {
			return nil, err
		}
		mine := &side{turns: all, number: k}
		s.Share(mine, &records)
		s.ExchangeAlways()
		if k > 0 {
			s.Diversify(rng.Uint64())
		}
		all.searches = append(all.searches, s)
		step, stop := iter.Pull(func(yield func(struct{}) bool) {
			mine.yield = yield
			all.answers[k], all.plans[k] = s.Run(context.Background(), nil)
		})
		defer stop()
		next = append(next, step)
	}
	for len(next) > 0 {
		k := rng.IntN(len(next))
		if _, more := next[k](); !more {
			next = slices.Delete(next, k, k+1)
		}
	}
	return all, nil
}

// TestExchangingSearchesAgree: three to eight searches that exchange clauses answer as exhaustive
// search does, each of them, and what one of them has refuted is accepted by the checker though it
// rests on what others have recorded.
func TestExchangingSearchesAgree(t *testing.T) {
	refuted, found, passed := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 300)) {
		js := coupledTiny(seed)
		if seed%3 == 0 {
			tiny := *gen.Tiny(3_000_000 + seed)
			js = &tiny
			js.FIFO = false
		}
		goal := goals[seed%uint64(len(goals))]
		relaxed := slices.Contains(goal, model.HardMisses)
		want, err := oracle.SolveFor(js, goal, relaxed)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 22))
		for lim, possible := range questions(goal, want) {
			q := query.Within(js, relaxed, lim)
			all, err := exchanging(q, 3+rng.IntN(6), lcg.Options{Record: true}, rng)
			if err != nil {
				t.Fatal(err)
			}
			passed += all.passed
			for k, a := range all.answers {
				switch {
				case (a == lcg.Satisfiable) != possible:
					t.Fatalf("seed %d, %v: answer %d of search %d, exhaustive search says %v", seed, lim, a, k, possible)
				case possible:
					found++
					err = keeps(js, all.plans[k], lim, relaxed)
				default:
					refuted++
					err = accepted(js, lim, all.searches[k])
				}
				if err != nil {
					t.Fatalf("seed %d, %v: search %d: %v", seed, lim, k, err)
				}
			}
		}
	}
	if refuted == 0 || found == 0 || passed == 0 {
		t.Errorf("%d refuted, %d found, %d clauses passed on", refuted, found, passed)
	}
	t.Logf("%d refuted, %d found, %d clauses passed on", refuted, found, passed)
}

// questions are those about each objective at its best value and one below, and whether there is a
// plan.
func questions(goal []model.Objective, want oracle.Answer) iter.Seq2[query.Limits, bool] {
	return func(yield func(query.Limits, bool) bool) {
		lim := query.Limits{}
		if want.Status == model.Infeasible {
			yield(lim, false)
			return
		}
		for p, o := range goal {
			for _, below := range []int64{1, 0} {
				if lim[o] = want.Values[p] - below; lim[o] >= 0 && !yield(lim, below == 0) {
					return
				}
			}
		}
	}
}

// accepted has the checker look at what a search has refuted.
func accepted(js *model.JobSet, lim query.Limits, s *lcg.Search) error {
	by := s.Refutation()
	if by == nil {
		return fmt.Errorf("there is no refutation")
	}
	file := proofFile(js, lim, by)
	if _, err := inference.CheckFile(context.Background(), js, bytes.NewReader(file)); err != nil {
		return fmt.Errorf("%w\n%s", err, excerpt(file, err))
	}
	return nil
}

// TestExchangedRefutationsAreAccepted: so are those of small sets, after some hundred conflicts.
func TestExchangedRefutationsAreAccepted(t *testing.T) {
	refuted, passed := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 250)) {
		js := small(seed, 8+int(seed%9))
		js.FIFO = false
		if seed%4 == 0 {
			js = coupledSmall(seed)
		}
		rng := rand.New(rand.NewPCG(seed, 23))
		lim := tightLimits(js, rng)
		_, relaxed := lim[model.HardMisses]
		q := query.Within(js, relaxed, lim)
		want, _, err := lcg.SolveBriefly(q, seed)
		if err != nil {
			t.Fatal(err)
		}
		if want == lcg.Unknown {
			continue
		}
		all, err := exchanging(q, 2+rng.IntN(4), lcg.Options{Record: true}, rng)
		if err != nil {
			t.Fatal(err)
		}
		passed += all.passed
		for k, a := range all.answers {
			if a != want {
				t.Fatalf("seed %d, %v: answer %d, of search %d %d", seed, lim, want, k, a)
			}
			if a == lcg.Unsatisfiable {
				refuted++
				if err := accepted(js, lim, all.searches[k]); err != nil {
					t.Fatalf("seed %d, %v: search %d: %v", seed, lim, k, err)
				}
			}
		}
	}
	if refuted == 0 || passed == 0 {
		t.Errorf("%d refuted, %d clauses passed on", refuted, passed)
	}
	t.Logf("%d refuted, %d clauses passed on", refuted, passed)
}
