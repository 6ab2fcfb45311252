package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/online/policies"
)

// benchReportOptions are the flags and arguments of downbeat bench report.
type benchReportOptions struct {
	cellOptions
	policies []string
}

func newBenchReportCmd(io *terminal.Streams) *cobra.Command {
	o := &benchReportOptions{}
	o.IO = io
	cmd := &cobra.Command{
		Use:   "report JOURNAL|FOLDER...",
		Short: "Make tables, files and plots of cells that benches have kept",
		Long: `Put journals together that bench --resume has kept, of shards or of benches one
after the other, in any order, and make the tables, files and plots of a bench
of all of it. The same cells give the same bytes, whoever made them. A folder
stands for the .jsonl files in it.

Journals have to be of the same program, limits, durations and failures. A line
that was altered since is told with its place. -o all.jsonl writes one journal
of all, with which bench --resume goes on.

Exit code 0: all is there that was asked for. 3: something is missing, and a
note says what; the answer is of the rest. 2: bad usage, or journals that are
damaged or do not go together.`,
		Example: `  downbeat bench report shard-*.jsonl -o cells.csv --plot schedulability=curves.svg
  downbeat bench report bench.jsonl --policy edf,llf --compare edf,llf`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, path := range args {
				found, err := files.Journals(path)
				if err != nil {
					return usage.Of(err)
				}
				o.journals = append(o.journals, found...)
			}
			return runBenchReport(o)
		},
	}
	o.cellOptions.addFlags(cmd, ".csv or .json, or all journals as one, .jsonl")
	cmd.Flags().StringArrayVar(&o.policies, "policy", nil, "these policies only, in this order, with commas between them; may be repeated")
	return cmd
}

func runBenchReport(o *benchReportOptions) error {
	if len(o.journals) == 0 {
		return usage.Errorf("bench report needs the journals that bench --resume has kept")
	}
	if err := o.CheckWidth(); err != nil {
		return err
	}
	plots, err := o.plotFlags()
	if err != nil {
		return err
	}
	if err := o.checkOutputs("csv", "json", "jsonl"); err != nil {
		return err
	}
	store, err := bench.ReadCells(o.journals)
	if err != nil {
		return options.JournalFault("", err)
	}
	o.torn(store, "what it held counts as missing")
	result, err := store.Result(o.chosen())
	if err != nil {
		return options.JournalFault("", err)
	}
	compare, err := o.compared(result.Config)
	if err != nil {
		return err
	}
	for _, m := range result.Missing {
		o.Note("%s", m)
	}
	if err := o.writeJournals(store); err != nil {
		return err
	}
	return o.answer(result.Config, result.Sets, result.Records, compare, plots, nil)
}

// chosen are the policies of the report, nil for all.
func (o *benchReportOptions) chosen() []string {
	var out []string
	for _, text := range o.policies {
		for _, p := range policies.Split(text) {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// writeJournals writes the journals of all, and leaves files of cells for later.
func (o *benchReportOptions) writeJournals(store *bench.CellStore) error {
	rest := []string{}
	for _, path := range o.outputs {
		if options.Extension(path) != "jsonl" {
			rest = append(rest, path)
		} else if err := files.Write(path, func(w io.Writer) error { return store.Write(w) }); err != nil {
			return err
		}
	}
	o.outputs = rest
	return nil
}
