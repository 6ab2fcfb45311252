package lns

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

var goals = [][]model.Objective{
	nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan},
	{model.Misses, model.Tardiness}, {model.Tardiness, model.Makespan}, {model.Misses, model.WeightedTardiness, model.Makespan},
}

// contended is a set with every feature of the model, jobs of each kind, and
// deadlines that not all of them can meet; containers, stage graphs and jobs after jobs
// in one of four, pools, caps, gangs and
// tasks that are apart in one of three.
func contended(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	if seed%4 == 3 {
		k = gen.TodayKnobs()
	}
	k.Tasks = gen.Range{Lo: 6, Hi: 16}
	k.FirstStage = gen.Range{Lo: 1, Hi: 4}
	k.Hard, k.BestEffort = 0.3, 0.3
	k.Witness, k.Tightness = 0, gen.Range{Lo: 100, Hi: 250}
	js, _ := gen.Random(k, seed)
	if seed%3 == 2 {
		js = gen.Coupled(js, seed, false)
	}
	return js
}

// TestSearchIsValidAndHonest checks every schedule that a search reports: valid,
// with the values claimed, each better than the one before, the last returned.
func TestSearchIsValidAndHonest(t *testing.T) {
	for seed := range uint64(80) {
		js := contended(seed)
		for _, goal := range goals {
			var last []int64
			var lastSchedule model.Schedule
			s, values := Search(context.Background(), js, Options{
				Objectives: goal, Seed: seed, Constructions: 150,
				OnBetter: func(s model.Schedule, values []int64) {
					if !s.Complete() {
						t.Fatalf("seed %d, goal %v: tasks are missing", seed, goal)
					}
					if err := check.Schedule(js, s, true).Err(); err != nil {
						t.Fatalf("seed %d, goal %v: %v", seed, goal, err)
					}
					if want := valuesOf(js, s, goal); !slices.Equal(values, want) {
						t.Fatalf("seed %d, goal %v: claims %v, has %v", seed, goal, values, want)
					}
					if last != nil && slices.Compare(values, last) >= 0 {
						t.Fatalf("seed %d, goal %v: %v is no better than %v", seed, goal, values, last)
					}
					last, lastSchedule = values, s
				},
			})
			if !slices.Equal(values, last) || !slices.Equal(s, lastSchedule) {
				t.Fatalf("seed %d, goal %v: returns %v, reported %v", seed, goal, values, last)
			}
		}
	}
}

func valuesOf(js *model.JobSet, s model.Schedule, goal []model.Objective) []int64 {
	finishes := js.Finishes(s)
	values := []int64{js.Value(model.HardMisses, finishes)}
	for _, o := range goal {
		values = append(values, js.Value(o, finishes))
	}
	return values
}

func TestSearchRepeatsItself(t *testing.T) {
	for seed := range uint64(10) {
		js := contended(seed)
		goal := goals[seed%uint64(len(goals))]
		opt := Options{Objectives: goal, Seed: seed, Constructions: 500}
		a, va := Search(context.Background(), js, opt)
		b, vb := Search(context.Background(), js, opt)
		if !slices.Equal(a, b) || !slices.Equal(va, vb) {
			t.Fatalf("seed %d: two runs differ: %v and %v", seed, va, vb)
		}
	}
}

// TestSearchFromAPlan: a search that begins with a plan ends with none worse, and
// its
// work is close to what it was given at most.
func TestSearchFromAPlan(t *testing.T) {
	for seed := range uint64(40) {
		js := contended(seed)
		goal := goals[seed%uint64(len(goals))]
		start := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		spent := 0
		_, values := Search(context.Background(), js, Options{
			Objectives: goal, Seed: seed, Constructions: 20, Start: start, Spent: &spent,
		})
		if before := valuesOf(js, start, goal); slices.Compare(values, before) > 0 {
			t.Fatalf("seed %d: %v after a start at %v", seed, values, before)
		}
		if spent < 0 || spent > 20+3 {
			t.Fatalf("seed %d: %d constructions spent, 20 given", seed, spent)
		}
	}
}

// TestNeighbourhoodUndoesExactly compares the board after a refused step with
// the board before.
func TestNeighbourhoodUndoesExactly(t *testing.T) {
	for seed := range uint64(60) {
		js := contended(seed)
		goal := goals[seed%uint64(len(goals))]
		s := newSearch(context.Background(), js, Options{Objectives: goal, Seed: seed})
		s.rules()
		n := newNeighbourhood(s)
		n.begin(0)
		for step := range 100 {
			want, place, finish, out := fmt.Sprint(n.board.Lines), slices.Clone(n.board.Place), slices.Clone(n.board.Finish), slices.Clone(n.out)
			n.destroy()
			n.repair()
			if step%4 == 0 {
				n.commit()
				n.now = n.cost()
				continue
			}
			n.rollback()
			if fmt.Sprint(n.board.Lines) != want {
				t.Fatalf("seed %d, step %d: timelines differ", seed, step)
			}
			for id := range place {
				if place[id] != n.board.Place[id] && (place[id].Slave != model.NoSlave || n.board.Place[id].Slave != model.NoSlave) {
					t.Fatalf("seed %d, step %d: task %d moved", seed, step, id)
				}
			}
			if !slices.Equal(finish, n.board.Finish) || !slices.Equal(out, n.out) {
				t.Fatalf("seed %d, step %d: finishes or jobs outside differ", seed, step)
			}
			if n.cost() != n.now {
				t.Fatalf("seed %d, step %d: the cost differs", seed, step)
			}
		}
	}
}

// TestBoardIsWhatItsPlacementsMake takes many accepted steps on a job shop, whose
// long jobs are cut off in several places at once, and compares the timelines
// with those of a board that is given the same placements afresh.
func TestBoardIsWhatItsPlacementsMake(t *testing.T) {
	js := jobShop(t, 8, 6)
	s := newSearch(context.Background(), js, Options{Objectives: []model.Objective{model.Makespan}, Seed: 1})
	s.rules()
	n := newNeighbourhood(s)
	n.begin(0)
	fresh := heuristics.NewBoard(s.fig, 0)
	cutTwice := 0
	for step := range 20000 {
		n.destroy()
		n.repair()
		for i, job := range n.cuts {
			if slices.Contains(n.cuts[:i], job) {
				cutTwice++
			}
		}
		n.commit()
		if step%50 != 0 && cutTwice == 0 {
			continue
		}
		fresh.Load(context.Background(), n.board.Place)
		if !reflect.DeepEqual(fresh.Lines, n.board.Lines) {
			t.Fatalf("step %d: the timelines hold more or less than the placements", step)
		}
	}
	if cutTwice == 0 {
		t.Fatal("no job was cut twice in a step: the test has lost its point")
	}
}

// jobShop has one slave per machine with one core, and jobs that visit the
// machines one after the other in random order.
func jobShop(t *testing.T, jobs, machines int) *model.JobSet {
	rng := rand.New(rand.NewPCG(1, 9))
	js := &model.JobSet{Heartbeat: 1}
	for m := range machines {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("m", m), Cores: 1, Slots: jobs * machines})
	}
	for i := range jobs {
		job := model.Job{Name: fmt.Sprint("j", i)}
		for _, m := range rng.Perm(machines) {
			wcet := make([]model.Time, machines)
			wcet[m] = model.Time(1 + rng.IntN(99))
			job.Stages = append(job.Stages, model.Stage{Name: fmt.Sprint("m", m), Groups: []model.Group{{
				Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.ConstRow(machines, 0))}}})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestFirstConstruction: with no time left small sets get a plan, large ones none.
func TestFirstConstruction(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tasks := range []int{small, small + 1} {
		js := &model.JobSet{
			Heartbeat: 3,
			Slaves:    []model.Slave{{Name: "s", Cores: 4, Slots: 4}},
			Jobs: []model.Job{{Name: "j", Kind: model.Hard, Deadline: 50, Weight: 1, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{
				Count: tasks, Profile: model.NewProfile(model.ConstRow(1, 2), model.ConstRow(1, 1))}}}}}},
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		opt := Options{Objectives: goals[0], Seed: 1}
		plan, values := Search(ctx, js, opt)
		if whole := tasks <= small; whole != (plan != nil) || whole != (values != nil) || whole && !plan.Complete() {
			t.Errorf("%d tasks: a plan of %d tasks with values %v", tasks, len(plan), values)
		}
		aim := Aim{Key: []float64{0}, By: []model.Time{50}, Last: []bool{false}}
		if spin := NewSqueakyWheel(context.Background(), js, opt).Run(ctx, aim, 3); (tasks <= small) != (spin.Values != nil) {
			t.Errorf("%d tasks: a turn has values %v", tasks, spin.Values)
		}
	}
}
