package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/terminal"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
	"downbeat/solve"
)

// small is a job set with a plan.
const small = `version: 1
cluster: {heartbeat: 2, slaves: [{name: a, slots: 2}]}
jobs:
  - {name: load, deadline: 9, hard: true, map: {tasks: 2, wcet: 3, transfer: 1}}
  - {name: mail, deadline: 6, map: {tasks: 1, wcet: 4}}
`

// fakeStreams reads input and keeps what is written.
func fakeStreams(input string) (s *terminal.Streams, out, err *bytes.Buffer) {
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	s = terminal.New(strings.NewReader(input), out, err)
	s.NoColor = false
	return s, out, err
}

func TestColor(t *testing.T) {
	for _, test := range []struct {
		name              string
		terminal, noColor bool
		args              []string
		want              bool
	}{
		{"terminal", true, false, nil, true},
		{"file or pipe", false, false, nil, false},
		{"NO_COLOR", true, true, nil, false},
		{"--no-color", true, false, []string{"--no-color"}, false},
		{"JSON", true, false, []string{"--format", "json"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, out, stderr := fakeStreams(small)
			s.OutTerminal, s.NoColor = test.terminal, test.noColor
			if code := run(t.Context(), s, append([]string{"plan", "-"}, test.args...)); code != exit.Done {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			if got := strings.Contains(out.String(), "\x1b["); got != test.want {
				t.Errorf("colour %t, want %t:\n%s", got, test.want, out)
			}
		})
	}
}

// A chart that is too tall for the terminal is left out.
func TestTerminalHeight(t *testing.T) {
	for height, want := range map[int]bool{4: false, 40: true} {
		s, out, _ := fakeStreams(small)
		s.OutTerminal, s.Height = true, height
		run(t.Context(), s, []string{"plan", "-", "--no-color"})
		if got := strings.Contains(out.String(), "\nChart\n"); got != want {
			t.Errorf("height %d: chart %t, want %t:\n%s", height, got, want, out)
		}
	}
}

// An interrupted search prints what it has: exit code 0 with a plan, 3 without.
func TestInterrupted(t *testing.T) {
	js, err := jobfile.Load("small", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := solve.Plan(t.Context(), js, solve.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		best solve.Result
		code exit.Code
		want string
	}{
		{"with a plan", solve.Result{Status: model.Feasible, Schedule: whole.Schedule, Interrupted: true,
			Objectives: []model.ObjectiveValue{{Name: "misses", Value: 1, Bound: new(int64)}}}, exit.Done, "the hard deadline is met; mail is 5 ticks late; there may be a better plan\nfeasible (misses 1 > bound 0)\n"},
		{"without", solve.Result{Interrupted: true}, exit.Unknown, "no answer within the limit: neither a plan that meets all hard deadlines nor a proof that there is none\nunknown (a limit was reached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, out, stderr := fakeStreams(small)
			ctx, cancel := context.WithCancel(t.Context())
			cmd := newPlanCmd(s, func(ctx context.Context, o *planOptions) error {
				o.solve = func(ctx context.Context, _ *model.JobSet, _ solve.Options) (*solve.Result, error) {
					cancel() // as a signal does
					<-ctx.Done()
					return &test.best, nil
				}
				return runPlan(ctx, o)
			})
			cmd.SetArgs([]string{"-"})
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(ctx)
			var code exit.Code
			if errors.As(err, &code); code != test.code {
				t.Errorf("exit code %d (%v), want %d", code, err, test.code)
			}
			if !strings.HasPrefix(out.String(), test.want) {
				t.Errorf("got %s, want %s", out, test.want)
			}
			if !strings.HasPrefix(stderr.String(), "interrupted: ") {
				t.Errorf("standard error: %q", stderr)
			}
		})
	}
}

// The real solver ends under a cancelled context, and what it says is one of the two answers.
func TestCancelledBeforehand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, out, stderr := fakeStreams(small)
	code := run(ctx, s, []string{"plan", "-", "--time-limit", "0"})
	if code != exit.Done && code != exit.Unknown {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
}

// Faults of the program end in a sentence and code 70.
func TestInternalErrors(t *testing.T) {
	for name, solver := range map[string]func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error){
		"error": func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error) {
			return nil, errors.New("the plan is not valid")
		},
		"panic": func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error) {
			panic("the plan is not valid")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, out, stderr := fakeStreams(small)
			root := newRootCmd(s)
			root.RemoveCommand(root.Commands()...)
			root.AddCommand(newPlanCmd(s, func(ctx context.Context, o *planOptions) error {
				o.solve = solver
				return runPlan(ctx, o)
			}))
			root.SetArgs([]string{"plan", "-"})
			code := exit.Run(t.Context(), root)
			if code != exit.Internal || out.Len() > 0 || stderr.String() != "downbeat: internal error: the plan is not valid\n" {
				t.Errorf("exit code %d, output %q, errors %q", code, out, stderr)
			}
		})
	}
}

// An answer that cannot be printed is no success.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	for _, args := range [][]string{{"plan", "-"}, {"completion", "bash"}, {"completion", "fish"}} {
		var stderr bytes.Buffer
		if code := Main(args, strings.NewReader(small), full, &stderr); code != exit.Usage {
			t.Errorf("%v: exit code %d: %s", args, code, &stderr)
		}
	}
}

// A reader that has gone (head) changes no exit code and makes no noise.
func TestReaderGone(t *testing.T) {
	const clash = `version: 1
cluster: {heartbeat: 2, slaves: [{name: a}]}
jobs: [{name: load, deadline: 2, hard: true, map: {tasks: 1, wcet: 3}}]
`
	for input, want := range map[string]exit.Code{small: exit.Done, clash: exit.No} {
		for _, command := range []string{"plan", "check"} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			var stderr bytes.Buffer
			cmd := exec.Command("downbeat", command, "-")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), w, &stderr
			err = cmd.Run()
			w.Close()
			if got := exit.Code(cmd.ProcessState.ExitCode()); got != want || stderr.Len() > 0 {
				t.Errorf("%s: exit code %d (%v), want %d; errors %q", command, got, err, want, &stderr)
			}
		}
	}
}

// An interrupt ends the program while it waits for its input, too.
func TestInterruptedInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s, out, stderr := fakeStreams("")
	s.In = r
	if code := run(ctx, s, []string{"check", "-"}); code != exit.Unknown || out.Len() > 0 ||
		stderr.String() != "downbeat: interrupted before the input was read\n" {
		t.Errorf("exit code %d, output %q, errors %q", code, out, stderr)
	}
}

// A limit with no answer: exit code 3, and the plan file says so too.
func TestUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.yaml")
	s, out, stderr := fakeStreams(small)
	root := newRootCmd(s)
	root.RemoveCommand(root.Commands()...)
	root.AddCommand(
		newPlanCmd(s, func(ctx context.Context, o *planOptions) error {
			o.solve = func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error) {
				return &solve.Result{Notes: []string{"the formula is too large"}}, nil
			}
			return runPlan(ctx, o)
		}),
		newCheckCmd(s, func(ctx context.Context, o *checkOptions) error {
			o.solve = func(context.Context, *model.JobSet, solve.Options) (*solve.Verdict, error) {
				return &solve.Verdict{}, nil
			}
			return runCheck(ctx, o)
		}))
	root.SetArgs([]string{"plan", "-", "-o", path})
	if code := exit.Run(t.Context(), root); code != exit.Unknown || !strings.Contains(out.String(), "\nunknown (") {
		t.Errorf("plan: exit code %d, %s", code, out)
	}
	if stderr.String() != "note: the formula is too large\n" {
		t.Errorf("standard error: %q", stderr)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := planfile.Read(path, src); err != nil || plan.Status != "unknown" || len(plan.Tasks) > 0 {
		t.Errorf("plan file %+v, %v", plan, err)
	}
	out.Reset()
	s.In = strings.NewReader(small)
	root.SetArgs([]string{"check", "-"})
	if code := exit.Run(t.Context(), root); code != exit.Unknown || !strings.Contains(out.String(), "\nunknown (") {
		t.Errorf("check: exit code %d, %s", code, out)
	}
}

// An interrupt ends a search that would go on without an end, and the best plan
// is printed.
func TestInterruptSignal(t *testing.T) {
	var file strings.Builder
	file.WriteString("version: 1\nobjective: weighted-tardiness\ncluster: {heartbeat: 1, slaves: [{name: a, count: 3}]}\njobs:\n")
	for i := range 60 {
		fmt.Fprintf(&file, "  - {name: j%d, deadline: %d, weight: %d, map: {tasks: 1, wcet: %d}}\n",
			i, 60+i*i*7%300, 1+i*5%9, 5+i*13%37)
	}
	// More than a pipe holds: once all is written, the program is reading and
	// hears signals.
	file.WriteString(strings.Repeat("# padding\n", 20_000))
	cmd := exec.Command("downbeat", "plan", "-", "--time-limit", "0", "--workers", "1")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, file.String()); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	time.Sleep(500 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, &stderr)
	}
	if !strings.Contains(out.String(), "\nfeasible (weighted-tardiness ") || !strings.HasPrefix(stderr.String(), "interrupted: ") {
		t.Errorf("output %.200s\nerrors %s", &out, &stderr)
	}
}
