package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/minizinc"
	"downbeat/model/gen"
)

// TestMain lets the test's binary be the processes that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "answer":
			end(AnswerFile(context.Background(), os.Stdout, os.Args[2:]))
		case "trial":
			end(TrialFile(context.Background(), os.Stdout, os.Args[2:]))
		case "pretend":
			pretend(os.Args[2])
		}
	}
	os.Exit(m.Run())
}

// end ends the process.
func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// pretend is a solver that goes wrong in some way.
func pretend(how string) {
	switch how {
	case "crash":
		fmt.Fprintln(os.Stderr, "a long story\nout of luck")
		os.Exit(7)
	case "silence":
		os.Exit(0)
	case "hang":
		fmt.Println(`{"values": [3]}`)
		for {
			time.Sleep(time.Minute)
		}
	case "babble":
		fmt.Println("hello")
	}
	os.Exit(0)
}

func self(t *testing.T, command string) []string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, command}
}

// write puts a job set in a file.
func write(t *testing.T, js *model.JobSet) *Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "set.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jobfile.Write(f, js); err != nil {
		t.Fatal(err)
	}
	read, err := Load([]string{path}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &read[0]
}

// tinySets are random ones of which exhaustive search knows the answer: one
// that is infeasible, one that is not, one with two objectives above 0, one with
// jobs after jobs, a stage graph and a named resource, and one with a pool of which the
// amount changes and a gang.
func tinySets(t *testing.T) ([]Set, []oracle.Answer) {
	t.Helper()
	want := []func(*model.JobSet, oracle.Answer) bool{
		func(_ *model.JobSet, a oracle.Answer) bool { return a.Status == model.Infeasible },
		func(js *model.JobSet, a oracle.Answer) bool { return a.Status == model.Feasible && len(js.Tasks) > 2 },
		func(_ *model.JobSet, a oracle.Answer) bool { return len(a.Values) > 1 && a.Values[0]*a.Values[1] > 0 },
		func(js *model.JobSet, a oracle.Answer) bool {
			graph := slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return !j.Chain() })
			return js.JobsLinked() && graph && len(js.Named) > 0 && len(a.Values) > 0 && a.Values[0] > 0
		},
		func(js *model.JobSet, a oracle.Answer) bool {
			changes := slices.ContainsFunc(js.Shared(), func(sh model.Shared) bool { return len(sh.Tasks) > 1 && len(sh.Levels) > 1 })
			return changes && js.Gangs() && a.Status == model.Optimal
		},
	}
	sets, answers := make([]Set, len(want)), make([]oracle.Answer, len(want))
	for seed, left := uint64(0), len(want); left > 0; seed++ {
		knobs := gen.TinyKnobs()
		knobs.Tasks = gen.Range{Lo: 2, Hi: 4}
		if seed%2 == 1 {
			knobs.Shapes, knobs.Today = gen.TodayKnobs().Shapes, gen.TodayKnobs().Today
			knobs.Tasks = gen.Range{Lo: 4, Hi: 5}
		}
		js, _ := gen.Random(knobs, seed)
		if seed%4 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		a, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if sets[i].JobSet == nil && want[i](js, a) {
				sets[i], answers[i] = *write(t, js), a
				left--
			}
		}
	}
	return sets, answers
}

// endToEnd lets a peer answer the tiny sets.
func endToEnd(t *testing.T, p Peer) {
	t.Helper()
	sets, want := tinySets(t)
	runs := Compare(t.Context(), sets, []Peer{p}, Options{Limit: 30 * time.Second, Workers: 1, Rounds: 1}, nil, func(*Run) {})
	if len(runs) != len(sets) {
		t.Fatalf("%d runs of %d sets", len(runs), len(sets))
	}
	for i, r := range runs {
		switch {
		case r.Fault != "":
			t.Errorf("set %d: %s", i, r.Fault)
		case r.Status != want[i].Status || !slices.Equal(r.Values, want[i].Values):
			t.Errorf("set %d: %v %v, the oracle says %v %v", i, r.Status, r.Values, want[i].Status, want[i].Values)
		case !r.Proved() || r.Proof() <= 0:
			t.Errorf("set %d: not proved: %+v", i, r)
		case r.Planned != (r.First > 0 && r.First <= r.Best && r.Best <= r.Total):
			t.Errorf("set %d: first %v, best %v, total %v", i, r.First, r.Best, r.Total)
		case r.Status == model.Optimal && !slices.Equal(r.Bounds, r.Values):
			t.Errorf("set %d: optimum %v, bounds %v", i, r.Values, r.Bounds)
		}
	}
}

func TestDownbeat(t *testing.T) {
	endToEnd(t, Peer{Name: "downbeat", solve: downbeat(self(t, "answer"))})
}

func TestMiniZinc(t *testing.T) {
	if !minizinc.Installed() {
		t.Skip("MiniZinc is not installed (Debian package minizinc): its solvers are not compared")
	}
	solvers, err := minizinc.Solvers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers {
		t.Run(s.Name, func(t *testing.T) {
			endToEnd(t, Peer{Name: s.Name, solve: viaMiniZinc(s)})
		})
	}
}

// python is the interpreter that DOWNBEAT_PYTHON names, or python3; it must
// have OR-tools.
func python(t *testing.T) string {
	t.Helper()
	path, ok := os.LookupEnv("DOWNBEAT_PYTHON")
	if !ok {
		path = "python3"
	}
	if _, err := ortools(t.Context(), path); err != nil {
		t.Skipf("CP-SAT is not compared: %v (DOWNBEAT_PYTHON names another Python)", err)
	}
	return path
}

func TestCPSAT(t *testing.T) {
	endToEnd(t, Peer{Name: CPSAT, solve: viaPython(python(t))})
}

// TestCPSATAgreesWithOracle: the script's model on sets with every feature, as
// many as DOWNBEAT_CROSSCHECK says.
func TestCPSATAgreesWithOracle(t *testing.T) {
	p := Peer{Name: CPSAT, solve: viaPython(python(t))}
	sets := uint64(6)
	if text, ok := os.LookupEnv("DOWNBEAT_CROSSCHECK"); ok {
		var err error
		if sets, err = strconv.ParseUint(text, 10, 32); err != nil {
			t.Fatalf("DOWNBEAT_CROSSCHECK: %v", err)
		}
	}
	for seed := range sets {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.Coupled(gen.TodayTiny(seed), seed, false)
		}
		want, err := oracle.Solve(js)
		if err != nil {
			t.Fatal(err)
		}
		r := p.ask(t.Context(), &Set{Name: js.Name, JobSet: js}, 0, Options{Limit: 30 * time.Second, Workers: 1})
		if r.Fault != "" || r.Status != want.Status || !slices.Equal(r.Values, want.Values) {
			t.Errorf("seed %d: %v %v %s, the oracle says %v %v", seed, r.Status, r.Values, r.Fault, want.Status, want.Values)
		}
	}
}

// TestFailures: a process that goes wrong leaves a run that says how, and one that does not end is ended.
func TestFailures(t *testing.T) {
	set := write(t, gen.Tiny(0))
	for how, want := range map[string]string{
		"crash":   "exit status 7: out of luck",
		"silence": "it ended without an answer",
		"hang":    "it did not end within 300ms of its limit",
		"babble":  "its output: invalid character",
	} {
		r := (&Peer{Name: how, solve: downbeat(append(self(t, "pretend"), how))}).
			ask(t.Context(), set, 0, Options{Limit: 200 * time.Millisecond, Grace: 300 * time.Millisecond, Workers: 1})
		if !strings.Contains(r.Fault, want) || r.Status != model.Unknown || r.Planned || r.First != Never || r.Proof() != Never {
			t.Errorf("%s: %+v", how, r)
		}
	}
	r := (&Peer{solve: downbeat([]string{filepath.Join(t.TempDir(), "missing")})}).ask(t.Context(), set, 0, Options{})
	if !strings.Contains(r.Fault, "no such file") {
		t.Errorf("a program that does not exist: %q", r.Fault)
	}
}

// TestCompareAlternates: every solver gets every set in every round, and the
// first place goes round.
func TestCompareAlternates(t *testing.T) {
	var order []string
	peer := func(name string) Peer {
		return Peer{Name: name, solve: func(_ context.Context, set *Set, _ Options, _ *listener) (claim, error) {
			order = append(order, set.Name+name)
			return claim{}, nil
		}}
	}
	js := gen.Tiny(0)
	sets := []Set{{Name: "1", JobSet: js}, {Name: "2", JobSet: js}}
	heard := 0
	runs := Compare(t.Context(), sets, []Peer{peer("a"), peer("b")}, Options{Rounds: 2}, nil, func(*Run) { heard++ })
	if want := "1a 1b 2b 2a 1b 1a 2a 2b"; strings.Join(order, " ") != want {
		t.Errorf("order %v, want %s", order, want)
	}
	if len(runs) != 8 || heard != 8 || runs[4].Round != 1 || runs[0].Round != 0 {
		t.Errorf("%d runs, %d heard of", len(runs), heard)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopping := peer("c")
	stopping.solve = func(context.Context, *Set, Options, *listener) (claim, error) {
		cancel()
		return claim{}, errors.New("stopped")
	}
	if runs := Compare(ctx, sets, []Peer{peer("a"), stopping}, Options{Rounds: 2}, nil, func(*Run) {}); len(runs) != 1 {
		t.Errorf("%d runs before the interrupt, want the first alone", len(runs))
	}
}

func TestFindAndChoose(t *testing.T) {
	t.Setenv("PATH", "")
	found, missing, err := Find(t.Context(), self(t, "answer"), "no-python")
	if err != nil || len(found) != 1 || found[0].Name != "downbeat" {
		t.Errorf("%v, %v", found, err)
	}
	if len(missing) != 2 || !strings.Contains(missing[0], "MiniZinc") || !strings.Contains(missing[1], "CP-SAT") {
		t.Errorf("missing %q", missing)
	}
	all := []Peer{{Name: "a"}, {Name: "b"}}
	if got, err := Choose(all, []string{"b", "a"}); err != nil || got[0].Name != "b" || got[1].Name != "a" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Choose(all, []string{"c"}); err == nil || !strings.Contains(err.Error(), "there are a, b") {
		t.Errorf("a name that nobody has: %v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	const text = "version: 1\ncluster: {heartbeat: 1, slaves: [{name: a}]}\njobs: [{name: j, map: {tasks: 1, wcet: 1}}]\n"
	for _, name := range []string{"b.yaml", "a.yml", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sets, err := Load([]string{filepath.Join(dir, "b.yaml"), dir}, t.TempDir())
	var names []string
	for _, s := range sets {
		names = append(names, s.Name)
	}
	if err != nil || !slices.Equal(names, []string{"b", "a", "b"}) {
		t.Errorf("%v, %v", names, err)
	}
	for _, path := range []string{
		filepath.Join(dir, "missing"), filepath.Join(dir, "notes"), t.TempDir(),
		"family:tight-40", "family:tight-40:", "family:tight-40:a", "family:tight-40:2-1", "family:tight-40:1-", "family:tiht-40:1",
	} {
		if _, err := Load([]string{path}, t.TempDir()); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

// TestLoadFamilies: the sets are those of package gen, in files that are there.
func TestLoadFamilies(t *testing.T) {
	made := t.TempDir()
	sets, err := Load([]string{"family:tight-20:2-3", "family:tiny:7"}, made)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range sets {
		names = append(names, sets[i].Name)
		want, _, _ := gen.Family(sets[i].Name[:strings.LastIndexByte(sets[i].Name, '-')], []uint64{2, 3, 7}[i])
		if sets[i].JobSet.Digest() != want.Digest() || filepath.Dir(sets[i].File) != made {
			t.Errorf("%s in %s is another set", sets[i].Name, sets[i].File)
		}
	}
	if want := []string{"tight-20-2", "tight-20-3", "tiny-7"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

func TestTraitOf(t *testing.T) {
	for name, want := range map[string]struct {
		trait string
		size  int
	}{
		"tight-40-3": {"tight", 40}, "tight-laid-100-12": {"tight-laid", 100}, "tight-11": {"tight-11", 0},
		"tight-medium-11": {"tight-medium-11", 0}, "nightly": {"nightly", 0},
	} {
		if trait, size := traitOf(name); trait != want.trait || size != want.size {
			t.Errorf("%s: %s and %d", name, trait, size)
		}
	}
}
