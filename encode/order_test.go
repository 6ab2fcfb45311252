package encode

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/irifrance/gini"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// byCounting is Build for any size, but no resource is said by order.
func byCounting(q query.Question) *Encoding {
	e := buildWithout(q, "C4 cores", "C5, C9 slots and named resources", "C6 fetch line")
	for _, h := range []model.Hold{model.HoldRun, model.HoldStay, model.HoldFetch} {
		e.eachResource(h, func(r *resource) { buildCounters(e, r) })
	}
	return e
}

// boundSet is a tiny set of slaves with one core, on which many tasks can run on
// one slave only.
func boundSet(seed uint64) *model.JobSet {
	k := gen.TinyKnobs()
	k.Tasks, k.Slaves, k.Cores, k.SpareSlots = gen.Range{Lo: 4, Hi: 6}, gen.Range{Lo: 2, Hi: 3}, gen.Range{Lo: 1, Hi: 1}, gen.Range{Lo: 0, Hi: 5}
	k.EqualSlave, k.Barred, k.Heartbeat = 0.1, 0.6, gen.Range{Lo: 1, Hi: 2}
	k.FIFO, k.BestEffort = 0.1, 0.4
	js, _ := gen.Random(k, seed)
	return js
}

// jobShop is a random job shop: every job has a stage of one task on every
// slave, in an order of its own; WCETs are 1 to most.
func jobShop(t testing.TB, jobs, slaves int, most model.Time, seed uint64) *model.JobSet {
	rng := newRand(seed)
	js := &model.JobSet{Heartbeat: 1}
	for range slaves {
		js.Slaves = append(js.Slaves, model.Slave{Cores: 1, Slots: jobs})
	}
	for range jobs {
		job := model.Job{Kind: model.BestEffort}
		for k, s := range rng.Perm(slaves) {
			wcet := make([]model.Time, slaves)
			wcet[s] = 1 + model.Time(rng.Int64N(int64(most)))
			p := model.NewProfile(model.DenseRow(wcet), model.ConstRow(slaves, 0))
			job.Stages = append(job.Stages, model.Stage{
				Name: fmt.Sprint("op", k+1), Groups: []model.Group{{Count: 1, Profile: p}},
			})
		}
		js.Jobs = append(js.Jobs, job)
	}
	return assemble(t, js)
}

// endBy asks for all jobs to end by a time.
func endBy(js *model.JobSet, end model.Time) query.Question {
	q := ask(js, "feasible", newRand(0))
	for i := range q.Role {
		q.Role[i], q.Cap[i] = query.Must, end
	}
	return q
}

// TestOrderAgreesWithCounting asks every kind of question in both ways.
func TestOrderAgreesWithCounting(t *testing.T) {
	seeds := testkit.Sets[uint64](200, 600)
	answers, ordered := map[bool]int{}, 0
	for seed := range seeds {
		js := boundSet(seed)
		for i := range uint64(3) {
			kind := kinds[(seed+3*i)%uint64(len(kinds))]
			q := ask(js, kind, newRand(seed))
			e, counted := buildWithout(q), byCounting(q)
			if e.Vars() != counted.Vars() {
				ordered++
			}
			want := (&solver{f: counted.Formula}).ask(t)
			got := eachModel(t, e, &q, newRand(seed), 3, func(a answered) {
				if faults := a.faults(); len(faults) > 0 {
					t.Errorf("seed %d, question %q: a plan breaks %v", seed, kind, faults)
				}
			})
			if got != want {
				t.Errorf("seed %d, question %q: satisfiable %v, by counting %v", seed, kind, got, want)
			}
			answers[got]++
		}
	}
	if answers[true] == 0 || answers[false] == 0 || ordered < int(seeds) {
		t.Errorf("answers %v, %d formulas with resources by order", answers, ordered)
	}
}

// TestJobShopsAsExhaustiveSearch: a plan of the least makespan and none one below.
func TestJobShopsAsExhaustiveSearch(t *testing.T) {
	for seed := range uint64(60) {
		js := jobShop(t, 3, 2, 5, seed)
		want, err := oracle.SolveFor(js, []model.Objective{model.Makespan}, false)
		if err != nil {
			t.Fatal(err)
		}
		best := model.Time(want.Values[0])
		for _, end := range []model.Time{best, best - 1} {
			q := endBy(js, end)
			got := eachModel(t, buildWithout(q), &q, newRand(seed), 4, func(a answered) {
				if faults := a.faults(); len(faults) > 0 {
					t.Errorf("seed %d: a plan breaks %v", seed, faults)
				}
			})
			if got != (end == best) {
				t.Errorf("seed %d: by %d satisfiable %v, the least makespan is %d", seed, end, got, best)
			}
		}
	}
}

// TestOrderAroundFixedTasks: some tasks of a plan keep their places, the others
// are asked for anew. Both ways agree, and what comes out is a valid plan.
func TestOrderAroundFixedTasks(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(300) {
		js := boundSet(seed)
		if js.FIFO {
			continue
		}
		rng := newRand(seed)
		order := rng.Perm(len(js.Jobs))
		plan := heuristics.Complete(js, model.NewSchedule(len(js.Tasks)))
		finishes := js.Finishes(plan)
		end := slices.Max(finishes) - model.Time(rng.IntN(3))
		free := order[:1+rng.IntN(len(order))]
		slices.Sort(free)
		q, ids := around(js, plan, free, end)
		e, counted := buildWithout(q), byCounting(q)
		want := (&solver{f: counted.Formula}).ask(t)
		got := eachModel(t, e, &q, rng, 3, func(a answered) {
			whole := slices.Clone(plan)
			for k, id := range ids {
				whole[id] = a.plan[k]
			}
			if err := check.Schedule(js, whole, true).Err(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
		})
		if got != want {
			t.Errorf("seed %d: satisfiable %v, by counting %v", seed, got, want)
		}
		answers[got]++
	}
	if answers[true] == 0 || answers[false] == 0 {
		t.Errorf("answers %v", answers)
	}
}

// around asks for some jobs of a plan to end by a time while the others keep
// their places; ids are the tasks of those jobs.
func around(js *model.JobSet, plan model.Schedule, free []int, end model.Time) (q query.Question, ids []model.TaskID) {
	var jobs []model.JobID
	var fixed []query.Fixed
	for i := range js.Jobs {
		job := &js.Jobs[i]
		chosen := slices.Contains(free, i)
		if chosen {
			jobs = append(jobs, model.JobID(i))
		}
		for id := job.First; id < job.End; id++ {
			if chosen {
				ids = append(ids, id)
			} else {
				fixed = append(fixed, query.Fixed{Task: &js.Tasks[id], Placement: plan[id]})
			}
		}
	}
	q = endBy(js.Subset(jobs), end)
	q.Fixed = fixed
	return q, ids
}

// BenchmarkRefuteJobShop refutes the makespan one below the least, of random
// job shops of 8 jobs on 5 slaves, with unary resources said by order and by counting.
func BenchmarkRefuteJobShop(b *testing.B) {
	for _, way := range []struct {
		name  string
		build func(q query.Question) *Encoding
	}{{"order", func(q query.Question) *Encoding { return buildWithout(q) }}, {"counting", byCounting}} {
		for seed := range uint64(3) {
			js := jobShop(b, 8, 5, 60, seed)
			q := endBy(js, leastMakespan(b, js)-1)
			b.Run(fmt.Sprintf("by=%s/set=%d", way.name, seed), func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					e := way.build(q)
					g := gini.NewVc(e.Vars()+1, int(e.Clauses())+1)
					e.FeedShuffled(g, newRand(uint64(i)))
					if g.Solve() != -1 {
						b.Fatal("a plan below the least makespan")
					}
				}
			})
		}
	}
}

// leastMakespan halves the range.
func leastMakespan(b *testing.B, js *model.JobSet) model.Time {
	low, high := model.Time(0), model.Time(0)
	for i := range js.Tasks {
		for s := range js.Slaves {
			high += js.Tasks[i].WCET(model.SlaveID(s))
		}
	}
	for low < high {
		mid := low + (high-low)/2
		e, err := Build(b.Context(), endBy(js, mid), math.MaxInt64)
		if err != nil {
			b.Fatal(err)
		}
		if (&solver{f: e.Formula}).ask(b) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
