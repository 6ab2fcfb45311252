package cli

import (
	"context"
	"encoding/csv"
	"io"
	"os"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/imports"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/files/trace"
)

// initOptions are the flags of downbeat init.
type initOptions struct {
	io     *terminal.Streams
	csv    bool
	output string
}

// newInitCmd makes the command that begins a job set.
func newInitCmd(io *terminal.Streams, run func(context.Context, *initOptions) error) *cobra.Command {
	o := &initOptions{io: io}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Print a commented job set to start from, or the header of a spreadsheet",
		Long: `Print a small job set in which every part is commented, to be changed into your own.
With --csv print the headings of a table of tasks, for a spreadsheet, and an example
below them; downbeat import csv reads such tables.`,
		Example: `  downbeat init -o night.yaml
  downbeat init --csv -o jobs.csv`,
		Args: usage.ExactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.output == "" && cmd.Flags().Changed("output"):
				return usage.Errorf("--output needs a file name, got an empty one")
			case files.ToStandard(o.output):
				return run(cmd.Context(), o)
			}
			if _, err := os.Stat(o.output); err == nil {
				return usage.Errorf("%s is there already; name another file", o.output)
			}
			if err := files.CheckTarget(o.io, o.output, "-"); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.csv, "csv", false, "the headings of a table of tasks")
	f.StringVarP(&o.output, "output", "o", "", "write to this file, which must not be there yet, instead of standard output, which - stands for")
	return cmd
}

func runInit(_ context.Context, o *initOptions) error {
	return files.WriteResult(o.io, o.output, o.write)
}

func (o *initOptions) write(w io.Writer) error {
	if o.csv {
		return csv.NewWriter(w).WriteAll(trace.TableHeader())
	}
	_, err := io.WriteString(w, imports.Template)
	return err
}
