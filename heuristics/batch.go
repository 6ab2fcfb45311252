package heuristics

import (
	"context"

	"downbeat/heuristics/timeline"
	"downbeat/model"
)

// batch places tasks of one stage that are of one kin, one after the other and each
// where it finishes first: what [Board.Insert] does if it tries all slaves. But it
// remembers what each slave has to offer, which a task changes for one slave alone,
// so that n tasks on S slaves take at most n + S searches in place of n · S. In large
// sets it has a choice of tasks, too: a slave that can start one is given one whose
// input it has, and slaves without are left to the task that its own could start last.
type batch struct {
	b     *Board
	ready model.Time
	// typical is a task without figures of its own, shared are its slaves by rank,
	// and needs its cases, as in [timeline.Lookup].
	typical model.Task
	shared  []Option
	needs   []*timeline.Needs
	// offers is a heap with an offer of each slave, the best on top.
	offers []offer
	// state tells by slave what stands behind its offer, fits the place itself.
	state []offerState
	fits  []timeline.Fit
	// aside are offers of slaves on which the current task has figures of its own.
	aside []offer
	// waiting are the next tasks, ahead of them at most.
	waiting []waiting
	ahead   int
	// last is, by slave, what it was asked last in this construction; nil where every
	// slave is to be asked.
	last []answer
}

// waiting is a task that is to be placed.
type waiting struct {
	task model.TaskID
	of   *options
	// own is its best place where it has figures of its own.
	own bestFit
}

// mostAhead is the number of tasks of which the one to be placed next is chosen, from
// leastAhead tasks of a set on: with fewer, search soon finds who goes where.
const mostAhead, leastAhead = 32, 400

// aheadIn is the number of tasks of which the one to be placed next is chosen in a set.
func aheadIn(js *model.JobSet) int {
	if len(js.Tasks) < leastAhead {
		return 1
	}
	return mostAhead
}

// maxAsked is the number of (stage, slave) pairs up to which every slave that may be
// the best is asked. Beyond, slaves are believed to offer what they did when last
// asked: on a full cluster of a thousand, some ten are asked for a task in place of
// hundreds, and plans are next to as good.
const maxAsked = 300_000

// answer is when a slave would have started a task that was ready at some time.
type answer struct{ ready, start model.Time }

// believed is the number of lengths of a task by which it may be ready before the
// one that a slave was last asked for, for that answer to say something about it.
const believed = 3

// offerState says how good an offer is.
type offerState uint8

const (
	// stale offers come from slaves that were given a task since: they can do no
	// better. What is neither stale nor exact goes by length, or an earlier answer.
	stale offerState = 1 + iota
	// exact ones hold.
	exact
)

// offer is what a slave promises a typical task of the kin.
type offer struct {
	finish model.Time
	// option indexes shared.
	option int32
}

func (o offer) before(p offer) bool {
	return o.finish < p.finish || o.finish == p.finish && o.option < p.option
}

// insertBatch places tasks of a stage that are of one kin, until ctx ends.
func (b *Board) insertBatch(ctx context.Context, tasks []model.TaskID, ready model.Time) {
	p := &b.batch
	if p.fits == nil {
		p.fits, p.state = make([]timeline.Fit, len(b.Lines)), make([]offerState, len(b.Lines))
		p.needs = make([]*timeline.Needs, b.needs.Count())
		if len(b.fig.Stages)*len(b.Lines) > maxAsked {
			p.last = make([]answer, len(b.Lines))
		}
	}
	kin := b.fig.options(tasks[0]).kin
	p.b, p.ready = b, ready
	p.typical, p.shared = b.js.Tasks[tasks[0]], kin.list
	p.typical.Profile = kin.typical
	clear(p.needs)
	clear(p.state)
	p.bound()
	p.waiting = p.waiting[:0]
	for len(tasks)+len(p.waiting) > 0 && ctx.Err() == nil {
		for len(tasks) > 0 && len(p.waiting) < p.ahead {
			o := b.fig.options(tasks[0])
			p.waiting = append(p.waiting, waiting{tasks[0], o, p.own(tasks[0], o)})
			tasks = tasks[1:]
		}
		p.insert()
	}
}

// bound makes the first offers: by lengths, in which order they are a heap already,
// and by earlier answers if those are believed.
func (p *batch) bound() {
	p.offers = p.offers[:0]
	for i, c := range p.shared {
		start := p.ready + model.Time(c.Transfer)
		if p.last != nil {
			if last := &p.last[c.Slave]; last.ready <= p.ready+believed*c.Length() {
				start = max(start, last.start)
			}
		}
		p.offers = append(p.offers, offer{start + model.Time(c.WCET), int32(i)})
	}
	if p.last != nil {
		for at := len(p.offers)/2 - 1; at >= 0; at-- {
			p.sink(at)
		}
	}
}

// insert places the waiting task that finishes first: where it has figures of its own, or
// else the one that would finish last there.
func (p *batch) insert() {
	k, last := 0, 0
	for i := range p.waiting {
		switch score := p.waiting[i].own.score; {
		case score < p.waiting[k].own.score:
			k = i
		case score > p.waiting[last].own.score:
			last = i
		}
	}
	best := p.waiting[k].own
	if p.find(p.waiting[last].of, &best) {
		k = last
		top := p.offers[0].option
		best.slave = p.shared[top].Slave
		best.fit, best.request = p.fits[best.slave], p.request(top)
	}
	for _, at := range p.aside {
		p.push(at)
	}
	p.aside = p.aside[:0]
	p.state[best.slave] = min(p.state[best.slave], stale)
	p.b.place(p.waiting[k].task, &best)
	p.placed(k, best.slave)
}

// placed takes the waiting task k off the list, and looks anew at those for which the slave
// that has it now was something of their own.
func (p *batch) placed(k int, on model.SlaveID) {
	end := len(p.waiting) - 1
	p.waiting[k] = p.waiting[end]
	p.waiting = p.waiting[:end]
	for i := range p.waiting {
		if w := &p.waiting[i]; w.of.excepts(on) {
			w.own = p.own(w.task, w.of)
		}
	}
}

// own is the best place where the task has figures of its own.
func (p *batch) own(t model.TaskID, o *options) bestFit {
	best := bestFit{task: t, needs: p.b.needs.Cases(t), score: model.Never, limit: model.Never, slave: model.NoSlave}
	for _, c := range o.own {
		p.b.offer(&best, c, p.ready, 0)
	}
	return best
}

// find brings the best exact offer to the top, and reports whether it beats the best place
// so far.
func (p *batch) find(o *options, best *bestFit) bool {
	beaten := func(finish model.Time, c Option) bool {
		return best.slave != model.NoSlave &&
			(best.score < finish || best.score == finish && best.option.rank() < c.rank())
	}
	for len(p.offers) > 0 {
		top := &p.offers[0]
		c := p.shared[top.option]
		switch {
		case beaten(top.finish, c):
			return false
		case o.excepts(c.Slave):
			p.aside = append(p.aside, *top)
			p.pop()
		case p.state[c.Slave] == exact:
			return true
		default:
			top.finish = p.ask(top.option)
			p.sink(0)
		}
	}
	return false
}

// request is what a typical task asks of a slave.
func (p *batch) request(option int32) timeline.Request {
	c := p.shared[option]
	tl := &p.b.Lines[c.Slave]
	known := &p.needs[tl.Case(model.Time(c.Transfer))]
	if *known == nil {
		*known = p.b.needs.WorkOut(&p.typical, c.Slave, tl)
	}
	return timeline.Request{Ready: p.ready, Transfer: model.Time(c.Transfer), WCET: model.Time(c.WCET), Needs: *known}
}

// ask has a slave make an exact offer, and tells its finish.
func (p *batch) ask(option int32) model.Time {
	c := p.shared[option]
	r := p.request(option)
	fit := &p.fits[c.Slave]
	if p.state[c.Slave] == stale {
		r.Ready = fit.Assigned // where there was no room for an equal task there is none now
	}
	*fit, _ = p.b.Lines[c.Slave].Earliest(r, model.Never)
	p.state[c.Slave] = exact
	if p.last != nil {
		p.last[c.Slave] = answer{p.ready, fit.Start}
	}
	return fit.Finish
}

// push adds an offer to the heap.
func (p *batch) push(o offer) {
	p.offers = append(p.offers, o)
	at := len(p.offers) - 1
	for up := (at - 1) / 2; at > 0 && o.before(p.offers[up]); up = (at - 1) / 2 {
		p.offers[at] = p.offers[up]
		at = up
	}
	p.offers[at] = o
}

// pop takes the top offer off.
func (p *batch) pop() {
	last := len(p.offers) - 1
	p.offers[0] = p.offers[last]
	p.offers = p.offers[:last]
	if last > 0 {
		p.sink(0)
	}
}

// sink lets an offer that has become worse sink to its place.
func (p *batch) sink(at int) {
	o, n := p.offers[at], len(p.offers)
	for down := 2*at + 1; down < n; down = 2*at + 1 {
		if next := down + 1; next < n && p.offers[next].before(p.offers[down]) {
			down = next
		}
		if !p.offers[down].before(o) {
			break
		}
		p.offers[at] = p.offers[down]
		at = down
	}
	p.offers[at] = o
}
