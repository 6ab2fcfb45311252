package external_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/internal/testkit"
	"downbeat/online"
	"downbeat/online/external"
	"downbeat/online/policies"
)

// laxity ranks by the time that a job can still wait, which falls by one with each tick but for jobs that run.
// The argument is what the program wants to be asked on.
const laxity = `
import json, sys
due = {}
for line in sys.stdin:
    m = json.loads(line)
    for e in m.get("events", []):
        if e["event"] == "arrived": due[e["job"]] = e.get("due")
    if m["type"] == "start": a = {"version": 1, "decides": "jobs", "on": sys.argv[1:]}
    elif m["type"] == "rank":
        a = {"keys": [None if due[j["job"]] is None else due[j["job"]] - m["now"] - j["remaining"] for j in m["jobs"]]}
    else: break
    print(json.dumps(a), flush=True)
`

// Keys that change with time are asked for at each tick, and within a tick as the figures do that they are made of: then
// they rank as the built-in least laxity does, and with old keys they do not.
func TestKeysThatChangeWithTime(t *testing.T) {
	differ := 0
	for seed := range testkit.Sets[uint64](6, 10) {
		js, opts := set(seed)
		p, err := policies.New("llf", 1)
		if err != nil {
			t.Fatal(err)
		}
		want := play(t, js, p, opts).Plan()
		with := play(t, js, external.New("mine", program(t, laxity, "time", "remaining"), external.Options{Limit: time.Minute}), opts).Plan()
		without := play(t, js, external.New("mine", program(t, laxity), external.Options{Limit: time.Minute}), opts).Plan()
		if diff := cmp.Diff(want, with); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
		if !cmp.Equal(want, without) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("old keys rank as new ones do on all sets, which then show nothing")
	}
}

// What is recorded, given to the program again, has the answers that were recorded; a nil record keeps nothing.
func TestRecord(t *testing.T) {
	var file bytes.Buffer
	record := external.NewRecord(&file)
	command := program(t, "soonest.py")
	for seed := range uint64(2) {
		js, opts := set(seed)
		play(t, js, external.New("mine", command, external.Options{Limit: time.Minute, Record: record}), opts)
	}
	if err := record.Err(); err != nil {
		t.Fatal(err)
	}
	var to, from bytes.Buffer
	runs, last := 0, 0.0
	for line := range strings.Lines(file.String()) {
		var kept struct {
			Run      int
			Seconds  float64
			Policy   string
			To, From json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &kept); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if kept.Policy != "" {
			runs++
		}
		if kept.Run != runs || kept.Seconds < last {
			t.Errorf("line of run %d at %g, within run %d, after %g", kept.Run, kept.Seconds, runs, last)
		}
		last = kept.Seconds
		for part, to := range map[*json.RawMessage]*bytes.Buffer{&kept.To: &to, &kept.From: &from} {
			if *part != nil {
				to.Write(append(*part, '\n'))
			}
		}
	}
	again := exec.Command(command[0], command[1:]...)
	again.Stdin = &to
	got, err := again.Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(from.String(), string(got)); diff != "" || runs != 2 || from.Len() == 0 {
		t.Errorf("%d runs; asked again it answers\n%s", runs, diff)
	}
	js, opts := set(1)
	broken := external.NewRecord(&file)
	if _, err := online.Play(t.Context(), js, external.New("mine", program(t, "\nprint('no', flush=True)\n"), external.Options{Limit: time.Minute, Record: broken}), opts); err == nil {
		t.Error("no JSON was taken")
	}
	if !strings.Contains(file.String(), `"from_text":"no"`) {
		t.Error("what is no JSON is not kept")
	}
}
