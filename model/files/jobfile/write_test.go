package jobfile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/schematest"
	"downbeat/model"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// rewritten is what Load makes of what Write writes, compared with js.
func rewritten(t interface {
	Helper()
	Fatalf(string, ...any)
}, js *model.JobSet) *model.JobSet {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, js); err != nil {
		t.Fatalf("write: %v", err)
	}
	again, err := Load("again.yaml", b.Bytes())
	if err != nil {
		t.Fatalf("what was written does not load: %v\n%s", err, b.Bytes())
	}
	if again.Digest() != js.Digest() {
		t.Fatalf("the digest changed from %s to %s:\n%s", js.Digest(), again.Digest(), b.Bytes())
	}
	if again.Name != js.Name || again.TimeUnit != js.TimeUnit || !again.Origin.Equal(js.Origin) || again.Zone != js.Zone || !slices.Equal(again.Objectives, js.Objectives) {
		t.Fatalf("the head changed: %q %v %v %q %v, was %q %v %v %q %v", again.Name, again.TimeUnit, again.Origin, again.Zone, again.Objectives,
			js.Name, js.TimeUnit, js.Origin, js.Zone, js.Objectives)
	}
	for i := range js.Slaves {
		if again.Slaves[i].Cost != js.Slaves[i].Cost {
			t.Fatalf("slave %s costs %d, was %d", js.Slaves[i].Name, again.Slaves[i].Cost, js.Slaves[i].Cost)
		}
	}
	return again
}

func TestWriteKeepsTheJobSet(t *testing.T) {
	schema := schematest.Compile(t, Schema(), "")
	rapid.Check(t, func(t *rapid.T) {
		js := drawJobSet(t)
		rewritten(t, js)
		var b bytes.Buffer
		if err := Write(&b, js); err != nil {
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

func TestWriteText(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "ok", "nightly.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	js, err := Load("nightly.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Write(&b, js); err != nil {
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

func TestWriteRefusesWhatTheFormatCannotHold(t *testing.T) {
	base := func() *model.JobSet {
		return &model.JobSet{Name: "set", Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}, Jobs: []model.Job{{
			Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0))}}}},
		}}}
	}
	cases := map[string]func(*model.JobSet){
		`the job set's name "a\nb" holds the control character U+000A`:            func(js *model.JobSet) { js.Name = "a\nb" },
		`the slave name "default" has a meaning of its own`:                       func(js *model.JobSet) { js.Slaves[0].Name = "default" },
		`the slave name "" is empty`:                                              func(js *model.JobSet) { js.Slaves[0].Name = "" },
		`the job name "\xff" is not UTF-8`:                                        func(js *model.JobSet) { js.Jobs[0].Name = "\xff" },
		`job "j": the stage name "" is empty`:                                     func(js *model.JobSet) { js.Jobs[0].Stages[0].Name = "" },
		`the job set has the zone "Nowhere", which is not known or has no origin`: func(js *model.JobSet) { js.Zone = "Nowhere" },
		`the resource name "cores" has a meaning of its own`:                      func(js *model.JobSet) { js.Named = []string{"cores"} },
		`the resource name "" is empty`:                                           func(js *model.JobSet) { js.Named = []string{""} },
		`the job set has an origin without a time unit`:                           func(js *model.JobSet) { js.Origin = time.Unix(0, 0) },
		`unknown objective "hard-misses"`:                                         func(js *model.JobSet) { js.Objectives = []model.Objective{model.HardMisses} },
	}
	for want, spoil := range cases {
		js := base()
		spoil(js)
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if err := Write(&bytes.Buffer{}, js); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	js := base()
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	rewritten(t, js)
}

// Comments stand before what they are about, and change nothing.
func TestWriteCommented(t *testing.T) {
	js := &model.JobSet{Name: "set", Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	for _, name := range []string{"a", "b", "c"} {
		js.Jobs = append(js.Jobs, model.Job{Name: name, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0))}}}}})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := WriteCommented(&b, js, Comments{Head: []string{"made of\njobs: {}", "\xff", ""}, Jobs: []string{"", "the second"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "# made of jobs: {}\n#\n#\nversion: 1\n") || !strings.Contains(b.String(), "  # the second\n  - name: b\n") || strings.Count(b.String(), "#") != 4 {
		t.Errorf("%s", b.String())
	}
	again, err := Load("again.yaml", []byte(b.String()))
	if err != nil || again.Digest() != js.Digest() {
		t.Errorf("%v", err)
	}
}

// What is written of durations is read again, group by group, and tasks of groups stay in theirs.
func TestDurationsAreWritten(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("testdata", "ok", "quantiles.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	js, err := Load("quantiles.yaml", src)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Write(&b, js); err != nil {
		t.Fatal(err)
	}
	again, err := Load("again.yaml", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(js.Durations(), again.Durations()); diff != "" || js.Durations() == nil {
		t.Errorf("%s\n%s", diff, b.String())
	}
	if d := js.Durations(); d[0].Worst != 9 || d[0].Quantiles[0].Value != 4 || d[4] == d[6] || d[4] != d[5] {
		t.Errorf("durations by task: %v", d)
	}
}
