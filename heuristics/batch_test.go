package heuristics

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
)

// randomKin is a set whose tasks differ from others on a few slaves: some have
// their input there, some are barred from there, some may run nowhere else.
func randomKin(t testing.TB, rng *rand.Rand) *model.JobSet {
	js := &model.JobSet{Heartbeat: 1 + model.Time(rng.IntN(4)), FIFO: rng.IntN(4) == 0}
	if rng.IntN(4) == 0 {
		js.Fetch = model.FetchConcurrent
	}
	slaves := 2 + rng.IntN(8)
	for i := range slaves {
		js.Slaves = append(js.Slaves, randomSlave(rng, i, js.Heartbeat))
		js.Slaves[i].MapSlots = max(1, js.Slaves[i].MapSlots)
		js.Slaves[i].ReduceSlots = max(1, js.Slaves[i].ReduceSlots)
	}
	row := func(low, high int) model.Row {
		values := make([]model.Time, slaves)
		for s := range values {
			values[s] = model.Time(low + rng.IntN(high-low))
		}
		return model.DenseRow(values)
	}
	runs := []model.Row{row(1, 9), row(1, 9), model.ConstRow(slaves, 4), model.ConstRow(slaves, 0)}
	fetches := []model.Row{row(0, 4), model.ConstRow(slaves, 2)}
	some := func() []model.SlaveID {
		at := make([]model.SlaveID, 1+rng.IntN(3))
		for k := range at {
			at[k] = model.SlaveID(rng.IntN(slaves))
		}
		return at
	}
	for i := range 1 + rng.IntN(6) {
		j := model.Job{
			Name: fmt.Sprint("j", i), Release: model.Time(rng.IntN(30)), Kind: model.Soft,
			Deadline: model.Time(5 + rng.IntN(60)),
		}
		for si := range 1 + rng.IntN(2) {
			st := model.Stage{Name: fmt.Sprint(si), Slot: model.SlotKind(rng.IntN(2))}
			run, fetch := rng.IntN(len(runs)), rng.IntN(len(fetches))
			for range 1 + rng.IntN(6) {
				wcet, transfer := runs[run], fetches[fetch]
				if run == len(runs)-1 || rng.IntN(4) == 0 {
					wcet = wcet.With(some(), model.Time(1+rng.IntN(6)))
				} else if rng.IntN(4) == 0 {
					wcet = wcet.With([]model.SlaveID{0}, 0)
				}
				if rng.IntN(2) == 0 {
					transfer = transfer.With(some(), model.Time(rng.IntN(2)))
				}
				st.Groups = append(st.Groups, model.Group{Count: 1 + rng.IntN(4), Profile: model.NewProfile(wcet, transfer)})
			}
			j.Stages = append(j.Stages, st)
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// TestBatchesAreInsertions: tasks placed together go where they would go one by
// one.
func TestBatchesAreInsertions(t *testing.T) {
	batches := 0
	for seed := range testkit.Sets[uint64](400, 10_000) {
		rng := rand.New(rand.NewPCG(seed, 10))
		js := randomKin(t, rng)
		if seed%4 == 0 {
			js = randomSet(t, rng)
		}
		f := NewFigures(js)
		order := Rules()[rng.IntN(len(Rules()))].Order(f)
		one, all := NewBoard(f, seed), NewBoard(f, seed)
		for _, ref := range order {
			stage := f.Base[ref.Job] + ref.Stage
			for _, task := range f.Stages[stage].Tasks {
				one.Insert(task, one.Ready(stage), model.Never)
			}
		}
		all.Construct(t.Context(), order, Deferral{})
		batches += len(all.batch.offers.finish)
		if !slices.Equal(one.Place, all.Place) || !slices.Equal(one.Finish, all.Finish) || one.Placed != all.Placed {
			t.Fatalf("seed %d: together\n%v, one by one\n%v", seed, all.Place, one.Place)
		}
		if err := check.Schedule(js, all.Place, true).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if batches == 0 {
		t.Fatal("nothing was placed together")
	}
}

// TestChosenTasksAreValid: whichever of the tasks of a batch are placed first, the plan is
// valid, and has all of them.
func TestChosenTasksAreValid(t *testing.T) {
	for seed := range testkit.Sets[uint64](300, 10_000) {
		rng := rand.New(rand.NewPCG(seed, 14))
		js := randomKin(t, rng)
		f := NewFigures(js)
		b := NewBoard(f, seed)
		b.batch.ahead = 2 + rng.IntN(6)
		b.Construct(t.Context(), Rules()[rng.IntN(len(Rules()))].Order(f), Deferral{})
		if err := check.Schedule(js, b.Place, true).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestTasksGoWhereTheirInputIs: two slaves, and tasks that come in any order, half of them
// with their input on each. One by one every other task would have to fetch its own.
func TestTasksGoWhereTheirInputIs(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 2}, {Name: "b", Cores: 1, Slots: 2}}}
	st := model.Stage{Name: "map"}
	run, fetch := model.ConstRow(2, 20), model.ConstRow(2, 10)
	for k := range leastAhead {
		transfer := fetch.With([]model.SlaveID{model.SlaveID(k / 2 % 2)}, 1)
		st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewProfile(run, transfer)})
	}
	js.Jobs = []model.Job{{Name: "j", Kind: model.BestEffort, Stages: []model.Stage{st}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	remote := func(ahead int) (n int) {
		b := NewBoard(NewFigures(js), 1)
		if ahead > 0 {
			b.batch.ahead = ahead
		}
		b.InsertJob(0)
		for task, p := range b.Place {
			if js.Tasks[task].Transfer(p.Slave) > 1 {
				n++
			}
		}
		return n
	}
	if n := remote(0); n > 0 {
		t.Errorf("%d tasks fetch what the other slave has", n)
	}
	if n := remote(1); n == 0 {
		t.Error("one by one all tasks find their input, too")
	}
}

// TestOptionsOfKin: the slaves of a profile are the same, and in the same order,
// whether or not they are found by way of its kin.
func TestOptionsOfKin(t *testing.T) {
	for seed := range uint64(300) {
		js := randomKin(t, rand.New(rand.NewPCG(seed, 11)))
		f := NewFigures(js)
		for id := range js.Tasks {
			l := lister{slaves: len(js.Slaves)}
			want, _ := l.list(js.Tasks[id].Profile, l.slaves)
			if o := f.options(model.TaskID(id)); !slices.Equal(o.list, want) || o.more {
				t.Fatalf("seed %d: task %d has %v, want %v", seed, id, o, want)
			}
		}
	}
}

// TestBelievedAnswers: where slaves are believed to offer what they did before, plans
// are valid and repeat.
func TestBelievedAnswers(t *testing.T) {
	differ := 0
	for seed := range testkit.Sets[uint64](200, 5000) {
		rng := rand.New(rand.NewPCG(seed, 12))
		js := randomKin(t, rng)
		f := NewFigures(js)
		order := Rules()[rng.IntN(len(Rules()))].Order(f)
		var plans [2]model.Schedule
		for k := range plans {
			b := NewBoard(f, seed)
			b.batch.last = make([]answer, len(js.Slaves))
			b.Construct(t.Context(), order, Deferral{Late: seed%2 == 0})
			plans[k] = b.Place
		}
		if err := check.Schedule(js, plans[0], true).Err(); err != nil || !plans[0].Complete() {
			t.Fatalf("seed %d: complete %t, %v", seed, plans[0].Complete(), err)
		}
		if !slices.Equal(plans[0], plans[1]) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
		exact := NewBoard(f, seed)
		exact.Construct(t.Context(), order, Deferral{Late: seed%2 == 0})
		if !slices.Equal(exact.Place, plans[0]) {
			differ++
		}
	}
	if differ == 0 {
		t.Fatal("no answer was ever believed")
	}
}
