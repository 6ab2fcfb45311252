package inference

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
)

// finer is a set in which all times are so many ticks as they were, not assembled yet.
func finer(js *model.JobSet, ticks model.Time) *model.JobSet {
	times := func(t model.Time) model.Time {
		if t == model.Never {
			return t
		}
		return t * ticks
	}
	within := func(in model.Interval) model.Interval {
		return model.Interval{Start: times(in.Start), End: times(in.End)}
	}
	held := func(all []model.SharedHold) []model.SharedHold {
		all = slices.Clone(all)
		for n := range all {
			all[n].Interval = within(all[n].Interval)
		}
		return all
	}
	out := *js
	out.Heartbeat, out.Tasks = times(out.Heartbeat), nil
	out.Slaves, out.Jobs, out.Pools = slices.Clone(js.Slaves), slices.Clone(js.Jobs), slices.Clone(js.Pools)
	for k := range out.Slaves {
		s := &out.Slaves[k]
		s.FirstBeat, s.Down, s.Reservations = times(s.FirstBeat), slices.Clone(s.Down), slices.Clone(s.Reservations)
		for n := range s.Down {
			s.Down[n] = within(s.Down[n])
		}
		for n := range s.Reservations {
			s.Reservations[n].Interval = within(s.Reservations[n].Interval)
		}
	}
	for k := range out.Pools {
		p := &out.Pools[k]
		p.Levels, p.Reserved = slices.Clone(p.Levels), held(p.Reserved)
		for n := range p.Levels {
			p.Levels[n].From = times(p.Levels[n].From)
		}
	}
	longer := model.NewMapper(times, times)
	for i := range out.Jobs {
		j := &out.Jobs[i]
		j.Release, j.Deadline, j.Stages, j.Reserved = times(j.Release), times(j.Deadline), slices.Clone(j.Stages), held(j.Reserved)
		for k := range j.Stages {
			st := &j.Stages[k]
			st.Groups, st.Reserved, st.StartAt = slices.Clone(st.Groups), held(st.Reserved), times(st.StartAt)
			for n := range st.Groups {
				st.Groups[n].Profile = longer.Profile(st.Groups[n].Declared())
			}
		}
	}
	return &out
}

// TestCoarserTick: where there is a schedule in ticks of the file there is one in those of a
// proof, which divide all times of the set; and of the times of the set no more is left.
func TestCoarserTick(t *testing.T) {
	tried, between := 0, 0
	for seed := range testkit.Sets[uint64](40, 1_000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		js := gen.Kindred(rng, 1+rng.IntN(3))
		if rng.IntN(3) == 0 {
			js = gen.Coupled(js, seed, false)
			js.Tasks = nil
		}
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
		if twice.limits[model.WeightedTardiness] != noLimit {
			twice.limits[model.WeightedTardiness] *= 2
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
