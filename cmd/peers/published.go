package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

// publishedSets is what the command of that name is asked for.
type publishedSets struct {
	comparison
	ofEach int
	label  string
}

func newPublishedCmd() *cobra.Command {
	o := &publishedSets{}
	cmd := &cobra.Command{
		Use:   "published [FOLDER|FILE...]",
		Short: "downbeat beside CP-SAT on the sets of the literature",
		Long: `Read published sets of folders, and of all folders below them: job shops, flexible job shops (Brandimarte's
format), open shops, projects (.rcp, .sm) and weighted tardiness (wtN.txt). downbeat and CP-SAT get each at the same
time, with a core for each worker. What comes out is added to a file of runs, from which
a table in Markdown is printed, of each solver's last run on each set; without sets that alone.

The sets of a folder are a family. Files in no such format are passed over, and told.`,
		Example: `  peers published --csv docs/published.csv --of-each 10 benchmarks/jobshop/instances
  peers published --csv docs/published.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Limit, "limit", time.Minute, "time for a solver on a job set, start-up included")
	f.IntVar(&o.Workers, "workers", 1, "threads of each solver")
	f.IntVar(&o.Parallel, "parallel", 2, "runs side by side: no more than cores ÷ workers, or they disturb each other")
	f.IntVar(&o.ofEach, "of-each", 0, "so many sets of each family, evenly drawn; 0: all")
	f.StringVar(&o.label, "label", "", "what this state of downbeat is called in the file: runs of another one are made anew")
	f.StringSliceVar(&o.solvers, "solvers", []string{peers.Downbeat, peers.CPSAT}, "who is asked")
	f.StringVar(&o.python, "python", "python3", "Python that has OR-tools")
	f.StringVar(&o.csv, "csv", "", "file of runs: each is added as it ends, and what is there with this limit, label and number of workers is not run again")
	f.StringVar(&o.save, "save", "", "keep the job sets in this folder")
	return cmd
}

func (o *publishedSets) check() error {
	o.Rounds = 1
	switch {
	case o.csv == "":
		return usage.Errorf("--csv names no file of runs; write --csv docs/published.csv")
	case o.ofEach < 0:
		return usage.Errorf("--of-each must not be negative; 0 is all")
	}
	return o.comparison.check()
}

func (o *publishedSets) run(ctx context.Context, folders []string, stdout, stderr io.Writer) error {
	var judged error
	if len(folders) > 0 {
		runs, err := o.ask(ctx, folders, stderr)
		if err != nil {
			return err
		}
		judged = judge(runs, stderr)
	}
	if err := peers.PublishedTable(stdout, o.csv); err != nil {
		return err
	}
	return judged
}

// ask asks all solvers about all sets.
func (o *publishedSets) ask(ctx context.Context, folders []string, stderr io.Writer) ([]*peers.Run, error) {
	made, forget, err := folderFor(o.save)
	if err != nil {
		return nil, err
	}
	defer forget()
	sets, passed, err := peers.LoadPublished(folders, o.ofEach, made)
	if err != nil {
		return nil, err
	}
	for _, p := range passed {
		fmt.Fprintln(stderr, "passed over:", p)
	}
	if len(sets) == 0 {
		return nil, usage.Errorf("there are no published sets in %q", folders)
	}
	all, err := o.find(ctx, stderr)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(p peers.Peer) bool { return p.Name == peers.Downbeat }); i >= 0 {
		all[i].Version = o.label
	}
	return o.runAll(ctx, sets, all, stderr)
}
