package imports

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
)

// Of nine runs the next one is as likely in each of the ten gaps between them: a tenth is below the least,
// so that p10 is the least and p90 the most. With a half-life of one run the last counts as much as all
// before it, and the next as much again: the third of the next is below the least or above the most.
func TestHistoryByHand(t *testing.T) {
	var runs []stageRun
	for i := range 9 {
		runs = append(runs, stageRun{int64(i), []sample{{int64(10 * (i + 1)), 1}}})
	}
	text := func(r Rules) string {
		var parts []string
		for _, q := range r.history(runs) {
			parts = append(parts, fmt.Sprintf("p%d %d", q.percent, q.ms))
		}
		return strings.Join(parts, ", ")
	}
	if got, want := text(Rules{History: 9}), "p0 10, p10 10, p25 20, p50 50, p75 80, p90 90"; got != want {
		t.Errorf("alike: %s, by hand %s", got, want)
	}
	if got, want := text(Rules{History: 9, HalfLife: 1}), "p0 10, p10 10, p25 10, p50 90, p75 90, p90 90"; got != want {
		t.Errorf("half-life 1: %s, by hand %s", got, want)
	}
	if got := text(Rules{History: 10}); got != "" {
		t.Errorf("of too few runs: %s", got)
	}
	// A run with many tasks counts as much as one with few.
	many := []stageRun{{0, []sample{{5, 1000}}}, {1, []sample{{7, 1}}}, {2, []sample{{9, 1}}}}
	if got := (&Rules{History: 3}).history(many)[3].ms; got != 7 {
		t.Errorf("the median of three runs, one with 1000 tasks: %d", got)
	}
}

// What import keeps of a history is in the file, with the rule at its head; of fewer runs nothing is, nor
// with --history 0 and where tasks take what they took.
func TestDurationsOfHistory(t *testing.T) {
	table := func(runs int) string {
		var b strings.Builder
		b.WriteString("job,run,stage,tasks,seconds,release\n")
		for i := range runs {
			fmt.Fprintf(&b, "etl,%d,load,3,%d,2026-01-%02d 22:00\n", i, 100+10*i, 1+i)
		}
		return file(t, "past.csv", b.String())
	}
	rules := func(change func(*Rules)) Rules {
		r := DefaultRules()
		r.Runs = LastRun
		_ = r.Cluster.Set("1x4x8GB")
		change(&r)
		return r
	}
	result, js, err := imported(t, "csv", Keep{}, rules(func(*Rules) {}), table(11))
	if err != nil {
		t.Fatal(err)
	}
	if d := js.Durations(); d == nil || d[0] != d[2] || d[0].Worst != 20 || d[0].Quantiles[1] != (model.Quantile{Percent: 10, Value: 10}) {
		t.Errorf("durations %+v", js.Durations())
	}
	if head := strings.Join(result.Comments.Head, "\n"); !strings.Contains(head, "--history 9: of stages with so many runs") {
		t.Errorf("the head does not tell the rule:\n%s", head)
	}
	for name, c := range map[string]struct {
		runs   int
		change func(*Rules)
	}{
		"few runs": {8, func(*Rules) {}}, "none asked for": {11, func(r *Rules) { r.History = 0 }},
		"own times": {11, func(r *Rules) { _ = r.WCET.Set("own") }}, "runs apart": {11, func(r *Rules) { r.Runs = ApartRuns }},
	} {
		if _, js, err := imported(t, "csv", Keep{}, rules(c.change), table(c.runs)); err != nil || js.Durations() != nil {
			t.Errorf("%s: %v, %+v", name, err, js.Durations())
		}
	}
}
