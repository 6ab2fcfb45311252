// Package penn has the online heuristics that Phan, Zhang, Loo and Lee list in
// §5.1 of their paper on real-time MapReduce scheduling as a CSP and leave to
// later work: seven orders of tasks times two choices of a slave.
//
// At a heartbeat the ready tasks are gone through in the policy's order. Each
// chooses a slave by the estimates of that moment (see online.View.Estimate);
// the slave that beats gets those that choose it, the others wait. Estimates
// know what slaves hold, and not what waits for them: a task that waits for a
// fast slave does not make the next one in the order think that slave busy.
//
// # Why every task is handed out
//
// Suppose that for some time nothing happens on any slave. Estimates then only
// grow as heartbeats pass, and that of the task's choice c stays until the
// heartbeat that it rests on (online.View.Estimate). Both rules choose the
// slave that comes first by (in time or not, heartbeat or number or finish), and a
// larger estimate moves a slave back in that order, so c remains the choice until that
// heartbeat. There c has a free slot and room for the task, is asked, and takes
// it, unless it takes another first. Either way something is handed out, and
// there are finitely many tasks and attempts.
//
// Where tasks on different slaves are tied to each other (online.View.Coupled) that is not so: a choice may
// not fit there for a pool, a cap or the rest of a gang. Its tasks wait until it does, and the simulator asks
// all slaves again where nothing else happens.
//
// Without ties it is for the same reason enough to ask slaves when something has happened
// on one of them (online.OnChange).
package penn

import (
	"slices"

	"math/rand/v2"

	"downbeat/model"
	"downbeat/online"
)

// Order is how tasks are ranked (Penn §5.1 (1)–(7)). Equal ones go by release
// and file.
type Order uint8

const (
	// EDF: earliest absolute deadline of the job; best-effort jobs come last.
	EDF Order = iota
	// LLF: least laxity, which is the time to the job's deadline less the least
	// transfer and execution time of the task over its slaves. It looks at the
	// task alone, as the paper gives every task its job's deadline; the policy
	// llf of package basic counts later stages as well.
	LLF
	// ShortestWCET: least execution time over the eligible slaves.
	ShortestWCET
	// ShortestTotal: least transfer and execution time over the eligible slaves.
	ShortestTotal
	// Random: a new random order at every heartbeat.
	Random
	// Density: tasks whose density, the least WCET over the relative deadline, is
	// above Params.Delta, then the others; both by deadline.
	Density
	// Densest: the Params.K tasks of the highest density, densest first, then
	// the others by deadline. Best-effort tasks have density 0.
	Densest
)

// Choice is how a task chooses its slave (Penn §5.1 (a), (b)).
type Choice uint8

const (
	// First: the first slave, in the order of the heartbeats at which they could get
	// the task and among equals by number, that is estimated to finish it by its
	// job's absolute deadline. Where there is none, and for best-effort jobs, as Best.
	First Choice = iota
	// Best: the slave that is estimated to finish the task earliest; among
	// equals the lowest number.
	Best
)

// Params are the figures that the paper leaves open.
type Params struct {
	// Delta ≥ 0 is the threshold of Density.
	Delta float64
	// K ≥ 1 is the number of tasks that Densest puts first.
	K int
	// ByNumber takes the first processor of §5.1 (a) for the one with the lowest
	// number, free or not. Tasks then wait for the slaves that are listed first.
	ByNumber bool
	// Seed of Random.
	Seed uint64
}

// The defaults of Params. The paper names none.
const (
	DefaultDelta = 0.5
	DefaultK     = 4
)

// Orders lists all orders, as the paper does.
func Orders() []Order {
	return []Order{EDF, LLF, ShortestWCET, ShortestTotal, Random, Density, Densest}
}

// Choices lists both choices, as the paper does.
func Choices() []Choice { return []Choice{First, Best} }

// Name is the policy's name on the command line: penn-edf-first and so on.
func Name(o Order, c Choice) string {
	orders := [...]string{"edf", "llf", "swcet", "stotal", "random", "density", "densest"}
	choices := [...]string{"first", "best"}
	return "penn-" + orders[o] + "-" + choices[c]
}

// policy is one of the fourteen.
type policy struct {
	name    string
	tiers   []tier
	lots    *rand.Rand // for Random, else nil
	chooser chooser
	waiting waiting
	// news are the jobs of which tasks became ready since the last heartbeat.
	news []*online.Job
	// failed and View.Outages are as they were at the last heartbeat.
	failed  []bool
	outages int
	// lists, laps and upTo are kept to spare allocations.
	lists []list
	laps  []lap
	upTo  []int
}

// New makes one of the fourteen policies. Params that the order does not use
// are not looked at.
func New(o Order, c Choice, params Params) online.Policy {
	all := tiers(o, params)
	p := &policy{name: Name(o, c), tiers: all, chooser: chooser{rule: c, byNumber: params.ByNumber, tier: len(all) - 1, kinds: map[kindKey]*kind{}}}
	if o == Random {
		p.lots, p.chooser.tier = online.Stream(params.Seed, "penn: lots"), byArrival
	}
	return p
}

// Name implements online.Policy.
func (p *policy) Name() string { return p.name }

// Asks implements online.Policy; see the package comment.
func (p *policy) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) {
	p.failed = make([]bool, len(v.Slaves()))
	p.chooser.changes = make([]int, len(v.Slaves()))
	p.chooser.eager = v.MayOverrun()
	p.waiting = waiting{items: map[*online.Group]*item{}, local: make([][]*quote, len(v.Slaves()))}
}

// Watch implements online.Watcher.
func (p *policy) Watch(v *online.View, e online.Event) {
	switch e.Kind {
	case online.Opened:
		p.news = append(p.news, e.Job)
	case online.Assigned:
		p.changed(e.Slave, func(*quote) bool { return p.chooser.eager })
	case online.Ended:
		p.changed(e.Slave, func(q *quote) bool { return p.lots == nil || p.chooser.eager || p.chooser.better(v, q) })
	case online.GivenUp:
		p.waiting.giveUp(e.Job)
		p.news = slices.DeleteFunc(p.news, func(j *online.Job) bool { return j == e.Job })
	case online.Lost:
		p.changed(e.Slave, always)
		p.news = append(p.news, e.Job)
	}
}

func always(*quote) bool { return true }

// changed is for a slave to which something happened, which may have made some of its
// quotes better.
func (p *policy) changed(s model.SlaveID, better func(*quote) bool) {
	p.chooser.changed(s)
	for _, q := range p.waiting.local[s] {
		isBetter := better(q)
		for i := range q.items {
			q.items[i].outdate(s, isBetter)
		}
	}
}

// look notes which slaves have failed or come back, also those that held
// nothing and of which no event tells.
func (p *policy) look(v *online.View) {
	if p.outages == v.Outages() {
		return
	}
	p.outages = v.Outages()
	for i := range p.failed {
		if s := model.SlaveID(i); v.Failed(s) != p.failed[i] {
			p.failed[i] = !p.failed[i]
			p.changed(s, always)
		}
	}
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	p.look(v)
	if v.Overran(o.Slave()) {
		// Old estimates of others are too early, but nothing is handed out by them.
		p.changed(o.Slave(), always)
	}
	p.take()
	last := p.chooser.tier
	switch {
	case p.lots != nil:
		p.serveByLot(v, o)
	case last > 0:
		p.serveFront(v, o)
		fallthrough
	default:
		p.serve(v, o, last, p.wanted(v, o))
	}
	for _, k := range p.waiting.tidy() {
		delete(p.chooser.kinds, k.kindKey)
	}
}

// take enters what has become ready.
func (p *policy) take() {
	for _, j := range p.news {
		for _, g := range j.Groups() {
			if it := p.waiting.items[g]; it != nil {
				p.waiting.tasks += g.Len() - it.left
				it.left = g.Len()
				it.recount()
			} else if g.Len() > 0 {
				p.waiting.enter(p.newItem(g))
			}
		}
	}
	p.news = p.news[:0]
}

func (p *policy) newItem(g *online.Group) *item {
	j := g.Job().Spec()
	it := p.chooser.place(g)
	it.left, it.due = g.Len(), noDue
	it.arrival = uint64(j.Release)<<32 | uint64(g.Lead()) // ticks to model.MaxTime have room, too
	if p.chooser.rule == First && j.Kind != model.BestEffort {
		it.due = j.Due()
	}
	for i, t := range p.tiers {
		it.keys[i] = t.key(j, it.least)
	}
	return it
}

// serveFront goes through the first tasks of the order, as many as its first tier
// has. Once a task has been passed over it need not be looked at again: what the
// slave is given only makes it a worse choice.
func (p *policy) serveFront(v *online.View, o *online.Offer) {
	if p.waiting.tasks <= p.tiers[0].most {
		p.serve(v, o, 0, p.wantedFront(v, o))
		return
	}
	if len(p.wanted(v, o)) == 0 {
		return
	}
	var lists []list
	for _, k := range p.waiting.kinds {
		if items := allDues.skip(k.front.items); len(items) > 0 {
			lists = append(lists, list{k.front, items})
		}
	}
	front := merge(0, lists)
	for left := p.tiers[0].most; left > 0 && !o.Full(); {
		it := front.next(everything)
		if it == nil {
			return
		}
		turn := min(left, it.left)
		left -= turn
		p.give(v, o, it, 0, turn)
	}
}

// serve goes through lists in the order of a tier, and of them only through what the
// slave may be the choice of.
func (p *policy) serve(v *online.View, o *online.Offer, tier int, lists []list) {
	wanted := func(l *lane) dues { return p.chooser.wants(v, o, l) }
	items := merge(tier, lists)
	for !o.Full() {
		it := items.next(wanted)
		if it == nil {
			return
		}
		p.give(v, o, it, tier, it.left)
	}
}

// wantedFront is wanted in the order of the first tier. An item may be in two lists.
func (p *policy) wantedFront(v *online.View, o *online.Offer) []list {
	lists := p.lists[:0]
	for _, q := range p.waiting.local[o.Slave()] {
		if near := p.chooser.wants(v, o, &q.lane).front(q.items); len(near) > 0 {
			lists = append(lists, list{&q.lane, near})
		}
	}
	for _, k := range p.waiting.kinds {
		if items := p.chooser.wants(v, o, k.front).skip(k.front.items); len(items) > 0 {
			lists = append(lists, list{k.front, items})
		}
	}
	p.lists = lists
	return lists
}

// wanted lists what the slave that beats may be the choice of, by lanes.
func (p *policy) wanted(v *online.View, o *online.Offer) []list {
	lists := p.lists[:0]
	add := func(l *lane) {
		if items := p.chooser.wants(v, o, l).skip(l.items); len(items) > 0 {
			lists = append(lists, list{l, items})
		}
	}
	for _, q := range p.waiting.local[o.Slave()] {
		add(&q.lane)
	}
	for _, k := range p.waiting.kinds {
		add(&k.lane)
	}
	p.lists = lists
	return lists
}

// give hands out up to so many tasks of an item, while they are for the slave.
func (p *policy) give(v *online.View, o *online.Offer, it *item, tier, most int) {
	l := it.lane(o.Slave())
	for ; most > 0 && p.chooser.wants(v, o, l).has(it.due) && p.chooser.suits(v, l, it); most-- {
		if v.Coupled() && !o.Fits(it.group) {
			return
		}
		if o.Tracing() {
			o.Consider(p.candidates(v, tier, p.waiting.from(it, tier)))
		}
		p.hand(o, it)
	}
}

func (p *policy) hand(o *online.Offer, it *item) {
	if it.group.Gang() {
		p.handGang(o, it)
		return
	}
	o.Give(it.group)
	p.waiting.tasks--
	if it.left--; it.left == 0 {
		p.waiting.used = append(p.waiting.used, it)
	}
}

// handGang hands out a gang with one of its tasks; nothing is left of it.
func (p *policy) handGang(o *online.Offer, it *item) {
	var gang []*online.Group
	for _, g := range it.group.Job().Groups() {
		if g.Stage() == it.group.Stage() {
			gang = append(gang, g)
		}
	}
	o.Give(it.group)
	for _, g := range gang {
		p.waiting.useUp(g)
	}
}

// candidates lists the jobs of a queue, each by its first group.
func (p *policy) candidates(v *online.View, tier int, q []*item) []online.Candidate {
	var out []online.Candidate
	seen := map[*online.Job]bool{}
	for _, it := range q {
		j := it.group.Job()
		if it.group.Len() == 0 || seen[j] {
			continue
		}
		seen[j] = true
		key := p.tiers[tier].words(j.Spec(), it.least, v.Now()) + ", " + p.chooser.choose(v, it).words(v)
		out = append(out, it.group.Candidate(key))
	}
	return out
}
