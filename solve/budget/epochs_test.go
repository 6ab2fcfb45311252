package budget_test

import (
	"sync"
	"testing"

	"downbeat/solve/budget"
)

// TestEpochsSpendAll: all that workers have spent is off the whole, also what is less than an epoch.
func TestEpochsSpendAll(t *testing.T) {
	for _, units := range []int{1, 63, 64, 65, 200} {
		whole, stop := budget.With(t.Context(), 1000)
		epochs := budget.NewEpochs(whole, 3, 64, func() {})
		var wg sync.WaitGroup
		for k := range 3 {
			ctx, end := epochs.Worker(k)
			wg.Go(func() {
				defer end()
				for range units {
					budget.Spend(ctx, 1)
				}
				epochs.Leave()
			})
		}
		wg.Wait()
		if left := budget.Affordable(whole, 0); left != 1000-3*units {
			t.Errorf("three spent %d each of 1000, and %d are left", units, left)
		}
		stop()
	}
}
