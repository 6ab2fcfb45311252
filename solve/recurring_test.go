package solve_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/solve"
)

// recurring is a random file with a recurring job, whose deadline is to be given.
func recurring(seed uint64) func(deadline model.Time) string {
	rng := rand.New(rand.NewPCG(seed, 5))
	cores, times, every := 1+rng.IntN(2), 2+rng.IntN(2), 4+rng.IntN(4)
	tasks, wcet, transfer := 1+rng.IntN(2), 1+rng.IntN(5), rng.IntN(2)
	other, due := 1+rng.IntN(6), 4+rng.IntN(8)
	after := ""
	if rng.IntN(3) == 0 {
		after = ", after: a"
	}
	return func(deadline model.Time) string {
		return fmt.Sprintf(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: %d}]}
jobs:
  - {name: a, release: 1, deadline: %d, hard: true, repeat: {every: %d, times: %d}, map: {tasks: %d, wcet: %d, transfer: %d}}
  - {name: b, deadline: %d, hard: true, map: {tasks: 1, wcet: %d}%s}
`, cores, deadline, every, times, tasks, wcet, transfer, due, other, after)
	}
}

// A repair of a recurring job is what the file with another deadline in its line says, by
// exhaustive search; and where such a deadline helps, a repair says so.
func TestRecurringJobIsChangedAsOne(t *testing.T) {
	helped, vain := 0, 0
	for seed := range testkit.Sets[uint64](300, 5000) {
		workers := 1 + int(seed%2)
		if testkit.Race() && workers == 1 {
			continue
		}
		file, now := recurring(seed), model.Time(1+seed%5)
		read := func(deadline model.Time) *model.JobSet {
			js, err := jobfile.Load("set.yaml", []byte(file(deadline)))
			if err != nil {
				t.Fatal(err)
			}
			return js
		}
		fits := func(deadline model.Time) bool {
			a, err := oracle.SolveFor(read(deadline), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			return a.Status != model.Infeasible
		}
		if fits(now) {
			continue
		}
		v, err := solve.Check(t.Context(), read(now), solve.Options{Seed: seed, Workers: workers})
		if err != nil || v.Repairs == nil {
			t.Fatalf("seed %d: %+v, %v", seed, v, err)
		}
		at := slices.IndexFunc(v.Repairs.Single, func(r solve.Repair) bool {
			return r.Changes[0].Kind == change.Deadline && r.Changes[0].Name == "a"
		})
		if at < 0 {
			if fits(now + 60) {
				t.Errorf("seed %d: a later deadline of a helps, which is not reported\n%s", seed, file(now))
			}
			vain++
			continue
		}
		r := v.Repairs.Single[at]
		if d := r.Changes[0].At; !r.Least[0] || !fits(d) || fits(d-1) {
			t.Errorf("seed %d: %+v is not the least that helps\n%s", seed, r, file(now))
		}
		helped++
	}
	if t.Logf("helped %d, in vain %d", helped, vain); helped < 20 || vain < 20 {
		t.Error("too few")
	}
}
