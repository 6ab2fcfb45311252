// Sweep has the command bench: many job sets under many online schedulers, its
// journals, scripts, reports and hunts.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// newBenchCmd makes the command.
func newBenchCmd(io *terminal.Streams, run func(context.Context, *benchOptions) error) *cobra.Command {
	o := &benchOptions{}
	o.IO, o.Exec.Stderr = io, io.Err
	cmd := &cobra.Command{
		Use:   "bench [FILE|FOLDER]...",
		Short: "Run online schedulers and the optimum over many job sets",
		Long: `Run online schedulers over job sets from files, folders or named workloads, and
hold each run against the proved optimum of the same job set: tables with 95 %
intervals, paired comparisons, every cell as CSV or JSON, and plots.

A gap is what a run is above the optimum, or above the proved bound where the
time limit ended the proof (marked). Runs that cannot be compared (shorter
actual times, jobs rejected, hard deadlines missed) have none and say why. Each
side checks the other: a policy that beats a proved bound, or meets the hard
deadlines of a set proved infeasible, ends the bench with exit code 70.

With --hunt POLICY, search for small job sets on which the policy misses a hard
deadline that can be met, or has a large gap, shrink each until nothing can be
left out, and write it to a file.

--list names the workloads, --explain WORKLOAD tells their parameters; --write DIR
leaves the job sets as files, for plan say.

The same job sets, policies and seeds give the same files, whatever --workers
says; only cells marked "limit" depend on the clock, and with --budget none. Ctrl-C
ends the bench with what is there; --resume keeps it in a journal and goes on from
there. Sweeps too large for one machine run as shards, each with a journal of its
own, and bench report puts them together.
Exit code 0: done. 2: bad usage or input. 3: interrupted, the answer is of what
was done; or a hunt that found nothing.`,
		Example: `  downbeat bench examples --policy fifo,fair,edf,llf
  downbeat bench --workload realtime --sweep utilisation=0.1..0.9/9 --sets 20 \
      --plot schedulability=curves.svg -o cells.csv --resume bench.jsonl
  downbeat bench --workload small:tasks=12 --seeds 1-200 --compare edf,llf
  downbeat bench --hunt edf --found 3 --into examples`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if cmd.Flags().Changed("seeds") && (cmd.Flags().Changed("seed") || cmd.Flags().Changed("sets")) {
				return usage.Errorf("--seeds stands alone; --sets and --seed say the same in another way")
			}
			o.limited = cmd.Flags().Changed("time-limit")
			switch {
			case o.list || o.explain != "":
				return runExplain(o)
			case o.hunt != "":
				return runHunt(cmd.Context(), o)
			case o.script.engine.Value != "":
				return runScript(cmd.Context(), cmd, o)
			case o.write != "":
				return runWrite(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	cmd.AddCommand(newBenchReportCmd(io))
	return cmd
}

func runBench(ctx context.Context, o *benchOptions) error {
	defer o.Exec.Close()
	p, err := o.plan(ctx)
	if err != nil {
		return err
	}
	return o.Recorded(o.IO, p.config.Policies, o.journal, func() error { return o.bench(ctx, p) })
}

// bench runs what was planned, and shows it.
func (o *benchOptions) bench(ctx context.Context, p *benchPlan) error {
	store, err := o.openJournal(p)
	if err != nil {
		return err
	}
	var keep bench.Keeper
	if store != nil {
		keep = store
	}
	options.Heed(p.config.Memory)
	var runs *present.Runs
	if len(o.gantts) > 0 {
		runs = present.NewRuns(p.config, p.sets)
	}
	line := terminal.StartStatus(o.IO, o.Quiet)
	records, err := bench.Run(ctx, p.config, p.sets, keep, func(b bench.Progress) {
		line.Show(fmt.Sprintf("%d of %d job sets, last %s", b.Done, b.Total, table.Printable(b.Set)))
	})
	if runs != nil && err == nil {
		line.Show("the page's drawings")
		err = runs.Draw(ctx, p.config, p.sets, records)
	}
	line.Stop()
	err = errors.Join(err, store.Close())
	var input *bench.InputError
	var disk *fs.PathError
	switch {
	case errors.As(err, &input):
		return usage.Of(err)
	case errors.As(err, &disk):
		return files.Error(o.journal, err)
	case o.Exec.Theirs(err): // where the page is drawn
		return usage.Errorf("%v", err)
	case err != nil:
		return err
	}
	if ctx.Err() != nil {
		o.Interrupted("done")
	}
	if err := allFailed(p.config, records); err != nil {
		return err
	}
	return o.answer(p.config, p.sets, records, p.compare, p.plots, runs)
}

// allFailed is the fault of a program that is the policy of runs of which each failed, the first of them.
func allFailed(c *bench.Config, records []*bench.Record) error {
	for _, policy := range c.Policies {
		var first *bench.FailedRun
		ran := false
		for _, rec := range records {
			if rec == nil {
				continue
			}
			ran = ran || slices.ContainsFunc(rec.Cells, func(cell bench.Cell) bool { return cell.Policy == policy })
			if at := slices.IndexFunc(rec.Failed, func(f bench.Failure) bool { return f.Policy == policy }); at >= 0 && first == nil {
				first = &bench.FailedRun{Set: rec.Set, Failure: rec.Failed[at]}
			}
		}
		if first != nil && !ran {
			return usage.Errorf("policy %s on job set %s, seed %d: %v", policy, first.Set, first.Seed, first.Err)
		}
	}
	return nil
}

// openJournal opens the journal that was named, nil if none was.
func (o *benchOptions) openJournal(p *benchPlan) (*bench.CellStore, error) {
	if o.journal == "" {
		return nil, nil
	}
	store, err := bench.OpenCells(o.journal, p.config.Conditions(), p.asked)
	if err != nil {
		return nil, options.JournalFault("--resume ", err)
	}
	o.torn(store, "it is done again")
	held, stale := 0, map[string]int{}
	for _, s := range p.sets {
		known := store.Find(s.ID)
		if known == nil {
			continue
		}
		held++
		for i := range known.Cells {
			if c := &known.Cells[i]; slices.Contains(p.config.Policies, c.Policy) && c.Definition != p.config.Definitions[c.Policy] {
				stale[c.Policy]++
			}
		}
	}
	if held > 0 {
		o.Note("%s holds %d of %d job sets already", o.journal, held, len(p.sets))
	}
	for _, policy := range slices.Sorted(maps.Keys(stale)) {
		o.Note("%s has changed since: %d of its runs in %s are made anew", policy, stale[policy], o.journal)
	}
	return store, nil
}
