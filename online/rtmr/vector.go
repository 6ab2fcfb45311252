package rtmr

import (
	"slices"

	"downbeat/model"
)

// vector says when each slot of a pool is free: times ascending, each once, with
// the number of slots that are free from then on. It has as many entries as there
// are such times, far fewer than slots on a large cluster. Vectors are not changed
// once made.
type vector []moment

// moment is a number of slots that are free from the same time on.
type moment struct {
	at    model.Time
	slots int
}

// uniform is a pool of n slots that are all free at 0.
func uniform(n int) vector { return vector{}.add(0, n) }

// add appends slots that are free last. v is not used any more.
func (v vector) add(at model.Time, slots int) vector {
	switch last := len(v) - 1; {
	case slots == 0:
		return v
	case last >= 0 && v[last].at == at:
		v[last].slots += slots
		return v
	default:
		return append(v, moment{at, slots})
	}
}

// fill gives n tasks of the given length > 0, one after the other, the slot
// that is free first, but none before ready (the loops of Algorithms II and
// III). It returns when slots are free then, and the end of the last task, ready
// if there is none.
//
// Slots are taken in ascending order, so ends ascend too: the slot that is free
// first is the first that was not taken yet or the first that was, and sorting
// after each task, as the paper does, is not needed. Slots that are free at the
// same time are taken together, as the ends to come lie after that time.
func (v vector) fill(n int, ready, length model.Time) (vector, model.Time) {
	untaken, taken, last := slices.Clone(v), vector{}, ready
	for n > 0 {
		from := &untaken
		if len(untaken) == 0 || len(taken) > 0 && taken[0].at < untaken[0].at {
			from = &taken
		}
		first := (*from)[0]
		slots := min(n, first.slots)
		n -= slots
		last = max(first.at, ready) + length
		*from = from.drop(slots)
		taken = taken.add(last, slots)
	}
	return merge(untaken, taken), last
}

// merge is all slots of two vectors.
func merge(a, b vector) vector {
	out := make(vector, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].at <= b[0].at {
			out, a = out.add(a[0].at, a[0].slots), a[1:]
		} else {
			out, b = out.add(b[0].at, b[0].slots), b[1:]
		}
	}
	for _, rest := range [...]vector{a, b} {
		for _, m := range rest {
			out = out.add(m.at, m.slots)
		}
	}
	return out
}

// earlier takes the lower of both times slot by slot.
func (v vector) earlier(other vector) vector {
	low, a, b := vector{}, slices.Clone(v), slices.Clone(other)
	for len(a) > 0 {
		slots := min(a[0].slots, b[0].slots)
		low = low.add(min(a[0].at, b[0].at), slots)
		a, b = a.drop(slots), b.drop(slots)
	}
	return low
}

// drop takes slots off the first moment, which has as many. v is not used any more.
func (v vector) drop(slots int) vector {
	if v[0].slots -= slots; v[0].slots == 0 {
		return v[1:]
	}
	return v
}

// update is Algorithm VI for one kind of slot: v is the vector of the job before
// (T_p), ends are when the tasks of the finished job ended, ascending. Each takes
// the slot that is free first.
func (v vector) update(ends []model.Time) vector {
	u := slices.Clone(v)
	for _, end := range ends {
		u = u.drop(1)
		at, found := slices.BinarySearchFunc(u, end, func(m moment, t model.Time) int { return int(m.at - t) })
		if found {
			u[at].slots++
		} else {
			u = slices.Insert(u, at, moment{end, 1})
		}
	}
	return u
}
