package certificate

import (
	"slices"
	"sort"

	"downbeat/model"
)

// way is the search for the cheapest way of a job through the cluster, at prices, that a
// state leaves it. Its stages are taken in groups, one after the other: all tasks of a
// group wait for all of the group before.
type way struct {
	*state
	m    *multipliers
	k    int32
	spec *model.Job
	// missed is what the job pays if it ends after its deadline, perTick what for each
	// tick.
	missed, perTick int64
	// From first to last times are told apart. What ends later counts as if it ended at
	// last and had held nothing.
	first, last model.Time
	// ready is when each stage is handed out at the earliest, ends when it ends at the
	// earliest, limit at the latest.
	ready, ends, limit []model.Time
	kinds              [][]batch // by stage
}

// batch is a number of equal tasks of a stage, with their spots.
type batch struct {
	spots []spot
	ready model.Time
	count int64
}

// spot is a place of tasks as far as a state leaves it, and what they pay there.
type spot struct {
	slave         model.SlaveID
	run, hold     model.Time // E and C + E
	fetch, finish span       // R and F
	tied          bool
	// cores, line and slots are the prices of what the task holds while it runs, while it
	// fetches, and for its whole stay.
	cores, line, slots priced
}

// least is the least that the job pays if it is in; false if it cannot be.
func (w *way) least() (int64, bool) {
	if !w.look() {
		return 0, false
	}
	if w.last-w.first >= mostTicks {
		return 0, true
	}
	groups := groupsOf(w.spec)
	after := w.charges()
	flat := after[len(after)-1] == 0
	for k, group := range slices.Backward(groups) {
		var kinds []batch
		end := w.first
		for _, stage := range group {
			kinds = append(kinds, w.kinds[stage]...)
			end = max(end, w.ends[stage])
		}
		for t := range min(end, w.last) - w.first {
			after[t] = after[min(end, w.last)-w.first] // it ends no earlier
		}
		switch n := 1 + w.last - w.first; {
		case len(kinds) == 1 && kinds[0].count == 1, k == len(groups)-1 && flat:
			after = w.oneByOne(kinds, after)
		case k == 0:
			after = w.together(kinds, after, n)
		default:
			after = w.together(kinds, after, 1+n/(1+mostTicks/n))
		}
	}
	return after[0], true
}

// look finds the spots of all tasks, and when stages begin and end. It reports whether
// there is a way at all.
func (w *way) look() bool {
	n := len(w.spec.Stages)
	w.ready, w.ends, w.limit, w.kinds = make([]model.Time, n), make([]model.Time, n), make([]model.Time, n), make([][]batch, n)
	by := min(w.hi[w.end(w.k)], w.jobs[w.k].by)
	for k := range w.limit {
		w.limit[k] = min(by, w.hi[w.over(w.jobs[w.k].stage+int32(k))])
	}
	for _, k := range slices.Backward(w.spec.Order()) {
		for _, before := range w.spec.Stages[k].After {
			w.limit[before] = min(w.limit[before], w.limit[k])
		}
	}
	end, longest := w.lo[w.end(w.k)], model.Time(0)
	w.first = model.Never
	for _, k := range w.spec.Order() {
		hold, ok := w.stage(k)
		if !ok {
			return false
		}
		w.first, end, longest = min(w.first, w.ready[k]), max(end, w.ends[k]), max(longest, hold)
	}
	w.last = max(w.m.end, w.first) + w.js.Heartbeat + longest
	if w.missed > 0 {
		w.last = max(w.last, w.spec.Due()+1)
	}
	if w.last = min(w.last, by); w.perTick > 0 {
		w.last = by
	}
	return end <= by
}

// stage finds the spots of the tasks of a stage, and when it begins and ends at the
// earliest. It tells the longest that a task of it holds a slave, and whether all have a
// spot.
func (w *way) stage(k int32) (longest model.Time, ok bool) {
	at := w.jobs[w.k].stage + k
	st := &w.stages[at]
	w.ready[k] = st.ready
	for _, before := range st.After {
		w.ready[k] = max(w.ready[k], w.ends[before])
	}
	least := w.lo[w.over(at)]
	if len(w.kinds) == 1 {
		least = max(least, w.lo[w.end(w.k)])
	}
	w.ends[k] = max(w.ready[k], least)
	if st.end > st.task+1 {
		least = 0
	}
	for t := st.task; t < st.end; t++ {
		spots := w.spots(t, span{least, w.limit[k]})
		if kinds := w.kinds[k]; len(kinds) > 0 && w.profile(t) == w.profile(t-1) && slices.Equal(spots, kinds[len(kinds)-1].spots) {
			kinds[len(kinds)-1].count++
			continue
		}
		end, of := model.Never, batch{spots, w.ready[k], 1}
		w.each(&of, 0, model.Never, func(s *stay) { end = min(end, s.finish.first) })
		if end == model.Never {
			return 0, false
		}
		for i := range spots {
			longest = max(longest, spots[i].hold)
		}
		w.ends[k] = max(w.ends[k], end)
		w.kinds[k] = append(w.kinds[k], of)
	}
	return longest, true
}

func (w *way) profile(t int32) *model.Profile { return w.js.Tasks[w.tasks[t].id].Profile }

// spots lists where a task can be that ends within some time.
func (w *way) spots(t int32, end span) []spot {
	var out []spot
	fetch := span{w.lo[w.fetch(t)], w.hi[w.fetch(t)]}
	start := span{w.lo[w.start(t)], w.hi[w.start(t)]}
	end = span{max(end.first, w.lo[w.finish(t)]), min(end.last, w.hi[w.finish(t)])}
	for at := w.tasks[t].place; at < w.tasks[t].end; at++ {
		if w.on(at) == no {
			continue
		}
		p := &w.places[at]
		s := spot{slave: p.slave, run: p.run, hold: p.fetch + p.run, tied: p.tied}
		s.fetch.first = max(p.first, fetch.first)
		s.finish.first = max(s.fetch.first+s.hold, start.first+p.run, end.first)
		s.finish.last = min(min(p.last, start.last)+p.run, end.last)
		s.fetch.last = min(fetch.last, s.finish.last-s.hold)
		w.m.price(w.js, w.tasks[t].id, &s)
		out = append(out, s)
	}
	return out
}

// stay is at a spot during one presence of its slave: the task is handed out at beat or
// later.
type stay struct {
	*spot
	beat          model.Time
	fetch, finish span
}

// each yields the stays of tasks of a kind that are handed out at from or later, before
// until.
func (w *way) each(k *batch, from, until model.Time, yield func(*stay)) {
	for i := range k.spots {
		w.stays(&k.spots[i], max(from, k.ready), until, yield)
	}
}

func (w *way) stays(p *spot, from, until model.Time, yield func(*stay)) {
	slave := &w.slaves[p.slave]
	until = min(w.beatFrom(slave, min(until, model.Never/2)), p.fetch.last+1) // no fetch begins then
	from = max(from, p.fetch.first-w.js.Heartbeat+1)
	for i := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > from }); from < until; i++ {
		away := model.Interval{Start: model.Never, End: model.Never}
		if i < len(slave.Down) {
			away = slave.Down[i]
		}
		s := stay{spot: p, beat: w.beatFrom(slave, from)}
		s.finish.last = min(p.finish.last, away.Start)
		s.fetch = span{max(s.beat, p.fetch.first), min(s.finish.last-p.hold, until-1)}
		s.finish.first = max(p.finish.first, s.fetch.first+p.hold)
		if p.tied {
			s.fetch.first = s.finish.first - p.hold
			s.finish.last = min(s.finish.last, s.fetch.last+p.hold)
		}
		if s.fetch.first <= s.fetch.last && s.finish.first <= s.finish.last {
			yield(&s)
		}
		from = max(from, away.End)
	}
}

// charges are what the job pays for when it ends, by time.
func (w *way) charges() []int64 {
	out := make([]int64, 1+w.last-w.first)
	if w.missed == 0 && w.perTick == 0 {
		return out
	}
	due := w.spec.Due()
	for t := max(w.first, due+1); t <= w.last; t++ {
		out[t-w.first] = min(mostWorth, plus(w.missed, times(w.perTick, int64(t-due))))
	}
	return out
}

// groupsOf lists the stages of a job, each behind those that it comes after, in as many
// groups as there can be of which each waits for all before it.
func groupsOf(job *model.Job) [][]int32 {
	order := job.Order()
	waits := make([][]bool, len(order)) // for which others, directly or not
	var groups [][]int32
	for at, k := range order {
		waits[k] = make([]bool, len(order))
		for _, before := range job.Stages[k].After {
			waits[k][before] = true
			for i, also := range waits[before] {
				waits[k][i] = waits[k][i] || also
			}
		}
		groups = append(groups, []int32{k})
		// Those that it does not wait for have to be in its group.
		for g := range groups[:len(groups)-1] {
			if slices.ContainsFunc(groups[g], func(i int32) bool { return !waits[k][i] }) {
				groups = append(groups[:g], slices.Clone(order[at+1-size(groups[g:]):at+1]))
				break
			}
		}
	}
	return groups
}

func size(groups [][]int32) int {
	n := 0
	for _, g := range groups {
		n += len(g)
	}
	return n
}

// oneByOne gives, by time, the least cost of tasks that are handed out at that time or
// later and of what comes after, by when they end: of a single task, or of any number with
// nothing after.
func (w *way) oneByOne(kinds []batch, after []int64) []int64 {
	from := make([]int64, len(after))
	begins := make([]int64, len(after))
	for i := range kinds {
		for t := range begins {
			begins[t] = mostWorth
		}
		w.each(&kinds[i], 0, model.Never, func(s *stay) { w.begins(s, after, begins) })
		least := int64(mostWorth)
		for t := len(begins) - 1; t >= 0; t-- {
			least = min(least, begins[t])
			from[t] = min(mostWorth, from[t]+min(mostWorth, times(least, kinds[i].count)))
		}
	}
	return from
}

// together is oneByOne for several tasks with something after. What they cost by when they
// end differs by when they are handed out: it is worked out for each step-th time, and is
// no more in between. Nor is it less than that of all times, for ends after the shortest
// stay.
func (w *way) together(kinds []batch, after []int64, step model.Time) []int64 {
	n := model.Time(len(after))
	ends, from, total := make([][]int64, len(kinds)), make([]int64, n), make([]int64, n)
	shortest := model.Time(0)
	for i := range ends {
		ends[i] = slices.Repeat([]int64{mostWorth}, int(n))
		hold := model.Never
		for _, s := range kinds[i].spots {
			hold = min(hold, s.hold)
		}
		shortest = max(shortest, hold)
	}
	for at := (n - 1) / step * step; at >= 0; at -= step {
		least := int64(mostWorth)
		until := w.first + at + step
		if until > w.last {
			until = model.Never
		}
		for i := range kinds {
			w.each(&kinds[i], w.first+at, until, func(s *stay) { w.ending(s, ends[i]) })
		}
		clear(total)
		for i := range kinds {
			cheapest := int64(mostWorth)
			for t := at; t < n; t++ {
				cheapest = min(cheapest, ends[i][t])
				total[t] = min(mostWorth, total[t]+min(mostWorth, times(cheapest, kinds[i].count)))
			}
		}
		for t := at; t < n; t++ {
			least = min(least, total[t]+after[t])
		}
		for t := at; t < min(at+step, n); t++ {
			from[t] = least
		}
	}
	least := int64(mostWorth)
	for t := n - 1; t >= 0; t-- {
		if end := min(t+shortest, n-1); end >= 0 {
			least = min(least, total[end]+after[end])
		}
		from[t] = max(from[t], least)
	}
	return from
}

// never is a cost above all others; sums with a few of those do not overflow.
const never = 1 << 60

// begins lowers the costs of a task and what comes after, by when it is handed out: at the
// last heartbeat before its fetch, for prices are not negative.
func (w *way) begins(s *stay, after, cheapest []int64) {
	right, end := int64(never), s.finish.last
	if n := len(after) - 1; end > w.last {
		if s.fetch.last+s.hold > w.last {
			cheapest[n] = min(cheapest[n], after[n])
		}
		end = w.last
		right = s.staying(end) + after[n]
	}
	for finish := end; finish >= s.fetch.first+s.hold; finish-- {
		if finish >= s.finish.first {
			cost := s.staying(finish) + after[finish-w.first]
			if right = min(right, cost); s.tied {
				right = cost
			}
		}
		if fetch := finish - s.hold; fetch <= s.fetch.last {
			beat := w.handed(s, fetch)
			cheapest[beat-w.first] = min(cheapest[beat-w.first], s.fetching(fetch, beat)+right)
		}
	}
}

// ending lowers the costs of a task by when it ends.
func (w *way) ending(s *stay, cheapest []int64) {
	left := int64(never)
	for finish := s.fetch.first + s.hold; finish <= min(s.finish.last, w.last); finish++ {
		if fetch := finish - s.hold; fetch <= s.fetch.last {
			cost := s.fetching(fetch, w.handed(s, fetch))
			if left = min(left, cost); s.tied {
				left = cost
			}
		}
		if finish >= s.finish.first {
			cheapest[finish-w.first] = min(cheapest[finish-w.first], left+s.staying(finish))
		}
	}
	if n := len(cheapest) - 1; s.finish.last > w.last {
		if s.fetch.last+s.hold > w.last {
			left = -s.staying(w.last)
		}
		cheapest[n] = min(cheapest[n], left+s.staying(w.last))
	}
}

// handed is the last heartbeat at a time or before.
func (w *way) handed(s *stay, t model.Time) model.Time { return t - (t-s.beat)%w.js.Heartbeat }

// fetching is what a task pays for its fetch, less what its stay would have cost from the
// beginning of time until it is handed out; staying is the rest of what it pays.
func (s *spot) fetching(fetch, beat model.Time) int64 {
	return s.line.before(fetch+s.hold-s.run) - s.line.before(fetch) - s.slots.before(beat)
}

func (s *spot) staying(finish model.Time) int64 {
	return s.cores.before(finish) - s.cores.before(finish-s.run) + s.slots.before(finish)
}
