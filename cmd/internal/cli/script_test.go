package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"downbeat/cmd/internal/options"
	"downbeat/internal/testkit"
)

// update rewrites the expected outputs in the scripts. Read the diff.
var update = flag.Bool("update", false, "rewrite expected outputs in testdata/script")

func TestMain(m *testing.M) {
	options.Patience = 10
	testscript.Main(m, map[string]func(){
		"downbeat": func() { os.Exit(int(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))) },
	})
}

// sideBySide are the scripts in which each thing that runs beside others does so: the race
// detector, which makes programs many times slower, is told nothing by the rest.
var sideBySide = []string{
	"bench", "bench_files", "bench_hunt", "bench_sets", "budget", "engine", "exec", "infeasible", "log", "plan", "plan_from", "simulate",
}

// TestScripts runs the program as a person would. Beyond the usual commands:
//
//	exits CODE ARGS…   runs downbeat and demands the exit code
//	scrub FILE         writes the last standard output to FILE, times as T
//	append FILE TEXT   adds TEXT, in which \n is the end of a line
//
// $EXAMPLES is the folder of that name. Lines with the condition [long] are run where all is asked.
func TestScripts(t *testing.T) {
	const folder = "testdata/script"
	dir, files := folder, []string(nil)
	if testkit.Race() {
		dir = ""
		for _, name := range sideBySide {
			if name == "budget" && testing.Short() {
				continue // package solve has its searches on a budget looked at
			}
			files = append(files, filepath.Join(folder, name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			examples, err := filepath.Abs(filepath.Join(root, "examples"))
			env.Setenv("EXAMPLES", examples)
			// A program built for the race detector waits for a second before it exits.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return err
		},
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("no condition %q", name)
			}
			return testkit.Asked(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"scrub":  scrub,
			"append": appendText,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec("downbeat", args[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("downbeat exited with %d, not %d", got, want)
	}
}

func appendText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE TEXT")
	}
	text := ts.ReadFile(args[0]) + strings.ReplaceAll(args[1], `\n`, "\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

var elapsed = regexp.MustCompile(`(?m)^time \d+\.\d\ds$|"(settled_)?seconds": [0-9.e-]+`)

func scrub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: scrub FILE")
	}
	text := elapsed.ReplaceAllStringFunc(ts.ReadFile("stdout"), func(s string) string {
		if s[0] == 't' {
			return "time T"
		}
		name, _, _ := strings.Cut(s, ":")
		return name + ": T"
	})
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
