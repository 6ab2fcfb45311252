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
	if !ok {
		return unstamped
	}
	return versionOf(info)
}

// unstamped is the version of a binary about which nothing is known.
const unstamped = "(devel)"

// versionOf is the module's version, or else the commit, with a plus where files differed
// from it.
func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != unstamped {
		return v
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	commit := set["vcs.revision"]
	switch {
	case commit == "":
		return unstamped
	case set["vcs.modified"] == "true":
		return commit[:min(len(commit), 12)] + "+"
	default:
		return commit[:min(len(commit), 12)]
	}
}
