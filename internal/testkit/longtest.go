// Package testkit tells tests how much they are to do: a sample by default, a part of all for
// every change, all when asked to, and under the race detector only what it can judge.
package testkit

import (
	"iter"
	"os"
	"strconv"
	"strings"
	"testing"
)

// parts is into how many parts DOWNBEAT_LONG divides what there is, to ask for one of them: 1 asks for
// all, 1/8 for an eighth; 0 without it.
func parts() int64 {
	s := os.Getenv("DOWNBEAT_LONG")
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "1/"), 10, 32)
	if err != nil || n < 1 || n > 1 && !strings.HasPrefix(s, "1/") {
		panic("DOWNBEAT_LONG=" + s + " is neither 1, for all, nor a part of it such as 1/8")
	}
	return n
}

// Asked reports whether the environment variable DOWNBEAT_LONG asks for every test, at full length or at a part of it.
func Asked() bool { return parts() > 0 }

// All reports whether it asks for every test at full length, as .ci/long does.
func All() bool { return parts() == 1 }

// Long leaves a test out unless every test is asked for.
func Long(t testing.TB) {
	t.Helper()
	if !Asked() {
		t.Skip("left to DOWNBEAT_LONG=1")
	}
}

// Sets is how many sets, or whatever else takes its time, a test is to try: few by default, all with
// DOWNBEAT_LONG=1 (.ci/long), and with DOWNBEAT_LONG=1/8 (.ci/run) an eighth of all, but at least few.
func Sets[N int | int64 | uint64](few, all N) N {
	switch n := parts(); n {
	case 0:
		return few
	case 1:
		return all
	default:
		return max(few, all/N(n))
	}
}

// Dear is Sets of what is dear, so that a test would take as long as a hundred others: with DOWNBEAT_LONG=1/8 a sixty-fourth of all.
func Dear[N int | int64 | uint64](few, all N) N {
	return Sets(few, all/N(max(1, parts())))
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
