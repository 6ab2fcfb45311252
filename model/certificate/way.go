package certificate

import (
	"math"
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
	// end is when the job may end, and perTick what it pays for each tick after its
	// deadline.
	end     span
	perTick int64
	// handed is when each stage is handed out at the earliest, ends when it ends at the
	// earliest and by when at the latest.
	handed []model.Time
	ends   []span
	kinds  [][]batch // by stage
	first  model.Time
}

// batch is a number of equal tasks of a stage, with their spots.
type batch struct {
	spots  []spot
	handed model.Time
	count  int64
}

// spot is a place of tasks as far as a state leaves it.
type spot struct {
	*place
	fetch, finish span // R and F
	// held are the prices of what the task holds in each way.
	held [model.HoldStay + 1][]priced
}

// priced is so many units of something, at its price.
type priced struct {
	*row
	units int64
}

// before is what a task pays for all that it holds in the way of h, if that is held from
// the beginning to t.
func (s *spot) before(h model.Hold, t model.Time) int64 {
	sum := int64(0)
	for _, p := range s.held[h] {
		if t > p.from {
			sum += p.units * p.sums[min(int(t-p.from), len(p.sums)-1)]
		}
	}
	return sum
}

// least is the least that the job pays: all that there is if it has no way.
func (w *way) least() int64 {
	n := len(w.spec.Stages)
	w.handed, w.ends, w.kinds, w.first = make([]model.Time, n), make([]span, n), make([][]batch, n), model.Never
	for k := range w.ends {
		over := w.over(w.jobs[w.k].stage + int32(k))
		w.ends[k] = span{w.lo[over], min(w.hi[over], w.end.last)}
	}
	for _, k := range slices.Backward(w.spec.Order()) {
		for _, before := range w.spec.Stages[k].After {
			w.ends[before].last = min(w.ends[before].last, w.ends[k].last)
		}
	}
	last := w.end.first
	for _, k := range w.spec.Order() {
		w.look(k)
		w.first, last = min(w.first, w.handed[k]), max(last, w.ends[k].first)
	}
	switch size := w.end.last - w.first; {
	case last > w.end.last:
		return math.MaxInt64
	case size >= mostTicks:
		return 0
	}
	return w.cheapest()
}

// look finds the spots of the tasks of a stage, and when it begins and ends.
func (w *way) look(k int32) {
	at := w.jobs[w.k].stage + k
	st, ends := &w.stages[at], &w.ends[k]
	w.handed[k] = st.ready
	for _, before := range st.After {
		w.handed[k] = max(w.handed[k], w.ends[before].first)
	}
	if len(w.ends) == 1 {
		ends.first = max(ends.first, w.end.first)
	}
	within := span{0, ends.last}
	if st.end == st.task+1 {
		within = *ends
	}
	ends.first = max(ends.first, w.handed[k])
	for t := st.task; t < st.end; t++ {
		b := batch{w.spots(t, within), w.handed[k], 1}
		task := &w.js.Tasks[w.tasks[t].id]
		if n := len(w.kinds[k]); n > 0 && task.Profile == w.js.Tasks[w.tasks[t-1].id].Profile && slices.EqualFunc(b.spots, w.kinds[k][n-1].spots, alike) {
			w.kinds[k][n-1].count++
			continue
		}
		first := model.Never
		w.each(&b, 0, model.Never, func(s *stay) { first = min(first, s.finish.first) })
		ends.first = max(ends.first, first)
		for i := range b.spots {
			s := &b.spots[i]
			for _, r := range w.m.rows[s.slave] {
				if need := w.js.Need(task, s.slave, r.resource); need > 0 {
					s.held[r.resource.Hold()] = append(s.held[r.resource.Hold()], priced{r, need})
				}
			}
		}
		w.kinds[k] = append(w.kinds[k], b)
	}
}

func alike(a, b spot) bool {
	return a.slave == b.slave && a.fetch == b.fetch && a.finish == b.finish
}

// spots lists where a task can be that ends within some time.
func (w *way) spots(t int32, within span) []spot {
	var out []spot
	for at := w.tasks[t].place; at < w.tasks[t].end; at++ {
		if w.on(at) == no {
			continue
		}
		p := &w.places[at]
		start, fetch := w.own(p)
		s := spot{place: p}
		s.fetch.first = max(p.first, fetch.first)
		s.finish.first = max(s.fetch.first+p.fetch, start.first) + p.run
		s.finish = span{max(s.finish.first, within.first), min(min(p.last, start.last)+p.run, within.last)}
		s.fetch.last = min(fetch.last, s.finish.last-p.run-p.fetch)
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

// each yields the stays of tasks of a batch that are handed out at from or later, before
// until.
func (w *way) each(b *batch, from, until model.Time, yield func(*stay)) {
	for i := range b.spots {
		p := &b.spots[i]
		slave, hold := &w.slaves[p.slave], p.place.fetch+p.run
		end := min(w.beatFrom(slave, min(until, latest)), p.fetch.last+1) // no fetch begins then
		at := max(from, b.handed, p.fetch.first-w.js.Heartbeat+1)
		next := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > at })
		for ; at < end && !w.stopped(); next++ {
			away := model.Interval{Start: model.Never, End: model.Never}
			if next < len(slave.Down) {
				away = slave.Down[next]
			}
			s := stay{spot: p, beat: w.beatFrom(slave, at)}
			s.finish.last = min(p.finish.last, away.Start)
			s.fetch = span{max(s.beat, p.fetch.first), min(s.finish.last-hold, end-1)}
			s.finish.first = max(p.finish.first, s.fetch.first+hold)
			if p.tied {
				s.fetch.first = s.finish.first - hold
				s.finish.last = min(s.finish.last, s.fetch.last+hold)
			}
			if !s.fetch.empty() && !s.finish.empty() {
				if w.stoppedAfter(int(s.finish.last - s.fetch.first)) {
					return
				}
				yield(&s)
			}
			at = max(at, away.End)
		}
	}
}

// groups lists the stages, the last ones first, in as many groups as there can be of which
// each waits for all behind it in the list.
func (w *way) groups() [][]int32 {
	order := w.spec.Order()
	waits := make([][]bool, len(order)) // for which others, directly or not
	alone := make([]int, len(order))    // how many at the front of the order it waits for
	for at, k := range order {
		waits[k] = make([]bool, len(order))
		for _, before := range w.spec.Stages[k].After {
			waits[k][before] = true
			for i, also := range waits[before] {
				waits[k][i] = waits[k][i] || also
			}
		}
		for alone[at] < at && waits[k][order[alone[at]]] {
			alone[at]++
		}
	}
	var out [][]int32
	end, least := len(order), len(order)
	for at := len(order) - 1; at >= 0; at-- {
		if least = min(least, alone[at]); least == at {
			out = append(out, order[at:end])
			end = at
		}
	}
	return out
}

// cheapest works back from the end of the job: what is left costs the less the sooner it
// may begin.
func (w *way) cheapest() int64 {
	after := make([]int64, 1+w.end.last-w.first)
	for t := max(0, w.spec.Due()+1-w.first); w.perTick > 0 && int(t) < len(after); t++ {
		after[t] = min(mostWorth, times(w.perTick, int64(w.first+t-w.spec.Due())))
	}
	groups := w.groups()
	for n, group := range groups {
		var kinds []batch
		end := w.first
		if n == 0 {
			end = max(end, w.end.first)
		}
		for _, stage := range group {
			kinds = append(kinds, w.kinds[stage]...)
			end = max(end, w.ends[stage].first)
		}
		for t := range end - w.first {
			after[t] = after[end-w.first] // it ends no sooner
		}
		switch size := model.Time(len(after)); {
		case len(kinds) == 1 && kinds[0].count == 1, n == 0 && w.perTick == 0:
			after = w.oneByOne(kinds, after)
		case n == len(groups)-1:
			after = w.together(kinds, after, size)
		default:
			after = w.together(kinds, after, 1+size/(1+mostTicks/size))
		}
	}
	return after[0]
}

// oneByOne gives, by time, the least cost of tasks that are handed out at that time or
// later and of what comes after, by when they end: of a single task, or of any number with
// nothing after.
func (w *way) oneByOne(kinds []batch, after []int64) []int64 {
	from := make([]int64, len(after))
	for i := range kinds {
		if w.stoppedAfter(len(after)) {
			break
		}
		begins := slices.Repeat([]int64{mostWorth}, len(after))
		w.each(&kinds[i], 0, model.Never, func(s *stay) { w.begins(s, after, begins) })
		cumulate(slices.Backward(begins), kinds[i].count, from)
	}
	return from
}

// cumulate adds to sums the least of some costs so far, so many times.
func cumulate(costs func(func(int, int64) bool), count int64, sums []int64) {
	least := int64(mostWorth)
	for t, cost := range costs {
		least = min(least, cost)
		sums[t] = min(mostWorth, plus(sums[t], times(count, least)))
	}
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
			hold = min(hold, s.place.fetch+s.run)
		}
		shortest = max(shortest, hold)
	}
	for at := (n - 1) / step * step; at >= 0 && !w.stoppedAfter(int(n)*len(kinds)); at -= step {
		clear(total)
		for i := range kinds {
			w.each(&kinds[i], w.first+at, w.first+at+step, func(s *stay) { w.ending(s, ends[i]) })
			cumulate(slices.All(ends[i]), kinds[i].count, total)
		}
		least := int64(mostWorth)
		for t := at; t < n; t++ {
			least = min(least, total[t]+after[t])
		}
		for t := at; t < min(at+step, n); t++ {
			from[t] = least
		}
	}
	least := int64(mostWorth)
	for t := n - 1; t >= 0; t-- {
		if end := t + shortest; end < n {
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
	rest := int64(never)
	for finish := s.finish.last; finish >= s.fetch.first+s.place.fetch+s.run; finish-- {
		if finish >= s.finish.first {
			s.choose(&rest, s.staying(finish)+after[finish-w.first])
		}
		if fetch := finish - s.run - s.place.fetch; fetch <= s.fetch.last {
			beat, cost := w.fetching(s, fetch)
			cheapest[beat-w.first] = min(cheapest[beat-w.first], cost+rest)
		}
	}
}

// ending lowers the costs of a task by when it ends.
func (w *way) ending(s *stay, cheapest []int64) {
	begun := int64(never)
	for finish := s.fetch.first + s.place.fetch + s.run; finish <= s.finish.last; finish++ {
		if fetch := finish - s.run - s.place.fetch; fetch <= s.fetch.last {
			_, cost := w.fetching(s, fetch)
			s.choose(&begun, cost)
		}
		if finish >= s.finish.first {
			cheapest[finish-w.first] = min(cheapest[finish-w.first], begun+s.staying(finish))
		}
	}
}

// choose has the least cost so far, or where R = S − C that of this time alone.
func (s *stay) choose(least *int64, cost int64) {
	if *least = min(*least, cost); s.tied {
		*least = cost
	}
}

// fetching is the heartbeat that hands a task out that is fetched then, and what it pays
// for the fetch, less what its stay would have cost from the beginning until that beat.
func (w *way) fetching(s *stay, fetch model.Time) (beat model.Time, cost int64) {
	beat = fetch - (fetch-s.beat)%w.js.Heartbeat
	return beat, s.before(model.HoldFetch, fetch+s.place.fetch) - s.before(model.HoldFetch, fetch) - s.before(model.HoldStay, beat)
}

// staying is the rest of what it pays.
func (s *spot) staying(finish model.Time) int64 {
	return s.before(model.HoldRun, finish) - s.before(model.HoldRun, finish-s.run) + s.before(model.HoldStay, finish)
}
