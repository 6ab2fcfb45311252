package cli

import (
	"github.com/spf13/cobra"

	"downbeat/cmd/internal/bench/present"
	"downbeat/cmd/internal/options"
)

// figureOptions are how figures of a bench are made.
type figureOptions struct {
	size                   options.FigureSize
	title                  titleFlag
	form, order, intervals options.OneOf
}

// addFlags registers the flags.
func (o *figureOptions) addFlags(cmd *cobra.Command) {
	o.form = options.OneOf{Value: string(present.Auto), Known: []string{string(present.Auto), string(present.One), string(present.Panels)}}
	o.order = options.OneOf{Value: "value", Known: []string{"value", "given"}}
	o.intervals = options.OneOf{Value: "bands", Known: []string{"bands", "bars", "none"}}
	f := cmd.Flags()
	o.size.AddFlag(cmd, "width and height of plots")
	f.Var(&o.title, "figure-title", "title of plots in place of their own; empty for none")
	f.Var(&o.form, "figure-form", "all lines in one picture, or a panel for each; auto takes panels for more than 8")
	f.Var(&o.order, "figure-order", "order of policies in plots: by value, or as they were given")
	f.Var(&o.intervals, "figure-intervals", "how intervals are drawn: as bands, as bars at each point, or not at all")
}

func (o *figureOptions) style() present.Style {
	return present.Style{
		Size: o.size.Size, Title: o.title.text, Untitled: o.title.given && o.title.text == "",
		Form: present.Form(o.form.Value), Given: o.order.Value == "given",
		Bars: o.intervals.Value == "bars", Bare: o.intervals.Value == "none",
	}
}

// titleFlag is a flag with a text that may be empty.
type titleFlag struct {
	text  string
	given bool
}

// Type implements pflag.Value.
func (v *titleFlag) Type() string { return "TEXT" }

// String implements pflag.Value.
func (v *titleFlag) String() string { return v.text }

// Set implements pflag.Value.
func (v *titleFlag) Set(text string) error {
	v.text, v.given = text, true
	return nil
}
