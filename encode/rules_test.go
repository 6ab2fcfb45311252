package encode

import (
	"fmt"
	"slices"
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// dropped says which faults must turn up in models of formulas without a
// family, and which may besides; any, where order literals mean nothing.
var dropped = []struct {
	family    string
	must, may []string
	any       bool
}{
	{family: "C0 eligible slaves", must: []string{"missing"}},
	{family: "C1-C3 windows", must: []string{"C2"}, any: true},
	{family: "C4 cores", must: []string{"C4"}},
	// C5 implies C4 where there are no more slots than cores.
	{family: "C5, C9 slots and named resources", must: []string{"C5", "C4", "C9"}},
	{family: "C6 fetch line", must: []string{"C6"}},
	// What lateness costs is asked of a job's last stages only.
	{family: "C7, C10 stages", must: []string{"C7", "C10"}, may: []string{"misses", "hard-misses", "weighted-tardiness"}},
	{family: "C11 pools and caps", must: []string{"C11"}},
	// Gangs share their variables of starts, so that what is left of C12 is apart.
	{family: "C12 gangs and apart", must: []string{"C12"}},
	{family: "absences", must: []string{"down"}},
	{family: "fifo", must: []string{"fifo"}},
	{family: "symmetry"},
	{family: "objectives", must: []string{"misses", "hard-misses", "weighted-tardiness"}},
}

// droppingSet is a tiny set or one of eight tasks; some have more absences and
// fifo, some mostly equal tasks and slaves; some have containers, stage graphs and
// jobs after jobs. Of every two one has pools, caps and gangs.
func droppingSet(seed uint64) *model.JobSet {
	js := droppingAlone(seed)
	if seed%2 == 1 {
		return gen.Coupled(js, seed, seed%3 == 0)
	}
	return js
}

func droppingAlone(seed uint64) *model.JobSet {
	if seed%5 == 4 {
		return gen.TodayTiny(seed)
	}
	k := gen.TinyKnobs()
	switch seed % 4 {
	case 1:
		k.FIFO, k.Down = 0.8, 0.6
		k.Slaves, k.Cores, k.SpareSlots = gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 2, Hi: 2}, gen.Range{Lo: 0, Hi: 2}
	case 2:
		return alike(seed)
	case 3:
		return gen.Small(seed, 8)
	}
	js, _ := gen.Random(k, seed)
	return js
}

// TestEveryFamilyMatters drops each family in turn from formulas of random
// sets. What a family forbids must then turn up in the models, and nothing
// else. And wherever the whole formula has no model, those of the rest are all
// at fault: none of the families forbids too much.
func TestEveryFamilyMatters(t *testing.T) {
	seeds := testkit.Sets[uint64](50, 300)
	seen := make([]map[string]int, len(dropped))
	for i := range seen {
		seen[i] = map[string]int{}
	}
	refuted, turned := 0, 0
	for seed := range seeds {
		js := droppingSet(seed)
		for _, kind := range []string{kinds[seed%uint64(len(kinds))], kinds[(seed+3)%uint64(len(kinds))]} {
			q := ask(js, kind, newRand(seed))
			whole := solver{f: buildWithout(q).Formula}
			sat := whole.ask(t)
			if !sat {
				refuted++
			}
			for i, d := range dropped {
				where := fmt.Sprintf("seed %d, question %q, without %s", seed, kind, d.family)
				e := buildWithout(q, d.family)
				ok := eachModel(t, e, &q, newRand(seed), 3, func(a answered) {
					faults := a.faults()
					if len(faults) == 0 && !sat {
						t.Errorf("%s: a valid plan, but the whole formula has no model", where)
					}
					for _, f := range faults {
						seen[i][f]++
						if !d.any && !slices.Contains(d.must, f) && !slices.Contains(d.may, f) {
							t.Errorf("%s: a plan breaks %s", where, f)
						}
					}
				})
				switch {
				case !ok && sat:
					t.Errorf("%s: no model, but the whole formula has one", where)
				case ok && !sat:
					turned++
				}
			}
		}
	}
	for i, d := range dropped {
		t.Logf("without %s: %v", d.family, seen[i])
		for _, rule := range d.must {
			if seen[i][rule] == 0 {
				t.Errorf("without %s no plan broke %s", d.family, rule)
			}
		}
	}
	t.Logf("%d formulas refuted, %d of them with a family less not", refuted, turned)
}

// TestModelsAreValidPlans: every model of a whole formula is a valid plan of
// the placed jobs within caps and limits, with A as the package comment says.
func TestModelsAreValidPlans(t *testing.T) {
	seeds := testkit.Sets[uint64](150, 300)
	count := map[string]int{}
	for seed := range seeds {
		js := droppingSet(1000 + seed)
		for _, kind := range kinds {
			q := ask(js, kind, newRand(seed))
			e := buildWithout(q)
			ok := eachModel(t, e, &q, newRand(seed), 3, func(a answered) {
				if faults := a.faults(); len(faults) > 0 {
					t.Errorf("seed %d, question %q: a plan breaks %v", seed, kind, faults)
				}
				if err := assignedRight(e, &a); err != nil {
					t.Errorf("seed %d, question %q: %v", seed, kind, err)
				}
			})
			if ok {
				count[kind]++
			} else {
				count["no "+kind]++
			}
		}
	}
	for _, kind := range kinds {
		if count[kind] == 0 || count["no "+kind] == 0 {
			t.Errorf("question %q: %d satisfiable, %d not", kind, count[kind], count["no "+kind])
		}
	}
}

// assignedRight checks that A is the last heartbeat up to R, or with fifo the
// one that the literals of A say.
func assignedRight(e *Encoding, a *answered) error {
	js := e.JS
	for _, t := range e.Included {
		p := a.plan[t]
		if !a.placed[js.Tasks[t].Job] {
			if p.Slave != model.NoSlave {
				return fmt.Errorf("%s is placed, its job is not", js.TaskName(t))
			}
			continue
		}
		if last, _ := js.BeatAtOrBefore(p.Slave, p.Fetch); !js.FIFO && p.Beat != last {
			return fmt.Errorf("%s: heartbeat %d, the last one before its fetch is %d", js.TaskName(t), p.Beat, last)
		}
		holds := func(m z.Lit) bool { return m == cnf.True || m != cnf.False && a.value(m) }
		k := slices.IndexFunc(e.Places[t], func(at query.Place) bool { return at.Slave == p.Slave })
		at := js.Assigned(p)
		if !holds(e.assignBy(t, k, at)) || holds(e.assignBy(t, k, at-js.Heartbeat)) {
			return fmt.Errorf("%s: the literals of A do not say %d", js.TaskName(t), at)
		}
	}
	return nil
}

// TestWitnessesAreModels: where a schedule is known to exist the formula has a
// model.
func TestWitnessesAreModels(t *testing.T) {
	for _, name := range []string{"tiny", "tight", "tight-laid", "misses"} {
		for seed := range uint64(3) {
			js, witness, err := gen.Family(name, seed)
			if err != nil || witness == nil {
				t.Fatalf("%s: no witness (%v)", name, err)
			}
			q := ask(js, "tardiness", newRand(seed))
			for i, finish := range js.Finishes(witness) {
				q.Role[i], q.Cap[i] = query.Must, finish
			}
			e := buildWithout(q)
			if err := inModel(t, e, witness); err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
}

// inModel asks for a plan with the slaves of the witness in which no job
// finishes later.
func inModel(t *testing.T, e *Encoding, witness model.Schedule) error {
	t.Helper()
	var assume []z.Lit
	if !e.NoSymmetry && len(e.EqualSlaves(e.Included)) == 0 {
		for id := range witness {
			if !tasksAlike(e, model.TaskID(id)) {
				assume = append(assume, e.slaveLit(model.TaskID(id), witness[id].Slave))
			}
		}
	}
	s := &solver{f: e.Formula}
	if !s.ask(t, assume...) {
		return fmt.Errorf("no model, though a schedule is known")
	}
	return nil
}

// tasksAlike reports whether the order of equal tasks concerns t.
func tasksAlike(e *Encoding, t model.TaskID) bool {
	for a, b := range e.EqualPairs {
		if a == t || b == t {
			return true
		}
	}
	return false
}

// TestImpossible: a job that must be placed and is late alone refutes the
// formula before any solver is asked.
func TestImpossible(t *testing.T) {
	for seed := range uint64(200) {
		js := gen.Tiny(seed)
		q := ask(js, "a job left out", newRand(seed))
		q.Role[0], q.Cap[0] = query.Must, js.Jobs[0].Release // no time at all
		e, err := Build(t.Context(), q, predictSize(newLayout(q), huge).Clauses)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Empty() || e.On(0) != cnf.False {
			t.Errorf("seed %d: formula empty: %v; job 1 is placed: %v", seed, e.Empty(), e.On(0))
		}
		q.Role[0] = query.May
		if e := buildWithout(q); e.On(0) != cnf.False || slices.Contains(e.Included, 0) {
			t.Errorf("seed %d: a job that may be left out, and must be, is in the formula", seed)
		}
	}
}
