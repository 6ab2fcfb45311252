package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/journal"
	"downbeat/cmd/internal/lab/reproduce"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
	"downbeat/model/near"
)

// reproduceOptions are the flags and arguments of downbeat reproduce.
type reproduceOptions struct {
	paper reproduce.Paper
	// dir is the folder of the report, keep that of the reports of all papers, "" for
	// none.
	dir, keep string
	options.Answer
	parts options.Parts
	reproduce.Options
}

func newReproduceCmd(io *terminal.Streams, run func(context.Context, *reproduceOptions) error) *cobra.Command {
	o := &reproduceOptions{}
	o.IO = io
	names := paperNames()
	var about strings.Builder
	for _, p := range reproduce.Papers() {
		fmt.Fprintf(&about, "  %-10s %s\n", p.Name, p.Title)
	}
	cmd := &cobra.Command{
		Use:   "reproduce PAPER",
		Short: "Regenerate a paper's tables and figures beside the published ones",
		Long: `Regenerate the tables and figures of a paper, side by side with what was
published, as a report in Markdown with its plots in a folder. The report begins
with a matrix of the paper's claims, each with a verdict and its reason, and states
what the paper left open and how the result moves with it.

Ctrl-C ends the run with exit code 3 and says what is missing. What has been
computed is in journal.jsonl in the folder, and the same command goes on from
there; when the report is complete the journal is removed.
` + options.PartsAbout("one for each run") + `
With --write DIR the report, without PNG pictures, is kept in DIR/PAPER, and
DIR/README.md has the matrix of all papers whose reports are there.

Papers:
` + about.String(),
		Example: `  downbeat reproduce rtmr
  downbeat reproduce maxweight --output report --scale 0.1
  downbeat reproduce penn --write docs/reproductions`,
		Args:      usage.ExactArgs("PAPER"),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(o.parts.Check(cmd), o.check(args[0])); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := map[string]string{"out": "output", "seeds": "sets", "count": "sets"}[name]; ok { // what they were called before
			name = now
		}
		return pflag.NormalizedName(name)
	})
	flags.StringVarP(&o.dir, "output", "o", "", "write the report to this folder, made if need be (default reproduce-PAPER)")
	flags.IntVar(&o.Seeds, "sets", 100, "how many job sets to draw, for each setting, from seed 1 on")
	flags.StringVar(&o.keep, "write", "", "write the report to this folder, which has one for each paper, and renew the matrix of all")
	flags.Float64Var(&o.Scale, "scale", 1, "share of the paper's length of simulation, where it ran long")
	flags.IntVar(&o.Workers, "workers", 0, "runs side by side, 0 for one per core")
	o.parts.AddFlags(cmd)
	options.QuietFlag(cmd, &o.Quiet)
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
		return usage.Errorf("--sets %d: an interval needs at least 2", o.Seeds)
	case !(o.Scale > 0 && o.Scale <= 1): // NaN, too
		return usage.Errorf("--scale %g is not in (0, 1]", o.Scale)
	case o.Workers < 0:
		return usage.Errorf("--workers %d is negative", o.Workers)
	case o.Workers > options.MaxWorkers:
		return usage.Errorf("--workers %d is more than %d", o.Workers, options.MaxWorkers)
	}
	switch {
	case o.keep != "" && o.dir != "":
		return usage.Errorf("--output and --write both name a folder for the report: give one")
	case o.keep != "":
		o.dir = filepath.Join(o.keep, paper)
	case o.dir == "":
		o.dir = "reproduce-" + paper
	}
	return nil
}

// open opens the journal: that of the folder of the report, unless another is named.
func (o *reproduceOptions) open() (err error) {
	call := reproduce.Call(o.paper.Name, o.Options)
	if o.parts.Wanted() {
		err = o.parts.Open(call.Command, "", call.Flags, o.Note)
		o.Journal = o.parts.Pieces()
		return err
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return files.Error(o.dir, err)
	}
	o.Journal, err = journal.OpenPieces(o.journal(), nil, call, journal.Shard{})
	return options.JournalFault("", err)
}

// journal is that of the folder of the report.
func (o *reproduceOptions) journal() string { return filepath.Join(o.dir, "journal.jsonl") }

func runReproduce(ctx context.Context, o *reproduceOptions) (err error) {
	o.Program, o.Command = version.String(), o.command()
	if err := o.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	line := terminal.StartStatus(o.IO, o.Quiet)
	if line != nil {
		o.Progress = func(done, total int) { line.Show(fmt.Sprintf("%s: %d of %d runs", o.paper.Name, done, total)) }
	}
	parts, err := o.paper.Run(ctx, o.Options)
	line.Stop()
	var cut *reproduce.Interrupted
	switch {
	case errors.As(err, &cut):
		fmt.Fprintf(o.IO.Err, "downbeat: interrupted: %s missing; the journal has %d runs, and the same command goes on from there\n",
			reproduce.Words(cut.Missing), o.Journal.Len())
		return exit.Unknown
	case err != nil && !errors.Is(err, reproduce.ErrShared):
		return err
	}
	if over, err := o.parts.Finish(&o.Answer); over {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return files.Error(o.dir, err)
	}
	if err := o.save(parts); err != nil {
		return err
	}
	if !o.parts.Wanted() {
		if err := os.Remove(o.journal()); err != nil {
			return files.Error(o.journal(), err)
		}
	}
	_, err = fmt.Fprintln(o.IO.Out, filepath.Join(o.dir, "report.md"))
	return usage.Output(err)
}

// save writes the report, and the matrix of all papers where it is kept with others.
func (o *reproduceOptions) save(parts []reproduce.File) error {
	if o.keep == "" {
		return reproduce.Save(o.dir, parts)
	}
	if err := reproduce.Save(o.dir, parts, ".png"); err != nil {
		return err
	}
	return reproduce.SaveMatrix(o.keep)
}

// command is the call that makes the same report.
func (o *reproduceOptions) command() string {
	where := ""
	if o.keep != "" {
		where = " --write " + filepath.ToSlash(o.keep)
	}
	return fmt.Sprintf("downbeat reproduce %s --sets %d --scale %g%s", o.paper.Name, o.Seeds, o.Scale, where)
}
