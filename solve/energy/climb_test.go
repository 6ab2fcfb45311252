package energy

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// TestClimbSpares: subsets without an overload at a lower value have none at greater ones.
func TestClimbSpares(t *testing.T) {
	spared := 0
	for seed := range testkit.Sets[uint64](200, 5000) {
		js := gen.Small(seed, 12)
		if seed%2 == 0 {
			js, _, _ = gen.Family("jobshop-8x6", seed)
		}
		p := newProver(t.Context(), js)
		for _, o := range []model.Objective{model.Makespan, model.Tardiness} {
			test := func(v model.Time) *proof.Overload {
				spared += len(p.spared)
				return p.refute(query.AtMost(js, o, v))
			}
			want, _ := climb(1, test)
			if v, _ := p.climb(1, test); v != want {
				t.Errorf("seed %d, %s: %d is the greatest value that is refuted, not %d", seed, o, v, want)
			}
		}
	}
	if spared == 0 {
		t.Error("nothing was spared")
	}
}

// TestLargeBoundIsRecheckedAtTheEnd: a bound that was found when the time was up counts, of 10,000 tasks as well.
func TestLargeBoundIsRecheckedAtTheEnd(t *testing.T) {
	js, _, err := gen.Family("jobshop-100x100", 1)
	if err != nil {
		t.Fatal(err)
	}
	v, c := Makespan(t.Context(), js)
	ended, end := context.WithCancel(t.Context())
	end()
	if again, _, err := Recheck(ended, js, c); v < 6000 || again != v || err != nil {
		t.Errorf("a bound of %d is one of %d when the time is up: %v", v, again, err)
	}
}

// TestBoundOfTasksOnAnySlave: what all slaves do together is where the makespan's bound of many tasks begins that may go to any of them, each of which is short.
func TestBoundOfTasksOnAnySlave(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1}
	for range 5 {
		js.Slaves = append(js.Slaves, model.Slave{Cores: 8, Slots: 8})
	}
	rng, work := rand.New(rand.NewPCG(1, 1)), model.Time(0)
	for range 2000 {
		wcet, cores := model.Time(1+rng.IntN(100_000)), 1+rng.IntN(8)
		work += wcet * model.Time(cores)
		js.Jobs = append(js.Jobs, model.Job{Kind: model.BestEffort, Stages: []model.Stage{{Groups: []model.Group{{
			Count: 1, Profile: model.NewProfile(model.ConstRow(5, wcet), model.ConstRow(5, 0)).Needing(model.Needs{Cores: int64(cores)}),
		}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	if v, _ := Makespan(t.Context(), js); model.Time(v) < work/40 {
		t.Errorf("a bound of %d of what takes 40 cores %d ticks", v, work/40)
	}
}
