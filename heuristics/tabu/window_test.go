package tabu

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// TestWindowsKeepTheGraph: within a window heads, tails and the longest path through it are those of the whole, no window makes
// a solution longer, and after it all is as if the best of it were loaded anew.
func TestWindowsKeepTheGraph(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 10, 200)) {
		js, _, err := gen.Family("jobshop-8x6", seed)
		if err != nil {
			t.Fatal(err)
		}
		s, rng := New(js, model.Makespan, seed), rand.New(rand.NewPCG(seed, 2))
		g, fresh, now := s.g, newGraph(s.sh), s.blank()
		s.found.set(s.random())
		g.load(s.found)
		for length := g.longest(); length > 0; {
			before := length
			for range 10 {
				g.sort(rng.IntN(2) == 0)
				copy(s.found.order, g.order)
				from, to := 0, len(g.order) // a window may be all
				if rng.IntN(8) > 0 {
					from = rng.IntN(to)
					to = from + 1 + rng.IntN(to-from)
				}
				g.focus(from, to)
				if s.found.length = g.longest(); s.found.length > length {
					t.Fatalf("seed %d: %d through a window, %d in all", seed, s.found.length, length)
				}
				now.set(s.found)
				s.inWindow = true
				for range 30 {
					if !s.step() {
						break
					}
					s.took()
					g.save(now)
					fresh.load(now)
					for v := range int32(len(g.order)) {
						if g.inside(v) && fresh.nodes[v] != g.nodes[v] || g.longest() > fresh.longest() {
							t.Fatalf("seed %d: %+v, to be %+v, %d of %d", seed, g.nodes[v], fresh.nodes[v], g.longest(), fresh.longest())
						}
					}
				}
				g.unfocus(s.found)
				fresh.load(s.found)
				if !slices.Equal(fresh.nodes, g.nodes) || !slices.Equal(fresh.order, g.order) || !slices.Equal(fresh.at, g.at) || g.longest() > length {
					t.Fatalf("seed %d: not what was found, %d after %d", seed, g.longest(), length)
				}
				length = g.longest()
			}
			if length == before {
				break
			}
		}
	}
}

// TestWindowsOfLargeSets: a large set is searched by windows, each plan that is handed in is valid and has the value that it is said to have, and
// a better plan from elsewhere is gone on from.
func TestWindowsOfLargeSets(t *testing.T) {
	js, _, err := gen.Family("jobshop-60x40", 1)
	if err != nil {
		t.Fatal(err)
	}
	s, other := New(js, model.Makespan, 1), New(js, model.Makespan, 2)
	var better model.Schedule
	other.Run(context.Background(), 60_000_000, func(plan model.Schedule) { better = plan })
	s.Run(context.Background(), 1_000_000, func(plan model.Schedule) { mustBe(t, js, plan, model.Makespan, s.Best()) })
	if !s.inWindow || s.Best() <= other.Best() {
		t.Fatalf("by windows: %t, %d after %d", s.inWindow, s.Best(), other.Best())
	}
	s.Consider(better)
	s.Run(context.Background(), 60_000_000, func(plan model.Schedule) { mustBe(t, js, plan, model.Makespan, s.Best()) })
	if s.Best() > other.Best() {
		t.Errorf("%d after a plan of %d", s.Best(), other.Best())
	}
}

// TestWindowsOfChainsOnly: where a task waits for several there are paths out of a window that are none of its exits.
func TestWindowsOfChainsOnly(t *testing.T) {
	js, _, err := gen.Family("jobshop-60x40", 1)
	if err != nil {
		t.Fatal(err)
	}
	js.Jobs[2].After = []model.JobID{0, 1}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := New(js, model.Makespan, 1)
	if s.begins(); s.inWindow {
		t.Error("by windows")
	}
}
