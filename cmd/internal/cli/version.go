package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"downbeat/cmd/internal/terminal"
	"downbeat/cmd/internal/usage"

	"github.com/spf13/cobra"
)

func newVersionCmd(io *terminal.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program",
		Args:  usage.ExactArgs(),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(io.Out, versionLine())
			return usage.Output(err)
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("downbeat %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is what the Go toolchain stamped on the binary: a release, or the
// commit that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
