package solution

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// Answers as solvers print them.
func TestReadAnswer(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     Status
		cost       int64
		true_      []int
	}{
		{"SAT", "c noise\ns SATISFIABLE\nv 1 -2 3\nv -4 5 0\n", Satisfiable, 0, []int{1, 3, 5}},
		{"minisat", "SAT\n1 -2 3 0\n", Satisfiable, 0, []int{1, 3}},
		{"minisat's no", "UNSAT\n", Unsatisfiable, 0, nil},
		{"MaxSAT since 2022", "o 9\no 4\ns OPTIMUM FOUND\nv 0110\n", Optimal, 4, []int{2, 3}},
		{"a short word", "s OPTIMUM FOUND\no 4\nv 11\n", Optimal, 4, []int{1, 2}},
		{"a number that looks like a word", "s SATISFIABLE\nv 11 0\n", Satisfiable, 0, []int{11}},
		{"pseudo-Boolean, several", "o 7\nv x1 x2 -x3\no 5\nv -x1 -x2\nv x3\ns OPTIMUM FOUND\n", Optimal, 5, []int{3}},
		{"without values", "s UNSATISFIABLE\r\n", Unsatisfiable, 0, nil},
		{"nothing known", "s UNKNOWN\n", Unknown, 0, nil},
		{"not supported", "s UNSUPPORTED\n", Unknown, 0, nil},
		{"values alone", "v 1 2 0\nv 2 0\n", Unknown, 0, []int{2}},
	} {
		a, err := ReadAnswer(t.Context(), "answer", strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var true_ []int
		for v := range 20 {
			if a.True(v) {
				true_ = append(true_, v)
			}
		}
		if diff := cmp.Diff(c.true_, true_); diff != "" || a.Status != c.status || a.Cost != c.cost || a.HasCost != (c.cost > 0) || a.HasSolution() != (true_ != nil) {
			t.Errorf("%s: status %d, cost %d, solution %t\n%s", c.name, a.Status, a.Cost, a.HasSolution(), diff)
		}
	}
}

// What is no answer, or no formula, is told with its line.
func TestFaults(t *testing.T) {
	long := strings.Repeat("7", 30)
	for text, want := range map[string]string{
		"":                              "f: a solver's answer has a line like s SATISFIABLE",
		"hello\n":                       "f: a solver's answer has a line like",
		"s MAYBE\n":                     `f:1: the solver's answer is "MAYBE", which is none that solvers give`,
		"c x\no many\n":                 `f:2: the cost "many" is no number`,
		"v 1 2x\n":                      `f:1: the value "2x" is none of a variable`,
		"v " + long + "\n":              `f:1: the value "` + long + `" is none of a variable`,
		"v --1\n":                       `f:1: the value "--1" is none of a variable`,
		"v +1\n":                        `f:1: the value "+1" is none of a variable`,
		"v " + strings.Repeat("ab", 60): "… is none",
	} {
		_, err := ReadAnswer(t.Context(), "f", strings.NewReader(text))
		var fault *Fault
		if !errors.As(err, &fault) || !strings.Contains(strings.ReplaceAll(err.Error(), `…"`, "…"), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"p cnf 1 1\n1 0\n": "f: no comment tells of a job set",
		"c Job set \"a\", sha256:00\nc var 7 says \"a/b/1\n":                           "f:2: this comment tells of a variable, but not as",
		"c var 7 says \"a/b/1\" flies\n":                                               "f:1: this comment",
		"c vars 7..9 says \"a/b/1\" starts by 1 2\n":                                   "f:1: this comment",
		"c vars 9..7 says \"a/b/1\" starts by 1..2\n":                                  "f:1: this comment",
		"c var 99999999999999999999 says \"a/b/1\" runs on \"s\", fetch free\n":        "f:1: this comment",
		"c vars 1..2 says \"a/b/1\" runs on \"s\", fetch free\n":                       "f:1: this comment",
		"c var 3 says \"a/b/1\" starts by 4\n":                                         "f:1: this comment",
		"c vars 1..2 says \"a/b/1\" starts by 99999999999999999999..100000000000000\n": "f:1: this comment",
		"c Is there a plan, and beauty <= 3?\n":                                        "f:1: this comment",
		"c A tick of the formula is 0 ticks of the job set\n":                          "f:1: this comment",
	} {
		_, err := ReadMap(t.Context(), "f", strings.NewReader(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	many := strings.Repeat("c\n", 5000)
	if _, err := ReadMap(ctx, "f", strings.NewReader(many)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

const set = `version: 1
cluster: {heartbeat: 4, slaves: [{name: "a \"b\"", first_heartbeat: 2}, {name: c}]}
jobs: [{name: x, map: {tasks: 3, wcet: 4, transfer: 2}}]
`

// comments use every form that the help of a formula explains.
const comments = `* Job set "n, \"m\"", %s
* Is there a plan in which every hard job meets its deadline, and misses <= 0, and makespan <= 12?
* A tick of the formula is 2 ticks of the job set, which has no finer times.
*   var V says S              V is the sentence S
* var 2 says "x/map/1" runs on "a \"b\"", fetch at start - 1
* var 3 says "x/map/1" runs on "c", fetch free
* vars 4..6 says "x/map/1" starts by 2..4
* always "x/map/2" runs on "c", fetch free
* vars 7..8 says "x/map/2" starts by 5 9 10
* always "x/map/2" fetches by 4
* vars 9..9 says "x/map/2" is handed out by 2 3
* var 10 says "x" is placed
* vars 11..12 says "x/map" has finished by 4 6 8
* var 13 says "x/map/3" runs on "c", fetch free
`

func TestSchedule(t *testing.T) {
	js, err := jobfile.Load("set", []byte(set))
	if err != nil {
		t.Fatal(err)
	}
	m, err := ReadMap(t.Context(), "f", strings.NewReader(fmt.Sprintf(comments, js.Digest())))
	if err != nil || m.Digest != js.Digest() {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[model.Objective]int64{model.Misses: 0, model.Makespan: 12}, m.AtMost); diff != "" || !m.Hard {
		t.Errorf("asked for hard jobs %t\n%s", m.Hard, diff)
	}
	late := model.Schedule{{Slave: 0, Start: 4}, {Slave: 0, Start: 9}, {Slave: 0}}
	if err := m.Check(js, late); err == nil || err.Error() != "makespan is 13, and was to be at most 12" {
		t.Errorf("%v", err)
	}
	late[1].Start = 8
	if err := m.Check(js, late); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		values string
		want   model.Schedule
		fault  string
	}{
		{"v 2 5 6 7 8 9", model.Schedule{{Slave: 0, Beat: 0, Fetch: 4, Start: 6}, {Slave: 1, Beat: 1, Fetch: 8, Start: 10}, {Slave: model.NoSlave}}, ""},
		{"v 2 4", model.Schedule{{Slave: 0, Beat: 0, Fetch: 2, Start: 4}, {Slave: 1, Beat: 1, Fetch: 8, Start: 20}, {Slave: model.NoSlave}}, ""},
		{"v 2", model.Schedule{{Slave: 0, Beat: 1, Fetch: 8, Start: 10}, {Slave: 1, Beat: 1, Fetch: 8, Start: 20}, {Slave: model.NoSlave}}, ""},
		{"v 3", nil, "no comment tells when x/map/1 is fetched"},
		{"v 13", nil, "no comment tells when x/map/3 starts"},
	} {
		a, err := ReadAnswer(t.Context(), "a", strings.NewReader(c.values))
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Schedule(js, a)
		if diff := cmp.Diff(c.want, got); diff != "" || c.fault != "" && (err == nil || err.Error() != c.fault) || c.fault == "" && err != nil {
			t.Errorf("%s: %v\n%s", c.values, err, diff)
		}
	}
	other, err := jobfile.Load("set", []byte(strings.Replace(set, "tasks: 3", "tasks: 1", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Schedule(other, &Answer{}); err == nil {
		t.Error("a set without the tasks has a schedule")
	}
	m.runs[0].ahead, m.runs[0].variable = 3, 0 // before the first heartbeat of a
	if _, err := m.Schedule(js, &Answer{values: []bool{false, true, true, false, true}}); err == nil || !strings.Contains(err.Error(), "has no heartbeat at -2") {
		t.Errorf("%v", err)
	}
}

// FuzzRead: nothing that is in files makes the readers fail but by a fault, or take long.
func FuzzRead(f *testing.F) {
	js, err := jobfile.Load("set", []byte(set))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(fmt.Sprintf(comments, js.Digest()), "s SATISFIABLE\nv 2 5 6 7 8 9 0\n")
	f.Add("c vars 1..999999999 says \"x/map/1\" starts by 0..999999998\n", "o 3\nv 010101\n")
	f.Fuzz(func(t *testing.T, formula, answer string) {
		m, err := ReadMap(t.Context(), "f", strings.NewReader(formula))
		a, err2 := ReadAnswer(t.Context(), "a", strings.NewReader(answer))
		if err == nil && err2 == nil {
			m.Schedule(js, a)
		}
	})
}
