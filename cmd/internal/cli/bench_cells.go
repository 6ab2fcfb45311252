package cli

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/exit"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/usage"
	"downbeat/model/near"
	"downbeat/online/policies"
)

// answer prints the summary and writes the files. The summary is printed even
// where a file cannot be written.
func (o *cellOptions) answer(c *bench.Config, sets []bench.Set, records []*bench.Record, compare []string, plots []plotFlag, runs *present.Runs) error {
	s := c.Summarize(records, compare)
	shown := bench.Page{Width: o.Columns(), Measures: o.measures.List, Holm: o.holm, Effects: o.effects}
	unwritten := o.writeFiles(c, sets, records, plots)
	if o.table != "" && unwritten == nil {
		unwritten = files.Write(o.table, s.WriteTable)
	}
	if o.dataPackage != "" && unwritten == nil {
		unwritten = o.writeDataPackage(c, records, s)
	}
	for _, path := range o.gantts {
		unwritten = cmp.Or(unwritten, files.Write(path, func(w io.Writer) error {
			return present.WebPage(w, c, records, s, shown, o.figures.style(), runs)
		}))
	}
	var err error
	if o.Format.Value == "json" {
		err = s.WriteJSON(o.IO.Out)
	} else {
		err = present.Text(o.IO.Out, s, shown)
	}
	if err := usage.Output(err); err != nil {
		return err
	}
	if unwritten != nil {
		return unwritten
	}
	if s.Sets < s.Planned || s.Sets == 0 {
		return exit.Unknown
	}
	return nil
}

// writeDataPackage writes a folder of tables.
func (o *cellOptions) writeDataPackage(c *bench.Config, records []*bench.Record, s *bench.Summary) error {
	if err := os.MkdirAll(o.dataPackage, 0o777); err != nil {
		return files.Error(o.dataPackage, err)
	}
	for _, f := range c.DataPackage(records, s) {
		if err := files.Write(filepath.Join(o.dataPackage, f.Name), f.Write); err != nil {
			return err
		}
	}
	return nil
}

// writeFiles writes cells and plots and answers with the first error.
func (o *cellOptions) writeFiles(c *bench.Config, sets []bench.Set, records []*bench.Record, plots []plotFlag) error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, path := range o.outputs {
		keep(files.Write(path, func(w io.Writer) error {
			if options.Extension(path) == "json" {
				return c.WriteJSON(w, sets, records, o.timing)
			}
			return c.WriteCSV(w, records, o.timing)
		}))
	}
	for _, plot := range plots {
		var picture strings.Builder
		err := present.Draw(&picture, c, plot.name, options.Extension(plot.path), records, o.figures.style())
		if errors.Is(err, present.ErrNothing) {
			o.Note("%s was not written: %v", plot.path, err)
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

// cellOptions are what is made of cells: tables, files and plots.
type cellOptions struct {
	options.Answer
	outputs []string
	timing  bool
	table   string
	// dataPackage is a folder for tables.
	dataPackage string
	plots       []string
	gantts      []string
	compare     string
	holm        bool
	effects     bool
	measures    options.Names
	figures     figureOptions
	// journals that no file of ours may replace.
	journals []string
}

// addFlags registers the flags; kinds are the endings of files of cells.
func (o *cellOptions) addFlags(cmd *cobra.Command, kinds string) {
	o.Answer.AddFlags(cmd)
	f := cmd.Flags()
	f.StringArrayVarP(&o.outputs, "output", "o", nil, "write every cell to this file: "+kinds+"; may be repeated")
	f.StringVar(&o.table, "table", "", "write the table to this file, .csv: a line to each level, policy and measure")
	f.StringVar(&o.dataPackage, "data-package", "", "write all tables to this folder, for notebooks: job sets, runs, gaps, intervals, comparisons, with a description of their columns")
	f.BoolVar(&o.timing, "timing", false, "with elapsed times in the files")
	f.StringArrayVar(&o.plots, "plot", nil, "draw a figure, NAME=FILE with FILE .svg, .png or .pdf: schedulability, weighted-schedulability, gaps, pareto, or a measure; may be repeated")
	f.StringArrayVar(&o.gantts, "gantt", nil, "write a page to explore to this file, .html: tables, figures, and runs beside the optimum; may be repeated")
	o.figures.addFlags(cmd)
	f.StringVar(&o.compare, "compare", "", "compare policy A with B, and with C and so on, on the same runs: A,B,C")
	f.BoolVar(&o.holm, "holm", false, "with --compare, claim only what is shown after Holm's correction for all that is compared")
	f.BoolVar(&o.effects, "effects", false, "with --compare, effect sizes with intervals, how many job sets would show them, and p-values")
	o.measures = options.Names{Known: bench.MeasureNames(), Noun: "measure", Today: bench.MeasureName}
	f.Var(&o.measures, "measure", "show these measures only, beside the gaps: "+strings.Join(bench.MeasureNames(), ", "))
	options.QuietFlag(cmd, &o.Quiet)
	o.AddWidth(cmd)
}

// checkTarget tells early that a file cannot be written.
func (o *cellOptions) checkTarget(path string) error {
	for _, journal := range append(o.journals, "") {
		if err := files.CheckTarget(o.IO, path, journal); err != nil {
			return err
		}
	}
	return nil
}

// plotFlag is one --plot.
type plotFlag struct{ name, path string }

// checkOutputs tells of files of cells that cannot be written, or end otherwise.
func (o *cellOptions) checkOutputs(endings ...string) error {
	for _, path := range o.outputs {
		if !slices.Contains(endings, options.Extension(path)) {
			last := len(endings) - 1
			return usage.Errorf("-o %s: a file of cells ends in .%s or .%s", path, strings.Join(endings[:last], ", ."), endings[last])
		}
		if err := o.checkTarget(path); err != nil {
			return err
		}
	}
	for _, path := range o.gantts {
		if options.Extension(path) != "html" {
			return usage.Errorf("--gantt %s: the page of a bench ends in .html; --plot draws figures", path)
		}
		if err := o.checkTarget(path); err != nil {
			return err
		}
	}
	if info, err := os.Stat(o.dataPackage); err == nil && !info.IsDir() {
		return usage.Errorf("--data-package %s: it is a file; name a folder", o.dataPackage)
	}
	if o.table == "" {
		return nil
	}
	if options.Extension(o.table) != "csv" {
		return usage.Errorf("--table %s: a table's name ends in .csv", o.table)
	}
	return o.checkTarget(o.table)
}

func (o *cellOptions) compared(c *bench.Config) ([]string, error) {
	if o.compare == "" {
		if o.holm || o.effects {
			return nil, usage.Errorf("--holm and --effects are about what --compare compares")
		}
		return nil, nil
	}
	named := among(o.compare, c.Policies)
	if len(named) < 2 || len(slices.Compact(slices.Sorted(slices.Values(named)))) < len(named) {
		return nil, usage.Errorf("--compare %s: two different policies are needed, A,B, or more", o.compare)
	}
	for _, spec := range named {
		if !slices.Contains(c.Policies, spec) {
			return nil, usage.Errorf("--compare: %s is not among the policies of the bench", spec)
		}
	}
	return named, nil
}

// among takes a list apart whose parts are some of the known policies, in which there may be commas; parts
// that are none of these are taken apart as those of --policy are.
func among(list string, known []string) []string {
	if slices.Contains(known, list) {
		return []string{list}
	}
	for _, policy := range known {
		if rest, found := strings.CutPrefix(list, policy+","); found {
			if more := among(rest, known); more != nil {
				return append([]string{policy}, more...)
			}
		}
	}
	return policies.Split(list)
}

func (o *cellOptions) plotFlags() ([]plotFlag, error) {
	var out []plotFlag
	for _, text := range o.plots {
		name, path, found := strings.Cut(text, "=")
		if !found {
			return nil, usage.Errorf("--plot %s: write NAME=FILE", text)
		}
		name = bench.MeasureName(name)
		if known := present.Names(); !slices.Contains(known, name) {
			return nil, usage.Errorf("--plot: unknown plot %q%s", name, usage.Hint(near.Word(name, known), "there are "+strings.Join(known, ", ")))
		}
		if ext := options.Extension(path); !slices.Contains(chart.Formats(), ext) {
			return nil, usage.Errorf("--plot %s: a plot's name ends in .%s", text, strings.Join(chart.Formats(), ", ."))
		}
		if err := o.checkTarget(path); err != nil {
			return nil, err
		}
		out = append(out, plotFlag{name, path})
	}
	return out, nil
}

// torn tells of journals whose last line was being written.
func (o *cellOptions) torn(store *bench.CellStore, so string) {
	for _, place := range store.Torn {
		o.Note("%s: this line was cut off while it was written; %s", place, so)
	}
}
