package inference_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// tiny is a job set with times so short that a prover which looks at all of them is done
// soon.
func tiny(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%2 == 0 {
		k = gen.TodayKnobs()
	}
	k.Tasks, k.Slaves, k.WCET, k.Transfer = gen.Range{Lo: 2, Hi: 4}, gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: 0, Hi: 2}
	k.Tightness, k.FIFO = gen.Range{Lo: 60, Hi: 130}, 0
	js, _ := gen.Random(k, seed)
	if seed%3 == 0 {
		return gen.Coupled(js, seed, false)
	}
	return js
}

// prove is a proof about a tiny job set, drawn by a seed: that an objective, or the second of
// two, cannot be below its optimum, which exhaustive search finds, or that the set is
// infeasible.
func prove(t *testing.T, seed uint64) (sample, bool) {
	js, rng := tiny(seed), rand.New(rand.NewPCG(seed, 5))
	goal := []model.Objective{model.Objective(rng.IntN(4)), model.Objective(rng.IntN(4))}
	if goal[0] == goal[1] || rng.IntN(2) == 0 {
		goal = []model.Objective{model.Objective(rng.IntN(5))}
	}
	relaxed := goal[0] == model.HardMisses
	best, err := oracle.SolveFor(js, goal, relaxed)
	if err != nil {
		t.Fatal(err)
	}
	limits, claim, last := query.Limits{}, "claim infeasible", len(goal)-1
	switch {
	case best.Status == model.Infeasible:
	case best.Values[last] == 0:
		return sample{}, false
	default:
		claim = fmt.Sprintf("claim %s >= %d", goal[last], best.Values[last])
		limits[goal[last]] = best.Values[last] - 1
		if last > 0 {
			limits[goal[0]] = best.Values[0]
			claim += fmt.Sprintf(" given %s <= %d", goal[0], best.Values[0])
		}
		claim += " by"
	}
	section := refutation(query.Within(js, relaxed, limits), rng)
	if section == "" {
		return sample{}, false
	}
	return sample{JS: js, Text: secondopinion.Numbered(fmt.Sprintf("downbeat proof 1\ndigest %s\ntick 1\n%s%s 1\nend 0\n", js.Digest(), section, claim))}, true
}

// proofs draws so many proofs from a seed on.
func proofs(t *testing.T, seed uint64, n int) []sample {
	var out []sample
	for ; len(out) < n; seed++ {
		if s, some := prove(t, seed); some {
			out = append(out, s)
		}
	}
	return out
}

// Plain proofs of what exhaustive search has found are accepted, by both checkers.
func TestProofsByExhaustion(t *testing.T) {
	samples := proofs(t, 1, secondopinion.Count(8, 200))
	for i, said := range second(t, samples) {
		if first := samples[i].First(t); !strings.HasPrefix(first, "proved") || said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// Proofs with something altered at random are refused, or are as valid. DOWNBEAT_PROOFS asks for
// more of them.
func TestAlteredProofs(t *testing.T) {
	var base []sample
	for n := range secondopinion.Count(4, 60) {
		base = append(base, proofs(t, uint64(100000+7*n), 1)...)
	}
	secondopinion.Altered(t, "testdata/check_proof.py", base)
}
