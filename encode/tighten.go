package encode

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// Windows look at each job alone. Where tasks are bound to slaves with one core,
// what stands there together narrows them further, before any variable is made:
//
//   - Edge finding (Carlier and Pinson 1989; here as Vilím 2004 puts it): if
//     tasks Θ and t cannot all end by the last end of Θ, t comes after all of Θ.
//   - Detectable precedences (Vilím 2004): so it does after every task that
//     has to start before t can have ended.
//   - Shaving (Martin and Shmoys 1996): if a task cannot start in the first k
//     ticks of its window by these rules, it starts later; likewise at the end.
//
// Every plan that the question asks for keeps to what is deduced, so nothing is
// lost. Values of the makespan that are far from the least are refuted in this
// way, without a formula.

// shop is the part of a question that is a job shop: the tasks that must run
// and have one slave left.
type shop struct {
	js     *model.JobSet
	nodes  []node
	stages []shopStage
	// users are, per slave with one core, the indexes of its nodes.
	users [][]int32
	// stale marks slaves with a window that changed since they were looked at.
	stale []bool
	// steps are left.
	steps int
	// byStart and starts are scratch space of push.
	byStart []int32
	starts  []model.Time
	saved   []node
}

// node is a task: it starts from first to last, at the earliest transfer after
// its assignment, and runs for wcet.
type node struct {
	task           model.TaskID
	slave          model.SlaveID
	transfer, wcet model.Time
	first, last    model.Time
}

func (n *node) firstEnd() model.Time { return n.first + n.wcet }
func (n *node) lastEnd() model.Time  { return n.last + n.wcet }

// shopStage is the range of nodes of one stage; follows tells that the stage
// listed before is the one before.
type shopStage struct {
	from, to int
	follows  bool
}

const (
	// shopSteps bounds the work on one question, some 0.3 s.
	shopSteps = 60_000_000
	// mostUsers is the number of tasks above which a slave is left alone: a
	// look at it takes up to the third power.
	mostUsers = 100
)

// tighten narrows the windows of tasks that are bound to slaves; false means
// that the question is refuted. Parts of plans are small and not worth it.
func (l *layout) tighten() bool {
	if l.JS.FIFO || l.Restrict != nil || l.Fixed != nil {
		return true
	}
	s := l.shop()
	if !slices.Contains(s.stale, true) {
		return true
	}
	if !s.propagate() || !s.shave() {
		return false
	}
	for i := range s.nodes {
		l.setWindow(&s.nodes[i])
	}
	return true
}

// setWindow gives a task the window of its node.
func (l *layout) setWindow(n *node) {
	lay := &l.tasks[n.task]
	sl := &lay.slaves[0]
	if sl.tied {
		_, at := l.JS.BeatAtOrBefore(n.slave, n.first-n.transfer)
		sl.firstFetch = max(sl.firstFetch, at)
	}
	sl.lastStart = n.last
	lay.start = bounds{sl.firstStart(), sl.lastStart}
	lay.fetch = bounds{sl.firstFetch, sl.lastFetch()}
}

// shop collects the tasks that must run and have one slave left. Slaves on
// which two of them may meet are stale.
func (l *layout) shop() *shop {
	s := &shop{
		js: l.JS, steps: shopSteps,
		users: make([][]int32, len(l.JS.Slaves)), stale: make([]bool, len(l.JS.Slaves)),
	}
	for i := range l.JS.Jobs {
		if l.Role[i] == query.Must {
			s.addJob(l, &l.JS.Jobs[i])
		}
	}
	for id, users := range s.users {
		if len(users) > mostUsers {
			s.users[id] = nil
		}
		s.stale[id] = len(s.users[id]) > 1
	}
	return s
}

func (s *shop) addJob(l *layout, job *model.Job) {
	for si := range job.Stages {
		from := len(s.nodes)
		for t := job.Stages[si].First; t < job.Stages[si].End; t++ {
			if len(l.tasks[t].slaves) != 1 {
				continue
			}
			sl := &l.tasks[t].slaves[0]
			if l.JS.Slaves[sl.slave].Cores == 1 {
				s.users[sl.slave] = append(s.users[sl.slave], int32(len(s.nodes)))
			}
			s.nodes = append(s.nodes, node{
				task: t, slave: sl.slave, transfer: sl.transfer, wcet: sl.wcet,
				first: sl.firstStart(), last: sl.lastStart,
			})
		}
		s.stages = append(s.stages, shopStage{from, len(s.nodes), si > 0})
	}
}

// propagate narrows windows until nothing changes or no steps are left; false
// means that a task has none left.
func (s *shop) propagate() bool {
	for s.steps > 0 {
		if !s.forward() || !s.backward() {
			return false
		}
		id := slices.Index(s.stale, true)
		if id < 0 {
			break
		}
		for ; id < len(s.stale); id++ {
			if s.stale[id] && !s.disjoin(id) {
				return false
			}
		}
	}
	return true
}

// forward lets no task be handed out before the stage before has ended.
func (s *shop) forward() bool {
	s.steps -= 2 * len(s.nodes)
	ready := model.Time(0)
	for _, st := range s.stages {
		if !st.follows {
			ready = 0
		}
		end := model.Time(0)
		for i := st.from; i < st.to; i++ {
			n := &s.nodes[i]
			if ready+n.transfer > n.first {
				_, at := s.js.BeatAtOrAfter(n.slave, ready)
				s.setFirst(n, at+n.transfer)
			}
			if n.first > n.last {
				return false
			}
			end = max(end, n.firstEnd())
		}
		ready = end
	}
	return true
}

// backward lets every task end before the last assignment of the stage after.
func (s *shop) backward() bool {
	limit := model.Never
	for k := len(s.stages) - 1; k >= 0; k-- {
		st := s.stages[k]
		assign := model.Never
		for i := st.from; i < st.to; i++ {
			n := &s.nodes[i]
			s.setLast(n, limit-n.wcet)
			if n.first > n.last {
				return false
			}
			_, at := s.js.BeatAtOrBefore(n.slave, n.last-n.transfer)
			assign = min(assign, at)
		}
		limit = assign
		if !st.follows {
			limit = model.Never
		}
	}
	return true
}

func (s *shop) setFirst(n *node, at model.Time) {
	if at > n.first {
		n.first = at
		s.stale[n.slave] = len(s.users[n.slave]) > 1
	}
}

func (s *shop) setLast(n *node, at model.Time) {
	if at < n.last {
		n.last = at
		s.stale[n.slave] = len(s.users[n.slave]) > 1
	}
}

// disjoin narrows the windows on one slave from both sides.
func (s *shop) disjoin(id int) bool {
	users := s.users[id]
	ok := s.push(users)
	s.mirror(users)
	ok = ok && s.push(users)
	s.mirror(users)
	s.stale[id] = false
	return ok
}

// mirror turns the time of some nodes around, so that rules for first starts
// speak of last ends.
func (s *shop) mirror(users []int32) {
	for _, i := range users {
		n := &s.nodes[i]
		n.first, n.last = -n.lastEnd(), -n.firstEnd()
	}
}

// push raises first starts by edge finding and detectable precedences; false if
// some tasks do not fit between their first start and their last end.
func (s *shop) push(users []int32) bool {
	s.byStart = append(s.byStart[:0], users...)
	slices.SortFunc(s.byStart, func(a, b int32) int { return cmp.Compare(s.nodes[a].first, s.nodes[b].first) })
	s.starts = s.starts[:0]
	for _, i := range s.byStart {
		n := &s.nodes[i]
		s.starts = append(s.starts, s.endOf(func(m *node) bool { return m != n && n.firstEnd() > m.last }))
	}
	for _, b := range s.byStart {
		last := s.nodes[b].lastEnd()
		end := s.endOf(func(m *node) bool { return m.lastEnd() <= last })
		if end > last {
			return false
		}
		for k, i := range s.byStart {
			n := &s.nodes[i]
			if n.lastEnd() <= last || s.starts[k] >= end || n.first >= end {
				continue
			}
			if s.endOf(func(m *node) bool { return m == n || m.lastEnd() <= last }) > last {
				s.starts[k] = end
			}
		}
	}
	for k, i := range s.byStart {
		if n := &s.nodes[i]; s.starts[k] > n.first {
			n.first = s.starts[k]
			if n.first > n.last {
				return false
			}
		}
	}
	return true
}

// endOf is the earliest end of some tasks of byStart, one after the other.
func (s *shop) endOf(in func(n *node) bool) model.Time {
	s.steps -= len(s.byStart)
	end := -model.Never
	for _, i := range s.byStart {
		if n := &s.nodes[i]; in(n) {
			end = max(end, n.first) + n.wcet
		}
	}
	return end
}

// shave cuts off both ends of windows what the rules refute, until nothing
// changes or no steps are left; false means that nothing remains of one.
func (s *shop) shave() bool {
	for changed := true; changed; {
		changed = false
		for i := range s.nodes {
			for _, early := range []bool{true, false} {
				cut, ok := s.shaveEnd(&s.nodes[i], early)
				if !ok {
					return false
				}
				changed = changed || cut
			}
		}
	}
	return true
}

// shaveEnd tries parts of one window that double after every success and
// become a quarter after every failure.
func (s *shop) shaveEnd(n *node, early bool) (cut, ok bool) {
	for k := model.Time(1); k > 0 && s.steps > 0 && n.first < n.last; {
		k = min(k, (n.last-n.first+1)/2)
		s.saved = append(s.saved[:0], s.nodes...)
		if early {
			s.setLast(n, n.first+k-1)
		} else {
			s.setFirst(n, n.last-k+1)
		}
		possible := s.propagate()
		copy(s.nodes, s.saved)
		clear(s.stale)
		if possible {
			k /= 4
			continue
		}
		cut = true
		if early {
			s.setFirst(n, n.first+k)
		} else {
			s.setLast(n, n.last-k)
		}
		if !s.propagate() {
			return true, false
		}
		k *= 2
	}
	return cut, true
}
