package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/model/verify"
)

// TestSearchIsValidAndHonest checks every schedule that a search reports: valid,
// with the values claimed, each better than the one before, the last returned.
func TestSearchIsValidAndHonest(t *testing.T) {
	for seed := range uint64(80) {
		js := randomSet(t, rand.New(rand.NewPCG(seed, 5)))
		for _, goal := range goals {
			var last []int64
			var lastSchedule model.Schedule
			s, values := Search(context.Background(), js, SearchOptions{
				Objectives: goal, Seed: seed, Constructions: 150,
				OnBetter: func(s model.Schedule, values []int64) {
					if !s.Complete() {
						t.Fatalf("seed %d, goal %v: tasks are missing", seed, goal)
					}
					if err := verify.Schedule(js, s, true).Err(); err != nil {
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
		js := randomSet(t, rand.New(rand.NewPCG(seed, 6)))
		goal := goals[seed%uint64(len(goals))]
		opt := SearchOptions{Objectives: goal, Seed: seed, Constructions: 500}
		a, va := Search(context.Background(), js, opt)
		b, vb := Search(context.Background(), js, opt)
		if !slices.Equal(a, b) || !slices.Equal(va, vb) {
			t.Fatalf("seed %d: two runs differ: %v and %v", seed, va, vb)
		}
	}
}

// TestNeighbourhoodUndoesExactly compares the board after a refused step with
// the board before.
func TestNeighbourhoodUndoesExactly(t *testing.T) {
	for seed := range uint64(60) {
		js := randomSet(t, rand.New(rand.NewPCG(seed, 7)))
		goal := goals[seed%uint64(len(goals))]
		s := newSearcher(context.Background(), js, SearchOptions{Objectives: goal, Seed: seed})
		s.rules()
		n := newNeighbourhood(s)
		n.begin(0)
		for step := range 100 {
			want, place, finish, out := snapshot(n.b), slices.Clone(n.b.place), slices.Clone(n.b.finish), slices.Clone(n.out)
			n.destroy()
			n.repair()
			if step%4 == 0 {
				n.commit()
				n.now = n.cost()
				continue
			}
			n.rollback()
			if !slices.EqualFunc(want, snapshot(n.b), func(a, b steps) bool { return slices.Equal(a, b) }) {
				t.Fatalf("seed %d, step %d: timelines differ", seed, step)
			}
			for id := range place {
				if place[id] != n.b.place[id] && (place[id].Slave != model.NoSlave || n.b.place[id].Slave != model.NoSlave) {
					t.Fatalf("seed %d, step %d: task %d moved", seed, step, id)
				}
			}
			if !slices.Equal(finish, n.b.finish) || !slices.Equal(out, n.out) {
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
	s := newSearcher(context.Background(), js, SearchOptions{Objectives: []model.Objective{model.Makespan}, Seed: 1})
	s.rules()
	n := newNeighbourhood(s)
	n.begin(0)
	fresh := newBoard(s.fig, nil)
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
		fresh.load(n.b.place)
		if !slices.EqualFunc(snapshot(fresh), snapshot(n.b), func(a, b steps) bool { return slices.Equal(a, b) }) {
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
