package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/terminal"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve"
)

// TestExportDIMACSAsksTheQuestion: the formula of a set has a solution exactly
// if the set has a plan, and with misses bounded by the optimum, or by one less,
// it has one, or none.
func TestExportDIMACSAsksTheQuestion(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := t.TempDir()
	feasible, infeasible, tight := 0, 0, 0
	for seed := range uint64(60) {
		js := gen.Tiny(seed)
		var text bytes.Buffer
		if err := jobfile.Write(&text, js); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.yaml", seed))
		if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := solve.Plan(t.Context(), js, solve.Options{Objectives: []model.Objective{model.Misses}, Workers: 1, NoConflict: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == model.Infeasible {
			infeasible++
			mustAnswer(t, file, false)
			continue
		}
		feasible++
		optimum := r.Objectives[0].Value
		mustAnswer(t, file, true)
		mustAnswer(t, file, true, "--at-most", fmt.Sprintf("misses=%d", optimum))
		if optimum > 0 {
			tight++
			mustAnswer(t, file, false, "--at-most", fmt.Sprintf("misses=%d", optimum-1))
		}
	}
	if feasible < 10 || infeasible < 5 || tight < 5 {
		t.Errorf("%d feasible, %d infeasible, %d with misses: too few to tell", feasible, infeasible, tight)
	}
}

// mustAnswer exports a formula and asks gini about what was written.
func mustAnswer(t *testing.T, file string, want bool, flags ...string) {
	t.Helper()
	s, out, errs := fakeStreams("")
	if code := run(t.Context(), s, append([]string{"export", "dimacs", file}, flags...)); code != exit.Done {
		t.Fatalf("%s: exit code %d: %s", file, code, errs)
	}
	text := out.String()
	if strings.Contains(text, "\n0\n") {
		if want { // gini does not take the empty clause
			t.Errorf("%s %v: the empty clause", file, flags)
		}
		return
	}
	g, err := gini.NewDimacs(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	got := g.Solve() == 1
	if got != want {
		t.Errorf("%s %v: a solution %t, a plan %t", file, flags, got, want)
	}
	if got {
		mustComeBack(t, file, text, g)
	}
}

// mustComeBack makes a plan of the solution that gini has.
func mustComeBack(t *testing.T, file, text string, g *gini.Gini) {
	t.Helper()
	formula := filepath.Join(t.TempDir(), "formula.cnf")
	if err := os.WriteFile(formula, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	answer := "s SATISFIABLE\nv"
	for v := z.Var(1); v <= g.MaxVar(); v++ {
		sign := "-"
		if g.Value(v.Pos()) {
			sign = ""
		}
		answer += fmt.Sprintf(" %s%d", sign, v)
	}
	s, out, errs := fakeStreams(answer + " 0\n")
	if code := run(t.Context(), s, []string{"import", "dimacs", file, formula, "-"}); code != exit.Done || !strings.Contains(out.String(), "\nvalid (") {
		t.Errorf("%s: exit code %d: %s%s", file, code, out, errs)
	}
}

// A reader that has seen enough ends an export without a fault, a full disk
// with one.
func TestExportToFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here to write to")
	}
	defer full.Close()
	for _, kind := range []string{"minizinc", "dimacs"} {
		var errs bytes.Buffer
		code := run(t.Context(), terminal.New(strings.NewReader(""), full, &errs),
			[]string{"export", kind, filepath.Join(root, "examples", "two-clash.yaml")})
		if code != exit.Usage || !strings.Contains(errs.String(), "cannot write the answer") {
			t.Errorf("%s: exit code %d: %s", kind, code, &errs)
		}
	}
}
