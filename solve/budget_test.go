package solve

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/event"
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

// way is what a solve tells of itself, but for times: values and bounds in the order in which they
// came, and all slices, which workers tell of as they end them.
type way struct {
	Objectives []string
	Slices     []string
}

// wayTo plans a set, and tells the way to the answer as well.
func wayTo(t *testing.T, js *model.JobSet, opt Options) (*Result, way) {
	t.Helper()
	var w way
	opt.Events = func(e event.Event) {
		switch e.Kind {
		case event.Plan, event.Bound:
			w.Objectives = append(w.Objectives, valuesAndBounds(e.Objectives))
		case event.Strategy:
			s := *e.Slice
			s.Took, s.Memory = 0, 0
			w.Slices = append(w.Slices, fmt.Sprintf("%+v", s))
		}
	}
	r := mustPlan(t, js, opt)
	slices.Sort(w.Slices)
	r.Elapsed, r.Settled = 0, 0
	return r, w
}

func valuesAndBounds(objectives []model.ObjectiveValue) string {
	var out string
	for _, o := range objectives {
		out += fmt.Sprintf("%s %d", o.Name, o.Value)
		if o.Bound != nil {
			out += fmt.Sprintf("/%d", *o.Bound)
		}
		out += " "
	}
	return out
}

// The same budget and number of workers give the same answer by the same way, however fast the machine is
// and whatever else it does.
func TestBudgetRepeats(t *testing.T) {
	budgets := []int64{37, 1, 400}[:testkit.Sets(1, 3)]
	statuses := map[model.Status]int{}
	for i, js := range budgetSets(t) {
		for k, n := range budgets {
			for _, relax := range []bool{false, true} {
				opt := Options{Seed: 3, Budget: n, Relax: relax, Workers: []int{1, 2, 3, 8}[(i+k)%4]}
				calm, first := wayTo(t, js, opt)
				var busy *Result
				var second way
				underLoad(func() { busy, second = wayTo(t, js, opt) })
				if diff := cmp.Diff(calm, busy); diff != "" {
					t.Errorf("%s, %d workers, budget %d, relax %t: two runs differ:\n%s", js.Name, opt.Workers, n, relax, diff)
				}
				if diff := cmp.Diff(first, second); diff != "" {
					t.Errorf("%s, %d workers, budget %d, relax %t: two runs go different ways:\n%s", js.Name, opt.Workers, n, relax, diff)
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

// TestBudgetOfManyRepeats: nor is it by chance where workers have much to tell each other.
func TestBudgetOfManyRepeats(t *testing.T) {
	for i, name := range []string{"jobshop-6x6", "misses-medium", "tardiness-30", "weighted-tardiness-26", "squeezed-40", "project-30"} {
		js, _, err := gen.Family(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		for k, workers := range []int{2, 3, 8} {
			if k != i%3 && !testkit.Asked() {
				continue
			}
			opt := Options{Seed: 3, Budget: testkit.Sets[int64](400, 800), Workers: workers, NoConflict: true}
			calm, first := wayTo(t, js, opt)
			var busy *Result
			var second way
			underLoad(func() { busy, second = wayTo(t, js, opt) })
			if diff := cmp.Diff(calm, busy); diff != "" {
				t.Errorf("%s, %d workers: two runs differ:\n%s", js.Name, workers, diff)
			}
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("%s, %d workers: two runs go different ways:\n%s", js.Name, workers, diff)
			}
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
