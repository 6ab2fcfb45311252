package heuristics

import (
	"downbeat/model"
)

// batch places tasks of one stage that are of one kin, one after the other and each
// where it finishes first: what [Board.Insert] does if it tries all slaves. But it
// remembers what each slave has to offer, which a task changes for one slave alone,
// so that n tasks on S slaves take about n + S searches in place of n · S.
type batch struct {
	b     *Board
	ready model.Time
	// typical is a task without figures of its own, shared are its slaves by rank,
	// and needs its cases, as in [needs].
	typical model.Task
	shared  []Option
	needs   []*Needs
	// asked counts the first of shared that made an offer. The others cannot do
	// better than their lengths.
	asked int
	// offers is a heap of them, the best on top.
	offers []offer
	// fits are the places offered, by slave. stale marks slaves that were given a
	// task since: what they have to offer now finishes no earlier.
	fits  []Fit
	stale []bool
	// aside are offers of slaves on which the current task has figures of its own.
	aside []offer
}

// offer is what a slave promises a typical task of the kin.
type offer struct {
	finish model.Time
	// option indexes shared.
	option int32
}

func (o offer) before(p offer) bool {
	return o.finish < p.finish || o.finish == p.finish && o.option < p.option
}

// insertBatch places tasks of a stage that are of one kin.
func (b *Board) insertBatch(tasks []model.TaskID, ready model.Time) {
	p := &b.batch
	if p.fits == nil {
		p.fits, p.stale = make([]Fit, len(b.Lines)), make([]bool, len(b.Lines))
		p.needs = make([]*Needs, 2*len(b.needs.layouts))
	}
	kin := b.fig.options(tasks[0]).kin
	p.b, p.ready = b, ready
	p.typical, p.shared = b.js.Tasks[tasks[0]], kin.list
	p.typical.Profile = kin.typical
	clear(p.needs)
	p.asked, p.offers = 0, p.offers[:0]
	for _, t := range tasks {
		p.insert(t)
	}
}

func (p *batch) insert(t model.TaskID) {
	o := p.b.fig.options(t)
	best := p.own(t, o)
	if p.find(o, &best) {
		top := p.offers[0].option
		best.slave = p.shared[top].Slave
		best.fit, best.request = p.fits[best.slave], p.request(top)
	}
	for _, at := range p.aside {
		p.push(at)
	}
	p.aside = p.aside[:0]
	p.stale[best.slave] = true
	p.b.place(t, &best)
}

// own is the best place where the task has figures of its own.
func (p *batch) own(t model.TaskID, o *options) bestFit {
	best := bestFit{task: t, needs: p.b.needs.cases(t), score: model.Never, limit: model.Never, slave: model.NoSlave}
	for _, c := range o.own {
		p.b.offer(&best, c, p.ready, 0)
	}
	return best
}

// find brings the best offer to the top, and reports whether it beats the best place
// so far.
func (p *batch) find(o *options, best *bestFit) bool {
	beaten := func(finish model.Time, c Option) bool {
		return best.slave != model.NoSlave &&
			(best.score < finish || best.score == finish && best.option.rank() < c.rank())
	}
	for {
		for p.asked < len(p.shared) {
			next := p.shared[p.asked]
			least := p.ready + next.Length()
			if len(p.offers) > 0 && p.offers[0].finish <= least || beaten(least, next) {
				break
			}
			p.push(offer{p.ask(int32(p.asked), p.ready), int32(p.asked)})
			p.asked++
		}
		if len(p.offers) == 0 {
			return false
		}
		top := &p.offers[0]
		c := p.shared[top.option]
		switch {
		case beaten(top.finish, c):
			return false
		case o.excepts(c.Slave):
			p.aside = append(p.aside, *top)
			p.pop()
		case p.stale[c.Slave]:
			// Where there was no room for an equal task before there is none now.
			top.finish = p.ask(top.option, max(p.ready, p.fits[c.Slave].Assigned))
			p.sink()
		default:
			return true
		}
	}
}

// request is what a typical task asks of a slave.
func (p *batch) request(option int32) Request {
	c := p.shared[option]
	tl := &p.b.Lines[c.Slave]
	known := &p.needs[2*tl.layout+int(min(c.Transfer, 1))]
	if *known == nil {
		*known = p.b.needs.workOut(&p.typical, c.Slave, tl.layout)
	}
	return Request{p.ready, model.Time(c.Transfer), model.Time(c.WCET), *known}
}

// ask has a slave make an offer for a hand-out at the given time or later, and
// tells its finish.
func (p *batch) ask(option int32, from model.Time) model.Time {
	s := p.shared[option].Slave
	r := p.request(option)
	r.Ready = from
	p.fits[s], _ = p.b.Lines[s].Earliest(r, model.Never)
	p.stale[s] = false
	return p.fits[s].Finish
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
	p.sink()
}

// sink lets the top offer, which has become worse, sink to its place.
func (p *batch) sink() {
	n := len(p.offers)
	if n == 0 {
		return
	}
	o, at := p.offers[0], 0
	for down := 1; down < n; down = 2*at + 1 {
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
