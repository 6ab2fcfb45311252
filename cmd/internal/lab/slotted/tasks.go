package slotted

import "slices"

// unlaunched are the tasks of a job that no machine has taken yet.
//
// Tasks are alike but for where their data lie, and that is drawn in order and
// only as far as needed: a machine takes a local task among those drawn, and
// only if there is none are more drawn. Small jobs are drawn at once and searched
// in order; larger ones are drawn in blocks, with an index by machine.
type unlaunched struct {
	where      stream // places of the tasks from drawn on
	size       int32
	drawn      int32
	unpromised int32 // tasks that no machine is promised in this slot or was given before
	left       int32 // tasks not given to a machine, drawn or not

	list []places // of a small job: the tasks left, in order

	// Index of a larger job. A drawn task has an entry for each place of its
	// data (and unused ones up to replicas); the entries of a machine are
	// chained, the newest first.
	heads  []uint32 // by machine: 1 + its first entry, or 0
	next   []uint32 // by entry: 1 + the machine's next one or 0, and the launched mark
	cursor int32    // all tasks before it are launched
}

// search finds local tasks.
type search struct {
	where *placer
	total int        // machines
	small int32      // largest job that is searched rather than indexed
	block int32      // tasks of a larger job that are drawn at a time
	spare [][]uint32 // heads of jobs that are through
}

// launched marks the entries of launched tasks. It lies in the chain because
// looking at one more place in memory is what costs time here.
const launched = 1 << 31

// mostTasks is the largest job whose entries can be numbered beside that mark.
const mostTasks = (launched - 1) / replicas

// takeLocal launches a task that is local on m, if there is one.
func (s *search) takeLocal(t *unlaunched, m uint16) bool {
	if t.size <= s.small {
		return t.searchLocal(s.where, m)
	}
	if t.heads == nil {
		t.heads = s.newHeads()
	}
	for !t.take(m) {
		if t.drawn == t.size {
			return false
		}
		for n := min(s.block, t.size-t.drawn); n > 0; n-- {
			t.add(s.where.draw(&t.where))
		}
	}
	return true
}

// searchLocal is takeLocal for a small job.
func (t *unlaunched) searchLocal(p *placer, m uint16) bool {
	if t.drawn == 0 {
		t.drawn = t.size
		t.list = make([]places, t.size)
		for i := range t.list {
			t.list[i] = p.draw(&t.where)
		}
	}
	for i := range t.list {
		if t.list[i].has(m) {
			t.list = slices.Delete(t.list, i, i+1)
			t.left--
			return true
		}
	}
	return false
}

// takeAny launches the first task left of a job that has no local one: all its
// tasks are drawn, and at least one is left.
func (t *unlaunched) takeAny() {
	if t.heads == nil {
		t.left--
		t.list = t.list[1:]
		return
	}
	for t.next[t.cursor*replicas] >= launched {
		t.cursor++
	}
	t.launch(t.cursor)
}

// newHeads returns an index of no entries, in old memory if there is some.
func (s *search) newHeads() []uint32 {
	n := len(s.spare)
	if n == 0 {
		return make([]uint32, s.total)
	}
	heads := s.spare[n-1]
	s.spare = s.spare[:n-1]
	clear(heads)
	return heads
}

// release gives back the memory of a job whose tasks are all launched.
func (s *search) release(t *unlaunched) {
	if t.heads != nil {
		s.spare = append(s.spare, t.heads)
	}
	*t = unlaunched{}
}

// add appends a drawn task to the index.
func (t *unlaunched) add(p places) {
	entry := len(t.next)
	t.drawn++
	t.next = append(t.next, 0, 0, 0)
	for i, m := range p.at[:p.n] {
		t.next[entry+i] = t.heads[m]
		t.heads[m] = uint32(entry + i + 1)
	}
}

// take launches a task local on m, if one is left among those drawn. Entries of
// tasks that were launched on other machines are dropped on the way.
func (t *unlaunched) take(m uint16) bool {
	for e := t.heads[m]; e > 0; {
		next := t.next[e-1]
		if next < launched {
			t.launch(int32(e-1) / replicas)
			t.heads[m] = next
			return true
		}
		e = next &^ launched
	}
	t.heads[m] = 0
	return false
}

// dropFirst drops the first entry of a machine if its task was launched.
func (t *unlaunched) dropFirst(m uint16) {
	if e := t.heads[m]; e > 0 {
		if next := t.next[e-1]; next >= launched {
			t.heads[m] = next &^ launched
		}
	}
}

// launch marks a task of the index.
func (t *unlaunched) launch(task int32) {
	t.left--
	for i := task * replicas; i < (task+1)*replicas; i++ {
		t.next[i] |= launched
	}
}
