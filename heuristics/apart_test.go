package heuristics

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// TestApartAgreesWithExhaustiveSearch: where a task that is apart may go is where trying all
// slaves for all others of its stage finds one each.
func TestApartAgreesWithExhaustiveSearch(t *testing.T) {
	yes, no := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 400, 600)) {
		rng := rand.New(rand.NewPCG(seed, 0))
		js := mixedApart(t, rng)
		b := NewBoard(NewFigures(js), seed)
		b.Load(context.Background(), model.NewSchedule(len(js.Tasks)))
		for task := range js.Tasks {
			a := b.apartOf(model.TaskID(task))
			at := model.NoSlave
			for _, s := range rng.Perm(len(js.Slaves)) {
				s := model.SlaveID(s)
				want := js.Tasks[task].Eligible(s) && apartFits(b, model.TaskID(task), s)
				if got := js.Tasks[task].Eligible(s) && a.allows(s); got != want {
					t.Fatalf("seed %d: task %d on slave %d: %t, exhaustive search has %t", seed, task, s, got, want)
				}
				if want {
					at, yes = s, yes+1
				} else {
					no++
				}
			}
			if at == model.NoSlave {
				break
			}
			b.Place[task].Slave = at
		}
	}
	if yes == 0 || no == 0 {
		t.Errorf("%d places allowed, %d not", yes, no)
	}
}

// TestApartLeavesWhatStays: where a slave goes for good, the task that may be on any leaves the last one that stays to the
// task that needs it.
func TestApartLeavesWhatStays(t *testing.T) {
	js, err := jobfile.Load("gone", []byte(`version: 1
cluster:
  heartbeat: 1
  slaves: [{name: a, down: [[1, never]]}, {name: b}, {name: c}]
jobs:
  - name: j
    deadline: 9
    map: {tasks: 1, wcet: 2}
    reduce: {apart: true, tasks: [{wcet: 4}, {wcet: {a: 2, b: 2}}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan := Complete(js, model.NewSchedule(len(js.Tasks)))
	if stranded := js.Stranded(js.Finishes(plan)); stranded > 0 || plan[2].Slave != 1 {
		t.Errorf("%d jobs have no place in %v", stranded, plan)
	}
}

// mixedApart is a stage that is apart, whose tasks may each run on some of the slaves.
func mixedApart(t *testing.T, rng *rand.Rand) *model.JobSet {
	t.Helper()
	slaves := 3 + rng.IntN(4)
	js := &model.JobSet{Heartbeat: 1}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('a' + i)), Cores: 1, Slots: 1})
	}
	for {
		st := model.Stage{Name: "map", Apart: true}
		for range slaves - rng.IntN(2) {
			row := make([]model.Time, slaves)
			for s := range row {
				row[s] = model.Time(rng.IntN(2))
			}
			row[rng.IntN(slaves)] = 1
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewProfile(model.DenseRow(row), model.ConstRow(slaves, 0))})
		}
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{st}}}
		if js.Assemble() == nil {
			return js
		}
	}
}

// apartFits tries all slaves for all tasks that are not placed, task on s.
func apartFits(b *Board, task model.TaskID, s model.SlaveID) bool {
	used, rest := map[model.SlaveID]bool{s: true}, []model.TaskID{}
	for other := range b.Place {
		switch on := b.Place[other].Slave; {
		case on == s:
			return false
		case on != model.NoSlave:
			used[on] = true
		case model.TaskID(other) != task:
			rest = append(rest, model.TaskID(other))
		}
	}
	var fits func(rest []model.TaskID) bool
	fits = func(rest []model.TaskID) bool {
		if len(rest) == 0 {
			return true
		}
		for s := range model.SlaveID(len(b.js.Slaves)) {
			if used[s] || !b.js.Tasks[rest[0]].Eligible(s) {
				continue
			}
			used[s] = true
			ok := fits(rest[1:])
			if delete(used, s); ok {
				return true
			}
		}
		return false
	}
	return fits(rest)
}
