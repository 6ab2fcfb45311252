package policies

import (
	"strconv"

	"downbeat/online"
	"downbeat/online/basic"
)

// basicEntries rank jobs by a key.
func basicEntries() []entry {
	common := []Param{
		{"choice", "any", "of a task's slave: any that asks, or best, the one on which it is estimated to finish first"},
		{"feasible", "no", "yes puts jobs last that cannot be in time any more"},
	}
	keyed := func(name, about string, build func(basic.Options) online.Policy) entry {
		return entry{Info{Name: name, About: about, Params: common}, func(a *args) online.Policy { return build(a.basic()) }}
	}
	lookAhead := Param{"k", strconv.Itoa(basic.DefaultLookAhead), "how far it looks ahead, in mean times of jobs: little is as llf, much as wspt"}
	return []entry{
		{Info{Name: "fifo", About: "jobs in the order of release, as Hadoop 1 did by default", Params: []Param{
			{"hadoop", "no", "yes hands out as Hadoop's scheduler does: at a heartbeat a slave's share of what is left, no more than one reduce, and one map away from its input"}}},
			func(a *args) online.Policy {
				if a.yesNo("hadoop") {
					return basic.Hadoop()
				}
				return basic.FIFO()
			}},
		plain("fair", "the job with the fewest running tasks for its weight", basic.Fair),
		keyed("edf", "the job with the earliest deadline", basic.EDF),
		keyed("llf", "the job with the least laxity", basic.LLF),
		keyed("wspt", "the job with the most weight for the work that is left of it", basic.WSPT),
		{Info{Name: "atc", About: "the job with the largest apparent tardiness cost: weight for work, less the more laxity it has", Params: append([]Param{lookAhead}, common...)},
			func(a *args) online.Policy { return basic.ATC(a.basic(), a.real("k", 1e-3, 1e3)) }},
	}
}

// basic are the parameters that policies of package basic share.
func (a *args) basic() basic.Options {
	return basic.Options{Best: a.word("choice", "any", "best") == "best", Feasible: a.yesNo("feasible")}
}
