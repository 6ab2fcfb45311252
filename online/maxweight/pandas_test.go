package maxweight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/maxweight"
)

// Two slaves of one core; both tasks of a have their input on s and fetch for 2 ticks on t,
// that of b has it on t.
const near = `
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 3, wcet: 4, transfer: {s: 0, t: 2}}}
  - {name: b, release: 1, map: {tasks: 1, wcet: 4, transfer: {s: 2, t: 0}}}`

func starts(t *testing.T, p online.Policy) string {
	t.Helper()
	js := load(t, near)
	out := run(t, js, p, online.Options{Trace: true})
	var parts []string
	for i := range js.Tasks {
		at := out.Schedule[i]
		parts = append(parts, fmt.Sprintf("%s on %s at %d", js.TaskName(model.TaskID(i)), js.Slaves[at.Slave].Name, at.Start))
	}
	return strings.Join(parts, ", ")
}

// Pandas: all of a joins the queue of s, which starts the first at 0. The queue of t is empty,
// so it takes the second at 0, from the longest, and starts it at 2, until 6. b joins the
// queue of t at 1. At 4 s takes the last of a. At 6 t serves its own queue: b starts then.
func TestPandasByHand(t *testing.T) {
	want := "a/map/1 on s at 0, a/map/2 on t at 2, a/map/3 on s at 4, b/map/1 on t at 6"
	if got := starts(t, maxweight.NewPandas(maxweight.PandasParams{Seed: 1})); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Balanced-Pandas with rates 1 and 1/4: the first task of a is to find both slaves without
// work: 0 local, 0 remote: a tie, which goes to s for the higher rate. The second finds work of 1 at s and
// 0 at t: 1/1 against 0/(1/4): it joins t, where it counts 4. The third finds 1/1 at s and
// 4/(1/4) at t: it joins s. b at 1 finds 4/1 at t, and 2 tasks at s: 2/(1/4) = 8. It joins t,
// which serves it at 6, once the remote task that it began at 0 has fetched for 2 ticks and run
// for 4; nobody else may. The last of a starts at 4 on s.
func TestBalancedPandasByHand(t *testing.T) {
	want := "a/map/1 on s at 0, a/map/2 on t at 2, a/map/3 on s at 4, b/map/1 on t at 6"
	if got := starts(t, maxweight.NewPandas(maxweight.PandasParams{Balanced: true, Alpha: 1, Gamma: 0.25})); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A slave takes tasks of others' queues only if nothing in its own fits, and no slave of
// Balanced-Pandas gets a remote task while it has a local one that fits: of what it is given
// at one heartbeat, local ones come first.
func TestPandasServesItsOwnFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 24)
		params := maxweight.PandasParams{Balanced: rapid.Bool().Draw(t, "balanced"), Seed: rapid.Uint64Range(0, 5).Draw(t, "ties")}
		out, err := online.Play(t.Context(), js, maxweight.NewPandas(params), online.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		others := map[[2]int64]bool{}
		for _, d := range out.Trace {
			at, why := [2]int64{int64(d.At), int64(d.Slave)}, d.Candidates[0].Key
			switch local := slices.Contains(js.Tasks[d.Task].Nearest(), d.Slave); {
			case strings.HasPrefix(why, "own") && others[at]:
				t.Errorf("at %d slave %d serves its own queue after others", d.At, d.Slave)
			case strings.HasPrefix(why, "remote") && local:
				t.Errorf("%s is local and was in the remote queue", js.TaskName(d.Task))
			case !strings.HasPrefix(why, "own") && !strings.HasPrefix(why, "reduce"):
				others[at] = true
			}
		}
	})
}
