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
	for seed := range testkit.Sets[uint64](40, 1_000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		js := gen.Kindred(rng, 1+rng.IntN(3))
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
