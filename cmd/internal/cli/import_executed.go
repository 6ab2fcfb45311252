package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/imports"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/near"
)

// importExecuted are the flags and arguments of downbeat import executed.
type importExecuted struct {
	io             *terminal.Streams
	kind           *imports.Kind // nil for what the files look like
	paths          []string
	output, jobSet string
	zoneName       string
	zone           *time.Location // nil for that of the job set
	strict, quiet  bool
}

func newImportExecutedCmd(io *terminal.Streams, run func(context.Context, *importExecuted) error) *cobra.Command {
	o := &importExecuted{io: io}
	cmd := &cobra.Command{
		Use:   "executed KIND FILES…",
		Short: "Make a run of what an engine says now: finished, running, failed, waiting",
		Long: "Make a run, as a table of tasks, of what the engine says that runs a plan. FILES may\nbe folders, packed by gzip, or - for standard input. KIND is one of\n\n" + kindLines(imports.ExecutedKinds()) + `
and may be left out, where the first file tells by its looks. plan --executed takes
the table, and plans the rest.

What export has written carries JOB/STAGE/TASK and the beginning of the job set's
digest; tasks of others are passed over, and counted. Engines that number tasks of jobs
with names of their own are taken by these names. With --job-set FILE tasks and machines
are looked up in the job set: those of other sets are passed over, machines may be
called by host names with or without a domain.

Exit code 0: done. 2: bad usage or input, or nothing to import. 3: a limit came first.`,
		Example: `  downbeat import executed yarn answers/ --job-set nightly.yaml -o run.csv
  downbeat plan nightly.yaml --from plan.json --executed run.csv --now 02:15 -o next.json`,
		ValidArgs: imports.ExecutedNames(),
		Args:      cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.arguments(cmd, args); err != nil {
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output, which - stands for")
	f.StringVar(&o.jobSet, "job-set", "", "the job set that the plan is for")
	f.StringVar(&o.zoneName, "zone", "", "zone of clock times that come without one, like Europe/Berlin; that of the job set if not given")
	f.BoolVar(&o.strict, "strict", false, "refuse files in which something cannot be used")
	options.QuietFlag(cmd, &o.quiet)
	return cmd
}

// arguments tells KIND and FILES apart.
func (o *importExecuted) arguments(cmd *cobra.Command, args []string) (err error) {
	o.kind, o.paths, err = kindAndFiles(cmd, args, imports.ExecutedNamed, imports.ExecutedNames())
	return err
}

// kindAndFiles tells KIND and FILES apart, the kind being one of known, and found by name; nil
// where it is left out.
func kindAndFiles(cmd *cobra.Command, args []string, named func(string) (imports.Kind, bool), known []string) (*imports.Kind, []string, error) {
	kinds := strings.Join(known, ", ")
	if len(args) == 0 {
		return nil, nil, usage.Errorf("%s needs KIND and FILES; kinds are %s", cmd.CommandPath(), kinds)
	}
	if kind, is := named(args[0]); is {
		if len(args) == 1 {
			return nil, nil, usage.Errorf("%s %s needs FILES", cmd.CommandPath(), kind.Name)
		}
		return &kind, args[1:], nil
	}
	if _, err := os.Stat(args[0]); err == nil || args[0] == "-" {
		return nil, args, nil
	}
	if len(args) > 1 || !strings.ContainsAny(args[0], "./") {
		return nil, nil, usage.Errorf("unknown kind %q%s", args[0], usage.Hint(near.Word(args[0], known), "kinds are "+kinds))
	}
	return nil, args, nil // whoever opens it says that there is no such file
}

// check tells what cannot work before anything is read.
func (o *importExecuted) check(cmd *cobra.Command) error {
	if err := options.NotEmpty(cmd, "--job-set", "job-set"); err != nil {
		return err
	}
	if o.zoneName != "" {
		var err error
		if o.zone, err = zoneNamed(o.zoneName); err != nil {
			return err
		}
	}
	if o.jobSet == "-" && slices.Contains(o.paths, "-") {
		return usage.Errorf("FILES and the file of --job-set cannot both be standard input")
	}
	inputs := o.paths
	if o.jobSet != "" {
		inputs = append(slices.Clone(inputs), o.jobSet)
	}
	return checkTarget(cmd, o.io, "output", o.output, inputs...)
}

func runImportExecuted(ctx context.Context, o *importExecuted) error {
	var js *model.JobSet
	if o.jobSet != "" {
		var err error
		if js, err = files.JobSet(ctx, o.io, o.jobSet, nil); err != nil {
			return err
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(readingMemory))
	result, err := terminal.Until(ctx, func() (*imports.Executed, error) {
		return imports.ImportExecuted(ctx, o.kind, o.paths, o.io.In, js, o.zone, o.strict)
	})
	if err != nil {
		return err
	}
	if !o.quiet {
		for _, n := range result.Notes {
			fmt.Fprintln(o.io.Err, "note:", table.Printable(n))
		}
	}
	return files.WriteResult(o.io, o.output, result.Write)
}
