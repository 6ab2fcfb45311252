package encode

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irifrance/gini"
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// TestSymmetryChangesNoAnswer asks with and without the order of equal tasks
// and slaves, on sets full of them.
func TestSymmetryChangesNoAnswer(t *testing.T) {
	seeds := testkit.Sets[uint64](40, 400)
	answers, ordered := map[bool]int{}, 0
	for seed := range seeds {
		js := alike(seed)
		if seed%2 == 1 {
			js = twins(t, js)
		}
		if seed%3 == 2 {
			js = gen.Coupled(js, seed, false)
		}
		for i := range uint64(3) {
			kind := kinds[(seed+3*i)%uint64(len(kinds))]
			q := ask(js, kind, newRand(seed))
			e := buildWithout(q)
			with := solver{f: e.Formula}
			q.NoSymmetry = true
			plain := buildWithout(q)
			if n := predictSymmetry(plain.layout, huge); n > 0 {
				t.Errorf("seed %d, question %q: %d clauses predicted for an order that is not asked for", seed, kind, n)
			}
			without := solver{f: plain.Formula}
			a, b := with.ask(t), without.ask(t)
			if a != b {
				t.Errorf("seed %d, question %q: satisfiable %v, without symmetry %v", seed, kind, a, b)
			}
			answers[a]++
			if e.Clauses() > plain.Clauses() {
				ordered++
			}
		}
	}
	if answers[true] == 0 || answers[false] == 0 || ordered < int(seeds) {
		t.Errorf("answers %v, %d formulas with an order", answers, ordered)
	}
}

// twins has the first job of a set twice, and no more than two others.
func twins(t *testing.T, js *model.JobSet) *model.JobSet {
	t.Helper()
	out := *js
	out.Tasks = nil
	twin := js.Jobs[0]
	twin.Name += "-twin"
	twin.Stages = slices.Clone(twin.Stages)
	out.Jobs = append([]model.Job{twin}, js.Jobs[:min(3, len(js.Jobs))]...)
	return assemble(t, &out)
}

// symmetric sets, with the number of plans, told apart by slaves and starts,
// that are left with the order and without it.
var symmetric = []struct {
	name          string
	js            model.JobSet
	ordered, free int
}{
	{
		// Starts 0, 1, 2 for each; S_1 ≤ S_2 leaves 3 + 2 + 1.
		name: "two equal tasks, one slave",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 2, Slots: 2}},
			Jobs:   []model.Job{hardJob(3, stage(2, 1, 1, 0))},
		},
		ordered: 6, free: 9,
	},
	{
		// All start at 0. The first task goes to slave 1.
		name: "two jobs, two equal slaves of one core",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 1, Slots: 1}, {Cores: 1, Slots: 1}},
			Jobs:   []model.Job{hardJob(1, stage(1, 2, 1, 0)), hardJob(1, stage(1, 2, 1, 0))},
		},
		ordered: 1, free: 2,
	},
	{
		// All start at 0: partitions of three tasks into at most three parts.
		name: "three jobs, three equal slaves of three cores",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 3, Slots: 3}, {Cores: 3, Slots: 3}, {Cores: 3, Slots: 3}},
			Jobs: []model.Job{
				hardJob(1, stage(1, 3, 1, 0)), hardJob(1, stage(1, 3, 1, 0)), hardJob(1, stage(1, 3, 1, 0)),
			},
		},
		ordered: 5, free: 27,
	},
	{
		// Ascending starts in {0, 1}: 4 ways; partitions into at most two
		// parts: 4 ways. Free: 2 slaves and 2 starts for each of three tasks.
		name: "three equal tasks, two equal slaves",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 3, Slots: 3}, {Cores: 3, Slots: 3}},
			Jobs:   []model.Job{hardJob(2, stage(3, 2, 1, 0))},
		},
		ordered: 16, free: 64,
	},
	{
		// Slaves that differ in their first heartbeat are not alike. A task
		// starts at 0 or 1 on slave 1, at 1 on slave 2: three places. S_1 ≤ S_2
		// forbids that the first starts at 1, on either slave, and the second
		// at 0.
		name: "two equal tasks, two different slaves",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 2, Slots: 2}, {Cores: 2, Slots: 2, FirstBeat: 1}},
			Jobs:   []model.Job{hardJob(2, stage(2, 2, 1, 0))},
		},
		ordered: 7, free: 9,
	},
	{
		// As two tasks of one stage: starts 0, 1, 2 for each, S_1 ≤ S_2.
		name: "two equal jobs of one task, one slave",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 2, Slots: 2}},
			Jobs:   []model.Job{hardJob(3, stage(1, 1, 1, 0)), hardJob(3, stage(1, 1, 1, 0))},
		},
		ordered: 6, free: 9,
	},
	{
		// Starts (0,1), (0,2) or (1,2) of each job's two stages. The first stage of
		// one is no later than that of the other: 1·1 + 2·2 + 2·1 ways, of 3·3.
		name: "two equal jobs of two stages, one slave",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 2, Slots: 2}},
			Jobs: []model.Job{
				hardJob(3, stage(1, 1, 1, 0), stage(1, 1, 1, 0)), hardJob(3, stage(1, 1, 1, 0), stage(1, 1, 1, 0)),
			},
		},
		ordered: 7, free: 9,
	},
	{
		// One core and two slots, so it is R that ascends. The runs are apart:
		// starts (1,2), (1,3), (2,3) and the same exchanged. Who starts at 1 has
		// fetched first. Where the starts are 2 and 3 the fetches can be at 0
		// and 1 either way, so both orders stay.
		name: "two equal tasks with inputs, fetched ahead",
		js: model.JobSet{
			Slaves: []model.Slave{{Cores: 1, Slots: 2}},
			Jobs:   []model.Job{hardJob(4, stage(2, 1, 1, 1))},
		},
		ordered: 4, free: 6,
	},
}

func TestSymmetryLeavesOnePlanOfEach(t *testing.T) {
	for _, c := range symmetric {
		t.Run(c.name, func(t *testing.T) {
			c.js.Heartbeat = 1
			js := assemble(t, &c.js)
			q := ask(js, "feasible", newRand(0))
			if got := countPlans(t, q); got != c.ordered {
				t.Errorf("%d plans with the order, want %d", got, c.ordered)
			}
			q.NoSymmetry = true
			if got := countPlans(t, q); got != c.free {
				t.Errorf("%d plans without it, want %d", got, c.free)
			}
		})
	}
}

// countPlans counts the models of a question, told apart by slaves and starts.
func countPlans(t *testing.T, q query.Question) int {
	t.Helper()
	e := buildWithout(q)
	g := gini.NewVc(e.Vars()+1, int(e.Clauses())+1)
	e.Feed(g)
	seen := map[string]bool{}
	for g.Solve() == 1 {
		plan := e.Decode(g.Value)
		var key string
		var other []z.Lit // one of these differs in every other plan
		for _, id := range e.Included {
			p := plan[id]
			key += fmt.Sprint(p.Slave, "@", p.Start, " ")
			other = append(other, e.slaveLit(id, p.Slave).Not(), e.StartBy(id, p.Start).Not(), e.StartBy(id, p.Start-1))
		}
		if seen[key] {
			t.Fatalf("plan %s came twice", key)
		}
		seen[key] = true
		for _, m := range other {
			if m != cnf.False { // none is True: then no other plan would exist
				g.Add(m)
			}
		}
		g.Add(z.LitNull)
	}
	return len(seen)
}
