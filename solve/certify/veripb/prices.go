package veripb

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/check/inference"
)

// sums gives how an inference is argued by a sum; nil for rules of which clauses follow by unit propagation.
func (x *exporter) sums(rule string, a []int64, now *inference.View) func() bool {
	t := &pricing{exporter: x, view: now, cost: map[int32]*placeCost{}, late: map[model.Objective]int64{}}
	switch rule {
	case "energy":
		t.price(x.lineOf(a[0], a[1]), model.Interval{Start: model.Time(a[2]), End: model.Time(a[3])}, 1)
	case "pool":
		t.price(x.sharedLine(a[0]), model.Interval{Start: model.Time(a[1]), End: model.Time(a[1]) + 1}, 1)
	case "pool-energy":
		t.price(x.sharedLine(a[0]), model.Interval{Start: model.Time(a[1]), End: model.Time(a[2])}, 1)
	case "prices":
		return func() bool {
			for _, spec := range x.prices[strconv.FormatInt(a[0], 10)] {
				t.read(spec)
			}
			return t.refutes(true)
		}
	case "pool-push":
		return t.pushed(x.sharedLine(a[1]), model.TaskID(a[0]), a[2:])
	case "disjunctive":
		return t.disjunctive(x.lineOf(a[0], a[1]), model.TaskID(a[2]))
	default:
		return nil
	}
	return func() bool { return t.refutes(false) }
}

// lineOf is that of a resource of a slave, sharedLine that of a pool or cap by its number in proofs.
func (x *exporter) lineOf(s, r int64) *line {
	for i := range x.f.lines {
		if l := &x.f.lines[i]; l.slave == model.SlaveID(s) && l.resource == model.ResourceID(r) {
			return l
		}
	}
	return nil
}

func (x *exporter) sharedLine(n int64) *line {
	js := x.f.Set
	for i := range x.f.lines {
		l := &x.f.lines[i]
		if l.slave != model.NoSlave {
			continue
		}
		sh := &js.Shared()[l.shared]
		of := int64(sh.Pool)
		if sh.Pool < 0 {
			if of = int64(len(js.Pools)) + int64(sh.Job); sh.Stage >= 0 {
				of = int64(len(js.Pools)+len(js.Jobs)) + int64(js.Jobs[sh.Job].FirstStage) + int64(sh.Stage)
			}
		}
		if of == n {
			return l
		}
	}
	return nil
}

// pricing has prices of what there is, and what placements cost by them.
type pricing struct {
	*exporter
	view    *inference.View
	worth   int64
	total   sum
	cost    map[int32]*placeCost // by place
	late    map[model.Objective]int64
	perBeat bool // prices of what is held for stays are per heartbeat
	// begins are bounds on when uses begin, by the literal of the place, that have been derived besides.
	begins map[Literal]inference.Span
	hold   model.Hold // of these
	// bounds are what jobs pay at the least, added up.
	bounds int64
}

// placeCost is what a task pays at a place by S, R and A, and which of these it cannot have.
type placeCost struct{ start, get, hand costs }

// costOf is that of a place.
func (t *pricing) costOf(p int32) *placeCost {
	c := t.cost[p]
	if c == nil {
		of := &t.f.places[p]
		c = &placeCost{make(costs, of.start.n), make(costs, of.get.n), make(costs, of.hand.n)}
		t.cost[p] = c
	}
	return c
}

// most bounds what sums may come to.
const most = 1 << 58

// price puts a price on units of a line: per tick of an interval, or per heartbeat in it where tasks hold it for
// their stay on a slave.
func (t *pricing) price(l *line, in model.Interval, each int64) {
	if l == nil {
		return
	}
	prices := make([]int64, len(l.points))
	some := false
	for n, at := range l.points {
		next := in.End
		if n+1 < len(l.points) {
			next = min(next, l.points[n+1])
		}
		from := max(at, in.Start)
		if from >= next || l.ids[n] == 0 {
			continue
		}
		times := next - from
		if l.slave != model.NoSlave && l.hold() == model.HoldStay && t.perBeat {
			_, first := t.f.Set.BeatAtOrAfter(l.slave, from)
			_, end := t.f.Set.BeatAtOrAfter(l.slave, next)
			times = (end - first) / t.f.Set.Heartbeat
		}
		if times > 0 {
			prices[n], some = int64(times)*each, true
			t.total.add(l.ids[n], prices[n])
			t.worth += prices[n] * l.units[n]
		}
	}
	if !some {
		return
	}
	before := make([]int64, len(prices)+1) // prices of the points before each, added up
	for n, price := range prices {
		before[n+1] = before[n] + price
	}
	for _, u := range l.users {
		begin, end := t.f.places[u.place].hold(l.hold())
		c := t.costOf(u.place)
		by := map[model.Hold]costs{model.HoldRun: c.start, model.HoldFetch: c.get, model.HoldStay: c.hand}[l.hold()]
		for i := range by {
			by[i] -= u.units * before[l.point(begin.value(i)-1)+1]
		}
		if by = c.start; l.hold() == model.HoldFetch {
			by = c.get
		}
		for i := range by {
			by[i] += u.units * before[l.point(end.value(i)-1)+1]
		}
	}
}

// read reads a price of a line of multipliers.
func (t *pricing) read(spec string) {
	parts := strings.Split(spec, ".")
	n := make([]int64, len(parts))
	for i, p := range parts {
		n[i], _ = strconv.ParseInt(p, 10, 64)
	}
	for _, o := range model.Limited() {
		if o.InProofs() == parts[0] && o.InProofs() != "" {
			if id := t.f.limited[o]; id > 0 {
				t.late[o] += n[1]
				t.total.add(id, n[1])
				t.worth += n[1] * t.f.Limits[o]
			}
			return
		}
	}
	if len(parts) < 5 {
		return
	}
	in := model.Interval{Start: model.Time(n[2]), End: model.Time(n[3])}
	if parts[0] == inference.SharedPrice {
		t.price(t.sharedLine(n[1]), in, n[4])
		return
	}
	t.perBeat = true
	t.price(t.lineOf(n[1], n[0]), in, n[4])
}

// refutes derives that jobs pay more than all is worth; false if they do not, by what is worked out here. Chains says
// whether what a job pays counts with its stages one after the other.
func (t *pricing) refutes(chains bool) bool {
	if t.worth < 0 || t.worth > most {
		return false
	}
	t.total.x = t.exporter
	for k := range t.f.jobs {
		if t.err == nil {
			t.err = t.ctx.Err()
		}
		j := &t.f.jobs[k]
		if !t.priced(j) {
			continue
		}
		of := &way{pricing: t, job: j, sum: sum{x: t.exporter}}
		if t.knows(atom{'e', int64(j.Job)}) {
			of.out, of.surely = t.view.LetGo(j.Job), t.view.In(j.Job)
			t.view.If(j.Job, j.By, func() { of.pays(chains) })
		} else { // the question is cut, and does not speak of it
			of.out = true
			of.together(make(costs, j.ends.n))
		}
		t.total.add(of.sum.derive(), 1)
		if t.bounds += of.least; t.bounds > most {
			return false
		}
	}
	if t.bounds <= t.worth {
		return false
	}
	t.total.derive()
	return true
}

// priced reports whether a job pays for anything.
func (t *pricing) priced(j *job) bool {
	for o := range t.late {
		if o.Shape().Jobs.Has(j.spec.Kind) {
			return true
		}
	}
	for k := j.first; k < j.end; k++ {
		for n := t.f.stages[k].first; n < t.f.stages[k].end; n++ {
			for p := t.f.tasks[n].first; p < t.f.tasks[n].end; p++ {
				if t.cost[p] != nil {
					return true
				}
			}
		}
	}
	return false
}

// way derives what a job pays at the least.
type way struct {
	*pricing
	job *job
	sum
	least       int64
	out, surely bool // the job is known not to be in, or to be
}

// lateness is what the job pays for ending late, by the values of its end, and for being let go.
func (w *way) lateness() (by costs, letGo int64) {
	j := w.job
	by = make(costs, j.ends.n)
	for o, each := range w.late {
		shape := o.Shape()
		from, price := shape.From(j.spec), each*shape.Weight(j.spec)
		switch {
		case !shape.Jobs.Has(j.spec.Kind) || j.By < from || j.By == from && j.in == True:
		case shape.Counts():
			letGo += price
			for i := range by {
				if j.ends.value(i) > from {
					by[i] += price
				}
			}
		case j.Role == "must":
			for i := range by {
				by[i] += price * int64(max(0, j.ends.value(i)-from))
			}
		}
	}
	if j.in == True {
		letGo = 0
	}
	return by, letGo
}

// pays derives what the job pays, and adds it up to least: so much if it is in, and what it pays let go if it is not.
func (w *way) pays(chains bool) {
	j := w.job
	late, letGo := w.lateness()
	b := int64(0)
	switch {
	case w.out || w.view.Contradicts():
		w.out = true
		w.together(late)
	case chains && j.spec.Chain() && j.end > j.first+1:
		b = w.chain(late)
	default:
		b = w.together(late)
	}
	switch {
	case j.in == True:
		w.least = b
	case w.out:
		w.add(w.rup(clause(-j.in)), letGo)
		w.least = letGo
	case w.surely && b > letGo:
		w.add(w.rup(clause(j.in)), b-letGo)
		w.least = b
	default:
		w.axiom(j.in, b-letGo)
		w.axiom(-j.in, letGo-b)
		w.least = min(b, letGo)
	}
}

// stay is a place of a task under way: what it has paid, by the values of a scale, and the gaps of that.
type stay struct {
	*place
	sum
	cost costs
	gaps []gap
	ok   bool // it can be there
}

// reach gives the gaps of S, R and A at a place.
func (w *way) reach(p *place) (start, get, hand []gap, ok bool) {
	if w.out {
		return nil, nil, nil, true
	}
	s, r, ok := w.view.Reach(w.f.tasks[p.task].id, p.slave)
	if !ok {
		return []gap{{-1, p.start.n - 1}}, []gap{{-1, p.get.n - 1}}, []gap{{-1, p.hand.n - 1}}, false
	}
	if also, is := w.begins[p.on]; is {
		of := &r
		if w.hold == model.HoldRun {
			of = &s
		}
		of.First, of.Last = max(of.First, also.First), min(of.Last, also.Last)
		s.First, r.Last = max(s.First, r.First+p.fetch), min(r.Last, s.Last-p.fetch)
		if p.tied {
			r.First, s.Last = s.First-p.fetch, r.Last+p.fetch
		}
	}
	start, get = within(&p.start, s.First, s.Last), within(&p.get, r.First, r.Last)
	hand = []gap{{p.hand.index(r.Last), p.hand.n - 1}}
	for _, d := range p.away {
		if d.End == model.Never {
			continue // the windows end by then
		}
		_, back := w.f.Set.BeatAtOrAfter(p.slave, d.End)
		start = append(start, gap{p.start.index(d.Start - p.run), p.start.index(back + p.fetch - 1)})
		get = append(get, gap{p.get.index(d.Start - p.run - p.fetch), p.get.index(back - 1)})
	}
	return ordered(start, p.start.n), ordered(get, p.get.n), ordered(hand, p.hand.n), true
}

// costs are what is paid at a place.
func (w *way) costs(p int32) (start, get, hand costs) {
	of := &w.f.places[p]
	c := w.cost[p]
	if c == nil {
		return make(costs, of.start.n), make(costs, of.get.n), make(costs, of.hand.n)
	}
	return slices.Clone(c.start), slices.Clone(c.get), slices.Clone(c.hand)
}

// plus adds costs to costs.
func (c costs) plus(d costs) {
	for i := range c {
		c[i] += d[i]
	}
}

// ahead derives what is paid at a place by S: the least that hand-out, fetch and run cost.
func (w *way) ahead(p int32) *stay {
	of := &w.f.places[p]
	a := &stay{place: of, sum: sum{x: w.exporter}}
	start, get, hand, ok := w.reach(of)
	own, line, beat := w.costs(p)
	a.ok = ok
	if of.tied {
		own.plus(line)
		clear(line)
	}
	paid := beat.least(hand, false)
	a.change(&of.hand, beat, paid, hand)
	for i := range of.hand.n - 1 {
		a.add(of.handed+int64(i), paid[i]-paid[i+1])
	}
	for i := range line {
		line[i] += paid[of.hand.index(of.get.value(i))]
	}
	if !of.tied {
		paid = line.least(get, false)
		a.change(&of.get, line, paid, get)
		for i := range of.get.n - 1 {
			a.add(of.fetched+int64(i), paid[i]-paid[i+1])
		}
		line = paid
	}
	own.plus(line)
	a.cost, a.gaps = own, start
	return a
}

// back derives what is paid at a place by A: the least that it costs from then on, with what follows its finish.
func (w *way) back(p int32, follows func(finish model.Time) int64) *stay {
	of := &w.f.places[p]
	a := &stay{place: of, sum: sum{x: w.exporter}}
	start, get, hand, ok := w.reach(of)
	own, line, beat := w.costs(p)
	a.ok = ok
	for i := range own {
		own[i] += follows(of.start.value(i) + of.run)
	}
	paid := own
	if of.tied {
		own.plus(line)
		paid = own.least(start, true)
		a.change(&of.start, own, paid, start)
	} else {
		paid = own.least(start, true)
		a.change(&of.start, own, paid, start)
		for i := range of.start.n - 1 {
			a.add(of.fetched+int64(i), paid[i+1]-paid[i])
		}
		line.plus(paid)
		paid = line.least(get, true)
		a.change(&of.get, line, paid, get)
	}
	flat := make(costs, len(paid)) // as from the heartbeat before on
	for i := range paid {
		flat[i] = paid[of.get.index(of.hand.value(of.hand.index(of.get.value(i))))]
	}
	a.change(&of.get, paid, flat, nil)
	for i := range beat {
		beat[i] += flat[of.get.index(of.hand.value(i))]
	}
	for i := range of.hand.n - 1 {
		a.add(of.handed+int64(i), flat[of.get.index(of.hand.value(i+1))]-flat[of.get.index(of.hand.value(i))])
	}
	a.cost, a.gaps = beat, hand
	return a
}

// never stands for what cannot be.
const never = math.MaxInt64

// settled fills what is never up to the first value, or backwards from the last on, with that value; 0 where there is none.
func (c costs) settled(backwards bool) (first int) {
	order := slices.Clone(c)
	if backwards {
		slices.Reverse(order)
	}
	k := slices.IndexFunc(order, func(v int64) bool { return v < never })
	for i := range order {
		switch {
		case k < 0:
			order[i] = 0
		case i < k:
			order[i] = order[k]
		}
	}
	if backwards {
		slices.Reverse(order)
		k = len(c) - 1 - k
	}
	copy(c, order)
	return k
}

// before derives what a task pays by the time that its stage ends, which is no less the sooner that is, but the same up to a
// time; and from when on that can be.
func (w *way) before(n int32, same model.Time) (by costs, first model.Time) {
	t := &w.f.tasks[n]
	ends := &w.f.stages[t.stage].ends
	by = slices.Repeat(costs{never}, ends.n)
	var stays []*stay
	for p := t.first; p < t.end; p++ {
		a := w.ahead(p)
		if stays = append(stays, a); !a.ok {
			continue
		}
		paid := a.cost.least(a.gaps, false)
		from := a.start.n
		for i := range a.start.n {
			if !in(a.gaps, i) {
				from = i
				break
			}
		}
		for i := range by {
			if k := a.start.index(ends.value(i) - a.run); k >= from {
				by[i] = min(by[i], paid[k])
			}
		}
	}
	first = ends.value(max(0, by.settled(false)))
	by.flatten(max(0, ends.index(same)))
	for _, a := range stays {
		to := make(costs, a.start.n)
		for i := range to {
			to[i] = by[max(0, ends.index(a.start.value(i)+a.run))]
		}
		a.change(&a.start, a.cost, to, a.gaps)
		w.add(a.derive(), 1)
	}
	w.add(t.some, by[ends.n-1])
	for i := range ends.n - 1 {
		w.add(t.finished+int64(i), by[i]-by[i+1])
	}
	return by, first
}

// flatten has costs up to an index be those of that.
func (c costs) flatten(to int) {
	for i := range to {
		c[i] = c[to]
	}
}

// together derives what all tasks pay by when the job ends, and what it pays for being late.
func (w *way) together(late costs) int64 {
	j := w.job
	sum, first := slices.Clone(late), j.ends.lo
	for k := j.first; k < j.end; k++ {
		st := &w.f.stages[k]
		for n := st.first; n < st.end; n++ {
			by, from := w.before(n, j.ends.lo)
			first = max(first, from)
			for i := range sum {
				sum[i] += by[st.ends.index(j.ends.value(i))]
			}
			for i := 0; len(j.ended) > 0 && i < j.ends.n-1; i++ {
				at := st.ends.index(j.ends.value(i))
				next := st.ends.index(j.ends.value(i + 1))
				w.addOr(j.ended[k-j.first][i], by[at]-by[next], st.ends.nth(at), j.ends.nth(i))
			}
		}
	}
	return w.leastOf(&j.ends, sum, within(&j.ends, first, j.By))
}

// leastOf derives that costs by a scale are no less than the least of those in no gap.
func (w *way) leastOf(of *scale, by costs, gaps []gap) int64 {
	gaps = ordered(gaps, of.n)
	if w.out {
		gaps = nil
	}
	least := int64(never)
	for i, c := range by {
		if !in(gaps, i) {
			least = min(least, c)
		}
	}
	if least == never || w.out {
		least = 0
	}
	w.change(of, by, slices.Repeat(costs{least}, len(by)), gaps)
	return least
}

// chain derives what the tasks of the first stage pay by when it ends, and those of the others from then on.
func (w *way) chain(late costs) int64 {
	j := w.job
	last := &w.f.stages[j.end-1].ends
	follows := make(costs, last.n) // by when the last stage ends
	for i := range follows {
		follows[i] = late[max(0, j.ends.index(last.value(i)))]
	}
	for i := range j.ends.n - 1 {
		at := j.ends.value(i)
		w.addOr(j.ended[len(j.ended)-1][i], late[i+1]-late[i], last.at(at), j.ends.nth(i))
	}
	for k := j.end - 1; k > j.first; k-- {
		follows = w.from(k, follows)
	}
	st := &w.f.stages[j.first]
	sum, first := follows, st.ends.lo
	for n := st.first; n < st.end; n++ {
		by, from := w.before(n, st.ends.lo)
		sum.plus(by)
		first = max(first, from)
	}
	return w.leastOf(&st.ends, sum, within(&st.ends, first, w.handed(j.first+1)))
}

// handed is by when all tasks of a stage can be handed out.
func (w *way) handed(k int32) model.Time {
	by := w.job.By
	for n := w.f.stages[k].first; n < w.f.stages[k].end; n++ {
		last := model.Time(-1)
		for p := w.f.tasks[n].first; p < w.f.tasks[n].end; p++ {
			of := &w.f.places[p]
			if _, r, ok := w.view.Reach(w.f.tasks[n].id, of.slave); ok {
				last = max(last, of.hand.value(max(0, of.hand.index(r.Last))))
				s, _, _ := w.view.Reach(w.f.tasks[n].id, of.slave)
				w.rup(clause(-of.on, of.start.at(s.Last)))
			} else {
				w.rup(clause(-of.on))
			}
		}
		by = min(by, last)
	}
	return by
}

// from derives what the tasks of a stage and those after it pay by when the stage before it ends, given what follows its end.
func (w *way) from(k int32, follows costs) costs {
	st, before := &w.f.stages[k], &w.f.stages[k-1].ends
	ends, pays := &st.ends, st.first // this one pays for what follows
	t := &w.f.tasks[pays]
	var on []Literal
	for p := t.first; p < t.end; p++ {
		on = append(on, w.f.places[p].on)
	}
	w.addOr(t.most, follows[ends.n-1], w.job.in, on...)
	for i := range ends.n - 1 {
		w.add(t.finished+int64(i), follows[i+1]-follows[i])
	}
	out := make(costs, before.n)
	for n := st.first; n < st.end; n++ {
		out.plus(w.fromTask(n, k-1, func(finish model.Time) int64 {
			if n != pays {
				return 0
			}
			return follows[max(0, ends.index(finish))]
		}))
	}
	return out
}

// fromTask derives what a task, and what follows its finish, pays by when the stage before ends.
func (w *way) fromTask(n, before int32, follows func(model.Time) int64) costs {
	t := &w.f.tasks[n]
	a := &t.after[slices.IndexFunc(t.after, func(a after) bool { return a.stage == before })]
	by := slices.Repeat(costs{never}, len(a.times))
	var stays []*stay
	for p := t.first; p < t.end; p++ {
		at := w.back(p, follows)
		if stays = append(stays, at); !at.ok {
			continue
		}
		paid := at.cost.least(at.gaps, true)
		to := at.hand.n - 1
		for to >= 0 && in(at.gaps, to) {
			to--
		}
		for i, time := range a.times {
			k := at.hand.index(time-1) + 1 // the first at that time or later
			if k <= to {
				by[i] = min(by[i], paid[k])
			}
		}
	}
	by.settled(true)
	for _, at := range stays {
		to := make(costs, at.hand.n)
		for i := range to {
			k, _ := slices.BinarySearch(a.times, at.hand.value(i))
			to[i] = by[k]
		}
		at.change(&at.hand, at.cost, to, at.gaps)
		w.add(at.derive(), 1)
	}
	w.add(t.some, by[len(by)-1])
	for i := range len(by) - 1 {
		var handed []Literal
		for p := t.first; p < t.end; p++ {
			handed = append(handed, w.f.places[p].hand.at(a.times[i]))
		}
		w.addOr(a.ids[i], by[i+1]-by[i], w.f.stages[before].ends.at(a.times[i]), handed...)
	}
	ends := &w.f.stages[before].ends
	out := make(costs, ends.n)
	for i := range out {
		k, _ := slices.BinarySearch(a.times, ends.value(i))
		out[i] = by[min(k, len(by)-1)]
	}
	return out
}
