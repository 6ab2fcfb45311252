package lcg_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// TestLiteralsAreCounted compares what a question is counted as before anything is made with the integers that are made. Clauses of
// one literal may have cut these by then, and tasks of a gang have one start.
func TestLiteralsAreCounted(t *testing.T) {
	equal, all := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 23))
		js := gen.TodayTiny(8_000_000 + seed)
		js.FIFO = false
		if seed%2 == 1 {
			js = gen.Coupled(js, seed, false)
		}
		q := query.Within(js, false, drawLimits(js, rng))
		counted, made, err := lcg.Literals(q)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if counted < made {
			t.Errorf("seed %d: %d literals counted, %d made", seed, counted, made)
		}
		if all++; counted == made {
			equal++
		}
	}
	if 2*equal < all {
		t.Errorf("as many counted as made in %d of %d sets only", equal, all)
	}
}

// TestWideHorizonsAreTaken: of a job shop of 1,000 tasks in a horizon of thousands of ticks most literals are never made, so that the
// question is taken, in less memory than the limit stands for.
func TestWideHorizonsAreTaken(t *testing.T) {
	js, _, err := gen.Family("jobshop-50x20", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, map[model.Objective]int64{model.Makespan: 4500})
	wide := model.Time(0)
	for _, span := range query.NewLayout(q).Windows.Tasks {
		wide += span.LastFinish - span.FirstFinish
	}
	if wide < 3_000_000 {
		t.Fatalf("%d literals are not many", wide)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := lcg.New(context.Background(), q, lcg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d MB", (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 40<<20 {
		t.Errorf("the search holds %d bytes", held)
	}
	runtime.KeepAlive(s)
}
