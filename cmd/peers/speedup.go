package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

// speedup is what the command of that name is asked for.
type speedup struct {
	effort             peers.Effort
	workers            []int
	seeds              []uint
	csv, save, picture string
}

func newSpeedupCmd() *cobra.Command {
	o := &speedup{}
	cmd := &cobra.Command{
		Use:   "speedup [FOLDER|FILE|family:NAME:SEEDS...]",
		Short: "What more workers are worth: processor time to the proof, or values after the same time",
		Long: `Plan job sets with several numbers of workers and seeds, each in a process of its own, one after the other, and print
the processor time to the proof and the speed-up that follows from it: workers × time of the first number
of workers / time. That is what as many processors would gain if no worker were ever idle; with idle time
it is less, by how many workers had a slice at a time. What the limit ended is open, and no time.

Without sets these are 16 of families, of job shops, projects, misses, tardiness,
weighted tardiness, and of hard deadlines that cannot be met.

With --after the sets are planned for so long by the clock, and what is printed are the values.`,
		Example: `  peers speedup --csv speedup.csv -o docs/speedup.svg
  peers speedup --workers 1,2 --after 20s family:scale-1000:1-3 family:large-contended:1-3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = peers.SpeedupSets()
			}
			sets, forget, err := load(args, o.save)
			if err != nil {
				return err
			}
			defer forget()
			return o.run(cmd.Context(), sets, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&o.workers, "workers", []int{1, 2, 4, 8}, "numbers of workers; the others are held against the first")
	f.UintSliceVar(&o.seeds, "seeds", []uint{1, 2, 3}, "seeds of the search")
	f.DurationVar(&o.effort.Processor, "limit", 2*time.Minute, "processor time of a process, of all its workers together")
	f.DurationVar(&o.effort.Wall, "after", 0, "plan for so long by the clock instead, and print values")
	f.Int64Var(&o.effort.Budget, "budget", 0, "bound the work, counted in constructions of a plan, as with --budget of plan")
	f.StringVar(&o.csv, "csv", "", "add every run to this file as it ends; runs that are there already, with these limits, are not made again")
	f.StringVar(&o.save, "save", "", "keep the sets of families in this folder")
	f.StringVarP(&o.picture, "output", "o", "", "draw the speed-up to this file: .svg, .png or .pdf")
	return cmd
}

func (o *speedup) check() error {
	switch {
	case len(o.workers) == 0 || slices.Min(o.workers) < 1:
		return usage.Errorf("--workers must be numbers from 1 on")
	case len(o.seeds) == 0:
		return usage.Errorf("--seeds names none")
	case o.effort.Processor <= 0:
		return usage.Errorf("--limit must be more than 0")
	case o.effort.Wall < 0:
		return usage.Errorf("--after must be more than 0")
	case o.effort.Budget < 0:
		return usage.Errorf("--budget must be more than 0")
	case o.effort.Wall > 0 && o.picture != "":
		return usage.Errorf("with --after there is no speed-up to draw")
	}
	if o.effort.Wall > 0 {
		o.effort.Processor = 0
	}
	return nil
}

func (o *speedup) run(ctx context.Context, sets []peers.Set, stdout, stderr io.Writer) error {
	trials, err := o.tryAll(ctx, sets, stderr)
	if len(trials) == 0 {
		return err
	}
	table := peers.SpeedupTable
	if o.effort.Wall > 0 {
		table = peers.ValueTable
	}
	if err := errors.Join(err, table(stdout, trials)); err != nil || o.picture == "" {
		return err
	}
	return files.Write(o.picture, func(w io.Writer) error {
		return peers.DrawSpeedup(w, strings.TrimPrefix(filepath.Ext(o.picture), "."), trials)
	})
}

// tryAll makes the trials that are not in the file, and adds them to it.
func (o *speedup) tryAll(ctx context.Context, sets []peers.Set, stderr io.Writer) ([]*peers.Trial, error) {
	self, err := itself(trialCommand)
	if err != nil {
		return nil, err
	}
	var known []*peers.Trial
	var failed error
	add := func(*peers.Trial) {}
	if o.csv != "" {
		log, found, err := peers.OpenTrialLog(o.csv)
		if err != nil {
			return nil, err
		}
		defer log.Close()
		known = found
		add = func(t *peers.Trial) { failed = errors.Join(failed, log.Add(t)) }
	}
	opt := peers.SpeedupOptions{Workers: o.workers, Effort: o.effort}
	for _, seed := range o.seeds {
		opt.Seeds = append(opt.Seeds, uint64(seed))
	}
	trials, err := peers.Speedup(ctx, self, sets, opt, known, func(t *peers.Trial) {
		add(t)
		fmt.Fprintf(stderr, "%s, workers %d, seed %d: %v %v in %.1fs of processor time, %.1fs by the clock\n",
			t.Set.Name, t.Workers, t.Seed, t.Status, t.Values, t.Processor.Seconds(), t.Wall.Seconds())
	})
	return trials, errors.Join(err, failed)
}
