package queue

import "slices"

// touch begins a draft of a queue from a place on, and gives both.
func (s *Search) touch(k, from int) (q *queue, d *draft) {
	q, d = &s.queues[k], &s.drafts[k]
	d.begin(q, from)
	s.touched = append(s.touched, k)
	return q, d
}

// settle ends a move: queues are what their drafts are if it is kept.
func (s *Search) settle(kept bool) {
	for _, k := range s.touched {
		if kept {
			s.queues[k].adopt(&s.drafts[k])
		}
	}
	s.touched = s.touched[:0]
}

const (
	// shifts are how many moves in a hundred shift a due time between stages, by no more than farthest grains.
	shifts, farthest = 3, 4
	// Of so many moves of a task of a gang one shifts its start.
	ofGang = 4
	// Of two moves one begins at what is late, another with any task of the region.
	half = 2
	// A move that begins at what is late begins up to so many grains after it.
	behind = 10
	// lookEvery is the number of moves between two looks at what is late.
	lookEvery = 256
)

// move tries one, and keeps it if all queues cost no more than most.
func (s *Search) move(most int64) {
	if s.try.moves%lookEvery == 0 {
		if s.ofSum() {
			s.adapt(true)
		}
		s.look()
	}
	if s.rng.IntN(100) < shifts {
		s.shift(most)
		return
	}
	t := s.some()
	if s.p.stages[s.p.of[t]].gang && s.rng.IntN(ofGang) == 0 {
		s.shiftStart(s.p.of[t], most)
		return
	}
	b := s.slaveFor(t)
	if b < 0 {
		return
	}
	to := s.queues[b].around(s.timeFor(t))
	switch a := int(s.on[t]); {
	case s.rng.IntN(s.p.by.moves) >= s.p.by.inserts:
		s.exchange(t, a, b, to, most)
	case a == b:
		s.within(t, a, to, most)
	default:
		s.across(t, a, b, to, most)
	}
}

// look lists the tasks that are late, and when they start.
func (s *Search) look() {
	s.late, s.lateAt = s.late[:0], s.lateAt[:0]
	for k := range s.queues {
		q := &s.queues[k]
		for i, t := range q.list {
			if q.cost[i+1] > q.cost[i] {
				s.late, s.lateAt = append(s.late, t), append(s.lateAt, q.start[i])
			}
		}
	}
}

// some is a task to be moved.
func (s *Search) some() int32 {
	if len(s.late) > 0 && s.rng.IntN(half) > 0 {
		at := s.lateAt[s.rng.IntN(len(s.lateAt))] + s.p.grain*(s.rng.Int32N(s.p.by.ahead+behind)-s.p.by.ahead)
		q := &s.queues[s.rng.IntN(len(s.queues))]
		if k := q.around(at); k < len(q.list) {
			return q.list[k]
		}
	}
	return s.region[s.rng.IntN(len(s.region))]
}

// slaveFor is a slave for a task, -1 if it cannot run there.
func (s *Search) slaveFor(t int32) int {
	if near := s.p.near[t]; s.rng.IntN(s.p.by.afar) > 0 {
		return int(near[s.rng.IntN(len(near))])
	}
	k := s.rng.IntN(len(s.queues))
	if s.p.pairsOf(t)[k].run == 0 {
		return -1
	}
	return k
}

// timeFor is a time in the window of a task.
func (s *Search) timeFor(t int32) int32 {
	st := &s.p.stages[s.p.of[t]]
	return st.ready + s.rng.Int32N(max(1, st.due-st.ready))
}

// within moves a task to another place of its queue.
func (s *Search) within(t int32, a, to int, most int64) {
	i := slices.Index(s.queues[a].list, t)
	if to > i {
		to--
	}
	if to == i {
		return
	}
	q, d := s.touch(a, min(i, to))
	rest := s.cost - q.total()
	d.list = slices.Insert(slices.Delete(d.list, i, i+1), to, t)
	s.keep(s.lay(d, q, change{from: min(i, to), settled: max(i, to) + 1}, most-rest), rest, d)
}

// across moves a task to a place of another queue.
func (s *Search) across(t int32, a, b, to int, most int64) {
	if s.bars(b, t, t) {
		return
	}
	i := slices.Index(s.queues[a].list, t)
	q, d := s.touch(a, i)
	r, e := s.touch(b, to)
	rest := s.cost - q.total() - r.total()
	d.list, e.list = slices.Delete(d.list, i, i+1), slices.Insert(e.list, to, t)
	kept := s.lay(e, r, change{to, to + 1, 1, true}, most-rest-q.cost[i]) &&
		s.lay(d, q, change{from: i, settled: i, by: -1}, most-rest-e.sum)
	if s.keep(kept, rest, d, e); kept {
		s.on[t] = int32(b)
	}
}

// bars reports whether a task may not be on a queue, as another of its stage is there that is to be apart from it, and is not the one that leaves.
func (s *Search) bars(queue int, t, leaves int32) bool {
	st := &s.p.stages[s.p.of[t]]
	for other := int32(st.first); st.apart && other < int32(st.end); other++ {
		if other != t && other != leaves && s.on[other] == int32(queue) {
			return true
		}
	}
	return false
}

// exchange moves a task to where another is, and that to where it was.
func (s *Search) exchange(t int32, a, b, to int, most int64) {
	if to == len(s.queues[b].list) {
		return
	}
	u := s.queues[b].list[to]
	if u == t || s.p.pairsOf(u)[a].run == 0 || a != b && (s.bars(b, t, u) || s.bars(a, u, t)) {
		return
	}
	i := slices.Index(s.queues[a].list, t)
	if a == b {
		q, d := s.touch(a, min(i, to))
		rest := s.cost - q.total()
		d.list[i], d.list[to] = u, t
		s.keep(s.lay(d, q, change{from: min(i, to), settled: max(i, to) + 1}, most-rest), rest, d)
		return
	}
	q, d := s.touch(a, i)
	r, e := s.touch(b, to)
	rest := s.cost - q.total() - r.total()
	d.list[i], e.list[to] = u, t
	kept := s.lay(e, r, change{from: to, settled: to + 1}, most-rest-q.cost[i]) &&
		s.lay(d, q, change{from: i, settled: i + 1}, most-rest-e.sum)
	if s.keep(kept, rest, d, e); kept {
		s.on[t], s.on[u] = int32(b), int32(a)
	}
}

// keep ends a move of some queues, beside which all others cost rest.
func (s *Search) keep(kept bool, rest int64, drafts ...*draft) {
	if kept {
		for _, d := range drafts {
			rest += d.sum
		}
		s.cost = rest
	}
	s.settle(kept)
}

// shift moves the due time of a stage that others wait for, or that pays for it.
func (s *Search) shift(most int64) {
	t := s.region[s.rng.IntN(len(s.region))]
	if len(s.late) > 0 && s.rng.IntN(half) > 0 {
		t = s.late[s.rng.IntN(len(s.late))]
	}
	k := s.p.of[t]
	if st := &s.p.stages[k]; len(st.after) == 0 && (!st.pays || s.rng.IntN(half) > 0) {
		if len(st.before) == 0 {
			return
		}
		k = st.before[s.rng.IntN(len(st.before))]
	}
	st := &s.p.stages[k]
	due := max(st.least, min(st.most, st.due+s.ticks()))
	if due != st.due {
		s.retime(k, due, st.start, most)
	}
}

// shiftStart moves the start of a gang, and with it when it is due, if that is for the search to say.
func (s *Search) shiftStart(k int32, most int64) {
	st := &s.p.stages[k]
	by := s.ticks()
	start, due := st.start+by, st.due
	if len(st.after) > 0 || st.pays {
		due = max(st.least, min(st.most, due+by))
	}
	if start = min(start, due-1); start >= st.ready && start != st.start {
		s.retime(k, due, start, most)
	}
}

// ticks is a number of ticks by chance by which a time is shifted.
func (s *Search) ticks() int32 { return s.p.grain * (s.rng.Int32N(2*farthest+1) - farthest) }

// retime has a stage due, and, of a gang, start, at other times, if all queues cost no more than most with it.
func (s *Search) retime(k, due, start int32, most int64) {
	st := &s.p.stages[k]
	wasDue, wasStart, cost := st.due, st.start, s.cost-st.paid()
	s.p.move(k, due)
	st.start = start
	cost += st.paid()
	for n := range s.queues {
		concerned := func(t int32) bool { return s.p.of[t] == k || slices.Contains(st.after, s.p.of[t]) }
		from := slices.IndexFunc(s.queues[n].list, concerned)
		if from < 0 {
			continue
		}
		q, d := s.touch(n, from)
		s.lay(d, q, change{from: from, settled: s.lastOf(q, concerned) + 1}, mostCost)
		cost += d.sum - q.total()
	}
	if cost > most {
		s.p.move(k, wasDue)
		st.start = wasStart
	} else {
		s.cost = cost
	}
	s.settle(cost <= most)
}

// lastOf is the last place of tasks of which something holds.
func (s *Search) lastOf(q *queue, holds func(int32) bool) int {
	i := len(q.list) - 1
	for !holds(q.list[i]) {
		i--
	}
	return i
}
