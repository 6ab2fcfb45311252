package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
)

// withAlike draws a set on two classes of slaves, of which tasks cannot always tell the members apart.
func withAlike(draw func(n int) int) *model.JobSet {
	js := &model.JobSet{Name: "alike", Heartbeat: model.Time(1 + draw(6)/4), Objectives: []model.Objective{model.WeightedTardiness, model.Makespan}}
	if draw(3) == 0 {
		js.Fetch = model.FetchConcurrent
	}
	js.FIFO = draw(20) == 0
	if draw(4) == 0 {
		js.Named = []string{"r"}
	}
	if draw(4) == 0 {
		js.Pools = []model.Pool{{Name: "db", Levels: []model.Level{{Amount: int64(1 + draw(2))}}}}
	}
	drawSlaves(js, draw)
	for left := 3 + draw(4); left > 0; {
		job := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Release: model.Time(draw(3)), Kind: model.BestEffort}
		if draw(3) > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+draw(8)), int64(1+draw(2))
		}
		for k := range min(left, 1+draw(3)) {
			count := min(left, 1+draw(10)/8)
			left -= count
			stage := model.Stage{Name: fmt.Sprint("s", k), Groups: []model.Group{{Count: count, Profile: drawProfile(js, draw)}}}
			stage.Gang, stage.Apart = draw(9) == 0, draw(12) == 0
			job.Stages = append(job.Stages, stage)
			if left == 0 {
				break
			}
		}
		js.Jobs = append(js.Jobs, job)
	}
	if js.Assemble() != nil {
		return nil
	}
	return js
}

func drawSlaves(js *model.JobSet, draw func(n int) int) {
	for class := range 1 + draw(2) {
		s := model.Slave{Class: string(rune('a' + class)), Cores: 1 + draw(5)/4, Slots: 1 + draw(3), FirstBeat: model.Time(draw(6) / 5)}
		if draw(3) == 0 {
			s.Slots = 8
		}
		if draw(8) == 0 {
			s.SplitSlots, s.MapSlots, s.ReduceSlots = true, 1, 1
		}
		if len(js.Named) > 0 {
			s.Units = []int64{int64(draw(3))}
		}
		if draw(5) == 0 {
			s.Down = []model.Interval{{Start: 3, End: model.Time(4 + draw(3))}}
		}
		for n := range 1 + draw(3) {
			s.Name = fmt.Sprint(s.Class, n)
			if draw(12) == 0 {
				s.Slots++
			}
			js.Slaves = append(js.Slaves, s)
		}
	}
}

func drawProfile(js *model.JobSet, draw func(n int) int) *model.Profile {
	wcet, transfer := make([]model.Time, len(js.Slaves)), make([]model.Time, len(js.Slaves))
	for s := range wcet {
		if s > 0 && js.Slaves[s].Class == js.Slaves[s-1].Class && draw(12) > 0 {
			wcet[s], transfer[s] = wcet[s-1], transfer[s-1]
			continue
		}
		wcet[s] = model.Time(1 + draw(4))
		if draw(4) == 0 {
			transfer[s] = model.Time(draw(3))
		}
		if s > 0 && draw(4) == 0 {
			wcet[s] = 0
		}
	}
	needs := model.Needs{Cores: int64(1 + draw(8)/7)}
	if len(js.Named) > 0 && draw(4) == 0 {
		needs.Units[0] = 1
	}
	if len(js.Pools) > 0 && draw(2) == 0 {
		needs.TakePool(0, 1)
	}
	return model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer)).Needing(needs)
}

// TestOneOfAlikeLosesNothing holds sets in which one slave stands for those that are alike against the sets themselves: their optima are
// the same, and a plan of the one is a valid plan of the other, as good, be it that tasks wait once they are handed out. One that has been
// gathered goes back to where it was.
func TestOneOfAlikeLosesNothing(t *testing.T) {
	taken := 0
	for seed := range testkit.Tiny(t, 400, 20_000) {
		js := withAlike(rand.New(rand.NewPCG(seed, 7)).IntN)
		if js == nil {
			continue
		}
		alike := model.OneOfAlike(js)
		if alike == nil {
			continue
		}
		want, err := oracle.Solve(js)
		if err != nil {
			continue // too large to be searched through
		}
		got, err := oracle.Solve(alike.JobSet)
		if err != nil {
			continue
		}
		taken++
		if !slices.Equal(got.Values, want.Values) {
			t.Fatalf("seed %d: %v with one slave for those alike, %v with all", seed, got.Values, want.Values)
		}
		plan := alike.Spread(got.Schedule, nil)
		if err := check.Schedule(js, plan, false).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if a, b := alike.Finishes(got.Schedule), js.Finishes(plan); !slices.Equal(a, b) {
			t.Fatalf("seed %d: jobs end at %v with one slave for those alike, at %v on all", seed, a, b)
		}
		gathered := alike.Gather(want.Schedule)
		if err := check.Schedule(alike.JobSet, gathered, false).Err(); err != nil {
			t.Fatalf("seed %d, taken together: %v", seed, err)
		}
		for id, p := range alike.Spread(gathered, want.Schedule) {
			if at := want.Schedule[id]; p.Slave != at.Slave || p.Start != at.Start {
				t.Fatalf("seed %d: task %d is at %v after it was at %v", seed, id, p, at)
			}
		}
	}
	if taken < 20 {
		t.Errorf("only %d sets had slaves that are alike", taken)
	}
	t.Logf("%d sets with slaves that are alike", taken)
}

// TestSlavesThatTasksTellApart: one of each reason for which slaves are not taken together.
func TestSlavesThatTasksTellApart(t *testing.T) {
	for name, change := range map[string]func(js *model.JobSet, s *model.Slave, needs *model.Needs, st *model.Stage, wcet, transfer []model.Time){
		"fifo": func(js *model.JobSet, _ *model.Slave, _ *model.Needs, _ *model.Stage, _, _ []model.Time) {
			js.FIFO = true
		},
		"cores": func(_ *model.JobSet, s *model.Slave, _ *model.Needs, _ *model.Stage, _, _ []model.Time) { s.Cores++ },
		"kinds": func(_ *model.JobSet, s *model.Slave, _ *model.Needs, _ *model.Stage, _, _ []model.Time) {
			s.SplitSlots, s.MapSlots = true, 4
		},
		"absences": func(_ *model.JobSet, s *model.Slave, _ *model.Needs, _ *model.Stage, _, _ []model.Time) {
			s.Down = []model.Interval{{Start: 5, End: 6}}
		},
		"others": func(_ *model.JobSet, s *model.Slave, _ *model.Needs, _ *model.Stage, _, _ []model.Time) {
			s.Reservations = []model.Reservation{{Interval: model.Interval{End: 3}, Units: 1}}
		},
		"needs": func(_ *model.JobSet, _ *model.Slave, n *model.Needs, _ *model.Stage, _, _ []model.Time) { n.Cores = 2 },
		"apart": func(_ *model.JobSet, _ *model.Slave, _ *model.Needs, st *model.Stage, _, _ []model.Time) {
			st.Apart = true
		},
		"lengths": func(_ *model.JobSet, _ *model.Slave, _ *model.Needs, _ *model.Stage, wcet, _ []model.Time) { wcet[1]++ },
		"fetches": func(_ *model.JobSet, _ *model.Slave, _ *model.Needs, _ *model.Stage, _, transfer []model.Time) {
			transfer[0], transfer[1] = 1, 1
		},
		"nothing": func(*model.JobSet, *model.Slave, *model.Needs, *model.Stage, []model.Time, []model.Time) {},
	} {
		js := &model.JobSet{Heartbeat: 1}
		for i := range 2 {
			js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Class: "s", Cores: 2, Slots: 4})
		}
		st, needs := model.Stage{Name: "map"}, model.Needs{}
		wcet, transfer := []model.Time{3, 3}, []model.Time{0, 0}
		change(js, &js.Slaves[1], &needs, &st, wcet, transfer)
		st.Groups = []model.Group{{Count: 2, Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer)).Needing(needs)}}
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{st}}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		alike := model.OneOfAlike(js)
		if (alike != nil) != (name == "nothing") {
			t.Errorf("%s: one slave stands for both is %t", name, alike != nil)
		}
		if alike != nil && (len(alike.Slaves) != 1 || alike.Slaves[0].Name != "all machines" || alike.Slaves[0].Cores != 4 || alike.Slaves[0].Slots != 8) {
			t.Errorf("%+v", alike.Slaves)
		}
	}
}

// Tasks that hold a slot and wait for their input do so beside those that hold one only as they run: two machines with two slots
// each run A to D by 6, one with four by 5.
func TestWaitingBesideRunning(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Fetch: model.FetchConcurrent, Objectives: []model.Objective{model.Makespan}}
	for i := range 2 {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Class: "s", Cores: 1, Slots: 2})
	}
	for i, of := range [][2]model.Time{{1, 3}, {1, 4}, {3, 0}, {5, 0}} { // run, fetch
		profile := model.NewProfile(model.ConstRow(2, of[0]), model.ConstRow(2, of[1]))
		js.Jobs = append(js.Jobs, model.Job{Name: string(rune('A' + i)), Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	if model.OneOfAlike(js) != nil {
		t.Error("one slave stands for two that tell apart which tasks wait for their input beside which run")
	}
}
