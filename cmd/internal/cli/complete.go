// Complete tells shells how words of a call may go on: files by their names,
// values of flags that are known beforehand, and jobs, slaves, classes and pools by the job set
// that the call names.

package cli

import (
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
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

// registerCompletions has all commands below root complete their arguments and flags.
func registerCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		registerCompletions(cmd)
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

// planEnds, proofEnds and so on are the ends of files of these kinds.
var (
	setEnds     = []string{"yaml", "yml", "json"}
	planEnds    = []string{"json", "yaml", "csv"}
	journalEnds = []string{"jsonl"}
	proofEnds   = []string{"proof", "gz"}
)

// read are the ends of names of files that arguments and flags read, by the words for them.
var read = map[string][]string{
	"FILE": setEnds, "PLAN": planEnds, "PROOF": proofEnds, "LOG": journalEnds, "JOURNAL": journalEnds, "FORMULA": {"cnf", "wcnf", "opb"},
	"from": planEnds, "executed": planEnds, "resume": journalEnds, "proof": proofEnds,
}

// ofFiles completes names with such ends, of any file if there are none.
func ofFiles(ends []string) ([]string, cobra.ShellCompDirective) {
	if ends == nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return ends, cobra.ShellCompDirectiveFilterFileExt
}

// arguments are files of the kinds that the usage names.
func arguments(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var wanted []string
	repeated := false
	for word := range strings.FieldsSeq(cmd.Use) {
		if strings.HasPrefix(word, "-") {
			break
		}
		if word == strings.ToUpper(word) {
			repeated = strings.HasSuffix(word, "...")
			word, _, _ = strings.Cut(strings.Trim(word, "[]."), "|")
			wanted = append(wanted, word)
		}
	}
	switch {
	case len(wanted) == 0 || len(args) >= len(wanted) && !repeated:
		return nil, cobra.ShellCompDirectiveNoFileComp
	case wanted[0] == "DIR":
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return ofFiles(read[wanted[min(len(args), len(wanted)-1)]])
}

// written is what usage texts say of files that flags write: that it is one, and the ends of
// its name where there are only some.
var written = regexp.MustCompile(`to this (file|folder)\b[:,]?((?:(?:,| or)? \.\w+)*)`)

// writes completes the name of a file or folder that a flag writes to; ok tells that it does.
func writes(f *pflag.Flag) (ends []string, directive cobra.ShellCompDirective, ok bool) {
	m := written.FindStringSubmatch(f.Usage)
	switch {
	case m == nil:
		return nil, 0, false
	case m[1] == "folder":
		return nil, cobra.ShellCompDirectiveFilterDirs, true
	}
	for end := range strings.SplitSeq(m[2], ".") {
		if end = strings.Trim(end, ", or"); end != "" {
			ends = append(ends, end)
		}
	}
	ends, directive = ofFiles(ends)
	return ends, directive, true
}

// value completes a flag.
func value(f *pflag.Flag) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if ends, ok := read[f.Name]; ok {
			return ofFiles(ends)
		}
		if ends, directive, ok := writes(f); ok {
			return ends, directive
		}
		switch {
		case f.Name == "cluster":
			return ofFiles(nil)
		case f.Name == "into", f.Name == "join" && cmd.Name() == "plan":
			return nil, cobra.ShellCompDirectiveFilterDirs
		case (f.Name == "workload" || f.Name == "explain") && beginsFile(begun):
			return ofFiles(setEnds)
		}
		c := known(cmd, f, begun)
		if c == nil {
			c = completeNamed(cmd.Context(), f.Name, args)
		}
		if c == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.matching(begun)
	}
}

// known are values that no job set is needed for, nil if it takes one.
func known(cmd *cobra.Command, f *pflag.Flag, begun string) *completion {
	switch v := f.Value.(type) {
	case *options.OneOf:
		return &completion{words: v.Known}
	case *options.Names:
		return &completion{words: v.Known, list: true}
	case *options.Objectives:
		return &completion{words: model.ObjectiveNames(), list: true}
	case *options.Conditions:
		return &completion{words: model.ObjectiveNames(), open: true}
	case *options.Limits:
		return &completion{words: with(model.ObjectiveNames(), "="), open: true}
	}
	switch f.Name {
	case "objective": // of a log
		return &completion{words: model.ObjectiveNames()}
	case "plot":
		return &completion{words: with(present.Names(), "="), open: true}
	case "policy":
		return &completion{words: append(policyWords(begun), "all"), list: true}
	case "compare":
		return &completion{words: policyWords(begun), list: true}
	case "hunt":
		return &completion{words: policyWords(begun)}
	case "workload", "explain":
		return &completion{words: workloadWords(begun), open: true}
	case "sweep":
		specs, _ := cmd.Flags().GetStringArray("workload") // a command without has no sweep either
		return &completion{words: parameters("", specs), open: true}
	}
	return nil
}

// policyWords are the policies; of one whose name is there with a colon the parameters.
func policyWords(begun string) []string {
	last := begun[strings.LastIndexByte(begun, ',')+1:]
	var words []string
	for _, p := range schedulers.List() {
		words = append(words, p.Name)
		if strings.HasPrefix(last, p.Name+":") {
			for _, param := range p.Params {
				words = append(words, p.Name+":"+param.Name+"=")
			}
		}
	}
	return words
}

// beginsFile reports whether the text of a workload begins with none of the names, so that it may be a file.
func beginsFile(begun string) bool {
	named := slices.ContainsFunc(workload.List(), func(w workload.Info) bool { return strings.HasPrefix(w.Name, begun) })
	return !named && !strings.Contains(begun, ":")
}

// workloadWords are the workloads; of one whose name is there with a colon the parameters.
func workloadWords(begun string) []string {
	var words []string
	for _, info := range workload.List() {
		words = append(words, info.Name)
	}
	if name, rest, ok := strings.Cut(begun, ":"); ok {
		before := rest[:strings.LastIndexByte(rest, ',')+1]
		words = append(words, parameters(name+":"+before, []string{name})...)
	}
	return words
}

// parameters of workloads, as far as these are known, with what comes before them.
func parameters(before string, specs []string) []string {
	var words []string
	for _, spec := range specs {
		if e, err := workload.Explain(spec); err == nil {
			for _, p := range e.Parameters {
				words = append(words, before+p.Name+"=")
			}
		}
	}
	return words
}

// patience is how long a key may wait for names from a large file.
const patience = 2 * time.Second

// completeNamed are values that name parts of the job set, which one of the arguments is.
func completeNamed(ctx context.Context, flag string, args []string) *completion {
	i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, ".") })
	if i < 0 || !slices.Contains([]string{"drop", "soften", "deadline", "margin", "without", "slave", "count", "class", "pool", "job"}, flag) {
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
	case "drop", "soften", "job":
		return &completion{words: jobs}
	case "deadline", "margin":
		return &completion{words: with(jobs, "="), open: true}
	case "without":
		return &completion{words: append(slaves, classes...), open: true}
	case "slave":
		return &completion{words: append(slaves, classes...)}
	case "count":
		return &completion{words: with(classes, "="), open: true}
	case "pool":
		var pools []string
		for i := range js.Pools {
			pools = append(pools, js.Pools[i].Name)
		}
		return &completion{words: pools, open: true} // what size takes ends there, a change goes on
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
