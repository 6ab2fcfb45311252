package solve

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/solve/certify"
	"downbeat/solve/event"
)

// leastLeaving is the least of what is minimised, by exhaustive search ([oracle.SolveLeaving]).
func leastLeaving(t *testing.T, js *model.JobSet, relaxed bool) []int64 {
	t.Helper()
	best, err := oracle.SolveLeaving(js, js.Goal(), relaxed, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return best
}

// valuesLeaving are those of an answer that misses no hard deadline, in the same order.
func valuesLeaving(r *Result) (all []int64) {
	if len(r.LeftOut) == 0 {
		all = append(all, 0, 0)
	}
	for _, o := range r.Objectives {
		all = append(all, o.Value)
	}
	return all
}

// TestLeftOutAgreesWithExhaustiveSearch: where slaves go for good, what is left out and the
// values of the rest are those of exhaustive search over all choices.
func TestLeftOutAgreesWithExhaustiveSearch(t *testing.T) {
	left := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 300, 1500)) {
		workers := 1 + int(seed%2)
		if testkit.Race() && workers == 1 {
			continue
		}
		js := gen.GoneTiny(seed)
		want := leastLeaving(t, js, false)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: workers, NoConflict: true, Early: seed%3 > 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case want == nil && r.Status == model.Infeasible:
		case want == nil || r.Schedule == nil:
			t.Errorf("seed %d: %s, exhaustive search has %v", seed, r.Status, want)
		case !slices.Equal(valuesLeaving(r), want):
			t.Errorf("seed %d: %s with %v, exhaustive search has %v", seed, r.Status, valuesLeaving(r), want)
		case r.Status != model.Optimal && len(r.Objectives) > 0:
			t.Errorf("seed %d: %s", seed, r.Status)
		default:
			if err := check.Schedule(js, r.Schedule, false).Err(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
		left += len(r.LeftOut)
	}
	if left == 0 {
		t.Error("no job was left out")
	}
}

// TestCheckLeavesOut: soft jobs that can run nowhere do not break hard deadlines.
func TestCheckLeavesOut(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 800)) {
		js := gen.GoneTiny(seed)
		want := model.Feasible
		if leastLeaving(t, js, false) == nil {
			want = model.Infeasible
		}
		v, err := Check(context.Background(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Status != want {
			t.Errorf("seed %d: %s, want %s", seed, v.Status, want)
		}
	}
}

// TestRelaxLeavesOut: the least bad plan leaves out as exhaustive search does.
func TestRelaxLeavesOut(t *testing.T) {
	testkit.OneGoroutine(t)
	open, sets := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 600)) {
		js := gen.GoneTiny(seed)
		want := leastLeaving(t, js, true)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, Relax: true, NoConflict: seed%2 == 0, Budget: 20000, Early: seed%3 > 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Schedule == nil {
			t.Errorf("seed %d: no plan, exhaustive search has %v", seed, want)
			continue
		}
		isOpen, err := oracle.HoldLeastBad(js, r.Objectives, want)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if isOpen {
			open++
		}
		sets++
	}
	if t.Logf("%d of %d are open", open, sets); open*20 > sets {
		t.Errorf("%d of %d sets are open", open, sets)
	}
}

// TestLeftOutProofs: the checker accepts what is proved of plans that leave out jobs, no bound that
// it accepts is above what exhaustive search finds, and it accepts no proof that leaves out a
// job which could run, or a hard one.
func TestLeftOutProofs(t *testing.T) {
	testkit.OneGoroutine(t)
	certified, lies := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 80, 1500)) {
		js := gen.GoneTiny(seed)
		r, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, NoConflict: true, Proof: true, Budget: 20000})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if r.Schedule == nil || r.Certificate == nil || r.Certificate.LeftOut == nil || len(r.Certificate.Claims) == 0 {
			continue
		}
		if err := r.Certificate.Deliver(context.Background(), nil, true); err != nil || r.Certificate.Proof.Refused != nil {
			t.Fatalf("seed %d: %v, %v", seed, err, r.Certificate.Proof.Refused)
		}
		var text bytes.Buffer
		if err := r.Certificate.Write(&text); err != nil {
			t.Fatal(err)
		}
		var in []model.JobID
		for i := range model.JobID(len(js.Jobs)) {
			if !slices.Contains(r.LeftOut, i) {
				in = append(in, i)
			}
		}
		want, err := oracle.SolveFor(js.Subset(in), js.Goal(), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range r.Certificate.Proof.Checked.Claims {
			at := slices.Index(js.Goal(), c.Objective)
			if certified++; at < 0 || c.Least > want.Values[at] {
				t.Errorf("seed %d: %s is proved to be at least %d, exhaustive search has %v", seed, c.Objective, c.Least, want.Values)
			}
		}
		honest := "\n" + strings.TrimSpace("left-out "+strings.Trim(fmt.Sprint(r.Certificate.LeftOut), "[]")) + "\n"
		for _, i := range in {
			more := slices.Sorted(slices.Values(append([]model.JobID{i}, r.LeftOut...)))
			lie := strings.Replace(text.String(), honest, "\nleft-out "+strings.Trim(fmt.Sprint(more), "[]")+"\n", 1)
			if lies++; lie == text.String() {
				t.Fatalf("seed %d: the proof does not say %q", seed, honest)
			}
			if _, err := inference.CheckFile(context.Background(), js, strings.NewReader(lie)); err == nil {
				t.Errorf("seed %d: a proof that leaves out job %d too is accepted", seed, i)
			}
		}
	}
	if certified == 0 || lies == 0 {
		t.Errorf("%d claims, %d lies", certified, lies)
	}
}

// TestLeavesOutLittle: where too much waits for slaves that go, a plan leaves out what does not fit
// and keeps the rest, the heaviest first, also where there is no time to try many choices.
func TestLeavesOutLittle(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{
		{Name: "gone", Cores: 1, Slots: 1, Down: []model.Interval{{Start: 20, End: model.Never}}},
		{Name: "stays", Cores: 1, Slots: 1},
	}}
	for k := range 24 {
		on := []model.Time{5, 0}
		if k%6 == 5 {
			on = []model.Time{0, 5}
		}
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", k), Kind: model.Soft, Deadline: 100, Weight: int64(1 + k%5), Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.DenseRow(on), model.ConstRow(2, 0))}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{Workers: 1, Budget: 60}, {Workers: 1, Budget: 60, Relax: true}} {
		r, err := Plan(context.Background(), js, opt)
		if err != nil {
			t.Fatal(err)
		}
		if r.Schedule == nil || len(r.LeftOut) != 16 {
			t.Fatalf("%s, %d are left out; there is room for 4 of 20", r.Status, len(r.LeftOut))
		}
		for _, i := range r.LeftOut {
			if js.Jobs[i].Weight == 5 {
				t.Errorf("%s of weight 5 is left out", js.Jobs[i].Name)
			}
		}
	}
	v, err := Check(context.Background(), js, Options{Workers: 1, Budget: 60})
	if err != nil || len(v.LeftOut) != 16 {
		t.Errorf("%v, %v", v, err)
	}
}

// TestManyMayBeLeftOut: choices among thousands of jobs are not all laid out before one is looked at.
func TestManyMayBeLeftOut(t *testing.T) {
	testkit.OneGoroutine(t)
	jobs := testkit.Sets(10_100, 30_000)
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{
		{Name: "a", Cores: 1, Slots: 1}, {Name: "big", Cores: 2, Slots: 2, Down: []model.Interval{{Start: 40, End: model.Never}}},
	}}
	on := model.NewProfile(model.ConstRow(2, 0).With([]model.SlaveID{1}, 4), model.ConstRow(2, 0))
	for i := range jobs {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Weight: 1, Deadline: 60, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: on}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: 100})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if in := jobs - len(r.LeftOut); r.Schedule == nil || in != 20 {
		t.Errorf("%d jobs run, there is room for 20", in)
	}
	if o := r.Objectives[0]; o.Bound == nil || *o.Bound > o.Value {
		t.Errorf("%+v", o)
	}
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > uint64(200+jobs/75) {
		t.Errorf("%d MB were allocated", grown)
	} else {
		t.Logf("%d MB were allocated", grown)
	}
}

// TestNothingLeftOutHasAllTheTime: where list scheduling leaves out no job, no other choice can be
// better, and none of the time is kept back for others.
func TestNothingLeftOutHasAllTheTime(t *testing.T) {
	on := model.NewProfile(model.ConstRow(1, 2), model.ConstRow(1, 0)).
		Needing(model.Needs{Cores: 1, Pools: [model.MaxTakes]model.PoolNeed{{Pool: 1, Units: 2}}})
	js := &model.JobSet{
		Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 2, Slots: 2}},
		Pools: []model.Pool{{Name: "p", Levels: []model.Level{{From: 0, Amount: 2}, {From: 40, Amount: 1}}}},
	}
	for i := range 3 {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Weight: 1, Deadline: 3, Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: 1, Profile: on}},
		}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	const budget = 1000
	var given []int64
	r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: budget, Events: func(e event.Event) {
		if e.Begun != nil {
			given = append(given, e.Begun.Budget)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != model.Optimal || len(r.LeftOut) > 0 || !slices.Equal(given, []int64{budget - 1}) {
		t.Errorf("%s, %d jobs left out, searches with %v of %d units", r.Status, len(r.LeftOut), given, budget)
	}
}

// What is proved of orders of jobs is of plans that leave out nothing, where slaves go for good, too.
func TestSequencesWhereSlavesGo(t *testing.T) {
	job := func(name string, cores int64, wcet, transfer, deadline model.Time) model.Job {
		on := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, transfer)).Needing(model.Needs{Cores: cores})
		return model.Job{Name: name, Kind: model.Soft, Deadline: deadline, Weight: 1, Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: 1, Profile: on}},
		}}}
	}
	js := &model.JobSet{Heartbeat: 1, Objectives: []model.Objective{model.WeightedTardiness}, Slaves: []model.Slave{
		{Name: "a", Cores: 2, Slots: 2, Down: []model.Interval{{Start: 9, End: model.Never}}},
	}, Jobs: []model.Job{job("j1", 1, 3, 0, 4), job("j2", 2, 1, 1, 3)}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: 3000})
	if err != nil || r.Status != model.Optimal || r.Objectives[0].Value != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// What is called certified has claims that a checker has agreed to: where no file can say which jobs are left out, all is open.
func TestLeavingIsCertified(t *testing.T) {
	testkit.OneGoroutine(t)
	certified, open := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 600)) {
		js := gen.GoneTiny(seed)
		if js.Leavable() == nil {
			continue
		}
		r, err := Plan(t.Context(), js, Options{Workers: 1, Budget: 500, Proof: true, NoConflict: true, Relax: seed%3 == 0})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Certificate
		if err := c.Deliver(t.Context(), nil, true); err != nil || c.Proof != nil && c.Proof.Refused != nil {
			t.Fatalf("seed %d: %v, %+v", seed, err, c.Proof)
		}
		if !c.Certified() || r.Status == model.Unknown {
			open++
			continue
		}
		certified++
		claimed := func(is func(*certify.Claim) bool) bool {
			return slices.ContainsFunc(c.Claims, func(of certify.Claim) bool { return is(&of) })
		}
		if r.Schedule == nil && !claimed(func(of *certify.Claim) bool { return of.Infeasible }) {
			t.Errorf("seed %d: %s, and no claim of it", seed, r.Status)
		}
		for _, v := range r.Objectives {
			if v.Bound == nil {
				break
			}
			forced := c.LeftOut != nil && (v.Is(model.LeftOut) || v.Is(model.LeftOutWeight) || v.Is(model.Misses)) // the line left-out says it
			if *v.Bound > 0 && !forced && !claimed(func(of *certify.Claim) bool { return v.Is(of.Objective) && c.Stated(of).Least == *v.Bound }) {
				t.Errorf("seed %d: %s is at least %d, and no claim of it: %+v", seed, v.Name, *v.Bound, c)
			}
		}
	}
	t.Logf("%d certified, %d open", certified, open)
	if certified == 0 || open == 0 {
		t.Errorf("%d certified, %d open", certified, open)
	}
}

// What check tells of soft deadlines is of misses, where jobs are left out too, and has claims of its own.
func TestSoftIsCertified(t *testing.T) {
	testkit.OneGoroutine(t)
	checked := 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 400)) {
		js := gen.GoneTiny(seed)
		for i := range js.Jobs {
			if js.Jobs[i].Kind == model.Hard {
				js.Jobs[i].Kind, js.Jobs[i].Weight = model.Soft, 1
			}
		}
		opt := Options{Workers: 1, Budget: 500, Proof: true}
		v, err := Check(t.Context(), js, opt)
		if err != nil || v.Schedule == nil {
			continue // there is room for nothing
		}
		if err := Soft(t.Context(), js, v, opt); err != nil {
			t.Fatal(err)
		}
		misses := &v.Soft.Misses
		if v.Soft.Jobs == 0 || misses.Bound == nil {
			continue
		}
		checked++
		if value := js.Value(model.Misses, js.Finishes(v.Schedule)); !misses.Is(model.Misses) || misses.Value != value {
			t.Errorf("seed %d: %+v, the plan has %d", seed, misses, value)
		}
		if c := v.Certificate; *misses.Bound > 0 && c.LeftOut == nil && len(c.Claims)+len(c.Open) != 1 {
			t.Errorf("seed %d: %+v, certified by %+v", seed, misses, c)
		}
	}
	if checked == 0 {
		t.Error("none")
	}
}
