package tabu

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
)

// flowOf draws a flow shop: jobs that come to machines in one order, of which each leaves out some, with heartbeats, releases and due times.
func flowOf(draw func(n int) int) *model.JobSet {
	js := &model.JobSet{Name: "flow shop", Heartbeat: model.Time(1 + draw(3)), Objectives: []model.Objective{model.Tardiness}}
	machines := 2 + draw(3)
	for i := range machines {
		js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('a' + i)), Cores: 1, Slots: 1, FirstBeat: js.Heartbeat * model.Time(draw(3))})
	}
	for range 2 + draw(5) {
		job := model.Job{Name: string(rune('a' + len(js.Jobs))), Release: model.Time(draw(20)), Kind: model.BestEffort}
		if len(js.Jobs) == 0 || draw(4) > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+draw(30)), int64(1+draw(3))
		}
		some := draw(machines)
		for k := range machines {
			if k != some && draw(4) == 0 {
				continue
			}
			wcet, transfer := make([]model.Time, machines), make([]model.Time, machines)
			wcet[k], transfer[k] = model.Time(1+draw(9)), model.Time(draw(3))
			job.Stages = append(job.Stages, model.Stage{
				Name:   string(rune('a' + k)),
				Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))}},
			})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// TestOrdersComeToWhatTheirPlansDo holds what an insertion is said to come to, at every place, against the longest paths of the whole
// plan.
func TestOrdersComeToWhatTheirPlansDo(t *testing.T) {
	flows := 0
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		js := flowOf(draw)
		for _, o := range objectives {
			s := New(js, o, 1)
			if s.orders == nil {
				continue // jobs come to few of the machines
			}
			flows++
			f, rng := s.orders.f, rand.New(rand.NewPCG(1, uint64(draw(100))))
			least := int32(never)
			order := make([]int32, 0, f.jobs)
			for _, j := range rng.Perm(f.jobs) {
				order = append(order, int32(j))
			}
			last := order[f.jobs-1]
			order = order[:f.jobs-1]
			place, value := f.insertion(order, last, rng)
			for i := range f.jobs {
				s.orders.best = slices.Insert(slices.Clone(order), i, last)
				s.orders.save(s.child)
				s.g.load(s.child)
				length := s.g.longest()
				if least = min(least, length); i == place && length != value {
					t.Fatalf("%v: an order that is said to come to %d comes to %d", o, value, length)
				}
			}
			if least != value {
				t.Fatalf("%v: the best place comes to %d, not to %d", o, least, value)
			}
		}
	})
	if flows == 0 {
		t.Fatal("no flow shop was drawn")
	}
}

// TestOnlyFlowShopsHaveOrders has jobs that come to machines in different orders, or have a choice, be none.
func TestOnlyFlowShopsHaveOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for js := flowOf(rng.IntN); ; js = flowOf(rng.IntN) {
		if New(js, model.Makespan, 1).orders == nil || len(js.Jobs[0].Stages) < 2 {
			continue
		}
		other := *js
		other.Jobs = slices.Clone(js.Jobs)
		stages := slices.Clone(js.Jobs[0].Stages)
		slices.Reverse(stages)
		for k := range stages {
			stages[k].After = nil
		}
		other.Jobs = append(other.Jobs, model.Job{Name: "back", Kind: model.BestEffort, Stages: stages})
		if err := other.Assemble(); err != nil {
			t.Fatal(err)
		}
		if New(&other, model.Makespan, 1).orders != nil {
			t.Error("a job that goes the other way makes a flow shop")
		}
		return
	}
}

// TestLargeShops: of large sets those are treated whose tasks have no choice of machines, for the greatest finish or lateness.
func TestLargeShops(t *testing.T) {
	const jobs = maxFree/4 + 1
	set := func(turned, choice bool) *model.JobSet {
		js := &model.JobSet{Heartbeat: 1}
		for i := range 4 {
			js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('a' + i)), Cores: 1, Slots: 1})
		}
		for j := range jobs {
			job := model.Job{Name: "j" + strconv.Itoa(j), Kind: model.Soft, Deadline: 100, Weight: 1}
			for k := range 4 {
				at := k
				if turned && j%2 == 1 {
					at = 3 - k
				}
				wcet := make([]model.Time, 4)
				wcet[at] = 1 + model.Time(j+k)%9
				if choice && j == jobs-1 {
					wcet[3-at] = wcet[at]
				}
				job.Stages = append(job.Stages, model.Stage{
					Name: strconv.Itoa(k), Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(make([]model.Time, 4)))}},
				})
			}
			js.Jobs = append(js.Jobs, job)
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		return js
	}
	flow, other, choice := set(false, false), set(true, false), set(false, true)
	for _, c := range []struct {
		js   *model.JobSet
		o    model.Objective
		want bool
	}{{flow, model.Makespan, true}, {flow, model.Tardiness, true}, {flow, model.WeightedTardiness, false}, {other, model.Makespan, true}, {choice, model.Makespan, false}} {
		if got := Treats(c.js, c.o); got != c.want {
			t.Errorf("%v: %v, not %v", c.o, got, c.want)
		}
	}
}
