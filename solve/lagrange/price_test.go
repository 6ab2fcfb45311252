package lagrange

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/verify"
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
	js, _ := gen.Random(knobs(), seed)
	plan, _ := lns.Search(context.Background(), js, lns.Options{
		Objectives: []model.Objective{model.Tardiness, model.Makespan}, Seed: seed, Constructions: 8,
	})
	if err := verify.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	return js, plan
}

// Whatever the prices, the refusals of the jobs that are late in a plan are no
// less than the surplus, worked out by either code.
func TestAnyPrices(t *testing.T) {
	tight, middle := 0, 0
	for seed := range uint64(3000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		due, refusal := make([]model.Time, len(js.Jobs)), make([]int64, len(js.Jobs))
		late, inner := int64(0), false
		for i := range due {
			due[i] = max(js.Jobs[i].Release, finishes[i]+model.Time(rng.IntN(3)))
			if rng.IntN(4) > 0 {
				refusal[i] = 1 + rng.Int64N(200)
			}
			if rng.IntN(5) == 0 {
				due[i] = max(js.Jobs[i].Release, finishes[i]-1-model.Time(rng.IntN(3)))
				late += refusal[i]
			}
			inner = inner || len(js.Jobs[i].Stages) > 2
		}
		m, impossible := newMarket(js, due, refusal)
		for range 4 {
			draw(m, rng)
			surplus := m.value() + impossible
			literal, err := verify.DualBound(js, due, m.tariff(m.price))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
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
	if tight == 0 || middle == 0 {
		t.Errorf("one-sided: %d tight, %d looser for inner stages", tight, middle)
	}
}

// draw sets prices at random, most of them 0.
func draw(m *market, rng *rand.Rand) {
	clear(m.price)
	for s := range m.slaves {
		st := &m.slaves[s]
		offsets := []int{st.core, st.slot[0]}
		if m.js.Fetch == model.FetchExclusive {
			offsets = append(offsets, st.fetch)
		}
		if m.js.Slaves[s].Pools() > 1 {
			offsets = append(offsets, st.slot[1])
		}
		for _, o := range offsets {
			for t := range int(m.end) {
				if rng.IntN(3) == 0 {
					m.price[o+t] = rng.Int64N(12)
				}
			}
			if o == st.slot[0] || o == st.slot[1] {
				for t := range int(m.end) {
					if beat := st.beat[t]; int(beat) != t {
						m.price[o+t] = 0
					}
				}
			}
		}
	}
}

// No prices refute what has a plan; where they do, one tick less slack does too
// at the latest when all slack is gone.
func TestRefuteAgainstPlans(t *testing.T) {
	refuted, byCases := 0, 0
	for seed := range uint64(600) {
		js, finishes := planned(t, seed)
		due := slices.Clone(finishes)
		if c, _ := Refute(context.Background(), js, due, effortFor(seed), nil); c != nil {
			t.Fatalf("seed %d: prices refute due times that a plan meets", seed)
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
			byCases++
		}
		if err := verify.Branching(js, due, c); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d refuted, %d by cases", refuted, byCases)
	if refuted < 200 || byCases == 0 {
		t.Errorf("only %d refuted, %d by cases", refuted, byCases)
	}
}

// effortFor is a little of it, thorough for every other seed.
func effortFor(seed uint64) Effort { return Effort{Work: 300_000, Thorough: seed%2 == 1} }

// What a split promises without a step is what prices are worth in the end.
func TestPromise(t *testing.T) {
	some := 0
	for seed := range uint64(200) {
		js, plan := withPlan(t, seed)
		finishes := js.Finishes(plan)
		m, _ := newMarket(js, finishes, refuseAll(finishes))
		rng := rand.New(rand.NewPCG(seed, 4))
		draw(m, rng)
		s := shaving{refuter: &refuter{ctx: context.Background(), leeways: newLeeways(m), left: 1 << 40}, start: slices.Clone(m.price)}
		s.look()
		for range 10 {
			split, holds := drawSplit(js, plan, rng)
			if rng.IntN(2) == 0 {
				holds = !holds
			}
			if split.Kind != proof.StageEndsBy && s.class(split.Task).count > 1 {
				continue
			}
			promise := s.promise(&split, holds)
			if math.IsInf(promise, 1) {
				continue
			}
			mark := s.mark()
			s.narrow(&split, holds)
			gain := m.value() - s.value
			s.back(mark)
			if want := float64(gain) / float64(max(1, -s.value)); promise != want {
				t.Fatalf("seed %d: %+v %t promises %g, and comes to %g", seed, split, holds, promise, want)
			}
			if promise > 0 {
				some++
			}
		}
	}
	if some < 100 {
		t.Errorf("only %d splits with promise", some)
	}
}

// Where windows leave a plan, no prices refute what they leave.
func TestWindowsAroundPlans(t *testing.T) {
	narrowed := 0
	for seed := range uint64(600) {
		js, plan := withPlan(t, seed)
		finishes := js.Finishes(plan)
		m, impossible := newMarket(js, finishes, refuseAll(finishes))
		if impossible > 0 {
			t.Fatalf("seed %d: jobs are late alone that a plan has in time", seed)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		r := refuter{ctx: context.Background(), leeways: newLeeways(m), left: 1 << 40}
		for range 3 + rng.IntN(20) {
			split, holds := drawSplit(js, plan, rng)
			if split.Kind != proof.StageEndsBy && r.class(split.Task).count > 1 {
				continue
			}
			if !r.narrow(&split, holds) {
				t.Fatalf("seed %d: no placement is left by %+v %t", seed, split, holds)
			}
			narrowed++
		}
		if c := r.byPrices(m.price, 60, 1); c != nil {
			t.Fatalf("seed %d: prices refute windows that hold a plan", seed)
		}
		if c := r.byPrices(m.price, 60, warmFactor); c != nil {
			t.Fatalf("seed %d: prices refute windows that hold a plan, in the end", seed)
		}
	}
	t.Logf("%d splits", narrowed)
	if narrowed < 1000 {
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
// prices say the same to other code.
func TestLateAgainstPlans(t *testing.T) {
	sum, late := int64(0), int64(0)
	for seed := range uint64(1500) {
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
		tf, bound := Late(context.Background(), js, due, weight, 1+lateNow, 60)
		if bound > lateNow {
			t.Fatalf("seed %d: a bound of %d, and a plan with %d", seed, bound, lateNow)
		}
		if tf != nil {
			if surplus, err := verify.DualBound(js, due, tf); err != nil || Weight(surplus) < bound {
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
