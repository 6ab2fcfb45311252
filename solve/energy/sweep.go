package energy

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"downbeat/model"
)

// group is a number of equal items of one unit.
type group struct {
	item
	count int64
}

// sweeper finds the interval in which a set of groups exceeds a supply most.
type sweeper struct {
	groups  []group // by lastStart
	rate    int64   // of the supply before the first change
	last    int64   // after the last one
	changes []change
	// starts and ends of ramps for one left end, packed by pack.
	starts, ends []int64
	// shift is the number of low bits that counts have lost.
	shift uint
}

// countBits leaves room for a million units beside the time.
const countBits = 20

func (s *sweeper) pack(t model.Time, count int64) int64 {
	return int64(t)<<countBits | count>>(s.shift&63)
}
func (s *sweeper) unpack(p int64) (t model.Time, count int64) {
	return model.Time(p >> countBits), p & (1<<countBits - 1) << (s.shift & 63)
}
func byLastStart(a, b group) int          { return cmp.Compare(a.lastStart, b.lastStart) }
func (s *sweeper) steps(leftEnds int) int { return leftEnds * (len(s.groups) + len(s.changes)/4 + 1) }

// newSweeper takes over groups and changes, after which the supply is as before them. Where a group counts more than a million,
// all counts are rounded down, which loses arguments and makes none.
func newSweeper(groups []group, rate int64, changes []change) *sweeper {
	most := int64(0)
	for i := range groups {
		most = max(most, groups[i].count)
	}
	s := &sweeper{groups: groups, rate: rate, last: rate, changes: changes, shift: uint(max(0, bits.Len64(uint64(most))-countBits))}
	for i := range groups {
		groups[i].count = groups[i].count >> s.shift << s.shift
	}
	slices.SortFunc(groups, byLastStart)
	return s
}

// mirrored is the same problem with time running backwards: what ended at
// firstEnd or later starts at −firstEnd or earlier.
func (s *sweeper) mirrored() *sweeper {
	groups := make([]group, len(s.groups))
	for i, l := range s.groups {
		groups[i] = group{item{l.length, -l.lastStart, -l.firstEnd}, l.count}
	}
	changes := make([]change, len(s.changes))
	for i, c := range s.changes {
		changes[len(changes)-1-i] = change{-c.at, -c.delta}
	}
	m := newSweeper(groups, s.last, changes)
	m.last = s.rate
	return m
}

// most is the interval with the largest overload of need over supply, within
// about limit steps. The overload as a function of both ends is piecewise linear, and
// every one of its local maxima has its left end at the first start or last
// start of an item, or its right end at a first or last end: a second sweep
// over mirrored time finds the latter. Where ctx ends it is that of those tried.
func (s *sweeper) most(ctx context.Context, limit int) (iv model.Interval, overload int64) {
	iv, overload = s.fromLeftEnds(ctx, limit/2)
	back, more := s.mirrored().fromLeftEnds(ctx, limit/2)
	if more > overload {
		return model.Interval{Start: -back.End, End: -back.Start}, more
	}
	return iv, overload
}

// isWhole reports whether most tries all intervals within limit.
func (s *sweeper) isWhole(limit int) bool {
	return s.shift == 0 && s.steps(2*len(s.groups)+len(s.changes)) < limit/2
}

// fromLeftEnds tries the starts of items in first and last position, thinned
// evenly if that would take more than limit steps, with all right ends, until ctx ends.
func (s *sweeper) fromLeftEnds(ctx context.Context, limit int) (best model.Interval, overload int64) {
	lefts := make([]model.Time, 0, 2*len(s.groups)+len(s.changes))
	for _, l := range s.groups {
		lefts = append(lefts, l.firstEnd-l.length, l.lastStart)
	}
	for _, c := range s.changes {
		if c.delta < 0 {
			lefts = append(lefts, c.at)
		}
	}
	slices.Sort(lefts)
	lefts = slices.Compact(lefts)
	stride := 1 + s.steps(len(lefts))/max(1, limit)
	rate, passed := s.rate, 0
	for i := 0; i < len(lefts) && ctx.Err() == nil; i += stride {
		a := lefts[i]
		for ; passed < len(s.changes) && s.changes[passed].at <= a; passed++ {
			rate += s.changes[passed].delta
		}
		if b, e := s.rightEnd(a, rate, s.changes[passed:]); e > overload {
			best, overload = model.Interval{Start: a, End: b}, e
		}
	}
	return best, overload
}

// rightEnd finds the b for which the overload in [a, b) is largest. rate is the
// supply at a, changes are those after a.
func (s *sweeper) rightEnd(a model.Time, rate int64, changes []change) (b model.Time, overload int64) {
	slope := -rate
	s.starts, s.ends = s.starts[:0], s.ends[:0]
	for i := range s.groups {
		l := &s.groups[i]
		height := min(l.length, l.firstEnd-a)
		if height <= 0 {
			continue
		}
		if l.lastStart <= a {
			slope += l.count
			s.ends = append(s.ends, s.pack(a+height, l.count))
		} else {
			s.starts = append(s.starts, s.pack(l.lastStart, l.count))
			s.ends = append(s.ends, s.pack(l.lastStart+height, l.count))
		}
	}
	slices.Sort(s.ends)
	starts, now, value := s.starts, a, int64(0)
	for _, p := range s.ends {
		end, count := s.unpack(p)
		for now < end {
			// The next bend: a ramp starts, the supply changes, or this ramp ends.
			next, bend := end, int64(0)
			if len(starts) > 0 {
				if t, n := s.unpack(starts[0]); t < next {
					next, bend = t, n
				}
			}
			if len(changes) > 0 && changes[0].at < next {
				next, bend = changes[0].at, -changes[0].delta
				changes = changes[1:]
			} else if next < end {
				starts = starts[1:]
			}
			value += slope * int64(next-now)
			now = next
			slope += bend
			if value > overload {
				b, overload = now, value
			}
		}
		slope -= count
	}
	return b, overload
}
