package basic_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/durations"
)

var policies = []func() online.Policy{basic.FIFO, basic.Fair, edf, llf, wspt, atc}

func edf() online.Policy  { return basic.EDF(basic.Options{}) }
func llf() online.Policy  { return basic.LLF(basic.Options{}) }
func wspt() online.Policy { return basic.WSPT(basic.Options{}) }
func atc() online.Policy  { return basic.ATC(basic.Options{}, basic.DefaultLookAhead) }

// Every run leaves a plan that the validator accepts, whatever happens to
// durations and slaves.
func TestRunsLeaveValidPlans(t *testing.T) {
	for seed := range uint64(1000) {
		js := gen.Tiny(seed)
		if seed%3 == 0 {
			js = gen.Small(seed, 20)
		}
		opts := online.Options{Seed: seed}
		if seed%2 == 0 {
			opts.Durations = durations.Uniform{Lo: 0.2, Hi: 1}
		}
		if seed%5 == 0 {
			opts.Faults = &online.Faults{MTBF: 60, MTTR: 5}
		}
		for _, p := range append(policies, choosy) {
			play(t, js, p(), opts)
		}
	}
}

// choosy is a policy with both options.
func choosy() online.Policy { return basic.WSPT(basic.Options{Feasible: true, Best: true}) }

// worked is a set and what each policy makes of it, by hand.
type worked struct {
	set string
	// order is the tasks in the order in which they are handed out, as
	// job@assignment.
	order map[string]string
}

// One slave with one core and one slot is handed tasks one by one: the order
// shows how a policy ranks.
func TestRankingByHand(t *testing.T) {
	for name, c := range map[string]worked{
		// All are there at 0.
		//
		//	fifo: as in the file.
		//	fair: none runs when a slot is free, so ties always; by arrival.
		//	edf:  due 30, 12, 20, never.
		//	llf:  laxities at 0: 30−0−4 = 26, 12−2 = 10, 20−(3+8) = 9: c first.
		//	      c's map ends at 3: b has 12−3−2 = 7, c 20−3−8 = 9: b. At 5: c
		//	      20−5−8 = 7, a 30−5−4 = 21: c, then a, then d, which has none.
		//	wspt: work a 4, b 2, c 11, d 1, all of weight 1: d, b, a, c and the rest of c.
		//	atc:  times a 4, b 2, c 11, d 1, mean 4.5, so laxities count over 2·4.5: a ln 4 + 26/9 =
		//	      4.28, b ln 2 + 10/9 = 1.80, c ln 11 + 9/9 = 3.40: b. At 2, over 2·16/3: a ln 4 +
		//	      24/10.7 = 3.64, c ln 11 + 7/10.7 = 3.05: c. At 5 of c 8 are left, over 2·13/3: a
		//	      ln 4 + 21/8.7 = 3.81, c ln 8 + 7/8.7 = 2.89: c. Then a, then d, which has no deadline.
		"one slot": {`
  - {name: a, deadline: 30, map: {tasks: 1, wcet: 4}}
  - {name: b, deadline: 12, map: {tasks: 1, wcet: 2}}
  - {name: c, deadline: 20, map: {tasks: 1, wcet: 3}, reduce: {tasks: 1, wcet: 8}}
  - {name: d, map: {tasks: 1, wcet: 1}}`, map[string]string{
			"fifo": "a@0 b@4 c@6 c@9 d@17",
			"fair": "a@0 b@4 c@6 c@9 d@17",
			"edf":  "b@0 c@2 c@5 a@13 d@17",
			"llf":  "c@0 b@3 c@5 a@13 d@17",
			"wspt": "d@0 b@1 a@3 c@7 c@10",
			"atc":  "b@0 c@2 c@5 a@13 d@17",
		}},
		// b arrives at 1 and is due first; nothing is taken back. At 5 all are
		// there: laxities a 40−5−5 = 30, b 9−5−3 = 1, c 9−5−2 = 2; work a 5, b 3, c 2; and over
		// twice the mean time 10/3 a ln 5 + 30/6.7 = 6.1, b ln 3 + 1/6.7 = 1.25, c ln 2 + 2/6.7 = 0.99.
		// At 7 over 2·4: a ln 5 + 28/8, b has none left, ln 3.
		"nothing is preempted": {`
  - {name: a, deadline: 40, map: {tasks: 2, wcet: 5}}
  - {name: b, release: 1, deadline: 8, map: {tasks: 1, wcet: 3}}
  - {name: c, release: 2, deadline: 7, map: {tasks: 1, wcet: 2}}`, map[string]string{
			"fifo": "a@0 a@5 b@10 c@13",
			"fair": "a@0 a@5 b@10 c@13",
			"edf":  "a@0 b@5 c@8 a@10",
			"llf":  "a@0 b@5 c@8 a@10",
			"wspt": "a@0 c@5 b@7 a@10",
			"atc":  "a@0 c@5 b@7 a@10",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			js := load(t, "cluster: {heartbeat: 1, slaves: [{name: s}]}\njobs:"+c.set)
			for _, p := range policies {
				out := play(t, js, p(), online.Options{Trace: true})
				var order []string
				for _, d := range out.Trace {
					order = append(order, fmt.Sprintf("%s@%d", js.Jobs[d.Job].Name, d.At))
				}
				if got, want := strings.Join(order, " "), c.order[out.Policy]; got != want {
					t.Errorf("%s: %s, by hand %s", out.Policy, got, want)
				}
			}
		})
	}
}

// Four slots at 0. Shares are 1 for a and 2 for b, so tasks go to the least of
// running/weight, a before b when equal:
//
//	a 0/1, b 0/2: a → 1/1, 0/2: b → 1/1, 1/2: b → 1/1, 2/2: a
//
// At 3 all four end and c is there: 0/1, 0/2, 0/1: a, then b (0/2 = c's 0/1, but
// earlier), c, then b at 1/2.
func TestFairByHand(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1, slaves: [{name: s, cores: 4}]}
jobs:
  - {name: a, deadline: 99, map: {tasks: 5, wcet: 3}}
  - {name: b, deadline: 99, weight: 2, map: {tasks: 5, wcet: 3}}
  - {name: c, release: 1, map: {tasks: 5, wcet: 3}}`)
	out := play(t, js, basic.Fair(), online.Options{Trace: true})
	got := ""
	for _, d := range out.Trace[:8] {
		got += js.Jobs[d.Job].Name
	}
	if got != "abba"+"abcb" {
		t.Errorf("served %s", got)
	}
	want := []online.Candidate{
		{Job: "b", Stage: "map", Key: "running per share 1/2"},
		{Job: "a", Stage: "map", Key: "running per share 1"},
	}
	if got := out.Trace[2].Candidates; !slices.Equal(got, want) {
		t.Errorf("candidates %v, by hand %v", got, want)
	}
}

// The job's turn comes first, the place second. Of the job whose turn it is, a
// slave takes the task that it holds the input of.
//
//	a/map/1 and b/map/1 have their input on t, a/map/2 and a/map/3 on s.
//	At 0 s takes a/map/2 and t a/map/1. At 4 s takes a/map/3, t b/map/1.
func TestLocalTaskFirst(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 2, slaves: [{name: s}, {name: t}]}
jobs:
  - name: a
    map:
      tasks:
        - {wcet: 4, transfer: {local: 0, remote: 3}, data: [t]}
        - {wcet: 4, transfer: {local: 0, remote: 3}, data: [s]}
        - {wcet: 4, transfer: {local: 0, remote: 3}, data: [s]}
  - {name: b, map: {tasks: 1, wcet: 4, transfer: {local: 0, remote: 3}, data: [t]}}`)
	for _, p := range []online.Policy{basic.FIFO(), basic.EDF(basic.Options{})} {
		out := play(t, js, p, online.Options{Trace: true})
		var got []string
		for _, d := range out.Trace {
			got = append(got, fmt.Sprintf("%s %s@%d", js.TaskName(d.Task), js.Slaves[d.Slave].Name, d.At))
		}
		if want := []string{"a/map/2 s@0", "a/map/1 t@0", "a/map/3 s@4", "b/map/1 t@4"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, by hand %q", out.Policy, got, want)
		}
	}
	// s, which has a's input, does not beat before 9: at 0 t takes a all the same,
	// from afar (0 + 3 + 4 = 7), and b, whose input it has, at 8 (8 + 0 + 4 = 12).
	far := load(t, `
cluster: {heartbeat: 2, slaves: [{name: s, first_heartbeat: 9}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 1, wcet: 4, transfer: {local: 0, remote: 3}, data: [s]}}
  - {name: b, map: {tasks: 1, wcet: 4, transfer: {local: 0, remote: 3}, data: [t]}}`)
	out := play(t, far, basic.FIFO(), online.Options{})
	if out.Schedule[0].Slave != 1 || out.Ends[0] != 7 || out.Ends[1] != 12 {
		t.Errorf("ends %v on %+v", out.Ends, out.Schedule)
	}
}

// At worst-case times, with nothing rejected, a run is a plan. If it meets all
// hard deadlines it cannot beat the optimum, and the set cannot be infeasible;
// and where the exhaustive search finds no plan, no run is one.
func TestNoPolicyBeatsTheOptimum(t *testing.T) {
	met, missed, refuted, reached := 0, 0, 0, 0
	for seed := range uint64(600) {
		js := gen.Tiny(seed)
		if seed%3 == 1 {
			js = gen.TodayTiny(seed)
		}
		best, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range policies {
			out := play(t, js, p(), online.Options{Seed: seed})
			if best.Status == model.Infeasible {
				refuted++
			}
			if !out.HardMet() {
				missed++
				continue
			}
			met++
			if best.Status == model.Infeasible {
				t.Fatalf("seed %d: %s meets all hard deadlines of a set without a plan", seed, out.Policy)
			}
			var values []int64
			for _, o := range js.Goal() {
				values = append(values, out.Value(o))
			}
			if slices.Compare(values, best.Values) < 0 {
				t.Fatalf("seed %d: %s reaches %v, the optimum is %v", seed, out.Policy, values, best.Values)
			}
			if slices.Equal(best.Values, values) {
				reached++
			}
		}
	}
	if met < 800 || missed < 100 || refuted < 100 || reached < 100 || reached == met {
		t.Errorf("%d runs meet all hard deadlines, %d do not, %d had to miss some, %d are optimal: too few to tell", met, missed, refuted, reached)
	}
}

// No policy writes to the job set.
func TestJobSetsStayAsTheyAre(t *testing.T) {
	for seed := range uint64(100) {
		js := gen.Tiny(seed)
		before := js.Digest()
		for _, p := range policies {
			play(t, js, p(), online.Options{})
		}
		if js.Digest() != before {
			t.Fatalf("seed %d: changed", seed)
		}
	}
}

func load(t *testing.T, text string) *model.JobSet {
	t.Helper()
	js, err := jobfile.Load("test", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// play runs a policy and has the validator look at what comes of it.
func play(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", js.Name, opts.Seed, err)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Fatalf("%s, seed %d, %s: %v", js.Name, opts.Seed, out.Policy, err)
	}
	return out
}

func farm(slaves, jobs, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "farm", Heartbeat: 3, Fetch: model.FetchConcurrent}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Cores: 4, Slots: 4, FirstBeat: model.Time(i % 3)})
	}
	p := model.NewProfile(model.ConstRow(slaves, 20), model.ConstRow(slaves, 0))
	for i := range jobs {
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Release: model.Time(5 * i), Stages: []model.Stage{{
			Name: "map", Groups: []model.Group{{Count: tasks, Profile: p}},
		}}})
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// BenchmarkFIFO runs a thousand slaves; tasks/s are completions.
func BenchmarkFIFO(b *testing.B) {
	js := farm(1000, 1000, 1000)
	b.ResetTimer()
	n := 0
	for b.Loop() {
		out, err := online.Run(context.Background(), js, basic.FIFO(), online.Options{})
		if err != nil {
			b.Fatal(err)
		}
		n += len(out.Ends)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "tasks/s")
}
