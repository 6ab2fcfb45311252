package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

func newSlackCmd(io *terminal.Streams, run func(context.Context, *options.Solver) error) *cobra.Command {
	o := &options.Solver{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "slack FILE",
		Short: "Tell how much later, longer or earlier due jobs may be until hard jobs are late",
		Long: `Tell of each job in FILE (YAML or JSON; - for standard input) how much later it may
be released with its due time kept, by what share its tasks may take longer (in
percent, rounded up), and how much earlier it may be due, all else as it is, until
the hard jobs cannot all meet their deadlines; and by what share the tasks of all
jobs may take longer at once (the critical scaling factor). Every value has a plan,
and a proof that one more does not fit, or is given as a bracket.

Exit code 0: so it is. 1: the hard jobs cannot all be in time as it is. 2: bad usage
or input. 3: that was not settled within the limit.`,
		Example: `  downbeat slack nightly.yaml
  downbeat slack nightly.yaml --without fast-2@23:30 --time-limit 1m`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := o.Check(); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func runSlack(ctx context.Context, o *options.Solver) error {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	var r *capacity.SlackAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		if r, err = capacity.Slack(ctx, js, nil, nil, opt); err != nil {
			return nil, err
		}
		return r.Notes, nil
	})
	if err != nil {
		return err
	}
	if err := usage.Output(o.View().Slack(js, r)); err != nil {
		return err
	}
	switch r.Status {
	case model.Infeasible:
		return exit.No
	case model.Unknown:
		return exit.Unknown
	}
	return nil
}
