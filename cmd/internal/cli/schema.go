package cli

import (
	"github.com/spf13/cobra"

	"downbeat/model"
)

func newSchemaCmd(io *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of job sets, for editors",
		Args:  exactArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.out.Write(model.Schema())
			return outputError(err)
		},
	}
}
