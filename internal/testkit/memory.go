package testkit

import (
	"runtime/debug"
	"testing"
)

// UsualMemory has the garbage collector run as often as it does for users, whatever the environment
// variable GOGC says, until a test has ended that measures how much memory is held.
func UsualMemory(t testing.TB) {
	t.Helper()
	const usual = 100 // percent of what is held may be allocated before it runs again
	before := debug.SetGCPercent(usual)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}
