package lcg_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// Where others hold some of pools and caps, at times more than there is, answers are those of a
// formula that is made on its own.
func TestHeldByOthersAgreesWithGini(t *testing.T) {
	answers, short := map[lcg.Answer]int{}, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 400)) {
		rng := rand.New(rand.NewPCG(seed, 19))
		js := heldByOthers(t, seed, rng)
		if slices.ContainsFunc(js.Shared(), func(sh model.Shared) bool {
			return slices.ContainsFunc(sh.Levels, func(l model.Level) bool { return l.Amount < 0 })
		}) {
			short++
		}
		lim := drawLimits(js, rng)
		_, file, err := recorded(js, lim, lcg.Options{Seed: seed}, map[string]int{})
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, excerpt(file, err))
			continue
		}
		q := query.Within(js, false, lim)
		got, plan, err := lcg.SolveBriefly(q, seed)
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case got == lcg.Unknown:
			continue
		case got == lcg.Satisfiable:
			if err := keeps(js, plan, lim, false); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		if want := askGini(t, q); got != want {
			t.Errorf("seed %d: answer %d, gini says %d", seed, got, want)
		}
		answers[got]++
	}
	t.Logf("answers %v, more is held than there is in %d sets", answers, short)
	if answers[lcg.Satisfiable] < 10 || answers[lcg.Unsatisfiable] < 10 || short < 10 {
		t.Error("the sets are one-sided")
	}
}

// heldByOthers is a set with pools, caps, gangs and tasks that are apart, of which others hold some.
func heldByOthers(t *testing.T, seed uint64, rng *rand.Rand) *model.JobSet {
	js := gen.TodayTiny(7_000_000 + seed)
	js.FIFO = false
	js = gen.Coupled(js, seed, false)
	holds := func() (out []model.SharedHold) {
		for range rng.IntN(3) {
			from := model.Time(rng.IntN(20))
			out = append(out, model.SharedHold{
				Interval: model.Interval{Start: from, End: from + 1 + model.Time(rng.IntN(4))}, Units: 1 + rng.Int64N(4),
			})
		}
		return out
	}
	for i := range js.Pools {
		js.Pools[i].Reserved = holds()
	}
	for i := range js.Jobs {
		if js.Jobs[i].AtMost > 0 {
			js.Jobs[i].Reserved = holds()
		}
		for k := range js.Jobs[i].Stages {
			if st := &js.Jobs[i].Stages[k]; st.AtMost > 0 {
				st.Reserved = holds()
			}
		}
	}
	if err := js.Link(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return js
}
