package aria

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// Four tasks of 10 on average and 12 at most on two slots: at least 4·10/2 = 20, at most
// 3·10/2 + 12 = 27.
func TestBoundsByHand(t *testing.T) {
	if lower, upper := StageTime(4, 2, 10, 12); lower != 20 || upper != 27 {
		t.Errorf("from %g to %g, want 20 to 27", lower, upper)
	}
}

// Whatever a greedy assignment does, its end lies between the bounds (ARIA's Theorem).
func TestGreedyEndsWithinTheBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks := rapid.SliceOfN(rapid.IntRange(1, 50), 1, 40).Draw(t, "tasks")
		k := rapid.IntRange(1, 12).Draw(t, "slots")
		free := make([]int, k)
		sum, longest, end := 0, 0, 0
		for _, length := range tasks {
			first := 0
			for s := range free {
				if free[s] < free[first] {
					first = s
				}
			}
			free[first] += length
			sum, longest, end = sum+length, max(longest, length), max(end, free[first])
		}
		n := len(tasks)
		lower, upper := StageTime(n, k, float64(sum)/float64(n), float64(longest))
		if float64(end) < lower-rounding || float64(end) > upper+rounding {
			t.Errorf("%v on %d slots end at %d, outside of %g to %g", tasks, k, end, lower, upper)
		}
	})
}

// By the lower bound 20 maps of 5 and 5 reduces of 5 take 100/m + 25/r. In 15 ticks the
// multiplier gives m = (100 + 50)/15 = 10 and r = (25 + 50)/15 = 5, and 100/10 + 25/5 = 15.
// Where slots have no kind, 125/15 is 9 of them.
func TestSlotsByHand(t *testing.T) {
	var w Work
	w.add(false, 20, 5, 5, Lower)
	w.add(true, 5, 5, 5, Lower)
	if m, r := w.Slots(15); m != 10 || r != 5 {
		t.Errorf("%d map and %d reduce slots, want 10 and 5", m, r)
	}
	if n := w.Common(15); n != 9 {
		t.Errorf("%d common slots, want 9", n)
	}
	if m, r := w.Slots(5); m != 20 || r != 5 {
		t.Errorf("%d and %d slots where none will do, want all tasks: 20 and 5", m, r)
	}
}

// The slots meet the time wherever any do, and are at most one more than the fewest.
func TestSlotsAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Work
		by := rapid.SampledFrom([]Bound{Lower, Average, Upper}).Draw(t, "bound")
		for range rapid.IntRange(1, 3).Draw(t, "stages") {
			mean := float64(rapid.IntRange(1, 30).Draw(t, "mean"))
			w.add(rapid.Bool().Draw(t, "reduce"), rapid.IntRange(1, 20).Draw(t, "tasks"), mean, mean*1.5, by)
		}
		within := float64(rapid.IntRange(0, 600).Draw(t, "within"))
		least := math.MaxInt
		for m := range w.MapTasks + 1 {
			for r := range w.ReduceTasks + 1 {
				if w.meets(m, r, within) {
					least = min(least, m+r)
				}
			}
		}
		m, r := w.Slots(within)
		switch {
		case least == math.MaxInt && (m != w.MapTasks || r != w.ReduceTasks):
			t.Errorf("no slots will do, and it is %d and %d of %+v", m, r, w)
		case least < math.MaxInt && !w.meets(m, r, within):
			t.Errorf("%d and %d do not do in %g for %+v", m, r, within, w)
		case least < math.MaxInt && m+r > least+1:
			t.Errorf("%d and %d in %g for %+v, and %d will do", m, r, within, w, least)
		}
	})
}

func (w Work) meets(m, r int, within float64) bool {
	if m == 0 && w.MapTasks > 0 || r == 0 && w.ReduceTasks > 0 {
		return false
	}
	sum := w.Fixed
	if m > 0 {
		sum += w.Maps / float64(m)
	}
	if r > 0 {
		sum += w.Reduces / float64(r)
	}
	return sum <= within+rounding/2
}

const spare = `version: 1
cluster: {heartbeat: 1, slaves: [{name: s, cores: 4, slots: 4}]}
jobs:
  - {name: a, hard: false, deadline: 20, map: {tasks: 4, wcet: 10}}
  - {name: b, release: 1, hard: false, deadline: 12, map: {tasks: 2, wcet: 10}}`

func play(t *testing.T, text string, p online.Policy) string {
	t.Helper()
	js, err := jobfile.Load("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, p, online.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i := range js.Tasks {
		parts = append(parts, fmt.Sprintf("%s at %d", js.TaskName(model.TaskID(i)), out.Schedule[i].Start))
	}
	return strings.Join(parts, ", ")
}

// By the lower bound a needs 4·10/20 = 2 slots of four. MinEDF leaves the others free, so that
// b, which needs 2·10/12, both, begins at once and ends at 11, before its deadline of 13;
// the rest of a follows at 10. With spare slots a has all four at 0, and b, as nothing is
// killed, begins at 10 and is late.
func TestSpareSlotsByHand(t *testing.T) {
	want := "a/map/1 at 0, a/map/2 at 0, a/map/3 at 10, a/map/4 at 10, b/map/1 at 1, b/map/2 at 1"
	if got := play(t, spare, New(Params{Bound: Lower, Keep: true})); got != want {
		t.Errorf("MinEDF: %s\nwant %s", got, want)
	}
	want = "a/map/1 at 0, a/map/2 at 0, a/map/3 at 0, a/map/4 at 0, b/map/1 at 10, b/map/2 at 10"
	if got := play(t, spare, New(Params{Bound: Lower})); got != want {
		t.Errorf("MinEDF-WC: %s\nwant %s", got, want)
	}
}

// As above, but a is due at 22, so that it needs two slots still at 1. With spare slots taken back
// the two of a's four tasks are killed that were handed out last: b, which needs two slots of which none
// is free, begins at once, and they run again, from the beginning, once slots are free. At 1 with a
// deadline of 20 a would need three, 4·10/19, and lose one alone.
func TestKillByHand(t *testing.T) {
	for due, want := range map[int]string{
		22: "a/map/1 at 0, a/map/2 at 0, a/map/3 at 10, a/map/4 at 10, b/map/1 at 1, b/map/2 at 1",
		20: "a/map/1 at 0, a/map/2 at 0, a/map/3 at 0, a/map/4 at 10, b/map/1 at 1, b/map/2 at 10",
	} {
		text := strings.Replace(spare, "deadline: 20", fmt.Sprintf("deadline: %d", due), 1)
		if got := play(t, text, New(Params{Bound: Lower, Kill: true})); got != want {
			t.Errorf("due at %d: %s\nwant %s", due, got, want)
		}
	}
}

// Whatever is killed, every run leaves a valid plan, and at the end all has run.
func TestKillsLeaveValidPlans(t *testing.T) {
	killed := 0
	for seed := range testkit.Tiny(t, 150, 200) {
		js := gen.Small(seed, 24)
		if seed%2 == 1 {
			js = gen.Coupled(js, seed, false)
		}
		opts := online.Options{Seed: seed}
		if seed%3 == 0 {
			opts.Durations = durations.Uniform{Lo: 0.3, Hi: 1}
		}
		out, err := online.Play(context.Background(), js, New(Params{Kill: true}), opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		killed += len(out.Lost)
		for i, f := range out.Finishes {
			if f == model.Never {
				t.Errorf("seed %d: job %s never ends", seed, js.Jobs[i].Name)
			}
		}
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
}

// No job takes a slot beyond its fewest before each job with tasks for the slave has its own.
func TestSpareSlotsComeLast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 24)
		out, err := online.Play(context.Background(), js, New(Params{}), online.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		was := map[[2]int64]bool{} // a spare slot was given by this slave at this tick
		for _, d := range out.Trace {
			at := [2]int64{int64(d.At), int64(d.Slave)}
			isSpare := strings.HasPrefix(d.Candidates[0].Key, "spare")
			if was[at] && !isSpare {
				t.Errorf("at %d slave %d gives what is least after what is spare", d.At, d.Slave)
			}
			was[at] = isSpare
		}
	})
}
