// Order puts items behind those that come before them, and finds those that
// wait for each other.

package model

import "slices"

// Topological orders n items so that each stands behind those before it; among
// items that are free to stand next the lowest comes first wherever the numbers
// are such an order. It is nil if items wait for each other.
func Topological[T ~int32](n int, before func(T) []T) []T {
	order, done := make([]T, 0, n), make([]bool, n)
	var visit func(T, int) bool
	visit = func(i T, depth int) bool {
		if done[i] {
			return true
		}
		if depth > n {
			return false
		}
		for _, k := range before(i) {
			if !visit(k, depth+1) {
				return false
			}
		}
		done[i] = true
		order = append(order, i)
		return true
	}
	for i := range T(n) {
		if !visit(i, 0) {
			return nil
		}
	}
	return order
}

// FindCycle is a list of items, each of which comes before the next and the last before
// the first; nil if there is none. What comes before an item is asked by its number,
// from 0 to n-1.
func FindCycle[T ~int32](n int, before func(T) []T) []T {
	const open, closed = 1, 2
	state := make([]uint8, n)
	var path []T
	var visit func(T) []T
	visit = func(i T) []T {
		state[i] = open
		path = append(path, i)
		for _, k := range before(i) {
			switch state[k] {
			case open:
				cycle := slices.Clone(path[slices.Index(path, k):])
				slices.Reverse(cycle)
				return cycle
			case closed:
				continue
			}
			if cycle := visit(k); cycle != nil {
				return cycle
			}
		}
		path = path[:len(path)-1]
		state[i] = closed
		return nil
	}
	for i := range T(n) {
		if state[i] == 0 {
			if cycle := visit(i); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}
