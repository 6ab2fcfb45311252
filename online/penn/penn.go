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
// slave that comes first by (in time or not, number or finish), and a larger
// estimate moves a slave back in that order, so c remains the choice until that
// heartbeat. There c has a free slot and room for the task, is asked, and takes
// it, unless it takes another first. Either way something is handed out, and
// there are finitely many tasks and attempts.
//
// For the same reason it is enough to ask slaves when something has happened
// on one of them (online.OnChange).
package penn

import (
	"fmt"
	"math/rand/v2"
	"slices"

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
	// First: the slave with the lowest number that is estimated to finish the
	// task by its job's absolute deadline. Where there is none, and for
	// best-effort jobs, as Best.
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
	least   map[*model.Profile]shortest
	// queues has what is ready by tier, in its order; stale asks to make them
	// anew. Items of groups that are used up drop out on the way.
	queues [][]*item
	stale  bool
}

// item is a group of equal ready tasks in a queue.
type item struct {
	group *online.Group
	wish  *wish
	key   key
}

// New makes one of the fourteen policies. Params that the order does not use
// are not looked at.
func New(o Order, c Choice, params Params) online.Policy {
	p := &policy{
		name: Name(o, c), tiers: tiers(o, params), stale: true,
		chooser: chooser{rule: c}, least: map[*model.Profile]shortest{},
	}
	if o == Random {
		p.lots = rand.New(rand.NewPCG(params.Seed, uint64(Random)))
	}
	p.queues = make([][]*item, len(p.tiers))
	return p
}

// Name implements online.Policy.
func (p *policy) Name() string { return p.name }

// Asks implements online.Policy; see the package comment.
func (p *policy) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) { p.chooser.start(v) }

// Watch implements online.Watcher.
func (p *policy) Watch(_ *online.View, e online.Event) {
	switch e.Kind {
	case online.Arrived:
		p.stale = true
	case online.Assigned:
		p.chooser.changed(e.Slave)
	case online.Lost:
		p.chooser.changed(e.Slave)
		p.stale = true
	case online.Ended:
		p.chooser.changed(e.Slave)
		st := &e.Job.Spec().Stages[e.Job.Stage()]
		p.stale = p.stale || e.Job.Done() == int(st.End-st.First)
	}
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	p.chooser.look(v)
	if p.stale {
		p.queue(v)
	}
	for i, q := range p.queues {
		p.queues[i] = slices.DeleteFunc(q, func(it *item) bool { return it.group.Len() == 0 })
		if p.lots != nil {
			p.serveByLot(v, o)
		} else {
			p.serve(v, o, &p.tiers[i], p.queues[i])
		}
	}
}

// queue ranks what is ready, anew.
func (p *policy) queue(v *online.View) {
	p.stale = false
	p.chooser.forget()
	for i := range p.tiers {
		p.queues[i] = p.queues[i][:0]
	}
	for _, j := range v.Ready() {
		for _, b := range j.Groups() {
			if b.Len() == 0 {
				continue
			}
			w := p.chooser.wish(b)
			for i, t := range p.tiers {
				p.queues[i] = append(p.queues[i], &item{b, w, t.key(j.Spec(), p.shortest(b.Profile()))})
			}
		}
	}
	for _, q := range p.queues {
		slices.SortStableFunc(q, func(a, b *item) int { return a.key.compare(b.key) })
	}
}

// serve goes through a queue in order. Once a task has been passed over it need
// not be looked at again: what the slave is given only makes it a worse choice.
func (p *policy) serve(v *online.View, o *online.Offer, t *tier, q []*item) {
	left := t.most
	for i, it := range q {
		if left == 0 || o.Full() {
			return
		}
		turn := min(left, it.group.Len())
		left -= turn
		for ; turn > 0 && p.goes(v, o, it); turn-- {
			if o.Tracing() {
				o.Consider(p.candidates(v, t, q[i:]))
			}
			o.Give(it.group)
		}
	}
}

// goes reports whether the next task of a group is for the slave that beats.
func (p *policy) goes(v *online.View, o *online.Offer, it *item) bool {
	if o.Free(it.group.Slot()) == 0 {
		return false
	}
	w := p.chooser.choose(v, it.wish)
	return w.slave == o.Slave() && w.given == v.Now()
}

// serveByLot draws among the tasks that are for the slave until there are none.
// That is the same as to go through all tasks in random order.
func (p *policy) serveByLot(v *online.View, o *online.Offer) {
	for !o.Full() {
		var willing []*item
		tasks := 0
		for _, it := range p.queues[0] {
			if n := it.group.Len(); n > 0 && p.goes(v, o, it) {
				willing = append(willing, it)
				tasks += n
			}
		}
		if tasks == 0 {
			return
		}
		lot, i := p.lots.IntN(tasks), 0
		for ; lot >= willing[i].group.Len(); i++ {
			lot -= willing[i].group.Len()
		}
		if o.Tracing() {
			willing[0], willing[i] = willing[i], willing[0]
			o.Consider(p.candidates(v, &p.tiers[0], willing))
			i = 0
		}
		o.Give(willing[i].group)
	}
}

// candidates lists the jobs of a queue, each by its first group.
func (p *policy) candidates(v *online.View, t *tier, q []*item) []online.Candidate {
	var out []online.Candidate
	seen := map[*online.Job]bool{}
	for _, it := range q {
		j := it.group.Job()
		if it.group.Len() == 0 || seen[j] {
			continue
		}
		seen[j] = true
		spec := j.Spec()
		key := t.words(spec, p.shortest(it.group.Profile()), v.Now()) + ", " + p.chooser.choose(v, it.wish).words(v)
		out = append(out, online.Candidate{Job: spec.Name, Stage: spec.Stages[j.Stage()].Name, Key: key})
	}
	return out
}

// wish is the choice of a slave that tasks of equal figures, slots and
// deadlines share, kept until it may be another.
type wish struct {
	wishKey
	option
	// group is one of these tasks.
	group *online.Group
	// seen is how much of chooser.log has been taken into account.
	seen int
}

type wishKey struct {
	profile *model.Profile
	slot    model.SlotKind
	// due is the deadline by which the first slave will do, noDue where only
	// the best one will.
	due model.Time
}

// noDue lies before every estimate.
const noDue model.Time = -1

// option is a slave with the estimate of what it would do for a task: given is
// the heartbeat, both times Never if there is none.
type option struct {
	slave         model.SlaveID
	given, finish model.Time
}

// past is before every heartbeat.
const past model.Time = -1

// nowhere comes after every option that there is.
var nowhere = option{model.NoSlave, model.Never, model.Never}

// before reports whether a task that is due chooses a rather than b.
func (a option) before(b option, due model.Time) bool {
	inTime := a.finish <= due
	switch {
	case inTime != (b.finish <= due):
		return inTime
	case !inTime && a.finish != b.finish:
		return a.finish < b.finish
	default:
		return a.slave < b.slave
	}
}

// words says an option for people.
func (a option) words(v *online.View) string {
	if a.finish == model.Never {
		return "no slave can take it"
	}
	return fmt.Sprintf("%s by %d", v.Slaves()[a.slave].Name, a.finish)
}

// chooser finds the slave that a task chooses and remembers it. A choice holds
// until its heartbeat has passed or a slave has changed; of the latter only
// those that have are looked at again, unless the choice itself is among them.
type chooser struct {
	rule Choice
	// wishes of what is ready, and those of the time before forget.
	wishes, former map[wishKey]*wish
	// log lists the slaves in the order in which something happened to them.
	log []model.SlaveID
	// failed is as it was when look was last called.
	failed []bool
}

func (c *chooser) start(v *online.View) { c.failed = make([]bool, len(v.Slaves())) }

func (c *chooser) slaves() int { return len(c.failed) }

// changed notes that something happened to a slave.
func (c *chooser) changed(s model.SlaveID) { c.log = append(c.log, s) }

// look notes which slaves have failed or come back, also those that held
// nothing and of which no event tells.
func (c *chooser) look(v *online.View) {
	for i := range c.failed {
		if s := model.SlaveID(i); v.Failed(s) != c.failed[i] {
			c.failed[i] = !c.failed[i]
			c.changed(s)
		}
	}
}

// forget makes room for the wishes of another set of ready tasks. Those that
// are called for again are taken over.
func (c *chooser) forget() {
	c.former, c.wishes = c.wishes, make(map[wishKey]*wish, len(c.wishes))
}

// wish is what the tasks of a group share.
func (c *chooser) wish(b *online.Group) *wish {
	k := wishKey{b.Profile(), b.Slot(), noDue}
	if j := b.Job().Spec(); c.rule == First && j.Kind != model.BestEffort {
		k.due = j.Due()
	}
	w := c.wishes[k]
	if w == nil {
		if w = c.former[k]; w == nil {
			w = &wish{wishKey: k, group: b, option: option{slave: model.NoSlave, given: past}}
		}
		c.wishes[k] = w
	}
	return w
}

// choose brings a wish up to date.
func (c *chooser) choose(v *online.View, w *wish) option {
	news := c.log[w.seen:]
	fresh := v.Now() <= w.given && len(news) < c.slaves()
	for i := 0; fresh && i < len(news); i++ {
		if news[i] == w.slave {
			fresh = false
		} else if a := estimate(v, w, news[i]); a.before(w.option, w.due) {
			w.option = a
		}
	}
	if !fresh {
		w.option = nowhere
		for s := range model.SlaveID(c.slaves()) {
			if a := estimate(v, w, s); a.before(w.option, w.due) {
				w.option = a
			}
		}
	}
	w.seen = len(c.log)
	return w.option
}

func estimate(v *online.View, w *wish, s model.SlaveID) option {
	given, finish := v.Estimate(s, w.group)
	return option{s, given, finish}
}
