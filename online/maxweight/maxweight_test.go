package maxweight_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
	"downbeat/online/maxweight"
)

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func run(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Fatalf("%s: %v", p.Name(), err)
	}
	return out
}

// lines shows a run: each task with its slave, assignment A and end F.
func lines(out *online.Outcome) string {
	var b strings.Builder
	for t, p := range out.Schedule {
		fmt.Fprintf(&b, "%s %s A%d F%d\n", out.JobSet.TaskName(model.TaskID(t)), out.JobSet.Slaves[p.Slave].Name, out.JobSet.Assigned(p), out.Ends[t])
	}
	return b.String()
}

// The input of six tasks is on x. They take 2 there and 6 + 2 elsewhere.
const six = `
cluster: {heartbeat: 1, slaves: [{name: x}, {name: y}, {name: z}]}
jobs:
  - {name: a, map: {tasks: 6, wcet: 2, transfer: {local: 0, remote: 6}, data: [x]}}`

// At 0 the tasks join x's queue and the common one in turn, three each. y and
// z have nothing of their own and serve the common queue until 8; x serves its
// own queue at 0, 2 and 4, while Q_x = 3, 2, 1 and Q̄ = 3, and at 6 what is
// left in the common one, whose input x holds as well.
func TestByHand(t *testing.T) {
	want := "a/map/1 x A0 F2\na/map/2 y A0 F8\na/map/3 z A0 F8\na/map/4 x A2 F4\na/map/5 x A4 F6\na/map/6 x A6 F8\n"
	for name, c := range map[string]struct {
		params maxweight.Params
		keys   [6]string
	}{
		// 0.8·3, 0·0.8, …: the lengths count tasks until they end.
		"given": {maxweight.Params{Alpha: 0.8, Gamma: 0.2}, [6]string{
			"own queue: 2.4 ≥ 0.6, running 0", "common queue: 0 < 0.6, running 1", "common queue: 0 < 0.6, running 2",
			"own queue: 1.6 ≥ 0.6, running 2", "own queue: 0.8 ≥ 0.6, running 2", "common queue: 0 < 0.6, running 2"}},
		// Mean times are 2 on x and 8 elsewhere: α = 1/2, γ = 1/8.
		"mean times": {maxweight.Params{}, [6]string{
			"own queue: 1.5 ≥ 0.375, running 0", "common queue: 0 < 0.375, running 1", "common queue: 0 < 0.375, running 2",
			"own queue: 1 ≥ 0.375, running 2", "own queue: 0.5 ≥ 0.375, running 2", "common queue: 0 < 0.375, running 2"}},
		// Q_x = 3, 2, 1, 0 and Q̄ = 3, 2, 1, 1, 1, 1.
		"waiting": {maxweight.Params{Waiting: true}, [6]string{
			"own queue: 1.5 ≥ 0.375, running 0", "common queue: 0 < 0.375, running 1", "common queue: 0 < 0.25, running 2",
			"own queue: 1 ≥ 0.125, running 2", "own queue: 0.5 ≥ 0.125, running 2", "common queue: 0 < 0.125, running 2"}},
		// At 2, x prefers the common queue, 2·1 < 0.7·3, and takes its last task,
		// which ends at 4. Then 2·1 ≥ 2·0.7. At 6 it would take one of the common
		// queue, but the two that count there are on y and z.
		"common first": {maxweight.Params{Alpha: 1, Gamma: 0.7}, [6]string{
			"own queue: 3 ≥ 2.1, running 0", "common queue: 0 < 2.1, running 1", "common queue: 0 < 2.1, running 2",
			"common queue: 2 < 2.1, running 2", "own queue: 2 ≥ 1.4, running 2",
			"own queue: 1 < 1.4, the other has nothing that fits, running 2"}},
	} {
		for seed := range uint64(20) {
			c.params.Seed = seed
			out := run(t, load(t, six), maxweight.New(c.params), online.Options{Trace: true})
			if diff := cmp.Diff(want, lines(out)); diff != "" {
				t.Fatalf("%s, seed %d (-by hand +run)\n%s", name, seed, diff)
			}
			for i, d := range out.Trace {
				want := []online.Candidate{{Job: "a", Stage: "map", Key: c.keys[i]}}
				if diff := cmp.Diff(want, d.Candidates); diff != "" {
					t.Fatalf("%s, seed %d, task %d (-by hand +run)\n%s", name, seed, i+1, diff)
				}
			}
		}
	}
}

// A task whose input is on 1, 2 and 3 joins one of their queues or the common
// one, which 0 serves first as it beats first: each slave gets a quarter.
// 1000 runs: mean 250, standard deviation 13.7. The fourth replica, on 4, does
// not count.
func TestTiesAreRandom(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s0}, {name: s1}, {name: s2}, {name: s3}, {name: s4}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 2, transfer: {local: 0, remote: 6}, data: [s1, s2, s3, s4]}}`)
	var got [5]int
	for seed := range uint64(1000) {
		out := run(t, js, maxweight.New(maxweight.Params{Seed: seed}), online.Options{})
		got[out.Schedule[0].Slave]++
	}
	for s, n := range got {
		if s < 4 && (n < 195 || n > 305) || s == 4 && n > 0 {
			t.Errorf("slaves got %v, want a quarter each of 1000 for the first four", got)
		}
	}
}

// a has three tasks and b one, all in the common queue, as the only slave has
// no other to differ from. Of two slots at 0 the first is a's in either order.
func TestWithinAQueue(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 2}]}
jobs:
  - {name: a, map: {tasks: 3, wcet: 2}}
  - {name: b, map: {tasks: 1, wcet: 2}}`)
	for fifo, want := range map[bool]string{
		false: "a/map/1 s A0 F2\na/map/2 s A2 F4\na/map/3 s A2 F4\nb/map/1 s A0 F2\n",
		true:  "a/map/1 s A0 F2\na/map/2 s A0 F2\na/map/3 s A2 F4\nb/map/1 s A2 F4\n",
	} {
		out := run(t, js, maxweight.New(maxweight.Params{FIFO: fifo}), online.Options{})
		if diff := cmp.Diff(want, lines(out)); diff != "" {
			t.Errorf("fifo %v (-by hand +run)\n%s", fifo, diff)
		}
	}
}

// The reduce task of a is ready at 2, but b's map task goes first, and c's,
// which is released at 3, too. Reduce tasks then go by release.
func TestReduceTasksGoLast(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 2}, reduce: {tasks: 1, wcet: 1}}
  - {name: b, map: {tasks: 1, wcet: 3}, reduce: {tasks: 1, wcet: 1}}
  - {name: c, release: 3, map: {tasks: 1, wcet: 2}}`)
	out := run(t, js, maxweight.New(maxweight.Params{}), online.Options{Trace: true})
	want := "a/map/1 s A0 F2\na/reduce/1 s A7 F8\nb/map/1 s A2 F5\nb/reduce/1 s A8 F9\nc/map/1 s A5 F7\n"
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
	if got := out.Trace[3].Candidates; len(got) != 2 || got[0].Key != "reduce, release 0" || got[1].Job != "b" {
		t.Errorf("the reduce task of a was chosen from %+v", got)
	}
}

// x, which holds the input, leaves at 1 for long. One task joined its queue and
// one the common queue, and neither fits on x at 0. y takes the one at 0, until
// 6 + 3; the other does not wait for x but follows on y.
func TestTasksOfAnAbsentSlave(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: x, down: [[1, 500]]}, {name: y}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 3, transfer: {local: 0, remote: 6}, data: [x]}}`)
	out := run(t, js, maxweight.New(maxweight.Params{}), online.Options{})
	if diff := cmp.Diff("a/map/1 y A0 F9\na/map/2 y A9 F18\n", lines(out)); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
}

// Fair sharing by hand, blind to weights. At 0 x has three slots: a and b have
// nothing running and a is first, then b has less and its second task has its
// input here, then both have one and a is first. At 1 a has two running, b one,
// and y gets what is left of b. At 4 x is free for what is left of a.
func TestFairByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: x, cores: 3}, {name: y, first_heartbeat: 1}]}
jobs:
  - {name: a, map: {tasks: 3, wcet: 4}}
  - {name: b, weight: 9, map: {tasks: [{wcet: 4, transfer: {x: 5, y: 0}}, {wcet: 4, transfer: {x: 0, y: 5}}]}}`)
	out := run(t, js, maxweight.NewFair(), online.Options{Trace: true})
	want := "a/map/1 x A0 F4\na/map/2 x A0 F4\na/map/3 x A4 F8\nb/map/1 y A1 F5\nb/map/2 x A0 F4\n"
	if diff := cmp.Diff(want, lines(out)); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
	wantTrace := []online.Candidate{{Job: "b", Stage: "map", Key: "running 0"}, {Job: "a", Stage: "map", Key: "running 1"}}
	if diff := cmp.Diff(wantTrace, out.Trace[1].Candidates); diff != "" {
		t.Errorf("(-by hand +run)\n%s", diff)
	}
}

// options varies durations and failures by seed.
func options(seed uint64) online.Options {
	opts := online.Options{Seed: seed, Trace: seed%7 == 0}
	if seed%2 == 0 {
		opts.Durations = durations.Uniform{Lo: 0.2, Hi: 1}
	}
	if seed%5 == 0 {
		opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
	}
	return opts
}

// local are sets in which most tasks have their input somewhere.
func local(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.Tasks, k.Slaves = gen.Range{Lo: 3, Hi: 40}, gen.Range{Lo: 1, Hi: 10}
	k.FirstStage, k.Release = gen.Range{Lo: 1, Hi: 12}, gen.Range{Lo: 0, Hi: 20}
	k.Local, k.Tightness = 0.8, gen.Range{Lo: 95, Hi: 400}
	js, _ := gen.Random(k, seed)
	return js
}

// Every run ends and leaves a valid plan, whatever happens to durations and
// slaves, and a traced one says for each task what it was chosen from.
func TestRunsLeaveValidPlans(t *testing.T) {
	for seed := range uint64(600) {
		js, opts := local(seed), options(seed)
		for _, p := range []online.Policy{
			maxweight.New(maxweight.Params{Seed: seed}), maxweight.NewFair(),
			maxweight.New(maxweight.Params{Alpha: 0.5, Gamma: 0.5, Waiting: true, FIFO: true, Seed: seed}),
		} {
			out, err := online.Run(context.Background(), js, p, opts)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if err := check.Plan(js, out.Plan()).Err(); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, out.Policy, err)
			}
			if opts.Trace && len(out.Trace) == 0 {
				t.Fatalf("seed %d, %s: no trace", seed, out.Policy)
			}
			for _, d := range out.Trace {
				job := &js.Jobs[d.Job]
				stage := job.Stages[js.Tasks[d.Task].Stage].Name
				if c := d.Candidates[0]; c.Job != job.Name || c.Stage != stage || c.Key == "" {
					t.Fatalf("seed %d, %s: %s was chosen from %+v", seed, out.Policy, js.TaskName(d.Task), d.Candidates)
				}
			}
		}
	}
}

// Where all jobs weigh the same, naive fair sharing is what the policy fair
// does.
func TestFairWithoutWeights(t *testing.T) {
	for seed := range uint64(600) {
		js, opts := local(seed), options(seed)
		for i := range js.Jobs {
			js.Jobs[i].Weight = 1
		}
		mine, theirs := run(t, js, maxweight.NewFair(), opts), run(t, js, basic.Fair(), opts)
		if diff := cmp.Diff(lines(theirs), lines(mine)); diff != "" {
			t.Fatalf("seed %d (-fair +fair-local)\n%s", seed, diff)
		}
	}
}

// cluster has jobs of twenty tasks on slaves with one slot; the input of each
// task is on three slaves out of the first four fifths. A task takes 5 locally
// and 20 elsewhere, and load is the share of the local capacity of all slaves.
func cluster(slaves, tasks int, load float64) *model.JobSet {
	rng := rand.New(rand.NewPCG(1, 1))
	js := &model.JobSet{Name: "cluster", Heartbeat: 1, Fetch: model.FetchConcurrent}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Cores: 1, Slots: 1})
	}
	wcet, far := model.ConstRow(slaves, 5), model.ConstRow(slaves, 15)
	for j := range tasks / 20 {
		st := model.Stage{Name: "map"}
		for range 20 {
			near := make([]model.SlaveID, 3)
			for i := range near {
				near[i] = model.SlaveID(rng.IntN(slaves * 4 / 5))
			}
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewProfile(wcet, far.With(near, 0))})
		}
		release := model.Time(float64(j*20*5) / (load * float64(slaves)))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", j), Release: release, Stages: []model.Stage{st}})
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// BenchmarkCluster runs tasks of which no two are alike, at half load.
func BenchmarkCluster(b *testing.B) {
	for _, size := range []struct{ slaves, tasks int }{{30, 1000}, {100, 10_000}, {1000, 20_000}} {
		js := cluster(size.slaves, size.tasks, 0.5)
		for _, make := range []func() online.Policy{
			func() online.Policy { return maxweight.New(maxweight.Params{}) }, maxweight.NewFair,
		} {
			b.Run(fmt.Sprintf("slaves=%d/tasks=%d/policy=%s", size.slaves, size.tasks, make().Name()), func(b *testing.B) {
				n := 0
				for b.Loop() {
					out, err := online.Run(context.Background(), js, make(), online.Options{})
					if err != nil {
						b.Fatal(err)
					}
					n += len(out.Ends)
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}
