package strategy

import (
	"slices"
	"testing"
)

// The least tight ones have more turns: of the lightest, or of all where turns are
// given widely.
func TestTurnsOfCandidates(t *testing.T) {
	tight, loose, heavy := &candidate{weight: 3, tightness: 0.99}, &candidate{weight: 3, tightness: 0.6}, &candidate{weight: 4, tightness: 0.3}
	w := candidates{tight, heavy, loose}
	turns := func(widely bool, n int) (out []*candidate) {
		for _, at := range w {
			at.effort, at.light = 1, 0
		}
		for range n {
			at := w.next(widely)
			if widely {
				at.effort++
			} else {
				at.light++
			}
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
	if (candidates{}).next(false) != nil {
		t.Error("one of none")
	}
}

// A turn in which a candidate is to be refuted only costs half of what one does in which a
// plan is sought too, and either kind gets dearer with its own turns; a fresh one costs the
// same in both.
func TestCostsOfTurns(t *testing.T) {
	for _, c := range []struct{ effort, light, turn, want int }{
		{0, 0, freshTurn, 1},
		{0, 0, lightTurn, 1},
		{1, 0, lightTurn, 6},
		{1, 2, lightTurn, 60},
		{1, 2, wideTurn, 12},
		{3, 0, lightTurn, 6},
		{3, 0, wideTurn, 120},
		{9, 9, lightTurn, 220},
		{9, 9, wideTurn, 440},
	} {
		at := &candidate{effort: c.effort, light: c.light}
		if got := at.cost(c.turn); got != c.want {
			t.Errorf("effort %d, light %d: turn %d costs %d, not %d", c.effort, c.light, c.turn, got, c.want)
		}
	}
}
