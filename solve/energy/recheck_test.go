package energy_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/energy"
)

// trio has three soft jobs, any two of which can be in time: two tasks of 10
// each for one slave with one core in 40 ticks.
const trio = `
version: 1
cluster: {heartbeat: 1, slaves: [{name: one, cores: 1, slots: 2}]}
jobs:
  - {name: a, deadline: 40, weight: 3, map: {tasks: 2, wcet: 10}}
  - {name: b, deadline: 40, weight: 2, map: {tasks: 2, wcet: 10}}
  - {name: c, deadline: 40, weight: 5, map: {tasks: 2, wcet: 10}}
  - {name: d, deadline: 9, weight: 4, map: {tasks: 1, wcet: 10}}
`

func TestRecheckFindsTampering(t *testing.T) {
	js := mustLoad(t, trio)
	want := map[model.Objective]int64{
		model.Misses:            6,  // d alone, and b, the lightest of a, b, c
		model.Tardiness:         30, // 70 ticks from 0
		model.WeightedTardiness: 4*1 + 2*20,
		model.Makespan:          70,
	}
	tampers := []struct {
		name  string
		spoil func(*energy.Certificate)
		says  string
	}{
		{"a value too high", func(c *energy.Certificate) { c.Value++ }, ""},
		{"an argument lost", func(c *energy.Certificate) { c.Shortages, c.Grace = c.Shortages[1:], c.Grace[1:] }, "prove"},
		{"a need too high", func(c *energy.Certificate) { c.Shortages[0].Need++ }, "argument 1"},
		{"a job twice", func(c *energy.Certificate) {
			c.Shortages[0].Jobs = append(slices.Clone(c.Shortages[0].Jobs), c.Shortages[0].Jobs[0])
		}, "argument 1"},
		{"an argument without its grace", func(c *energy.Certificate) { c.Grace = nil }, "hang together"},
		{"a negative grace", func(c *energy.Certificate) { c.Grace[0] = -1 }, "grace"},
	}
	for o := model.Misses; o <= model.Makespan; o++ {
		if v, _ := lower(t, js, o); v != want[o] {
			t.Errorf("%s: bound %d, want %d", o, v, want[o])
		}
		for _, tamper := range tampers {
			_, c := lowers[o](context.Background(), js)
			tamper.spoil(c)
			_, err := energy.Recheck(js, c)
			if err == nil {
				t.Errorf("%s: %s: not noticed", o, tamper.name)
			} else if !strings.Contains(err.Error(), tamper.says) {
				t.Errorf("%s: %s: %v", o, tamper.name, err)
			}
		}
	}
}

// In weighted tardiness no job may pay for two arguments.
func TestRecheckCountsNoJobTwice(t *testing.T) {
	js := mustLoad(t, trio)
	_, c := energy.WeightedTardiness(context.Background(), js)
	last := len(c.Shortages) - 1
	c.Shortages = append(c.Shortages, c.Shortages[last])
	c.Grace = append(c.Grace, c.Grace[last])
	if _, err := energy.Recheck(js, c); err == nil || !strings.Contains(err.Error(), "has paid already") {
		t.Errorf("the same argument twice: %v", err)
	}
}

// Overloaded sets of a hundred jobs, of many needs and weights: listing the
// ways to choose late jobs took up to a minute, and on some ended in an error.
func TestRecheckOfManyJobs(t *testing.T) {
	for _, seed := range []uint64{5, 6, 66} {
		tasks, slaves := 50+int(seed%10)*100, 2+int(seed%13)
		k := gen.Knobs{
			Tasks: gen.Range{Lo: tasks, Hi: tasks}, FirstStage: gen.Range{Lo: 2, Hi: 12}, LaterStage: gen.Range{Lo: 1, Hi: 5},
			Shapes: [4]int{1, 0, 1, 0},
			Slaves: gen.Range{Lo: slaves, Hi: slaves}, Cores: gen.Range{Lo: 1, Hi: 4}, SpareSlots: gen.Range{Lo: 0, Hi: 1},
			Heartbeat: gen.Range{Lo: 1, Hi: 3}, Stagger: 1, Down: 0.2, DownAt: gen.Range{Lo: 20, Hi: 200}, DownFor: gen.Range{Lo: 5, Hi: 20},
			WCET: gen.Range{Lo: 3, Hi: 30}, Transfer: gen.Range{Lo: 1, Hi: 6}, Speeds: gen.Range{Lo: 100, Hi: 200},
			Local: 0.5, Barred: 0.2, Load: 120 + int(seed%7)*20, Hard: 0.1 * float64(seed%3), Weight: gen.Range{Lo: 1, Hi: 9},
			Tightness: gen.Range{Lo: 110, Hi: 130 + int(seed%5)*60}, Witness: 1,
			Objectives: [][]model.Objective{nil},
		}
		js, _ := gen.Random(k, seed)
		v, c := energy.Misses(context.Background(), js)
		began := time.Now()
		proved, err := energy.Recheck(js, c)
		took := time.Since(began)
		t.Logf("seed %d: %d jobs, %d of %d proved in %v", seed, len(js.Jobs), proved, v, took)
		if err != nil || v == 0 || 100*proved < 95*v {
			t.Errorf("seed %d: %d of %d proved: %v", seed, proved, v, err)
		}
		if took > 5*time.Second {
			t.Errorf("seed %d: rechecking took %v", seed, took)
		}
	}
}
