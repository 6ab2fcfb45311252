package lagrange

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/tight"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// knobs mix every feature.
func knobs() gen.Knobs {
	return gen.Knobs{
		Tasks: gen.Range{Lo: 4, Hi: 20}, FirstStage: gen.Range{Lo: 1, Hi: 5}, LaterStage: gen.Range{Lo: 1, Hi: 3},
		Shapes: [4]int{3, 1, 4, 1},
		Slaves: gen.Range{Lo: 1, Hi: 4}, Cores: gen.Range{Lo: 1, Hi: 3}, SpareSlots: gen.Range{Lo: -1, Hi: 2}, EqualSlave: 0.5,
		Heartbeat: gen.Range{Lo: 1, Hi: 5}, Stagger: 0.6, SplitSlots: 0.25, Concurrent: 0.2, FIFO: 0.2,
		Down: 0.3, DownAt: gen.Range{Lo: 0, Hi: 30}, DownFor: gen.Range{Lo: 1, Hi: 8},
		WCET: gen.Range{Lo: 1, Hi: 9}, Transfer: gen.Range{Lo: 0, Hi: 4}, EqualTasks: 0.5,
		Uneven: 0.4, Local: 0.4, LocalTransfer: gen.Range{Lo: 0, Hi: 1}, Barred: 0.2,
		Release: gen.Range{Lo: 0, Hi: 20}, Hard: 0.5, BestEffort: 0.1, Weight: gen.Range{Lo: 1, Hi: 3},
		Tightness: gen.Range{Lo: 90, Hi: 250}, Objectives: [][]model.Objective{nil},
	}
}

// planned is a random set with the finishes of a valid plan, be jobs late or not.
func planned(t *testing.T, seed uint64) (*model.JobSet, []model.Time) {
	t.Helper()
	js, plan := withPlan(t, seed)
	return js, js.Finishes(plan)
}

func withPlan(t *testing.T, seed uint64) (*model.JobSet, model.Schedule) {
	t.Helper()
	k := knobs()
	if seed%8 == 7 {
		k.Shapes[3], k.Today = 4, gen.TodayKnobs().Today
	}
	js, _ := gen.Random(k, seed)
	plan, _ := lns.Search(context.Background(), js, lns.Options{
		Objectives: []model.Objective{model.Tardiness, model.Makespan}, Seed: seed, Constructions: 8,
	})
	if seed%4 == 2 {
		js = tight.Share(t, js, plan, rand.New(rand.NewPCG(seed, 9)))
	}
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	return js, plan
}

// Whatever the multipliers, the penalties of the jobs that are late in a plan are no
// less than the value, worked out by either code; with tasks in lanes, too, whatever they pay in any case.
func TestAnyMultipliers(t *testing.T) {
	tight, middle, crowded := 0, 0, 0
	for seed := range testkit.Sets[uint64](600, 3000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		due, penalty := make([]model.Time, len(js.Jobs)), make([]int64, len(js.Jobs))
		late, inner := int64(0), false
		for i := range due {
			due[i] = max(js.Jobs[i].Release, finishes[i]+model.Time(rng.IntN(3)))
			if rng.IntN(4) > 0 {
				penalty[i] = 1 + rng.Int64N(200)
			}
			if rng.IntN(5) == 0 {
				due[i] = max(js.Jobs[i].Release, finishes[i]-1-model.Time(rng.IntN(3)))
				late += penalty[i]
			}
			inner = inner || len(js.Jobs[i].Stages) > 2
		}
		r := newLagrangian(t.Context(), js, charges{due: due, penalty: penalty, lanes: seed%2 == 0})
		for k := range 4 {
			draw(r, rng)
			if r.base = nil; r.tables != nil && k%2 > 0 {
				for range js.Tasks {
					r.base = append(r.base, rng.Int64N(40))
				}
			}
			surplus := r.Value()
			bound := r.dualBound(r.Multipliers)
			literal, err := inference.Surplus(t.Context(), js, due, bound)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			bound.Base = nil
			if alone, _ := inference.Surplus(t.Context(), js, due, bound); alone < literal {
				crowded++
			}
			if surplus > literal || !inner && surplus != literal {
				t.Errorf("seed %d: a surplus of %d, recomputed as %d", seed, surplus, literal)
			}
			if literal > late {
				t.Errorf("seed %d: a surplus of %d, and a plan in which jobs worth %d are late", seed, literal, late)
			}
			if literal == late && late > 0 {
				tight++
			}
			if surplus < literal {
				middle++
			}
		}
	}
	if tight == 0 || middle == 0 || crowded == 0 {
		t.Errorf("one-sided: %d tight, %d looser for inner stages, %d higher with lanes", tight, middle, crowded)
	}
}

// draw sets multipliers at random, most of them 0, and those of ticks without a
// heartbeat where only heartbeats count.
func draw(r *lagrangian, rng *rand.Rand) {
	clear(r.Multipliers)
	for s := range r.slaves {
		at := &r.slaves[s]
		for _, sup := range at.supplies {
			for t := range int(r.end) {
				if rng.IntN(3) == 0 && (sup.Hold != model.HoldStay || int(at.beat[t]) == t) {
					r.Multipliers[sup.First+t] = rng.Int64N(12)
				}
			}
		}
	}
	for _, sup := range r.shared {
		for t := range int(r.end) {
			if rng.IntN(3) == 0 {
				r.Multipliers[sup.First+t] = rng.Int64N(12)
			}
		}
	}
}

// No multipliers refute what has a plan; where they do, one tick less slack does too
// at the latest when all slack is gone.
func TestRefuteAgainstPlans(t *testing.T) {
	refuted, branched := 0, 0
	for k := range testkit.Sets[uint64](40, 400) {
		seed := 399 - k // 392 by branching
		js, finishes := planned(t, seed)
		due := slices.Clone(finishes)
		if c, _ := Refute(context.Background(), js, due, effortFor(seed), nil); c != nil {
			t.Fatalf("seed %d: multipliers refute due times that a plan meets", seed)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		for i := range due {
			due[i] = max(js.Jobs[i].Release, finishes[i]-model.Time(rng.IntN(2+int(seed%4))))
		}
		c, _ := Refute(context.Background(), js, due, effortFor(seed), nil)
		if c == nil {
			continue
		}
		refuted++
		if c.Leaves() > 1 {
			branched++
		}
		if err := inference.Branching(t.Context(), js, due, c); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d refuted, %d by branching", refuted, branched)
	if refuted < testkit.Sets(15, 130) || branched == 0 {
		t.Errorf("only %d refuted, %d by branching", refuted, branched)
	}
}

// Multipliers come no closer to refuting a plan than all that there is, come as close as
// that where nothing is left over, and less close the more is.
func TestTightness(t *testing.T) {
	some := 0
	for seed := range testkit.Sets[uint64](12, 150) {
		js, finishes := planned(t, seed)
		r := NewRefutation(t.Context(), js, finishes, true)
		if r.Tightness() != 0 {
			t.Fatal("it has not begun")
		}
		r.Run(0, nil)
		if r.Tightness() > 1 {
			t.Fatalf("seed %d: what has a plan is refuted by %g", seed, r.Tightness())
		}
		if r.Tightness() > 0.5 {
			some++
		}
	}
	if some == 0 {
		t.Error("no set is tight at all")
	}
	js, _ := planned(t, 0)
	core := *js
	core.Heartbeat, core.FIFO = 1, false
	core.Slaves = []model.Slave{{Name: "s", Cores: 1, Slots: 2}}
	core.Jobs, core.Tasks = nil, nil
	for range 3 {
		profile := model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 0))
		core.Jobs = append(core.Jobs, model.Job{Kind: model.Hard, Deadline: 15, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: profile}}}}})
	}
	if err := core.Assemble(); err != nil {
		t.Fatal(err)
	}
	last := 2.0
	for _, due := range []model.Time{15, 20, 30} {
		r := NewRefutation(t.Context(), &core, []model.Time{due, due, due}, true)
		r.Run(0, nil)
		if got, want := r.Tightness(), 15/float64(due); got > want || due == 15 && got < 0.9 || got >= last {
			t.Errorf("15 ticks of work in %d: %g", due, got)
		}
		last = r.Tightness()
	}
}

// effortFor is a little of it, thorough for every other seed.
func effortFor(seed uint64) Effort { return Effort{Work: 300_000, Thorough: seed%2 == 1} }

// What a split gains without a step is what the Lagrangian gains, whatever was asked before
// and was narrowed since.
func TestGain(t *testing.T) {
	some, remembered := 0, 0
	for seed := range testkit.Sets[uint64](80, 200) {
		js, plan := withPlan(t, seed)
		js = query.Series(js)
		finishes := js.Finishes(plan)
		r := newLagrangian(t.Context(), js, inTime(finishes))
		rng := rand.New(rand.NewPCG(seed, 4))
		draw(r, rng)
		s := basis{prober: &prober{ctx: context.Background(), domains: newDomains(r), workers: &workers{}}, start: slices.Clone(r.Multipliers)}
		s.update()
		for range 10 {
			split, holds := drawSplit(js, plan, rng)
			if rng.IntN(2) == 0 {
				holds = !holds
			}
			if split.Kind != proof.StageEndsBy && s.group(split.Task).count > 1 {
				continue
			}
			gain := s.gain(&split, holds)
			if math.IsInf(gain, 1) {
				continue
			}
			if again := s.gain(&split, holds); again != gain {
				t.Fatalf("seed %d: %+v %t gains %g, then %g", seed, split, holds, gain, again)
			}
			if s.memo.costs != nil {
				remembered++
			}
			mark := s.mark()
			s.narrow(&split, holds)
			r.Value()
			j := s.at[split.Task].job
			more := s.jobs[j].cost - s.cost[j]
			if rng.IntN(4) > 0 {
				s.undo(mark)
			}
			if want := float64(more) / float64(max(1, -s.value)); gain != want {
				t.Fatalf("seed %d: %+v %t gains %g, not %g", seed, split, holds, gain, want)
			}
			if gain > 0 {
				some++
			}
		}
	}
	if some < testkit.Sets(40, 100) || remembered < some {
		t.Errorf("only %d splits that gain, %d with a memo", some, remembered)
	}
}

// Where domains leave a plan, no multipliers refute what they leave.
func TestDomainsAroundPlans(t *testing.T) {
	narrowed := 0
	for seed := range testkit.Sets[uint64](150, 600) {
		js, plan := withPlan(t, seed)
		js = query.Series(js)
		finishes := js.Finishes(plan)
		r := newLagrangian(t.Context(), js, inTime(finishes))
		if r.Base > 0 {
			t.Fatalf("seed %d: jobs are late alone that a plan has in time", seed)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		p := prober{ctx: context.Background(), domains: newDomains(r), workers: &workers{}}
		for range 3 + rng.IntN(20) {
			split, holds := drawSplit(js, plan, rng)
			if split.Kind != proof.StageEndsBy && p.group(split.Task).count > 1 {
				continue
			}
			if !p.narrow(&split, holds) {
				t.Fatalf("seed %d: no placement is left by %+v %t", seed, split, holds)
			}
			narrowed++
		}
		if c := p.byMultipliers(r.Multipliers, 60, 1); c != nil {
			t.Fatalf("seed %d: multipliers refute domains that hold a plan", seed)
		}
		if c := p.byMultipliers(r.Multipliers, 60, warmFactor); c != nil {
			t.Fatalf("seed %d: multipliers refute domains that hold a plan, in the end", seed)
		}
	}
	t.Logf("%d splits", narrowed)
	if narrowed < testkit.Sets(250, 1000) {
		t.Errorf("only %d splits", narrowed)
	}
}

// drawSplit draws a split close to a plan, and tells whether it holds there.
func drawSplit(js *model.JobSet, plan model.Schedule, rng *rand.Rand) (split proof.Split, holds bool) {
	id := model.TaskID(rng.IntN(len(plan)))
	task := &js.Tasks[id]
	job := &js.Jobs[task.Job]
	near := func(at model.Time) model.Time { return at + model.Time(rng.IntN(5)) - 2 }
	split = proof.Split{Kind: proof.SplitKind(rng.IntN(4)), Task: id}
	if split.Kind == proof.StageEndsBy && int(task.Stage)+1 == len(job.Stages) {
		split.Kind = proof.TaskEndsBy
	}
	switch split.Kind {
	case proof.StageEndsBy:
		end := model.Time(0)
		for u := job.Stages[task.Stage].First; u < job.Stages[task.Stage].End; u++ {
			end = max(end, js.Finish(u, plan[u]))
		}
		split.At = near(end)
		holds = end <= split.At
	case proof.TaskEndsBy:
		split.At = near(js.Finish(id, plan[id]))
		holds = js.Finish(id, plan[id]) <= split.At
	case proof.FetchedBy:
		split.At = near(plan[id].Fetch)
		holds = plan[id].Fetch <= split.At
	case proof.OnSlave:
		split.Slave = model.SlaveID(rng.IntN(len(js.Slaves)))
		holds = plan[id].Slave == split.Slave
	}
	return split, holds
}

// The bound on the weight of late jobs is no more than what a plan has, and its
// multipliers say the same to other code.
func TestLateAgainstPlans(t *testing.T) {
	sum, late := int64(0), int64(0)
	for seed := range testkit.Sets[uint64](300, 1500) {
		js, finishes := planned(t, seed)
		due, weight := make([]model.Time, len(js.Jobs)), make([]int64, len(js.Jobs))
		lateNow := int64(0)
		for i := range js.Jobs {
			if due[i] = js.Jobs[i].Due(); js.Jobs[i].Kind == model.BestEffort {
				continue
			}
			weight[i] = js.Jobs[i].Weight
			if js.Jobs[i].Late(finishes[i]) > 0 {
				lateNow += weight[i]
			}
		}
		proved, bound := LateWeight(context.Background(), js, due, weight, 1+lateNow, &Extent{Steps: 60})
		if bound > lateNow {
			t.Fatalf("seed %d: a bound of %d, and a plan with %d", seed, bound, lateNow)
		}
		if proved != nil {
			if surplus, err := inference.Surplus(t.Context(), js, due, proved); err != nil || Weight(surplus) < bound {
				t.Fatalf("seed %d: surplus %d for a weight of %d, %v", seed, surplus, bound, err)
			}
		}
		sum += bound
		late += lateNow
	}
	t.Logf("bounds %d, values %d", sum, late)
	if sum == 0 {
		t.Error("nothing was bounded")
	}
}
