package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/options"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/runlog"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/near"
)

// logOptions are the flags and arguments of downbeat log.
type logOptions struct {
	io        *terminal.Streams
	file      string
	objective string
	logTime   bool
	plots     options.Plots
}

func newLogCmd(io *terminal.Streams, run func(context.Context, *logOptions) error) *cobra.Command {
	o := &logOptions{io: io}
	cmd := &cobra.Command{
		Use:   "log LOG",
		Short: "Tell how value and bound went in a run, from its log",
		Long: `Tell from LOG, which plan --log json wrote (- for standard input), when there were
better plans and bounds, and why the search ended; with --plot as an anytime curve.
Of several runs in a log the last one counts.`,
		Example: `  downbeat plan nightly.yaml --log json 2> run.jsonl
  downbeat log run.jsonl --plot run.svg`,
		Args: usage.ExactArgs("LOG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			if err := o.plots.Check(io, o.file); err != nil {
				return err
			}
			return run(cmd.Context(), o)
		},
	}
	o.plots.AddFlag(cmd, "draw the curve")
	cmd.Flags().StringVar(&o.objective, "objective", "", "the objective to draw, the first one if none is named")
	cmd.Flags().BoolVar(&o.logTime, "log-time", false, "draw time on a logarithmic axis: most is learnt at the beginning")
	return cmd
}

func runLog(ctx context.Context, o *logOptions) error {
	lines, err := files.Stream(ctx, o.io, o.file, func(_ context.Context, name string, r io.Reader) ([]runlog.Line, error) { return runlog.Read(name, r) })
	if err != nil {
		return err
	}
	c := runlog.CourseOf(lines)
	if err := usage.Output(c.Write(o.io.Out)); err != nil {
		return err
	}
	return o.draw(c)
}

// draw writes the plots.
func (o *logOptions) draw(c *runlog.Course) error {
	if len(o.plots) == 0 {
		if o.logTime {
			return usage.Errorf("--log-time is about the curve that --plot draws")
		}
		return nil
	}
	switch {
	case len(c.Names) == 0:
		return usage.Errorf("%s: the log has no plan with objectives, so there is no curve", o.file)
	case o.objective == "":
		o.objective = c.Names[0]
	case !slices.Contains(c.Names, o.objective):
		return usage.Errorf("--objective: the log has no %q%s", o.objective, usage.Hint(near.Word(o.objective, c.Names), "it has "+strings.Join(c.Names, ", ")))
	}
	if c.Start != nil {
		note := func(format string, args ...any) { fmt.Fprintf(o.io.Err, "note: "+format+"\n", args...) }
		o.plots.Tell(note, table.Printable(c.Start.JobSet))
	}
	for _, path := range o.plots {
		if err := files.Write(path, func(w io.Writer) error { return c.Chart(o.objective, o.logTime).Draw(w, options.Extension(path)) }); err != nil {
			return err
		}
	}
	return nil
}
