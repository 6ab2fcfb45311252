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

// Two slaves with four map and four reduce slots each beat at 0, 1, 2 and so on; inputs are on s.
const shares = `version: 1
cluster: {heartbeat: 1, fetch: concurrent, slaves: [{name: s, cores: 8, map_slots: 4, reduce_slots: 4}, {name: t, cores: 8, map_slots: 4, reduce_slots: 4}]}
jobs:
  - {name: a, map: {tasks: 6, wcet: 5, transfer: {s: 0, t: 1}}, reduce: {tasks: 4, wcet: 3}}`

// Of six maps each of two equal slaves takes three. s has the inputs and starts its three at once; t may
// start one away from its input at each heartbeat, at 0, 1 and 2, a tick later each for the transfer. The
// last map ends at 8, and of the four reduces each slave takes two, one at each heartbeat.
// Plain FIFO fills s with four and t with two at 0, and then all reduces on s.
func TestHadoopByHand(t *testing.T) {
	js, err := jobfile.Load("test", []byte(shares))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		policy online.Policy
		want   string
	}{
		{Hadoop(), "s0 s0 s0 t1 t2 t3 s8 t8 s9 t9"},
		{FIFO(), "s0 s0 s0 s0 t1 t1 s6 s6 s6 s6"},
	} {
		out, err := online.Play(context.Background(), js, c.policy, online.Options{Trace: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range js.Tasks {
			at := out.Schedule[i]
			got = append(got, fmt.Sprintf("%s%d", js.Slaves[at.Slave].Name, at.Start))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s\nwant %s", text, c.want)
		}
	}
}

// Every set is played to its end, and no slave takes two reduces, nor two maps away from their input, at
// a heartbeat.
func TestHadoopHoldsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := gen.Small(rapid.Uint64Range(0, 100_000).Draw(t, "seed"), 20)
		out, err := online.Play(context.Background(), js, Hadoop(), online.Options{})
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]int{}
		for i := range js.Tasks {
			task, at := &js.Tasks[i], out.Schedule[i]
			near := task.Nearest()
			local := near == nil
			for _, s := range near {
				local = local || s == at.Slave
			}
			if task.Slot == model.MapSlot && local {
				continue
			}
			key := fmt.Sprint(at.Slave, js.Assigned(at), task.Slot)
			if held[key]++; held[key] > 1 {
				t.Fatalf("two at once on slave %d at %d", at.Slave, js.Assigned(at))
			}
		}
	})
}
