package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

// growth is what scale is asked for.
type growth struct {
	peers.Options
	tasks       []int
	seeds       []uint
	dir, python string
}

// newScaleCmd plans sets of growing size and writes scale.csv and scale.svg.
func newScaleCmd() *cobra.Command {
	o := &growth{Options: peers.Options{Grace: time.Minute}}
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "Plan job sets of up to 100,000 tasks",
		Long:  "Plan job sets of growing size, and write scale.csv and scale.svg.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			return o.write(cmd.Context(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.tasks, "tasks", []int{1000, 3000, 10000, 30000, 100000}, "sizes of the sets")
	f.DurationVar(&o.Limit, "limit", time.Minute, "time for a set, reading the file included")
	f.IntVar(&o.Workers, "workers", 1, "searches side by side")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1, 2, 3}, "which sets of each size")
	f.StringVar(&o.python, "python", "python3", "Python that has OR-tools, whose CP-SAT is asked too up to the size at which it finds no plan")
	f.StringVarP(&o.dir, "output", "o", ".", "folder for scale.csv and scale.svg")
	return cmd
}

func (o *growth) check(args []string) (err error) {
	switch {
	case len(args) > 0:
		return usage.Errorf("scale makes its own sets: it takes flags only")
	case o.Limit <= 0:
		return usage.Errorf("--limit must be more than 0")
	case o.Workers < 1:
		return usage.Errorf("--workers must be at least 1")
	case len(o.seeds) == 0:
		return usage.Errorf("--seeds names no set")
	}
	if o.tasks, err = peers.SortedSizes(o.tasks); err != nil {
		return usage.Errorf("--tasks: %v", err)
	}
	return nil
}

func (o *growth) write(ctx context.Context, stderr io.Writer) error {
	self, err := itself(answerCommand)
	if err != nil {
		return err
	}
	sets, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(sets)
	found, _, err := peers.Find(ctx, self, o.python)
	if err != nil {
		return err
	}
	var other *peers.Peer
	if cpsat, err := peers.Choose(found, []string{peers.CPSAT}); err == nil {
		other = &cpsat[0]
	}
	var seeds []uint64
	for _, seed := range o.seeds {
		seeds = append(seeds, uint64(seed))
	}
	all, err := peers.Scale(ctx, self, other, o.tasks, seeds, o.Options, sets, func(g *peers.Growth) {
		fmt.Fprintf(stderr, "%s: read in %.2fs, first plan after %.2fs, value %v, bound %v, %d MB\n",
			g.Set.Name, g.Read.Seconds(), g.First.Seconds(), g.Values, g.Bounds, g.Memory>>20)
	})
	if err != nil {
		return err
	}
	err = files.Write(filepath.Join(o.dir, "scale.csv"), func(w io.Writer) error { return peers.WriteScale(w, all, o.Options) })
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(o.dir, "scale.svg"), func(w io.Writer) error { return peers.DrawScale(w, "svg", all) })
}

// newBudgetCmd tabulates values against budgets of counted work.
func newBudgetCmd() *cobra.Command {
	var budgets []int64
	cmd := &cobra.Command{
		Use:   "budget FOLDER|FILE|family:NAME:SEEDS...",
		Short: "Plan job sets with budgets of counted work",
		Long: `Plan every job set with each budget and print what came out. All but the times
are the same on every machine.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, n := range budgets {
				if n < 1 {
					return usage.Errorf("--budgets: %d is no amount of work", n)
				}
			}
			sets, forget, err := load(args, "")
			if err != nil {
				return err
			}
			defer forget()
			return peers.Budgets(cmd.Context(), cmd.OutOrStdout(), sets, budgets)
		},
	}
	cmd.Flags().Int64SliceVar(&budgets, "budgets", []int64{100, 1000, 10000}, "how much work, counted in constructions of a plan")
	return cmd
}
