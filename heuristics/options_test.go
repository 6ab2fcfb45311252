package heuristics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/gen"
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

// TestMergedLists: what a profile shares and has of its own makes the list that all its
// slaves make, in whole or cut off.
func TestMergedLists(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 16))
		js := randomKin(t, rng)
		if seed == 0 {
			js = gen.Scale(4000, 1) // more slaves than are listed in any case
		}
		l := lister{slaves: len(js.Slaves), kins: map[model.Kin]*kin{}}
		for i := range js.Tasks {
			p := js.Tasks[i].Profile
			for _, l.keep = range []int{l.slaves, fewSlaves} {
				got := l.options(p)
				if want, more := l.list(p, l.keep); !slices.Equal(got.list, want) || got.more != more {
					t.Fatalf("seed %d, %d kept: %v, %v, want %v, %v", seed, l.keep, got.list, got.more, want, more)
				}
			}
		}
	}
}
