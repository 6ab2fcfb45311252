package lagrange

import (
	"math"
	"testing"

	"downbeat/solve/relaxation"
)

// TestWithinReach: steps go on as long as what is missing may be gained by those to come.
func TestWithinReach(t *testing.T) {
	for _, c := range []struct {
		latest, value int64
		factor        float64
		want          bool
	}{
		{-unit / 10, 0, 0.05, true},
		{-unit / 4, 0, 0.05, false},
		{-unit / 10, 0, 0.01, false},
		{-unit / 50, 0, 0.01, true},
		{1, 0, 0.001, true},
		{-unit / 50, unit / 40, 0.01, false},
		{-unit / 50, unit / 100, 0.01, true},
	} {
		a := &relaxation.Ascent{Latest: c.latest, Factor: c.factor}
		if got := withinReach(a, c.value, mostGain*unit); got != c.want {
			t.Errorf("a value of %d, factor %g, %d within reach: %v", c.latest, c.factor, c.value, got)
		}
	}
}

// Steps end early where nothing is within reach, and after most of them where there is no value of hope yet.
func TestStepsWithoutHope(t *testing.T) {
	js, finishes := planned(t, 3)
	r := newLagrangian(t.Context(), js, inTime(finishes))
	p := prober{ctx: t.Context(), domains: newDomains(r), workers: &workers{}}
	start := make([]int64, len(r.Multipliers))
	taken := func(hope int64) int {
		before := p.steps
		p.ascend(start, 100, 1, hope, math.MaxInt64)
		return p.steps - before
	}
	if n := taken(math.MinInt64); n != 100 {
		t.Errorf("%d of 100 steps", n)
	}
	if n := taken(math.MinInt64 + 1); n <= 20 || n >= 100 {
		t.Errorf("%d steps where nothing is within reach in the end", n)
	}
	if n := taken(math.MaxInt64); n > mostSteps*100 {
		t.Errorf("%d steps where there is no hope", n)
	}
}
