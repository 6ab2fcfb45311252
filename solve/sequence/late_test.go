package sequence_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/query"
	"downbeat/solve/sequence"
)

// mayBeLate is such a tiny set, in which most jobs are in time each by itself, and the weight of late ones is to be least.
func mayBeLate(rng *rand.Rand) (js *model.JobSet, differ bool) {
	slaves := 1 + rng.IntN(3)
	differ = rng.IntN(3) == 0
	js = drawn(rng, 6, slaves, differ && slaves > 1)
	js.Objectives = []model.Objective{model.Misses}
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind == model.Soft {
			job.Deadline += model.Time(rng.IntN(5))
		}
	}
	if js.Tasks = nil; js.Assemble() != nil {
		panic("a set that was assembled before")
	}
	return js, differ
}

// fewer asks for a plan in which less weight is late.
func fewer(js *model.JobSet, value int64) query.Question {
	return query.Within(js, false, query.Limits{model.Misses: value - 1})
}

// Every value up to the least weight of late jobs, as exhaustive search has it, is refuted where slaves are alike, and none above it is. Both checkers agree
// with what is said to prove it; what is altered at random is refused, or as true.
func TestTinyLate(t *testing.T) {
	var samples []secondopinion.Sample
	refuted, split, open := map[bool]int{}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 150, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		js, differ := mayBeLate(rng)
		best, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		p := sequence.New(fewer(js, 1<<20), model.Misses)
		if best.Status == model.Infeasible || p == nil {
			continue
		}
		s := sequence.NewSearch(t.Context(), p, model.NewSchedule(len(js.Tasks)), seed)
		for value := s.Bound() + 1; value <= best.Values[0]+2; value++ {
			if s.Ask(t.Context(), value); rng.IntN(2) == 0 {
				s.SplitNow(t.Context())
			}
			for s.Open() {
				s.Run(t.Context(), 1)
			}
			switch {
			case s.Bound() > best.Values[0]:
				t.Fatalf("seed %d: a bound of %d, and there is a plan with %d", seed, s.Bound(), best.Values[0])
			case value > best.Values[0]:
				continue
			case s.Bound() < value:
				if open++; !differ {
					t.Errorf("seed %d: %d is not refuted, and the best is %d", seed, value-1, best.Values[0])
				}
				continue
			}
			q := fewer(js, value)
			by := s.Refutation(&q)
			if err := inference.CheckClaim(t.Context(), js, model.Misses, value, by); err != nil {
				t.Fatalf("seed %d: a bound of %d: %v", seed, value, err)
			}
			sample := secondopinion.Sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\nquestion 1\n%s\n%srefuted 1 2\nclaim misses >= %d by 1\nend 0\n",
				js.Digest(), strings.Join(by.Question, "\n"), by.Steps, value))}
			if refuted[differ]++; strings.Contains(sample.Text, " split.") {
				split++
			}
			if len(samples) < secondopinion.Count(12, 400) {
				samples = append(samples, sample)
			}
		}
	}
	if t.Logf("%v refuted, %d by splits, %d open", refuted, split, open); refuted[false] < 30 || refuted[true] < 10 || split < 10 {
		t.Error("too few to tell")
	}
	agreed(t, samples)
}
