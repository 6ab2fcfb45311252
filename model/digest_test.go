package model_test

import (
	"fmt"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

func TestDigestLooksAtMeaningOnly(t *testing.T) {
	load := func(src string) *model.JobSet {
		t.Helper()
		js, err := jobfile.Load("x.yaml", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return js
	}
	base := `version: 1
cluster: {heartbeat: 3, slaves: [{name: a, count: 2, map_slots: 2, reduce_slots: 1}, {name: c, down: [[5, 9]]}]}
jobs:
  - {name: j, deadline: 40, map: {tasks: 2, wcet: {a: 5, c: 6}, transfer: 1}, reduce: {tasks: 1, wcet: 4}}
  - {name: k, map: {tasks: 1, wcet: 9}}
`
	want := load(base).Digest()
	same := map[string]string{
		"comment":            "# a remark\n" + base,
		"name":               "name: nightly\n" + base,
		"unit and origin":    "time_unit: 1s\norigin: 2026-11-21T22:00:00Z\n" + base,
		"objective":          base + "objective: makespan\n",
		"way of a table":     strings.Replace(base, "{a: 5, c: 6}", "{default: 5, c: 6}", 1),
		"exceptions":         strings.Replace(base, "{a: 5, c: 6}", "{c: 6, a-2: 5, a-1: 5}", 1),
		"groups":             strings.Replace(base, "{tasks: 2, wcet", "{tasks: [{}, {}], wcet", 1),
		"slaves by name":     strings.Replace(base, "{name: a, count: 2, map_slots: 2, reduce_slots: 1}", "{name: a-1, map_slots: 2, reduce_slots: 1}, {name: a-2, map_slots: 2, reduce_slots: 1}", 1),
		"cost":               strings.Replace(base, "{name: c,", "{name: c, cost: 7,", 1),
		"pieces of absences": strings.Replace(base, "[[5, 9]]", "[[7, 9], [5, 7]]", 1),
	}
	same["slaves by name"] = strings.Replace(same["slaves by name"], "{a: 5, c: 6}", "{a-1: 5, a-2: 5, c: 6}", 1)
	for what, src := range same {
		if got := load(src).Digest(); got != want {
			t.Errorf("the digest depends on: %s", what)
		}
	}
	seen := map[string]string{want: "nothing"}
	for _, edit := range [][2]string{
		{"heartbeat: 3", "heartbeat: 4"}, {"heartbeat: 3", "heartbeat: 3, fetch: concurrent"}, {"heartbeat: 3", "heartbeat: 3, fifo: true"},
		{"count: 2,", "count: 2, cores: 2,"}, {"count: 2,", "count: 3,"}, {"count: 2,", "count: 2, first_heartbeat: 1,"},
		{"count: 2,", "count: 2, first_heartbeat: [0, 1],"}, {"map_slots: 2", "map_slots: 1"}, {"reduce_slots: 1", "reduce_slots: 2"},
		{"map_slots: 2, reduce_slots: 1", "cores: 1"}, {"[5, 9]", "[5, 8]"}, {"[[5, 9]]", "[]"}, {"name: c", "slots: 2, name: c"},
		{"name: j", "name: i"}, {"deadline: 40", "deadline: 41"}, {"deadline: 40", "deadline: 40, hard: true"}, {"deadline: 40, ", ""},
		{"deadline: 40", "deadline: 40, weight: 2"}, {"deadline: 40", "deadline: 40, release: 1"}, {"tasks: 2", "tasks: 3"},
		{"a: 5", "a: 4"}, {"{a: 5, c: 6}", "{a: 5}"}, {"transfer: 1", "transfer: 2"}, {"transfer: 1", "transfer: {default: 1, a-2: 0}"},
		{", reduce: {tasks: 1, wcet: 4}", ""}, {"  - {name: k, map: {tasks: 1, wcet: 9}}\n", ""}, {"{name: k, map:", "{name: k, reduce:"},
		{"{name: k, map: {tasks: 1, wcet: 9}}", "{name: k, stages: [{name: m, tasks: 1, wcet: 9}]}"},
	} {
		src := strings.Replace(base, edit[0], edit[1], 1)
		if src == base {
			t.Fatalf("%q is not in the text", edit[0])
		}
		got := load(src).Digest()
		if before, twice := seen[got]; twice {
			t.Errorf("%q for %q has the digest of %s", edit[1], edit[0], before)
		}
		seen[got] = fmt.Sprintf("%q for %q", edit[1], edit[0])
	}
}

// BenchmarkDigest: 20,000 tasks that have their input on slaves of their own, of 200.
func BenchmarkDigest(b *testing.B) {
	js := gen.Scale(20_000, 1)
	for b.Loop() {
		js.Digest()
	}
}

// TestDigestOfGoneSlaves: an absence without an end is written as older versions did, which took the
// last time that there is for its end. So the plans and proofs that they made for a lost slave are
// read as before.
func TestDigestOfGoneSlaves(t *testing.T) {
	set := func(end model.Time) string {
		js := gen.Tiny(1)
		js.Slaves[0].Down = append(js.Slaves[0].Down, model.Interval{Start: 500, End: end})
		return js.Digest()
	}
	if set(model.Never) != set(model.MaxTime) || set(model.Never) == set(900) {
		t.Errorf("%s, %s, %s", set(model.Never), set(model.MaxTime), set(900))
	}
}
