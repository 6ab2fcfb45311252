package model

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// oddNames are names that YAML could take for something else.
var oddNames = []string{
	"~", "null", "true", "no", "017", "1e3", "-", "- a", "a: b", "a #b", "{x}", "[y]", "*a", "&a", "<<", "!t",
	`qu"ote`, `back\slash`, "it's", " lead", "trail ", "ü", "名前", "😀", "a,b", "%", "@x", "`", "?", "2026-11-21", "a/b", "x\ufeffy", "\u00a0",
}

func drawName(t *rapid.T, prefix string, i int) string {
	if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
		return fmt.Sprintf("%s%d", rapid.SampledFrom(oddNames).Draw(t, "name"), i)
	}
	return fmt.Sprintf("%s%d", prefix, i)
}

// drawSlaves gives classes and single slaves, with or without split slots.
func drawSlaves(t *rapid.T) []Slave {
	var out []Slave
	for i := range rapid.IntRange(1, 4).Draw(t, "entries") {
		s := Slave{Cores: rapid.IntRange(1, 3).Draw(t, "cores")}
		if s.SplitSlots = rapid.Bool().Draw(t, "split"); s.SplitSlots {
			s.MapSlots, s.ReduceSlots = rapid.IntRange(0, 2).Draw(t, "map"), rapid.IntRange(0, 2).Draw(t, "reduce")
		} else {
			s.Slots = rapid.IntRange(1, 4).Draw(t, "slots")
		}
		for range rapid.IntRange(0, 2).Draw(t, "absences") {
			a := Time(rapid.IntRange(0, 30).Draw(t, "from"))
			s.Down = append(s.Down, Interval{a, a + Time(rapid.IntRange(1, 9).Draw(t, "for"))})
		}
		name := drawName(t, "s", i)
		count := rapid.IntRange(0, 4).Draw(t, "count")
		for k := range max(1, count) {
			m := s
			m.Name, m.Class = name, name
			if count > 0 {
				m.Name = fmt.Sprintf("%s-%d", name, k+1)
			}
			m.FirstBeat = Time(rapid.IntRange(0, 2).Draw(t, "beat"))
			out = append(out, m)
		}
	}
	return out
}

// drawProfile gives figures that often agree within a class.
func drawProfile(t *rapid.T, slaves []Slave, slot SlotKind) *Profile {
	wcet, transfer := make([]Time, len(slaves)), make([]Time, len(slaves))
	possible := false
	for i := range slaves {
		if i > 0 && slaves[i].Class == slaves[i-1].Class && rapid.IntRange(0, 3).Draw(t, "agree") > 0 {
			wcet[i], transfer[i] = wcet[i-1], transfer[i-1]
		} else {
			wcet[i] = Time(rapid.IntRange(0, 3).Draw(t, "wcet"))
			transfer[i] = Time(rapid.IntRange(0, 2).Draw(t, "transfer"))
		}
		possible = possible || wcet[i] > 0 && slaves[i].PoolSize(slaves[i].Pool(slot)) > 0
	}
	if !possible {
		for i := range wcet {
			wcet[i] = 1
		}
	}
	return NewProfile(DenseRow(wcet), DenseRow(transfer))
}

func drawStages(t *rapid.T, slaves []Slave) []Stage {
	var out []Stage
	mapReduce := rapid.Bool().Draw(t, "mapreduce")
	for i := range rapid.IntRange(1, 3).Draw(t, "stages") {
		st := Stage{Name: drawName(t, "stage", i), Slot: rapid.SampledFrom([]SlotKind{MapSlot, ReduceSlot}).Draw(t, "slot")}
		if mapReduce && i < 2 {
			st.Name, st.Slot = [...]string{"map", "reduce"}[i], SlotKind(i)
		}
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			st.Groups = append(st.Groups, Group{rapid.IntRange(1, 3).Draw(t, "count"), drawProfile(t, slaves, st.Slot)})
		}
		out = append(out, st)
	}
	return out
}

func drawJobSet(t *rapid.T) *JobSet {
	slaves := drawSlaves(t)
	// A slave of each kind of slot, so that every stage can run.
	slaves = append(slaves, Slave{Name: "every", Class: "every", Cores: 1, Slots: 1})
	js := &JobSet{
		Heartbeat: Time(rapid.IntRange(1, 5).Draw(t, "heartbeat")),
		Fetch:     rapid.SampledFrom([]FetchMode{FetchExclusive, FetchConcurrent}).Draw(t, "fetch"),
		FIFO:      rapid.Bool().Draw(t, "fifo"),
		Slaves:    slaves,
		Objectives: rapid.SampledFrom([][]Objective{
			nil, {Misses}, {Tardiness, Makespan}, {WeightedTardiness, Misses, Tardiness, Makespan},
		}).Draw(t, "objectives"),
	}
	if rapid.Bool().Draw(t, "named") {
		js.Name = drawName(t, "set", 0)
	}
	if rapid.Bool().Draw(t, "unit") {
		js.TimeUnit = time.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "unit"))
		zone := time.FixedZone("", rapid.IntRange(-12*3600, 12*3600).Draw(t, "zone"))
		js.Origin = time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "origin"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).In(zone)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		j := Job{
			Name: drawName(t, "j", i), Release: Time(rapid.IntRange(0, 9).Draw(t, "release")),
			Kind:   rapid.SampledFrom([]JobKind{BestEffort, Soft, Hard}).Draw(t, "kind"),
			Weight: rapid.Int64Range(1, 3).Draw(t, "weight"), Stages: drawStages(t, slaves),
		}
		if j.Kind != BestEffort {
			j.Deadline = Time(rapid.IntRange(1, 50).Draw(t, "deadline"))
		}
		js.Jobs = append(js.Jobs, j)
	}
	if err := js.Assemble(); err != nil {
		t.Fatalf("the generated set does not assemble: %v", err)
	}
	return js
}

// rewritten is what Load makes of what WriteYAML writes, compared with js.
func rewritten(t interface {
	Helper()
	Fatalf(string, ...any)
}, js *JobSet) *JobSet {
	t.Helper()
	var b bytes.Buffer
	if err := js.WriteYAML(&b); err != nil {
		t.Fatalf("write: %v", err)
	}
	again, err := Load("again.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("what was written does not load: %v\n%s", err, b.Bytes())
	}
	if again.Digest() != js.Digest() {
		t.Fatalf("the digest changed from %s to %s:\n%s", js.Digest(), again.Digest(), b.Bytes())
	}
	if again.Name != js.Name || again.TimeUnit != js.TimeUnit || !again.Origin.Equal(js.Origin) || !slices.Equal(again.Objectives, js.Objectives) {
		t.Fatalf("the head changed: %q %v %v %v, was %q %v %v %v", again.Name, again.TimeUnit, again.Origin, again.Objectives,
			js.Name, js.TimeUnit, js.Origin, js.Objectives)
	}
	return again
}

func TestWriteYAMLKeepsTheJobSet(t *testing.T) {
	schema := compileSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		js := drawJobSet(t)
		rewritten(t, js)
		var b bytes.Buffer
		if err := js.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		v, err := asValue("again.yaml", b.Bytes())
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Fatalf("what was written is not valid under the schema: %v\n%s", err, b.Bytes())
		}
	})
}

func TestWriteYAMLText(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "ok", "nightly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	js, err := Load("nightly.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := js.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	const want = `version: 1
name: nightly
time_unit: 1s
origin: 2026-11-21T22:00:00Z
cluster:
  heartbeat: 3
  slaves:
    - {name: fast, count: 2, cores: 2, slots: 3}
    - {name: slow, cores: 1, map_slots: 1, reduce_slots: 1, down: [[40, 60]]}
jobs:
  - name: etl
    deadline: 120
    hard: true
    map:
      tasks: 10
      wcet: {default: 5, slow: 9}
      transfer: {default: 1, fast-2: 4}
    reduce:
      tasks:
        - {count: 2, wcet: {fast: 7}, transfer: 3}
        - {wcet: {fast-1: 6}}
objective: [misses, tardiness]
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteYAMLRefusesWhatTheFormatCannotHold(t *testing.T) {
	base := func() *JobSet {
		return &JobSet{Name: "set", Heartbeat: 1, Slaves: []Slave{{Name: "s", Cores: 1, Slots: 1}}, Jobs: []Job{{
			Name: "j", Stages: []Stage{{Name: "map", Groups: []Group{{1, NewProfile(ConstRow(1, 1), ConstRow(1, 0))}}}},
		}}}
	}
	cases := map[string]func(*JobSet){
		`the job set's name "a\nb" holds the control character U+000A`: func(js *JobSet) { js.Name = "a\nb" },
		`the slave name "default" has a meaning of its own`:            func(js *JobSet) { js.Slaves[0].Name = "default" },
		`the slave name "" is empty`:                                   func(js *JobSet) { js.Slaves[0].Name = "" },
		`the job name "\xff" is not UTF-8`:                             func(js *JobSet) { js.Jobs[0].Name = "\xff" },
		`job "j": the stage name "" is empty`:                          func(js *JobSet) { js.Jobs[0].Stages[0].Name = "" },
		`the job set has an origin without a time unit`:                func(js *JobSet) { js.Origin = time.Unix(0, 0) },
		`unknown objective "hard-misses"`:                              func(js *JobSet) { js.Objectives = []Objective{HardMisses} },
	}
	for want, spoil := range cases {
		js := base()
		spoil(js)
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if err := js.WriteYAML(&bytes.Buffer{}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	js := base()
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	rewritten(t, js)
}
