package strategy

import (
	"slices"
	"testing"
)

// The least tight ones have more turns: of the lightest, or of all where turns are
// given widely.
func TestTurnsOfCandidates(t *testing.T) {
	tight, loose, heavy := &candidate{weight: 3, tightness: 0.99}, &candidate{weight: 3, tightness: 0.6}, &candidate{weight: 4, tightness: 0.3}
	w := waiting{tight, heavy, loose}
	turns := func(widely bool, n int) (out []*candidate) {
		for _, at := range w {
			at.effort = 1
		}
		for range n {
			at := w.next(widely)
			at.effort++
			out = append(out, at)
		}
		return out
	}
	if got, want := turns(false, 5), []*candidate{loose, tight, loose, tight, loose}; !slices.Equal(got, want) {
		t.Errorf("turns %v", got)
	}
	if got, want := turns(true, 6), []*candidate{heavy, loose, heavy, tight, loose, heavy}; !slices.Equal(got, want) {
		t.Errorf("wide turns %v", got)
	}
	if (waiting{}).next(false) != nil {
		t.Error("one of none")
	}
}
