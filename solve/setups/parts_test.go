package setups

import (
	"math/rand/v2"
	"sync"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
)

// Several workers at one search, which divide it again and again, ask about other times now and then, and leave it after a few nodes, find an order for each time
// from the least makespan on, and none for less.
func TestWorkers(t *testing.T) {
	names := []string{"setups-6x2", "setups-7x2", "setups-6x3", "setups-7x4", "setups-7x3"}
	divided := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
		name, rng := names[seed%5], rand.New(rand.NewPCG(seed, 89))
		p := drawn(t, name, seed, 1+rng.IntN(20), 1+rng.IntN(10), []int{0, 3, 12, 30}[rng.IntN(4)])
		if rng.IntN(3) > 0 {
			p.walks = nil
		}
		best := ticks(mostTicks)
		ordersBy(p, best-1, func(order []int) { best = min(best, p.until(p.Makespan(order))) })
		s := NewSearch(p)
		s.freelyNodes, s.betweenNodes = 1+rng.IntN(64), 1+rng.IntN(3)
		if seed%2 == 0 {
			s.waiting.Store(1) // another one, which never comes, so that parts are given away whichever workers run at a time
		}
		var wg sync.WaitGroup
		for worker := range 2 + seed%3 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(seed, 100+worker))
				for by := best - 2; by <= best+1; {
					asked := by
					if rng.IntN(30) == 0 {
						asked = best - 2 + ticks(rng.IntN(4))
					}
					order, a, _ := s.Run(t.Context(), p.from+model.Time(asked), 1+rng.IntN(60))
					if a == Unknown {
						continue
					}
					if (a == Found) != (asked >= best) || a == Found && p.until(p.Makespan(order)) > asked {
						t.Errorf("%s, seed %d: %d by %d, %v; the least is %d", name, seed, a, asked, order, best)
						return
					}
					if asked == by {
						by++
					}
				}
			})
		}
		wg.Wait()
		if len(s.parts)+len(s.done) > 1 {
			divided++
		}
	}
	if divided == 0 {
		t.Error("no search is divided")
	}
}
