package rtmr

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/online"
	"downbeat/online/durations"
)

// platform says which cluster drawGuaranteed draws.
type platform struct {
	common bool
	// heartbeat h; slaves beat first anywhere in [0, h).
	heartbeat model.Time
	// deep draws jobs of up to four stages of any kind, not map and reduce only; graph
	// lets them come after each other in any way, and jobs after jobs.
	deep, graph bool
}

// drawGuaranteed draws a job set on which the guarantee is to hold: see the
// package comment.
func drawGuaranteed(seed uint64, on platform) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 77))
	js := &model.JobSet{Name: fmt.Sprint("seed ", seed), Heartbeat: on.heartbeat, Fetch: model.FetchConcurrent}
	slaves := 1 + rng.IntN(3)
	for i := range slaves {
		s := model.Slave{Name: fmt.Sprint("s", i), FirstBeat: model.Time(rng.Int64N(int64(on.heartbeat)))}
		if on.common {
			s.Slots = 1 + rng.IntN(3)
		} else {
			s.SplitSlots, s.MapSlots, s.ReduceSlots = true, rng.IntN(3), rng.IntN(4)
			if i == 0 {
				s.MapSlots, s.ReduceSlots = max(1, s.MapSlots), max(1, s.ReduceSlots)
			}
		}
		s.Cores = max(1, s.TotalSlots())
		js.Slaves = append(js.Slaves, s)
	}
	// A slave's transfers are all equal, so that none waits for another.
	transfer := make([]model.Time, slaves)
	for i := range transfer {
		transfer[i] = model.Time(rng.IntN(3))
	}
	profile := func() *model.Profile {
		base := 1 + rng.Int64N(20)
		wcet := make([]model.Time, slaves)
		for i := range wcet {
			wcet[i] = model.Time(base + rng.Int64N(1+base/2))
		}
		return model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))
	}
	stage := func(k model.SlotKind) model.Stage {
		st := model.Stage{Name: k.String(), Slot: k}
		for range 1 + rng.IntN(2) {
			st.Groups = append(st.Groups, model.Group{Count: 1 + rng.IntN(4), Profile: profile()})
		}
		return st
	}
	for i := range 2 + rng.IntN(8) {
		j := model.Job{Name: fmt.Sprint("j", i), Release: model.Time(rng.IntN(60)), Kind: model.Hard, Deadline: model.Time(10 + rng.IntN(120))}
		if rng.IntN(6) == 0 {
			j.Kind, j.Deadline = model.BestEffort, 0
		}
		switch shape := rng.IntN(6); {
		case on.deep:
			for n := range 1 + rng.IntN(4) {
				st := stage(model.SlotKind(rng.IntN(2)))
				st.Name = fmt.Sprint(st.Name, n)
				j.Stages = append(j.Stages, st)
			}
		case shape == 0:
			j.Stages = []model.Stage{stage(model.MapSlot)}
		case shape == 1:
			j.Stages = []model.Stage{stage(model.ReduceSlot)}
		default:
			j.Stages = []model.Stage{stage(model.MapSlot), stage(model.ReduceSlot)}
		}
		js.Jobs = append(js.Jobs, j)
	}
	if on.graph {
		drawGraph(rng, js)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

// drawGraph draws what comes after what, in no order of the lists.
func drawGraph(rng *rand.Rand, js *model.JobSet) {
	before := func(n int, chance float64, link func(from, to int)) {
		order := rng.Perm(n)
		for at, to := range order {
			for _, from := range order[:at] {
				if rng.Float64() < chance {
					link(from, to)
				}
			}
		}
	}
	for i := range js.Jobs {
		stages := js.Jobs[i].Stages
		for k := range stages {
			stages[k].After = []int32{}
		}
		before(len(stages), 0.5, func(from, to int) { stages[to].After = append(stages[to].After, int32(from)) })
	}
	before(len(js.Jobs), 0.15, func(from, to int) {
		js.Jobs[to].After = append(js.Jobs[to].After, model.JobID(from))
	})
	for i := range js.Jobs {
		slices.Sort(js.Jobs[i].After)
	}
}

// claim is what RTMR remembers at a time of a job: when slots are free once it
// and all before it are done. It is checked once the run is over.
type claim struct {
	at     model.Time
	jobs   []model.JobID // in the order of the queue
	free   [2]vector
	finish model.Time
	what   string
}

// spy collects the claims of every decision.
type spy struct {
	*Policy
	claims []claim
}

func (s *spy) note(v *online.View, what string) {
	var jobs []model.JobID
	for _, e := range s.queue.entries {
		jobs = append(jobs, e.job.ID())
		s.claims = append(s.claims, claim{v.Now(), slices.Clone(jobs), e.free, e.finish, what})
	}
}

func (s *spy) Admit(v *online.View, j *online.Job) (bool, string) {
	ok, why := s.Policy.Admit(v, j)
	if ok {
		s.overtaken(j)
	}
	s.note(v, "at an arrival, T")
	// What a new job at the head would start from.
	var jobs []model.JobID
	for _, e := range s.queue.entries[:s.queue.started] {
		jobs = append(jobs, e.job.ID())
	}
	s.claims = append(s.claims, claim{v.Now(), jobs, s.queue.last.free, model.Never, "at an arrival, T of the last that started"})
	return ok, why
}

// overtaken drops the claims about jobs that a new one has just been put before:
// they have new records.
func (s *spy) overtaken(by *online.Job) {
	behind := map[model.JobID]bool{}
	for i := len(s.queue.entries) - 1; s.queue.entries[i].job != by; i-- {
		behind[s.queue.entries[i].job.ID()] = true
	}
	s.claims = slices.DeleteFunc(s.claims, func(c claim) bool {
		return len(c.jobs) > 0 && behind[c.jobs[len(c.jobs)-1]]
	})
}

func (s *spy) Watch(v *online.View, ev online.Event) {
	var done *entry
	var jobs []model.JobID
	if ev.Kind == online.Finished {
		done = s.queue.byID[ev.Job.ID()]
		for _, e := range s.queue.entries {
			jobs = append(jobs, e.job.ID())
			if e == done {
				break
			}
		}
	}
	s.Policy.Watch(v, ev)
	if done != nil {
		// U after feedback, else T.
		s.claims = append(s.claims, claim{v.Now(), jobs, done.free, model.Never, "at a job's end, U"})
		s.note(v, "after feedback, T")
	}
}

// check holds claims against what happened in the run.
func (s *spy) check(out *online.Outcome) error {
	slotOf := slotsTaken(out)
	for _, c := range s.claims {
		for pool := range c.free {
			v, ends := actual(out, slotOf, &s.cluster, c.jobs, pool)
			t := c.free[pool].times()
			for i := range v {
				// Before now both are free now.
				if max(t[i], c.at) < max(v[i], c.at) {
					return fmt.Errorf("at %d of jobs %v: %s in pool %d is %v, V is %v", c.at, c.jobs, c.what, pool, t, v)
				}
			}
			if err := count(c, t, ends); err != nil {
				return fmt.Errorf("at %d of jobs %v: %s in pool %d is %v: %w", c.at, c.jobs, c.what, pool, t, err)
			}
		}
		if last := c.jobs; len(last) > 0 && out.Finishes[last[len(last)-1]] > c.finish {
			return fmt.Errorf("at %d: job %d is estimated to end at %d, and ends at %d", c.at, last[len(last)-1], c.finish, out.Finishes[last[len(last)-1]])
		}
	}
	return nil
}

// count checks what is more than T ≥ V: at every time from now on at which some
// slot is free in the estimate, no more tasks end later than slots are free later.
func count(c claim, t []model.Time, ends []model.Time) error {
	for _, at := range append(slices.Clone(t), ends...) {
		for _, x := range []model.Time{at, at - 1} {
			slots := after(t, x)
			if tasks := after(ends, x); x >= c.at && slots < len(t) && tasks > slots {
				return fmt.Errorf("%d tasks end after %d, but only %d slots are free later", tasks, x, slots)
			}
		}
	}
	return nil
}

func after(times []model.Time, t model.Time) (n int) {
	for _, x := range times {
		if x > t {
			n++
		}
	}
	return n
}

// actual is V: when each slot of the pool was free of the jobs, ascending, and
// when their tasks in it ended.
func actual(out *online.Outcome, slotOf []int, c *cluster, jobs []model.JobID, pool int) (v, ends []model.Time) {
	free := map[[2]int]model.Time{}
	for _, j := range jobs {
		spec := &out.JobSet.Jobs[j]
		for t := spec.First; t < spec.End; t++ {
			if c.pool(out.JobSet.Tasks[t].Slot) == pool {
				// Which pool of the slave does not matter: pools of a slave that
				// are counted as one do not occur here.
				key := [2]int{int(out.Schedule[t].Slave), slotOf[t]}
				free[key] = max(free[key], out.Ends[t])
				ends = append(ends, out.Ends[t])
			}
		}
	}
	v = make([]model.Time, 0, c.slots[pool])
	for _, at := range free {
		v = append(v, at)
	}
	for len(v) < c.slots[pool] {
		v = append(v, 0)
	}
	slices.Sort(v)
	return v, ends
}

// slotsTaken numbers the slots of each slave and kind: a task takes the first
// that is free at its assignment.
func slotsTaken(out *online.Outcome) []int {
	js := out.JobSet
	var order []model.TaskID
	for t := range js.Tasks {
		if out.Schedule[t].Slave != model.NoSlave {
			order = append(order, model.TaskID(t))
		}
	}
	slices.SortStableFunc(order, func(a, b model.TaskID) int {
		return int(js.Assigned(out.Schedule[a]) - js.Assigned(out.Schedule[b]))
	})
	slotOf := make([]int, len(js.Tasks))
	until := map[[3]int]model.Time{}
	for _, t := range order {
		s := out.Schedule[t].Slave
		slot := [3]int{int(s), js.Slaves[s].Pool(js.Tasks[t].Slot), 0}
		for until[slot] > js.Assigned(out.Schedule[t]) {
			slot[2]++
		}
		until[slot] = out.Ends[t]
		slotOf[t] = slot[2]
	}
	return slotOf
}

// run plays a job set and checks the plan.
func run(t *testing.T, js *model.JobSet, p online.Policy, opts online.Options) *online.Outcome {
	t.Helper()
	out, err := online.Run(context.Background(), js, p, opts)
	if err != nil {
		t.Fatalf("%s: %v", js.Name, err)
	}
	if err := check.Plan(js, out.Plan()).Err(); err != nil {
		t.Fatalf("%s: %v", js.Name, err)
	}
	return out
}

// The appendix' claims, T ≥ V and U ≥ V, at every arrival and end of a job, and
// a success ratio of 100 %.
func TestGuarantee(t *testing.T) {
	runs := testkit.Sets(60, 1500)
	for _, c := range []struct {
		name string
		on   platform
		opts Options
	}{
		{"feedback", platform{heartbeat: 1}, Options{Feedback: true, NoBeat: true}},
		{"feedback, threshold", platform{heartbeat: 1}, Options{Feedback: true, Delta: TypicalMap, NoBeat: true}},
		{"feedback, kept", platform{heartbeat: 1}, Options{Feedback: true, Keep: true, NoBeat: true}},
		{"no feedback", platform{heartbeat: 1}, Options{NoBeat: true}},
		{"with a beat", platform{heartbeat: 1}, Default()},
		{"fifo", platform{heartbeat: 1}, Options{Order: FIFO, Feedback: true, NoBeat: true}},
		{"llf", platform{heartbeat: 1}, Options{Order: LLF, Feedback: true, NoBeat: true}},
		{"long beats", platform{heartbeat: 4}, Options{Feedback: true}},
		{"common slots", platform{heartbeat: 1, common: true}, Options{Feedback: true, NoBeat: true}},
		{"common slots, many stages", platform{heartbeat: 3, common: true, deep: true}, Options{Feedback: true, Keep: true}},
		{"many stages", platform{heartbeat: 1, deep: true}, Options{Feedback: true, NoBeat: true}},
		{"graphs", platform{heartbeat: 1, deep: true, graph: true}, Options{Feedback: true, NoBeat: true}},
		{"common slots, graphs", platform{heartbeat: 3, common: true, deep: true, graph: true}, Options{Feedback: true, Keep: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			accepted, jobs, claims := 0, 0, 0
			for seed := range uint64(runs) {
				js := drawGuaranteed(seed, c.on)
				opts := online.Options{Seed: seed}
				if seed%4 > 0 {
					opts.Durations = durations.Uniform{Lo: 0.1, Hi: 1}
				}
				s := &spy{Policy: New(c.opts)}
				out := run(t, js, s, opts)
				if err := s.check(out); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				m := online.Measure(out)
				if m.SuccessRatio < 1 {
					t.Fatalf("seed %d: of %d accepted jobs %d are in time", seed, m.Accepted, m.Successful)
				}
				accepted += m.Accepted
				jobs += m.Jobs
				claims += len(s.claims)
			}
			t.Logf("%d of %d jobs accepted, %d claims", accepted, jobs, claims)
			if accepted*5 < jobs || accepted*5 > jobs*4 {
				t.Errorf("%d of %d jobs accepted: the draw says little about admission", accepted, jobs)
			}
		})
	}
}

// The checks can fail: with > as printed some claim is broken.
func TestGuaranteeNeedsReserve(t *testing.T) {
	for seed := range uint64(2000) {
		js := drawGuaranteed(seed, platform{heartbeat: 1})
		s := &spy{Policy: New(Options{NoBeat: true, Reserve: Printed})}
		out := run(t, js, s, online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.1, Hi: 1}})
		if err := s.check(out); err != nil {
			t.Logf("seed %d: %v", seed, err)
			return
		}
	}
	t.Error("no claim is broken without the reserve that they rest on")
}

// A slave starts its tasks in the order in which it got them. J's reduce, given
// at 0, fetches until 8; K's map, given right after it, has nothing to fetch, but
// starts at 8 and ends at 18 instead of 10. That is why the guarantee wants
// transfers that do not delay each other. Within the execution times, where J's
// reduce takes 9 and fetches nothing, K is in time.
func TestGuaranteeNeedsOrderlyTransfers(t *testing.T) {
	for _, c := range []struct{ transfer, end model.Time }{{8, 18}, {0, 10}} {
		js := onSlave(slave(1, 1), job("J", 0, 9, 0, 0, 1, 9), job("K", 0, 10, 1, 10, 0, 0))
		js.Jobs[0].Stages[0].Groups[0].Profile = model.NewProfile(model.ConstRow(1, 9-c.transfer), model.ConstRow(1, c.transfer))
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		// The head of the queue is served first, and that is J.
		out := run(t, js, New(Options{NoBeat: true}), online.Options{})
		if len(out.Rejected) > 0 || out.Finishes[1] != c.end {
			t.Errorf("transfer %d: K ends at %d, rejected %v, want %d and none", c.transfer, out.Finishes[1], out.Rejected, c.end)
		}
	}
}
