package project

import (
	"slices"

	"downbeat/heuristics"
)

// profile is what is free of resources that are together over time: from each of times on so much, a row of words after the other.
type profile struct {
	*together
	times []int32
	free  []uint64
}

// clear has all free that there is.
func (f *profile) clear() {
	f.times = append(f.times[:0], f.together.times...)
	f.free = append(f.free[:0], f.together.free...)
}

// clearBackward has all free that there is before an end, with time going back from there; before time 0 that is the most that there ever is.
func (f *profile) clearBackward(end int32) {
	all := f.together
	if len(all.times) == 1 {
		f.clear()
		return
	}
	f.times, f.free = f.times[:0], f.free[:0]
	width, until := len(all.capacity), max(0, end)
	for i := len(all.times) - 1; i >= 0; i-- {
		if from := all.times[i]; from < until {
			f.times = append(f.times, end-until)
			f.free = append(f.free, all.free[i*width:(i+1)*width]...)
			until = from
		}
	}
	f.times = append(f.times, max(0, end))
	f.free = append(f.free, all.capacity...)
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
func (f *profile) fits(i int, needs []uint64) bool {
	row := f.free[i*len(f.capacity):]
	for k, n := range needs {
		if (row[k]-n)&f.guards[k] != f.guards[k] {
			return false
		}
	}
	return true
}

// earliest is the first time from ready on from which there is enough for some time, and the entry that it falls into.
func (f *profile) earliest(ready, length int32, needs []uint64) (start int32, entry int) {
	start, entry = ready, f.at(ready)
	if len(f.guards) == 1 && len(needs) == 1 {
		return f.earliestOfWord(entry, start, length, needs[0])
	}
	for i := entry; i < len(f.times) && f.times[i] < start+length; i++ {
		if !f.fits(i, needs) {
			entry = i + 1
			start = f.times[entry] // at the end all is free
		}
	}
	return start, entry
}

// earliestOfWord is that where one word has all resources, as it mostly does: a placement takes a tenth less by it.
func (f *profile) earliestOfWord(entry int, start, length int32, need uint64) (int32, int) {
	times, guards := f.times, f.guards[0]
	free := f.free[:len(times)]
	for i := entry; i < len(times) && times[i] < start+length; i++ {
		if (free[i]-need)&guards != guards {
			entry = i + 1
			start = times[entry] // at the end all is free
		}
	}
	return start, entry
}

// take has something held from a time on, which is in an entry or a later one.
func (f *profile) take(entry int, start, length int32, needs []uint64) {
	first := f.split(f.after(entry, start), start)
	last := f.split(f.after(first, start+length), start+length)
	for i := first; i < last; i++ {
		row := f.free[i*len(f.capacity):]
		for k, n := range needs {
			row[k] -= n
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

// split has an entry begin at a time that falls into one, and gives it.
func (f *profile) split(i int, time int32) int {
	if f.times[i] == time {
		return i
	}
	f.times = slices.Insert(f.times, i+1, time)
	width := len(f.capacity)
	f.free = slices.Insert(f.free, (i+1)*width, f.free[i*width:(i+1)*width]...)
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
	for i := range s.profiles {
		s.profiles[i].clear()
	}
	a.length = heuristics.Uncounted
	for _, v := range a.list {
		ready := p.Release[v]
		for _, u := range p.Before[v] {
			ready = max(ready, a.start[u]+p.length[u])
		}
		a.start[v] = s.place(v, ready)
		a.length = max(a.length, a.start[v]+p.length[v]+p.Delivery[v])
	}
	s.work += p.placements
}

// backward has the tasks of a list, the last one first, end as late as they can where all end by a time, and gives by how much
// that is after the start of each.
func (s *Search) backward(list, after []int32, end int32) {
	p := s.p
	for i := range s.profiles {
		s.profiles[i].clearBackward(end)
	}
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		ready := max(0, p.Delivery[v])
		for _, u := range p.After[v] {
			ready = max(ready, after[u])
		}
		after[v] = s.place(v, ready) + p.length[v]
	}
	s.work += p.placements
}

// sort puts a list into the order of times, equal ones as they are: a radix sort by eight bits after the other.
func (s *Search) sort(list []int32) {
	latest := slices.Max(s.times)
	for shift := 0; latest>>shift > 0; shift += 8 {
		var first [256]int32 // how many come before those of each digit
		for _, time := range s.times {
			first[time>>shift&255]++
		}
		n := int32(0)
		for digit, count := range first {
			first[digit] = n
			n += count
		}
		for _, v := range list {
			place := &first[s.times[v]>>shift&255]
			s.sorted[*place] = v
			*place++
		}
		copy(list, s.sorted)
	}
}

// justify makes a schedule of a list, and justifies it for as long as it gets shorter.
func (s *Search) justify(a *schedule) {
	s.forward(a)
	for next := s.spare; ; {
		copy(next.list, a.list)
		for v, start := range a.start {
			s.times[v] = start + s.p.length[v]
		}
		s.sort(next.list)
		s.backward(next.list, s.after, a.length)
		latest := slices.Max(s.after)
		for v, after := range s.after {
			s.times[v] = latest - after
		}
		s.sort(next.list)
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
