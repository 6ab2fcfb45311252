package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// slackOptions are the flags and arguments of downbeat slack.
type slackOptions struct {
	options.Solver
	proof options.Proof // only whether to certify
	parts options.Parts
}

func newSlackCmd(io *terminal.Streams, run func(context.Context, *slackOptions) error) *cobra.Command {
	o := &slackOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "slack FILE",
		Short: "Tell how much later, longer or earlier due jobs may be until hard jobs are late",
		Long: `Tell of each job in FILE (YAML or JSON; - for standard input) how much later it may
be released with its due time kept, by what share its tasks may take longer, to
fetch as to run (in percent, each time rounded up), and how much earlier it may be
due, all else as it is, until the hard jobs cannot all meet their deadlines; and by
what share the tasks of all jobs may take longer at once (the critical scaling
factor). Every value has a plan, and a proof that one more does not fit, or is given
as a bracket.
` + options.PartsAbout("one for each of these values") + `
Exit code 0: so it is. 1: the hard jobs cannot all be in time as it is. 2: bad usage
or input. 3: that was not settled within the limit.`,
		Example: `  downbeat slack nightly.yaml
  downbeat slack nightly.yaml --without fast-2@23:30 --time-limit 1m
  downbeat slack nightly.yaml --budget 100000 --shard 1/3 --resume shard-1.jsonl
  downbeat slack nightly.yaml --budget 100000 --join shard-1.jsonl --join shard-2.jsonl --join shard-3.jsonl`,
		Args: usage.ExactArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.File = args[0]
			if err := cmp.Or(o.Check(), o.proof.CheckEngine(&o.Solver), o.parts.Check(cmd)); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.AddFlags(cmd)
	o.proof.AddCertify(cmd)
	o.parts.AddFlags(cmd)
	return cmd
}

func runSlack(ctx context.Context, o *slackOptions) (err error) {
	loading, stop := o.Limit(ctx)
	defer stop()
	js, err := o.Changes.JobSet(loading, o.IO, o.File, o.Note)
	if err != nil {
		return err
	}
	if err := o.parts.Open("downbeat slack", js.Digest(), append(o.Flags(), o.proof.Flags()...), o.Note); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.parts.Close()) }()
	var r *capacity.SlackAnswer
	err = o.Ask(ctx, func(opt solve.Options) (notes []string, err error) {
		opt.Proof = o.proof.Certify
		if r, err = capacity.Slack(ctx, js, nil, o.parts.Keep(), opt); err != nil {
			return nil, err
		}
		return r.Notes, nil
	})
	if err != nil {
		return err
	}
	if over, err := o.parts.Finish(&o.Answer); over {
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
