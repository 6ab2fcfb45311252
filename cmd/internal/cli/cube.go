package cli

import (
	"context"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/cubefolder"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// cubeOptions are the flags and arguments of downbeat cube.
type cubeOptions struct {
	options.Answer
	options.Memory
	dir    string
	shard  string
	budget int64
}

func newCubeCmd(io *terminal.Streams, run func(context.Context, *cubeOptions) error) *cobra.Command {
	o := &cubeOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "cube DIR",
		Short: "Work on the cubes of an open proof, on one of many machines",
		Long: `Work on the cubes that downbeat plan --cubes has written to DIR: parts of the
question whether there is a better plan. Each is refuted, or a plan is found in
it, which sets the limit for all others, or its work is used up, and it is split
in two, which have twice as much each. What comes of it is written to DIR at
once, so that any number of such processes share the folder, and one that is
killed loses its work on one cube; started again it goes on.

With --shard I/N it begins with every N-th of the first cubes, from the I-th on, and
what they are split into; then it takes those of others that nobody is at. It ends
when none is left. downbeat plan --join DIR tells the answer at any time.

Exit code 0: no cube is left. 2: bad usage, or a folder that is not as it was written.
3: a limit or an interrupt came first.`,
		Example: `  downbeat cube nightly-cubes
  downbeat cube nightly-cubes --shard 3/8 --time-limit 50m`,
		Args: usage.ExactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return run(cmd.Context(), o)
		},
	}
	o.Answer.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.shard, "shard", "1/1", "begin with every N-th cube, from the I-th on: I/N; 0/N is N/N")
	f.Int64Var(&o.budget, "budget", 0, "split a cube after this much work, counted in constructions of a plan, 0 for what its file says; parts have twice as much each")
	o.Memory.AddFlag(cmd, "")
	options.QuietFlag(cmd, &o.Quiet)
	limited := options.Limited(cmd, io)
	until := limited.Flags().Lookup("time-limit")
	until.DefValue = "0s"
	_ = until.Value.Set("0s")
	until.Usage = "end the work after this long, 0 for when no cube is left"
	return limited
}

func runCube(ctx context.Context, o *cubeOptions) error {
	shard, err := journal.ParseShard(o.shard)
	switch {
	case err != nil:
		return usage.Errorf("--shard: %v", err)
	case o.budget < 0:
		return usage.Errorf("--budget %d is negative", o.budget)
	}
	f, err := cubefolder.Open(ctx, o.IO, o.dir)
	if err != nil {
		return err
	}
	var done cubefolder.Tally
	if f.Left() {
		done, err = f.Do(ctx, &cubefolder.Work{
			Index: shard.Index, Count: shard.Count, Budget: o.budget,
			Tell: func(what string) { o.Note("%s", what) },
		})
		if err != nil {
			return err
		}
	}
	at := f.Standing()
	if err := usage.Output(o.View().Cubes(&report.Cubes{Shard: shard.String(), Refuted: done.Refuted, Split: done.Split, Plans: done.Plans, All: at.Cubes, Open: at.Open})); err != nil {
		return err
	}
	if at.Open > 0 {
		switch cause := context.Cause(ctx); {
		case terminal.Ended(cause):
			o.Tell("%v", cause)
		case cause != nil:
			o.Tell("interrupted: the same command goes on")
		}
		return exit.Unknown
	}
	return nil
}
