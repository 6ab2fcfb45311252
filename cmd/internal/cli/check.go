package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"downbeat/model"
	"downbeat/solve"
)

// checkOptions are the flags and arguments of downbeat check.
type checkOptions struct {
	solveOptions
	// solve is solve.Check but for tests.
	solve func(context.Context, *model.JobSet, solve.Options) (*solve.Verdict, error)
}

func newCheckCmd(io *streams, run func(context.Context, *checkOptions) error) *cobra.Command {
	o := &checkOptions{solve: solve.Check}
	o.io = io
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Tell whether the hard jobs can meet their deadlines, and if not, why",
		Long: `Tell whether every hard job of the job set in FILE (YAML or JSON; - for standard
input) can meet its deadline. If not, say which jobs clash, which slaves,
resource and interval are short, and what would help.

Exit code 0: yes. 1: proved no. 2: bad usage or input. 3: not settled within
the limit.`,
		Example: `  downbeat check nightly.yaml
  downbeat check nightly.yaml --format json --time-limit 5s`,
		Args: exactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if err := o.check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func runCheck(ctx context.Context, o *checkOptions) error {
	js, err := o.io.loadJobSet(o.file)
	if err != nil {
		return err
	}
	p := startProgress(o.io, o.quiet)
	verdict, err := o.solve(ctx, js, o.solverOptions(p))
	p.stop()
	if err != nil {
		return err
	}
	if ctx.Err() != nil && !o.quiet {
		fmt.Fprintln(o.io.err, "interrupted: this is what was known so far")
	}
	o.notes(verdict.Notes)
	if err := outputError(o.view().Check(js, verdict)); err != nil {
		return err
	}
	switch verdict.Status {
	case model.Infeasible:
		return exitCode(ExitNo)
	case model.Unknown:
		return exitCode(ExitUnknown)
	}
	return nil
}
