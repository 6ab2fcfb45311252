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

// kind is what items have in common of which all hold the same, and whose figures
// are the same but on a few slaves, where they are better: those that hold their
// input. So the choice of an item is the best of what is left of its kind and of
// its own few slaves.
type kind struct {
	kindKey
	// lane has the items.
	lane
	// typical has the figures, least the least of them, sample is one of the groups.
	typical *model.Profile
	least   shortest
	sample  *online.Group
	// given has the heartbeats of the slaves' options, finishes their finishes: those
	// of slave s at leaves + s, and at i < leaves the least of 2i and 2i + 1.
	given, finishes []model.Time
	leaves          int
	// seen is how much of chooser.log has been taken into account.
	seen int
	// quotes for slaves on which items have figures of their own.
	quotes map[quoteKey]*quote
	asked  asked
}

// kindKey is what makes a kind. A profile that is worse than is typical of its kin
// on some slave is a kind of its own, whole.
type kindKey struct {
	kin   model.Kin
	whole *model.Profile
	slot  model.SlotKind
}

// quote is an option of a slave for tasks of its kind whose figures there are their
// own.
type quote struct {
	option
	transfer, wcet model.Time
	// known is chooser.changes of the slave as taken into account, plus 1.
	known int
}

type quoteKey struct {
	slave          model.SlaveID
	transfer, wcet model.Time
}

// asked is what wants was asked last, and its answer.
type asked struct {
	now    model.Time
	slave  model.SlaveID
	log    int
	wanted bool
}

// chooser finds the slaves that tasks choose.
type chooser struct {
	rule  Choice
	kinds map[kindKey]*kind
	// log lists the slaves in the order in which something happened to them, changes
	// counts how often it did.
	log     []model.SlaveID
	changes []int
}

// changed notes that something happened to a slave.
func (c *chooser) changed(s model.SlaveID) {
	c.log = append(c.log, s)
	c.changes[s]++
}

// place finds the kind of an item and its own slaves.
func (c *chooser) place(it *item) {
	p := it.group.Profile()
	k := c.kind(kindKey{kin: p.Kin(), slot: it.group.Slot()}, p.Typical, it.group)
	own, worse := k.differences(p)
	if worse {
		own = nil
		k = c.kind(kindKey{whole: p, slot: it.group.Slot()}, func() *model.Profile { return p }, it.group)
	}
	c.kinds[k.kindKey] = k
	it.kind, it.least = k, k.least
	for _, key := range own {
		q := k.quotes[key]
		if q == nil {
			q = &quote{option: option{slave: key.slave}, transfer: key.transfer, wcet: key.wcet}
			k.quotes[key] = q
		}
		it.quotes = append(it.quotes, q)
		it.least.wcet = min(it.least.wcet, key.wcet)
		it.least.total = min(it.least.total, key.wcet+key.transfer)
	}
}

// kind is the one of a key, which is made if there is none.
func (c *chooser) kind(key kindKey, typical func() *model.Profile, sample *online.Group) *kind {
	if k := c.kinds[key]; k != nil {
		return k
	}
	k := &kind{kindKey: key, typical: typical(), sample: sample, leaves: 1, quotes: map[quoteKey]*quote{}}
	k.least = leastOf(k.typical, len(c.changes))
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

// wants reports whether the slave that beats may be the choice of an item of the
// kind of which it is not one of its own slaves. It is only for items that are due
// when it would be done or soon after, and at other times only if it is best.
func (c *chooser) wants(v *online.View, o *online.Offer, k *kind) bool {
	if o.Free(k.slot) == 0 {
		return false
	}
	question := asked{now: v.Now(), slave: o.Slave(), log: len(c.log), wanted: k.asked.wanted}
	if k.asked == question && k.seen > 0 {
		return k.asked.wanted
	}
	c.catchUp(v, k)
	s := o.Slave()
	if k.given[s] < v.Now() {
		k.estimate(v, s)
	}
	question.wanted = false
	if k.given[s] == v.Now() {
		due := noDue
		if c.rule == First {
			due = k.finishes[k.leaves+int(s)]
		}
		question.wanted = k.best(v, due).slave == s
	}
	k.asked = question
	return question.wanted
}

// choose is the slave that an item chooses.
func (c *chooser) choose(v *online.View, it *item) option {
	c.catchUp(v, it.kind)
	best := it.kind.best(v, it.due)
	if own := c.own(v, it); own.slave == best.slave || own.before(best, it.due) {
		return own
	}
	return best
}

// own is the choice among the item's own slaves. As time passes options get worse
// and not better, so that it stays while its heartbeat has not passed.
func (c *chooser) own(v *online.View, it *item) option {
	if it.fresh && v.Now() <= it.best.given {
		return it.best
	}
	it.best, it.fresh = nowhere, true
	for _, q := range it.quotes {
		if known := c.changes[q.slave] + 1; q.known != known || q.given < v.Now() {
			q.known = known
			q.given, q.finish = v.EstimateOf(q.slave, it.group, q.transfer, q.wcet)
		}
		if q.before(it.best, it.due) {
			it.best = q.option
		}
	}
	return it.best
}

// catchUp takes what has happened to slaves into account.
func (c *chooser) catchUp(v *online.View, k *kind) {
	news := c.log[k.seen:]
	k.seen = len(c.log)
	if k.given != nil && len(news) < len(c.changes) {
		for _, s := range news {
			k.estimate(v, s)
		}
		return
	}
	if k.given == nil {
		for k.leaves < len(c.changes) {
			k.leaves *= 2
		}
		k.given, k.finishes = make([]model.Time, len(c.changes)), slices.Repeat([]model.Time{model.Never}, 2*k.leaves)
	}
	for s := range model.SlaveID(len(c.changes)) {
		k.estimate(v, s)
	}
}

// estimate brings the option of a slave up to date.
func (k *kind) estimate(v *online.View, s model.SlaveID) {
	i := k.leaves + int(s)
	k.given[s], k.finishes[i] = v.EstimateOf(s, k.sample, k.typical.Transfer(s), k.typical.WCET(s))
	for i /= 2; i > 0; i /= 2 {
		least := min(k.finishes[2*i], k.finishes[2*i+1])
		if k.finishes[i] == least {
			return
		}
		k.finishes[i] = least
	}
}

// best is the first slave that finishes by due, or else the one that finishes
// first. An option of which the heartbeat has passed is not too late, so those that
// come first are brought up to date until one is.
func (k *kind) best(v *online.View, due model.Time) option {
	for {
		by, i := max(due, k.finishes[1]), 1
		if by == model.Never {
			return nowhere
		}
		for i < k.leaves {
			if i *= 2; k.finishes[i] > by {
				i++
			}
		}
		s := model.SlaveID(i - k.leaves)
		if k.given[s] >= v.Now() {
			return option{s, k.given[s], k.finishes[i]}
		}
		k.estimate(v, s)
	}
}
