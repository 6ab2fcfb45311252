// Package testkit tells tests how much they are to do: enough for every change
// by default, all when asked to, and under the race detector only what it can judge.
package testkit

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// Asked reports whether the environment variable DOWNBEAT_LONG asks for all.
func Asked() bool { return os.Getenv("DOWNBEAT_LONG") != "" }

// Long leaves a test out unless all is asked for.
func Long(t testing.TB) {
	t.Helper()
	if !Asked() {
		t.Skip("left to DOWNBEAT_LONG=1")
	}
}

// Sets is how many sets, or whatever else takes its time, a test is to try: few,
// or all if that is asked for.
func Sets[N int | int64 | uint64](few, all N) N {
	if Asked() {
		return all
	}
	return few
}

// Tiny is Sets for tiny job sets that are held against exhaustive search, or the number that the
// environment variable DOWNBEAT_TINY asks for.
func Tiny(t testing.TB, few, all uint64) uint64 {
	t.Helper()
	s := os.Getenv("DOWNBEAT_TINY")
	if s == "" {
		return Sets(few, all)
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("DOWNBEAT_TINY: %v", err)
	}
	return n
}

// Seeds are those of n random sets: from 0 on, or from the first that the environment variable
// DOWNBEAT_SEED names, so that a long run can try sets that none has tried before.
func Seeds(t testing.TB, n uint64) iter.Seq[uint64] {
	t.Helper()
	first := uint64(0)
	if s := os.Getenv("DOWNBEAT_SEED"); s != "" {
		var err error
		if first, err = strconv.ParseUint(s, 10, 32); err != nil {
			t.Fatalf("DOWNBEAT_SEED: %v", err)
		}
	}
	return func(yield func(uint64) bool) {
		for k := range n {
			if !yield(first + k) {
				return
			}
		}
	}
}

// SeedGiven reports whether DOWNBEAT_SEED names sets that may be tried for the first time. What
// is true of each is to hold of them; how many of them are settled is known only of those that
// are the same each time.
func SeedGiven() bool { return os.Getenv("DOWNBEAT_SEED") != "" }

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
