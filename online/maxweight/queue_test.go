package maxweight

import (
	"context"
	"testing"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/online/durations"
)

// counted is the policy, counted over after every heartbeat.
type counted struct {
	*policy
	t    *testing.T
	seed uint64
}

func (c counted) Heartbeat(v *online.View, o *online.Offer) {
	c.policy.Heartbeat(v, o)
	waits := map[*online.Group]int{}
	inQueues := make([]int, len(c.queues))
	for q := range c.queues {
		for _, w := range c.queues[q].waits {
			waits[w.group] += w.tasks
			inQueues[q] += w.tasks
		}
	}
	for _, q := range c.joined {
		inQueues[q]++
	}
	for q := range c.queues {
		if c.queues[q].length != inQueues[q] {
			c.t.Fatalf("seed %d, at %d: queue %d has length %d, counted %d", c.seed, v.Now(), q, c.queues[q].length, inQueues[q])
		}
	}
	held := 0
	for s := range v.Slaves() {
		for _, h := range v.Held(model.SlaveID(s)) {
			if v.Task(h.Task).Slot == model.MapSlot {
				held++
			}
		}
	}
	if !c.params.Waiting && len(c.joined) != held {
		c.t.Fatalf("seed %d, at %d: %d map tasks on slaves, %d count in queues", c.seed, v.Now(), held, len(c.joined))
	}
	for _, j := range v.Ready() {
		for _, b := range j.Groups() {
			if b.Slot() == model.MapSlot && waits[b] != b.Len() {
				c.t.Fatalf("seed %d, at %d: of %d tasks of job %s %d wait in queues", c.seed, v.Now(), b.Len(), j.Spec().Name, waits[b])
			}
		}
	}
}

// Each ready task waits in one queue and each one on a slave counts in one,
// through failures, absences and stages.
func TestTasksAreInQueues(t *testing.T) {
	for seed := range uint64(600) {
		k := gen.TinyKnobs()
		k.Tasks, k.Slaves, k.Local = gen.Range{Lo: 3, Hi: 30}, gen.Range{Lo: 1, Hi: 8}, 0.8
		k.FirstStage, k.Tightness = gen.Range{Lo: 1, Hi: 9}, gen.Range{Lo: 95, Hi: 400}
		js, _ := gen.Random(k, seed)
		opts := online.Options{Seed: seed, Durations: durations.Uniform{Lo: 0.2, Hi: 1}}
		if seed%2 == 0 {
			opts.Faults = &online.Faults{MTBF: 30, MTTR: 5}
		}
		p := counted{New(Params{Seed: seed, Waiting: seed%3 == 0}).(*policy), t, seed}
		if _, err := online.Run(context.Background(), js, p, opts); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
