package model_test

import (
	"math"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// even is a set of which all times are even.
const even = `version: 1
time_unit: 1m
cluster:
  heartbeat: 4
  pools: {db: [{from: 0, amount: 1}, {from: 22, amount: 3}]}
  slaves:
    - {name: a, cores: 3, map_slots: 2, reduce_slots: 1, first_heartbeat: 2, down: [[20, 30]]}
    - {name: b, slots: 4}
jobs:
  - {name: etl, release: 6, deadline: 40, hard: true, map: {tasks: 1, wcet: 10, transfer: {a: 8, b: 0}}, reduce: {tasks: 1, wcet: 6, transfer: 2}}
  - {name: fit, map: {tasks: 2, wcet: 6, gang: true, pools: {db: 1}}}
  - {name: log, map: {tasks: 1, wcet: {a: 12}, transfer: 4}}
`

// In coarser ticks all times are the same times.
func TestInTicksOf(t *testing.T) {
	js, err := jobfile.Load("even.yaml", []byte(even))
	if err != nil {
		t.Fatal(err)
	}
	if g := model.CommonTick(js); g != 2 {
		t.Fatalf("the common tick is %d", g)
	}
	large := model.InTicksOf(js, 2)
	if g := model.CommonTick(large); g != 1 {
		t.Errorf("in ticks of 2 the common tick is %d", g)
	}
	if s := large.Slaves[0]; large.Heartbeat != 2 || s.FirstBeat != 1 || s.Down[0] != (model.Interval{Start: 10, End: 15}) {
		t.Errorf("heartbeat %d, slave %+v", large.Heartbeat, s)
	}
	if j := large.Jobs[0]; j.Release != 3 || j.Due() != 23 {
		t.Errorf("job %+v", j)
	}
	if sh := &large.Shared()[0]; sh.At(10) != 1 || sh.At(11) != 3 || len(large.Takes(2)) != 1 || !large.Gangs() {
		t.Errorf("the pool is %v", sh)
	}
	for i := range js.Tasks {
		for s := range model.SlaveID(2) {
			if a, b := &js.Tasks[i], &large.Tasks[i]; a.WCET(s) != 2*b.WCET(s) || a.Transfer(s) != 2*b.Transfer(s) {
				t.Errorf("task %d on slave %d: %d and %d, not half of %d and %d", i, s, b.WCET(s), b.Transfer(s), a.WCET(s), a.Transfer(s))
			}
		}
	}
	if js.TimeUnit != time.Minute || large.TimeUnit != 2*time.Minute {
		t.Errorf("a tick of %v, in ticks of 2 of %v", js.TimeUnit, large.TimeUnit)
	}
	if js.TimeUnit = math.MaxInt64 / 2 * time.Nanosecond; model.InTicksOf(js, 2).TimeUnit <= 0 {
		t.Error("the largest tick that fits is not known")
	}
	if js.TimeUnit++; model.InTicksOf(js, 4).TimeUnit != 0 {
		t.Error("a tick is longer than any duration")
	}
	if js.Slaves[0].FirstBeat != 2 || js.Slaves[0].Down[0].Start != 20 || js.Jobs[0].Release != 6 || js.Heartbeat != 4 || js.Pools[0].Levels[1].From != 22 {
		t.Error("the set itself has changed")
	}
}

// Heartbeats may come many to a common tick, of which each has one then: beats keep their times.
func TestTicksOfManyHeartbeats(t *testing.T) {
	js, err := jobfile.Load("even.yaml", []byte(even))
	if err != nil {
		t.Fatal(err)
	}
	js = model.InTicksOf(js, 1)
	for i := range js.Tasks {
		js.Tasks[i].Profile = model.NewProfile(model.ConstRow(2, 12), model.ConstRow(2, 6))
	}
	js.Slaves[0].FirstBeat, js.Slaves[0].Down, js.Pools, js.Heartbeat = 6, nil, nil, 2
	for i := range js.Jobs {
		js.Jobs[i].Release, js.Jobs[i].Deadline = 6, 36
	}
	if g := model.CommonTick(js); g != 6 {
		t.Fatalf("the common tick is %d", g)
	}
	for unit, measures := range map[model.Time]bool{1: true, 2: true, 3: false, 4: false, 6: true, 12: false} {
		if model.Measures(js, unit) != measures {
			t.Errorf("ticks of %d measure the set: %t", unit, !measures)
		}
	}
	large := model.InTicksOf(js, 6)
	if large.Heartbeat != 1 || large.Slaves[0].FirstBeat != 1 {
		t.Errorf("a heartbeat each %d from %d on", large.Heartbeat, large.Slaves[0].FirstBeat)
	}
	plan := model.Schedule{{Slave: 0, Beat: 4, Fetch: 15, Start: 23}}
	coarse := plan.InTicksOf(js, 6)
	if at := coarse[0]; large.BeatTime(0, at.Beat) != 2 || at.Fetch != 2 || at.Start != 3 {
		t.Errorf("in ticks of 6 it is %+v", at)
	}
	if at := coarse.OutOfTicksOf(js, 6)[0]; js.BeatTime(0, at.Beat) != 12 || at.Fetch != 12 || at.Start != 18 {
		t.Errorf("in its own ticks it is %+v", at)
	}
	if js.Heartbeat = 5; model.CommonTick(js) != 1 {
		t.Errorf("with heartbeats of 5 the common tick is %d", model.CommonTick(js))
	}
}
