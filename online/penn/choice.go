package penn

import (
	"fmt"

	"downbeat/model"
	"downbeat/online"
)

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
