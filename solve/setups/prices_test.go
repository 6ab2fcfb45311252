package setups

import (
	"math/rand/v2"
	"testing"
)

// What beginnings that live on have left gets cheaper, what the others have dearer, and so do ticks of which those that live on leave fewer idle. What all of them have keeps its price, and so it does where all live on.
func TestDiscriminate(t *testing.T) {
	p := &Problem{machines: 2, jobs: []job{{0, 1, 9}, {1, 2, 7}, {2, 3, 5}, {3, 1, 2}}}
	layer := []chosen{
		{left: 0b1011, idle: spare{2, 5}}, {left: 0b1101, idle: spare{4, 5}}, {left: 0b1011, idle: spare{1, 5}}, {left: 0b1101, idle: spare{3, 5}},
	}
	after := []chosen{{left: 0b0011, before: 2}, {left: 0b1001, before: 0}, {left: 0b0011, before: 0}}
	prices := NewPrices(p, rand.New(rand.NewPCG(1, 1)))
	was := append([]int64(nil), prices.left[3]...)
	last := append([]int64(nil), prices.left[2]...)
	prices.learn([][]chosen{layer, after})
	for f, moves := range []int64{0, -1, 1, 0, 1, 0} { // by job, for machines and for the server
		if got := prices.left[3][f] - was[f]; got*moves < 0 || (got == 0) != (moves == 0) {
			t.Errorf("price %d moves by %d", f, got)
		}
	}
	for f := range last {
		if prices.left[2][f] != last[f] {
			t.Errorf("price %d moves by %d, where all live on", f, prices.left[2][f]-last[f])
		}
	}
	cheap, dear := prices.score(0b1011, spare{1, 5}), prices.score(0b1101, spare{4, 5})
	if cheap >= dear {
		t.Errorf("%d for what lives on, %d for others", cheap, dear)
	}
}

// Those that live on are those to which some of a later layer go back, over all layers between.
func TestLivingFrom(t *testing.T) {
	layers := [][]chosen{{{}, {}, {}, {}}, {{before: 1}, {before: 3}, {before: 0}}, {{before: 0}, {before: 2}, {before: 0}}}
	for k, want := range []bool{true, true, false, false} {
		if livingFrom(layers, 0, 2)[k] != want {
			t.Errorf("beginning %d lives on: %v", k, !want)
		}
	}
}

// The least scores come first, in order, those that are equal by place, however many are asked for.
func TestLeastFirst(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 300, 5000} {
		for _, some := range []int{1, 20, 2000} {
			all := make([]scored, n)
			for k := range all {
				all[k] = scored{rng.Int64N(100), int32(k)}
			}
			seen, last := 0, scored{-1, -1}
			for s := range leastFirst(all, some) {
				if s.score < last.score || s.score == last.score && s.at <= last.at {
					t.Fatalf("%v after %v", s, last)
				}
				seen, last = seen+1, s
			}
			if seen != n {
				t.Errorf("%d of %d", seen, n)
			}
		}
	}
}
