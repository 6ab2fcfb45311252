package solve

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/internal/testkit/secondopinion"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/budget"
	"downbeat/solve/conflict"
	"downbeat/solve/event"
	"downbeat/solve/exact"
)

// A relaxed plan misses as few hard deadlines as possible, by as little as possible at most and
// then in sum, and then has as little as possible of the objectives.
func TestRelaxedPlanAgreesWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	relaxed, opened := 0, 0
	for seed := range testkit.Seeds(t, tinySets(t)/5) {
		js := gen.Tiny(seed / 2)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed / 2)
		}
		want, err := oracle.LeastBad(js, js.Goal(), nil, 0)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, err := Plan(context.Background(), js, Options{Seed: seed, Workers: 1, Relax: true, Early: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		wantValues := want.Values
		if got.Relaxed != (want.Values[0] > 0) {
			t.Fatalf("seed %d: relaxed %t, exhaustive search misses %d hard deadlines", seed, got.Relaxed, want.Values[0])
		}
		if !got.Relaxed {
			wantValues = wantValues[3:]
		} else if relaxed++; got.Status != model.Infeasible || got.Conflict == nil {
			t.Errorf("seed %d: status %s, conflict %v", seed, got.Status, got.Conflict)
		}
		open := false
		for k, o := range got.Objectives {
			if open = o.Bound == nil || *o.Bound != o.Value; open {
				if o.Value < wantValues[k] || o.Bound != nil && *o.Bound > wantValues[k] || k < 3 {
					t.Errorf("seed %d: %v, exhaustive search says %v", seed, got.Objectives, wantValues)
				}
				break // then those after it may be anything
			}
			if o.Value != wantValues[k] {
				t.Errorf("seed %d: %v, exhaustive search says %v", seed, got.Objectives, wantValues)
			}
		}
		if open {
			opened++
		}
		if err := check.Schedule(js, got.Schedule, true).Err(); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if relaxed == 0 {
		t.Error("no set was relaxed")
	}
	// Bounds of the objectives leave out what the sum of latenesses costs. How many stay open is known
	// of the sets that are the same each time; of others there may be a handful.
	if t.Logf("%d of %d relaxed are open behind the lateness of hard jobs", opened, relaxed); !testkit.SeedGiven() && opened*5 > relaxed {
		t.Errorf("%d of %d relaxed plans are open", opened, relaxed)
	}
}

// By how much jobs are late even alone bounds the lateness in relaxed plans, also where there is no
// work left to find that out again.
func TestRelaxedBoundsAreThoseOfJobsAlone(t *testing.T) {
	const cores, tasks, wcet = 3, 7, 4 // in three rounds: ends at 12
	on := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, 0))
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: cores, Slots: tasks}}}
	js.Jobs = []model.Job{{Name: "j", Kind: model.Hard, Deadline: 9, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: tasks, Profile: on}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	s := &solver{caller: t.Context(), restated: restate(js), opt: Options{Workers: 1, Budget: 1}}
	w := s.among(js, []model.Objective{model.HardMisses}).incumbent()
	w.Offer(heuristics.Repair(js, model.NewSchedule(tasks)))
	w.Raise(0, 1, model.SATProof)
	over, stop := budget.With(t.Context(), 1)
	defer stop()
	budget.Spend(over, 1)
	no := &Result{Proof: model.SATProof, Analysis: &Analysis{Alone: []conflict.Alone{{Earliest: 12}}}}
	out := &Result{Objectives: make([]model.ObjectiveValue, 1)}
	if err := s.leastLateness(over, w, no, out); err != nil {
		t.Fatal(err)
	}
	for k, want := range []int64{1, 3, 3} {
		if o := out.Objectives[k]; o.Value != want || o.Bound == nil || *o.Bound != want {
			t.Errorf("%+v, want %d proved", o, want)
		}
	}
}

// A conflict is infeasible and irreducible.
func TestConflictsAgreeWithExhaustiveSearch(t *testing.T) {
	testkit.OneGoroutine(t)
	feasible := func(js *model.JobSet) bool {
		a, err := oracle.SolveFor(js, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		return a.Status != model.Infeasible
	}
	conflicts := 0
	for seed := range testkit.Seeds(t, tinySets(t)/2) {
		js := gen.Tiny(seed / 2)
		if seed%2 == 1 {
			js = gen.TodayTiny(seed / 2)
		}
		v, err := Check(context.Background(), js, Options{Seed: seed, Workers: 1})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if (v.Status == model.Feasible) != feasible(js) {
			t.Fatalf("seed %d: %s, exhaustive search disagrees", seed, v.Status)
		}
		if v.Status == model.Feasible {
			continue
		}
		conflicts++
		c := v.Conflict
		if !c.Irreducible || feasible(js.Subset(c.Jobs)) {
			t.Errorf("seed %d: jobs %v: irreducible %t", seed, c.Jobs, c.Irreducible)
		}
		for k := range c.Jobs {
			if rest := slices.Delete(slices.Clone(c.Jobs), k, k+1); len(rest) > 0 && !feasible(js.Subset(rest)) {
				t.Errorf("seed %d: %v clash, and so do %v", seed, c.Jobs, rest)
			}
		}
		if (c.Proof < model.LCGProof) != (len(c.Overloads) > 0 || c.Branching != nil) {
			t.Errorf("seed %d: proved by %s, with %d counting arguments and prices %v", seed, c.Proof, len(c.Overloads), c.Branching)
		}
		for k := range c.Overloads {
			sub, sh := js.Subset(c.Jobs), c.Overloads[k]
			for i, id := range sh.Jobs {
				sh.Jobs[i] = model.JobID(slices.Index(c.Jobs, id))
			}
			if err := inference.Overload(sub, query.HardDues(sub), &sh); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
	t.Logf("%d conflicts", conflicts)
	if conflicts == 0 {
		t.Error("nothing was tested")
	}
}

// The same input, seed and a single worker give the same answer.
func TestSingleWorkerRepeats(t *testing.T) {
	testkit.OneGoroutine(t)
	var sets []*model.JobSet
	for seed := range testkit.Sets[uint64](40, 100) {
		sets = append(sets, gen.Tiny(seed))
	}
	for _, family := range []string{"tiny", "tight-laid", "tight-medium-laid"} {
		for seed := range uint64(4) {
			js, _, err := gen.Family(family, seed)
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, js)
		}
	}
	for i, js := range sets {
		var results [2]*Result
		for k := range results {
			var err error
			if results[k], err = Plan(context.Background(), js, Options{Seed: 7, Workers: 1}); err != nil {
				t.Fatalf("set %d, %s: %v", i, js.Name, err)
			}
		}
		if a, b := results[0], results[1]; a.Status != b.Status || !slices.Equal(a.Schedule, b.Schedule) {
			t.Errorf("set %d, %s: two runs differ", i, js.Name)
		}
	}
}

// Times that are all multiples of something are planned in coarse ticks, with
// the same answer in fine ones.
func TestCoarseTicks(t *testing.T) {
	testkit.OneGoroutine(t)
	for seed := range testkit.Sets[uint64](25, 60) {
		fine := gen.Tiny(seed)
		large := scaled(t, fine, 1000)
		if got := model.CommonTick(large); got%1000 != 0 {
			t.Fatalf("seed %d: common tick %d", seed, got)
		}
		a, err := Plan(context.Background(), fine, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Plan(context.Background(), large, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != b.Status || len(a.Objectives) != len(b.Objectives) {
			t.Fatalf("seed %d: %s and %s", seed, a.Status, b.Status)
		}
		for p, o := range a.Objectives {
			factor := int64(1000)
			if o.Name == model.Misses.String() {
				factor = 1
			}
			if b.Objectives[p].Value != factor*o.Value || *b.Objectives[p].Bound != factor**o.Bound {
				t.Errorf("seed %d: %v and %v", seed, o, b.Objectives[p])
			}
		}
		if b.Schedule != nil {
			if err := check.Schedule(large, b.Schedule, false).Err(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		}
	}
}

// Where heartbeats come many to each of what divides all other times they come each of these in coarse ticks: the answers are those of
// exhaustive search of all heartbeats there are, by proofs that pass the checker.
func TestCoarseTicksOfManyHeartbeats(t *testing.T) {
	testkit.OneGoroutine(t)
	statuses, proofs := map[model.Status]int{}, []secondopinion.Sample{}
	for seed := range testkit.Seeds(t, tinySets(t)/4) {
		js := gen.Tiny(seed / 2)
		js.Heartbeat = 1
		factor := 2 + model.Time(seed%3)
		large := scaled(t, js, factor)
		if large.Heartbeat = 1; factor == 4 && seed%2 == 0 {
			large.Heartbeat = 2
		}
		large.SetHorizon()
		if got := model.CommonTick(large); got%factor != 0 {
			t.Fatalf("seed %d: common tick %d", seed, got)
		}
		want, err := oracle.Solve(large)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		opt := Options{Seed: seed, Workers: 1, Proof: true}
		got := mustPlan(t, large, opt)
		if err := agree(large, got, want); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if cert := got.Certificate; cert != nil && len(cert.Claims) > 0 {
			var text bytes.Buffer
			if err := cert.Write(&text); err != nil {
				t.Fatal(err)
			}
			if _, err := inference.CheckFile(t.Context(), large, strings.NewReader(text.String())); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			proofs = append(proofs, secondopinion.Sample{JS: large, Text: text.String()})
		}
		if opt.From, opt.Proof = got.Schedule, false; got.Schedule != nil {
			again := mustPlan(t, large, opt)
			if err := agree(large, again, want); err != nil || again.Kept == nil || again.Kept.Moved > 0 {
				t.Errorf("seed %d, from its plan: %v, %+v", seed, err, again.Kept)
			}
		}
		statuses[got.Status]++
	}
	for i, said := range secondopinion.Second(t, "../model/check/inference/testdata/check_proof.py", proofs[:min(len(proofs), testkit.Sets(20, 400))]) {
		if first := proofs[i].First(t); said != first {
			t.Errorf("proof %d: %s; another checker: %s", i, first, said)
		}
	}
	if t.Logf("statuses %v, %d certified", statuses, len(proofs)); len(proofs) == 0 {
		t.Error("nothing certified")
	}
}

// In fine ticks that have no measure in common tiny sets are settled as soon: a deadline
// that is later by one tick of a thousand takes no more than that off the lateness.
func TestFineTicks(t *testing.T) {
	settled := 0
	for seed := range testkit.Sets[uint64](20, 100) {
		js := gen.Tiny(seed)
		last := len(js.Jobs) - 1
		if js.Jobs[last].Kind != model.Soft {
			continue
		}
		js.Jobs[last].Weight = 3
		fine := scaled(t, js, 1000)
		fine.Jobs[last].Deadline++
		if model.CommonTick(fine) != 1 {
			t.Fatalf("seed %d: a common tick of %d", seed, model.CommonTick(fine))
		}
		o := []model.Objective{model.WeightedTardiness}
		a := mustPlan(t, js, Options{Workers: 1, Objectives: o})
		b := mustPlan(t, fine, Options{Workers: 1, Objectives: o, Budget: 3000})
		if a.Status != b.Status || len(a.Objectives) != len(b.Objectives) {
			t.Fatalf("seed %d: %s and %s", seed, a.Status, b.Status)
		}
		if a.Status != model.Optimal {
			continue
		}
		settled++
		if v := 1000*a.Objectives[0].Value - b.Objectives[0].Value; v < 0 || v > 3 {
			t.Errorf("seed %d: %d and %d", seed, a.Objectives[0].Value, b.Objectives[0].Value)
		}
	}
	if settled < 4 {
		t.Errorf("%d sets settled", settled)
	}
}

// scaled multiplies every time of a job set, by way of new rows.
func scaled(t *testing.T, js *model.JobSet, factor model.Time) *model.JobSet {
	t.Helper()
	out := *js
	out.Heartbeat *= factor
	out.Slaves = slices.Clone(js.Slaves)
	for i := range out.Slaves {
		out.Slaves[i].FirstBeat *= factor
		out.Slaves[i].Down = slices.Clone(out.Slaves[i].Down)
		for k := range out.Slaves[i].Down {
			out.Slaves[i].Down[k].Start *= factor
			out.Slaves[i].Down[k].End *= factor
		}
	}
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		j.Release *= factor
		j.Deadline *= factor
		j.Stages = slices.Clone(j.Stages)
		for si := range j.Stages {
			j.Stages[si].Groups = slices.Clone(j.Stages[si].Groups)
			for gi := range j.Stages[si].Groups {
				p := j.Stages[si].Groups[gi].Profile
				wcet, transfer := make([]model.Time, len(js.Slaves)), make([]model.Time, len(js.Slaves))
				for s := range js.Slaves {
					wcet[s] = factor * p.WCET(model.SlaveID(s))
					transfer[s] = factor * p.Transfer(model.SlaveID(s))
				}
				j.Stages[si].Groups[gi].Profile = model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))
			}
		}
	}
	out.Tasks = nil
	if err := out.Assemble(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// A search that is cancelled, or not allowed a formula, says what it has and
// claims nothing more.
func TestLimits(t *testing.T) {
	js, _, err := gen.Family("misses-medium", 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Plan(ctx, js, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != model.Feasible && r.Status != model.Unknown || !r.Interrupted {
		t.Errorf("cancelled: %s, interrupted %t", r.Status, r.Interrupted)
	}
	for _, workers := range []int{1, 3} {
		if testkit.Race() && workers == 1 {
			continue
		}
		r, err = Plan(context.Background(), js, Options{
			Objectives: []model.Objective{model.Makespan}, Exact: exact.Options{MaxClauses: 1000}, Budget: 20_000, Workers: workers,
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != model.Feasible || len(r.Notes) != 1 || *r.Objectives[0].Bound > r.Objectives[0].Value {
			t.Errorf("small formulas only, %d workers: %s, notes %q, %v", workers, r.Status, r.Notes, r.Objectives)
		}
	}
}

// What is told never takes anything back, and ends at the result.
func TestProgress(t *testing.T) {
	js, _, err := gen.Family("tiny", 3)
	if err != nil {
		t.Fatal(err)
	}
	var last []model.ObjectiveValue
	r, err := Plan(context.Background(), js, Options{Workers: 2, Events: func(p event.Event) {
		for i := range last {
			if i == 0 && p.Objectives[i].Value > last[i].Value {
				t.Errorf("from %v to %v", last, p.Objectives)
			}
		}
		if p.HavePlan {
			last = p.Objectives
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(last) == 0 || last[0].Value != r.Objectives[0].Value {
		t.Errorf("last progress %v, result %v", last, r.Objectives)
	}
}
