package penn

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// noDue lies before every estimate.
const noDue model.Time = -1

// option is a slave with the estimate of what it would do for a task: given is
// the heartbeat, both times Never if there is none.
type option struct {
	slave         model.SlaveID
	given, finish model.Time
}

// nowhere comes after every option that there is.
var nowhere = option{model.NoSlave, model.Never, model.Never}

// before reports whether a task that is due chooses a rather than b.
func (c *chooser) before(a, b option, due model.Time) bool {
	inTime := a.finish <= due
	switch {
	case inTime != (b.finish <= due):
		return inTime
	case !inTime && a.finish != b.finish:
		return a.finish < b.finish
	case inTime && c.byBeat() && a.given != b.given:
		return a.given < b.given
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

// kind is what items have in common of which all hold the same, and whose figures
// are the same but on a few slaves, where they are better: those that hold their
// input. So the choice of an item is the best of what is left of its kind and of
// its own few slaves.
type kind struct {
	kindKey
	// lane has the items by the last tier, front by the first where that is another.
	lane
	front *lane
	// typical has the figures, shortest the least of them, sample is one of the groups.
	typical  *model.Profile
	shortest shortest
	sample   *online.Group
	// given has the heartbeats of the slaves' options, finish their finishes; both
	// are empty before the first question.
	given, finish minTree
	// seen is how much of chooser.log has been taken into account.
	seen int
	// quotes for slaves on which items have figures of their own.
	quotes map[quoteKey]*quote
	// room is the buffer in which the next items will lie.
	room []item
}

// kindKey is what makes a kind. A profile that is worse than is typical of its kin
// on some slave is a kind of its own, whole.
type kindKey struct {
	kin   model.Kin
	whole *model.Profile
	slot  model.SlotKind
	// apart is the stage whose tasks are apart, each on a slave that none of the others has had.
	apart *model.Stage
}

// quote is an option of a slave for tasks of its kind whose figures there are their
// own.
type quote struct {
	option
	// lane has the items, by the last tier.
	lane
	transfer, wcet model.Time
	// known is chooser.changes of the slave as taken into account, plus 1.
	known int
}

type quoteKey struct {
	slave          model.SlaveID
	transfer, wcet model.Time
}

// dues are those of tasks that are wanted: in [from, until).
type dues struct{ from, until model.Time }

var (
	noDues  = dues{}
	allDues = dues{noDue, model.Never}
)

func (d dues) has(due model.Time) bool { return d.from <= due && due < d.until }

// skip leaves out what comes before the first item that is wanted.
func (d dues) skip(items []entry) []entry {
	if d == noDues {
		return nil
	}
	for i, e := range items {
		if d.has(e.due) && e.left > 0 {
			return items[i:]
		}
	}
	return nil
}

// front has the items that are wanted in the order of the first tier.
func (d dues) front(items []entry) []entry {
	var out []entry
	for rest := d.skip(items); len(rest) > 0; rest = d.skip(rest[1:]) {
		out = append(out, rest[0])
	}
	slices.SortFunc(out, func(a, b entry) int { return order(a.item, b.item, 0) })
	return out
}

// asked is what chooser.wants was asked last of a lane, and its answer.
type asked struct {
	now    model.Time
	slave  model.SlaveID
	log    int
	option option
	dues   dues
}

// chooser finds the slaves that tasks choose.
type chooser struct {
	rule Choice
	// byNumber is Params.ByNumber.
	byNumber bool
	// tier is the last, by which items are gone through.
	tier  int
	kinds map[kindKey]*kind
	// eager is set where tasks may overrun. Estimates then depend on when they were asked
	// for, so that what may have changed is asked for at once; else where it matters.
	eager bool
	// log lists the slaves in the order in which something happened to them, changes
	// counts how often it did.
	log     []model.SlaveID
	changes []int
}

// byBeat reports whether the first slave is the one that beats first.
func (c *chooser) byBeat() bool { return c.rule == First && !c.byNumber }

// changed notes that something happened to a slave.
func (c *chooser) changed(s model.SlaveID) {
	c.log = append(c.log, s)
	c.changes[s]++
}

// place finds the kind of a group and its own slaves.
func (c *chooser) place(g *online.Group) *item {
	p := g.Profile()
	var apart *model.Stage
	if st := &g.Job().Spec().Stages[g.Stage()]; st.IsApart() {
		apart = st
	}
	k := c.kind(kindKey{kin: p.Kin(), slot: g.Slot(), apart: apart}, p.Typical, g)
	own, worse := k.differences(p)
	if worse {
		own = nil
		k = c.kind(kindKey{whole: p, slot: g.Slot(), apart: apart}, func() *model.Profile { return p }, g)
	}
	c.kinds[k.kindKey] = k
	it := k.item()
	it.group, it.kind, it.least = g, k, k.shortest
	for _, key := range own {
		q := k.quotes[key]
		if q == nil {
			q = &quote{option: option{slave: key.slave}, transfer: key.transfer, wcet: key.wcet}
			q.lane = lane{kind: k, quote: q, tier: c.tier}
			k.quotes[key] = q
		}
		it.quotes = append(it.quotes, q)
		it.least.wcet = min(it.least.wcet, key.wcet)
		it.least.total = min(it.least.total, key.wcet+key.transfer)
	}
	return it
}

// item is a new one, next to the last in memory.
func (k *kind) item() *item {
	const most = 256
	if len(k.room) == 0 {
		k.room = make([]item, min(most, len(k.items)+1))
	}
	it := &k.room[0]
	k.room = k.room[1:]
	it.details = &details{}
	return it
}

// kind is the one of a key, which is made if there is none.
func (c *chooser) kind(key kindKey, typical func() *model.Profile, sample *online.Group) *kind {
	if k := c.kinds[key]; k != nil {
		return k
	}
	k := &kind{kindKey: key, typical: typical(), sample: sample, quotes: map[quoteKey]*quote{}}
	k.shortest = leastOf(k.typical, len(c.changes))
	k.lane = lane{kind: k, tier: c.tier}
	if c.tier > 0 {
		k.front = &lane{kind: k}
	}
	return k
}

// differences lists the figures of a profile on slaves where they are better than
// those of the kind, and reports whether they are worse somewhere.
func (k *kind) differences(p *model.Profile) (own []quoteKey, worse bool) {
	for _, s := range p.Exceptions() {
		transfer, wcet := p.Transfer(s), p.WCET(s)
		usual, length := k.typical.Transfer(s), k.typical.WCET(s)
		switch {
		case wcet == length && (wcet == 0 || transfer == usual):
		case wcet > 0 && (length == 0 || wcet <= length && transfer <= usual):
			own = append(own, quoteKey{s, transfer, wcet})
		default:
			return nil, true
		}
	}
	return own, false
}

// wants tells which items of a lane may choose the slave that beats now, by when
// they are due: of a kind those of which it is not one of their own slaves, of a
// quote those that have it. Each of them does that has no better quote.
func (c *chooser) wants(v *online.View, o *online.Offer, l *lane) dues {
	k := l.kind
	if o.Free(k.slot) == 0 {
		return noDues
	}
	a := asked{now: v.Now(), slave: o.Slave(), log: len(c.log)}
	if l.asked.now == a.now && l.asked.slave == a.slave && l.asked.log == a.log && k.seen > 0 {
		return l.asked.dues
	}
	c.catchUp(v, k)
	if l.quote != nil {
		c.refresh(v, l.quote, k.sample)
		a.option = l.quote.option
	} else {
		a.option = k.option(v, a.slave)
	}
	if a.option.given == a.now {
		a.dues = c.dues(v, k, a.option)
	}
	l.asked = a
	return a.dues
}

// dues are those of the tasks that choose an option, which can be had now, rather than
// any of the kind's. What it has done in time goes to it unless another that comes
// first does, and what none has done in time goes to the one that is done first.
func (c *chooser) dues(v *online.View, k *kind, own option) dues {
	first := c.finishFirst(v, k, own)
	rival := model.Never
	switch {
	case c.rule == Best:
		if first {
			return allDues
		}
		return noDues
	case c.byBeat():
		rival = k.finishNow(v, own)
	default:
		rival = k.finishBefore(v, own.slave)
	}
	switch {
	case own.finish >= rival:
		return noDues
	case first:
		return dues{noDue, rival}
	default:
		return dues{own.finish, rival}
	}
}

// finishFirst reports whether no other of the kind's options is done earlier, or as
// early on a slave with a lower number.
func (c *chooser) finishFirst(v *online.View, k *kind, own option) bool {
	return own.finish < k.finishBefore(v, own.slave) && k.soonest(v).finish >= own.finish
}

// suits reports whether an item of a lane that is wanted has no better quote.
func (c *chooser) suits(v *online.View, l *lane, it *item) bool {
	return !c.before(c.own(v, it), l.asked.option, it.due)
}

// choose is the slave that an item chooses.
func (c *chooser) choose(v *online.View, it *item) option {
	c.catchUp(v, it.kind)
	best := c.best(v, it.kind, it.due)
	if own := c.own(v, it); own.slave == best.slave || c.before(own, best, it.due) {
		return own
	}
	return best
}

// own is the choice among the item's own slaves. As time passes options get worse
// and not better, so that it stays while its heartbeat has not passed.
func (c *chooser) own(v *online.View, it *item) option {
	if !it.fresh || v.Now() > it.best.given {
		c.renew(v, it)
	}
	return it.best
}

// renew finds out about own.
func (c *chooser) renew(v *online.View, it *item) {
	it.best, it.fresh = nowhere, true
	for _, q := range it.quotes {
		c.refresh(v, q, it.group)
		if c.before(q.option, it.best, it.due) {
			it.best = q.option
		}
	}
}

// refresh brings a quote up to date for what holds the same as a group.
func (c *chooser) refresh(v *online.View, q *quote, sample *online.Group) {
	if known := c.changes[q.slave] + 1; q.known != known || q.given < v.Now() {
		q.known = known
		q.given, q.finish = v.EstimateOf(q.slave, sample, q.transfer, q.wcet)
	}
}

// better reports whether a quote has become any better than when it was brought up to
// date last.
func (c *chooser) better(v *online.View, q *quote) bool {
	given, finish := v.EstimateOf(q.slave, q.kind.sample, q.transfer, q.wcet)
	return given < q.given || finish < q.finish
}

// catchUp takes what has happened to slaves into account.
func (c *chooser) catchUp(v *online.View, k *kind) {
	news := c.log[k.seen:]
	k.seen = len(c.log)
	if k.given.leaves > 0 && len(news) < len(c.changes) {
		for _, s := range news {
			k.estimate(v, s)
		}
		return
	}
	if k.given.leaves == 0 {
		k.given, k.finish = newMinTree(len(c.changes)), newMinTree(len(c.changes))
	}
	for s := range model.SlaveID(len(c.changes)) {
		k.estimate(v, s)
	}
}

// estimate brings the option of a slave up to date.
func (k *kind) estimate(v *online.View, s model.SlaveID) {
	given, finish := v.EstimateOf(s, k.sample, k.typical.Transfer(s), k.typical.WCET(s))
	k.given.set(s, given)
	k.finish.set(s, finish)
}

// option is that of a slave.
func (k *kind) option(v *online.View, s model.SlaveID) option {
	if k.given.of(s) < v.Now() {
		k.estimate(v, s)
	}
	return option{s, k.given.of(s), k.finish.of(s)}
}

// finishBefore is the earliest finish on the slaves with lower numbers than s. An
// option of which the heartbeat has passed is not too late, so those that come first are
// brought up to date until one is.
func (k *kind) finishBefore(v *online.View, s model.SlaveID) model.Time {
	for {
		finish, first := k.finish.before(s)
		if finish == model.Never || k.given.of(first) >= v.Now() {
			return finish
		}
		k.estimate(v, first)
	}
}

// finishNow is the earliest finish on slaves with lower numbers than that of an option
// which, like it, can be had now.
func (k *kind) finishNow(v *online.View, own option) model.Time {
	earliest := model.Never
	for s := k.given.next(0, v.Now()); s != model.NoSlave && s < own.slave; s = k.given.next(s+1, v.Now()) {
		if o := k.option(v, s); o.given == v.Now() {
			earliest = min(earliest, o.finish)
		}
		if earliest <= own.finish {
			break
		}
	}
	return earliest
}

// soonest is the option that is done first.
func (k *kind) soonest(v *online.View) option {
	for k.finish.all() != model.Never {
		s := k.finish.first(k.finish.all())
		if k.given.of(s) >= v.Now() {
			return k.option(v, s)
		}
		k.estimate(v, s)
	}
	return nowhere
}

// best is the kind's option that a task chooses which is due then.
func (c *chooser) best(v *online.View, k *kind, due model.Time) option {
	best := k.soonest(v)
	if best.finish > due {
		return best
	}
	for s := range model.SlaveID(len(c.changes)) {
		if o := k.option(v, s); c.before(o, best, due) {
			best = o
		}
	}
	return best
}
