package solve

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/minizinc"
	"downbeat/model/gen"
)

// TestPlanAgreesWithMiniZinc compares status and optimum on random sets of
// 8–14 tasks with Gecode on a model of its own. DOWNBEAT_CROSSCHECK sets how
// many (each then takes Gecode up to 20 s, otherwise 4 s), DOWNBEAT_CROSSCHECK_SEED the first seed.
func TestPlanAgreesWithMiniZinc(t *testing.T) {
	if !minizinc.Installed() {
		t.Skip("MiniZinc is not installed (Debian package minizinc): the comparison with Gecode is left out")
	}
	sets, first := envInt(t, "DOWNBEAT_CROSSCHECK", 3), envInt(t, "DOWNBEAT_CROSSCHECK_SEED", 0)
	perSet := 4 * time.Second
	if os.Getenv("DOWNBEAT_CROSSCHECK") != "" {
		perSet = 20 * time.Second
	}
	settled := 0
	for seed := first; seed < first+sets; seed++ {
		js := smallSet(seed)
		ctx, cancel := context.WithTimeout(context.Background(), perSet)
		theirs, err := minizinc.Solve(ctx, js, js.Goal(), minizinc.Options{})
		cancel()
		if err != nil {
			t.Fatalf("seed %d: MiniZinc: %v", seed, err)
		}
		ours, err := Plan(context.Background(), js, Options{Seed: uint64(seed), TimeLimit: 60 * time.Second})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if compare(t, seed, js, ours, theirs) {
			settled++
		}
	}
	t.Logf("%d of %d sets settled by both", settled, sets)
}

// smallSet has 8 to 14 tasks; one of four has containers, stage graphs and jobs after
// jobs.
func smallSet(seed int) *model.JobSet {
	if seed%4 == 3 {
		return gen.TodaySmall(uint64(seed), 8+seed%7)
	}
	return gen.Small(uint64(seed), 8+seed%7)
}

func envInt(t *testing.T, name string, otherwise int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// compare reports whether both sides settled the set; where one has not, what
// it has must not contradict the other.
func compare(t *testing.T, seed int, js *model.JobSet, ours *Result, theirs minizinc.Answer) bool {
	t.Helper()
	if (ours.Status == model.Infeasible) != (theirs.Status == model.Infeasible) &&
		ours.Status != model.Unknown && theirs.Status != model.Unknown {
		t.Errorf("seed %d: %s, MiniZinc says %s", seed, ours.Status, theirs.Status)
		return true
	}
	if ours.Schedule == nil || theirs.Schedule == nil {
		return ours.Status == theirs.Status
	}
	if err := check.Schedule(js, theirs.Schedule, false).Err(); err != nil {
		t.Errorf("seed %d: MiniZinc's plan: %v", seed, err)
	}
	var values, bounds []int64
	for _, o := range ours.Objectives {
		values = append(values, o.Value)
		if o.Bound != nil {
			bounds = append(bounds, *o.Bound)
		}
	}
	if n := theirs.Proved; slices.Compare(values[:n], theirs.Values[:n]) < 0 {
		t.Errorf("seed %d: %v, below MiniZinc's optimum %v", seed, values, theirs.Values[:n])
	}
	if ours.Status == model.Optimal && slices.Compare(theirs.Values, values) < 0 {
		t.Errorf("seed %d: optimum %v, MiniZinc has %v", seed, values, theirs.Values)
	}
	if len(bounds) > 0 && theirs.Values[0] < bounds[0] {
		t.Errorf("seed %d: bound %d, MiniZinc has %d", seed, bounds[0], theirs.Values[0])
	}
	return ours.Status == theirs.Status
}
