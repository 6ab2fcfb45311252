package certify_test

import (
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// TestManyWorkersSearches: where workers search long enough to tell each other something, the proof has
// what each of them has derived, and both checkers follow it.
func TestManyWorkersSearches(t *testing.T) {
	names := []string{"jobshop-4x4", "misses-20", "squeezed-20", "tardiness-14", "project-12", "weighted-tardiness-12", "squeezed-15", "jobshop-5x3"}
	var second []secondopinion.Sample
	proved := 0
	for seed, end := secondopinion.Seeds(8, 24); seed < end; seed++ {
		if testkit.Race() && seed%64 > 7 { // a sample, of every kind
			continue
		}
		js, _, err := gen.Family(names[seed%8], 2000+seed)
		if err != nil {
			t.Fatal(err)
		}
		opt := solve.Options{Seed: seed, Workers: 3 + int(seed%6), NoConflict: true, TimeLimit: time.Minute}
		if seed/8%2 == 1 {
			opt.TimeLimit, opt.Budget = 0, 20_000
		}
		r, s := proofWith(t, js, opt)
		if r.Status != model.Optimal && r.Status != model.Infeasible {
			continue // a slow machine
		}
		if len(r.Certificate.Open) > 0 {
			t.Errorf("seed %d, %s: %v, but not proved: %v", seed, js.Name, r.Status, r.Certificate.Open)
		}
		if s.Text == "" {
			continue
		}
		if said := s.First(t); !strings.HasPrefix(said, "proved") {
			t.Errorf("seed %d, %s: %s", seed, js.Name, said)
			continue
		}
		proved++
		if len(s.Text) < 200_000 {
			second = append(second, s)
		}
	}
	agree(t, second)
	t.Logf("%d proofs, %d of them checked twice", proved, len(second))
	if proved == 0 {
		t.Error("nothing was proved")
	}
}
