package whatif_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/solve/whatif"
)

// Narrowing ends, with each end where a reply has it, whatever is not answered, and though plans go further than what they were asked for,
// also beyond what was not answered.
func TestNarrowEnds(t *testing.T) {
	errEndless := errors.New("asked without end")
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		up := int64(1 - 2*r.IntN(2)) // which way values get harder
		const most = 300
		last := r.Int64N(most) // the last that fits
		e := whatif.Edge{Fits: 0, Fails: up * (last + 1 + r.Int64N(most))}
		asked, open := 0, map[int64]bool{}
		err := e.Narrow(func(v int64) (whatif.Reply, error) {
			if asked++; asked > 10*most {
				return whatif.Reply{}, errEndless
			}
			if _, again := open[v]; !again {
				open[v] = r.IntN(3) == 0
			}
			switch at := up * v; {
			case open[v]:
				return whatif.Reply{Status: model.Unknown}, nil
			case at > last:
				return whatif.Reply{Status: model.Infeasible, Proof: model.EnergyProof}, nil
			default:
				return whatif.Reply{Status: model.Feasible, Reach: up * (at + r.Int64N(last-at+1))}, nil
			}
		})
		if err != nil || up*e.Fits > last || up*e.Fails <= last {
			t.Fatalf("seed %d: fits at %d and fails at %d after %d values, where %d is the last that fits: %v", seed, e.Fits, e.Fails, asked, up*last, err)
		}
	}
}
