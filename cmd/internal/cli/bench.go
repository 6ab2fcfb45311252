package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/online/workload"
)

func newBenchCmd(io *terminal.Streams, run func(context.Context, *benchOptions) error) *cobra.Command {
	o := &benchOptions{}
	o.io = io
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

Workloads (an unknown parameter makes one list its own):
` + workloadHelp() + `
The same job sets, policies and seeds give the same files, whatever --workers
says; only cells marked "limit" hang on the clock. Ctrl-C ends the bench with
what is there. Exit code 0: done, if only in part. 2: bad usage or input.
3: interrupted before any job set was done, or a hunt that found nothing.`,
		Example: `  downbeat bench examples --policy fifo,fair,edf,llf
  downbeat bench --workload realtime --sweep utilisation=0.1..0.9/9 --count 20 \
      --plot schedulability=curves.svg -o cells.csv --resume bench.jsonl
  downbeat bench --workload small:tasks=12 --seeds 1-200 --compare edf,llf
  downbeat bench --hunt edf --found 3 --into examples`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paths = args
			if cmd.Flags().Changed("seeds") && (cmd.Flags().Changed("seed") || cmd.Flags().Changed("count")) {
				return usage.Errorf("--seeds stands alone; --count and --seed say the same in another way")
			}
			if o.hunt != "" {
				return runHunt(cmd.Context(), o)
			}
			return run(cmd.Context(), o)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func workloadHelp() string {
	var b strings.Builder
	for _, info := range workload.List() {
		fmt.Fprintf(&b, "  %-12s  %s\n", info.Name, info.Help)
	}
	return b.String()
}

func runBench(ctx context.Context, o *benchOptions) error {
	p, err := o.plan()
	if err != nil {
		return err
	}
	journal, err := o.openJournal(p)
	if err != nil {
		return err
	}
	line := terminal.StartStatus(o.io, o.quiet)
	records, err := bench.Run(ctx, p.config, p.sets, journal, func(b bench.Progress) {
		line.Show(fmt.Sprintf("%d of %d job sets, last %s", b.Done, b.Total, report.Printable(b.Set)))
	})
	line.Stop()
	err = errors.Join(err, journal.Close())
	var input *bench.InputError
	var disk *fs.PathError
	switch {
	case errors.As(err, &input):
		return usage.Of(err)
	case errors.As(err, &disk):
		return files.Error(o.journal, err)
	case err != nil:
		return err
	}
	return o.answer(ctx, p, records)
}

func (o *benchOptions) openJournal(p *benchPlan) (*bench.Journal, error) {
	if o.journal == "" {
		return nil, nil
	}
	journal, err := bench.OpenJournal(o.journal, p.config, p.sets)
	var refused *bench.JournalError
	switch {
	case errors.As(err, &refused):
		return nil, usage.Errorf("--resume %s: %v", o.journal, refused)
	case err != nil:
		return nil, files.Error(o.journal, err)
	case journal.Len() > 0:
		o.note("%s holds %d of %d job sets already", o.journal, journal.Len(), len(p.sets))
	}
	return journal, nil
}

// answer prints the summary and writes the files. The summary is printed even
// where a file cannot be written.
func (o *benchOptions) answer(ctx context.Context, p *benchPlan, records []*bench.Record) error {
	if ctx.Err() != nil {
		o.interrupted("done")
	}
	s := p.config.Summarize(records, p.compare)
	unwritten := o.writeFiles(p, records)
	var err error
	if o.format.value == "json" {
		err = s.WriteJSON(o.io.Out)
	} else {
		err = s.WriteText(o.io.Out, o.columns(), o.measures)
	}
	if err := usage.Output(err); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	if s.Sets == 0 {
		return exit.Unknown
	}
	return nil
}

// writeFiles writes cells and plots and answers with the first error.
func (o *benchOptions) writeFiles(p *benchPlan, records []*bench.Record) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range o.outputs {
		keep(files.Write(path, func(w io.Writer) error {
			if extension(path) == "json" {
				return p.config.WriteJSON(w, p.sets, records, o.timing)
			}
			return p.config.WriteCSV(w, records, o.timing)
		}))
	}
	for _, plot := range p.plots {
		var picture strings.Builder
		err := p.config.Plot(&picture, plot.name, extension(plot.path), records)
		if errors.Is(err, bench.ErrNothingToPlot) {
			o.note("%s was not written: %v", plot.path, err)
			continue
		}
		if err == nil {
			err = files.Write(plot.path, func(w io.Writer) error {
				_, err := io.WriteString(w, picture.String())
				return err
			})
		}
		keep(err)
	}
	return first
}
