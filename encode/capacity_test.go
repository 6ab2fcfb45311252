package encode

import (
	"slices"
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/model"
	"downbeat/model/query"
)

// needOf makes tasks need 1, 2 or 3 units of a resource.
func needOf(t model.TaskID) int64 { return 1 + int64(t)%3 }

// withNeeds adds a resource to a question: what tasks hold of it on a slave, each
// needOf it, is no more than units. Fetches may meet.
func withNeeds(q query.Question, h model.Hold, units int64) *Encoding {
	e := buildWithout(q, "C6 fetch line")
	for s := range model.SlaveID(len(e.JS.Slaves)) {
		r := e.resource(s, model.Supply{Resource: model.Cores, Hold: h, Units: units})
		r.uses = slices.DeleteFunc(r.uses, func(u use) bool { return u.length == 0 })
		for i := range r.uses {
			r.uses[i].need = needOf(r.uses[i].Task)
		}
		buildCounters(e, r)
	}
	return e
}

// overNeeds reports whether tasks that hold at one time on one slave need more
// than units.
func overNeeds(js *model.JobSet, plan model.Schedule, h model.Hold, units int64) bool {
	held := make([]model.Interval, len(plan))
	for t := range plan {
		held[t] = js.Held(&js.Tasks[t], plan[t], h)
	}
	for t := range plan {
		need := int64(0)
		for u := range plan {
			meets := held[u].Start <= held[t].Start && held[t].Start < held[u].End
			if plan[u].Slave == plan[t].Slave && meets {
				need += needOf(model.TaskID(u))
			}
		}
		if need > units {
			return true
		}
	}
	return false
}

// places are literals that hold in one plan only.
func places(e *Encoding, plan model.Schedule) []z.Lit {
	var only []z.Lit
	for id, p := range plan {
		t := model.TaskID(id)
		k := slices.IndexFunc(e.Places[t], func(at query.Place) bool { return at.Slave == p.Slave })
		at := e.JS.Assigned(p)
		only = append(only, e.vars[t].x[k],
			e.StartBy(t, p.Start), e.StartBy(t, p.Start-1).Not(),
			e.fetchBy(t, k, p.Fetch), e.fetchBy(t, k, p.Fetch-1).Not(),
			e.assignBy(t, k, at), e.assignBy(t, k, at-e.JS.Heartbeat).Not())
	}
	return only
}

// TestNeedsOfSeveralUnits: of the plans without a resource, those stay that do
// not need too much of it at any time, in whatever way it is held.
func TestNeedsOfSeveralUnits(t *testing.T) {
	const units = 4
	for _, h := range []model.Hold{model.HoldRun, model.HoldFetch, model.HoldStay} {
		count := map[bool]int{}
		for seed := range uint64(100) {
			js := droppingSet(seed)
			q := ask(js, "makespan", newRand(seed))
			limited := withNeeds(q, h, units)
			s := &solver{f: limited.Formula}
			eachModel(t, buildWithout(q, "C6 fetch line"), &q, newRand(seed), 4, func(a answered) {
				over := overNeeds(js, a.plan, h, units)
				if s.ask(t, places(limited, a.plan)...) == over {
					t.Errorf("hold %d, seed %d: over %d units %v, satisfiable %v", h, seed, units, over, !over)
				}
				count[over]++
			})
		}
		if count[true] < 20 || count[false] < 20 {
			t.Errorf("hold %d: plans over the units and not: %v", h, count)
		}
	}
}
