package exit

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// What a command ends in tells its exit code, and what is printed.
func TestRun(t *testing.T) {
	for _, test := range []struct {
		err  error
		code Code
		want string
	}{
		{nil, Done, ""},
		{No, No, ""},
		{fmt.Errorf("in passing: %w", Unknown), Unknown, ""},
		{terminal.ErrInterrupted, Unknown, "tool: interrupted before the input was read\n"},
		{terminal.ErrTimeLimit, Unknown, "tool: the time limit was reached before the input was read\n"},
		{usage.Errorf("--seed %d is odd", 3), Usage, "tool: --seed 3 is odd\n"},
		{usage.Located(errors.New("a.yaml:1:2: no such key")), Usage, "a.yaml:1:2: no such key\n"},
		{errors.New("the plan is not valid"), Internal, "tool: internal error: the plan is not valid\n"},
	} {
		if code, errs := end(t, func() error { return test.err }); code != test.code || errs != test.want {
			t.Errorf("%v: exit code %d, %q", test.err, code, errs)
		}
	}
	if code, errs := end(t, func() error { panic("out of bounds") }); code != Internal || errs != "tool: internal error: out of bounds\n" {
		t.Errorf("panic: exit code %d, %q", code, errs)
	}
	if got := Unknown.Error(); got != "exit code 3" {
		t.Errorf("%q", got)
	}
}

// end runs a program that ends in what do returns.
func end(t *testing.T, do func() error) (Code, string) {
	var errs bytes.Buffer
	program := &cobra.Command{
		Use: "tool", SilenceUsage: true, SilenceErrors: true,
		RunE: func(*cobra.Command, []string) error { return do() },
	}
	program.SetArgs(nil)
	program.SetErr(&errs)
	return Run(t.Context(), program), errs.String()
}
