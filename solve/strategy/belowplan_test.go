package strategy

import "testing"

// A single value between bound and plan is asked for at length, of small values too: the strategy from the bound up leaves it.
func TestLastValueIsWithinReach(t *testing.T) {
	for _, c := range []struct {
		value, bound int64
		beyond       bool
	}{{20, 19, false}, {20, 18, true}, {64, 62, false}, {63, 61, true}, {1000, 968, true}, {1024, 992, false}} {
		if got := beyondReach(c.value, c.bound); got != c.beyond {
			t.Errorf("%d over %d: %t", c.value, c.bound, got)
		}
	}
}
