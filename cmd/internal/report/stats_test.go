package report

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/cmd/internal/report/table"
	"downbeat/solve/event"
)

// searched are statistics with all that they can have.
func searched() *event.Stats {
	return &event.Stats{
		Reason: event.TimeLimit, Counts: event.Counts{Calls: 1, Conflicts: 2, Restarts: 3, Steps: 4, Constructions: 5},
		Plans: 2, Bounds: 1, FirstPlan: time.Millisecond, LastPlan: time.Second, LastBound: 1500 * time.Millisecond, Memory: 5e6,
		Strategies: []event.StrategyStats{{Name: "dual prices", Row: 12, Slices: 3, Time: 250 * time.Millisecond, Counts: event.Counts{Steps: 4}}},
	}
}

// Statistics stand at the end of a report, and say when there was what.
func TestStats(t *testing.T) {
	var b bytes.Buffer
	v := &textView{w: &b, page: table.Page{Width: 80}}
	v.stats(&b, nil)
	if b.Len() > 0 {
		t.Errorf("nobody asked for %q", b.String())
	}
	v.stats(&b, searched())
	v.stats(&b, &event.Stats{Reason: event.Exhausted})
	want := `
Search
ended: the time limit was reached; 5 MB held at most
2 plans, each better than the one before, the first after 0.00s, the best after 1.00s; 1 better bound, the last after 1.50s
strategy     row  slices  seconds  calls  conflicts  restarts  steps  constructions
dual prices   12       3     0.25      0          0         0      4              0
all of it      -       -        -      1          2         3      4              5

Search
ended: every strategy is through; 0 B held at most
no plan
strategy   row  slices  seconds  calls  conflicts  restarts  steps  constructions
all of it    -       -        -      0          0         0      0              0
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	for _, r := range event.Reasons() {
		if reasons[r] == "" {
			t.Errorf("no words for %q", r)
		}
	}
}
