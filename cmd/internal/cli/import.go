package cli

import (
	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
)

func newImportCmd(io *terminal.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import KIND FILE...",
		Short: "Take over what other programs leave behind",
		Args:  cobra.ArbitraryArgs,
		RunE:  usage.Group,
	}
	cmd.AddCommand(newImportSolutionCmd(io, runImportSolution))
	return cmd
}
