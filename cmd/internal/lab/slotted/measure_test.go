package slotted

import (
	"math"
	"testing"
)

// means turns a list of batch means over ten slots each into batches.
func means(queue ...float64) []batch {
	var out []batch
	for _, q := range queue {
		out = append(out, batch{slots: 10, queue: 10 * q})
	}
	return out
}

var (
	queueOf = func(b *batch) float64 { return b.queue }
	slotsOf = func(b *batch) float64 { return float64(b.slots) }
)

// By hand: 1, 2, 3 have mean 2 and standard deviation 1; t(0.975; 2) = 4.302653.
func TestEstimateByHand(t *testing.T) {
	got := estimate(means(1, 2, 3), queueOf, slotsOf)
	if want := 4.302653 / math.Sqrt(3); math.Abs(got.Mean-2) > 1e-12 || math.Abs(got.Half-want) > 1e-5 {
		t.Errorf("%v, want 2 ± %g", got, want)
	}
	if one := estimate(means(5), queueOf, slotsOf); one.Mean != 5 || !math.IsNaN(one.Half) {
		t.Errorf("one batch gives %v", one)
	}
	// A ratio of sums, not a mean of ratios: 40 delays over 10 tasks.
	ratio := estimate([]batch{{queue: 10, slots: 1}, {queue: 30, slots: 9}}, queueOf, slotsOf)
	if ratio.Mean != 4 {
		t.Errorf("40 over 10 gives %v", ratio)
	}
}

// The interval holds the true mean of independent batches about 95 times in 100.
func TestEstimateCoverage(t *testing.T) {
	s := newStream(5, 5)
	const times = 4000
	inside := 0
	for range times {
		var batches []batch
		for range 10 {
			sum := 0.0
			for range 12 { // nearly normal
				sum += float64(s.below(1<<20)) / (1 << 20)
			}
			batches = append(batches, means(sum)...)
		}
		if e := estimate(batches, queueOf, slotsOf); math.Abs(e.Mean-6) <= e.Half {
			inside++
		}
	}
	if share := float64(inside) / times; share < 0.935 || share > 0.965 {
		t.Errorf("%.3f of the intervals hold the mean", share)
	}
}
