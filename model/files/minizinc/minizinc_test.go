package minizinc

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// number is an environment variable's, or the standard one.
func number(t *testing.T, name string, standard uint64) uint64 {
	text, ok := os.LookupEnv(name)
	if !ok {
		return standard
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func needDriver(t *testing.T) {
	if !Installed() {
		t.Skipf("%s is not on the path; install MiniZinc with Gecode to run this comparison", Command)
	}
}

// TestAgreesWithOracle compares status and optimum with exhaustive search, and
// checks the schedules. Every fourth set goes to the solver's own search; every other
// one has containers, stage graphs and jobs after jobs, two of three pools, caps and gangs. The
// environment variable DOWNBEAT_CROSSCHECK asks for that many tiny sets, from
// seed DOWNBEAT_CROSSCHECK_SEED on; without it there are a few of 2–4 tasks.
func TestAgreesWithOracle(t *testing.T) {
	needDriver(t)
	n, first := number(t, "DOWNBEAT_CROSSCHECK", 0), number(t, "DOWNBEAT_CROSSCHECK_SEED", 0)
	plain, today := gen.TinyKnobs(), gen.TodayKnobs()
	if n == 0 {
		n, plain.Tasks = 10, gen.Range{Lo: 2, Hi: 4}
		today.Tasks = plain.Tasks
	}
	count := map[model.Status]int{}
	relaxed, open := 0, 0
	for seed := first; seed < first+n; seed++ {
		knobs := &plain
		if seed%2 == 1 {
			knobs = &today
		}
		js, _ := gen.Random(*knobs, seed)
		if seed%3 > 0 {
			js = gen.Coupled(js, seed, false)
		}
		opt := Options{Guide: seed%4 != 0}
		status, settled := compare(t, seed, js, js.Goal(), opt)
		count[status]++
		if !settled {
			open++
			t.Logf("seed %d: not settled", seed)
		}
		if status == model.Infeasible {
			relaxed++
			opt.Relaxed = true
			compare(t, seed, js, append([]model.Objective{model.HardMisses}, js.Goal()...), opt)
		}
	}
	t.Logf("%v, %d of them relaxed too, %d not settled by MiniZinc", count, relaxed, open)
	if open*4 > int(n) {
		t.Errorf("%d of %d sets were not settled: the comparison shows little", open, n)
	}
}

// compare returns the oracle's status, and whether the solver settled the set.
func compare(t *testing.T, seed uint64, js *model.JobSet, goal []model.Objective, opt Options) (model.Status, bool) {
	t.Helper()
	want, err := oracle.SolveFor(js, goal, opt.Relaxed)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	got, err := Solve(ctx, js, goal, opt)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if got.Schedule != nil {
		if err := check.Schedule(js, got.Schedule, opt.Relaxed).Err(); err != nil {
			t.Errorf("seed %d: MiniZinc's schedule: %v", seed, err)
		}
	}
	stopped := ctx.Err() != nil
	settled := got.Status == want.Status && slices.Equal(got.Values, want.Values)
	if !settled && !stopped {
		t.Errorf("seed %d, %v, relaxed %t: MiniZinc says %v %v, the oracle %v %v",
			seed, goal, opt.Relaxed, got.Status, got.Values, want.Status, want.Values)
	}
	if stopped && got.Schedule != nil && (want.Schedule == nil || slices.Compare(got.Values, want.Values) < 0) {
		t.Errorf("seed %d: MiniZinc found %v, the oracle says %v %v", seed, got.Values, want.Status, want.Values)
	}
	return want.Status, settled
}

// TestStopped: a search that is stopped keeps what it found and proves nothing.
func TestStopped(t *testing.T) {
	needDriver(t)
	js, _, err := gen.Family("misses-medium", 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	a, err := Solve(ctx, js, js.Goal(), Options{Guide: true})
	if err != nil {
		t.Fatal(err)
	}
	if a.Proved > 0 || a.Status == model.Optimal || a.Status == model.Infeasible {
		t.Errorf("%v with %d objectives proved after being stopped", a.Status, a.Proved)
	}
	if a.Schedule != nil {
		if err := check.Schedule(js, a.Schedule, false).Err(); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if a, err := Solve(ctx, js, js.Goal(), Options{}); err != nil || a.Status != model.Unknown {
		t.Errorf("after the end: %v, %v", a.Status, err)
	}
}

func TestDriverFails(t *testing.T) {
	needDriver(t)
	if _, err := Solve(context.Background(), gen.Tiny(0), nil, Options{Solver: "no-such-solver"}); err == nil {
		t.Error("a solver that does not exist gave an answer")
	}
}

func TestParse(t *testing.T) {
	js := gen.Tiny(3).Subset([]model.JobID{0}) // one job of two tasks
	if len(js.Tasks) != 2 {
		t.Fatalf("seed 3 has %d tasks, the outputs below have 2", len(js.Tasks))
	}
	solution := func(start string) string {
		return `{"slave": [1, 2], "beat": [0, 1], "fetch": [3, 4], "start": [5, ` + start + `], "objective": 9}` + "\n----------\n"
	}
	tests := map[string]struct {
		output   string
		start    model.Time // of the second task; -1: no schedule
		complete bool
		search   time.Duration
		fails    bool
	}{
		"the last solution counts": {output: solution("6") + solution("7") + "==========\n", start: 7, complete: true},
		"statistics": {
			output: "% Generated FlatZinc statistics:\n%%%mzn-stat: flatTime=0.05\n%%%mzn-stat-end\n" + solution("6") +
				"==========\n%%%mzn-stat: initTime=0.002\n%%%mzn-stat: solveTime=1.5\n%%%mzn-stat: nodes=3\n%%%mzn-stat-end\n",
			start: 6, complete: true, search: 1502 * time.Millisecond,
		},
		"stopped on the way": {output: solution("6") + `{"slave": [1`, start: 6},
		"no solution":        {output: "=====UNSATISFIABLE=====\n", start: -1, complete: true},
		"unknown":            {output: "=====UNKNOWN=====\n", start: -1},
		"nothing":            {output: "", start: -1},
		"an error":           {output: "=====ERROR=====\n", fails: true},
		"no number":          {output: solution(`"x"`), fails: true},
		"a task is missing":  {output: `{"slave": [1], "beat": [1], "fetch": [1], "start": [1]}` + "\n----------\n", fails: true},
		"no such slave":      {output: `{"slave": [1, 99], "beat": [1, 1], "fetch": [1, 1], "start": [1, 1]}` + "\n----------\n", fails: true},
	}
	for name, test := range tests {
		in := &reader{js: js}
		for line := range strings.SplitSeq(test.output, "\n") {
			in.take([]byte(line))
		}
		r, err := in.reply, in.err
		switch {
		case test.fails:
			if err == nil {
				t.Errorf("%s: no error", name)
			}
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.search != test.search:
			t.Errorf("%s: searched for %v", name, r.search)
		case r.complete != test.complete || (r.schedule == nil) != (test.start < 0):
			t.Errorf("%s: complete %t, schedule %v", name, r.complete, r.schedule)
		case r.schedule != nil && r.objective != 9:
			t.Errorf("%s: objective %d", name, r.objective)
		case r.schedule != nil && r.schedule[1] != model.Placement{Slave: 1, Beat: 1, Fetch: 4, Start: test.start}:
			t.Errorf("%s: %+v", name, r.schedule[1])
		}
	}
}
