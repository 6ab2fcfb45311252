package cli

import (
	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/model/jobfile"
)

func newSchemaCmd(io *terminal.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of job sets, for editors",
		Args:  usage.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.Out.Write(jobfile.Schema())
			return usage.Output(err)
		},
	}
}
