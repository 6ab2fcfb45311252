// Package complete tells shells how words of a call may go on: files by their names,
// values of flags that are known beforehand, and jobs, slaves and classes by the job set
// that the call names.
package complete

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/flags"
	"downbeat/cmd/internal/schedulers"
	"downbeat/cmd/internal/terminal"
	"downbeat/model"
	"downbeat/online/workload"
)

// completion is what a value may become: all that begin with what is there are shown.
type completion struct {
	words []string
	// list: several words with commas between them.
	list bool
	// open: more of the word follows, as after JOB=.
	open bool
}

// Register has all commands below root complete their arguments and flags.
func Register(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		Register(cmd)
		if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
			cmd.ValidArgsFunction = arguments
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, taken := cmd.GetFlagCompletionFunc(f.Name); taken {
				return
			}
			// A flag that has a function already is the only error.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, value(f))
		})
	}
}

// arguments are files of job sets, and of plans or proofs after them.
func arguments(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var wanted []string
	for word := range strings.FieldsSeq(cmd.Use) {
		if word == strings.ToUpper(word) {
			wanted = append(wanted, word)
		}
	}
	if len(args) < len(wanted) && wanted[len(args)] == "PLAN" {
		return []string{"json", "yaml", "csv"}, cobra.ShellCompDirectiveFilterFileExt
	}
	if len(args) < len(wanted) && wanted[len(args)] == "PROOF" {
		return []string{"proof", "gz"}, cobra.ShellCompDirectiveFilterFileExt
	}
	if len(wanted) == 0 || len(args) >= len(wanted) && !strings.Contains(cmd.Use, "...") {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// ends are those of names of files that flags write or read.
var ends = map[string][]string{
	"gantt":  {"svg", "png", "html", "pdf"},
	"plot":   {"svg", "png", "pdf"},
	"output": {"json", "yaml", "csv"},
	"from":   {"json", "yaml", "csv"},
	"table":  {"csv"},
	"resume": {"jsonl"},
	"proof":  {"proof", "gz"},
}

// value completes a flag.
func value(f *pflag.Flag) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if exts, ok := ends[f.Name]; ok {
			return exts, cobra.ShellCompDirectiveFilterFileExt
		}
		c := known(f)
		if c == nil {
			c = named(cmd.Context(), f.Name, args)
		}
		if c == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return c.matching(begun)
	}
}

// known are values that no job set is needed for, nil if it takes one.
func known(f *pflag.Flag) *completion {
	switch v := f.Value.(type) {
	case *flags.OneOf:
		return &completion{words: v.Known}
	case *flags.Names:
		return &completion{words: v.Known, list: true}
	case *flags.Objectives:
		return &completion{words: model.ObjectiveNames(), list: true}
	case *flags.Conditions:
		return &completion{words: model.ObjectiveNames(), open: true}
	case *flags.Limits:
		return &completion{words: with(model.ObjectiveNames(), "="), open: true}
	}
	switch f.Name {
	case "policy":
		return &completion{words: append(schedulers.Names(), "all"), list: true}
	case "workload", "explain":
		var names []string
		for _, info := range workload.List() {
			names = append(names, info.Name)
		}
		return &completion{words: names, open: true}
	}
	return nil
}

// patience is how long a key may wait for names from a large file.
const patience = 2 * time.Second

// named are values that name parts of the job set, which one of the arguments is.
func named(ctx context.Context, flag string, args []string) *completion {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, ".") })
	if i < 0 || !slices.Contains([]string{"drop", "soften", "deadline", "margin", "without", "count", "class"}, flag) {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	quiet := terminal.New(strings.NewReader(""), io.Discard, io.Discard)
	js, err := files.JobSet(ctx, quiet, args[i], func(string, ...any) {})
	if err != nil {
		return nil
	}
	var jobs, slaves, classes []string
	for j := range js.Jobs {
		jobs = append(jobs, js.Jobs[j].Name)
	}
	for _, s := range js.Slaves {
		slaves, classes = append(slaves, s.Name), append(classes, s.Class)
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	switch flag {
	case "drop", "soften":
		return &completion{words: jobs}
	case "deadline", "margin":
		return &completion{words: with(jobs, "="), open: true}
	case "without":
		return &completion{words: append(slaves, classes...), open: true}
	case "count":
		return &completion{words: with(classes, "="), open: true}
	}
	return &completion{words: classes, open: true}
}

// with is each word with an end.
func with(words []string, end string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = w + end
	}
	return all
}

// matching are the words that go on from what is begun.
func (c *completion) matching(begun string) ([]string, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	if c.open || c.list {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	before := ""
	if at := strings.LastIndexByte(begun, ','); c.list && at >= 0 {
		before, begun = begun[:at+1], begun[at+1:]
	}
	var found []string
	for _, w := range c.words {
		if strings.HasPrefix(w, begun) {
			found = append(found, before+w)
		}
	}
	slices.Sort(found)
	return slices.Compact(found), directive
}
