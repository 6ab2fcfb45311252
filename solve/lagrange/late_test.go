package lagrange

import (
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
)

// Whatever the multipliers and the prices of lateness, what a plan pays for it, with
// the penalties of the jobs that are later than due, is no less than the value, worked
// out by either code.
func TestAnyLateness(t *testing.T) {
	close, paid, middle := 0, 0, 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		c := charges{due: make([]model.Time, len(finishes)), penalty: make([]int64, len(finishes)), late: make([]int64, len(finishes))}
		pays, inner := int64(0), false
		for i := range c.due {
			job := &js.Jobs[i]
			c.due[i] = max(job.Release, finishes[i]+model.Time(rng.IntN(8)-1))
			c.penalty[i] = rng.Int64N(3000)
			if job.Kind == model.Soft {
				c.late[i] = rng.Int64N(500)
			}
			switch {
			case c.penalty[i] == 0:
			case finishes[i] > c.due[i]:
				pays += c.penalty[i]
			default:
				pays += c.late[i] * int64(job.Late(finishes[i]))
			}
			inner = inner || len(job.Stages) > 2
		}
		r := newLagrangian(t.Context(), js, c)
		for range 4 {
			draw(r, rng)
			surplus := r.Value()
			literal, err := inference.Surplus(t.Context(), js, c.due, r.dualBound(r.Multipliers))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if surplus > literal || !inner && surplus != literal {
				t.Errorf("seed %d: a surplus of %d, recomputed as %d", seed, surplus, literal)
			}
			if literal > pays {
				t.Errorf("seed %d: a surplus of %d, and a plan that pays %d", seed, literal, pays)
			}
			if literal > 0 && 2*literal >= pays {
				close++
			}
			if literal > 0 {
				paid++
			}
			if surplus < literal {
				middle++
			}
		}
	}
	if close == 0 || paid == 0 || middle == 0 {
		t.Errorf("one-sided: %d close, %d above 0, %d looser for inner stages", close, paid, middle)
	}
}

// No bound exceeds the weighted tardiness that a plan has; what is bounded other code
// finds as well.
func TestWeightedAgainstPlans(t *testing.T) {
	bounds := int64(0)
	for seed := range testkit.Sets[uint64](60, 1500) {
		js, finishes := planned(t, seed)
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.Hard && job.Late(finishes[i]) > 0 {
				job.Kind, job.Weight = model.Soft, 1
			}
			if job := &js.Jobs[i]; seed%3 == 0 && job.Kind == model.Soft {
				job.Weight *= 1 + 100_000*int64(seed)
			}
		}
		value := js.Value(model.WeightedTardiness, finishes)
		if value == 0 {
			continue
		}
		if d, due := WeightedTardiness(t.Context(), js, value, &Extent{Steps: 60, Lanes: seed%2 == 0}); d != nil {
			least, err := inference.WeightedTardiness(t.Context(), js, value-1, due, d)
			if err != nil || least > value {
				t.Fatalf("seed %d: a bound of %d, and a plan with %d, %v", seed, least, value, err)
			}
			bounds += least
		}
	}
	if bounds == 0 {
		t.Error("no bounds above 0")
	}
}

// In fine ticks a job that may be much too late is not looked at for every end: what it
// is taken to pay is no more than it does, and less only by what it pays for a part of
// the time.
func TestLatenessInGrains(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1000, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	for i := range 3 {
		profile := model.NewProfile(model.DenseRow([]model.Time{model.Time(2999 + i)}), model.DenseRow([]model.Time{0}))
		js.Jobs = append(js.Jobs, model.Job{Name: string(rune('a' + i)), Deadline: 4001, Kind: model.Soft, Weight: 1, Stages: []model.Stage{
			{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}},
		}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	const price, latest = 40, 20_000
	c := charges{due: []model.Time{latest, latest, latest}, penalty: []int64{1 << 30, 1 << 30, 1 << 30}, late: []int64{price, price, price}}
	r := newLagrangian(t.Context(), js, c)
	rng := rand.New(rand.NewPCG(1, 6))
	least := int64(0)
	for range 10 {
		draw(r, rng)
		surplus := r.Value()
		exact, err := inference.Surplus(t.Context(), js, c.due, r.dualBound(r.Multipliers))
		if err != nil {
			t.Fatal(err)
		}
		if surplus > exact || surplus < exact-3*price*(latest/mostGrains+1) {
			t.Errorf("%d, exactly %d", surplus, exact)
		}
		least = max(least, exact-surplus)
	}
	if least == 0 {
		t.Error("never less")
	}
}

// A job whose last stage is one task pays as much as the cheapest of all ends that are looked at one by one, and its
// column holds what it pays for.
func TestLastTaskLate(t *testing.T) {
	looked, late := 0, 0
	for seed := range testkit.Sets[uint64](200, 3000) {
		js, finishes := planned(t, seed)
		rng := rand.New(rand.NewPCG(seed, 7))
		c := charges{due: make([]model.Time, len(finishes)), penalty: make([]int64, len(finishes)), late: make([]int64, len(finishes))}
		for i := range c.due {
			c.due[i] = finishes[i] + model.Time(rng.IntN(20))
			c.penalty[i], c.late[i] = 1<<30, 1+rng.Int64N(40)
		}
		r := newLagrangian(t.Context(), js, c)
		draw(r, rng)
		r.sum()
		for j := range r.jobs {
			b := &r.jobs[j]
			if last := &b.stages[len(b.stages)-1]; !last.alone {
				continue
			}
			before := b.beforeLast()
			least := b.penalty
			for at := b.first; at <= b.last; at++ {
				least = min(least, b.endingBy(before, at).cost+b.paid(at))
			}
			got := b.solve()
			if got.cost != least {
				t.Fatalf("seed %d: %d, looked at one by one %d", seed, got.cost, least)
			}
			looked++
			if len(b.stages) > 2 {
				continue
			}
			clear(r.Use)
			b.selectPlacements(got)
			held := b.paid(got.finish)
			for k, use := range r.Use {
				held += use * r.Multipliers[k]
			}
			if held != got.cost {
				t.Fatalf("seed %d: the column holds %d, the job pays %d", seed, held, got.cost)
			}
			if b.paid(got.finish) > 0 {
				late++
			}
		}
	}
	if looked == 0 || late == 0 {
		t.Errorf("%d jobs, %d late", looked, late)
	}
}
