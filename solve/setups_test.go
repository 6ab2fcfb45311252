package solve_test

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Machines with one set-up server: where the machines, or the server, have the most to do a bound by what is idle at first is met
// at once; where both have, a search settles what is left.
func TestSetupServer(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, c := range []struct {
		name  string
		seed  uint64
		proof model.Proof
	}{
		{"setups-20x3", 1, model.EnergyProof}, {"setups-200x7", 2, model.EnergyProof}, {"setups-long-50x5", 1, model.EnergyProof},
		{"setups-long-15x3", 1, model.EnumerationProof},
	} {
		js, _, err := gen.Family(c.name, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		r, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1, Budget: 40_000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != model.Optimal || r.Proof != c.proof {
			t.Errorf("%s, seed %d: %s by %s, %v", c.name, c.seed, r.Status, r.Proof, r.Objectives)
		}
	}
}

// Several workers, who share the search, come to the optimum as one does.
func TestSetupServerByWorkers(t *testing.T) {
	for i, c := range []struct {
		name    string
		seed    uint64
		optimum int64
	}{
		{"setups-long-15x3", 1, 409}, {"setups-20x5", 1, 260}, {"setups-15x2", 2, 418},
	} {
		js, _, err := gen.Family(c.name, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		if testkit.Race() && i > 0 { // three workers share the same search of each, which takes ten times as long then
			break
		}
		for _, workers := range []int{1, 3} {
			if testkit.Race() && workers == 1 {
				continue
			}
			r, err := solve.Plan(t.Context(), js, solve.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != model.Optimal || r.Objectives[0].Value != c.optimum {
				t.Errorf("%s, seed %d, %d workers: %s, %v, the optimum is %d", c.name, c.seed, workers, r.Status, r.Objectives, c.optimum)
			}
		}
	}
}
