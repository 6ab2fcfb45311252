package bound_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/solve/bound"
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
		spoil func(*bound.Certificate)
		says  string
	}{
		{"a value too high", func(c *bound.Certificate) { c.Value++ }, ""},
		{"an argument lost", func(c *bound.Certificate) { c.Shortages, c.Grace = c.Shortages[1:], c.Grace[1:] }, "prove"},
		{"a need too high", func(c *bound.Certificate) { c.Shortages[0].Need++ }, "argument 1"},
		{"a job twice", func(c *bound.Certificate) {
			c.Shortages[0].Jobs = append(slices.Clone(c.Shortages[0].Jobs), c.Shortages[0].Jobs[0])
		}, "argument 1"},
		{"an argument without its grace", func(c *bound.Certificate) { c.Grace = nil }, "hang together"},
		{"a negative grace", func(c *bound.Certificate) { c.Grace[0] = -1 }, "grace"},
	}
	for o := model.Misses; o <= model.Makespan; o++ {
		if v, _ := lower(t, js, o); v != want[o] {
			t.Errorf("%s: bound %d, want %d", o, v, want[o])
		}
		for _, tamper := range tampers {
			_, c := lowers[o](context.Background(), js)
			tamper.spoil(c)
			err := bound.Recheck(js, c)
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
	_, c := bound.WeightedTardiness(context.Background(), js)
	last := len(c.Shortages) - 1
	c.Shortages = append(c.Shortages, c.Shortages[last])
	c.Grace = append(c.Grace, c.Grace[last])
	if err := bound.Recheck(js, c); err == nil || !strings.Contains(err.Error(), "has paid already") {
		t.Errorf("the same argument twice: %v", err)
	}
}
