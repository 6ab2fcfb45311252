package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"downbeat/internal/testkit"
)

// longNight has hard jobs, a recurring one among them, on slaves that are away now and then: what
// slack they have is a question of much work.
const longNight = `version: 1
cluster:
  heartbeat: 180
  slaves:
    - {name: s, map_slots: 2, reduce_slots: 1, first_heartbeat: 140, down: [[180, 400], [440, 520], [600, 740]]}
    - {name: t, count: 1, map_slots: 1, reduce_slots: 1, first_heartbeat: 220}
jobs:
  - {name: a, release: 400, deadline: 1480, hard: true, reduce: {tasks: 1, wcet: {t-1: 40, t: 180}}}
  - name: b
    release: 400
    deadline: 1330
    hard: true
    repeat: {every: 70, times: 2}
    stages:
      - {name: x, tasks: 2, wcet: {t-1: 110, t: 40}, after: []}
      - {name: y, tasks: 1, wcet: {t-1: 180, s: 110, default: 40}, after: []}
  - {name: c, release: 110, deadline: 2220, hard: true, map: {tasks: 3, wcet: 75, transfer: 10}}
  - {name: d, release: 300, deadline: 900, weight: 1000000, map: {tasks: 2, wcet: 190}}
objective: [weighted-tardiness, misses, makespan]
`

// byClock are figures of the clock in answers for programs.
var byClock = regexp.MustCompile(`"([a-z_]*seconds|[a-z_]*took[a-z_]*)": [0-9.e-]+|[0-9.]+s\b`)

// TestBudgetRepeats: with --budget no clock has a say: every command that has it, in all that it can
// be asked beside, answers the same bytes, on one core as on several, and while others run.
func TestBudgetRepeats(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := t.TempDir()
	set, plan := filepath.Join(dir, "night.yaml"), filepath.Join(dir, "plan.json")
	if err := os.WriteFile(set, []byte(longNight), 0o666); err != nil {
		t.Fatal(err)
	}
	answer := func(args string) string {
		s, out, stderr := fakeStreams("")
		code := run(t.Context(), s, strings.Fields(args))
		if code > 3 {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
		return byClock.ReplaceAllString(out.String()+stderr.String(), "T")
	}
	answer("plan " + set + " --budget 100 --quiet -o " + plan)
	calls := []string{
		"plan", "plan --relax --without t@900", "plan --certify --why", "plan --from " + plan, "plan --from " + plan + " --now 700",
		"check --certify --why", "check --each-slave-lost", "check --each-slave-lost=700", "check --without t@900",
		"slack", "size --class t", "size --class s --certify --why", "check",
	}
	if !testkit.All() {
		calls = calls[:len(calls)-1] // which costs as much again as what is certified besides
	}
	for _, args := range calls {
		for _, budget := range []string{"30", "3", "300"}[:testkit.Sets(1, 3)] {
			call := args + " --budget " + budget + " --quiet --format json " + set
			cores := runtime.GOMAXPROCS(1)
			alone := answer(call)
			runtime.GOMAXPROCS(cores)
			beside := make(chan string)
			for range 2 {
				go func() { beside <- answer(call) }()
			}
			for range 2 {
				if got := <-beside; got != alone {
					t.Errorf("%s: %s", call, firstDifference(alone, got))
				}
			}
		}
	}
}

// firstDifference shows the first line that differs.
func firstDifference(a, b string) string {
	lines, others := strings.Split(a, "\n"), strings.Split(b, "\n")
	for k := range min(len(lines), len(others)) {
		if lines[k] != others[k] {
			return lines[k] + ", then " + others[k]
		}
	}
	return "one answer goes on"
}
