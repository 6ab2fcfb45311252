package options

import (
	"github.com/spf13/cobra"

	"downbeat/cmd/internal/chart"
)

// figureSize is the name of the flag with the size of pictures, --width being that of text.
const figureSize = "figure-size"

// FigureSize is the size of pictures, zero for what suits them.
type FigureSize struct {
	chart.Size
	text string
}

// AddFlag registers the flag, with what it is the size of.
func (v *FigureSize) AddFlag(cmd *cobra.Command, what string) {
	cmd.Flags().Var(v, figureSize, what+", such as 1600x900px or 8.8x6cm, or one of the two: 1600px, x900px; also mm, in and pt")
}

func (v *FigureSize) given() bool { return v.text != "" }

// Type implements pflag.Value.
func (v *FigureSize) Type() string { return "WIDTHxHEIGHT" }

// String implements pflag.Value.
func (v *FigureSize) String() string { return v.text }

// Set implements pflag.Value.
func (v *FigureSize) Set(text string) (err error) {
	v.Size, err = chart.ParseSize(text)
	v.text = text
	return err
}
