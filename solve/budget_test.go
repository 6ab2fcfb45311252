package solve

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// budgetSets are sets of all kinds: planned, proved, infeasible, out of reach.
func budgetSets(t *testing.T) []*model.JobSet {
	var sets []*model.JobSet
	for seed := range uint64(12) {
		sets = append(sets, gen.Tiny(seed))
	}
	for _, family := range []string{"tight-laid", "infeasible", "squeezed", "misses", "tardiness", "tight-medium-laid", "misses-medium"} {
		for seed := range uint64(2) {
			js, _, err := gen.Family(family, seed)
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, js)
		}
	}
	return sets
}

// underLoad runs f while every processor has other work as well.
func underLoad(f func()) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := 0; ; n++ {
				if n%1000 == 0 {
					select {
					case <-stop:
						return
					default:
						runtime.Gosched()
					}
				}
			}
		})
	}
	f()
	close(stop)
	wg.Wait()
}

// The same budget gives the same answer, however fast the machine is and
// however many workers are asked for.
func TestBudgetRepeats(t *testing.T) {
	budgets := []int64{37, 1, 400}[:testkit.Sets(1, 3)]
	statuses := map[model.Status]int{}
	for _, js := range budgetSets(t) {
		for _, n := range budgets {
			for _, relax := range []bool{false, true} {
				calm := mustPlan(t, js, Options{Seed: 3, Budget: n, Relax: relax})
				var busy *Result
				underLoad(func() { busy = mustPlan(t, js, Options{Seed: 3, Budget: n, Relax: relax, Workers: 2}) })
				calm.Elapsed, busy.Elapsed = 0, 0
				if diff := cmp.Diff(calm, busy); diff != "" {
					t.Errorf("%s, budget %d, relax %t: two runs differ:\n%s", js.Name, n, relax, diff)
				}
				statuses[calm.Status]++
			}
		}
	}
	t.Log(statuses)
	for status := range model.Optimal + 1 {
		if statuses[status] == 0 {
			t.Errorf("no answer is %s", status)
		}
	}
}

// A larger budget goes on where a smaller one ended: it is never worse.
func TestBudgetsAndValues(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 2)
	if err != nil {
		t.Fatal(err)
	}
	var last []int64
	var values [][]int64
	for _, n := range []int64{20, 50, 100, 200, 500, 1000, 2000}[:testkit.Sets(5, 7)] {
		r := mustPlan(t, js, Options{Seed: 1, Budget: n, Objectives: []model.Objective{model.Misses, model.Tardiness}})
		if r.Schedule == nil {
			continue
		}
		var now []int64
		for _, o := range r.Objectives {
			now = append(now, o.Value)
		}
		t.Logf("budget %5d: misses %d, tardiness %d", n, now[0], now[1])
		if last != nil && slices.Compare(now, last) > 0 {
			t.Errorf("budget %d: %v, and with less %v", n, now, last)
		}
		last, values = now, append(values, now)
	}
	if len(values) < 4 || slices.Compare(last, values[0]) >= 0 {
		t.Errorf("more work does not help: %v", values)
	}
}
