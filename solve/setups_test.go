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

// Several workers, who share the search, come to what one does.
func TestSetupServerByWorkers(t *testing.T) {
	for _, c := range []struct {
		name string
		seed uint64
	}{
		{"setups-long-15x3", 1}, {"setups-20x5", 1}, {"setups-15x2", 2},
	} {
		js, _, err := gen.Family(c.name, c.seed)
		if err != nil {
			t.Fatal(err)
		}
		var values [2]int64
		for k, workers := range []int{1, 3} {
			r, err := solve.Plan(t.Context(), js, solve.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if values[k] = r.Objectives[0].Value; r.Status != model.Optimal {
				t.Errorf("%s, seed %d, %d workers: %s, %v", c.name, c.seed, workers, r.Status, r.Objectives)
			}
		}
		if values[0] != values[1] {
			t.Errorf("%s, seed %d: %d with one worker, %d with several", c.name, c.seed, values[0], values[1])
		}
	}
}
