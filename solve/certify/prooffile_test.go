package certify_test

import (
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/solve/certify"
)

// whole has a question that no claim needs, clauses, multipliers and a job that no step needs,
// a clause that is there twice, and units of which one is named by a nogood.
const whole = `downbeat proof 1
digest sha256:0
# a comment
tick 5
question 1
must 0 9
c 1 cap 0 0 3 :
refuted 1 1
question 2
must 0 9
must 1 9
must 2 9
c 1 task 0 : -x0.1
c 2 task 2 : s2>4
c 3 cap 1 0 4 : s0>4 s2<=4
c 4 order 0 2 : s0>4 s2>4
n 5 : s0>4 : 2 3
n 6 : s2<=4 s0>4 : 3
d 3
m 7 0.1.2.4.1 0.0.0.9.1
m 8 0.0.0.9.1
c 9 prices 7 : s0<=4 s2>4
n 10 : s0<=4 : 6 9
n 11 : : 5 10
refuted 2 11
claim misses >= 1 given hard-misses <= 0 by 2
end 28
`

const trimmed = `downbeat proof 1
digest sha256:0
tick 5
question 1
must 0 9
must 1 9
c 2 task 2 : s2>4
c 3 cap 1 0 4 : s0>4 s2<=4
n 5 : s0>4 : 2 3
m 7 0.1.2.4.1
c 9 prices 7 : s0<=4 s2>4
d 7
n 10 : s0<=4 : 3 9
d 3 9
n 11 : : 5 10
refuted 1 11
claim misses >= 1 given hard-misses <= 0 by 1
end 17
`

const set = `version: 1
cluster:
  heartbeat: 5
  slaves:
    - {name: a, slots: 1}
    - {name: b, slots: 1}
jobs:
  - {name: etl, deadline: 45, map: {tasks: 2, wcet: 10}}
  - {name: log, deadline: 45, map: {tasks: 1, wcet: {b: 10}}}
  - {name: idle, deadline: 45, map: {tasks: 1, wcet: 10}}
`

func text(t *testing.T, f *certify.File) string {
	t.Helper()
	var out strings.Builder
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTrim: what is left is what the claim needs, and what is short of what is told in ticks of
// the set. What no step names stays where the checker says that it is needed, and all of it
// where it is not to be asked.
func TestTrim(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(set))
	if err != nil {
		t.Fatal(err)
	}
	f, err := certify.ReadFile(strings.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	trim := func(work int, needed ...string) (*certify.File, string) {
		left := f.Trim(js, work, func(f *certify.File) bool {
			return !slices.ContainsFunc(needed, func(n string) bool { return !strings.Contains(text(t, f), n) })
		})
		return left, text(t, left)
	}
	left, got := trim(1000, "0.1.2.4.1")
	if got != trimmed {
		t.Errorf("left is\n%s", got)
	}
	for _, line := range []string{"c 1 task 0 : -x0.1\n", "must 2 9\n", "m 7 0.1.2.4.1 0.0.0.9.1\n"} {
		if _, got := trim(1000, line); !strings.Contains(got, line) {
			t.Errorf("%q is needed, and was left out:\n%s", line, got)
		}
		if _, got := trim(0); !strings.Contains(got, line) {
			t.Errorf("%q was left out unasked:\n%s", line, got)
		}
	}
	b := left.Basis(js)
	if !slices.Equal(b.Jobs, []model.JobID{0, 1}) || !slices.Equal(b.Slaves, []model.SlaveID{1}) || b.Interval != (model.Interval{Start: 10, End: 25}) {
		t.Errorf("it rests on %+v", b)
	}
}

// TestTrimOfFineTicks: inferences by prices take the longer the finer ticks are, and are the less often gone through.
func TestTrimOfFineTicks(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(set))
	if err != nil {
		t.Fatal(err)
	}
	asked := func(by string) (n int) {
		specs := strings.Repeat(" 0.1.2.4.1", 500)
		f, err := certify.ReadFile(strings.NewReader("downbeat proof 1\ntick 1\nquestion 1\nmust 0 " + by + "\nm 1" + specs +
			"\nc 2 prices 1 :\nrefuted 1 2\nclaim infeasible by 1\nend 7\n"))
		if err != nil {
			t.Fatal(err)
		}
		f.Trim(js, 20_000, func(*certify.File) bool { n++; return false })
		return n
	}
	if coarse, fine := asked("900"), asked("900000"); coarse < 900 || fine > 4 {
		t.Errorf("the checker is asked %d times where ticks are coarse, and %d where they are fine", coarse, fine)
	}
}

// TestReadRefuses: lines that cannot be taken apart are named.
func TestReadRefuses(t *testing.T) {
	for _, line := range []string{"c", "c 1", "c x cap :", "n 1 : : x", "refuted 1 x"} {
		_, err := certify.ReadFile(strings.NewReader("downbeat proof 1\nquestion 1\n" + line + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
			t.Errorf("%q: %v", line, err)
		}
	}
}
