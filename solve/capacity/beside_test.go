package capacity

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/event"
	"downbeat/solve/whatif"
)

// sideBySide are numbers of workers that tests compare.
var sideBySide = []int{1, 2, 3, 8}

// ends are the ends of edges, without the proofs, of which there may be several.
func ends(edges ...whatif.Edge) string {
	var out []int64
	for _, e := range edges {
		out = append(out, e.Fits, e.Fails)
	}
	return fmt.Sprint(out)
}

// everything asks all questions about a set, and gives the answers that others have to give as
// well, and all that was answered.
func everything(t *testing.T, js *model.JobSet, opt solve.Options) (settled, all string) {
	t.Helper()
	slack, err := Slack(t.Context(), js, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	edges := []whatif.Edge{slack.All}
	for _, j := range slack.Jobs {
		edges = append(edges, j.Edges[:]...)
	}
	lost, err := SingleFailures(t.Context(), js, 0, opt)
	if err != nil {
		t.Fatal(err)
	}
	var losses, plans []string
	for i := range lost {
		losses = append(losses, lost[i].Status.String())
		plans = append(plans, fmt.Sprint(lost[i].Plan, lost[i].Proof, lost[i].Jobs))
	}
	classes := classesOf(js)
	frontier := &FrontierAnswer{}
	if len(classes) > 1 {
		a, err := NewClass(js, classes[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewClass(js, classes[1])
		if err != nil {
			t.Fatal(err)
		}
		if frontier, err = Frontier(t.Context(), js, a, b, nil, opt); err != nil {
			t.Fatal(err)
		}
	}
	settled = fmt.Sprint(slack.Status, ends(edges...), losses, ends(frontier.Columns...))
	return settled, fmt.Sprint(settled, edges, plans, frontier.Columns, slack.Notes, frontier.Notes)
}

// TestSideBySide: however many workers there are, what is settled is the same; with a budget
// so is all that is said, from run to run.
func TestSideBySide(t *testing.T) {
	open := 0
	for seed := range testkit.Sets[uint64](25, 600) {
		js := tiny(seed)
		var want string
		for _, n := range sideBySide {
			got, _ := everything(t, js, solve.Options{Seed: seed, Workers: n})
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("seed %d, %d workers: %s\none: %s", seed, n, got, want)
			}
		}
		for _, n := range sideBySide {
			opt := solve.Options{Seed: seed, Workers: n, Budget: 1 + int64(seed*seed)}
			settled, first := everything(t, js, opt)
			if _, again := everything(t, js, opt); again != first {
				t.Errorf("seed %d, %d workers, budget %d:\n%s\nand then\n%s", seed, n, opt.Budget, first, again)
			}
			if settled != want {
				open++
			}
		}
	}
	if open == 0 {
		t.Error("no budget ended a search")
	}
}

// The loss of a slave has the answer of a single worker, plan and proof, on any number.
func TestLossesAreThoseOfOneWorker(t *testing.T) {
	for seed := range testkit.Sets[uint64](40, 600) {
		js, want := tiny(seed), ""
		for _, n := range sideBySide {
			lost, err := SingleFailures(t.Context(), js, 0, solve.Options{Seed: seed, Budget: 50, Workers: n})
			got := fmt.Sprintf("%+v", lost)
			if want == "" {
				want = got
			}
			if err != nil || got != want {
				t.Fatalf("seed %d, %d workers: %v, %s\none: %s", seed, n, err, got, want)
			}
		}
	}
}

// The end of the context ends all that goes on side by side, and events are told one at a time.
func TestSideBySideEnds(t *testing.T) {
	js := tiny(4)
	for _, n := range sideBySide {
		for polls := range 6 {
			ctx, stop := context.WithCancel(t.Context())
			telling, told := atomic.Int32{}, 0
			opt := solve.Options{Workers: n, Events: func(event.Event) {
				if telling.Add(1) > 1 {
					t.Error("two events at a time")
				}
				if told++; told > 5*polls {
					stop()
				}
				telling.Add(-1)
			}}
			began := time.Now()
			r, err := Slack(ctx, js, nil, opt)
			if err != nil || time.Since(began) > 20*time.Second {
				t.Errorf("%d workers: %v after %v", n, err, time.Since(began))
			}
			if r.Status == model.Feasible && slices.ContainsFunc(r.Jobs, func(j JobSlack) bool { return j.Edges[Release].Fits < 0 }) {
				t.Errorf("%d workers: %+v", n, r)
			}
			stop()
		}
	}
}
