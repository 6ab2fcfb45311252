// Package longtest tells tests how much they are to do: enough for every change
// by default, all when asked to, and under the race detector only what it can judge.
package longtest

import (
	"os"
	"testing"
)

// Asked reports whether the environment variable DOWNBEAT_LONG asks for all.
func Asked() bool { return os.Getenv("DOWNBEAT_LONG") != "" }

// Sets is how many sets, or whatever else takes its time, a test is to try: few,
// or all if that is asked for.
func Sets[N int | int64 | uint64](few, all N) N {
	if Asked() {
		return all
	}
	return few
}

// Race reports whether the race detector is there. What runs on one goroutine tells it
// nothing, and takes ten times as long.
func Race() bool { return underRace }

// OneGoroutine leaves a test out under the race detector: it starts no goroutines that
// others do not start.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race() {
		t.Skip("on one goroutine: nothing for the race detector")
	}
}
