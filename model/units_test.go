package model

import (
	"math/rand/v2"
	"testing"
)

// Units are handed out as by going over all of them: the first of the slave that is wanted that is free, else the first of those
// that have been free for the least time.
func TestUnits(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		slaves, each := 1+rng.IntN(4), 1+rng.IntN(3)
		u, from := newUnits(slaves, each), make([]Time, slaves*each)
		at := Interval{}
		for range 40 {
			next, wanted := -1, rng.IntN(slaves+1)-1
			for next < 0 {
				for k := range from {
					if from[k] > at.Start {
						continue
					}
					if next < 0 || next/each != wanted && (k/each == wanted || from[k] > from[next]) {
						next = k
					}
				}
				if next < 0 { // all are taken
					at.Start++
				}
			}
			at.End = at.Start + Time(1+rng.IntN(6))
			if got := u.take(at, wanted); got != next/each {
				t.Fatalf("seed %d: slave %d from %d on, of which %d is wanted, not %d", seed, got, at.Start, wanted, next/each)
			}
			from[next] = at.End
			at.Start += Time(rng.IntN(3))
		}
	}
}
