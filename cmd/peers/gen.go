package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/usage"
)

// newGenCmd writes the sets of families.
func newGenCmd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "gen family:NAME:SEEDS...",
		Short: "Write generated job sets to a folder",
		Long: `Write the job sets of families to a folder, a file each, and print the names of the files. Large ones
are scale-10000 and so on, scale-shared-10000 with pools, caps and gangs, and scale-overloaded-10000
with a pool that is too small for all jobs to be in time.`,
		Example: `  peers gen -o sets family:scale-10000:1 family:scale-shared-10000:1
  peers budget sets`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usage.Errorf("gen needs a folder, with -o")
			}
			sets, _, err := load(args, dir)
			for i := range sets {
				fmt.Fprintln(cmd.OutOrStdout(), sets[i].File)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "folder for the sets")
	return cmd
}
