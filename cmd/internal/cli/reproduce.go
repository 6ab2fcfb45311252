package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/reproduce"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/near"
)

// reproduceOptions are the flags and arguments of downbeat reproduce.
type reproduceOptions struct {
	io    *terminal.Streams
	paper reproduce.Paper
	dir   string
	quiet bool
	reproduce.Options
}

func newReproduceCmd(io *terminal.Streams, run func(context.Context, *reproduceOptions) error) *cobra.Command {
	o := &reproduceOptions{io: io}
	names := paperNames()
	var about strings.Builder
	for _, p := range reproduce.Papers() {
		fmt.Fprintf(&about, "  %-10s %s\n", p.Name, p.Title)
	}
	cmd := &cobra.Command{
		Use:   "reproduce PAPER",
		Short: "Regenerate a paper's tables and figures beside the published ones",
		Long: `Regenerate the tables and figures of a paper, side by side with what was
published, as a report in Markdown with its plots in a folder. The report states
what the paper left open and how the result moves with it.

Papers:
` + about.String(),
		Example: `  downbeat reproduce rtmr
  downbeat reproduce maxweight --output report --scale 0.1`,
		Args:      usage.ExactArgs("PAPER"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(args[0]); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := map[string]string{"out": "output", "seeds": "count"}[name]; ok { // what they were called before
			name = now
		}
		return pflag.NormalizedName(name)
	})
	flags.StringVarP(&o.dir, "output", "o", "", "folder for the report, made if need be (default reproduce-PAPER)")
	flags.IntVar(&o.Seeds, "count", 100, "job sets drawn per setting, from seed 1 on")
	flags.Float64Var(&o.Scale, "scale", 1, "share of the paper's length of simulation, where it ran long")
	flags.IntVar(&o.Workers, "workers", 0, "runs side by side (default: one per core)")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no notes")
	return cmd
}

func paperNames() []string {
	var names []string
	for _, p := range reproduce.Papers() {
		names = append(names, p.Name)
	}
	return names
}

func (o *reproduceOptions) check(paper string) error {
	for _, p := range reproduce.Papers() {
		if p.Name == paper {
			o.paper = p
		}
	}
	switch {
	case o.paper.Name == "":
		hint := "one of " + strings.Join(paperNames(), ", ")
		if near := near.Word(paper, paperNames()); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return usage.Errorf("no paper is called %q: %s", paper, hint)
	case o.Seeds < 2:
		return usage.Errorf("--count %d: an interval needs at least 2", o.Seeds)
	case o.Scale <= 0 || o.Scale > 1:
		return usage.Errorf("--scale %g is not in (0, 1]", o.Scale)
	case o.Workers < 0:
		return usage.Errorf("--workers %d is negative", o.Workers)
	case o.Workers > options.MaxWorkers:
		return usage.Errorf("--workers %d is more than %d", o.Workers, options.MaxWorkers)
	}
	if o.dir == "" {
		o.dir = "reproduce-" + paper
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return files.Error(o.dir, err)
	}
	return nil
}

func runReproduce(ctx context.Context, o *reproduceOptions) error {
	line := terminal.StartStatus(o.io, o.quiet)
	if line != nil {
		o.Progress = func(done, total int) { line.Show(fmt.Sprintf("%s: %d of %d runs", o.paper.Name, done, total)) }
	}
	parts, err := o.paper.Run(ctx, o.Options)
	line.Stop()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(o.io.Err, "downbeat: interrupted before the report was complete: nothing was written")
		return exit.Unknown
	}
	if err != nil {
		return err
	}
	for _, f := range parts {
		path := filepath.Join(o.dir, f.Name)
		err := files.Write(path, func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		})
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(o.io.Out, filepath.Join(o.dir, "report.md"))
	return usage.Output(err)
}
