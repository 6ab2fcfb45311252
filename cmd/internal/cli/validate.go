package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/check"
)

// validateOptions are the flags and arguments of downbeat validate.
type validateOptions struct {
	options.Answer
	file, plan string
}

func newValidateCmd(io *terminal.Streams, run func(context.Context, *validateOptions) error) *cobra.Command {
	o := &validateOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "validate FILE PLAN",
		Short: "Check a plan, from anywhere, against its job set",
		Long: `Check the plan in PLAN (JSON, YAML or CSV) against the job set in FILE: the rules
C0 to C12, and what the plan claims about itself. Where the plan names changes to
the job set, they are made first. Either may be - for standard input.

Exit code 0: the plan is valid. 1: it is not; each violation is named on a line
of its own. 2: bad usage or input. 3: a limit came first.`,
		Example: `  downbeat validate nightly.yaml plan.json`,
		Args:    usage.ExactArgs("FILE", "PLAN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file, o.plan = args[0], args[1]
			if o.file == "-" && o.plan == "-" {
				return usage.Errorf("FILE and PLAN cannot both be standard input")
			}
			annotated := o.About(o.file, o.plan)
			return annotated(run(cmd.Context(), o))
		},
	}
	o.AddFlags(cmd)
	options.QuietFlag(cmd, &o.Quiet)
	o.AllowGithub(cmd)
	return cmd
}

func runValidate(ctx context.Context, o *validateOptions) error {
	js, plans, err := o.Plans(ctx, o.file, o.plan)
	if err != nil {
		return err
	}
	plan := plans[0]
	found, err := terminal.Until(ctx, func() (*check.Report, error) { return check.Plan(js, plan), nil })
	if err != nil {
		return err
	}
	if err := usage.Output(o.View().Validate(js, plan, found)); err != nil {
		return err
	}
	if !found.OK() {
		return exit.No
	}
	return nil
}
