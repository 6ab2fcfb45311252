// Convert has the commands that turn what other programs leave into job sets and
// plans, and job sets and plans into what other programs read: import, export and init.

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/near"
)

// newExportCmd makes the command of all exports.
func newExportCmd(io *terminal.Streams, run func(context.Context, exporter) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export KIND FILE [PLAN]",
		Short: "State a job set, or a plan, in the language of other programs",
		Long: `State the problem of the job set in FILE in the language of other solvers, or the
plan in PLAN (JSON, YAML or CSV) in formats of other programs. What solvers answer
to formulas becomes a plan by downbeat import solution.`,
		Example: `  downbeat export minizinc nightly.yaml -o nightly.mzn
  downbeat export dimacs nightly.yaml --at-most misses=0 -o nightly.cnf
  downbeat export chrome nightly.yaml plan.json -o trace.json
  downbeat export markdown nightly.yaml plan.json`,
		Args: cobra.ArbitraryArgs,
		RunE: exportKind,
	}
	cmd.AddCommand(newExportMiniZincCmd(io, run))
	cmd.AddCommand(newExportFormulaCmds(io, run)...)
	cmd.AddCommand(newExportPlanCmds(io, run)...)
	for _, kind := range cmd.Commands() {
		options.Limited(kind, io)
	}
	return cmd
}

// exportKind tells what is wrong where no known kind is named.
func exportKind(cmd *cobra.Command, args []string) error {
	var kinds []string
	for _, c := range cmd.Commands() {
		kinds = append(kinds, c.Name())
	}
	known := strings.Join(kinds, ", ")
	if len(args) == 0 {
		return usage.Errorf("%s needs KIND and FILE; kinds are %s", cmd.CommandPath(), known)
	}
	suggestion := near.Word(args[0], kinds)
	if _, err := os.Stat(args[0]); suggestion == "" && (err == nil || args[0] == "-" || strings.ContainsAny(args[0], "./")) {
		return usage.Errorf("%s needs KIND before FILE (%s); kinds are %s", cmd.CommandPath(), args[0], known)
	}
	return usage.Errorf("unknown kind %q%s", args[0], usage.Hint(suggestion, "kinds are "+known))
}

// exporter is an export with its flags and arguments.
type exporter interface {
	// check tells what cannot work before anything is read.
	check(cmd *cobra.Command) error
	run(ctx context.Context) error
}

func runExport(ctx context.Context, e exporter) error { return e.run(ctx) }

// exported is what all exports have in common.
type exported struct {
	io           *terminal.Streams
	file, output string
}

func (o *exported) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output, which - stands for")
}

// noteLeaving tells that plans may leave out jobs, which neither models nor formulas say.
func (o *exported) noteLeaving(js *model.JobSet) {
	var jobs []model.JobID
	for i, may := range js.Leavable() {
		if may && js.Jobs[i].Kind != model.Hard {
			jobs = append(jobs, model.JobID(i))
		}
	}
	if len(jobs) > 0 {
		names := table.Printable(wording.Listed(wording.NamesOfJobs(js, jobs), "and"))
		fmt.Fprintf(o.io.Err, "note: %s: plans may leave out %s; what is written has all jobs run, and if they cannot no solution\n", o.file, names)
	}
}

// checkTarget tells that a file of a flag cannot be written.
func (o *exported) checkTarget(cmd *cobra.Command, flag, path string, inputs ...string) error {
	return checkTarget(cmd, o.io, flag, path, inputs...)
}

// checkTarget tells that the file of a flag, which may be standard output for --output, cannot be written
// beside these inputs.
func checkTarget(cmd *cobra.Command, io *terminal.Streams, flag, path string, inputs ...string) error {
	if path == "" {
		if cmd.Flags().Changed(flag) {
			return usage.Errorf("--%s needs a file name, got an empty one", flag)
		}
		return nil
	}
	if flag == "output" && files.ToStandard(path) {
		return nil
	}
	for _, input := range inputs {
		if err := files.CheckTarget(io, path, input); err != nil {
			return err
		}
	}
	return nil
}

// write hands the text to the file of -o or to standard output.
func (o *exported) write(write func(io.Writer) error) error {
	return files.WriteResult(o.io, o.output, write)
}

// exportRun is what a command of a kind runs; the arguments are already in e.
func exportRun(cmd *cobra.Command, e exporter, run func(context.Context, exporter) error) error {
	if err := e.check(cmd); err != nil {
		return err
	}
	return run(cmd.Context(), e)
}
