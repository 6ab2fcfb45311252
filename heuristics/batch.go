package heuristics

import (
	"context"

	"downbeat/model"
)

// batch places tasks of one stage that are of one kin, one after the other and each
// where it finishes first: what [Board.Insert] does if it tries all slaves. But it
// remembers what each slave has to offer, which a task changes for one slave alone,
// so that n tasks on S slaves take at most n + S searches in place of n · S. In large
// sets it has a choice of tasks, too: a slave that can start one is given one whose
// input it has, and slaves without are left to the task that its own could start last.
//
// Tasks that take of what all slaves share change the offers of all of them, for the worse: these are
// asked anew as their turn comes, for no time before there is enough of it.
type batch struct {
	b     *Board
	ready model.Time
	// typical is a task without figures of its own, shared are its slaves by rank,
	// and needs its cases, as in [needsLookup].
	typical model.Task
	shared  []Option
	needs   []*needs
	offers  offers
	// state tells by slave what stands behind its offer, fits the place itself.
	state []offerState
	fits  []Fit
	// takes is what each takes of what is shared, nil for most; least is the least C + E of one.
	takes []sharedNeed
	least model.Time
	// placements counts the tasks placed.
	placements int
	// withdrawn are offers that are so for now, of slaves on which the current task has figures
	// of its own.
	withdrawn []offer
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
	// own is its best place where it has figures of its own; where what is shared is taken of, as
	// it was after so many placements, and its score a lower bound since.
	own   bestFit
	asked int
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

// insertBatch places tasks of a stage that are of one kin, until ctx ends.
func (b *Board) insertBatch(ctx context.Context, tasks []model.TaskID, ready model.Time) {
	p := &b.batch
	if p.fits == nil {
		p.fits, p.state = make([]Fit, len(b.Lines)), make([]offerState, len(b.Lines))
		p.needs = make([]*needs, b.needs.Count())
		if len(b.fig.Stages)*len(b.Lines) > maxAsked {
			p.last = make([]answer, len(b.Lines))
		}
	}
	kin := b.fig.options(tasks[0]).kin
	p.b, p.ready = b, ready
	p.typical, p.shared = b.js.Tasks[tasks[0]], kin.list
	p.typical.Profile = kin.typical
	p.placements = 0
	if p.takes = b.needs.shared.of(tasks[0]); p.takes != nil {
		p.least = model.Never // of shared options there may be none
		for _, t := range tasks {
			p.least = min(p.least, b.fig.Best(t).Length())
		}
		p.ready = sharedFree(p.takes, p.ready, p.least)
	}
	clear(p.needs)
	clear(p.state)
	p.bound()
	p.waiting = p.waiting[:0]
	for len(tasks)+len(p.waiting) > 0 && ctx.Err() == nil {
		for len(tasks) > 0 && len(p.waiting) < p.ahead {
			o := b.fig.options(tasks[0])
			p.waiting = append(p.waiting, waiting{tasks[0], o, p.own(tasks[0], o), p.placements})
			tasks = tasks[1:]
		}
		p.insert()
	}
}

// bound makes the first offers: by lengths, and by earlier answers if those are believed.
func (p *batch) bound() {
	p.offers.resize(len(p.shared))
	for i, c := range p.shared {
		start := p.ready + model.Time(c.Transfer)
		if p.last != nil {
			if last := &p.last[c.Slave]; last.ready <= p.ready+believed*c.Length() {
				start = max(start, last.start)
			}
		}
		p.offers.finish[i] = start + model.Time(c.WCET)
	}
	p.offers.entered()
}

// insert places the waiting task that finishes first: where it has figures of its own, or
// else the one that would finish last there.
func (p *batch) insert() {
	k, last := p.ends()
	for p.takes != nil && p.waiting[k].asked < p.placements {
		p.askOwn(k)
		k, last = p.ends()
	}
	best := p.waiting[k].own
	if option, found := p.find(p.waiting[last].of, &best); found {
		k = last
		best.slave = p.shared[option].Slave
		best.fit, best.request = p.fits[best.slave], p.request(option)
	}
	for _, at := range p.withdrawn {
		p.offers.set(at.option, at.finish)
	}
	p.withdrawn = p.withdrawn[:0]
	p.state[best.slave] = min(p.state[best.slave], stale)
	p.b.place(p.waiting[k].task, &best)
	p.placed(k, best.slave)
}

// ends are the waiting tasks that would finish first and last where they have figures of their own.
func (p *batch) ends() (first, last int) {
	for i := range p.waiting {
		switch score := p.waiting[i].own.score; {
		case score < p.waiting[first].own.score:
			first = i
		case score > p.waiting[last].own.score:
			last = i
		}
	}
	return first, last
}

// askOwn looks anew at what the waiting task k has of its own.
func (p *batch) askOwn(k int) {
	w := &p.waiting[k]
	w.own, w.asked = p.own(w.task, w.of), p.placements
}

// share is for when what is shared was taken of: no offer is better than before, nor than what begins
// when there is enough of it again.
func (p *batch) share() {
	p.placements++
	for i := range p.state {
		p.state[i] = min(p.state[i], stale)
	}
	ready := sharedFree(p.takes, p.ready, p.least)
	if ready == p.ready {
		return
	}
	p.ready = ready
	for i, c := range p.shared {
		p.offers.finish[i] = max(p.offers.finish[i], ready+c.Length())
	}
	p.offers.entered()
	for i := range p.waiting {
		if w := &p.waiting[i]; len(w.of.own) > 0 {
			w.own.score = max(w.own.score, ready+w.of.own[0].Length())
		}
	}
}

// placed takes the waiting task k off the list, and looks anew at those for which the slave
// that has it now was something of their own.
func (p *batch) placed(k int, on model.SlaveID) {
	end := len(p.waiting) - 1
	p.waiting[k] = p.waiting[end]
	p.waiting = p.waiting[:end]
	if p.takes != nil {
		p.share()
		return
	}
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

// find is the option of the best exact offer, if that beats the best place so far.
func (p *batch) find(o *options, best *bestFit) (option int32, found bool) {
	beaten := func(finish model.Time, c Option) bool {
		return best.slave != model.NoSlave &&
			(best.score < finish || best.score == finish && best.option.rank() < c.rank())
	}
	for {
		option, finish := p.offers.best()
		if finish == withdrawn {
			return 0, false
		}
		c := p.shared[option]
		switch {
		case beaten(finish, c):
			return 0, false
		case o.excepts(c.Slave):
			p.withdrawn = append(p.withdrawn, offer{finish, option})
			p.offers.set(option, withdrawn)
		case p.state[c.Slave] == exact:
			return option, true
		default:
			p.offers.set(option, p.ask(option))
		}
	}
}

// request is what a typical task asks of a slave.
func (p *batch) request(option int32) request {
	c := p.shared[option]
	tl := &p.b.Lines[c.Slave]
	known := &p.needs[tl.Case(model.Time(c.Transfer))]
	if *known == nil {
		*known = p.b.needs.WorkOut(&p.typical, p.takes, c.Slave, tl)
	}
	return request{Ready: p.ready, Transfer: model.Time(c.Transfer), WCET: model.Time(c.WCET), Needs: *known}
}

// ask has a slave make an exact offer, and tells its finish.
func (p *batch) ask(option int32) model.Time {
	c := p.shared[option]
	r := p.request(option)
	fit := &p.fits[c.Slave]
	if p.state[c.Slave] == stale {
		r.Ready = max(r.Ready, fit.Assigned) // where there was no room for an equal task there is none now
	}
	*fit, _ = p.b.Lines[c.Slave].Earliest(r, model.Never)
	p.state[c.Slave] = exact
	if p.last != nil && p.takes == nil {
		p.last[c.Slave] = answer{p.ready, fit.Start}
	}
	return fit.Finish
}
