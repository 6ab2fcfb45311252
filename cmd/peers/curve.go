package main

import (
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/files"
	"downbeat/cmd/internal/lab/peers"
	"downbeat/cmd/internal/usage"
)

// newCurveCmd tabulates and draws the share of sets settled against their size.
func newCurveCmd() *cobra.Command {
	var by []time.Duration
	var picture string
	cmd := &cobra.Command{
		Use:   "curve RUNS.csv...",
		Short: "Tabulate and draw the share of job sets settled against their size",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage.Errorf("name files that were written with --csv")
			}
			c, err := peers.ReadCurve(args...)
			if err != nil {
				return err
			}
			if err := c.Table(cmd.OutOrStdout(), by); err != nil || picture == "" {
				return err
			}
			return files.Write(picture, func(w io.Writer) error {
				return c.Draw(w, strings.TrimPrefix(filepath.Ext(picture), "."), by)
			})
		},
	}
	cmd.Flags().DurationSliceVar(&by, "by", []time.Duration{time.Minute}, "times that a set has to be settled by, each at most the limit of the runs")
	cmd.Flags().StringVarP(&picture, "output", "o", "", "draw the curves to this file: .svg or .png")
	return cmd
}
