package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/report"
	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

// viewOptions choose how an answer is printed.
type viewOptions struct {
	io      *terminal.Streams
	format  oneOf
	noColor bool
	// width of the page; 0 means the terminal's. Not all commands have the flag.
	width int
	// quiet leaves notes out. Not all commands have the flag.
	quiet bool
}

func (o *viewOptions) addFlags(cmd *cobra.Command) {
	o.format = oneOf{value: "text", known: []string{"text", "json"}}
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
	if o.format.value == "json" {
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
