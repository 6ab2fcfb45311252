package certify_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/certify"
)

// script is the second checker.
const script = "../../model/check/inference/testdata/check_proof.py"

// proofOf plans a set and has the answer proved: the sample is empty if nothing is claimed.
func proofOf(t *testing.T, js *model.JobSet, relax bool) (*solve.Result, secondopinion.Sample) {
	t.Helper()
	return proofWith(t, js, solve.Options{Workers: 1, Budget: 100_000, Relax: relax})
}

func proofWith(t *testing.T, js *model.JobSet, opt solve.Options) (*solve.Result, secondopinion.Sample) {
	t.Helper()
	opt.Proof = true
	r, err := solve.Plan(t.Context(), js, opt)
	if err != nil {
		t.Fatal(err)
	}
	s := secondopinion.Sample{JS: js}
	if c := r.Certificate; c != nil && len(c.Claims) > 0 {
		var text bytes.Buffer
		if err := c.Write(&text); err != nil {
			t.Fatal(err)
		}
		s.Text = text.String()
	}
	return r, s
}

// agree has the second checker say what the first one says.
func agree(t *testing.T, samples []secondopinion.Sample) {
	t.Helper()
	for i, said := range secondopinion.Second(t, script, samples) {
		if first := samples[i].First(t); first != said {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// No bound is certified that exhaustive search contradicts, and all answers about tiny sets
// are; the second checker agrees on the proofs.
func TestTinyProofs(t *testing.T) {
	holdTiny(t, 15, 1000, func(seed uint64) *model.JobSet {
		if seed%2 == 1 {
			return gen.TodayTiny(seed)
		}
		return gen.Tiny(seed)
	})
}

// TestKindredProofs: nor is one where much is equal that stands side by side.
func TestKindredProofs(t *testing.T) { holdTiny(t, 15, 1000, gen.KindredTiny) }

// TestAlikeProofs: nor is one where slaves count as one.
func TestAlikeProofs(t *testing.T) { holdTiny(t, 20, 1000, gen.AlikeTiny) }

// TestHeavyProofs: nor is one where jobs weigh as much as a file may say, beside light ones.
func TestHeavyProofs(t *testing.T) {
	weights := []int64{1, 3, 65_536, 124_848, 999_999, 1_000_000}
	holdTiny(t, 15, 40, func(seed uint64) *model.JobSet {
		js := gen.TodayTiny(seed)
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.Soft {
				job.Weight, job.Deadline = weights[(int(seed)+i)%len(weights)], 1+job.Deadline/2
			}
		}
		js.Objectives = [][]model.Objective{{model.WeightedTardiness}, {model.Misses, model.WeightedTardiness}}[seed%2]
		return js
	})
}

// TestCoupledProofs: so are those about pools, caps, gangs and tasks that are apart.
func TestCoupledProofs(t *testing.T) {
	wide := gen.TodayKnobs()
	wide.Tasks, wide.FirstStage, wide.LaterStage = gen.Range{Lo: 4, Hi: 6}, gen.Range{Lo: 3, Hi: 4}, gen.Range{Lo: 1, Hi: 3}
	wide.Slaves, wide.Barred, wide.EqualTasks = gen.Range{Lo: 2, Hi: 4}, 0.1, 0.3
	holdTiny(t, 20, 1000, func(seed uint64) *model.JobSet {
		js := gen.Tiny(seed)
		switch seed % 4 {
		case 0:
			js, _ = gen.Random(wide, seed) // gangs of three or four tasks
		case 1:
			js = gen.TodayTiny(seed)
		case 3:
			js = gen.GoneTiny(seed)
		}
		js.FIFO = false
		return gen.Coupled(js, seed, seed%4 > 1)
	})
}

// TestManyWorkersProofs: so are the answers of three to eight workers, with a budget and without.
func TestManyWorkersProofs(t *testing.T) {
	holdWith(t, 24, 300, func(seed uint64, relax bool) solve.Options {
		return solve.Options{Seed: seed, Workers: 3 + int(seed/4%6), Budget: []int64{0, 100_000}[seed/2%2], Relax: relax}
	}, func(seed uint64) *model.JobSet {
		js := []func(uint64) *model.JobSet{gen.Tiny, gen.TodayTiny, gen.KindredTiny, gen.GoneTiny}[seed%4](5_000_000 + seed)
		if seed%5 > 2 {
			js.FIFO = false
			js = gen.Coupled(js, seed, seed%2 == 0)
		}
		return js
	})
}

// holdTiny certifies answers about few tiny sets, or all, and holds the proofs against exhaustive search.
func holdTiny(t *testing.T, few, all int, set func(seed uint64) *model.JobSet) {
	t.Helper()
	holdWith(t, few, all, func(_ uint64, relax bool) solve.Options {
		return solve.Options{Workers: 1, Budget: 100_000, Relax: relax}
	}, set)
}

// holdWith is holdTiny with options by seed.
func holdWith(t *testing.T, few, all int, opt func(seed uint64, relax bool) solve.Options, set func(seed uint64) *model.JobSet) {
	t.Helper()
	kinds, second := map[model.Status]int{}, []secondopinion.Sample{}
	open, proved := 0, 0
	for seed, end := secondopinion.Seeds(few, all); seed < end; seed++ {
		js := set(seed)
		r, s := proofWith(t, js, opt(seed, seed%3 == 0))
		kinds[r.Status]++
		open += len(r.Certificate.Open)
		// That some jobs clash may be for the sake of jobs between them, of which a question about these alone knows nothing.
		whole := slices.DeleteFunc(slices.Clone(r.Certificate.Open), func(c certify.Claim) bool { return c.Jobs != nil })
		// Files cannot say all of plans that may leave out jobs.
		if len(whole) > 0 && js.Leavable() == nil && !js.FIFO && r.Status != model.Feasible {
			t.Errorf("seed %d: %v, but not proved: %v", seed, r.Status, whole)
		}
		if s.Text == "" {
			continue
		}
		if said := s.First(t); !strings.HasPrefix(said, "proved") {
			t.Errorf("seed %d: %s", seed, said)
			continue
		}
		proved++
		s.Holds(t)
		if len(second) < secondopinion.Count(20, 200) && len(s.Text) < 50_000 {
			second = append(second, s)
		}
	}
	agree(t, second)
	t.Logf("%v, %d claims open, %d proofs held against exhaustive search, %d of them checked twice", kinds, open, proved, len(second))
}

// Proofs of the solver's with something altered at random are refused, or are as valid.
func TestAlteredProofs(t *testing.T) {
	var base []secondopinion.Sample
	for seed := range uint64(secondopinion.Count(5, 60)) {
		js := gen.TodayTiny(seed)
		js.FIFO = false
		if _, s := proofOf(t, js, false); s.Text != "" && len(s.Text) < 20_000 {
			base = append(base, s)
		}
	}
	secondopinion.Altered(t, script, base)
}

// TestTinyFIFOProofs: of sets with fifo nothing is certified that exhaustive search
// contradicts, and most answers are, by searches that leave the order of starts out.
func TestTinyFIFOProofs(t *testing.T) {
	kinds, second, claims, open := map[model.Status]int{}, []secondopinion.Sample{}, 0, 0
	from, to := secondopinion.Seeds(12, 600)
	for seed := from; seed < to; seed++ {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed)
		}
		js.FIFO = true
		if seed%3 == 1 {
			js = gen.Coupled(js, seed, seed%2 == 0)
		}
		r, s := proofOf(t, js, seed%3 == 0)
		kinds[r.Status]++
		claims += len(r.Certificate.Claims)
		if js.Leavable() == nil { // files cannot say all of what else may be left out
			open += len(r.Certificate.Open)
		}
		if s.Text == "" {
			continue
		}
		if said := s.First(t); !strings.HasPrefix(said, "proved") {
			t.Errorf("seed %d: %s", seed, said)
			continue
		}
		s.Holds(t)
		if len(second) < secondopinion.Count(0, 100) && len(s.Text) < 50_000 {
			second = append(second, s)
		}
	}
	if len(second) > 0 {
		agree(t, second)
	}
	t.Logf("%v, %d claims proved, %d open, %d proofs checked twice", kinds, claims, open, len(second))
	if claims == 0 || open > claims/5 {
		t.Errorf("%d claims proved, %d open", claims, open)
	}
}
