package solve

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
	"downbeat/solve/whatif"
)

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
		if err := (&truth{t: t, seed: seed, js: js}).held(v, false); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, rem := range slices.Concat(v.Repairs.Single, v.Repairs.Together) {
			if !rem.Settled() {
				open++
			}
		}
	}
	if t.Logf("%d brackets in %d sets", open, sets); 100*open < sets {
		t.Error("too few")
	}
}

// TestRepairsAreOfTheWholeSet: where a job can run nowhere as all slaves go, a pool is not made too small for it: of such a set there is no file.
func TestRepairsAreOfTheWholeSet(t *testing.T) {
	js, err := jobfile.Load("gone.yaml", []byte(`version: 1
cluster:
  heartbeat: 2
  pools: {db: [{from: 0, amount: 1}, {from: 5, amount: 3}, {from: 13, amount: 4}]}
  slaves: [{name: a, count: 2, cores: 2, slots: 2, down: [[12, never]]}]
jobs:
  - {name: due, hard: true, deadline: 6, map: {tasks: [{count: 1, pools: {db: 2}, wcet: 1}]}}
  - {name: nowhere, stages: [{name: s, gang: true, tasks: [{count: 2, pools: {db: 2}, wcet: 1}]}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	v, err := Check(t.Context(), js, Options{Workers: 1, Budget: 3000})
	if err != nil || v.Repairs == nil {
		t.Fatalf("%v, %+v", err, v)
	}
	pools := 0
	for _, r := range v.Repairs.Single {
		if _, err := change.Apply(js, r.Changes); err != nil {
			t.Errorf("%v: %v", r.Changes, err)
		}
		if r.Changes[0].Kind == change.Pool {
			pools++
		}
	}
	if pools != 1 {
		t.Errorf("%d changes of the pool, in %+v", pools, v.Repairs)
	}
}
