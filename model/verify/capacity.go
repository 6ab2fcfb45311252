package verify

import (
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/verify/usage"
)

// capacities checks C4, C5 and C6 on slave s: of nothing that it has more is held at
// any time than there is.
func (c *checker) capacities(s model.SlaveID) {
	for _, supply := range c.js.Supplies(s) {
		uses := make([]usage.Use, 0, len(c.bySlave[s]))
		for _, i := range c.bySlave[s] {
			a := &c.attempts[i]
			if units := c.js.Need(&c.js.Tasks[a.task], s, supply.Resource); units > 0 {
				uses = append(uses, usage.Use{Interval: c.held(a, supply.Hold), Units: units, Owner: i})
			}
		}
		for _, e := range usage.Excesses(uses, supply.Units, maxTasks) {
			c.addExcess(s, supply, e)
		}
	}
}

// capacityRule is the rule that bounds a resource, and how it says so.
type capacityRule struct{ name, verb, noun, limit string }

func ruleOf(slave *model.Slave, supply model.Supply) capacityRule {
	word := supply.Resource.String()
	rule := capacityRule{name: supply.Resource.Rule(), verb: "holds", noun: "task"}
	switch {
	case supply.Resource == model.FetchLine:
		rule.verb, rule.noun, rule.limit = "fetches", "input", "it can fetch one"
		return rule
	case supply.Hold == model.HoldRun:
		rule.verb = "runs"
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

func (c *checker) addExcess(s model.SlaveID, supply model.Supply, e usage.Excess) {
	rule := ruleOf(&c.js.Slaves[s], supply)
	v := Violation{Rule: rule.name, Slave: c.js.Slaves[s].Name, At: e.Interval, More: e.More}
	slices.Sort(e.Owners)
	for _, i := range e.Owners {
		v.Tasks = append(v.Tasks, c.name(&c.attempts[i]))
	}
	what := count(len(e.Owners)+e.More, rule.noun)
	if e.Peak != int64(len(e.Owners)+e.More) {
		what += fmt.Sprintf(" that need %d", e.Peak)
	}
	upTo, at := "", ""
	if e.Changes {
		upTo, at = "up to ", fmt.Sprintf("at %d ", e.PeakAt)
	}
	v.Message = fmt.Sprintf("slave %s %s %s%s at once in %s, %s: %s%s",
		v.Slave, rule.verb, upTo, what, span(e.Interval), rule.limit, at, listNames(v.Tasks, v.More))
	c.add(v)
}
