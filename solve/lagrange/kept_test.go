package lagrange

import (
	"testing"

	"downbeat/model/check/inference"
	"downbeat/model/gen"
)

// A search in many runs takes hardly more steps than one in a single run, and what refutes a value refutes those below without a step.
func TestKeepsBoxes(t *testing.T) {
	js, _, err := gen.Family("weighted-tardiness-40", 22)
	if err != nil {
		t.Fatal(err)
	}
	const value, plenty = 63, 1 << 40
	once := NewEnds(t.Context(), js, value, true)
	_, alone := once.Run(t.Context(), value, plenty, nil)
	work := (plenty - once.Left()) / 10
	e := NewEnds(t.Context(), js, value, true)
	all, runs := 0, 0
	for {
		c, steps := e.Run(t.Context(), value, work, nil)
		if all, runs = all+steps, runs+1; c == nil && runs < 30 {
			continue
		}
		if c == nil {
			t.Fatalf("not refuted in %d runs of a tenth of the work", runs)
		}
		break
	}
	t.Logf("%d steps in %d runs, %d in one", all, runs, alone)
	if runs < 5 || all > alone*3/2 {
		t.Errorf("%d steps in %d runs, %d in one", all, runs, alone)
	}
	for _, v := range []int64{value - 1, value / 2} {
		c, steps := e.Run(t.Context(), v, plenty, nil)
		if c == nil || steps > 0 {
			t.Fatalf("%d takes %d steps", v, steps)
		}
		if err := inference.WeightedBranching(t.Context(), js, v, c); err != nil {
			t.Errorf("%d: %v", v, err)
		}
	}
}
