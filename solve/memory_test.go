package solve

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/solve/memory"
)

// Under a ceiling that no method fits below there is a plan all the same, a note says
// what was left out, and the answer repeats; where the program itself has come to the
// ceiling the search ends.
func TestMemory(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 3)
	if err != nil {
		t.Fatal(err)
	}
	small := Options{Seed: 1, Budget: 1000, Memory: 1000}
	r := mustPlan(t, js, small)
	want := "left out for want of memory: dual prices (the ceiling is 1 kB)"
	if r.Schedule == nil || !slices.Contains(r.Notes, want) {
		t.Fatalf("status %s %v, notes %q", r.Status, r.Objectives, r.Notes)
	}
	if err := check.Schedule(js, r.Schedule, false).Err(); err != nil {
		t.Error(err)
	}
	if again := mustPlan(t, js, small); !slices.Equal(again.Notes, r.Notes) || !slices.Equal(again.Schedule, r.Schedule) {
		t.Errorf("another answer the second time, notes %q", again.Notes)
	}
	if free := mustPlan(t, js, Options{Seed: 1, Budget: 1000}); slices.Contains(free.Notes, want) {
		t.Errorf("without a ceiling: notes %q", free.Notes)
	}
	large, _, err := gen.Family("misses-medium", 3)
	if err != nil {
		t.Fatal(err)
	}
	r, err = Plan(context.Background(), large, Options{Seed: 1, Memory: 1000})
	if err != nil || r.Schedule == nil || !r.Interrupted || !slices.Contains(r.Notes, "the memory ceiling of 1 kB was reached, which ended the search") {
		t.Errorf("%v, notes %q", err, r.Notes)
	}
}

// peakOf is the most that the program holds while f runs beyond what it held before, in bytes.
func peakOf(f func()) int64 {
	debug.FreeOSMemory()
	before := memory.Taken()
	most, stop := int64(0), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, memory.Taken()-before)
			case <-stop:
				return
			}
		}
	})
	f()
	close(stop)
	wg.Wait()
	return most
}

// A ceiling is for all workers together: what a method of one may take falls with their number, and all
// stay below it.
func TestMemoryOfManyWorkers(t *testing.T) {
	for workers, want := range map[int]int64{1: 1000, 2: 1000, 4: 500, 8: 250} {
		ctx, _, stop := (&Options{Workers: workers, Memory: 4000}).limit(t.Context())
		if got := memory.Share(ctx, 0); got != want {
			t.Errorf("a method of %d workers may take %d, not %d", workers, got, want)
		}
		stop()
	}
	testkit.OneGoroutine(t) // the race detector takes memory of its own
	testkit.UsualMemory(t)
	js, _, err := gen.Family("large-contended", 1)
	if err != nil {
		t.Fatal(err)
	}
	const ceiling = 20_000_000 // without one a worker holds 38 MB
	for _, workers := range []int{1, 3, 8} {
		peak := peakOf(func() {
			if r := mustPlan(t, js, Options{Seed: 1, Workers: workers, Budget: 250, Memory: ceiling, NoConflict: true}); r.Schedule == nil {
				t.Errorf("%d workers: no plan", workers)
			}
		})
		if t.Logf("%d workers hold %s", workers, memory.Text(peak)); peak > ceiling {
			t.Errorf("%d workers hold %s of %s", workers, memory.Text(peak), memory.Text(ceiling))
		}
	}
}
