package rows

import (
	"slices"
	"testing"
)

// A task that needs several units pays for each, and takes up each.
func TestLoadInAmounts(t *testing.T) {
	r := Rows{Multipliers: []int64{1, 0, 4, 10, 20, 30}, Use: make([]int64, 6)}
	l := Load{needs: []need{{0, 3}, {3, 1}}, Sums: make([]int64, 4)}
	l.sum(r.Multipliers)
	if want := []int64{0, 13, 33, 75}; !slices.Equal(l.Sums, want) {
		t.Errorf("sums %v, want %v", l.Sums, want)
	}
	r.Add(&l, 2, 0, 3, 2)
	if want := []int64{6, 0, 6, 2, 0, 2}; !slices.Equal(r.Use, want) {
		t.Errorf("use %v, want %v", r.Use, want)
	}
}
