package online

import (
	"slices"

	"downbeat/model"
)

// slave is the state of one machine. What lies ahead of now in it (starts and
// ends of what it holds) is the engine's knowledge, not the policy's.
type slave struct {
	free   [2]int // slots by pool
	failed bool
	held   []held
	// fetchFree is when the fetch line has done all that it was given, lastStart
	// when the task given last starts, coreFree when each core has done all.
	fetchFree, lastStart model.Time
	coreFree             []model.Time
	// beat is the heartbeat that is in the event queue, Never if none is.
	beat model.Time
	// promise is what policies may expect of the slave, nil if out of date.
	promise *promise
	idleAt  int // place in state.idle, -1 if not there
	// asked counts heartbeats since engine.progress was seen.
	asked int
	seen  int64
}

// held is a task on a slave.
type held struct {
	task           model.TaskID
	pool           int
	assigned       model.Time
	beat           model.Time
	fetch          model.Time
	transfer, wcet model.Time
	start, end     model.Time
}

// promise is the slave's state at declared worst-case times, from now on.
type promise struct {
	fetchFree, lastStart model.Time
	coreFree             []model.Time // ascending
	// slotFree has the ends of held tasks by pool, ascending.
	slotFree [2][]model.Time
}

func newSlave(spec *model.Slave) slave {
	s := slave{coreFree: make([]model.Time, spec.Cores), beat: model.Never, idleAt: -1}
	for pool := range spec.Pools() {
		s.free[pool] = spec.PoolSize(pool)
	}
	return s
}

func (s *slave) totalFree() int { return s.free[0] + s.free[1] }

// place computes when a task that is given at a starts, without changing s.
func (s *slave) place(a, transfer model.Time, mode model.FetchMode) (fetch, start model.Time, core int) {
	fetch = a
	if mode == model.FetchExclusive {
		fetch = max(a, s.fetchFree)
	}
	core = 0
	for c, at := range s.coreFree {
		if at < s.coreFree[core] {
			core = c
		}
	}
	return fetch, max(fetch+transfer, s.lastStart, s.coreFree[core]), core
}

// give adds a task that takes length ticks in fact.
func (s *slave) give(h held, length model.Time, mode model.FetchMode) *held {
	var core int
	h.fetch, h.start, core = s.place(h.assigned, h.transfer, mode)
	h.end = h.start + length
	s.fetchFree, s.lastStart, s.coreFree[core] = h.fetch+h.transfer, h.start, h.end
	s.free[h.pool]--
	s.held = append(s.held, h)
	s.promise = nil
	return &s.held[len(s.held)-1]
}

// drop removes the i-th held task and frees its slot.
func (s *slave) drop(i int) {
	s.free[s.held[i].pool]++
	s.held = slices.Delete(s.held, i, i+1)
	s.promise = nil
}

// promised is what the slave is sure of at declared times. Tasks that run are
// taken to use up their worst case; tasks that wait start in their order.
func (s *slave) promised(now model.Time) *promise {
	if s.promise != nil {
		return s.promise
	}
	p := &promise{fetchFree: s.fetchFree, coreFree: make([]model.Time, len(s.coreFree))}
	for i := range s.held {
		h := &s.held[i]
		start := h.start
		if start > now {
			start = max(h.fetch+h.transfer, p.lastStart, p.coreFree[0])
		}
		p.run(h.pool, start, start+h.wcet)
	}
	s.promise = p
	return p
}

// run puts a task on the core that is free first.
func (p *promise) run(pool int, start, end model.Time) {
	p.lastStart = max(p.lastStart, start)
	i, _ := slices.BinarySearch(p.coreFree[1:], end)
	copy(p.coreFree[:i], p.coreFree[1:i+1])
	p.coreFree[i] = end
	j, _ := slices.BinarySearch(p.slotFree[pool], end)
	p.slotFree[pool] = slices.Insert(p.slotFree[pool], j, end)
}

// finish is when a task given at a ends at the latest.
func (p *promise) finish(a, transfer, wcet model.Time, mode model.FetchMode) model.Time {
	fetch := a
	if mode == model.FetchExclusive {
		fetch = max(a, p.fetchFree)
	}
	return max(fetch+transfer, p.lastStart, p.coreFree[0]) + wcet
}
