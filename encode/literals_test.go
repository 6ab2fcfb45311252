package encode

import (
	"fmt"
	"testing"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// TestOn: a job is in the formula if it was asked for and can make it.
func TestOn(t *testing.T) {
	js := assemble(t, &model.JobSet{
		Heartbeat: 1,
		Slaves:    []model.Slave{{Cores: 1, Slots: 2}},
		Jobs:      []model.Job{hardJob(9, stage(1, 1, 3, 2)), hardJob(4, stage(1, 1, 3, 2)), {Stages: []model.Stage{stage(1, 1, 1, 0)}}},
	})
	q := ask(js, "feasible", newRand(0))
	q.Role[1] = query.May // it cannot make it, 3 + 2 > 4, so it is left out
	e, err := Build(t.Context(), q, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if e.On(0) != cnf.True || e.On(1) != cnf.False || e.On(2) != cnf.False {
		t.Errorf("jobs in the formula: %v", e.on)
	}
}

// TestStartsAndChoices: what a search that decides task by task sees.
func TestStartsAndChoices(t *testing.T) {
	p := model.NewProfile(model.DenseRow([]model.Time{5, 3, 4, 9, 2}), model.DenseRow([]model.Time{2, 4, 2, 0, 0}))
	js := &model.JobSet{Heartbeat: 1}
	for range 5 {
		js.Slaves = append(js.Slaves, model.Slave{Cores: 1, Slots: 1})
	}
	js.Slaves[4].FirstBeat = 7 // too late to be any use
	js.Jobs = []model.Job{hardJob(8, model.Stage{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}})}
	e, err := Build(t.Context(), ask(assemble(t, js), "feasible", newRand(0)), 1000)
	if err != nil {
		t.Fatal(err)
	}
	// Slave 4 needs 9 ticks. The others take 7, 7 and 6: quickest first, else in
	// the order of slaves.
	want := []Choice{
		{e.slaveLit(0, 2), 6}, {e.slaveLit(0, 0), 7}, {e.slaveLit(0, 1), 7},
	}
	got := e.Choices(0)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("choices %v, want %v", got, want)
	}
	// First after the shorter transfers, last for the shortest run.
	first, last := e.Starts(0)
	if first != 2 || last != 5 {
		t.Errorf("starts from %d to %d, want 2 to 5", first, last)
	}
	if e.StartBy(0, 1) != cnf.False || e.StartBy(0, 5) != cnf.True || e.slaveLit(0, 3) != cnf.False || e.slaveLit(0, 4) != cnf.False {
		t.Error("literals outside the window are not constant")
	}
	s := solver{f: e.Formula}
	for at := first - 1; at <= last; at++ {
		if got := s.ask(t, e.StartBy(0, at)); got != (at >= first) {
			t.Errorf("a start by %d: %v", at, got)
		}
		if got := s.ask(t, e.StartBy(0, at).Not()); got != (at < last) {
			t.Errorf("a start after %d: %v", at, got)
		}
	}
}
