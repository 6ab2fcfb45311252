package solve

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/gen"
	"downbeat/solve/whatif"
)

// less is a change of one step less, by a tick where it is a time; ok is false where it is
// made or not.
func (x *truth) less(c model.Change) (model.Change, bool) {
	switch c.Kind {
	case change.Deadline:
		c.At--
	case change.Release:
		c.At++
	case change.Fetch:
		c.N++
	case change.Soften, change.Stay:
		return c, false
	default:
		c.N--
	}
	return c, true
}

// made reports whether a change makes something easier, and is not what there is or less.
func (x *truth) made(c model.Change) bool {
	job := slices.IndexFunc(x.js.Jobs, func(j model.Job) bool { return j.Name == c.Name })
	switch c.Kind {
	case change.Deadline:
		return c.At > x.js.Jobs[job].Deadline
	case change.Release:
		return c.At < x.js.Jobs[job].Release
	case change.Fetch:
		return c.N < 100
	case change.Count:
		return c.N > x.members(c.Name)
	default:
		return c.N > 0
	}
}

// utmost is a change, with a deadline as late as can be.
func utmost(c model.Change) model.Change {
	if c.Kind == change.Deadline {
		return model.Change{Kind: change.Soften, Name: c.Name}
	}
	return c
}

// fewer are changes with a slave, a core, a slot and a unit more at most, so that exhaustive
// search comes to an end: what is in vain is so with less of it.
func (x *truth) fewer(changes []model.Change) []model.Change {
	out := slices.Clone(changes)
	for k := range out {
		switch c := &out[k]; c.Kind {
		case change.Count:
			c.N = x.members(c.Name) + 1
		case change.Cores, change.Slots, change.Units:
			c.N = 1
		}
	}
	return out
}

func (x *truth) checkRepairs(r *Repairs) {
	for _, rem := range slices.Concat(r.Single, r.Together) {
		if !x.mended(rem.Changes...) {
			x.errorf("%v does not help", rem.Changes)
		}
		for k, c := range rem.Changes {
			without := slices.Delete(slices.Clone(rem.Changes), k, k+1)
			if len(without) > 0 && x.mended(without...) {
				x.errorf("%v helps without %v", rem.Changes, c)
			}
			less := slices.Clone(rem.Changes)
			var ok bool
			if less[k], ok = x.less(c); ok && rem.Least[k] && x.mended(less...) {
				x.errorf("of %v %v is not the least", rem.Changes, c)
			}
			if rem.Least[k] && rem.AtLeast[k] != c {
				x.errorf("of %v %v is the least, and %v may do", rem.Changes, c, rem.AtLeast[k])
			}
			if less[k], ok = x.less(rem.AtLeast[k]); ok && x.made(less[k]) && x.mended(less...) {
				x.errorf("of %v less than %v does", rem.Changes, rem.AtLeast[k])
			}
		}
	}
	for _, v := range r.Vain {
		if x.mended(utmost(v.Change)) {
			x.errorf("%v was said to be in vain", v.Change)
		}
	}
	for _, all := range r.Refuted {
		if few := x.fewer(all); x.mended(few...) {
			x.errorf("%v together were said to be in vain", all)
		}
	}
	x.checkFound(r)
}

// checkFound counts the single changes that help, and those of them reported. Where none
// helps it counts pairs of single steps that do, and those for which a repair of two changes
// is reported that costs no more.
func (x *truth) checkFound(r *Repairs) {
	steps := x.steps()
	for _, c := range steps {
		if !x.mended(c) {
			continue
		}
		x.single++
		if slices.ContainsFunc(r.Single, func(have whatif.Repair) bool { return x.covers(have.Changes[0], c) }) {
			x.found++
		} else {
			x.t.Logf("seed %d: %v helps, which is not reported", x.seed, c)
		}
	}
	if x.single > 0 || len(r.Single) > 0 || x.seed%2 > 0 {
		return
	}
	for k, c := range steps {
		for _, d := range steps[:k] {
			if c.Kind == change.Soften || d.Kind == change.Soften || !x.mended(d, c) {
				continue
			}
			x.pairs++
			if len(r.Together) > 0 && len(r.Together[0].Changes) == 2 && r.Together[0].Cost <= x.cost(c)+x.cost(d) {
				x.paired++
			} else {
				x.t.Logf("seed %d: %v and %v help, and nothing as cheap is reported", x.seed, c, d)
			}
		}
	}
}

// cost is what a single step costs, in millionths, rounded up. No slave of these sets has a
// cost.
func (x *truth) cost(c model.Change) int64 {
	share := func(part, whole model.Time) int64 { return 1 + int64(float64(part)/float64(whole)*1e6) }
	cores, slots, units := model.Time(0), model.Time(0), model.Time(0)
	for i := range x.js.Slaves {
		s := &x.js.Slaves[i]
		cores += model.Time(s.Cores)
		slots += model.Time(s.TotalSlots() / s.Pools())
		if k := slices.Index(x.js.Named, c.Resource); k >= 0 {
			units += model.Time(s.Offers(k))
		}
	}
	job := slices.IndexFunc(x.js.Jobs, func(j model.Job) bool { return j.Name == c.Name })
	switch c.Kind {
	case change.Deadline:
		return share(1, x.js.Jobs[job].Deadline)
	case change.Release:
		return share(1, cmp.Or(x.js.Jobs[job].Deadline, x.js.Jobs[job].Release))
	case change.Count:
		return share(1, model.Time(len(x.js.Slaves)))
	case change.Cores:
		return share(1, cores)
	case change.Slots:
		return share(1, slots)
	case change.Units:
		return share(1, units)
	default: // no fetch at all, and a whole absence, are no single steps: whatever they cost
		return math.MaxInt64 / 4
	}
}

// steps are all changes by a single step, and those that are made or not, in the order in
// which they are made: new slaves before others are changed.
func (x *truth) steps() []model.Change {
	var out []model.Change
	for i := range x.js.Jobs {
		job := &x.js.Jobs[i]
		if job.Kind == model.Hard {
			out = append(out, model.Change{Kind: change.Soften, Name: job.Name},
				model.Change{Kind: change.Deadline, Name: job.Name, At: job.Deadline + 1})
		}
		if job.Release > 0 {
			out = append(out, model.Change{Kind: change.Release, Name: job.Name, At: job.Release - 1})
		}
		out = append(out, model.Change{Kind: change.Fetch, Name: job.Name})
	}
	for i := range x.js.Slaves {
		s := &x.js.Slaves[i]
		if i == 0 || s.Class != x.js.Slaves[i-1].Class {
			out = append(out, model.Change{Kind: change.Count, Name: s.Class, N: x.members(s.Class) + 1})
		}
		out = append(out, model.Change{Kind: change.Cores, Name: s.Name, N: 1}, model.Change{Kind: change.Slots, Name: s.Name, N: 1})
		for _, resource := range x.js.Named {
			out = append(out, model.Change{Kind: change.Units, Name: s.Name, Resource: resource, N: 1})
		}
		for _, d := range s.Down {
			out = append(out, model.Change{Kind: change.Stay, Name: s.Name, At: d.Start})
		}
	}
	return out
}

// members is the number of slaves of a class.
func (x *truth) members(class string) int64 {
	n := int64(0)
	for i := range x.js.Slaves {
		if x.js.Slaves[i].Class == class {
			n++
		}
	}
	return n
}

// covers reports whether a repair is a change, or less of it, or that to a slave of the
// same class.
func (x *truth) covers(have, c model.Change) bool {
	class := func(name string) string {
		for i := range x.js.Slaves {
			if x.js.Slaves[i].Name == name {
				return x.js.Slaves[i].Class
			}
		}
		return name
	}
	if have.Kind != c.Kind || have.Resource != c.Resource || class(have.Name) != class(c.Name) {
		return false
	}
	switch c.Kind {
	case change.Deadline:
		return have.At <= c.At
	case change.Release, change.Stay:
		return have.At >= c.At
	case change.Fetch:
		return have.N >= c.N
	default:
		return have.N <= c.N
	}
}

// What little work leaves open is told as a bracket, which holds: its far end helps, and what
// is short of its near end does not.
func TestBracketsHold(t *testing.T) {
	testkit.OneGoroutine(t)
	open, sets := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 300, 5000)) {
		js := gen.Tiny(3_000_000 + seed)
		squeeze(t, js, model.Time(1+seed%4))
		v, err := Check(t.Context(), js, Options{Seed: seed, Budget: 30 << (seed % 5)})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if v.Repairs == nil {
			continue
		}
		sets++
		x := &truth{t: t, seed: seed, js: js}
		for _, rem := range slices.Concat(v.Repairs.Single, v.Repairs.Together) {
			if !x.mended(rem.Changes...) {
				x.errorf("%v does not help", rem.Changes)
			}
			if rem.Settled() {
				continue
			}
			open++
			for k := range rem.Changes {
				short := slices.Clone(rem.Changes)
				var ok bool
				if short[k], ok = x.less(rem.AtLeast[k]); ok && x.made(short[k]) && x.mended(short...) {
					x.errorf("of %v less than %v does", rem.Changes, rem.AtLeast[k])
				}
			}
		}
		for _, w := range v.Repairs.Vain {
			if x.mended(utmost(w.Change)) {
				x.errorf("%v was said to be in vain", w.Change)
			}
		}
	}
	if t.Logf("%d brackets in %d sets", open, sets); 100*open < sets {
		t.Error("too few")
	}
}
