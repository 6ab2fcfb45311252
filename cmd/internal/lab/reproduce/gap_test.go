package reproduce

import (
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/schedulers"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/horizon"
)

// Where all jobs are known from the start and each decision's plan is proved to be best, exact planning
// comes to the optimum: nothing of the gap is left to the future.
func TestExactPlansComeToTheOptimum(t *testing.T) {
	proved := 0
	for seed := range uint64(6) {
		js := softened(gen.Small(seed, 10), model.Misses)
		js.Tasks = nil
		for i := range js.Jobs {
			js.Jobs[i].Release = 0
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		optimum, known, err := prove(t.Context(), js, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		p := &prover{ctx: t.Context(), budget: 2000}
		out, h, err := playHorizon(t.Context(), js, horizon.Params{Plan: p.plan, Constructions: 2}, online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if decisions, byEDF := h.Decisions(); p.asked != decisions-byEDF || p.proved > p.asked {
			t.Errorf("seed %d: %d of %d decisions planned, %d proved", seed, p.asked, decisions, p.proved)
		}
		if !known || p.proved < p.asked {
			continue
		}
		proved++
		if got := float64(out.Value(model.Misses)); got != optimum {
			t.Errorf("seed %d: came to %g, and all of it was proved; the optimum is %g", seed, got, optimum)
		}
	}
	if proved < 3 {
		t.Errorf("%d sets with all decisions proved: too few to tell", proved)
	}
}

// The policy is that with the least sum; of equals the first of the list.
func TestLeastOf(t *testing.T) {
	values := []map[string]float64{{}, {}}
	for _, name := range contenders() {
		values[0][name], values[1][name] = 3, 3
	}
	values[0]["llf"], values[1]["wspt"] = 2, 1
	if got := leastOf(values); got != "wspt" {
		t.Errorf("chose %s, wspt has the least", got)
	}
	if names := contenders(); !slices.Contains(names, "atc:k=0.5,choice=best") || slices.Contains(names, "federated") {
		t.Errorf("contenders %q", names)
	}
	for _, name := range contenders() {
		if _, err := schedulers.New(name, 1); err != nil {
			t.Error(err)
		}
	}
}

// What is said of two parts goes by their differences, set by set.
func TestSentence(t *testing.T) {
	more, less := sample{3, 4, 3, 5, 3, 4, 4, 3}, sample{1, 1, 2, 2, 1, 1, 2, 2}
	for want, parts := range map[string][2]sample{
		"(sign test). Most of the gap is due to decisions": {more, less},
		"Most of the gap is due to not knowing":            {less, more},
		"0 (few). Neither part is shown to be the larger.": {more, more},
	} {
		if got := sentence(parts[0], parts[1]); !strings.Contains(got, want) {
			t.Errorf("%v: %q has no %q", parts, got, want)
		}
	}
	if got := shareOf(sample{1, 1, 1}, sample{0, 0, 0}); got != "-" {
		t.Errorf("the share of no gap is %s", got)
	}
}
