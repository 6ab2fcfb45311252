// Package cli is the command line of downbeat: flags, files, streams, signals
// and exit codes. What is printed is the business of package report.
//
// Every command has an options struct, a constructor newXCmd that fills it from
// flags, and a function runX that does the work, so that flags and work can be
// tested apart.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"downbeat/model/near"

	"github.com/spf13/cobra"
)

// Exit codes of the program.
const (
	// ExitDone: the question was answered; for plan a plan was found, with or
	// without a gap, for check the hard jobs meet their deadlines.
	ExitDone = 0
	// ExitNo: a proved or found "no": infeasible, or violations.
	ExitNo = 1
	// ExitUsage: bad flags, or bad input files.
	ExitUsage = 2
	// ExitUnknown: a limit was reached with neither a plan nor a proof.
	ExitUnknown = 3
	// ExitInternal: the program itself is at fault.
	ExitInternal = 70
)

// Main runs the program and returns its exit code. The first interrupt or
// termination signal ends a running search, which then prints its best answer;
// the second one kills.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // gives the second signal its default meaning back
	// Where the reader of the answer has gone (head), writing fails with EPIPE
	// instead of killing the program: the exit code still tells the answer.
	signal.Ignore(syscall.SIGPIPE)
	return run(ctx, newStreams(stdin, stdout, stderr), args)
}

// run is Main without signals.
func run(ctx context.Context, io *streams, args []string) int {
	io.in = &interruptible{ctx, io.in}
	root := newRootCmd(io)
	root.SetArgs(args)
	return execute(ctx, io, root)
}

// execute turns whatever a command ends in into an exit code, and prints it if
// that has not been done.
func execute(ctx context.Context, io *streams, root *cobra.Command) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(io.err, "downbeat: internal error: %v\n", fault)
			code = ExitInternal
		}
	}()
	err := root.ExecuteContext(ctx)
	var exit exitCode
	var usage *usageError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &exit):
		return int(exit)
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(io.err, "downbeat:", err)
		return ExitUnknown
	case errors.As(err, &usage):
		fmt.Fprintln(io.err, usage)
		return ExitUsage
	default:
		fmt.Fprintf(io.err, "downbeat: internal error: %v\n", err)
		return ExitInternal
	}
}

// exitCode ends a command whose answer has been printed already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a fault of the call or of its input files. Its text is all
// that is printed.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf("downbeat: "+format, args...)}
}

// outputError says that standard output cannot take the answer. A reader that
// has seen enough (head) is no fault.
func outputError(err error) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return usagef("cannot write the answer: %v", err)
}

func newRootCmd(io *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "downbeat",
		Short: "Will tonight's jobs make their deadlines on this cluster?",
		Long: `downbeat plans jobs with deadlines on a MapReduce cluster, proves what it can
about the plan, and explains why where there is none.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          runGroup,
		Version:       version(),
	}
	root.SetVersionTemplate(versionLine())
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newPlanCmd(io, runPlan), newCheckCmd(io, runCheck), newValidateCmd(io, runValidate),
		newSimulateCmd(io, runSimulate), newBenchCmd(io, runBench), newReproduceCmd(io, runReproduce),
		newExportCmd(io, runExport), newSchemaCmd(io), newVersionCmd(io))
	// Cobra adds help and completion on its own, but only while executing:
	// by then the suggestions above would miss them.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = knownCommand
		case "completion":
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, runGroup
			for _, shell := range cmd.Commands() {
				write := shell.RunE
				shell.RunE = func(cmd *cobra.Command, args []string) error { return outputError(write(cmd, args)) }
			}
		}
	}
	return root
}

// runGroup is what a command does that only holds others: help, or the fault
// of an unknown one.
func runGroup(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usagef("unknown command %q%s", args[0], hint(near.Word(args[0], names), cmd.Root().Name()+" help lists the commands"))
}

// knownCommand demands that the arguments of help name a command.
func knownCommand(help *cobra.Command, args []string) error {
	found, rest, err := help.Root().Find(args)
	switch {
	case err != nil:
		return usagef("%v", err)
	case len(rest) > 0:
		return runGroup(found, rest)
	}
	return nil
}
