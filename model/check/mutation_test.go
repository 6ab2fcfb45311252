package check

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/naive"
	"downbeat/model"
)

// TestRandomPlansAreValid is the good side: what the literal rules accepted
// one by one is valid as a whole, claims included.
func TestRandomPlansAreValid(t *testing.T) {
	for seed := range testkit.Sets[uint64](200, 2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		js, p := naive.Random(t, r, seed%2 == 1)
		if rep := Plan(js, p); !rep.OK() {
			t.Fatalf("seed %d: %v", seed, rep.Err())
		}
		if p.Kind == model.KindExecuted {
			continue
		}
		if rep := Schedule(js, naive.Schedule(js, p), false); !rep.OK() {
			t.Fatalf("seed %d: schedule: %v", seed, rep.Err())
		}
	}
}

// TestMutations changes valid plans at one place and compares the rules found
// broken with the literal evaluation.
func TestMutations(t *testing.T) {
	plans, each := testkit.Sets[uint64](200, 800), 20
	invalid := map[string]int{}
	valid := 0
	for seed := range plans {
		r := rand.New(rand.NewPCG(seed, 2))
		js, p := naive.Random(t, r, seed%3 == 0)
		p.Status, p.Objectives, p.Jobs, p.Digest = "", nil, nil, ""
		for i := range each {
			m := mutate(r, js, p)
			if i%4 == 0 {
				m = mutate(r, js, m)
			}
			want := naive.Broken(js, m)
			got := map[string]bool{}
			for _, v := range Plan(js, m).Violations {
				got[v.Rule] = true
			}
			if !maps.Equal(got, want) {
				t.Fatalf("seed %d mutation %d: rules %v, literally %v\n%v\ntasks %+v\nlost %+v\nslaves %+v",
					seed, i, sortedKeys(got), sortedKeys(want), Plan(js, m).Err(), m.Tasks, m.Lost, js.Slaves)
			}
			for rule := range want {
				invalid[rule]++
			}
			if len(want) == 0 {
				valid++
			}
		}
	}
	t.Logf("%d mutations, %d still valid; broken: %v", int(plans)*each, valid, invalid)
	for _, rule := range []string{"name", "missing", "duplicate", "time", "beat", "C0", "C1", "C2", "C3",
		"C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12", "down", "fifo", "lost"} {
		if invalid[rule] == 0 {
			t.Errorf("no mutation broke %s", rule)
		}
	}
	if valid == 0 {
		t.Error("every mutation was invalid, so the good side was never compared")
	}
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }

// mutate is a copy of p with one line changed, dropped or doubled.
func mutate(r *rand.Rand, js *model.JobSet, p *model.Plan) *model.Plan {
	m := *p
	m.Tasks, m.Lost = slices.Clone(p.Tasks), slices.Clone(p.Lost)
	lines := &m.Tasks
	if len(m.Lost) > 0 && r.IntN(3) == 0 {
		lines = &m.Lost
	}
	if len(*lines) == 0 {
		return &m // nothing left to change
	}
	i := r.IntN(len(*lines))
	x := &(*lines)[i]
	step := model.Time(1 + r.IntN(4))
	if r.IntN(2) == 0 {
		step = -step
	}
	switch r.IntN(14) {
	case 0:
		x.Job = fmt.Sprintf("j%d", r.IntN(4))
	case 1:
		x.Stage = fmt.Sprintf("p%d", r.IntN(4))
	case 2:
		x.Task += int(step)
	case 3:
		x.Slave = fmt.Sprintf("s%d", r.IntN(4))
	case 4:
		x.Beat += step
	case 5:
		x.Assigned += step
	case 6:
		x.Fetch += step
	case 7:
		x.Start += step
	case 8:
		x.Finish += step
	case 9:
		*lines = slices.Delete(*lines, i, i+1)
	case 10:
		*lines = append(*lines, (*lines)[r.IntN(len(*lines))])
	case 11: // run elsewhere in time
		x.Start += step
		x.Finish += step
	case 12: // another beat, all else as it is
		x.Beat += step
		x.Assigned += step * js.Heartbeat
	case 13: // all of it elsewhere in time
		x.Beat += step
		x.Assigned += step * js.Heartbeat
		x.Fetch += step * js.Heartbeat
		x.Start += step * js.Heartbeat
		x.Finish += step * js.Heartbeat
	}
	return &m
}
