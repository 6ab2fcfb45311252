package inference

import (
	"slices"

	"downbeat/model"
)

// A tariff has what is paid for what slaves have, over a stretch of time.
type tariff struct {
	js *model.JobSet
	// from is where the stretch begins, ticks how long it is.
	from, ticks model.Time
	lines       [][]line // by SlaveID, those of one in the order of its supplies
	// shared has the prices of pools and caps, added up as those of a line; nil where there are none.
	shared map[model.SharedID][]int64
}

// line is what a slave has of a resource, with its prices.
type line struct {
	model.Supply
	// sums are the prices of the ticks of the stretch before each, added up, those of what
	// is held from a heartbeat at the ticks of heartbeats; nil where there are none.
	sums []int64
}

func newTariff(js *model.JobSet, from, ticks model.Time) *tariff {
	return &tariff{js: js, from: from, ticks: ticks, lines: make([][]line, len(js.Slaves))}
}

// on lists what a slave has.
func (f *tariff) on(s model.SlaveID) []line {
	if f.lines[s] == nil {
		for _, has := range f.js.Supplies(s) {
			f.lines[s] = append(f.lines[s], line{Supply: has})
		}
	}
	return f.lines[s]
}

// put adds a price of a unit per tick, or heartbeat, of an interval, where that meets the stretch;
// prices are not yet added up.
func (f *tariff) put(s model.SlaveID, l *line, in model.Interval, each int64) {
	if l.sums == nil {
		l.sums = make([]int64, f.ticks+1)
	}
	in = in.Intersect(model.Interval{Start: f.from, End: f.from + f.ticks})
	step := model.Time(1)
	if l.Hold == model.HoldStay {
		step, in.Start = f.js.Heartbeat, f.js.Slaves[s].FirstBeat+beats(f.js, s, in.Start)*f.js.Heartbeat
	}
	for t := in.Start; t < in.End; t += step {
		l.sums[t-f.from] += each
	}
}

// putShared adds a price of a unit of a pool or a cap per tick of an interval.
func (f *tariff) putShared(id model.SharedID, in model.Interval, each int64) {
	if f.shared == nil {
		f.shared = map[model.SharedID][]int64{}
	}
	sums := f.shared[id]
	if sums == nil {
		sums = make([]int64, f.ticks+1)
		f.shared[id] = sums
	}
	in = in.Intersect(model.Interval{Start: f.from, End: f.from + f.ticks})
	for t := in.Start; t < in.End; t++ {
		sums[t-f.from] += each
	}
}

// addUp ends what put has begun.
func (l *line) addUp() { addUp(l.sums) }

// addUpShared ends what putShared has begun.
func (f *tariff) addUpShared() {
	for _, sums := range f.shared {
		addUp(sums)
	}
}

// addUp makes prices by tick sums of those before each.
func addUp(prices []int64) {
	sum := int64(0)
	for t, price := range prices {
		prices[t] = sum
		sum += price
	}
}

// beats is the number of heartbeats of a slave before t.
func beats(js *model.JobSet, s model.SlaveID, t model.Time) model.Time {
	return max(0, t-js.Slaves[s].FirstBeat+js.Heartbeat-1) / js.Heartbeat
}

// worth is what all units of something are at a price of each in an interval: by tick, or by
// heartbeat of the slave where they are held for stays. Absences are not deducted.
func worth(js *model.JobSet, s model.SlaveID, has *model.Supply, in model.Interval, each int64) int64 {
	n := in.Len()
	if has.Hold == model.HoldStay {
		n = beats(js, s, in.End) - beats(js, s, in.Start)
	}
	return times(times(has.Units, each), int64(n))
}

// worthOf is what all there is of a pool or a cap over an interval is at a price of each: its amounts,
// tick by tick.
func worthOf(js *model.JobSet, id model.SharedID, in model.Interval, each int64) int64 {
	return times(amountIn(&js.Shared()[id], in.Start, in.End), each)
}

// largestTakes are the most that one task takes of pools and caps that have prices, worked out once.
type largestTakes map[model.SharedID]int64

// dearest is what a task pays at most for what it takes of a pool or a cap over an interval, at a price of
// each. That may be more than all there is is worth: where there is none for a time, or less than it takes.
func (l largestTakes) dearest(js *model.JobSet, id model.SharedID, in model.Interval, each int64) int64 {
	units, known := l[id]
	if !known {
		for _, t := range js.Shared()[id].Tasks {
			units = max(units, js.Taken(t, id))
		}
		l[id] = units
	}
	return times(times(units, each), int64(in.Len()))
}

// cost adds up, for a task on a slave, the prices of all that it holds in the same way, by
// model.Hold, over a stretch of time; nil where it holds nothing that has a price.
type cost struct {
	from model.Time
	sums [model.HoldStay + 1][]int64
}

// costOf is that of a task on a slave. What it does not fit into costs nothing, as it cannot be
// there. What it takes of pools and caps is held as long as its slot, and paid for tick by tick.
func (f *tariff) costOf(t model.TaskID, s model.SlaveID) *cost {
	c, task := &cost{from: f.from}, &f.js.Tasks[t]
	for k := range f.on(s) {
		l := &f.lines[s][k]
		need := f.js.Need(task, s, l.Resource)
		switch sums := &c.sums[l.Hold]; {
		case need == 0 || need > l.Units || l.sums == nil:
		case need == 1 && *sums == nil:
			*sums = l.sums
		default:
			*sums = plusTimes(*sums, l.sums, need)
		}
	}
	for _, take := range f.js.Takes(t) {
		if sums := f.shared[take.Shared]; sums != nil {
			c.sums[model.HoldStay] = plusTimes(c.sums[model.HoldStay], sums, take.Units)
		}
	}
	return c
}

// plusTimes is a, nil for zeros, and n times b.
func plusTimes(a, b []int64, n int64) []int64 {
	out := make([]int64, len(b))
	copy(out, a)
	for t := range b {
		out[t] += n * b[t]
	}
	return out
}

// of is the cost of holding in the way of h from one time to another.
func (c *cost) of(h model.Hold, from, to model.Time) int64 {
	if sums := c.sums[h]; sums != nil {
		return sums[to-c.from] - sums[from-c.from]
	}
	return 0
}

// running is what a task that finishes at a time pays for its run, and for a stay from the
// beginning of the stretch on.
func (s *stay) running(finish model.Time) int64 {
	return s.of(model.HoldRun, finish-s.run, finish) + s.of(model.HoldStay, s.cost.from, finish)
}

// fetching is what it pays for its fetch, less a stay from there to its hand-out.
func (s *stay) fetching(fetch, handed model.Time) int64 {
	return s.of(model.HoldFetch, fetch, fetch+s.transfer) - s.of(model.HoldStay, s.cost.from, handed)
}

// stay is what is left to a task on a slave during one presence: when it can be fetched, and
// start. Prices are not negative, so it is best handed out at the last heartbeat before its
// fetch.
type stay struct {
	*cost
	slave         model.SlaveID
	run, transfer model.Time // E and C
	fetch, start  span
	tied          bool       // it starts as soon as it is fetched
	beat          model.Time // a heartbeat, before the first fetch or then
}

// free reports whether nothing that the task holds there has a price.
func (c *cost) free() bool {
	return c.sums[model.HoldRun] == nil && c.sums[model.HoldFetch] == nil && c.sums[model.HoldStay] == nil
}

// with has one more stay, unless it costs nothing, as another one of a batch does at the same times.
func (b *batch) with(s stay) {
	if s.free() {
		as := func(o stay) bool {
			return o.run == s.run && o.transfer == s.transfer && o.fetch == s.fetch && o.start == s.start && o.tied == s.tied && o.beat == s.beat && o.free()
		}
		if slices.ContainsFunc(b.stays, as) {
			return
		}
	}
	b.stays = append(b.stays, s)
}

// next is the first heartbeat at t or later, of those from beat on.
func (s *stay) next(heartbeat, t model.Time) model.Time {
	return s.beat + max(0, t-s.beat+heartbeat-1)/heartbeat*heartbeat
}

// batch is a number of equal tasks.
type batch struct {
	count int64
	stays []stay
}

// route is the search for the cheapest way of a job through the cluster: its parts are handed
// out one after the other, the last one is looked at first. What is left costs the less the
// sooner it may begin. Costs are by time, from the release of the job on to its end, and stop
// at most.
type route struct {
	heartbeat, from model.Time
	most            int64
	// crowd, if set, adds to what comes after the first part what that costs more than its tasks one by one.
	crowd func(part []batch, after []int64) []int64
	// stop counts steps, and reports whether it has been enough.
	stop func(steps int) bool
}

// cheapest is the least that the parts of a job cost, and after by when the last of them ends; anchor and
// step, for a part of several tasks between two others, are from when on it may be handed out, and
// of how many times one is looked at.
func (r *route) cheapest(parts [][]batch, after []int64, grain func(part int) (anchor, step model.Time)) int64 {
	free := !slices.ContainsFunc(after, func(cost int64) bool { return cost > 0 })
	for k := len(parts) - 1; k >= 0; k-- {
		switch part := parts[k]; {
		case len(part) == 1 && part[0].count == 1 || k == len(parts)-1 && free:
			after = r.oneByOne(part, after)
		case k == 0:
			if r.crowd != nil {
				after = r.crowd(part, after)
			}
			after = r.together(part, after, r.from, model.Time(len(after)))
		default:
			anchor, step := grain(k)
			after = r.together(part, after, anchor, step)
		}
	}
	return after[0]
}

// mostSteps bounds, for a part of several tasks between two others, the heartbeats at which it is
// taken to be handed out, times the ticks at which it may end.
const mostSteps = 1 << 22

// grain is of how many times one is looked at, of those of a window: where heartbeats come seldom, of more, as there is nothing to look at between them.
func grain(js *model.JobSet, window, most model.Time) model.Time {
	return 1 + window/(1+most*max(1, js.Heartbeat/model.Time(1+len(js.Slaves)))/window)
}

// dear is the most that a job pays, at every time.
func (r *route) dear(n int) []int64 { return slices.Repeat([]int64{r.most}, n) }

// oneByOne gives, by time, the least cost of a part that is handed out
// at that time or later and of what comes after. It is for parts whose tasks do not wait for
// each other: nothing comes after, or there is one only.
func (r *route) oneByOne(part []batch, after []int64) []int64 {
	out := make([]int64, len(after))
	for i := range part {
		begins := r.dear(len(after))
		for k := range part[i].stays {
			s := &part[i].stays[k]
			if r.stop(int(s.start.last - s.fetch.first)) {
				return out
			}
			s.begins(r, after, begins)
		}
		least := r.most
		for t := len(out) - 1; t >= 0; t-- {
			least = min(least, begins[t])
			out[t] = min(r.most, plus(out[t], times(part[i].count, least)))
		}
	}
	return out
}

// together is oneByOne for several tasks with something after. What they cost by the
// end of the part is another matter for each time at which it is handed out. It is
// worked out for every step-th of these, and taken to be no more in between: a lower
// bound, as is what the part costs if it is handed out freely and only its
// shortest time counts. The greater of the two is given.
func (r *route) together(part []batch, after []int64, anchor, step model.Time) []int64 {
	ends := make([][]int64, len(part))
	for i := range ends {
		ends[i] = r.dear(len(after))
	}
	n := model.Time(len(after))
	total, out := r.dear(len(after)), make([]int64, n)
	least, first := r.most, anchor-r.from
	for at := first + (n-1-first)/step*step; at >= first; at -= step {
		if handOut(part, r.heartbeat, r.from, model.Interval{Start: r.from + at, End: r.from + at + step}, ends) {
			least = r.sum(part, ends, after, at, total)
			if r.stop(len(part) * int(n-at)) {
				return out
			}
		}
		for t := at; t < min(at+step, n); t++ {
			out[t] = least
		}
	}
	for t := range first {
		out[t] = least
	}
	least = r.most
	shortest := shortest(part)
	for t := n - 1; t >= 0; t-- {
		if end := t + shortest; end < n {
			least = min(least, plus(total[end], after[end]))
		}
		out[t] = max(out[t], least)
	}
	return out
}

// shortest is the least time that a part takes.
func shortest(part []batch) model.Time {
	longest := model.Time(0)
	for i := range part {
		least := model.Never
		for k := range part[i].stays {
			least = min(least, part[i].stays[k].transfer+part[i].stays[k].run)
		}
		longest = max(longest, least)
	}
	return longest
}

// handOut lowers the costs of tasks by their end, one list per batch, to those of being handed
// out within a period. It reports whether any can be.
func handOut(part []batch, heartbeat, from model.Time, period model.Interval, ends [][]int64) bool {
	some := false
	for i := range part {
		for k := range part[i].stays {
			s := &part[i].stays[k]
			fetch := span{max(s.fetch.first, s.next(heartbeat, period.Start)), min(s.fetch.last, s.next(heartbeat, period.End)-1)}
			if !fetch.empty() {
				s.ends(heartbeat, from, fetch, ends[i])
				some = true
			}
		}
	}
	return some
}

// sum works out what all tasks of a part cost together, by its end, from a time on, and the
// least of that and what comes after.
func (r *route) sum(part []batch, ends [][]int64, after []int64, at model.Time, total []int64) int64 {
	clear(total[at:])
	for i := range part {
		cheapest := r.most
		for t := at; int(t) < len(total); t++ {
			cheapest = min(cheapest, ends[i][t])
			total[t] = min(r.most, plus(total[t], times(part[i].count, cheapest)))
		}
	}
	least := r.most
	for t := at; int(t) < len(total); t++ {
		least = min(least, plus(total[t], after[t]))
	}
	return least
}

// never is a cost above all others; sums with a few of those do not overflow.
const never = 1 << 60

// ends lowers the costs of a task, by when it ends, to those of being fetched within a span.
func (s *stay) ends(heartbeat, from model.Time, within span, cheapest []int64) {
	fetch, begun := within.first, int64(never)
	beat := fetch - (fetch-s.beat)%heartbeat
	for start := max(s.start.first, fetch+s.transfer); start <= s.start.last && (fetch <= within.last || begun < never); start++ {
		if s.tied {
			begun = never
		}
		for ; fetch <= min(within.last, start-s.transfer); fetch++ {
			if fetch == beat+heartbeat {
				beat = fetch
			}
			begun = min(begun, s.fetching(fetch, beat))
		}
		end := &cheapest[start+s.run-from]
		*end = min(*end, begun+s.running(start+s.run))
	}
}

// begins lowers the costs of a task and what comes after, by when it is handed out.
func (s *stay) begins(r *route, after, cheapest []int64) {
	right, start := int64(never), s.start.last
	beat := s.fetch.last - (s.fetch.last-s.beat)%r.heartbeat
	for fetch := s.fetch.last; fetch >= s.fetch.first; fetch-- {
		if s.tied {
			right = never
		}
		for ; start >= max(s.start.first, fetch+s.transfer); start-- {
			right = min(right, s.running(start+s.run)+after[start+s.run-r.from])
		}
		if fetch < beat {
			beat -= r.heartbeat
		}
		least := &cheapest[beat-r.from]
		*least = min(*least, s.fetching(fetch, beat)+right)
	}
}
