package encode

import (
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// fifoSet is a tiny set of hard jobs on one or two slaves that keep the order
// of heartbeats, where fetches, cores and that order get in each other's way.
func fifoSet(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.FIFO, k.Down, k.Concurrent, k.Stagger = 1, 0, 0.2, 0
	k.Slaves, k.Cores, k.SpareSlots = gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 1, Hi: 3}, gen.Range{Lo: -1, Hi: 2}
	k.Heartbeat, k.Transfer = gen.Range{Lo: 1, Hi: 2}, gen.Range{Lo: 0, Hi: 4}
	k.EqualTasks, k.Hard, k.Witness, k.Slack = 0.2, 1, 1, gen.Range{Lo: -4, Hi: 0}
	js, _ := gen.Random(k, seed)
	return js
}

// allHard has hard jobs only, so that none can be left out; best-effort ones are due late.
func allHard(js *model.JobSet) *model.JobSet {
	out := *js
	out.Jobs, out.Tasks = slices.Clone(js.Jobs), nil
	for i := range out.Jobs {
		job := &out.Jobs[i]
		if job.Kind == model.BestEffort {
			job.Deadline = 30
		}
		job.Kind, job.Weight = model.Hard, 1
	}
	if err := out.Assemble(); err != nil {
		panic(err) // kinds break no set
	}
	return &out
}

// TestFeasibleAsExhaustiveSearch holds formulas for hard jobs against a search
// that shares no code with them.
func TestFeasibleAsExhaustiveSearch(t *testing.T) {
	count := map[bool]int{}
	check := func(name string, seed uint64, js *model.JobSet) {
		want, err := oracle.SolveFor(js, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		q := ask(js, "feasible", newRand(seed))
		got := eachModel(t, buildWithout(q), &q, newRand(seed), 8, func(a answered) {
			if faults := a.faults(); len(faults) > 0 {
				t.Errorf("%s set, seed %d: a plan breaks %v", name, seed, faults)
			}
		})
		if got != (want.Status != model.Infeasible) {
			t.Errorf("%s set, seed %d: satisfiable %v, exhaustive search says %s", name, seed, got, want.Status)
		}
		count[got]++
	}
	for seed := range testkit.Sets[uint64](100, 300) {
		check("tiny", seed, droppingSet(4*seed+seed%3)) // those of eight tasks take long
	}
	fifoSets := testkit.Tiny(t, 300, 400)
	for seed := range fifoSets {
		check("fifo", seed, fifoSet(seed))
	}
	for seed := range testkit.Sets[uint64](300, 1500) {
		js := gen.TodayTiny(seed)
		switch seed % 4 {
		case 1:
			js = fifoSet(seed)
		case 2:
			js = alike(seed)
		case 3:
			js = gen.GoneTiny(seed)
		}
		check("coupled", seed, gen.Coupled(allHard(js), seed, seed%3 == 0))
	}
	if count[true] == 0 || count[false] == 0 {
		t.Errorf("satisfiable and not: %v", count)
	}
}

// TestOptimaAsExhaustiveSearch: formulas have a model at the optimum and none
// one below, by caps and by the literals of a sum.
func TestOptimaAsExhaustiveSearch(t *testing.T) {
	checked := map[model.Objective]int{}
	for seed := range uint64(300) {
		js := gen.Tiny(seed)
		if seed%2 == 1 {
			js = gen.Coupled(js, seed, false)
		}
		for _, o := range []model.Objective{model.WeightedTardiness, model.Makespan} {
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			if want.Status == model.Infeasible || want.Values[0] == 0 {
				continue
			}
			checked[o]++
			best := want.Values[0]
			for _, v := range []int64{best, best - 1} {
				if got := reaches(t, js, o, v); got != (v == best) {
					t.Errorf("seed %d: %s at most %d: satisfiable %v, the optimum is %d", seed, o, v, got, best)
				}
			}
		}
	}
	if checked[model.WeightedTardiness] < 30 || checked[model.Makespan] < 30 {
		t.Errorf("sets checked: %v", checked)
	}
}

// reaches asks for a value of weighted tardiness or makespan: a makespan by the
// caps of jobs, a tardiness by the literals of a formula that leaves room above it.
func reaches(t *testing.T, js *model.JobSet, o model.Objective, v int64) bool {
	const room = 3
	q := ask(js, "feasible", newRand(0))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		switch {
		case o == model.Makespan:
			q.Role[i], q.Cap[i] = query.Must, min(q.Cap[i], model.Time(v))
		case job.Kind == model.Soft:
			q.Role[i], q.Cap[i] = query.Must, job.Due()+model.Time((v+room)/job.Weight)
		}
	}
	if o == model.WeightedTardiness {
		q.Limits = []query.Limit{{Objective: o, Most: v + room}}
	}
	e := buildWithout(q)
	s := &solver{f: e.Formula}
	if o == model.Makespan {
		return s.ask(t)
	}
	return s.ask(t, e.Sum(o).AtMost(v))
}
