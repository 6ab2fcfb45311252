package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/planfile"
)

// planFiles are the files that plan and simulate write beside their report.
type planFiles struct {
	outputs []string
	gantts  []string
}

// addFlags registers the flags, with what each does to its file.
func (p *planFiles) addFlags(cmd *cobra.Command, output, gantt string) {
	cmd.Flags().StringArrayVarP(&p.outputs, "output", "o", nil, output+" to this file: .json, .yaml or .csv; may be repeated")
	p.addGantt(cmd, gantt)
}

// addGantt registers --gantt alone.
func (p *planFiles) addGantt(cmd *cobra.Command, gantt string) {
	cmd.Flags().StringArrayVar(&p.gantts, "gantt", nil, gantt+" to this file: .svg, .png or .html; may be repeated")
}

// check tells what cannot be written before any time is spent.
func (p *planFiles) check(cmd *cobra.Command, io *terminal.Streams, input string) error {
	for _, path := range p.outputs {
		if path == "" {
			return usage.Errorf("-o needs a file name, got an empty one")
		}
		if _, err := planfile.FormatOf(path); err != nil {
			return usage.Errorf("-o %v", err)
		}
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	for _, path := range p.gantts {
		if !slices.Contains(report.PictureFormats(), extension(path)) {
			return usage.Errorf("--gantt %s: a picture's name ends in .%s", path, strings.Join(report.PictureFormats(), ", ."))
		}
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	return nil
}

// notEmpty tells of a flag for a file that was given without a name.
func notEmpty(cmd *cobra.Command, shown, flag string) error {
	if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
		return usage.Errorf("%s needs a file name, got an empty one", shown)
	}
	return nil
}

// extension is the end of a file's name that tells its format.
func extension(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

// write writes the plan and its pictures and answers with the first error.
// Where nothing says why there is nothing to draw, a note tells instead.
func (p *planFiles) write(plan func() *model.Plan, draw func(w io.Writer, format string) error, nothing string, note func(string, ...any)) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range p.outputs {
		format, err := planfile.FormatOf(path)
		if err != nil {
			return err
		}
		keep(files.Write(path, func(w io.Writer) error { return planfile.Write(w, plan(), format) }))
	}
	for _, path := range p.gantts {
		if nothing != "" {
			note("%s was not written: %s", path, nothing)
			continue
		}
		keep(files.Write(path, func(w io.Writer) error { return draw(w, extension(path)) }))
	}
	return first
}

// viewOptions choose how an answer is printed.
type viewOptions struct {
	io      *terminal.Streams
	format  flags.OneOf
	noColor bool
	// width of the page; 0 means the terminal's. Not all commands have the flag.
	width int
	// quiet leaves notes out. Not all commands have the flag.
	quiet bool
}

func (o *viewOptions) addFlags(cmd *cobra.Command) {
	o.format = flags.OneOf{Value: "text", Known: []string{"text", "json"}}
	cmd.Flags().Var(&o.format, "format", "print the answer as text or json")
	cmd.Flags().BoolVar(&o.noColor, "no-color", false, "no colour, even on a terminal (as with NO_COLOR set)")
}

func (o *viewOptions) checkWidth() error {
	if o.width < 0 {
		return usage.Errorf("--width %d is negative", o.width)
	}
	return nil
}

// columns are those of the page.
func (o *viewOptions) columns() int {
	if o.width > 0 {
		return o.width
	}
	return o.io.Width
}

func (o *viewOptions) view() report.View {
	if o.format.Value == "json" {
		return report.NewJSON(o.io.Out)
	}
	return report.NewText(o.io.Out, report.Page{
		Width: o.columns(), Height: o.io.Height, Color: o.io.OutTerminal && !o.io.NoColor && !o.noColor,
	})
}

// note goes to standard error, for people.
func (o *viewOptions) note(format string, args ...any) {
	if !o.quiet {
		fmt.Fprintln(o.io.Err, "note:", report.Printable(fmt.Sprintf(format, args...)))
	}
}

// interrupted says that what follows is not the whole answer.
func (o *viewOptions) interrupted(what string) {
	if !o.quiet {
		fmt.Fprintln(o.io.Err, "interrupted: this is what was", what, "so far")
	}
}
