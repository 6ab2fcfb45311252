package bench

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
)

func named(t *testing.T, specs ...string) []Policy {
	t.Helper()
	out, err := Named(specs...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A policy of one's own comes out as the same one by its name, on sets of one's own at two levels; sets of one
// seed at both are one observation.
func TestOwn(t *testing.T) {
	b := Bench{Policies: append(named(t, "llf"), Policy{"mine", func(uint64) (online.Policy, error) { return basic.LLF(basic.Options{}), nil }}), Compare: []string{"mine", "llf"}, Budget: 50}
	for _, tasks := range []int{6, 9} {
		for seed := range uint64(5) {
			b.Sets = append(b.Sets, Set{"own", seed, "tasks", float64(tasks), func() (*model.JobSet, error) { return gen.Small(seed, tasks), nil }})
		}
	}
	result, err := b.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs := result.Runs()
	if len(runs) != 20 || runs[0].Set != "own:tasks=6,seed=0" || runs[0].Parameter != "tasks" || runs[0].Level != 6 {
		t.Fatalf("%d runs, the first is %+v", len(runs), runs[0])
	}
	for i := 0; i < len(runs); i += 2 {
		if a, b := runs[i], runs[i+1]; a.Makespan != b.Makespan || a.Policy != "llf" || b.Policy != "mine" {
			t.Errorf("%+v and %+v", a, b)
		}
	}
	levels, differences := map[float64]bool{}, 0
	for _, f := range result.Figures() {
		levels[f.Level] = true
		if f.Against != "" {
			differences++
			if f.Policy != "mine" || f.Mean != 0 || f.P != 1 {
				t.Errorf("difference %+v", f)
			}
		}
		if f.Measure == "hard-met" && f.Against == "" && (f.Runs != 5 || math.IsNaN(f.Low)) {
			t.Errorf("figure %+v", f)
		}
	}
	if !levels[6] || !levels[9] || differences == 0 {
		t.Errorf("levels %v, %d differences", levels, differences)
	}
	for name, write := range map[string]func(*strings.Builder) error{
		"runs": func(w *strings.Builder) error { return result.WriteRuns(w) }, "figures": func(w *strings.Builder) error { return result.WriteFigures(w) },
	} {
		var text strings.Builder
		if err := write(&text); err != nil {
			t.Fatal(err)
		}
		if rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll(); err != nil || len(rows) < 20 || !slices.Contains(rows[0], "policy") {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
	var text strings.Builder
	if err := result.WriteText(&text, 100, "hard-met"); err != nil || !strings.Contains(text.String(), "5 observations") {
		t.Errorf("%v\n%s", err, &text)
	}
	if err := result.WriteText(&text, 100, "hardmet"); err == nil || !strings.Contains(err.Error(), `did you mean "hard-met"?`) {
		t.Errorf("unknown measure: %v", err)
	}
}

// What is asked for and cannot be is told before anything is run.
func TestFaults(t *testing.T) {
	edf := named(t, "edf")
	tiny := []string{"tiny"}
	for want, b := range map[string]Bench{
		"a bench needs policies":     {Workloads: tiny},
		"a bench needs job sets":     {Policies: edf},
		`the policy "edf" needs New`: {Policies: append(edf, edf...), Workloads: tiny},
		`the policy "x" needs New`:   {Policies: []Policy{{Name: "x"}}, Workloads: tiny},
		`to compare have "llf"`:      {Policies: edf, Workloads: tiny, Compare: []string{"edf", "llf"}},
		`to compare have "edf"`:      {Policies: edf, Workloads: tiny, Compare: []string{"edf"}},
		`"x" is no list of seeds`:    {Policies: edf, Workloads: tiny, Seeds: "x"},
		`"x" is no sweep`:            {Policies: edf, Workloads: tiny, Sweep: "x"},
		`did you mean "tiny"?`:       {Policies: edf, Workloads: []string{"tinny"}},
		"is named twice":             {Policies: edf, Workloads: []string{"tiny", "tiny"}},
		"no policy today, seed 1":    {Policies: []Policy{{"x", func(seed uint64) (online.Policy, error) { return nil, fmt.Errorf("no policy today, seed %d", seed) }}}, Workloads: tiny},
		"job set: out of stock":      {Policies: edf, Sets: []Set{{Name: "a", Make: func() (*model.JobSet, error) { return nil, errors.New("job set: out of stock") }}}},
	} {
		if _, err := b.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Named("edff"); err == nil || !strings.Contains(err.Error(), `did you mean "edf"?`) {
		t.Errorf("unknown policy: %v", err)
	}
	if _, err := Named("exec:python3 mine.py"); err == nil || !strings.Contains(err.Error(), "implement online.Policy") {
		t.Errorf("a program: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	b := Bench{Policies: edf, Workloads: tiny, Seeds: "1-3"}
	if result, err := b.Run(ctx); !errors.Is(err, context.Canceled) || result == nil || len(result.Runs()) != 0 {
		t.Errorf("after the end of its context: %v, %v", result, err)
	}
}
