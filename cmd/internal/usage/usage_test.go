package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
)

func TestOf(t *testing.T) {
	fault := Errorf("--seed is odd")
	for _, err := range []error{nil, fault, terminal.ErrInterrupted, terminal.ErrTimeLimit} {
		if got := Of(err); got != err {
			t.Errorf("%v becomes %v", err, got)
		}
	}
	var made *Error
	if got := Of(io.EOF); !errors.As(got, &made) || made.Message("tool") != "tool: EOF" {
		t.Errorf("EOF becomes %v", got)
	}
	if got := Located(io.EOF); !errors.Is(got, io.EOF) || !errors.As(got, &made) || made.Message("tool") != "EOF" {
		t.Errorf("a located EOF is %v", got)
	}
}

func TestOutput(t *testing.T) {
	for _, err := range []error{nil, fmt.Errorf("write: %w", syscall.EPIPE)} {
		if got := Output(err); got != nil {
			t.Errorf("%v is no fault, but gives %v", err, got)
		}
	}
	if got := Output(io.ErrShortWrite); got == nil || got.Error() != "cannot write the answer: short write" {
		t.Errorf("%v", got)
	}
}

// TestStrict: every wrong call has a message that says what would do.
func TestStrict(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"pla"}, `unknown command "pla"; did you mean "play"?`},
		{[]string{"pla", "--count", "3"}, `unknown command "pla"; did you mean "play"?`},
		{[]string{"xyzzy"}, `unknown command "xyzzy"; tool help lists the commands`},
		{[]string{"help", "pla"}, `unknown command "pla"; did you mean "play"?`},
		{[]string{"completion", "zssh"}, `unknown command "zssh"; did you mean "zsh"?`},
		{[]string{"play"}, "tool play needs FILE"},
		{[]string{"play", "a", "b"}, `tool play takes only FILE, got "b" besides`},
		{[]string{"stop", "a"}, `tool stop takes no arguments, got "a"`},
		{[]string{"play", "--lmit", "3s"}, `unknown flag --lmit; did you mean "--limit"?`},
		{[]string{"play", "--xyzzy"}, "unknown flag --xyzzy; tool play --help lists the flags"},
		{[]string{"play", "-x"}, "unknown flag -x; tool play --help lists the flags"},
		{[]string{"play", "--limit", "soon"}, `--limit: "soon" is no duration; write 30s, 2m or 1h30m`},
		{[]string{"play", "--count", "many"}, `--count: "many" is no whole number that fits`},
		{[]string{"play", "--work", "1e5"}, `--work: "1e5" is no whole number that fits`},
		{[]string{"play", "--speed", "fast"}, `--speed: "fast" is no number; write 2 or 0.5`},
		{[]string{"play", "--loud=maybe"}, `--loud: "maybe" is neither true nor false`},
		{[]string{"play", "--limit"}, "flag needs an argument: --limit"},
	} {
		var out bytes.Buffer
		err := program(&out, test.args).Execute()
		var fault *Error
		if !errors.As(err, &fault) || err.Error() != test.want || out.Len() > 0 {
			t.Errorf("%q: %v, output %q", test.args, err, &out)
		}
	}
	for _, args := range [][]string{nil, {"help", "play"}, {"completion", "zsh"}} {
		var out bytes.Buffer
		if err := program(&out, args).Execute(); err != nil || out.Len() == 0 {
			t.Errorf("%q: %v, output %q", args, err, &out)
		}
	}
}

// program has a command with a flag of every kind, and one without.
func program(out io.Writer, args []string) *cobra.Command {
	root := &cobra.Command{Use: "tool", Args: cobra.ArbitraryArgs, RunE: Group}
	nothing := func(*cobra.Command, []string) error { return nil }
	play := &cobra.Command{Use: "play FILE", Args: ExactArgs("FILE"), RunE: nothing}
	play.Flags().Duration("limit", 0, "")
	play.Flags().Int("count", 0, "")
	play.Flags().Int64("work", 0, "")
	play.Flags().Float64("speed", 0, "")
	play.Flags().Bool("loud", false, "")
	root.AddCommand(play, &cobra.Command{Use: "stop", Args: ExactArgs(), RunE: nothing})
	root.SetArgs(append([]string{}, args...))
	root.SetOut(out)
	root.SetErr(out)
	Strict(root)
	return root
}
