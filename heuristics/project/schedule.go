package project

import (
	"cmp"
	"slices"

	"downbeat/heuristics"
)

// profile is what is free of resources that are together over time: from each of times on so much, one after the other.
type profile struct {
	times []int32
	free  []int64
	width int
}

func (f *profile) clear(capacity []int64) {
	f.width = len(capacity)
	f.times = append(f.times[:0], 0)
	f.free = append(f.free[:0], capacity...)
}

// at is the last entry that is not after a time ≥ 0.
func (f *profile) at(time int32) int {
	i, found := slices.BinarySearch(f.times, time)
	if !found {
		i--
	}
	return i
}

// fits reports whether there is enough from an entry on.
func (f *profile) fits(i int, needs []need) bool {
	row := f.free[i*f.width : (i+1)*f.width]
	for _, n := range needs {
		if row[n.resource] < n.units {
			return false
		}
	}
	return true
}

// earliest is the first time from ready on from which there is enough for some time, and the entry that it falls into.
func (f *profile) earliest(ready, length int32, needs []need) (start int32, entry int) {
	start, entry = ready, f.at(ready)
	for i := entry; i < len(f.times) && f.times[i] < start+length; i++ {
		if !f.fits(i, needs) {
			entry = i + 1
			start = f.times[entry] // at the end all is free
		}
	}
	return start, entry
}

// take has something held from a time on, which is in an entry or a later one.
func (f *profile) take(entry int, start, length int32, needs []need) {
	first := f.split(f.after(entry, start), start)
	last := f.split(f.after(first, start+length), start+length)
	for i := first; i < last; i++ {
		for _, n := range needs {
			f.free[i*f.width+n.resource] -= n.units
		}
	}
}

// after is the entry that a time falls into, from one on.
func (f *profile) after(entry int, time int32) int {
	for entry+1 < len(f.times) && f.times[entry+1] <= time {
		entry++
	}
	return entry
}

// place has task v hold what it needs from the first time from ready on at which there is enough, which it gives.
func (s *Search) place(v, ready int32) int32 {
	length, holds := s.p.length[v], s.p.holds[v]
	start := ready
	for fit := 0; fit < len(holds); {
		for i := range holds {
			at, entry := s.profiles[holds[i].of].earliest(start, length, holds[i].needs)
			if s.entries[i] = entry; at > start {
				start, fit = at, 0
			}
			if fit++; fit == len(holds) {
				break
			}
		}
	}
	for i := range holds {
		s.profiles[holds[i].of].take(s.entries[i], start, length, holds[i].needs)
	}
	return start
}

// clear has all resources free.
func (s *Search) clear() {
	for i, capacity := range s.p.capacity {
		s.profiles[i].clear(capacity)
	}
}

// split has an entry begin at a time that falls into one, and gives it.
func (f *profile) split(i int, time int32) int {
	if f.times[i] == time {
		return i
	}
	f.times = slices.Insert(f.times, i+1, time)
	f.free = slices.Insert(f.free, (i+1)*f.width, f.free[i*f.width:(i+1)*f.width]...)
	return i + 1
}

// schedule is a list of all tasks, each behind those that it waits for, with their starts and the longest path.
type schedule struct {
	list, start []int32
	length      int32
}

func (a *schedule) set(b *schedule) {
	copy(a.list, b.list)
	copy(a.start, b.start)
	a.length = b.length
}

// forward starts the tasks of a list as early as they can, one after the other (the serial schedule-generation scheme).
func (s *Search) forward(a *schedule) {
	p := s.p
	s.clear()
	a.length = heuristics.Uncounted
	for _, v := range a.list {
		ready := p.Release[v]
		for _, u := range p.Before[v] {
			ready = max(ready, a.start[u]+p.length[u])
		}
		a.start[v] = s.place(v, ready)
		a.length = max(a.length, a.start[v]+p.length[v]+p.Delivery[v])
	}
	s.work += int64(len(a.list))
}

// backward has the tasks of a list, the last one first, end as late as they can, and gives by how much
// the end of all is after the start of each.
func (s *Search) backward(list, after []int32) {
	p := s.p
	s.clear()
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		ready := max(0, p.Delivery[v])
		for _, u := range p.After[v] {
			ready = max(ready, after[u])
		}
		after[v] = s.place(v, ready) + p.length[v]
	}
	s.work += int64(len(list))
}

// justify makes a schedule of a list, and justifies it for as long as it gets shorter.
func (s *Search) justify(a *schedule) {
	s.forward(a)
	for next := s.spare; ; {
		copy(next.list, a.list)
		slices.SortStableFunc(next.list, func(u, v int32) int { return cmp.Compare(a.start[u]+s.p.length[u], a.start[v]+s.p.length[v]) })
		s.backward(next.list, s.after)
		slices.SortStableFunc(next.list, func(u, v int32) int { return cmp.Compare(s.after[v], s.after[u]) })
		s.forward(next)
		shorter := next.length < a.length
		if next.length <= a.length {
			a.set(next)
		}
		if !shorter {
			return
		}
	}
}
