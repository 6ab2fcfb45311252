package basic

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/online"
)

const waits = `version: 1
cluster: {heartbeat: 1, slaves: [{name: s}, {name: t}]}
jobs:
  - {name: a, map: {tasks: 2, wcet: 5, transfer: {s: 0, t: 3}}}`

func play(t *testing.T, skips int) string {
	t.Helper()
	js, err := jobfile.Load("test", []byte(waits))
	if err != nil {
		t.Fatal(err)
	}
	out, err := online.Play(context.Background(), js, Delay(skips), online.Options{Trace: true})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i := range js.Tasks {
		at := out.Schedule[i]
		parts = append(parts, fmt.Sprintf("%s on %s at %d", js.TaskName(model.TaskID(i)), js.Slaves[at.Slave].Name, at.Start))
	}
	return strings.Join(parts, ", ")
}

// The inputs of both tasks are on s. At 0 s takes the first, and the job, which has nothing
// local for t, is skipped there. With no skips allowed t takes the second at once, fetches
// for 3 ticks and starts it at 3. With 2 it is skipped at 0 and 1, and at 2 t may have it:
// it starts at 5. With 9 s is free again before, at 5, and has the input.
func TestByHand(t *testing.T) {
	for skips, want := range map[int]string{
		0:        "a/map/1 on s at 0, a/map/2 on t at 3",
		2:        "a/map/1 on s at 0, a/map/2 on t at 5",
		PerSlave: "a/map/1 on s at 0, a/map/2 on t at 5",
		9:        "a/map/1 on s at 0, a/map/2 on s at 5",
	} {
		if got := play(t, skips); got != want {
			t.Errorf("%d skips: %s\nwant %s", skips, got, want)
		}
	}
}

// A task is only started away from its input after its job was skipped so often.
func TestRemoteTasksHaveWaited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 24)
		skips := rapid.IntRange(0, 8).Draw(t, "skips")
		out, err := online.Play(context.Background(), js, Delay(skips), online.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("skipped %d times", skips)
		for _, d := range out.Trace {
			near, local := js.Tasks[d.Task].Nearest(), false
			for _, s := range near {
				local = local || s == d.Slave
			}
			if key := d.Candidates[0].Key; near != nil && !local && !strings.HasSuffix(key, want) {
				t.Errorf("%s away from its input: %s, want %s", js.TaskName(d.Task), key, want)
			}
		}
	})
}
