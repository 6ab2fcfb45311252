package encode

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"downbeat/model"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}

func sortedUnique[T cmp.Ordered](s []T) []T {
	slices.Sort(s)
	return slices.Compact(s)
}

// use is the span of time in which a candidate may use a resource, for length
// ticks or more.
type use struct {
	candidate
	span   model.Interval
	length model.Time
}

// sweep calls yield for every maximal span of time with the same users, if
// there are more of them than what the held intervals leave of the capacity.
// Users come in the order given.
func sweep(uses []use, held []model.Interval, capacity int, yield func(span model.Interval, users []candidate, left int)) {
	if len(uses)+len(held) <= capacity {
		return
	}
	var times []model.Time
	for i := range uses {
		times = append(times, uses[i].span.Start, uses[i].span.End)
	}
	taken := map[model.Time]int{} // change in the number held
	for _, iv := range held {
		times = append(times, iv.Start, iv.End)
		taken[iv.Start]++
		taken[iv.End]--
	}
	times = sortedUnique(times)
	byStart := make([]int, len(uses))
	for i := range byStart {
		byStart[i] = i
	}
	sort.SliceStable(byStart, func(a, b int) bool {
		return uses[byStart[a]].span.Start < uses[byStart[b]].span.Start
	})
	var active []int // indexes into uses, ascending
	next, left := 0, capacity
	var users []candidate
	for ti := 0; ti+1 < len(times); ti++ {
		at := times[ti]
		left -= taken[at]
		active = slices.DeleteFunc(active, func(i int) bool { return uses[i].span.End <= at })
		for ; next < len(byStart) && uses[byStart[next]].span.Start == at; next++ {
			i, _ := slices.BinarySearch(active, byStart[next])
			active = slices.Insert(active, i, byStart[next])
		}
		if len(active) <= left {
			continue
		}
		users = users[:0]
		for _, i := range active {
			users = append(users, uses[i].candidate)
		}
		yield(model.Interval{Start: at, End: times[ti+1]}, users, left)
	}
}

// upTo is the number of elements of ascending times that are at most t.
func upTo(times []model.Time, t model.Time) int {
	n, _ := slices.BinarySearch(times, t+1)
	return n
}
