// Package exit says how a command ends: with which exit code, and what is
// printed of an error.
package exit

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// Code is an exit code. As an error it ends a command whose answer has been
// printed already.
type Code int

// Exit codes of the programs.
const (
	// Done: the question was answered; for plan a plan was found, with or
	// without a gap, for check the hard jobs meet their deadlines.
	Done Code = 0
	// No: a proved or found "no": infeasible, violations, or a condition that holds.
	No Code = 1
	// Usage: bad flags, or bad input files.
	Usage Code = 2
	// Unknown: a limit or an interrupt came first. There is neither a plan nor a proof,
	// or the answer is of a part of what was asked for, as of a bench with missing cells.
	Unknown Code = 3
	// Internal: the program itself is at fault.
	Internal Code = 70
)

// Meaning is what a code says, in words for the reader of a terminal.
type Meaning struct {
	Code Code
	Text string
}

// Meanings are those of all codes.
func Meanings() []Meaning {
	return []Meaning{
		{Done, "done: a plan was found (optimal or not), the hard deadlines can be met, a size that will do is known, the plan is valid, the run or the bench is played (on time or not)"},
		{No, "no: proved infeasible (with --relax too), proved that no size will do, the plan breaks a rule, a proof fails, --fail-on holds, a single loss breaks a job, or a solver's answer says that there is no plan"},
		{Usage, "bad usage or bad input; the message says where, and what to write instead"},
		{Unknown, "a limit or an interrupt came first: there is neither a plan nor a proof, a run was not played to its end, or cells of a bench, or sections of a reproduction, are missing; also a hunt that found nothing, and a solver's answer that settles nothing"},
		{Internal, "a fault of downbeat itself"},
	}
}

// Error implements error.
func (c Code) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// Run executes a program, turns whatever its command ends in into an exit code,
// and prints it if that has not been done.
func Run(ctx context.Context, program *cobra.Command) (code Code) {
	stderr := program.ErrOrStderr()
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(stderr, "%s: internal error: %v\n", program.Name(), fault)
			code = Internal
		}
	}()
	err := program.ExecuteContext(ctx)
	var fault *usage.Error
	switch {
	case err == nil:
		return Done
	case errors.As(err, &code):
		return code
	case terminal.Ended(err):
		fmt.Fprintf(stderr, "%s: %v\n", program.Name(), err)
		return Unknown
	case errors.As(err, &fault):
		fmt.Fprintln(stderr, fault.Message(program.Name()))
		return Usage
	default:
		fmt.Fprintf(stderr, "%s: internal error: %v\n", program.Name(), err)
		return Internal
	}
}
