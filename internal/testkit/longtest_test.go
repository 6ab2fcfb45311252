package testkit

import (
	"slices"
	"testing"
)

func TestSets(t *testing.T) {
	for value, want := range map[string]int{"": 3, "1": 10} {
		t.Setenv("DOWNBEAT_LONG", value)
		if got := Sets(3, 10); got != want {
			t.Errorf("DOWNBEAT_LONG=%q: %d, want %d", value, got, want)
		}
	}
}

// A test of one goroutine is left out under the race detector, and under nothing else.
func TestOneGoroutine(t *testing.T) {
	ran := false
	t.Run("one", func(t *testing.T) {
		OneGoroutine(t)
		ran = true
	})
	if ran == Race() {
		t.Errorf("the test ran: %v, with the race detector: %v", ran, Race())
	}
}

func TestLong(t *testing.T) {
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("DOWNBEAT_LONG", value)
		var left testing.TB
		t.Run("test", func(t *testing.T) {
			left = t
			Long(t)
		})
		if left.Skipped() != want {
			t.Errorf("DOWNBEAT_LONG=%q: left out %t, want %t", value, left.Skipped(), want)
		}
	}
}

func TestSeeds(t *testing.T) {
	for first, want := range map[string][]uint64{"": {0, 1, 2}, "40": {40, 41, 42}} {
		t.Setenv("DOWNBEAT_SEED", first)
		if got := slices.Collect(Seeds(t, 3)); !slices.Equal(got, want) {
			t.Errorf("DOWNBEAT_SEED=%q: %v, want %v", first, got, want)
		}
	}
}
