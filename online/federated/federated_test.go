package federated_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/online"
	"downbeat/online/durations"
	"downbeat/online/federated"
)

func play(t *testing.T, js *model.JobSet, params federated.Params, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(t.Context(), js, federated.New(params), opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Four cores, no inputs, heartbeats at each tick that do not count. wide: C = 24, L = 4, D = 14 takes
// ⌈20/10⌉ = 2 cores. At 1 tight, due 10 ticks later, would take ⌈20/6⌉ = 4, and two are left: turned
// away. narrow is due 5 ticks later and has 5 ticks of work: it shares a third core; so does late, which has
// 3 ticks of work until 9: 1 + 5 + 3 = 9. more would need until 10 as well, and gets the fourth.
func TestByHand(t *testing.T) {
	js, err := jobfile.Load("test", []byte(`
version: 1
cluster: {heartbeat: 1, fetch: concurrent, slaves: [{name: s, cores: 4}]}
jobs:
  - {name: wide, deadline: 14, map: {tasks: 6, wcet: 4}}
  - {name: tight, release: 1, deadline: 10, map: {tasks: 6, wcet: 4}}
  - {name: narrow, release: 1, deadline: 5, map: {tasks: 5, wcet: 1}}
  - {name: late, release: 1, deadline: 8, map: {tasks: 1, wcet: 3}}
  - {name: more, release: 1, deadline: 8, map: {tasks: 1, wcet: 1}}
  - {name: any, release: 1, map: {tasks: 1, wcet: 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	out := play(t, js, federated.Params{NoBeat: true}, online.Options{Trace: true})
	var got []string
	for _, d := range out.Trace {
		if d.Task < 0 {
			got = append(got, fmt.Sprintf("%s %t: %s", js.Jobs[d.Job].Name, d.Accepted, d.Why))
		}
	}
	want := []string{
		"wide true: 2 cores of its own", "tight false: needs 4 cores of its own, 2 are free",
		"narrow true: shares a core of s", "late true: shares a core of s", "more true: shares a core of s", "any true: no deadline",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nby hand\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// wide on two cores in three rounds, narrow and late one after the other, more and any at once.
	if want := []model.Time{12, model.Never, 6, 9, 2, 3}; !slices.Equal(out.Finishes, want) {
		t.Errorf("ends %v, by hand %v", out.Finishes, want)
	}
}

// draw is a set on which what is accepted is to be in time: slaves fetch side by side, the transfers to
// each are all alike.
func draw(seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 5))
	h := 1 + model.Time(rng.IntN(4))
	js := &model.JobSet{Name: fmt.Sprint("seed ", seed), Heartbeat: h, Fetch: model.FetchConcurrent}
	var transfers []model.Time
	for i := range 1 + rng.IntN(4) {
		s := model.Slave{Name: fmt.Sprint("s", i), FirstBeat: model.Time(rng.Int64N(int64(h))), Cores: 1 + rng.IntN(4), Slots: 1 + rng.IntN(4)}
		if rng.IntN(3) == 0 {
			s.SplitSlots, s.MapSlots, s.ReduceSlots = true, 1+rng.IntN(3), 1+rng.IntN(3)
		}
		if rng.IntN(5) == 0 {
			from := model.Time(rng.IntN(80))
			s.Down = []model.Interval{{Start: from, End: from + 1 + model.Time(rng.IntN(30))}}
		}
		js.Slaves = append(js.Slaves, s)
		transfers = append(transfers, model.Time(rng.IntN(3)))
	}
	for i := range 2 + rng.IntN(10) {
		j := model.Job{Name: fmt.Sprint("j", i), Weight: 1, Release: model.Time(rng.IntN(60)), Kind: model.Hard, Deadline: model.Time(5 + rng.IntN(100))}
		if rng.IntN(6) == 0 {
			j.Kind, j.Deadline = model.BestEffort, 0
		}
		for k := range 1 + rng.IntN(3) {
			st := model.Stage{Name: fmt.Sprint("stage", k), Slot: model.SlotKind(rng.IntN(2)), After: []int32{}}
			for b := range k {
				if rng.IntN(2) == 0 {
					st.After = append(st.After, int32(b))
				}
			}
			for range 1 + rng.IntN(2) {
				wcet := make([]model.Time, len(js.Slaves))
				for s := range wcet {
					if wcet[s] = model.Time(1 + rng.IntN(12)); s > 0 && rng.IntN(12) == 0 {
						wcet[s] = 0
					}
				}
				st.Groups = append(st.Groups, model.Group{Count: 1 + rng.IntN(4), Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfers))})
			}
			j.Stages = append(j.Stages, st)
		}
		if i > 0 && rng.IntN(8) == 0 {
			j.After = []model.JobID{model.JobID(rng.IntN(i))}
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// What is accepted is in time, at declared times and at shorter ones.
func TestAcceptedIsInTime(t *testing.T) {
	kinds := map[string]int{}
	for seed := range testkit.Tiny(t, 600, 6000) {
		js, opts := draw(seed), online.Options{Seed: seed, Trace: true}
		if seed%2 == 1 {
			opts.Durations = durations.Uniform{Lo: 0.1, Hi: 1}
		}
		out := play(t, js, federated.Params{}, opts)
		for _, d := range out.Trace {
			if d.Task < 0 {
				kinds[strings.TrimLeft(d.Why, "0123456789")]++
			}
		}
		for i := range js.Jobs {
			if job := &js.Jobs[i]; job.Kind == model.Hard && out.Finishes[i] != model.Never && out.Finishes[i] > job.Due() {
				t.Fatalf("seed %d: %s ends at %d, is due at %d, and was accepted", seed, job.Name, out.Finishes[i], job.Due())
			}
		}
	}
	if kinds[" cores of its own"] < 100 {
		t.Errorf("%v: too few to tell", kinds)
	}
}

// The tasks of each job are apart, so that both need cores of the other's slave: each has one of a slave, which it could share, where it is due at 10, as it has 10 ticks of work, or two where it is due at
// 9. They give these up, and are in time.
func TestApart(t *testing.T) {
	for deadline, cores := range map[int]int{10: 1, 9: 2} {
		js, err := jobfile.Load("test", fmt.Appendf(nil, `
version: 1
cluster: {heartbeat: 1, slaves: [{name: s, count: 2, cores: %d}]}
jobs:
  - {name: a, hard: true, deadline: %d, stages: [{name: x, tasks: 2, wcet: 4, apart: true}]}
  - {name: b, hard: true, deadline: %d, stages: [{name: x, tasks: 2, wcet: 4, apart: true}]}`, cores, deadline, deadline))
		if err != nil {
			t.Fatal(err)
		}
		if out := play(t, js, federated.Params{}, online.Options{}); len(out.Rejected) > 0 || !out.HardMet() {
			t.Errorf("due at %d: %v turned away, ends %v", deadline, out.Rejected, out.Finishes)
		}
	}
}

// b has the core of r and waits for a, of which a task has to go there.
func TestCoresOfThoseAfter(t *testing.T) {
	js, err := jobfile.Load("test", []byte(`
version: 1
cluster: {heartbeat: 1, slaves: [{name: s}, {name: r}, {name: t}]}
jobs:
  - {name: a, hard: true, deadline: 10, stages: [{name: x, tasks: 2, wcet: 4, apart: true, slaves: [s, r]}]}
  - {name: between, hard: true, deadline: 15, after: a, map: {tasks: 1, wcet: 1, slaves: [t]}}
  - {name: b, hard: true, deadline: 20, after: between, map: {tasks: 1, wcet: 1, slaves: [r]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if out := play(t, js, federated.Params{}, online.Options{}); !out.HardMet() {
		t.Errorf("%v turned away, ends %v", out.Rejected, out.Finishes)
	}
}

// The source's capacity augmentation bound of 2 (its Theorem 2), for jobs that come at once: if all work over
// the times until deadlines adds up to half of the cores at most, and no critical path is longer than half of its time, all
// are accepted, and in time.
func TestCapacityBoundOfTwo(t *testing.T) {
	for seed := range testkit.Tiny(t, 200, 2000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		cores := 2 + rng.IntN(12)
		js := &model.JobSet{Name: fmt.Sprint("seed ", seed), Heartbeat: 1, Fetch: model.FetchConcurrent, Slaves: []model.Slave{{Name: "s", Cores: cores, Slots: cores}}}
		for half := float64(cores) / 2; len(js.Jobs) < 30; {
			j := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Weight: 1, Kind: model.Hard}
			work, path := 0, 0
			for k := range 1 + rng.IntN(3) {
				n, wcet := 1+rng.IntN(6), 1+rng.IntN(10)
				work, path = work+n*wcet, path+wcet
				j.Stages = append(j.Stages, model.Stage{Name: fmt.Sprint("stage", k), Groups: []model.Group{{
					Count: n, Profile: model.NewProfile(model.ConstRow(1, model.Time(wcet)), model.ConstRow(1, 0)),
				}}})
			}
			j.Deadline = model.Time(2*path + rng.IntN(2*path))
			if half -= float64(work) / float64(j.Deadline); half < 0 {
				break
			}
			js.Jobs = append(js.Jobs, j)
		}
		if len(js.Jobs) == 0 {
			continue
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if out := play(t, js, federated.Params{NoBeat: true}, online.Options{}); len(out.Rejected) > 0 || !out.HardMet() {
			t.Fatalf("seed %d: %d of %d jobs turned away, on %d cores", seed, len(out.Rejected), len(js.Jobs), cores)
		}
	}
}
