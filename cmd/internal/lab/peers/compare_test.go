package peers

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
)

// namedSets are sets with these names.
func namedSets(names ...string) []Set {
	js := gen.Tiny(0)
	var sets []Set
	for _, name := range names {
		sets = append(sets, Set{Name: name, JobSet: js, digest: shortDigest(js)})
	}
	return sets
}

// settler is a solver that says infeasible of the sets with these names, notes
// whom it was asked about, and knows nothing else.
func settler(name string, asked *[]string, settles ...string) Peer {
	return Peer{Name: name, solve: func(_ context.Context, set *Set, _ Options, _ *listener) (claim, error) {
		*asked = append(*asked, set.Name)
		if slices.Contains(settles, set.Name) {
			return claim{status: model.Infeasible}, nil
		}
		return claim{}, nil
	}}
}

// TestDrop: a solver that settled none of a size is asked about no larger set
// of the trait, but about other traits and other sets.
func TestDrop(t *testing.T) {
	sets := namedSets("a-20-1", "a-20-2", "a-40-1", "a-40-2", "a-60-1", "a-80-1", "b-60-1", "nightly")
	var asked []string
	runs := Compare(t.Context(), sets, []Peer{settler("p", &asked, "a-20-2")}, Options{Rounds: 1, Drop: true}, nil, func(*Run) {})
	if want := "a-20-1 a-20-2 a-40-1 a-40-2 b-60-1 nightly"; strings.Join(asked, " ") != want || len(runs) != 6 {
		t.Errorf("asked about %v, want %s", asked, want)
	}
	asked = nil
	Compare(t.Context(), sets, []Peer{settler("p", &asked)}, Options{Rounds: 1}, nil, func(*Run) {})
	if len(asked) != len(sets) {
		t.Errorf("without being told to, sets were left out: %v", asked)
	}
}

// TestKnown: a run that is known is not made again, unless the set has changed;
// it counts for what is dropped.
func TestKnown(t *testing.T) {
	sets := namedSets("a-20-1", "a-40-1", "a-60-1")
	known := []*Run{
		{Set: &Set{Name: "a-20-1", digest: sets[0].digest}, Peer: "p", Status: model.Infeasible},
		{Set: &Set{Name: "a-40-1", digest: "another"}, Peer: "p", Status: model.Infeasible},
		{Set: &Set{Name: "a-60-1", digest: sets[2].digest}, Peer: "q", Status: model.Infeasible},
	}
	var asked []string
	heard := 0
	runs := Compare(t.Context(), sets, []Peer{settler("p", &asked)}, Options{Rounds: 1, Drop: true}, known, func(*Run) { heard++ })
	if want := "a-40-1"; strings.Join(asked, " ") != want || heard != 1 {
		t.Errorf("asked about %v, want %s; heard of %d", asked, want, heard)
	}
	if len(runs) != 2 || runs[0] != known[0] || runs[0].Set != &sets[0] {
		t.Errorf("%d runs, the first %+v", len(runs), runs[0])
	}
}

// TestParallel: as many runs side by side as are asked for and no more, and the
// answer in the order of a single one.
func TestParallel(t *testing.T) {
	var begun, now, most atomic.Int32
	var three sync.WaitGroup // the first, so that they are at work at the same time
	three.Add(3)
	slow := Peer{Name: "slow", solve: func(context.Context, *Set, Options, *listener) (claim, error) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if begun.Add(1) <= 3 {
			three.Done()
			three.Wait()
		}
		now.Add(-1)
		return claim{}, nil
	}}
	sets := namedSets("1", "2", "3", "4", "5", "6")
	runs := Compare(t.Context(), sets, []Peer{slow}, Options{Rounds: 1, Parallel: 3}, nil, func(*Run) {})
	for i, r := range runs {
		if r.Set != &sets[i] {
			t.Errorf("run %d is on set %s", i, r.Set.Name)
		}
	}
	if len(runs) != len(sets) || most.Load() != 3 {
		t.Errorf("%d runs, at most %d at a time", len(runs), most.Load())
	}
}
