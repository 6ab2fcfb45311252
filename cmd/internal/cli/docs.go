package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"
	"downbeat/cmd/internal/version"
)

func newDocsCmd(io *terminal.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "docs DIR",
		Short: "Write manual pages and shell completions to a folder",
		Long: `Write manual pages of all commands (man1) and help topics (man7), and completions
for bash, zsh, fish and PowerShell (completions), to the folder DIR, which is made
where there is none.`,
		Example: `  downbeat docs ~/.local/share/man`,
		Args:    usage.ExactArgs("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "" {
				return usage.Errorf("docs needs a folder, got an empty name")
			}
			if f, err := os.Stat(args[0]); err == nil && !f.IsDir() {
				return usage.Errorf("%s is a file, not a folder", args[0])
			}
			written, err := writeManual(newRootCmd(io), args[0], version.Time(), version.String())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(io.Out, "%d files in %s: man1, man7 and completions\n", len(written), args[0])
			return usage.Output(err)
		},
	}
}
