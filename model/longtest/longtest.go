// Package longtest tells tests how much they are to do: enough for every change
// by default, and all when asked to.
package longtest

import "os"

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
