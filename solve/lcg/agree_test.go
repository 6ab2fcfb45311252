package lcg_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/irifrance/gini"

	"downbeat/encode"
	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/lcg"
)

// goals are those that engines are held to.
var goals = [][]model.Objective{
	nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan},
	{model.Misses, model.Tardiness}, {model.Tardiness, model.Misses}, {model.Misses, model.Makespan},
	{model.Makespan, model.WeightedTardiness}, {model.WeightedTardiness, model.Misses, model.Makespan},
	{model.HardMisses}, {model.HardMisses, model.Misses, model.Tardiness}, {model.HardMisses, model.Makespan},
}

// TestAgreesWithExhaustiveSearch: satisfiable at the optimum, by a valid plan
// of that value, and refuted one below, on tiny sets with every feature but fifo.
func TestAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 1000, 4000), func(seed uint64) *model.JobSet { return gen.Tiny(3_000_000 + seed) })
}

// TestTodayAgreesWithExhaustiveSearch: so it is with containers, stage graphs and jobs
// after jobs, all mixed and each alone.
func TestTodayAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 600, 6000), func(seed uint64) *model.JobSet {
		k := gen.TodayKnobs()
		switch seed % 5 {
		case 0:
			k.Graph, k.AfterJob = 0, 0
		case 1:
			k.Named.Hi, k.Multicore, k.AfterJob, k.Graph = 0, 0, 0, 1
		case 2:
			k.Named.Hi, k.Multicore, k.Graph, k.AfterJob = 0, 0, 0, 0.8
		}
		js, _ := gen.Random(k, 5_000_000+seed)
		return js
	})
}

// TestCoupledAgreesWithExhaustiveSearch: so it is with pools, caps, gangs and tasks that are apart,
// amid all else.
func TestCoupledAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 600, 1000), coupledTiny)
}

// TestInTurnAgreesWithExhaustiveSearch: so it is where tasks hold a core one after the other, as in job shops.
func TestInTurnAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 200, 1500), inTurnTiny)
}

// inTurnTiny is a tiny set of slaves with one core, to each of which most tasks are confined.
func inTurnTiny(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%2 == 1 {
		k = gen.TodayKnobs()
	}
	k.Cores, k.Slaves, k.Barred, k.SpareSlots.Hi = gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 1, Hi: 2}, 0.6, 3
	js, _ := gen.Random(k, 7_000_000+seed)
	js.FIFO = false
	return js
}

// TestChoiceAgreesWithExhaustiveSearch: so it is where they also have a choice of the slaves, as in flexible job shops.
func TestChoiceAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 200, 3000), func(seed uint64) *model.JobSet {
		k := gen.TinyKnobs()
		if seed%2 == 1 {
			k = gen.TodayKnobs()
		}
		k.Cores, k.Slaves, k.Barred = gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 2, Hi: 3}, 0.3
		js, _ := gen.Random(k, 8_000_000+seed)
		js.FIFO = false
		return js
	})
}

// TestTogetherAgreesWithExhaustiveSearch: so it is where tasks share one slave, as the activities of projects do.
func TestTogetherAgreesWithExhaustiveSearch(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 200, 1500), togetherTiny)
}

// togetherTiny is a tiny set of one slave, on which tasks need one to three of three or four cores, and resources.
func togetherTiny(seed uint64) *model.JobSet {
	k := gen.TodayKnobs()
	k.Cores, k.Slaves, k.Barred, k.SpareSlots = gen.Range{Lo: 3, Hi: 4}, gen.Range{Lo: 1, Hi: 1}, 0, gen.Range{Lo: 2, Hi: 4}
	k.Multicore, k.Heartbeat = 0.8, gen.Range{Lo: 1, Hi: 2}
	js, _ := gen.Random(k, 9_000_000+seed)
	js.FIFO = false
	return js
}

// TestHeldFromTheStart: so it is where pools and caps are held from starts on, for a time that is known.
func TestHeldFromTheStart(t *testing.T) {
	agreeOn(t, testkit.Tiny(t, 600, 4000), func(seed uint64) *model.JobSet { return heldFromStart(gen.TodayKnobs(), seed) })
}

// heldFromStart has heartbeats at every tick and nothing to fetch, no slave faster than another, and what ties tasks to each other; of every
// other seed most tasks are confined to a slave.
func heldFromStart(k gen.Knobs, seed uint64) *model.JobSet {
	k.Heartbeat, k.Transfer, k.LocalTransfer, k.Uneven = gen.Range{Lo: 1, Hi: 1}, gen.Range{}, gen.Range{}, 0
	if seed%2 == 1 {
		k.Barred, k.EqualSlave = 0.8, 0
	}
	js, _ := gen.Random(k, 7_000_000+seed)
	js.FIFO = false
	return gen.Coupled(js, seed, false)
}

// coupledTiny is a tiny set with pools, caps, gangs and tasks that are apart, of every other seed with
// what clusters of today have.
func coupledTiny(seed uint64) *model.JobSet {
	js := gen.Tiny(6_000_000 + seed)
	if seed%2 == 1 {
		js = gen.TodayTiny(6_000_000 + seed)
	}
	js.FIFO = false
	return gen.Coupled(js, seed, false)
}

func agreeOn(t *testing.T, n uint64, draw func(seed uint64) *model.JobSet) {
	refuted := 0
	for seed := range testkit.Seeds(t, n) {
		js := draw(seed)
		js.FIFO = false
		goal := goals[seed%uint64(len(goals))]
		relaxed := slices.Contains(goal, model.HardMisses)
		want, err := oracle.SolveFor(js, goal, relaxed)
		if err != nil {
			t.Fatal(err)
		}
		n, err := agrees(js, goal, want, seed)
		if err != nil {
			t.Errorf("seed %d, goal %v: %v", seed, goal, err)
		}
		refuted += n
	}
	if refuted == 0 {
		t.Error("nothing was refuted")
	}
}

// TestEqualJobs asks with and without the order of what is equal, on sets with a job
// that comes three times; of every other one jobs come after others.
func TestEqualJobs(t *testing.T) {
	answers := map[lcg.Answer]int{}
	for seed := range testkit.Tiny(t, 30, 800) {
		js := threeTimes(t, seed)
		r := rand.New(rand.NewPCG(seed, 4))
		for _, lim := range []query.Limits{
			{model.Tardiness: r.Int64N(8)}, {model.Makespan: 10 + r.Int64N(30)},
			{model.Misses: r.Int64N(3), model.Tardiness: 4 + r.Int64N(8)}, {model.WeightedTardiness: r.Int64N(30)},
		} {
			q := query.Within(js, false, lim)
			a, _, _, err := lcg.SolveChecked(q, seed)
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, lim, err)
			}
			q.NoSymmetry = true
			b, _, _, err := lcg.SolveChecked(q, seed)
			if err != nil || a != b {
				t.Errorf("seed %d, %v: answer %d, without symmetry %d, %v", seed, lim, a, b, err)
			}
			answers[a]++
		}
	}
	if answers[lcg.Satisfiable] == 0 || answers[lcg.Unsatisfiable] == 0 {
		t.Errorf("answers %v", answers)
	}
}

// threeTimes is a tiny set with a job that comes three times.
func threeTimes(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	js := *gen.Tiny(4_000_000 + seed/2)
	if seed%2 == 1 {
		js = *gen.TodayTiny(seed)
	}
	js.FIFO, js.Tasks = false, nil
	js.Jobs = append(slices.Repeat([]model.Job{js.Jobs[0]}, 3), js.Jobs[1:min(3, len(js.Jobs))]...)
	for i := range js.Jobs {
		job := &js.Jobs[i]
		job.Name, job.Stages, job.After = fmt.Sprint("j", i), slices.Clone(job.Stages), nil
		if seed%2 == 1 {
			job.After = [][]model.JobID{{3}, nil, nil, nil, {1, 2}}[i]
		}
	}
	if len(js.Jobs) < 4 {
		js.Jobs[0].After = nil
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return &js
}

func agrees(js *model.JobSet, goal []model.Objective, want oracle.Answer, seed uint64) (refuted int, err error) {
	lim := map[model.Objective]int64{}
	relaxed := slices.Contains(goal, model.HardMisses)
	ask := func() (lcg.Answer, error) {
		q := query.Within(js, relaxed, lim)
		a, plan, _, err := lcg.SolveChecked(q, seed)
		if err != nil || a != lcg.Satisfiable {
			return a, err
		}
		return a, keeps(js, plan, lim, relaxed)
	}
	a, err := ask()
	if err != nil {
		return 0, err
	}
	if (a == lcg.Unsatisfiable) != (want.Status == model.Infeasible) {
		return 0, fmt.Errorf("answer %d, exhaustive search says %s", a, want.Status)
	}
	if a == lcg.Unsatisfiable {
		return 1, nil
	}
	for p, o := range goal {
		for _, below := range []int64{1, 0} {
			if lim[o] = want.Values[p] - below; lim[o] < 0 {
				continue
			}
			a, err := ask()
			if err != nil {
				return refuted, err
			}
			if (below == 0) != (a == lcg.Satisfiable) {
				return refuted, fmt.Errorf("%s ≤ %d: answer %d, the optimum is %d", o, lim[o], a, want.Values[p])
			}
			refuted += int(below)
		}
	}
	return refuted, nil
}

// keeps checks a plan, completed, against rules and limits.
func keeps(js *model.JobSet, plan model.Schedule, lim map[model.Objective]int64, relaxed bool) error {
	if !plan.Complete() {
		plan = heuristics.Complete(js, plan)
	}
	finishes := js.Finishes(plan)
	for o, v := range lim {
		if got := js.Value(o, finishes); got > v {
			return fmt.Errorf("a plan for %s ≤ %d has %d", o, v, got)
		}
	}
	return check.Schedule(js, plan, relaxed).Err()
}

// TestAgreesWithGini puts random questions about sets of 8 to 30 tasks to both
// engines.
func TestAgreesWithGini(t *testing.T) {
	answers := map[lcg.Answer]int{}
	for seed := range testkit.Tiny(t, 60, 200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		js := drawSet(t, rng)
		lim := drawLimits(js, rng)
		q := query.Within(js, false, lim)
		got, plan, err := lcg.SolveBriefly(q, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got == lcg.Satisfiable {
			if err := keeps(js, plan, lim, false); err != nil {
				t.Errorf("seed %d, set %s: %v", seed, js.Name, err)
			}
		}
		if got == lcg.Unknown { // gini would take long as well
			continue
		}
		if want := askGini(t, q); got != want {
			t.Errorf("seed %d, set %s: answer %d, gini says %d", seed, js.Name, got, want)
		}
		answers[got]++
	}
	if answers[lcg.Satisfiable] < 10 || answers[lcg.Unsatisfiable] < 10 {
		t.Errorf("answers %v are one-sided", answers)
	}
}

func drawSet(t *testing.T, rng *rand.Rand) *model.JobSet {
	t.Helper()
	if rng.IntN(2) == 0 {
		js := small(rng.Uint64(), 8+rng.IntN(7))
		js.FIFO = false
		return js
	}
	names := []string{"tiny", "tight", "tight-laid", "infeasible", "squeezed", "misses"}
	js, _, err := gen.Family(names[rng.IntN(len(names))], rng.Uint64N(1000))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// small is a small set, of every other seed with what clusters of today have.
func small(seed uint64, tasks int) *model.JobSet {
	if seed%2 == 1 {
		return gen.TodaySmall(seed, tasks)
	}
	return gen.Small(seed, tasks)
}

func drawLimits(js *model.JobSet, rng *rand.Rand) map[model.Objective]int64 {
	lim := map[model.Objective]int64{}
	if rng.IntN(2) == 0 {
		lim[model.Misses] = rng.Int64N(6)
	}
	switch rng.IntN(4) {
	case 0:
		lim[model.Tardiness] = rng.Int64N(8)
	case 1:
		lim[model.WeightedTardiness] = rng.Int64N(25)
	case 2:
		last := model.Time(0)
		for i := range js.Jobs {
			if js.Jobs[i].Kind != model.BestEffort {
				last = max(last, js.Jobs[i].Due())
			}
		}
		lim[model.Makespan] = int64(last) + rng.Int64N(20)
	}
	return lim
}

func askGini(t *testing.T, q query.Question) lcg.Answer {
	t.Helper()
	e, err := encode.Build(t.Context(), q, 4_000_000)
	if err != nil {
		t.Fatal(err)
	}
	if e.Empty() {
		return lcg.Unsatisfiable
	}
	g := gini.NewVc(e.Vars()+1, int(e.Clauses())+1)
	e.Feed(g)
	if g.Solve() == 1 {
		return lcg.Satisfiable
	}
	return lcg.Unsatisfiable
}

// TestPartsAgreeWithGini asks about some jobs of a plan while the tasks of the
// others keep their places, with random restrictions of the tasks.
func TestPartsAgreeWithGini(t *testing.T) {
	answers := map[lcg.Answer]int{}
	for seed := range testkit.Tiny(t, 120, 400) {
		rng := rand.New(rand.NewPCG(seed, 10))
		js := small(seed, 8+rng.IntN(7))
		js.FIFO = false
		if seed%3 == 0 {
			k := gen.TodayKnobs()
			k.Tasks = gen.Range{Lo: 8, Hi: 14}
			js = heldFromStart(k, seed)
		}
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		q := part(js, plan, rng)
		got, _, _, err := lcg.SolveChecked(q, seed)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := askGini(t, q); got != want {
			t.Errorf("seed %d: answer %d, gini says %d", seed, got, want)
		}
		answers[got]++
	}
	if answers[lcg.Satisfiable] < 10 || answers[lcg.Unsatisfiable] < 10 {
		t.Errorf("answers %v are one-sided", answers)
	}
}

// part frees about half of the jobs, to finish a little earlier than they do.
func part(js *model.JobSet, plan model.Schedule, rng *rand.Rand) query.Question {
	finishes := js.Finishes(plan)
	var free []model.JobID
	var fixed []query.Fixed
	for i := range js.Jobs {
		if rng.IntN(2) == 0 {
			free = append(free, model.JobID(i))
			continue
		}
		for t := js.Jobs[i].First; t < js.Jobs[i].End; t++ {
			fixed = append(fixed, query.Fixed{Task: &js.Tasks[t], Placement: plan[t]})
		}
	}
	sub := js.Subset(free)
	q := query.Question{
		JS: sub, Role: make([]query.Role, len(free)), Cap: make([]model.Time, len(free)), Fixed: fixed,
	}
	last := model.Time(0)
	for i, id := range free {
		q.Role[i], q.Cap[i] = query.Must, finishes[id]+model.Time(rng.IntN(4))-2
		last = max(last, q.Cap[i])
	}
	q.Restrict = make([]query.Restriction, len(sub.Tasks))
	for i := range q.Restrict {
		q.Restrict[i].To = last
		switch rng.IntN(5) {
		case 0:
			q.Restrict[i].Slaves = []model.SlaveID{model.SlaveID(rng.IntN(len(js.Slaves)))}
		case 1:
			q.Restrict[i].From = model.Time(rng.IntN(8))
		}
	}
	return q
}

// TestEqualSeedsGiveEqualAnswers asks about a set whose plan takes some hundred
// conflicts to find, so that searches with other choices would differ.
func TestEqualSeedsGiveEqualAnswers(t *testing.T) {
	js, _, err := gen.Family("tight-medium", 2)
	if err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, nil)
	_, first, conflicts, _ := lcg.SolveChecked(q, 5)
	if conflicts < 100 {
		t.Errorf("%d conflicts only", conflicts)
	}
	if _, second, again, _ := lcg.SolveChecked(q, 5); !slices.Equal(first, second) || conflicts != again {
		t.Errorf("%d and %d conflicts, or other plans", conflicts, again)
	}
}

// TestWhatEndsASearch: a context, and what a question may not be, on any set of
// more than a few tasks.
func TestWhatEndsASearch(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 1)
	if err != nil {
		t.Fatal(err)
	}
	q := query.Within(js, false, map[model.Objective]int64{model.Misses: 1})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a, _, err := lcg.Solve(ctx, q, lcg.Options{}); a != lcg.Unknown || !errors.Is(err, context.Canceled) {
		t.Errorf("ended: answer %d, %v", a, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var tooLarge *lcg.TooLarge
	if _, _, err := lcg.Solve(context.Background(), q, lcg.Options{MaxLiterals: 1000}); !errors.As(err, &tooLarge) {
		t.Errorf("1000 literals: %v", err)
	}
	for i := range q.Cap {
		q.Cap[i] = 100 * model.MaxTime
	}
	if _, _, err := lcg.Solve(context.Background(), q, lcg.Options{}); !errors.As(err, &tooLarge) {
		t.Errorf("a far horizon: %v", err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8<<20 {
		t.Errorf("refusing took %d bytes", after.TotalAlloc-before.TotalAlloc)
	}
	fifo := *js
	fifo.FIFO = true
	q.JS = &fifo
	if _, _, err := lcg.Solve(context.Background(), q, lcg.Options{}); !errors.Is(err, lcg.ErrFIFO) {
		t.Errorf("fifo: %v", err)
	}
}

// TestJobShops asks about small job shops, where slaves are given and windows
// are added up, at the optimum that gini finds and one below.
func TestJobShops(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 40)) {
		rng := rand.New(rand.NewPCG(seed, 11))
		js := jobShop(t, rng)
		lim := map[model.Objective]int64{model.Makespan: 60}
		for askGini(t, query.Within(js, false, lim)) == lcg.Satisfiable {
			lim[model.Makespan]--
		}
		if a, _, _, err := lcg.SolveChecked(query.Within(js, false, lim), seed); a != lcg.Unsatisfiable {
			t.Errorf("seed %d: makespan ≤ %d: answer %d, %v", seed, lim[model.Makespan], a, err)
		}
		lim[model.Makespan]++
		a, plan, _, err := lcg.SolveChecked(query.Within(js, false, lim), seed)
		if a != lcg.Satisfiable || err != nil {
			t.Errorf("seed %d: makespan ≤ %d: answer %d, %v", seed, lim[model.Makespan], a, err)
			continue
		}
		if err := keeps(js, plan, lim, false); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if a, again, err := lcg.Solve(context.Background(), query.Within(js, false, lim), lcg.Options{Like: plan}); a != lcg.Satisfiable || err != nil || keeps(js, again, lim, false) != nil {
			t.Errorf("seed %d: near its own answer the answer is %d, %v", seed, a, err)
		}
	}
}

// jobShop draws up to 5 jobs of up to 4 stages, each bound to one of 3 slaves.
func jobShop(t *testing.T, rng *rand.Rand) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1}
	const slaves = 3
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint(i), Cores: 1 + rng.IntN(2)/(1+i), Slots: 20})
	}
	for i := range 2 + rng.IntN(4) {
		job := model.Job{Name: fmt.Sprint(i), Kind: model.BestEffort}
		for si := range 1 + rng.IntN(4) {
			wcet := make([]model.Time, slaves)
			wcet[rng.IntN(slaves)] = model.Time(1 + rng.IntN(6))
			job.Stages = append(job.Stages, model.Stage{Name: fmt.Sprint(si), Groups: []model.Group{
				{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(slaves, 0))},
			}})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestSearchGoesOn stops a search at every opportunity: the answer is the same. Of
// this set a tardiness of 10 is refuted after some ten thousand conflicts, and a
// plan with 20 found after some thousand.
func TestSearchGoesOn(t *testing.T) {
	for _, late := range []int64{20, 10}[:testkit.Sets(1, 2)] {
		js, _, err := gen.Family("tardiness-60", 1)
		if err != nil {
			t.Fatal(err)
		}
		q := query.Within(js, false, map[model.Objective]int64{model.Tardiness: late})
		whole, _, err := lcg.Solve(context.Background(), q, lcg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := lcg.New(t.Context(), q, lcg.Options{})
		if err != nil {
			t.Fatal(err)
		}
		parts, runs := lcg.Unknown, 0
		for ; parts == lcg.Unknown; runs++ {
			asked := 0
			parts, _ = s.Run(context.Background(), func() bool { asked++; return asked > 1 })
		}
		if parts != whole || runs < 4 {
			t.Errorf("tardiness ≤ %d: answer %d in %d runs, %d in one", late, parts, runs, whole)
		}
		t.Logf("tardiness ≤ %d: answer %d in %d runs, %d conflicts", late, parts, runs, s.Conflicts())
	}
}
