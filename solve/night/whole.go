package night

import (
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/proof"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// inWhole takes out of an answer what the whole set does not have: slaves of the past, and
// cases by tasks, which have other numbers there.
func (r *rest) inWhole(res *solve.Result) {
	r.conflictInWhole(res.Conflict)
	if res.Analysis != nil {
		for _, c := range res.Analysis.Conflicts {
			r.conflictInWhole(c)
		}
	}
	if m := res.Repairs; m != nil {
		m.Single = slices.DeleteFunc(m.Single, func(x whatif.Repair) bool { return slices.ContainsFunc(x.Changes, r.ofPast) })
		m.Together = slices.DeleteFunc(m.Together, func(x whatif.Repair) bool { return slices.ContainsFunc(x.Changes, r.ofPast) })
		m.Vain = slices.DeleteFunc(m.Vain, func(v whatif.Vain) bool { return r.ofPast(v.Change) })
		m.Open = slices.DeleteFunc(m.Open, r.ofPast)
	}
}

// ofPast reports whether a change is one to a slave of the past, or to a pool that stands for a cap.
func (r *rest) ofPast(c change.Change) bool {
	if c.Kind == change.Pool {
		return slices.ContainsFunc(r.set.Pools[len(r.whole.Pools):], func(p model.Pool) bool { return p.Name == c.Name })
	}
	return slices.ContainsFunc(r.set.Slaves[len(r.whole.Slaves):], func(s model.Slave) bool { return s.Name == c.Name || s.Class == c.Name })
}

func (r *rest) conflictInWhole(c *solve.Conflict) {
	if c == nil {
		return
	}
	known := model.SlaveID(len(r.whole.Slaves))
	for i := range c.Overloads {
		o := &c.Overloads[i]
		if o.Slaves = below(o.Slaves, known); o.Resource == proof.SharedTicks {
			o.Shared = r.sharedInWhole(o.Shared)
		}
	}
	if b := c.Branching; b == nil || b.Bound == nil {
		c.Branching = nil
		return
	}
	multipliers := c.Branching.Bound.Multipliers
	kept := multipliers[:0:0]
	for _, m := range multipliers {
		if m.Slave == model.NoSlave {
			m.Shared = r.sharedInWhole(m.Shared)
		}
		if m.Slave < known {
			kept = append(kept, m)
		}
	}
	c.Branching.Bound.Multipliers = kept
}

// below lists the slaves before a number.
func below(slaves []model.SlaveID, number model.SlaveID) []model.SlaveID {
	out := slaves[:0:0]
	for _, s := range slaves {
		if s < number {
			out = append(out, s)
		}
	}
	return out
}
