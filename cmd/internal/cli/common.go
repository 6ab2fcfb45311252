package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/report"
	"downbeat/model"
	"downbeat/model/near"
	"downbeat/solve"
)

// viewOptions choose how an answer is printed.
type viewOptions struct {
	io      *streams
	format  oneOf
	noColor bool
	// width of the page; 0 means the terminal's.
	width int
}

func (o *viewOptions) addFlags(cmd *cobra.Command) {
	o.format = oneOf{value: "text", known: []string{"text", "json"}}
	cmd.Flags().Var(&o.format, "format", "print the answer as text or json")
	cmd.Flags().BoolVar(&o.noColor, "no-color", false, "no colour, even on a terminal (as with NO_COLOR set)")
}

func (o *viewOptions) view() report.View {
	if o.format.value == "json" {
		return report.NewJSON(o.io.out)
	}
	page := report.Page{Width: o.io.width, Height: o.io.height, Color: o.io.outTerminal && !o.io.noColor && !o.noColor}
	if o.width > 0 {
		page.Width = o.width
	}
	return report.NewText(o.io.out, page)
}

// solveOptions are what plan and check have in common.
type solveOptions struct {
	viewOptions
	file      string
	timeLimit time.Duration
	// limited tells that the user named a time limit.
	limited   func() bool
	budget    int64
	seed      uint64
	workers   int
	objective objectiveList
	quiet     bool
}

const (
	defaultTimeLimit = 30 * time.Second
	// maxWorkers keeps a slip of the finger from filling the memory: each
	// search holds a formula of its own.
	maxWorkers = 1024
)

func (o *solveOptions) addFlags(cmd *cobra.Command) {
	o.viewOptions.addFlags(cmd)
	f := cmd.Flags()
	f.DurationVar(&o.timeLimit, "time-limit", defaultTimeLimit, "end the search after this long, 0 for never")
	o.limited = func() bool { return f.Changed("time-limit") && o.timeLimit > 0 }
	f.Int64Var(&o.budget, "budget", 0, "end the search after this much work, counted in constructions of a plan, in place of a time limit: the same answer on every machine")
	f.Uint64Var(&o.seed, "seed", 1, "number that fixes every random choice")
	f.IntVar(&o.workers, "workers", 0, "searches side by side, 0 for one per core")
	f.Var(&o.objective, "objective", "what to minimise, most important first, instead of what the file says: "+strings.Join(model.ObjectiveNames(), ", "))
	f.BoolVar(&o.quiet, "quiet", false, "no progress and no notes on standard error")
}

// check tells values that no flag can have.
func (o *solveOptions) check() error {
	switch {
	case o.timeLimit < 0:
		return usagef("--time-limit %v is negative", o.timeLimit)
	case o.budget < 0:
		return usagef("--budget %d is negative", o.budget)
	case o.budget > 0 && o.limited():
		return usagef("--budget counts work in place of a clock; leave --time-limit out")
	case o.budget > 0 && o.workers > 1:
		return usagef("--budget is for a single worker, whose answer repeats; leave --workers %d out", o.workers)
	case o.workers < 0:
		return usagef("--workers %d is negative", o.workers)
	case o.workers > maxWorkers:
		return usagef("--workers %d is more than %d", o.workers, maxWorkers)
	}
	return nil
}

func (o *solveOptions) solverOptions(p *progress) solve.Options {
	return solve.Options{
		Objectives: o.objective, TimeLimit: o.timeLimit, Budget: o.budget, Seed: o.seed, Workers: o.workers, Progress: p.observer(),
	}
}

// notes go to standard error, for people.
func (o *solveOptions) notes(notes []string) {
	if o.quiet {
		return
	}
	for _, n := range notes {
		fmt.Fprintln(o.io.err, "note:", report.Printable(n))
	}
}

// oneOf is a flag with a few known values.
type oneOf struct {
	value string
	known []string
}

func (v *oneOf) String() string { return v.value }
func (v *oneOf) Type() string   { return strings.Join(v.known, "|") }

func (v *oneOf) Set(text string) error {
	if !slices.Contains(v.known, text) {
		return fmt.Errorf("unknown value %q%s", text, hint(near.Word(text, v.known), "known are "+strings.Join(v.known, " and ")))
	}
	v.value = text
	return nil
}

// objectiveList is a flag with a list of objectives; nil if it was not given.
type objectiveList []model.Objective

func (v *objectiveList) Type() string { return "NAME,..." }

func (v *objectiveList) String() string {
	names := make([]string, len(*v))
	for i, o := range *v {
		names[i] = o.String()
	}
	return strings.Join(names, ",")
}

func (v *objectiveList) Set(text string) error {
	var list objectiveList
	for _, name := range strings.Split(text, ",") {
		name = strings.TrimSpace(name)
		o, err := model.ParseObjective(name)
		if err != nil {
			known := model.ObjectiveNames()
			return fmt.Errorf("%w%s", err, hint(near.Word(name, known), "known are "+strings.Join(known, ", ")))
		}
		if slices.Contains(list, o) {
			return fmt.Errorf("objective %q is named twice", name)
		}
		list = append(list, o)
	}
	*v = list
	return nil
}
