package version

import (
	"runtime/debug"
	"testing"
)

// A binary is called by its release, else by its commit.
func TestVersionOf(t *testing.T) {
	info := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "0123456789abcdef0123"}
	for want, build := range map[string]*debug.BuildInfo{
		"v1.2.3":        info("v1.2.3", commit),
		"0123456789ab":  info("(devel)", commit),
		"0123456789ab+": info("", commit, debug.BuildSetting{Key: "vcs.modified", Value: "true"}),
		"(devel)":       info("(devel)"),
	} {
		if got := of(build); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
