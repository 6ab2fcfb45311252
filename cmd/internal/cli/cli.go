// Package cli is the command line of downbeat. Every command has a file that no
// other command knows: an options struct, a constructor newXCmd that fills it
// from flags, and a function runX that does the work, so that flags and work can
// be tested apart. This file knows all commands.
//
// What several commands take, and flags with values of their own, are in package options,
// what is printed the business of package report; exit codes, faults of a call, files and
// streams have packages of their own.
package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/cmd/internal/words"
)

// Main runs the program and returns its exit code. The first interrupt or
// termination signal ends a running search, which then prints its best answer;
// the second one kills.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) exit.Code {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // gives the second signal its default meaning back
	// Where the reader of the answer has gone (head), writing fails with EPIPE
	// instead of killing the program: the exit code still tells the answer.
	signal.Ignore(syscall.SIGPIPE)
	return run(ctx, terminal.New(stdin, stdout, stderr), args)
}

// run is Main without signals.
func run(ctx context.Context, io *terminal.Streams, args []string) exit.Code {
	program := newRootCmd(io)
	program.SetArgs(usage.Topics(program, args))
	return exit.Run(ctx, program)
}

func newRootCmd(io *terminal.Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "downbeat",
		Short: "Will tonight's jobs make their deadlines on this cluster?",
		Long: `downbeat plans jobs with deadlines on a MapReduce cluster, proves what it can
about the plan, and explains why where there is none.`,
		Args:    cobra.ArbitraryArgs,
		RunE:    usage.Group,
		Version: version.String(),
	}
	root.SetVersionTemplate(version.Line())
	root.SetIn(io.In)
	root.SetOut(io.Out)
	root.SetErr(io.Err)
	root.AddCommand(newPlanCmd(io, runPlan), newCubeCmd(io, runCube), newCheckCmd(io, runCheck), newSizeCmd(io, runSize), newSlackCmd(io, runSlack), options.Limited(newValidateCmd(io, runValidate), io),
		options.Limited(newVerifyProofCmd(io, runVerifyProof), io), newProofCmd(io, runProofTrim),
		options.Limited(newShowCmd(io, runShow), io), options.Limited(newDiffCmd(io, runDiff), io),
		newSimulateCmd(io, runSimulate), newBenchCmd(io, runBench), newReproduceCmd(io, runReproduce),
		newImportCmd(io, runImport), newInitCmd(io, runInit), newExportCmd(io, runExport), options.Limited(newLogCmd(io, runLog), io), newSchemaCmd(io), newDocsCmd(io), newVersionCmd(io))
	root.AddCommand(topicCommands()...)
	usage.Strict(root)
	registerCompletions(root)
	root.SetHelpFunc(explained(root.HelpFunc()))
	return root
}

// explained prints help, and below it which of its words are explained elsewhere.
func explained(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(out)
		if line := words.Line(text.String(), helpColumns); line != "" {
			text.WriteString("\n" + line)
		}
		_, _ = text.WriteTo(out) // as cobra, which has nowhere to tell of a fault
	}
}

// helpColumns is the width of the texts of commands.
const helpColumns = 80
