package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
)

// checkOptions are the flags and arguments of downbeat check.
type checkOptions struct {
	solveOptions
	// solve is solve.Check but for tests.
	solve func(context.Context, *model.JobSet, solve.Options) (*solve.Verdict, error)
}

func newCheckCmd(io *terminal.Streams, run func(context.Context, *checkOptions) error) *cobra.Command {
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
		Args: usage.ExactArgs("FILE"),
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
	loading, stop := o.limit(ctx)
	defer stop()
	js, err := o.changes.jobSet(loading, o.io, o.file, o.note)
	if err != nil {
		return err
	}
	var verdict *solve.Verdict
	err = o.ask(ctx, func(opt solve.Options) (notes []string, err error) {
		if verdict, err = o.solve(ctx, js, opt); err != nil {
			return nil, err
		}
		return verdict.Notes, nil
	})
	if err != nil {
		return err
	}
	if err := usage.Output(o.view().Check(js, verdict)); err != nil {
		return err
	}
	switch verdict.Status {
	case model.Infeasible:
		return exit.No
	case model.Unknown:
		return exit.Unknown
	}
	return nil
}
