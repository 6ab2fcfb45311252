package heuristics

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSmallestKeysComeFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Uint64Range(0, 50), 4, 40).Draw(t, "keys")
		n := rapid.IntRange(1, 4).Draw(t, "n")
		want := slices.Sorted(slices.Values(keys))[:n]
		if got := smallest(keys, n); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}
