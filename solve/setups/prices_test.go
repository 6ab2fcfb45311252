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
	cheap, dear := prices.after(prices.before(0b1111), 0b1011, 2, spare{1, 5}), prices.after(prices.before(0b1111), 0b1101, 1, spare{4, 5})
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

// What a beginning costs are the prices, for as many jobs as it leaves, of each of them and of what is idle, whichever job it ends with.
func TestPriceOfBeginning(t *testing.T) {
	p := &Problem{machines: 2, jobs: make([]job, 5)}
	prices := NewPrices(p, rand.New(rand.NewPCG(1, 1)))
	const before = 0b11101
	for _, job := range []int{0, 2, 3, 4} {
		left, of := uint64(before)&^(1<<job), prices.left[3]
		want := 2*of[5] + 7*of[6]
		for k := range 5 {
			if left>>k&1 != 0 {
				want += of[k]
			}
		}
		if got := prices.after(prices.before(before), left, job, spare{2, 7}); got != want {
			t.Errorf("job %d: %d in place of %d", job, got, want)
		}
	}
}

// Jobs that are left out cost as much as the dearest or more, and some that do are left out.
func TestBelow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var out [2]int // forward and backward
	for round := range 200 {
		p := &Problem{machines: 3}
		for range 8 {
			p.jobs = append(p.jobs, job{setup: ticks(1 + rng.IntN(9)), run: ticks(1 + rng.IntN(30))})
		}
		p.sum()
		prices, left := NewPrices(p, rng), firstJobs(8)
		var r remaining
		r.of(p, left)
		here := state{server: 5, free: [mostMachines]ticks{3, 9, 20}}
		if round%2 == 1 {
			here.server = 20 // as the last machine, backward
		}
		before, dear := prices.before(left), 22*machinesPrice+rng.Int64N(20*machinesPrice)
		below := prices.below(p, round%2 == 1, &here, &r, left, before, dear)
		p.next(round%2 == 1, &here, &r, left, plenty, func(job int, at *state, _ ticks, rest *rest) {
			at.useful(round%2 == 1, rest, p.machines)
			cost := prices.after(before, left&^(1<<job), job, p.idle(at, rest.setups, rest.work))
			if below>>job&1 == 0 {
				if out[round%2]++; cost < dear {
					t.Fatalf("job %d, which costs %d, is not below %d", job, cost, dear)
				}
			}
		})
	}
	if out[0] == 0 || out[1] == 0 {
		t.Error("none is left out")
	}
}
