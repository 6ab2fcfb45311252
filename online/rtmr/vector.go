package rtmr

import (
	"slices"

	"downbeat/model"
)

// vector says when each slot of a pool is free, ascending. Vectors are not
// changed once made.
type vector []model.Time

// fill gives n tasks of the given length > 0, one after the other, the slot
// that is free first, but none before ready (the loops of Algorithms II and
// III). It returns when slots are free then, and the end of the last task, ready
// if there is none.
//
// Slots are taken in ascending order, so ends ascend too: the slot that is free
// first is the first that was not taken yet or the first that was, and sorting
// after each task, as the paper does, is not needed.
func (v vector) fill(n int, ready, length model.Time) (vector, model.Time) {
	ends := make([]model.Time, 0, n)
	last, untaken, taken := ready, 0, 0
	for range n {
		var at model.Time
		if untaken < len(v) && (taken == len(ends) || v[untaken] <= ends[taken]) {
			at = v[untaken]
			untaken++
		} else {
			at = ends[taken]
			taken++
		}
		last = max(at, ready) + length
		ends = append(ends, last)
	}
	return merge(v[untaken:], ends[taken:]), last
}

// merge is the sorted union of two sorted lists.
func merge(a, b []model.Time) vector {
	out := make(vector, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// update is Algorithm VI for one kind of slot: v is the vector of the job before
// (T_p), ends are when the tasks of the finished job ended, ascending. Each takes
// the slot that is free first.
func (v vector) update(ends []model.Time) vector {
	u := slices.Clone(v)
	for _, end := range ends {
		at, _ := slices.BinarySearch(u[1:], end)
		copy(u[:at], u[1:at+1])
		u[at] = end
	}
	return u
}
