// Package options has what several commands take: how an answer is printed and the files
// beside it (outputs.go, show.go), changes to the job set (changes.go), the ceiling of memory
// (memory.go), what the solver is asked with (solver.go), and what online runs are played
// with (runs.go, follow.go).
package options

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/runlog"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/planfile"
)

// PlanFiles are the files that plan and simulate write beside their report.
type PlanFiles struct {
	Outputs []string
	Gantts  []string
	size    FigureSize
}

// AddFlags registers the flags, with what each does to its file.
func (p *PlanFiles) AddFlags(cmd *cobra.Command, output, gantt string) {
	cmd.Flags().StringArrayVarP(&p.Outputs, "output", "o", nil, output+" to this file: .json, .yaml or .csv; may be repeated")
	p.AddGantt(cmd, gantt)
}

// AddGantt registers --gantt alone, and what goes with it.
func (p *PlanFiles) AddGantt(cmd *cobra.Command, gantt string) {
	cmd.Flags().StringArrayVar(&p.Gantts, "gantt", nil, gantt+" to this file: .svg, .png, .pdf or .html; may be repeated")
	p.size.AddFlag(cmd, "width and height of pictures")
}

// Check tells what cannot be written before any time is spent.
func (p *PlanFiles) Check(cmd *cobra.Command, io *terminal.Streams, input string) error {
	for _, path := range p.Outputs {
		switch path {
		case "":
			return usage.Errorf("-o needs a file name, got an empty one")
		case "-":
			return usage.Errorf("-o -: standard output has the report; --format json prints the plan there in its place")
		}
		if _, err := planfile.FormatOf(path); err != nil {
			return usage.Errorf("-o %v", err)
		}
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	for _, path := range p.Gantts {
		if path == "-" {
			return usage.Errorf("--gantt -: standard output has the report; name a file, like plan.svg")
		}
		if !slices.Contains(report.PictureFormats(), Extension(path)) {
			return usage.Errorf("--gantt %s: a picture's name ends in .%s", path, strings.Join(report.PictureFormats(), ", ."))
		}
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	if p.size.given() && !slices.ContainsFunc(p.Gantts, func(path string) bool { return Extension(path) != "html" }) {
		return usage.Errorf("--%s goes with --gantt and a file .svg, .png or .pdf: a page has the size of its window", figureSize)
	}
	return nil
}

// fileWriting and drawing are how many times as long as validating a plan it takes to write
// it to a file, or to draw it: some 3 and 10 µs a task.
const fileWriting, drawing = 2, 6

// Writing is how long writing all takes, in times of what validating a plan takes.
func (p *PlanFiles) Writing() int { return fileWriting*len(p.Outputs) + drawing*len(p.Gantts) }

// The bitmap of a set of so many tasks and slaves is of 10 million pixels and more, which
// takes that long to paint and to compress.
const (
	largeBitmap = 200
	painting    = 350 * time.Millisecond
)

// Painting is how long bitmaps of plans of a set take, whatever these are.
func (p *PlanFiles) Painting(js *model.JobSet) time.Duration {
	d := time.Duration(0)
	for _, path := range p.Gantts {
		if Extension(path) == "png" && len(js.Tasks)+len(js.Slaves) >= largeBitmap {
			d += painting
		}
	}
	return d
}

// Plots are files with a figure, beside a report.
type Plots []string

// AddFlag registers --plot, with what it does to a file.
func (p *Plots) AddFlag(cmd *cobra.Command, plot string) {
	cmd.Flags().StringArrayVar((*[]string)(p), "plot", nil, plot+" to this file: .svg, .png or .pdf; may be repeated")
}

// Check tells what cannot be written before any time is spent.
func (p Plots) Check(io *terminal.Streams, input string) error {
	for _, path := range p {
		if !slices.Contains(chart.Formats(), Extension(path)) {
			return usage.Errorf("--plot %s: a plot's name ends in .%s", path, strings.Join(chart.Formats(), ", ."))
		}
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	return nil
}

// Tell notes which letters of names the figures cannot show.
func (p Plots) Tell(note func(string, ...any), names ...string) {
	for _, path := range p {
		if text := chart.Lacking(Extension(path), names...); text != "" {
			note("%s: %s; .svg shows all", path, text)
		}
	}
}

// NotEmpty tells of a flag for a file that was given without a name.
func NotEmpty(cmd *cobra.Command, shown, flag string) error {
	if f := cmd.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
		return usage.Errorf("%s needs a file name, got an empty one", shown)
	}
	return nil
}

// Extension is the end of a file's name that tells its format.
func Extension(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

// Write writes the plan and its pictures and answers with the first error.
// Where nothing says why there is nothing to draw, a note tells instead.
func (p *PlanFiles) Write(js *model.JobSet, plan func() *model.Plan, draw func(w io.Writer, p gantt.Picture) error, nothing string, note func(string, ...any)) error {
	var first error
	plan = sync.OnceValue(plan)
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range p.Outputs {
		format, err := planfile.FormatOf(path)
		if err != nil {
			return err
		}
		keep(files.Write(path, func(w io.Writer) error { return planfile.Write(w, report.Stamped(plan()), format) }))
	}
	for _, path := range p.Gantts {
		if nothing != "" {
			note("%s was not written: %s", path, nothing)
			continue
		}
		if text := gantt.Unpainted(js, Extension(path)); text != "" {
			note("%s: %s", path, text)
		}
		keep(files.Write(path, func(w io.Writer) error { return draw(w, gantt.Picture{Format: Extension(path), Size: p.size.Size}) }))
	}
	return first
}

// Answer says how an answer is printed.
type Answer struct {
	IO      *terminal.Streams
	Format  OneOf
	noColor bool
	// Width of the page; 0 means the terminal's. Not all commands have the flag.
	Width int
	// Quiet leaves notes out. Not all commands have the flag.
	Quiet bool
	// Late leaves out of plans what is neither late nor tight. Not all commands have the flag.
	Late bool
	// Declared is the job set as its file has it, before the changes of a plan; set by Plans.
	Declared *model.JobSet
	// log, if there is one, has notes among its lines.
	log *runlog.Log
	// places are those of annotations.
	places report.Places
}

// AddFlags registers the flags.
func (o *Answer) AddFlags(cmd *cobra.Command) {
	o.Format = OneOf{Value: "text", Known: []string{"text", "json"}}
	cmd.Flags().Var(&o.Format, "format", "print the answer as text or json")
	cmd.Flags().BoolVar(&o.noColor, "no-color", false, "no colour, even on a terminal (as with NO_COLOR set)")
}

// github is the format of annotations for pipelines, which not all commands have.
const github = "github"

// AllowGithub has --format take github too, after AddFlags.
func (o *Answer) AllowGithub(cmd *cobra.Command) {
	o.Format.Known = append(o.Format.Known, github)
	cmd.Flags().Lookup("format").Usage = "print the answer as text, as json, or as annotations for pipelines (github)"
}

// Annotates reports whether annotations for pipelines are asked for.
func (o *Answer) Annotates() bool { return o.Format.Value == github }

// About says which files an answer is about, - for standard input; plan is empty where there is
// none. Errors of the function that it returns are annotated where annotations are asked for.
func (o *Answer) About(jobSet, plan string) func(error) error {
	named := func(path string) string {
		if path == "-" {
			return ""
		}
		return path
	}
	o.places = report.Places{File: named(jobSet), Plan: named(plan)}
	return func(err error) error {
		if !o.Annotates() {
			return err
		}
		if failed := usage.Output(report.AnnotateFaults(o.IO.Out, err)); failed != nil {
			return failed
		}
		return err
	}
}

// QuietFlag registers --quiet, which means the same wherever it is.
func QuietFlag(cmd *cobra.Command, quiet *bool) {
	cmd.Flags().BoolVarP(quiet, "quiet", "q", false, "no progress and no notes on standard error")
}

// AddWidth registers --width, for commands that print tables.
func (o *Answer) AddWidth(cmd *cobra.Command) {
	cmd.Flags().IntVar(&o.Width, "width", 0, "columns for the report, 0 for the terminal's")
}

// AddLate registers --late, for commands that print plans.
func (o *Answer) AddLate(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Late, "late", false, "tell of those jobs alone that are late, or tight: with a slack below 10 % of the time from release to deadline")
}

// CheckWidth tells of a width that no page has.
func (o *Answer) CheckWidth() error {
	if o.Width < 0 {
		return usage.Errorf("--width %d is negative", o.Width)
	}
	return nil
}

// Columns are those of the page.
func (o *Answer) Columns() int {
	if o.Width > 0 {
		return o.Width
	}
	return o.IO.Width
}

// View is how the answer is printed.
func (o *Answer) View() report.View {
	if o.Late {
		return report.LateOnly(o.view())
	}
	return o.view()
}

func (o *Answer) view() report.View {
	switch o.Format.Value {
	case "json":
		return report.NewJSON(o.IO.Out)
	case github:
		places := o.places
		if places.File != "" {
			if src, err := os.ReadFile(places.File); err == nil { // else lines are not told
				places.Jobs = jobfile.Places(src)
			}
		}
		return report.NewGithub(o.IO.Out, places)
	}
	return report.NewText(o.IO.Out, table.Page{
		Width: o.Columns(), Height: o.IO.Height, Color: o.IO.OutTerminal && !o.IO.NoColor && !o.noColor,
		Fit: o.IO.OutTerminal || o.Width > 0,
	}, o.Quiet)
}

// Note goes to standard error, for people, unless they want none.
func (o *Answer) Note(format string, args ...any) {
	if !o.Quiet {
		o.Tell(format, args...)
	}
}

// Tell is Note with --quiet too, for why the command ends as it does.
func (o *Answer) Tell(format string, args ...any) {
	text := table.Printable(fmt.Sprintf(format, args...))
	switch {
	case o.log != nil:
		o.log.Note(text)
	default:
		fmt.Fprintln(o.IO.Err, "note:", text)
	}
}

// Failed tells why the exit code is that of a no.
func (o *Answer) Failed(format string, args ...any) {
	o.Tell(format, args...)
	if o.Annotates() {
		_ = report.Annotate(o.IO.Out, fmt.Sprintf(format, args...)) // the answer has been printed
	}
}

// Interrupted says that what follows is not the whole answer.
func (o *Answer) Interrupted(what string) {
	text := "this is what was " + what + " so far"
	switch {
	case o.Quiet:
	case o.log != nil:
		o.log.Note("interrupted: " + text)
	default:
		fmt.Fprintln(o.IO.Err, "interrupted:", text)
	}
}
