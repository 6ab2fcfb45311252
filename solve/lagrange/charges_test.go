package lagrange

import (
	"math"
	"testing"
)

// What a heavy job pays for a tick is no less than what a lighter one does, and no more than a recheck takes.
func TestPricesOfHeavyJobs(t *testing.T) {
	for _, most := range []int64{0, 1, 1000, 1 << 40, math.MaxInt64} {
		shift, before := tickShift(most), int64(0)
		for n := range 63 {
			price := scaled(1<<n, shift)
			if price < before || price > mostLate {
				t.Errorf("of %d a tick of weight 2^%d costs %d, half of that %d", most, n, price, before)
			}
			before = price
		}
	}
}
