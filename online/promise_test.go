package online_test

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/online"
)

// whim gives whatever comes to its mind to whoever asks, and often nothing. It
// keeps the promise that came with each assignment, and the estimate before it.
type whim struct {
	t        *testing.T
	rng      *rand.Rand
	promised map[model.TaskID]model.Time
}

func (w *whim) Name() string        { return "whim" }
func (w *whim) Asks() online.Asking { return online.EveryBeat }

func (w *whim) Heartbeat(v *online.View, o *online.Offer) {
	for w.rng.IntN(3) > 0 {
		var fit []*online.Group
		for _, j := range v.Ready() {
			for _, b := range j.Groups() {
				if o.Fits(b) {
					fit = append(fit, b)
				}
			}
		}
		if len(fit) == 0 {
			return
		}
		b := fit[w.rng.IntN(len(fit))]
		promise := o.Finish(b)
		if given, finish := v.Estimate(o.Slave(), b); given != v.Now() || finish != promise {
			w.t.Errorf("at %d: estimated to be given at %d and finish at %d, promised %d", v.Now(), given, finish, promise)
		}
		w.promised[o.Give(b)] = promise
	}
}

// What a slave says at an assignment about the finish is kept whatever it is
// given later, at whatever times: never later, and exact if nothing is shorter
// than declared. Slaves that fail break it only for what they lose.
func TestPromisesHold(t *testing.T) {
	early := 0
	for seed := range *sets {
		js, opts := drawn(seed)
		w := &whim{t, rand.New(rand.NewPCG(seed, 1)), map[model.TaskID]model.Time{}}
		out := run(t, js, w, opts)
		if err := check.Plan(js, out.Plan()).Err(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for id, end := range out.Ends {
			promise := w.promised[model.TaskID(id)]
			if end > promise || opts.Durations == nil && end != promise {
				t.Fatalf("seed %d: %s was to end at %d and ends at %d", seed, js.TaskName(model.TaskID(id)), promise, end)
			}
			if end < promise {
				early++
			}
		}
	}
	if early == 0 {
		t.Error("no task ended early")
	}
}

// forecaster serves the equal tasks of one job on one slave, and asks after
// each assignment that fills the slave when the next task will finish.
type forecaster struct {
	online.Policy
	given, finish map[model.TaskID]model.Time
}

func (f *forecaster) Watch(v *online.View, e online.Event) {
	if e.Kind == online.Assigned && v.Free(0, model.MapSlot) == 0 && e.Job.ReadyTasks() > 0 {
		b := e.Job.Groups()[0]
		f.given[b.First()], f.finish[b.First()] = v.Estimate(0, b)
	}
}

// At worst-case times an estimate for a slave that is full comes true if the
// task is the next one that it gets: heartbeats, fetch line, cores and absences
// are all in it.
func TestEstimatesComeTrue(t *testing.T) {
	compared := 0
	for seed := range *sets {
		rng := rand.New(rand.NewPCG(seed, 2))
		js := &model.JobSet{Name: "estimates", Heartbeat: model.Time(1 + rng.IntN(4)), Fetch: model.FetchMode(rng.IntN(2))}
		s := model.Slave{Name: "s", Cores: 1 + rng.IntN(3), Slots: 1 + rng.IntN(3), FirstBeat: model.Time(rng.IntN(5))}
		for range rng.IntN(3) {
			start := model.Time(rng.IntN(30))
			s.Down = append(s.Down, model.Interval{Start: start, End: start + 1 + model.Time(rng.IntN(6))})
		}
		js.Slaves = []model.Slave{s}
		p := model.NewProfile(model.ConstRow(1, model.Time(1+rng.IntN(6))), model.ConstRow(1, model.Time(rng.IntN(4))))
		js.Jobs = []model.Job{{Name: "j", Release: model.Time(rng.IntN(5)), Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: 8, Profile: p}},
		}}}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		f := &forecaster{basics[0](), map[model.TaskID]model.Time{}, map[model.TaskID]model.Time{}}
		out := run(t, js, f, online.Options{})
		for id := range f.given {
			if at := js.Assigned(out.Schedule[id]); f.given[id] != at || f.finish[id] != out.Ends[id] {
				t.Fatalf("seed %d: task %d estimated to be given at %d and to end at %d, it was at %d and %d",
					seed, id, f.given[id], f.finish[id], at, out.Ends[id])
			}
			compared++
		}
	}
	if compared < 3*int(*sets) {
		t.Errorf("only %d estimates compared", compared)
	}
}
