package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
)

func during(from, to model.Time) model.Interval { return model.Interval{Start: from, End: to} }

// Uses of several units: 3 + 2 of 4 are too many, 3 and then 2 are not.
func TestExcessOfUnits(t *testing.T) {
	uses := []Use{{during(0, 6), 3, 10}, {during(4, 9), 2, 11}, {during(6, 8), 2, 12}, {during(5, 5), 9, 13}, {during(7, 2), 9, 14}}
	got := Excesses(uses, 4, 5)
	if len(got) != 1 || got[0].Interval != during(4, 6) || got[0].Peak != 5 || !slices.Equal(got[0].Owners, []int32{10, 11}) {
		t.Errorf("found %+v", got)
	}
	if got := Excesses(uses, 5, 5); len(got) != 0 {
		t.Errorf("of 5 units: found %+v", got)
	}
	if got := Excesses(uses, 4, 1); len(got) != 1 || len(got[0].Owners) != 1 || got[0].More != 1 {
		t.Errorf("one owner: found %+v", got)
	}
}

// Tick by tick the same ticks are over capacity, and no more is held than the peak.
func TestExcessesAgainstTicks(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		var uses []Use
		var held [40]int64
		kinds := 1 + 2*int(seed%2) // of amounts: one, or up to three units
		for i := range 1 + r.IntN(12) {
			from := model.Time(r.IntN(30))
			u := Use{during(from, from+model.Time(r.IntN(10))), int64(1 + r.IntN(kinds)), int32(i)}
			uses = append(uses, u)
			for at := u.Interval.Start; at < u.Interval.End; at++ {
				held[at] += u.Units
			}
		}
		var over [40]int64 // the peak of the excess around a tick
		for _, e := range Excesses(uses, 4, len(uses)) {
			if held[e.PeakAt] != e.Peak {
				t.Fatalf("seed %d: %+v, at its peak there are %d", seed, e, held[e.PeakAt])
			}
			for at := e.Interval.Start; at < e.Interval.End; at++ {
				over[at] = e.Peak
			}
		}
		for at, n := range held {
			if n > 4 != (over[at] > 0) || n > over[at] && over[at] > 0 {
				t.Fatalf("seed %d: %d held at %d, found a peak of %d", seed, n, at, over[at])
			}
		}
	}
}
