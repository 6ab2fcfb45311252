package strategy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// dueTogether draws five or six hard jobs of a task each that are released and due together, on two or three slaves that are alike or not,
// with a job beside that has no deadline, and heartbeats, now and then.
func dueTogether(t *testing.T, seed uint64, alike bool) *model.JobSet {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	slaves := 2 + r.IntN(2)
	js := &model.JobSet{Heartbeat: model.Time(1 + r.IntN(4)/3)}
	for s := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", s), Cores: 1, Slots: 1 + r.IntN(2)})
	}
	work := model.Time(0)
	job := func(name string) model.Job {
		row := make([]model.Time, slaves)
		for s := range row {
			if row[s] = model.Time(2 + r.IntN(9)); alike {
				row[s] = row[0]
			}
		}
		work += row[0]
		profile := model.NewProfile(model.DenseRow(row), model.ConstRow(slaves, 0))
		return model.Job{Name: name, Kind: model.BestEffort, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}}
	}
	for i := range 5 + r.IntN(2) {
		js.Jobs = append(js.Jobs, job(fmt.Sprint("j", i)))
	}
	due := work/model.Time(slaves) + model.Time(r.IntN(4))
	if !alike {
		due = due * model.Time(5+r.IntN(5)) / 10
	}
	for i := range js.Jobs {
		js.Jobs[i].Kind, js.Jobs[i].Deadline = model.Hard, due
	}
	if r.IntN(2) == 0 {
		js.Jobs = append(js.Jobs, job("beside"))
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// dueInGroups draws such jobs on slaves that are alike, of which some have less time, at the end or at the beginning.
func dueInGroups(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	js := dueTogether(t, seed, true)
	r := rand.New(rand.NewPCG(seed, 9))
	released, due := r.IntN(2) == 0, js.Jobs[0].Deadline
	for i := range js.Jobs {
		less := model.Time(r.IntN(2) * (1 + r.IntN(6)))
		if js.Jobs[i].Kind != model.Hard {
			continue
		}
		if js.Jobs[i].Deadline = max(1, due-less); released {
			js.Jobs[i].Release = less
		}
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// setUpTogether draws four or five hard jobs that one server sets up on two or three machines and that are due together, a little sooner than they may be done, or later, with a job
// beside that has no deadline, now and then.
func setUpTogether(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	js, _, err := gen.Family([]string{"setups-5x2", "setups-5x3", "setups-long-5x2", "setups-4x2"}[seed%4], seed)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 8))
	hard := js.Jobs[r.IntN(2):]
	work, slots := model.Time(0), model.Time(js.Slaves[0].Slots)
	for i := range hard {
		task := &js.Tasks[hard[i].First]
		work += task.WCET(0) + task.Transfer(0)
	}
	due := work/slots + model.Time(r.IntN(25))
	for i := range hard {
		hard[i].Kind, hard[i].Deadline = model.Hard, due
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// heldToLater holds an argument against the same jobs with ten times as much time, which refuses it.
func heldToLater(t *testing.T, js *model.JobSet, by *incumbent.NoPlan) {
	t.Helper()
	later := &model.JobSet{Heartbeat: js.Heartbeat, Slaves: js.Slaves, Jobs: slices.Clone(js.Jobs)}
	for i := range later.Jobs {
		later.Jobs[i].Deadline *= 10
	}
	if err := later.Assemble(); err != nil {
		t.Fatal(err)
	}
	if by.Refutation != nil && inference.CheckInfeasible(t.Context(), later, by.Refutation) == nil {
		t.Error("ten times as much time is refuted as well")
	}
	if by.Packing != nil && inference.Packing(later, query.HardDues(later), by.Packing) == nil {
		t.Error("ten times as much time is refuted as well")
	}
}

// Whether hard jobs that are due together, or in groups on slaves that are alike, fit is settled by packing, by the assignment, or by who knows of set-up servers, as exhaustive search has it.
func TestHardJobsDueTogether(t *testing.T) {
	for _, by := range []struct {
		*portfolio.Strategy
		draw func(seed uint64) *model.JobSet
	}{
		{strategy.Packing, func(seed uint64) *model.JobSet { return dueTogether(t, seed, true) }},
		{strategy.Assignment, func(seed uint64) *model.JobSet { return dueTogether(t, seed, false) }},
		{strategy.Assignment, func(seed uint64) *model.JobSet { return dueInGroups(t, seed) }},
		{strategy.SetupServer, func(seed uint64) *model.JobSet { return setUpTogether(t, seed) }},
	} {
		settled, refuted, sets := 0, 0, testkit.Dear[uint64](60, 2000)
		for seed := range sets {
			js := by.draw(seed)
			w := &portfolio.Work{Incumbent: incumbent.New(js, nil, nil, nil, time.Now()), P: incumbent.AnyPlan, Seed: 1}
			if !by.AppliesTo(w) {
				continue
			}
			by.Begin(w, 1).Run(context.Background(), portfolio.Slice{Units: 8})
			want, err := oracle.SolveFor(js, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			feasible := want.Status != model.Infeasible
			if w.Err() != nil || w.Best() != nil && !feasible || w.Refuted() != nil && feasible {
				t.Fatalf("%s, seed %d: %v; a plan: %v, refuted: %v; by exhaustive search there is one: %v", by.Name, seed, w.Err(), w.Best() != nil, w.Refuted() != nil, feasible)
			}
			if w.Over(w.P) {
				settled++
			}
			if w.Refuted() != nil {
				refuted++
				heldToLater(t, js, w.Refuted())
			}
		}
		t.Logf("%s: %d of %d settled, %d of them refuted", by.Name, settled, sets, refuted)
		if settled < int(sets)/2 || refuted == 0 || refuted == settled {
			t.Errorf("%s: %d of %d settled, %d of them refuted", by.Name, settled, sets, refuted)
		}
	}
}
