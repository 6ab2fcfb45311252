package present

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"downbeat/cmd/internal/bench"
	"downbeat/online"
)

// summary is of two policies at three levels, the first of which is better.
func summary() *bench.Summary {
	c := &bench.Config{Policies: []string{"fifo", "a policy with a long name"}}
	var records []*bench.Record
	for n := range 30 {
		rec := &bench.Record{Set: fmt.Sprint(n), Parameter: "load", Level: float64(n % 3), Jobs: 4, Answer: "feasible"}
		for i, p := range c.Policies {
			rec.Cells = append(rec.Cells, bench.Cell{Policy: p, Measures: online.Measures{
				Jobs: 4, Accepted: 4, Misses: int64(n%7 + 3*i), WeightedTardiness: int64(n % 5), MaxTardiness: int64(n*i) % 11, Makespan: int64(100 + n*(7*i+1)%3),
			}})
		}
		records = append(records, rec)
	}
	return c.Summarize(records, c.Policies)
}

// Tables are as wide as the page, or a column; levels come before the whole, and comparisons
// last.
func TestWrite(t *testing.T) {
	for _, width := range []int{0, 60, 90, 400} {
		var b strings.Builder
		if err := Text(&b, summary(), bench.Page{Width: width}); err != nil {
			t.Fatal(err)
		}
		at := -1
		for _, want := range []string{"30 job sets, 2 policies each\n", "\nby load\n\nload  policy", "\n2     fifo ", "over all levels\n\npolicy", "95 % intervals in brackets", "\nfifo against a policy with a long name by load, paired by job set and seed\nload  measure", "\nfifo against a policy with a long name, paired by job set and seed\nmeasure"} {
			next := strings.Index(b.String(), want)
			if next <= at {
				t.Fatalf("%d columns: no %q after what goes before in\n%s", width, want, &b)
			}
			at = next
		}
		tables, _, _ := strings.Cut(b.String(), "95 % intervals")
		for line := range strings.Lines(tables) {
			if n := utf8.RuneCountInString(line) - 1; n > max(width, 60) && !strings.HasPrefix(line, "the same") {
				t.Errorf("%d columns on a page of %d: %s", n, width, line)
			}
		}
	}
}

// What is not done has no tables.
func TestWriteNothing(t *testing.T) {
	var b strings.Builder
	if err := Text(&b, (&bench.Config{Policies: []string{"fifo"}}).Summarize([]*bench.Record{nil}, nil), bench.Page{}); err != nil {
		t.Fatal(err)
	}
	if b.String() != "0 job sets, 1 policy each (1 of 1 job sets were not reached)\n" {
		t.Errorf("%q", &b)
	}
}
