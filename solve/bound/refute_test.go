package bound_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/window"
	"downbeat/solve/bound"
)

var sets = flag.Int("sets", 5000, "number of random job sets per soundness test")

// refute is what most tests ask for.
func refute(js *model.JobSet, due []model.Time) *model.Shortage {
	return bound.Refute(js, due, window.Compute(js, due))
}

// randomSet has 1 to 30 tasks, small ones more often, and every feature.
func randomSet(seed uint64) *model.JobSet {
	switch seed % 8 {
	case 0, 1, 2:
		return gen.Tiny(seed)
	case 3, 4, 5:
		return gen.Small(seed, 8+int(seed/8%7))
	default:
		js, _ := gen.Random(knobs(12+int(seed/8%19)), seed)
		return js
	}
}

// Times that a valid schedule meets must never be refuted, nor any later ones.
func TestRefuteSparesWhatIsFeasible(t *testing.T) {
	for seed := range uint64(*sets) {
		js := randomSet(seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		for range 2 {
			finishes := js.Finishes(witness(t, js, rng))
			due := make([]model.Time, len(finishes))
			slack := rng.IntN(4)
			for i, f := range finishes {
				due[i] = f + model.Time(rng.IntN(slack+1))
				if rng.IntN(10) == 0 {
					due[i] = model.Never
				}
			}
			if sh := refute(js, due); sh != nil {
				t.Fatalf("seed %d: a schedule finishes at %v, but with due times %v: %s (%+v)",
					seed, finishes, due, bound.Sentence(js, sh), sh)
			}
		}
	}
}
