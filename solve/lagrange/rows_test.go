package lagrange

import (
	"slices"
	"testing"

	"downbeat/solve/relaxation"
)

// A task that needs several units pays for each, and takes up each.
func TestLoadInAmounts(t *testing.T) {
	r := rows{Relaxation: &relaxation.Relaxation{Multipliers: []int64{1, 0, 4, 10, 20, 30}, Use: make([]int64, 6)}}
	l := load{needs: []need{{first: 0, units: 3}, {first: 3, units: 1}}, sums: make([]int64, 4)}
	l.sum(r.Multipliers)
	if want := []int64{0, 13, 33, 75}; !slices.Equal(l.sums, want) {
		t.Errorf("sums %v, want %v", l.sums, want)
	}
	r.add(&l, 2, 0, 3, 2)
	if want := []int64{6, 0, 6, 2, 0, 2}; !slices.Equal(r.Use, want) {
		t.Errorf("use %v, want %v", r.Use, want)
	}
	clear(r.Use)
	shared := load{needs: []need{{first: 0, units: 3}, {first: 3, units: 1, shared: true}}}
	r.add(&shared, 2, 0, 3, 2)
	if want := []int64{6, 0, 6, 2, 2, 2}; !slices.Equal(r.Use, want) {
		t.Errorf("use %v of what is shared in part, want %v", r.Use, want)
	}
}
