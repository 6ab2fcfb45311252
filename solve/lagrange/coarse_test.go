package lagrange

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/heuristics/lns"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/tight"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
)

// fineSet is a random set with a plan, which can be looked at in coarse ticks of some step.
func fineSet(t *testing.T, seed uint64) (js *model.JobSet, plan model.Schedule, step model.Time) {
	t.Helper()
	k := knobs()
	step = 2 + model.Time(seed%3)
	k.WCET = gen.Range{Lo: int(step), Hi: 20}
	k.Transfer.Hi, k.Release.Hi = 9, 30
	k.Heartbeat = gen.Range{Lo: 1, Hi: 1}
	if seed%3 > 0 {
		k.Heartbeat = gen.Range{Lo: int(step), Hi: int(step)}
		if seed%2 == 1 {
			k.Heartbeat = gen.Range{Lo: 2 * int(step), Hi: 2 * int(step)}
		}
	}
	js, _ = gen.Random(k, seed)
	plan, _ = lns.Search(context.Background(), js, lns.Options{Objectives: []model.Objective{model.Tardiness, model.Makespan}, Seed: seed, Constructions: 8})
	if seed%4 == 2 {
		js = tight.Share(t, js, plan, rand.New(rand.NewPCG(seed, 9)))
	}
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatal(err)
	}
	return js, plan, step
}

// Whatever the multipliers of coarse ticks, the bound that they make has a surplus of no less, and no more than what the late jobs of a plan
// pay.
func TestCoarseMultipliers(t *testing.T) {
	some := 0
	for seed := range testkit.Sets[uint64](400, 4000) {
		js, plan, step := fineSet(t, seed)
		finishes := js.Finishes(plan)
		rng := rand.New(rand.NewPCG(seed, 1))
		of := charges{due: slices.Clone(finishes), penalty: make([]int64, len(js.Jobs)), late: make([]int64, len(js.Jobs))}
		paid := int64(0)
		for i := range js.Jobs {
			job := &js.Jobs[i]
			of.due[i] += model.Time(rng.IntN(3))
			of.penalty[i] = 1 + rng.Int64N(200)
			if rng.IntN(4) == 0 {
				of.due[i] = max(job.Release, finishes[i]-1-model.Time(rng.IntN(2*int(step))))
				paid += of.penalty[i]
				continue
			}
			if job.Kind == model.Soft && rng.IntN(2) == 0 {
				of.late[i] = rng.Int64N(9)
				paid += min(of.penalty[i], of.late[i]*int64(max(0, finishes[i]-job.Due())))
			}
		}
		in := inStepsOf(js, step)
		r := newLagrangian(t.Context(), in.js, in.charges(of))
		for range 4 {
			draw(r, rng)
			surplus := r.Value()
			literal, err := inference.Surplus(t.Context(), js, of.due, in.bound(r.dualBound(r.Multipliers)))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if surplus > literal {
				t.Fatalf("seed %d: a surplus of %d in coarse ticks, recomputed as %d", seed, surplus, literal)
			}
			if literal > paid {
				t.Fatalf("seed %d: a surplus of %d, and a plan in which jobs pay %d", seed, literal, paid)
			}
			if surplus > 0 {
				some++
			}
		}
	}
	if some == 0 {
		t.Error("no surplus")
	}
}

// What splits leave of coarse ticks has room for a plan that is on that side of the splits of the set, and so have restrictions.
func TestCoarseSplits(t *testing.T) {
	narrowed := 0
	for seed := range testkit.Sets[uint64](300, 3000) {
		js, plan, step := fineSet(t, seed)
		in, finishes := inStepsOf(js, step), js.Finishes(plan)
		r := newLagrangian(t.Context(), in.js, inTime(in.dues(finishes)))
		r.slack = in.slack()
		if r.Base > 0 {
			t.Fatalf("seed %d: jobs are late alone that a plan has in time", seed)
		}
		rng := rand.New(rand.NewPCG(seed, 3))
		p := prober{ctx: context.Background(), domains: newDomains(r), workers: &workers{}}
		for range 3 + rng.IntN(20) {
			split, _ := drawSplit(js, plan, rng)
			if split.Kind != proof.StageEndsBy && p.group(split.Task).count > 1 || len(query.Series(js).Jobs[js.Tasks[split.Task].Job].Stages) != len(js.Jobs[js.Tasks[split.Task].Job].Stages) {
				continue
			}
			split.At = max(0, split.At/step)
			fine := in.branching(&proof.Branching{Split: split}).Split
			if holds := splitHolds(js, plan, &fine); !p.narrow(&split, holds) {
				t.Fatalf("seed %d: no placement is left by %+v %t", seed, split, holds)
			}
			narrowed++
		}
		for id, left := range in.restrictions(p.restrictions()) {
			at := plan[id]
			_, handed := js.BeatAtOrBefore(at.Slave, at.Fetch)
			if left.To < js.Finish(model.TaskID(id), at) || left.From > handed || left.Slaves != nil && !slices.Contains(left.Slaves, at.Slave) {
				t.Fatalf("seed %d: task %d is left %+v, and has %+v in a plan", seed, id, left, at)
			}
		}
		for id, at := range plan {
			if p.at[id].job < 0 {
				continue
			}
			domains := p.group(model.TaskID(id)).domains
			d := domains[slices.IndexFunc(domains, func(d domain) bool { return d.slave == int32(at.Slave) })]
			start, fetch := at.Start/step, at.Fetch/step
			if start < d.firstRun || start > d.lastRun || fetch < max(d.firstFetch, d.firstAssign) || fetch > d.lastFetch {
				t.Fatalf("seed %d: %+v has no room for task %d, which fetches at %d and starts at %d in a plan", seed, d, id, fetch, start)
			}
		}
		if c := p.byMultipliers(r.Multipliers, 60, 1); c != nil {
			t.Fatalf("seed %d: multipliers refute domains that hold a plan", seed)
		}
	}
	if narrowed < testkit.Sets(250, 1000) {
		t.Errorf("only %d splits", narrowed)
	}
}

// splitHolds reports whether a split holds in a plan.
func splitHolds(js *model.JobSet, plan model.Schedule, s *proof.Split) bool {
	task := &js.Tasks[s.Task]
	switch s.Kind {
	case proof.StageEndsBy:
		st := &js.Jobs[task.Job].Stages[task.Stage]
		for u := st.First; u < st.End; u++ {
			if js.Finish(u, plan[u]) > s.At {
				return false
			}
		}
		return true
	case proof.TaskEndsBy:
		return js.Finish(s.Task, plan[s.Task]) <= s.At
	case proof.FetchedBy:
		return plan[s.Task].Fetch <= s.At
	}
	return plan[s.Task].Slave == s.Slave
}

// Arguments about coarse ticks hold about the set, and none is found against due times that a plan keeps. What is refuted is so with little work,
// a hundredth of what .ci/long has: of 150 sets as much was with 1 as with 10 million starts.
func TestCoarseRefutations(t *testing.T) {
	refuted, work := 0, 1_000_000
	if testkit.All() {
		work *= 100
	}
	for seed := range testkit.Dear[uint64](25, 3000) {
		js, plan, step := fineSet(t, seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		for round := range 5 {
			due := js.Finishes(plan)
			if round > 0 {
				due[rng.IntN(len(due))] -= model.Time(round)
			}
			switch c := refuteIn(t, js, step, due, seed%2 == 0, work); {
			case c != nil && round == 0:
				t.Fatalf("seed %d: due times of a plan are refuted", seed)
			case c != nil:
				refuted++
			}
		}
	}
	if refuted < 10 {
		t.Errorf("%d refuted", refuted)
	}
}

// The same by cases.
func TestCoarseBranching(t *testing.T) {
	branched := 0
	for seed := range testkit.Sets[uint64](2, 8) {
		js, _, err := gen.Family("tardiness-60", 1+seed)
		if err != nil {
			t.Fatal(err)
		}
		for late := model.Time(0); late < 20; late++ {
			due := query.AtMost(js, model.Tardiness, late)
			c := refuteIn(t, js, js.Heartbeat, due, seed%2 == 0, 100_000_000)
			if c.Leaves() > 1 {
				branched++
			}
			if c == nil {
				break
			}
		}
	}
	if branched == 0 {
		t.Error("no cases")
	}
}

// refuteIn refutes due times in coarse ticks, if it can; the argument has been checked.
func refuteIn(t *testing.T, js *model.JobSet, step model.Time, due []model.Time, thorough bool, work int) *proof.Branching {
	t.Helper()
	r := NewRefutation(t.Context(), js, due, thorough)
	r.coarse = inStepsOf(js, step)
	c, _ := r.Run(work, nil)
	if c != nil {
		if err := inference.Branching(t.Context(), js, due, c); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// What is refuted in coarse ticks is rechecked in those of the set: with more of these than that takes nothing is, however few coarse ones there are.
func TestCoarseTooLarge(t *testing.T) {
	for _, wcet := range []model.Time{5_001, 500_001, 5_000_001} {
		js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
		for range 2 {
			p := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, 0))
			js.Jobs = append(js.Jobs, model.Job{Kind: model.Hard, Weight: 1, Deadline: 3 * wcet / 2, Stages: []model.Stage{{Groups: []model.Group{{Count: 1, Profile: p}}}}})
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		due := query.HardDues(js)
		c, _ := NewRefutation(t.Context(), js, due, false).Run(0, nil)
		if small := wcet < 1_000_000; small != (c != nil) {
			t.Errorf("tasks of %d: refuted %t", wcet, c != nil)
		}
		if c == nil {
			continue
		}
		if err := inference.Branching(t.Context(), js, due, c); err != nil {
			t.Errorf("tasks of %d: %v", wcet, err)
		}
	}
}

// Stages with caps of their own that relaxations join are capped as before in coarse ticks, too: what bounds say of a cap by its number is about the
// set as it stands.
func TestCoarseCaps(t *testing.T) {
	js := &model.JobSet{Name: "caps", Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 3, Slots: 3}}, Objectives: []model.Objective{model.Tardiness}}
	profile := model.NewProfile(model.DenseRow([]model.Time{8}), model.ConstRow(1, 0))
	stage := func(name string) model.Stage {
		return model.Stage{Name: name, AtMost: 1, After: []int32{}, Groups: []model.Group{{Count: 2, Profile: profile}}}
	}
	js.Jobs = []model.Job{{Name: "j", Kind: model.Soft, Deadline: 20, Weight: 1, Stages: []model.Stage{stage("x"), stage("y")}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	in := inStepsOf(js, 4)
	if len(js.Shared()) != 2 || len(in.js.Jobs[0].Stages) != 1 {
		t.Fatalf("%d caps, %d stages in coarse ticks", len(js.Shared()), len(in.js.Jobs[0].Stages))
	}
	if len(in.js.Shared()) != 2 || !slices.Equal(in.js.Shared()[1].Tasks, js.Shared()[1].Tasks) {
		t.Errorf("caps in coarse ticks: %v", in.js.Shared())
	}
	if !slices.Equal(in.js.Takes(3), js.Takes(3)) {
		t.Errorf("task 3 takes %v in coarse ticks, %v", in.js.Takes(3), js.Takes(3))
	}
}

// In coarse ticks an ascent begins with the multipliers that the one before was left with, about other due times: what it proves holds all the same, in fewer steps, and
// with no more work than it may do.
func TestCoarseTakenUp(t *testing.T) {
	cold, warm, fewer, proved := 0, 0, 0, 0
	for seed := range testkit.Sets[uint64](4, 40) {
		js, _, err := gen.Family("tardiness-60", 1+seed)
		if err != nil {
			t.Fatal(err)
		}
		extent := Extent{}
		for late := model.Time(0); late < 6; late++ {
			due := query.AtMost(js, model.Tardiness, late)
			r := NewRefutation(t.Context(), js, due, false)
			r.coarse = inStepsOf(js, js.Heartbeat)
			r.Extent = extent
			c, steps := r.Run(0, nil)
			if c == nil {
				break
			}
			if err := inference.Branching(t.Context(), js, due, c); err != nil {
				t.Fatalf("seed %d, %d late: %v", seed, late, err)
			}
			if extent = r.Extent; extent.left == nil || extent.Done == 0 {
				t.Fatalf("seed %d, %d late: nothing is left, after work of %d", seed, late, extent.Done)
			}
			proved++
			if late == 0 {
				cold += steps
			} else if warm++; steps < cold/(1+int(seed)) {
				fewer++
			}
		}
	}
	if t.Logf("%d proved, %d from multipliers that were left, %d of these in fewer steps", proved, warm, fewer); 2*fewer < warm || warm == 0 {
		t.Errorf("%d of %d in fewer steps", fewer, warm)
	}
}

// An ascent of the whole does no more work than it may, and tells how much that was.
func TestWorkOfWholeIsBounded(t *testing.T) {
	js, finishes := planned(t, 3)
	some := 0
	for work := 1 << 10; work < 1<<24; work *= 2 {
		r := NewRefutation(t.Context(), js, finishes, false)
		r.Extent.Work, r.Extent.Done = work, work // as left by an ascent before it
		_, steps := r.Run(0, nil)
		if r.Extent.Done > work || (r.Extent.Done > 0) != (steps > 0) {
			t.Errorf("work of %d where %d may be done, %d steps", r.Extent.Done, work, steps)
		}
		some += steps
	}
	if some == 0 {
		t.Error("no steps")
	}
}
