package minizinc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
	"downbeat/model/gen"
)

func text(t *testing.T, js *model.JobSet, q Question) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, js, q); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWrite(t *testing.T) {
	js := gen.Tiny(0)
	full := text(t, js, Question{
		Minimize: []model.Objective{model.WeightedTardiness},
		AtMost:   []Bound{{model.Misses, 3}},
		Guide:    true,
	})
	for _, want := range []string{
		"constraint deadlines_met();", "constraint misses <= 3;",
		"solve :: guide minimize objective;",
		"var int: objective :: output = weighted_tardiness;", "h = " + strconv.Itoa(int(js.Heartbeat)) + ";",
	} {
		if strings.Count(full, "\n"+want+"\n") != 1 {
			t.Errorf("not once in the model: %s", want)
		}
	}
	plain := text(t, js, Question{Relaxed: true})
	for _, unwanted := range []string{"constraint deadlines_met", "turn = ", "minimize", "factor"} {
		if strings.Contains(plain, unwanted) {
			t.Errorf("in the model of a relaxed, satisfying question: %s", unwanted)
		}
	}
	if Write(&bytes.Buffer{}, js.Subset(nil), Question{}) == nil {
		t.Error("a set without tasks was accepted")
	}
}

// TestWriteApart: the model is the same text for every job set, and with the
// data it is what Write writes.
func TestWriteApart(t *testing.T) {
	q := Question{Minimize: []model.Objective{model.Misses, model.Tardiness}, Guide: true}
	var first string
	for seed := range uint64(2) {
		js := gen.Tiny(seed)
		var constraints, data bytes.Buffer
		if err := WriteApart(&constraints, &data, js, q); err != nil {
			t.Fatal(err)
		}
		if constraints.String()+data.String() != text(t, js, q) {
			t.Errorf("seed %d: model and data are not the whole", seed)
		}
		if seed == 0 {
			first = constraints.String()
		} else if first != constraints.String() {
			t.Error("two job sets have two models")
		}
	}
}

// TestFactors: two soft jobs of weights 2 and 3, both due at 10, no hard one.
// With a horizon of 40 misses are at most 5 and tardiness at most 30.
func TestFactors(t *testing.T) {
	js := softPair(t, 2, 3)
	list := []model.Objective{model.Misses, model.Tardiness, model.Makespan}
	q := Question{Minimize: list}
	got, err := q.factors(js, 40)
	if want := []int64{30*41 + 40 + 1, 41, 1}; err != nil || !slices.Equal(got, want) {
		t.Errorf("factors %v, %v; want %v", got, err, want)
	}
	for horizon, fits := range map[model.Time]bool{40_000: false, 10_000: true} {
		var wide *TooWide
		if _, err := q.factors(js, horizon); errors.As(err, &wide) == fits {
			t.Errorf("horizon %d: %v", horizon, err)
		}
	}
	q.Minimize = list[2:]
	if got, err := q.factors(js, 1<<40); got != nil || err != nil {
		t.Errorf("one objective needs no sum: %v, %v", got, err)
	}
}

// softPair has two soft jobs of one task on one slave, due at 10.
func softPair(t *testing.T, weights ...int64) *model.JobSet {
	t.Helper()
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "a", Cores: 1, Slots: 1}}}
	for i, w := range weights {
		js.Jobs = append(js.Jobs, model.Job{
			Name: "j" + strconv.Itoa(i), Deadline: 10, Kind: model.Soft, Weight: w,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{
				{Count: 1, Profile: model.NewProfile(model.ConstRow(1, 4), model.ConstRow(1, 1))}}}},
		})
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

func TestTooLarge(t *testing.T) {
	const tasks, slaves = 3000, 3000
	js := &model.JobSet{Heartbeat: 1}
	for i := range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Name: "s" + strconv.Itoa(i), Cores: 1, Slots: 1})
	}
	js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{
		{Count: tasks, Profile: model.NewProfile(model.ConstRow(slaves, 4), model.ConstRow(slaves, 1))}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	var large *TooLarge
	err := Write(&bytes.Buffer{}, js, Question{Guide: true})
	if !errors.As(err, &large) || large.Figures != 3*tasks*slaves {
		t.Errorf("three tables of 9 million: %v", err)
	}
}

// TestListAsSum compares the optimum of a whole list in one sum with
// exhaustive search.
func TestListAsSum(t *testing.T) {
	needDriver(t)
	knobs := gen.TinyKnobs()
	knobs.Tasks = gen.Range{Lo: 2, Hi: 4}
	lists := 0
	for seed := uint64(0); lists < 4; seed++ {
		js, _ := gen.Random(knobs, seed)
		goal := []model.Objective{model.Misses, model.Tardiness, model.Makespan}
		want, err := oracle.SolveFor(js, goal, false)
		if err != nil {
			t.Fatal(err)
		}
		if want.Status != model.Optimal || want.Values[0] == 0 {
			continue
		}
		lists++
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		r, err := ask(ctx, js, Question{Minimize: goal, Guide: true}, Options{})
		cancel()
		if err != nil || !r.complete || r.schedule == nil {
			t.Errorf("seed %d: %+v, %v", seed, r, err)
			continue
		}
		if got := values(js, goal, r.schedule); !slices.Equal(got, want.Values) {
			t.Errorf("seed %d: %v, the oracle says %v", seed, got, want.Values)
		}
	}
}

// TestOutputIsPlan runs the model as a person would. What it prints is a plan
// file, also with names that CSV and MiniZinc must quote.
func TestOutputIsPlan(t *testing.T) {
	needDriver(t)
	js := softPair(t, 1, 2)
	js.Jobs[0].Name, js.Slaves[0].Name = `a "b", \(c)`, " é\\"
	dir := t.TempDir()
	cmd := exec.Command(Command, "--solver", "gecode", "--soln-sep", "", "--search-complete-msg", "", "-")
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(text(t, js, Question{Minimize: js.Goal(), Guide: true}))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	plan, err := planfile.Read("plan.csv", out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if report := check.Plan(js, plan); !report.OK() {
		t.Errorf("%v\n%s", report.Err(), out)
	}
	if len(plan.Tasks) != 2 || plan.Tasks[0].Job != js.Jobs[0].Name {
		t.Errorf("the plan read:\n%s", out)
	}
}

// TestShared: what there is less of, and what tasks take, stands in the data, with stages that are
// gangs or apart.
func TestShared(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster:
  heartbeat: 1
  pools: {idle: 4, licence: [{from: 0, amount: 3}, {from: 5, amount: 1}, {from: 7, amount: 2}]}
  slaves: [{name: a, count: 3, slots: 3}]
jobs:
  - name: x
    at_most: 2
    stages: [{name: one, tasks: 3, wcet: 2, pools: {licence: 1}}, {name: two, tasks: 2, wcet: 4, gang: true}]
  - {name: y, stages: [{name: one, tasks: 3, wcet: 1, apart: true}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	var model, data bytes.Buffer
	if err := WriteApart(&model, &data, js, Question{}); err != nil {
		t.Fatal(err)
	}
	horizon := Horizon(js)
	for _, want := range []string{
		"shares = 3;\nshared_units = [4, 3, 2];",
		fmt.Sprintf("dips = 2;\ndip_shared = [2, 2];\ndip_from = [5, 7];\ndip_to = [7, %d];\ndip_units = [2, 1];", horizon),
		"takes = 8;\ntake_shared = [2, 3, 2, 3, 2, 3, 3, 3];\ntake_task = [1, 1, 2, 2, 3, 3, 4, 5];\ntake_units = [1, 1, 1, 1, 1, 1, 1, 1];",
		"gangs = 1;\ngang_first = [4];\ngang_last = [5];\naparts = 1;\napart_first = [6];\napart_last = [8];",
	} {
		if !strings.Contains(data.String(), want) {
			t.Errorf("the data do not have\n%s\nbut\n%s", want, data.String())
		}
	}
}
