package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
)

func newVersionCmd(io *terminal.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  usage.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(io.Out, version.Line())
			return usage.Output(err)
		},
	}
}
