package encode

import (
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/model"
	"downbeat/model/query"
)

// needOf makes tasks need 1, 2 or 3 units of a resource.
func needOf(t model.TaskID) int64 { return 1 + int64(t)%3 }

// withNeeds is a formula in which what runs on a slave needs no more than units,
// each task needOf it.
func withNeeds(q query.Question, units int64) *Encoding {
	e := buildWithout(q, "C4 cores")
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		r := e.resource(s, model.Supply{Resource: model.Cores, Hold: model.HoldRun, Units: units})
		for i := range r.uses {
			r.uses[i].need = needOf(r.uses[i].Task)
		}
		buildCounters(e, r)
	}
	return e
}

// overNeeds reports whether tasks that run at one time on one slave need more
// than units.
func overNeeds(js *model.JobSet, plan model.Schedule, units int64) bool {
	for t := range plan {
		need := int64(0)
		for u, at := range plan {
			runs := at.Start <= plan[t].Start && plan[t].Start < at.Start+js.Tasks[u].WCET(at.Slave)
			if at.Slave == plan[t].Slave && runs {
				need += needOf(model.TaskID(u))
			}
		}
		if need > units {
			return true
		}
	}
	return false
}

// TestNeedsOfSeveralUnits: of the plans without a resource, those stay that do
// not need too much of it at any time.
func TestNeedsOfSeveralUnits(t *testing.T) {
	const units = 4
	count := map[bool]int{}
	for seed := range uint64(200) {
		js := droppingSet(seed)
		q := ask(js, "makespan", newRand(seed))
		limited := withNeeds(q, units)
		s := &solver{f: limited.Formula}
		eachModel(t, buildWithout(q, "C4 cores"), &q, newRand(seed), 4, func(a answered) {
			var same []z.Lit
			for id, p := range a.plan {
				t := model.TaskID(id)
				same = append(same, limited.slaveLit(t, p.Slave), limited.startBy(t, p.Start), limited.startBy(t, p.Start-1).Not())
			}
			over := overNeeds(js, a.plan, units)
			if s.ask(t, same...) == over {
				t.Errorf("seed %d: over %d units %v, satisfiable %v", seed, units, over, !over)
			}
			count[over]++
		})
	}
	if count[true] < 30 || count[false] < 30 {
		t.Errorf("plans over the units and not: %v", count)
	}
}
