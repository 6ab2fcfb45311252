package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/night"
)

// nightOptions say what has happened already.
type nightOptions struct{ now string }

func (o *nightOptions) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.now, "now", "", "plan from this time on: what --from hands out before it keeps its place; ticks, a duration or a clock time")
}

// check tells of --now without a plan whose past there is.
func (o *nightOptions) check(cmd *cobra.Command, from string) error {
	if err := options.NotEmpty(cmd, "--now", "now"); err != nil {
		return usage.Errorf("--now needs a time, got an empty one")
	}
	if o.now != "" && from == "" {
		return usage.Errorf("--now is for a plan that is under way; name it with --from")
	}
	return nil
}

// solver is solve.Plan, or night.Plan after what a plan hands out before now.
func (o *nightOptions) solver(js *model.JobSet, from model.Schedule, plan solver, note func(string, ...any)) (solver, error) {
	if o.now == "" {
		return plan, nil
	}
	now, err := change.Point(js, o.now)
	if err != nil {
		return nil, usage.Errorf("--now: %v", err)
	}
	past := night.Cut(js, from, now)
	if err := past.Check(js); err != nil {
		return nil, usage.Errorf("--now %s: %v", o.now, err)
	}
	clock := report.ClockOf(js)
	note("%d of %d tasks were handed out before %s and keep their places", past.Tasks(), len(js.Tasks), clock.Point(now))
	if n := len(past.Lost); n > 0 {
		note("lost with their slaves, and handed out anew: %d, %s among them", n, js.TaskName(past.Lost[0]))
	}
	return func(ctx context.Context, js *model.JobSet, opt solve.Options) (*solve.Result, error) {
		return night.Plan(ctx, js, past, opt)
	}, nil
}

// solver answers planning questions.
type solver func(context.Context, *model.JobSet, solve.Options) (*solve.Result, error)
