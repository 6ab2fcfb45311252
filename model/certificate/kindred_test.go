package certificate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/longtest"
)

// kindred draws a set of so many tasks in which much is equal that stands side by side: slaves,
// slots of each kind, figures of tasks in stages that do not wait for each other, jobs.
func kindred(rng *rand.Rand, tasks int) *model.JobSet {
	chance := func(n int) bool { return rng.IntN(n) == 0 }
	js := &model.JobSet{Heartbeat: 1 + within(rng, 3), FIFO: chance(8)}
	if chance(6) {
		js.Fetch = model.FetchConcurrent
	}
	for n := range rng.IntN(3) {
		js.Named = append(js.Named, fmt.Sprint("n", n))
	}
	for k := range 1 + rng.IntN(2) {
		s := kindredSlave(rng, len(js.Named))
		if k > 0 && !chance(3) {
			s = js.Slaves[0]
		}
		s.Name = fmt.Sprint("s", k)
		js.Slaves = append(js.Slaves, s)
	}
	profiles := []*model.Profile{kindredProfile(rng, js), kindredProfile(rng, js)}
	for tasks > 0 {
		if n := len(js.Jobs); n > 0 && chance(3) { // again
			twin := js.Jobs[n-1]
			twin.Name, twin.Stages = fmt.Sprint("j", n), slices.Clone(twin.Stages)
			if twin.Kind != model.BestEffort && chance(3) {
				twin.Deadline++
			}
			for _, st := range twin.Stages {
				tasks -= st.Groups[0].Count
			}
			js.Jobs = append(js.Jobs, twin)
			continue
		}
		j := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Kind: model.JobKind(rng.IntN(3)), Weight: 1 + rng.Int64N(3)}
		if j.Kind != model.BestEffort {
			j.Deadline = 1 + within(rng, 7)
		}
		if chance(4) {
			j.Release = 1
		}
		if n := len(js.Jobs); n > 0 && chance(4) {
			j.After = []model.JobID{model.JobID(rng.IntN(n))}
		}
		for k := int32(0); tasks > 0 && k < 1+rng.Int32N(3); k++ {
			count := 1 + rng.IntN(min(2, tasks))
			tasks -= count
			j.Stages = append(j.Stages, model.Stage{
				Name: fmt.Sprint("t", k), Slot: model.SlotKind(rng.IntN(2)),
				After:  [][]int32{nil, {}, {}, {max(0, k-1)}, {0}}[rng.IntN(2+min(3, 2*int(k)))],
				Groups: []model.Group{{Count: count, Profile: profiles[rng.IntN(2)]}},
			})
		}
		js.Jobs = append(js.Jobs, j)
	}
	return js
}

// kindredSlave has enough for every task.
func kindredSlave(rng *rand.Rand, named int) model.Slave {
	s := model.Slave{Cores: 2 + rng.IntN(2), Slots: 1 + rng.IntN(3)}
	if rng.IntN(3) == 0 {
		s.SplitSlots, s.Slots, s.MapSlots, s.ReduceSlots = true, 0, 1+rng.IntN(2), 1+rng.IntN(2)
	}
	if rng.IntN(3) == 0 {
		s.FirstBeat = within(rng, 3)
	}
	if rng.IntN(3) == 0 {
		at := within(rng, 7)
		s.Down = []model.Interval{{Start: at, End: at + 1 + within(rng, 2)}}
	}
	for range named {
		s.Units = append(s.Units, 2+rng.Int64N(2))
	}
	return s
}

// kindredProfile is the same on all slaves, most often.
func kindredProfile(rng *rand.Rand, js *model.JobSet) *model.Profile {
	var run, fetch []model.Time
	for s := range js.Slaves {
		run, fetch = append(run, 1+within(rng, 3)), append(fetch, within(rng, 3)*within(rng, 2))
		if rng.IntN(4) > 0 {
			run[s], fetch[s] = run[0], fetch[0]
		}
	}
	needs := model.Needs{Cores: 1 + rng.Int64N(3)/2}
	for n := range js.Named {
		needs.Units[n] = rng.Int64N(3)
	}
	return model.NewProfile(model.DenseRow(run), model.DenseRow(fetch)).Needing(needs)
}

// finer is a set in which all times are so many ticks as they were.
func finer(js *model.JobSet, ticks model.Time) *model.JobSet {
	out := *js
	out.Heartbeat *= ticks
	out.Slaves, out.Jobs = slices.Clone(js.Slaves), slices.Clone(js.Jobs)
	for k := range out.Slaves {
		s := &out.Slaves[k]
		s.FirstBeat, s.Down = s.FirstBeat*ticks, slices.Clone(s.Down)
		for n := range s.Down {
			s.Down[n] = model.Interval{Start: s.Down[n].Start * ticks, End: s.Down[n].End * ticks}
		}
	}
	times := func(t model.Time) model.Time { return t * ticks }
	longer := model.NewMapper(times, times)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		j.Release, j.Deadline, j.Stages = j.Release*ticks, j.Deadline*ticks, slices.Clone(j.Stages)
		for k := range j.Stages {
			j.Stages[k].Groups = slices.Clone(j.Stages[k].Groups)
			for n := range j.Stages[k].Groups {
				j.Stages[k].Groups[n].Profile = longer.Profile(j.Stages[k].Groups[n].Declared())
			}
		}
	}
	return &out
}

// TestCoarserTick: where there is a schedule in ticks of the file there is one in those of a
// proof, which divide all times of the set; and of the times of the set no more is left.
func TestCoarserTick(t *testing.T) {
	tried, between := 0, 0
	for seed := range longtest.Sets[uint64](40, 1_000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		js := kindred(rng, 1+rng.IntN(3))
		fine := finer(js, 2)
		if js.Assemble() != nil || fine.Assemble() != nil {
			t.Fatalf("seed %d is no set", seed)
		}
		s := &set{t: t, seed: seed, rng: rng, js: js, gone: make([]bool, len(js.Slaves))}
		if s.ask(); s.q == nil || slices.ContainsFunc(s.q.jobs, func(a asked) bool { return 2*a.by >= horizon }) {
			continue
		}
		s.list()
		twice := &question{jobs: slices.Clone(s.q.jobs), limits: s.q.limits}
		for k := range twice.jobs {
			twice.jobs[k].by *= 2
		}
		if twice.limits[weighted] != noLimit {
			twice.limits[weighted] *= 2
		}
		f := &set{t: t, seed: seed, js: fine, q: twice, gone: s.gone}
		if f.list(); len(f.all) == 0 || s.nodes > mostNodes {
			continue
		}
		tried++
		if len(s.all) == 0 {
			t.Fatalf("seed %d: %v has a schedule in ticks of the file, not in those of the proof", seed, *s.q)
		}
		if len(f.all) > len(s.all) {
			between++
		}
		c := newChecker(t.Context(), fine, strings.NewReader(""))
		if c.measure(2); c.err != nil || c.js.Digest() != js.Digest() {
			t.Fatalf("seed %d: %v, and another set in ticks of 2", seed, c.err)
		}
	}
	t.Logf("%d questions, %d of them with schedules between the ticks", tried, between)
	if between == 0 {
		t.Error("nothing could be between ticks")
	}
}
