package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/minizinc"
	"downbeat/model/files/solution"
	"downbeat/model/gen"
	"downbeat/solve"
)

// solver is one of those that Debian has.
type solver struct {
	command string
	args    []string
	format  formulaFormat
	// result tells that the answer goes to a file, whose name is the last argument.
	result bool
}

var solvers = []solver{
	{command: "cadical", args: []string{"-q"}, format: dIMACS},
	{command: "picosat", format: dIMACS},
	{command: "cryptominisat5", args: []string{"--verb=0"}, format: dIMACS},
	{command: "minisat", args: []string{"-verb=0"}, format: dIMACS, result: true},
	{command: "clasp", args: []string{"--verbose=0"}, format: dIMACS},
	{command: "clasp", args: []string{"--verbose=0"}, format: oldWCNF},
	{command: "clasp", args: []string{"--verbose=0"}, format: oPB},
	{command: "minisat+", args: []string{"-v0"}, format: oPB},
}

// ask writes a formula, has a solver answer it, and reads formula and answer.
func (s *solver) ask(t *testing.T, f *formula) (*solution.Map, *solution.Answer) {
	t.Helper()
	dir := t.TempDir()
	file, result := filepath.Join(dir, "formula"), filepath.Join(dir, "result")
	var text bytes.Buffer
	if err := f.Write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(s.args), file)
	if s.result {
		args = append(args, result)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	printed, _ := exec.CommandContext(ctx, s.command, args...).Output() // exit codes tell answers
	if s.result {
		var err error
		if printed, err = os.ReadFile(result); err != nil {
			t.Fatal(err)
		}
	}
	m, err := solution.ReadMap(t.Context(), file, &text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := solution.ReadAnswer(t.Context(), s.command, bytes.NewReader(printed))
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	return m, a
}

// goals are those of which formulas are minimised; the first is that of the set.
var goals = [][]model.Objective{
	nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan}, {model.Misses, model.Tardiness},
	{model.Tardiness, model.Misses, model.Makespan}, {model.WeightedTardiness, model.Makespan},
}

// TestSolvers: what solvers answer to formulas agrees with what downbeat proves, and comes
// back as valid plans that are as good.
func TestSolvers(t *testing.T) {
	for _, s := range solvers {
		t.Run(s.command+" "+[]string{"dimacs", "wcnf", "old wcnf", "opb"}[s.format], func(t *testing.T) {
			if _, err := exec.LookPath(s.command); err != nil {
				t.Skipf("no %s here, which Debian's package of that name has", s.command)
			}
			plans, none := 0, 0
			for seed := range testkit.Sets[uint64](6, 120) {
				js := gen.Tiny(seed)
				if seed%4 == 3 {
					js = gen.TodayTiny(seed)
				}
				if seed%3 == 1 {
					js = gen.Coupled(js, seed, false)
				}
				goal := goals[seed%uint64(len(goals))]
				if goal == nil {
					goal = js.Goal()
				}
				if s.compare(t, seed, js, goal) {
					plans++
				} else {
					none++
				}
			}
			if plans < 2 || none < 1 {
				t.Errorf("%d plans, %d sets without one: too few to tell", plans, none)
			}
		})
	}
}

// compare asks a solver about a set; false if there is no plan.
func (s *solver) compare(t *testing.T, seed uint64, js *model.JobSet, goal []model.Objective) bool {
	t.Helper()
	r := &request{Format: s.format, MaxClauses: 1 << 20}
	if s.format != dIMACS {
		r.Minimize = goal
	}
	own, err := solve.Plan(t.Context(), js, solve.Options{Objectives: goal, Workers: 1, NoConflict: true, Seed: seed})
	if err != nil || own.Status == model.Unknown {
		t.Fatalf("seed %d: %v", seed, err)
	}
	possible := own.Status != model.Infeasible
	if n := own.Objectives; seed%2 == 0 && len(n) > 0 && n[0].Value > 0 { // nothing is better than the best
		r.AtMost, possible = []minizinc.Bound{{Objective: goal[0], Value: n[0].Value - 1}}, false
	}
	f, err := r.Build(t.Context(), js)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	m, a := s.ask(t, f)
	if m.Digest != js.Digest() || possible == (a.Status == solution.Unsatisfiable) {
		t.Fatalf("seed %d: %s has status %d, we say %v, bounds %v", seed, s.command, a.Status, own.Status, r.AtMost)
	}
	if !possible {
		return false
	}
	plan, err := m.Schedule(js, a)
	if err != nil || !a.HasSolution() {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !plan.Complete() {
		plan = heuristics.Complete(js, plan)
	}
	if err := check.Schedule(js, plan, false).Err(); err != nil {
		t.Fatalf("seed %d: %s answers with a plan that is none: %v", seed, s.command, err)
	}
	if s.format == dIMACS {
		return true
	}
	finishes := js.Finishes(plan)
	cost := int64(0)
	for i, o := range own.Objectives {
		got := js.Value(goal[i], finishes)
		if got != o.Value {
			t.Errorf("seed %d: %s has %s %d, the optimum is %d", seed, s.command, o.Name, got, o.Value)
		}
		c := f.Costs()[i]
		if c.Objective == model.Misses || c.Objective == model.HardMisses {
			cost += f.factors[i] * (got - c.Base)
		} else {
			cost += f.factors[i] * (got/int64(f.unit) - c.Base)
		}
	}
	if s.format == oldWCNF && len(f.costs) > 0 && a.Cost != cost {
		t.Errorf("seed %d: %s says that its solution costs %d, and not %d", seed, s.command, a.Cost, cost)
	}
	return true
}
