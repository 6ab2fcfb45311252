package check

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// capacities checks C4, C5, C6 and C9 on slave s: of nothing more is held at any time
// than there is.
func (c *checker) capacities(s model.SlaveID) {
	for _, supply := range c.supplies(s) {
		uses := make([]Use, 0, len(c.bySlave[s]))
		for _, i := range c.bySlave[s] {
			a := &c.attempts[i]
			if units := c.js.Need(&c.js.Tasks[a.task], s, supply.Resource); units > 0 {
				uses = append(uses, Use{Interval: c.held(a, supply.Hold), Units: units, Owner: i})
			}
		}
		for _, k := range c.js.Slaves[s].Reservations {
			if k.Resource == supply.Resource {
				uses = append(uses, Use{Interval: k.Interval, Units: k.Units, Owner: reserved})
			}
		}
		for _, e := range Excesses(uses, supply.Units, maxTasks) {
			c.addExcess(s, supply, e)
		}
	}
}

// reserved stands for an attempt where others hold what the slave has.
const reserved = -1

// supplies lists what slave s has, and nothing of what others offer and it does not.
func (c *checker) supplies(s model.SlaveID) []model.Supply {
	supplies := c.js.Supplies(s)
	for i := range c.js.Named {
		if r := model.FirstNamed + model.ResourceID(i); c.js.Slaves[s].Offers(i) == 0 {
			supplies = append(supplies, model.Supply{Resource: r, Hold: r.Hold()})
		}
	}
	return supplies
}

// capacityRule is the rule that bounds a resource, and how it says so. unit is the word
// for several units of what tasks need more than one of, empty for other resources.
type capacityRule struct{ name, verb, noun, unit, limit string }

func ruleOf(js *model.JobSet, slave *model.Slave, supply model.Supply) capacityRule {
	word := js.ResourceName(supply.Resource)
	rule := capacityRule{name: supply.Resource.Rule(), verb: "holds", noun: "task"}
	switch {
	case supply.Resource >= model.FirstNamed:
		rule.unit, rule.limit = word, fmt.Sprintf("it offers %d", supply.Units)
		return rule
	case supply.Resource == model.FetchLine:
		rule.verb, rule.noun, rule.limit = "fetches", "input", "it can fetch one"
		return rule
	case supply.Hold == model.HoldRun:
		rule.verb, rule.unit = "runs", word+"s"
	case supply.Resource == model.MapSlots && !slave.SplitSlots:
		word = "slot"
	case supply.Resource == model.MapSlots:
		rule.noun = "map task"
	case supply.Resource == model.ReduceSlots:
		rule.noun = "reduce task"
	}
	rule.limit = "it has " + count(int(supply.Units), word)
	return rule
}

func (c *checker) addExcess(s model.SlaveID, supply model.Supply, e Excess) {
	rule := ruleOf(c.js, &c.js.Slaves[s], supply)
	v := Violation{Rule: rule.name, Slave: c.js.Slaves[s].Name, At: e.Interval, More: e.More}
	slices.Sort(e.Owners)
	for _, i := range e.Owners {
		if i == reserved {
			v.More++
			continue
		}
		v.Tasks = append(v.Tasks, c.name(&c.attempts[i]))
	}
	tasks := len(e.Owners) + e.More
	what := count(tasks, rule.noun)
	switch named := supply.Resource >= model.FirstNamed; {
	case !named && e.Peak == int64(tasks):
	case tasks == 1:
		what += fmt.Sprintf(" that needs %d %s", e.Peak, rule.unit)
	default:
		what += fmt.Sprintf(" that need %d %s", e.Peak, rule.unit)
	}
	upTo, at := "", ""
	if e.Changes {
		upTo, at = "up to ", fmt.Sprintf("at %d ", e.PeakAt)
	}
	v.Message = fmt.Sprintf("machine %s %s %s%s at once in %s, %s: %s%s",
		v.Slave, rule.verb, upTo, what, span(e.Interval), rule.limit, at, listNames(v.Tasks, v.More))
	c.add(v)
}
