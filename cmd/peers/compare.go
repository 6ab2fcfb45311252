package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

// comparison is what the program is asked for without the name of a command.
type comparison struct {
	peers.Options
	solvers           []string
	python, csv, save string
}

func newCompareCmd() *cobra.Command {
	o := &comparison{}
	cmd := &cobra.Command{
		Use:   "peers FOLDER|FILE|family:NAME:SEEDS...",
		Short: "downbeat beside the other solvers of this machine",
		Long: `Set downbeat beside the other solvers of this machine on the same job sets: who
proved what, and when.

Exit code 1: two answers cannot both be right, or a solver failed. 2: bad usage
or input.`,
		Example: `  peers --limit 10s --csv runs.csv examples family:tight-40:1-5
  peers curve --by 10s,60s -o docs/cliff.svg runs.csv`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			sets, forget, err := load(args, o.save)
			if err != nil {
				return err
			}
			defer forget()
			return o.compare(cmd.Context(), sets, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.DurationVar(&o.Limit, "limit", time.Minute, "time for a solver on a job set, start-up included")
	f.IntVar(&o.Workers, "workers", 1, "threads of a solver, where it can have several")
	f.IntVar(&o.Rounds, "rounds", 1, "runs of every solver on every set; the table shows the median one")
	f.IntVar(&o.Parallel, "parallel", 1, "runs side by side: no more than cores ÷ workers, or they disturb each other")
	f.BoolVar(&o.Drop, "drop", false, "ask a solver no more about larger sets of a trait, as in family:tight-40:1-5, once it has settled none of a size")
	f.StringSliceVar(&o.solvers, "solvers", nil, "only these, the first is what ratios refer to (default: all that are found)")
	f.StringVar(&o.python, "python", "python3", "Python that has OR-tools")
	f.StringVar(&o.csv, "csv", "", "add every run to this file as it ends; runs that are there already, with this limit and this many workers, are not made again")
	f.StringVar(&o.save, "save", "", "keep the sets of families in this folder")
	return cmd
}

func (o *comparison) check() error {
	if o.Limit <= 0 {
		return usage.Errorf("--limit must be more than 0")
	}
	for _, flag := range []struct {
		name  string
		value int
	}{{"--workers", o.Workers}, {"--rounds", o.Rounds}, {"--parallel", o.Parallel}} {
		if flag.value < 1 {
			return usage.Errorf("%s must be at least 1", flag.name)
		}
	}
	return nil
}

func (o *comparison) compare(ctx context.Context, sets []peers.Set, stdout, stderr io.Writer) error {
	all, err := o.find(ctx, stderr)
	if err != nil {
		return err
	}
	runs, err := o.runAll(ctx, sets, all, stderr)
	if err != nil {
		return err
	}
	if err := peers.Table(stdout, runs, all, o.Options); err != nil {
		return err
	}
	return judge(runs, stderr)
}

func (o *comparison) find(ctx context.Context, stderr io.Writer) ([]peers.Peer, error) {
	self, err := itself(answerCommand)
	if err != nil {
		return nil, err
	}
	all, missing, err := peers.Find(ctx, self, o.python)
	if err != nil {
		return nil, err
	}
	for _, m := range missing {
		fmt.Fprintln(stderr, "left out:", m)
	}
	if len(o.solvers) > 0 {
		return peers.Choose(all, o.solvers)
	}
	return all, nil
}

// runAll makes the runs that are not in the file, and adds them to it.
func (o *comparison) runAll(ctx context.Context, sets []peers.Set, all []peers.Peer, stderr io.Writer) ([]*peers.Run, error) {
	var known []*peers.Run
	var failed error
	add := func(*peers.Run) {}
	if o.csv != "" {
		log, found, err := peers.OpenLog(o.csv, all, o.Options)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		if known = found; len(known) > 0 {
			fmt.Fprintf(stderr, "%s has %d runs with this limit; what is wanted of them is taken from there\n", o.csv, len(known))
		}
		add = func(r *peers.Run) { failed = errors.Join(failed, log.Add(r)) }
	}
	n, total := 0, len(sets)*len(all)*o.Rounds
	runs := peers.Compare(ctx, sets, all, o.Options, known, func(r *peers.Run) {
		add(r)
		n++
		fmt.Fprintf(stderr, "%d of %d: %s, %s: %v in %.2fs\n", n, total, r.Set.Name, r.Peer, r.Status, r.Total.Seconds())
	})
	return runs, failed
}

// judge ends the program with exit code 1 where solvers contradict each other,
// or one is at fault.
func judge(runs []*peers.Run, stderr io.Writer) error {
	contradictions := peers.Contradictions(runs)
	for _, c := range contradictions {
		fmt.Fprintln(stderr, "contradiction:", c)
	}
	if len(contradictions) > 0 || slices.ContainsFunc(runs, func(r *peers.Run) bool { return r.Fault != "" }) {
		return exit.No
	}
	return nil
}
