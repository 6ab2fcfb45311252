package veripb

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	"downbeat/model"
)

// exchanged is what changes places in an exchange: two tasks of a stage, two jobs with all of their tasks, or all that is on
// two slaves.
type exchanged uint8

const (
	tasks exchanged = iota
	jobs
	slaves
)

// exchange is a permutation of the variables of a question that maps its constraints to themselves. So it may be assumed
// that what is first comes first: of tasks, or the first tasks of jobs, that R is no later, of slaves that the lowest task is
// no higher.
type exchange struct {
	pair
	image image
	// moved are the tasks that change places with others.
	moved [][2]int32
}

// maxMoved bounds the variables that all exchanges of a question move together, and so the memory that they take.
const maxMoved = MaxTerms / 4

// image is where variables are moved to; it is its own inverse.
type image map[Literal]Literal

// swap has literals change places; false if they cannot.
func (m image) swap(a, b Literal) bool {
	switch {
	case a == b:
		return true
	case max(a, b) == True || min(a, b) == False:
		return false
	}
	m[a], m[b] = b, a
	return true
}

// scales has times change places.
func (m image) scales(a, b *scale) bool {
	same := a.lo == b.lo && a.step == b.step && a.n == b.n
	for i := 0; same && i < a.n; i++ {
		same = m.swap(a.nth(i), b.nth(i))
	}
	return same
}

func (m image) places(p, q *place) bool {
	return m.swap(p.on, q.on) && m.scales(&p.start, &q.start) && m.scales(&p.get, &q.get) && m.scales(&p.hand, &q.hand)
}

// tasks has tasks change places on each slave.
func (e *exchange) tasks(f *Formula, t, u int32) bool {
	e.moved = append(e.moved, [2]int32{t, u})
	return slices.EqualFunc(f.places[f.tasks[t].first:f.tasks[t].end], f.places[f.tasks[u].first:f.tasks[u].end],
		func(p, q place) bool { return p.slave == q.slave && e.image.places(&p, &q) })
}

// jobs has jobs change places with all of their tasks.
func (e *exchange) jobs(f *Formula, i, k int32) bool {
	a, b := &f.jobs[i], &f.jobs[k]
	return e.image.swap(a.in, b.in) && e.image.scales(&a.ends, &b.ends) &&
		slices.EqualFunc(f.stages[a.first:a.end], f.stages[b.first:b.end], func(x, y stage) bool {
			same := x.end-x.first == y.end-y.first && e.image.scales(&x.ends, &y.ends) && e.image.scales(&x.starts, &y.starts)
			for t := x.first; same && t < x.end; t++ {
				same = e.tasks(f, t, y.first+t-x.first)
			}
			return same
		})
}

// slaves has all that is on two slaves change places.
func (e *exchange) slaves(f *Formula, r, s model.SlaveID) bool {
	for t := range f.tasks {
		p, q := f.placeOn(int32(t), r), f.placeOn(int32(t), s)
		if (p == nil) != (q == nil) || p != nil && !e.image.places(p, q) {
			return false
		}
	}
	return true
}

// pair is two slaves, or tasks as a formula has them, of jobs their first ones.
type pair struct {
	of            exchanged
	first, second int32
}

// pairOf is that of two tasks; false where they cannot change places with what is known of their stages and jobs.
func (f *Formula) pairOf(order [2]model.TaskID) (p pair, is bool) {
	p = pair{tasks, f.taskOf[order[0]], f.taskOf[order[1]]}
	if p.first < 0 || p.second < 0 {
		return p, false
	}
	t, u := &f.tasks[p.first], &f.tasks[p.second]
	if t.stage == u.stage {
		return p, true
	}
	p.of = jobs
	heads := f.stages[f.jobs[t.job].first].first == p.first && f.stages[f.jobs[u.job].first].first == p.second
	return p, heads && t.job != u.job
}

func (a First) pair() pair { return pair{slaves, int32(a.Before), int32(a.After)} }

// classes are things that come in an order, by what they are: each has the least member of its class.
type classes map[exchanged]map[int32]int32

// classesOf joins pairs.
func classesOf(pairs []pair) classes {
	c := classes{tasks: {}, jobs: {}, slaves: {}}
	for _, p := range pairs {
		of := c[p.of]
		a, b := c.of(p.of, p.first), c.of(p.of, p.second)
		of[p.first], of[p.second] = a, b
		for k, least := range of {
			if least == max(a, b) {
				of[k] = min(a, b)
			}
		}
	}
	return c
}

// of is the class of something, itself if there is none.
func (c classes) of(what exchanged, k int32) int32 {
	if least, is := c[what][k]; is {
		return least
	}
	return k
}

// has reports whether two things are in order by their class.
func (c classes) has(p pair) bool { return c.of(p.of, p.first) == c.of(p.of, p.second) }

// inTurn are the pairs of each member of a class and the next.
func (c classes) inTurn() (out []pair) {
	for of := tasks; of <= slaves; of++ {
		members := slices.Sorted(maps.Keys(c[of]))
		slices.SortStableFunc(members, func(a, b int32) int { return int(c[of][a] - c[of][b]) })
		for i := 1; i < len(members); i++ {
			if p := (pair{of, members[i-1], members[i]}); c.has(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// exchange is that of a pair; nil if its variables do not come in pairs.
func (f *Formula) exchange(p pair) *exchange {
	e := &exchange{pair: p, image: image{}}
	is := false
	switch p.of {
	case tasks:
		is = e.tasks(f, p.first, p.second)
	case jobs:
		is = e.jobs(f, f.tasks[p.first].job, f.tasks[p.second].job)
	case slaves:
		is = e.slaves(f, model.SlaveID(p.first), model.SlaveID(p.second))
	}
	if !is || len(e.image) == 0 {
		return nil
	}
	return e
}

// preserved leaves those exchanges that map all constraints of a question to constraints of it. Sets of constraints are
// compared by sums of their hashes: VeriPB finds out where these are wrong.
func (q *Question) preserved(ctx context.Context, all []*exchange) ([]*exchange, error) {
	by := map[Literal][]int{} // the exchanges that move a variable
	for k, e := range all {
		for l := range e.image {
			by[l] = append(by[l], k)
		}
	}
	difference, looked := make([]uint64, len(all)), make([]int64, len(all))
	n := int64(0)
	_, err := Encode(ctx, q, func(c *Constraint) {
		n++
		hash := c.hash()
		for _, t := range c.Terms {
			for _, k := range by[t.Literal] {
				if looked[k] < n {
					looked[k] = n
					difference[k] += hash - all[k].image.of(c).hash()
				}
			}
		}
	})
	var out []*exchange
	for k, e := range all {
		if difference[k] == 0 {
			out = append(out, e)
		}
	}
	return out, err
}

// of is what a constraint is mapped to.
func (m image) of(c *Constraint) *Constraint {
	out := &Constraint{Least: c.Least}
	for _, t := range c.Terms {
		if to, moved := m[t.Literal]; moved {
			t.Literal = to
		}
		out.Terms = append(out.Terms, t)
	}
	out.normalise()
	return out
}

// hash is that of a constraint that is normalised.
func (c *Constraint) hash() uint64 {
	text := binary.AppendVarint(nil, c.Least)
	for _, t := range c.Terms {
		text = binary.AppendVarint(binary.AppendVarint(text, t.Coefficient), int64(t.Literal))
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

// settle finds the exchanges by which the order of tasks and slaves follows that steps take for granted. The question assumes
// what is left of its own.
func (o *Outline) settle(ctx context.Context) error {
	if len(o.order)+len(o.first) == 0 {
		return nil
	}
	order, first := o.question.Order, o.question.First
	q := *o.question
	q.Order, q.First = nil, nil
	for {
		f, err := Encode(ctx, &q, nil)
		if err != nil {
			return err
		}
		if o.exchanges, err = o.exchangesOf(ctx, f); err != nil {
			return err
		}
		pairs := []pair{}
		for _, e := range o.exchanges {
			pairs = append(pairs, e.pair)
		}
		o.ordered = classesOf(pairs)
		before := len(q.Order) + len(q.First)
		q.Order = slices.DeleteFunc(slices.Clone(order), func(of [2]model.TaskID) bool { return o.follows(f, of) })
		q.First = slices.DeleteFunc(slices.Clone(first), func(a First) bool { return o.ordered.has(a.pair()) })
		if len(q.Order)+len(q.First) == before {
			o.question = &q
			return nil
		}
	}
}

// follows reports whether two tasks are in order by exchanges.
func (o *Outline) follows(f *Formula, order [2]model.TaskID) bool {
	p, is := f.pairOf(order)
	return is && o.ordered.has(p)
}

// exchangesOf are those of the pairs of all questions that are permutations of a formula.
func (o *Outline) exchangesOf(ctx context.Context, f *Formula) ([]*exchange, error) {
	var pairs []pair
	for _, order := range o.order {
		if p, is := f.pairOf(order); is {
			pairs = append(pairs, p)
		}
	}
	for _, a := range o.first {
		pairs = append(pairs, a.pair())
	}
	var all []*exchange
	moved := 0
	for _, p := range classesOf(pairs).inTurn() {
		if e := f.exchange(p); e != nil && moved+len(e.image) <= maxMoved {
			moved += len(e.image)
			all = append(all, e)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return f.Question.preserved(ctx, all)
}

// putInOrder derives what follows by exchanges: the order of tasks first, whose R no exchange of slaves changes.
func (x *exporter) putInOrder() {
	byTime, bySlave := []*exchange{}, []*exchange{}
	for _, e := range x.outline.exchanges {
		if e.of == slaves {
			bySlave = append(bySlave, e)
		} else {
			byTime = append(byTime, e)
		}
	}
	x.dominate("sooner", byTime, x.fetches(byTime))
	x.dominate("lower", bySlave, x.lowest(bySlave))
}

// ranked is something that is the better the more of its literals hold, and the more so the less its rank is.
type ranked struct {
	rank     int64
	literals []Literal
}

// fetches are the times R of tasks that are to be in order, and of the tasks of jobs that change places with these. Those of first tasks
// of jobs count for more than others, which count the same in each job.
func (x *exporter) fetches(all []*exchange) map[int32]ranked {
	f, is := x.f, map[int32]bool{}
	for _, e := range all {
		is[e.first], is[e.second] = true, true
	}
	for n := -1; n < len(is); {
		n = len(is)
		for _, e := range all {
			for _, m := range e.moved {
				if is[m[0]] || is[m[1]] {
					is[m[0]], is[m[1]] = true, true
				}
			}
		}
	}
	out := map[int32]ranked{}
	for _, t := range slices.Sorted(maps.Keys(is)) {
		of := &f.tasks[t]
		r := ranked{rank: int64(t - f.stages[f.jobs[of.job].first].first)}
		if r.rank == 0 {
			r.rank = int64(of.job) - int64(len(f.jobs))
		}
		lo, last := model.Never, model.Time(0)
		for _, p := range f.places[of.first:of.end] {
			lo, last = min(lo, p.get.lo), max(last, p.get.last())
		}
		for at := lo; at < last; at++ {
			r.literals = append(r.literals, x.ofTask('r', int64(of.id), at))
		}
		out[t] = r
	}
	for _, e := range all {
		for _, m := range e.moved {
			for i, l := range out[m[0]].literals {
				e.image.swap(l, out[m[1]].literals[i])
			}
		}
	}
	return out
}

// lowest are the lowest tasks of slaves that are to be in order.
func (x *exporter) lowest(all []*exchange) map[int32]ranked {
	out := map[int32]ranked{}
	for _, e := range all {
		for _, s := range []int32{e.first, e.second} {
			if _, is := out[s]; is {
				continue
			}
			r := ranked{rank: int64(s) + 1}
			for t := range x.f.tasks {
				if l := x.usedBy(model.SlaveID(s), model.Time(x.f.tasks[t].id)); l != False {
					r.literals = append(r.literals, l)
				}
			}
			out[s] = r
		}
		for i, l := range out[e.first].literals {
			e.image.swap(l, out[e.second].literals[i])
		}
	}
	return out
}

// dominate derives that what is first by exchanges has no fewer literals that hold than what is second: else the sum of rank × literals gets
// less by the exchange, which is an order that cannot fall for ever.
func (x *exporter) dominate(order string, all []*exchange, of map[int32]ranked) {
	if len(all) == 0 {
		return
	}
	var c, loaded []byte
	names := map[byte][]byte{}
	for _, k := range slices.Sorted(maps.Keys(of)) {
		for _, l := range of[k].literals {
			loaded = x.f.append(append(loaded, ' '), l)
			c = fmt.Appendf(c, "%d u%d %d v%d ", -of[k].rank, l, of[k].rank, l)
			for _, side := range []byte("uvw") {
				names[side] = fmt.Appendf(names[side], " %c%d", side, l)
			}
		}
	}
	x.line("def_order %s", order)
	x.line("vars\nleft%s;\nright%s;\naux;\nend;", names['u'], names['v'])
	x.line("def\n%s>= 0;\nend;", c)
	x.line("transitivity\nvars\nfresh_right%s;\nend;", names['w'])
	x.line("proof\nproofgoal #1\npol 1 2 + 3 +;\nqed : -1;\nqed;\nend;\nend;")
	x.line("load_order %s%s;", order, loaded)
	for _, e := range all {
		if x.err = x.ctx.Err(); x.err != nil {
			return
		}
		x.exchange(e, of[e.first], of[e.second])
	}
	x.line("load_order;")
	for _, e := range all {
		for i, l := range of[e.second].literals {
			x.or(of[e.first].literals[i], -l)
		}
	}
}

// exchange derives that what is first has no fewer literals that hold than what is second, by dominance.
func (x *exporter) exchange(e *exchange, first, second ranked) {
	c := Constraint{}
	for i, l := range first.literals {
		c.add(1, l)
		c.add(-1, second.literals[i])
	}
	c.normalise()
	text := append(x.f.appendConstraint(append(x.text[:0], "dom "...), &c), " :"...)
	for _, l := range slices.Sorted(maps.Keys(e.image)) {
		text = x.f.append(append(text, ' '), l)
		text = x.f.append(append(text, " -> "...), e.image[l])
	}
	x.text = append(text, " : subproof\n"...)
	x.out.Write(x.text)
	x.last++ // its negation
	negated := strconv.FormatInt(x.last, 10)
	for goal := 1; goal <= 2; goal++ { // it gets less, and not the other way round
		x.line("proofgoal #%d", goal)
		x.line("pol %s %d * -1 +;\nqed : -1;", negated, second.rank-first.rank)
		x.last += 2
	}
	x.line("qed;")
	x.last++
}
