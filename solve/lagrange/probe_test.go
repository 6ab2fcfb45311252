package lagrange

import (
	"testing"

	"downbeat/solve/relaxation"
)

// TestHopes: steps go on as long as what is missing may be gained by those to come, and after most of them only with
// a value of hope or more.
func TestHopes(t *testing.T) {
	for _, c := range []struct {
		latest, hope int64
		factor, done float64
		want         bool
	}{
		{-unit / 10, 0, 0.05, 0.2, true},
		{-unit / 4, 0, 0.05, 0.2, false},
		{-unit / 10, 0, 0.01, 0.4, false},
		{-unit / 50, 0, 0.01, 0.5, true},
		{-unit / 50, 0, 0.01, 0.6, false},
		{-unit / 50, -unit / 40, 0.01, 0.6, true},
		{1, 0, 0.001, 0.9, true},
	} {
		a := &relaxation.Ascent{Latest: c.latest, Factor: c.factor}
		if got := hopes(a, c.hope, c.done); got != c.want {
			t.Errorf("a value of %d, hope %d, factor %g, after %g of the steps: %v", c.latest, c.hope, c.factor, c.done, got)
		}
	}
}
