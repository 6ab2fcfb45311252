package testkit

import (
	"slices"
	"testing"
)

func TestSets(t *testing.T) {
	for value, want := range map[string][4]int{"": {3, 20, 3, 20}, "1": {10, 0, 100, 0}, "1/2": {5, 20, 25, 20}, "1/4": {3, 20, 6, 20}} {
		t.Setenv("DOWNBEAT_LONG", value)
		if got := [4]int{Sets(3, 10), Sets(20, 0), Dear(3, 100), Dear(20, 0)}; got != want {
			t.Errorf("DOWNBEAT_LONG=%q: %d, want %d", value, got, want)
		}
		if Asked() != (value != "") || All() != (value == "1") {
			t.Errorf("DOWNBEAT_LONG=%q: every test %t, at full length %t", value, Asked(), All())
		}
	}
	for _, value := range []string{"yes", "4", "0", "1/0", "3/4"} {
		t.Setenv("DOWNBEAT_LONG", value)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("DOWNBEAT_LONG=%q means something", value)
				}
			}()
			Asked()
		}()
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
	for value, want := range map[string]bool{"": true, "1": false, "1/4": false} {
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
