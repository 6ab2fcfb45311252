// Package version tells what the Go toolchain stamped on the program.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// Line is what the program says of itself.
func Line() string {
	return fmt.Sprintf("downbeat %s (%s, %s/%s)\n", String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// String is a release, or the commit that the program was built from.
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unstamped
	}
	return of(info)
}

// unstamped is the version of a binary about which nothing is known.
const unstamped = "(devel)"

// of is the module's version, or else the commit, with a plus where files differed from it.
func of(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != unstamped {
		return v
	}
	commit := setting(info, "vcs.revision")
	switch {
	case commit == "":
		return unstamped
	case setting(info, "vcs.modified") == "true":
		return commit[:min(len(commit), 12)] + "+"
	default:
		return commit[:min(len(commit), 12)]
	}
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Time is that of the commit that the program was built from, now if nothing is known.
func Time() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		if t, err := time.Parse(time.RFC3339, setting(info, "vcs.time")); err == nil {
			return t
		}
	}
	return time.Now()
}
