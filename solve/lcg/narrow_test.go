package lcg_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// narrowing is what came of a search that was asked for less and less.
type narrowing struct {
	// unrecorded: searches are not recorded.
	unrecorded               bool
	narrowed, begun, refuted int
	samples                  []secondopinion.Sample
}

// ask has a search answer about limits that get less, and holds each answer against that of a search of its own, plans
// against the validator and the refutation, which is about the last limits, against the checker where it is recorded.
func (n *narrowing) ask(js *model.JobSet, rng *rand.Rand) error {
	lim := query.Limits{model.Objective(rng.IntN(5)): 8 + rng.Int64N(30)}
	for o, v := range tightLimits(js, rng) {
		lim[o] = 3 + 2*v
	}
	_, relaxed := lim[model.HardMisses]
	var s *lcg.Search
	for {
		q := query.Within(js, relaxed, lim)
		if s != nil && s.Narrow(q) {
			n.narrowed++
		} else {
			opt := lcg.Options{Seed: rng.Uint64()}
			if !n.unrecorded {
				opt.Record = true
				opt = opt.Named()
			}
			var err error
			if s, err = lcg.New(context.Background(), q, opt); err != nil {
				return err
			}
			s.Check()
			n.begun++
		}
		alone, _, err := lcg.SolveBriefly(q, 1)
		if err != nil {
			return err
		}
		most := s.Conflicts() + 3000
		a, plan := s.Run(context.Background(), func() bool { return s.Conflicts() >= most })
		switch {
		case a == lcg.Unknown || alone == lcg.Unknown:
			return nil
		case a != alone:
			return fmt.Errorf("%v: answer %d, alone %d", lim, a, alone)
		case a == lcg.Unsatisfiable && n.unrecorded:
			n.refuted++
			return nil
		case a == lcg.Unsatisfiable:
			return n.check(js, lim, s)
		}
		if err := keeps(js, plan, lim, relaxed); err != nil {
			return err
		}
		if !lower(lim, rng) {
			return nil
		}
	}
}

// lower lowers one limit at least, unless all are 0.
func lower(lim query.Limits, rng *rand.Rand) bool {
	lowered := false
	for o := range model.Objective(5) {
		if v, ok := lim[o]; ok && v > 0 && (!lowered || rng.IntN(4) == 0) {
			lim[o] -= 1 + rng.Int64N(min(3, v))
			lowered = true
		}
	}
	return lowered
}

// check has the refutation checked.
func (n *narrowing) check(js *model.JobSet, lim query.Limits, s *lcg.Search) error {
	n.refuted++
	by := s.Refutation()
	if by == nil {
		return fmt.Errorf("%v: no refutation", lim)
	}
	file := proofFile(js, lim, by)
	if _, err := inference.CheckFile(context.Background(), js, bytes.NewReader(file)); err != nil {
		return fmt.Errorf("%v: %w\n%s", lim, err, excerpt(file, err))
	}
	if len(file) < 30_000 {
		n.samples = append(n.samples, secondopinion.Sample{JS: js, Text: string(file)})
	}
	return nil
}

// TestNarrowedSearches: a search that goes on with less and less answers as new ones do, and what refutes the last of
// its questions is accepted, by the second checker too.
func TestNarrowedSearches(t *testing.T) {
	n := narrowing{}
	for name, draw := range map[string]func(seed uint64) *model.JobSet{
		"tiny":          func(seed uint64) *model.JobSet { return gen.Tiny(8_000_000 + seed) },
		"today":         func(seed uint64) *model.JobSet { return gen.TodayTiny(8_000_000 + seed) },
		"small":         func(seed uint64) *model.JobSet { return small(seed, 8+int(seed%7)) },
		"three times":   func(seed uint64) *model.JobSet { return threeTimes(t, seed) },
		"in turn":       inTurnTiny,
		"together":      togetherTiny,
		"coupled tiny":  coupledTiny,
		"coupled small": func(seed uint64) *model.JobSet { return gen.Coupled(small(2*seed, 8+int(seed%7)), seed, false) },
	} {
		for seed := range testkit.Seeds(t, testkit.Tiny(t, 20, 800)) {
			js := *draw(seed)
			js.FIFO = false
			if err := n.ask(&js, rand.New(rand.NewPCG(seed, 16))); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
	t.Logf("%d searches, narrowed %d times, %d refutations", n.begun, n.narrowed, n.refuted)
	if n.narrowed < 3*n.begun/2 || n.refuted == 0 {
		t.Error("hardly any is narrowed")
	}
	samples := n.samples[:min(len(n.samples), secondopinion.Count(30, 600))]
	for i, said := range secondopinion.Second(t, "../../model/check/inference/testdata/check_proof.py", samples) {
		if first := samples[i].First(t); said != first {
			t.Errorf("%s, but by the second checker %s\n%s", first, said, samples[i].Text)
		}
	}
}

// TestNarrowedWherePoolsAreHeldFromTheStart: so do searches that are not recorded, where pools and caps are held from starts on.
func TestNarrowedWherePoolsAreHeldFromTheStart(t *testing.T) {
	n := narrowing{unrecorded: true}
	for _, tasks := range []gen.Range{{Lo: 3, Hi: 6}, {Lo: 8, Hi: 14}} {
		k := gen.TodayKnobs()
		k.Tasks = tasks
		for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1500)) {
			if err := n.ask(heldFromStart(k, seed), rand.New(rand.NewPCG(seed, 17))); err != nil {
				t.Errorf("%d tasks, seed %d: %v", tasks.Hi, seed, err)
			}
		}
	}
	t.Logf("%d searches, narrowed %d times, %d refutations", n.begun, n.narrowed, n.refuted)
	if n.narrowed < n.begun || n.refuted == 0 {
		t.Error("hardly any is narrowed")
	}
}

// TestNarrowedLoads: ten tasks of two ticks do not fit on three slaves within six, whoever does which, as propagation finds, also once that is asked
// for in place of eight.
func TestNarrowedLoads(t *testing.T) {
	js := &model.JobSet{Name: "loads", Heartbeat: 1}
	for k := range 3 {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("m", k), Class: fmt.Sprint("m", k), Cores: 1, Slots: 1})
	}
	for i := range 10 {
		profile := model.NewProfile(model.DenseRow([]model.Time{2, 2, 2}), model.ConstRow(3, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.BestEffort, Stages: []model.Stage{{Name: "s", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	ask := func(most int64) query.Question { return query.Within(js, false, query.Limits{model.Makespan: most}) }
	s, err := lcg.New(t.Context(), ask(8), lcg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := s.Run(t.Context(), nil); a != lcg.Satisfiable {
		t.Fatalf("answer %d", a)
	}
	if !s.Narrow(ask(6)) {
		t.Fatal("not narrowed")
	}
	if a := s.Propagate(t.Context()); a != lcg.Unsatisfiable {
		t.Errorf("answer %d by propagation", a)
	}
}
