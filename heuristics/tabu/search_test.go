package tabu

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// shopOf draws a set that is a shop, of at most so many tasks: machines that tasks may choose between, of one or two
// cores, with heartbeats and input where there is one slot, releases, due times and stages of several tasks.
func shopOf(draw func(n int) int, tasks int) *model.JobSet {
	js := &model.JobSet{Name: "shop", Heartbeat: model.Time(1 + draw(3)), Objectives: []model.Objective{model.Tardiness}}
	slots := 1 + draw(2)
	for range 2 + draw(2) {
		js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('a' + len(js.Slaves))), Cores: slots, Slots: slots})
	}
	for tasks > 0 {
		job := model.Job{Name: string(rune('a' + len(js.Jobs))), Release: model.Time(draw(4)), Kind: model.BestEffort}
		if draw(4) > 0 {
			job.Kind, job.Deadline, job.Weight = model.Soft, model.Time(1+draw(8)), int64(1+draw(3))
		}
		if len(js.Jobs) > 0 && draw(4) == 0 {
			job.After = []model.JobID{model.JobID(draw(len(js.Jobs)))}
		}
		for k := range 1 + draw(3) {
			if tasks == 0 {
				break
			}
			count := min(tasks, 1+draw(2))
			tasks -= count
			job.Stages = append(job.Stages, model.Stage{
				Name: string(rune('a' + k)), Groups: []model.Group{{Count: count, Profile: profileOf(draw, len(js.Slaves), slots == 1)}},
			})
		}
		js.Jobs = append(js.Jobs, job)
	}
	if err := js.Assemble(); err != nil {
		panic(err)
	}
	return js
}

func profileOf(draw func(n int) int, slaves int, fetches bool) *model.Profile {
	wcet, transfer := make([]model.Time, slaves), make([]model.Time, slaves)
	wcet[draw(slaves)] = model.Time(1 + draw(6))
	for i := range wcet {
		if draw(2) == 0 {
			wcet[i] = model.Time(1 + draw(6))
		}
		if fetches && wcet[i] > 0 {
			transfer[i] = model.Time(draw(3))
		}
	}
	return model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))
}

var objectives = []model.Objective{model.Makespan, model.Tardiness, model.WeightedTardiness, model.Misses}

// TestFindsTheOptimum holds the search against exhaustive search.
func TestFindsTheOptimum(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 1000)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		js := shopOf(rng.IntN, 5)
		for _, o := range objectives {
			want, err := oracle.SolveFor(js, []model.Objective{o}, false)
			if err != nil {
				t.Fatal(err)
			}
			s := New(js, o, seed)
			for range 20 {
				if s.Run(context.Background(), 20_000, func(plan model.Schedule) { mustBe(t, js, plan, o, s.Best()) }); s.Best() == want.Values[0] {
					break
				}
			}
			if s.Best() != want.Values[0] {
				t.Errorf("seed %d: %v %d, %d is the optimum", seed, o, s.Best(), want.Values[0])
			}
		}
	}
}

// A job that nothing has end sooner, and that costs far more than all others, ends no trajectory: moves are for others then.
func TestOneCostsTheMost(t *testing.T) {
	for seed := range uint64(5) {
		js, _, err := gen.Family("jobshop-6x6", seed)
		if err != nil {
			t.Fatal(err)
		}
		for i := range js.Jobs {
			js.Jobs[i].Kind, js.Jobs[i].Deadline, js.Jobs[i].Weight = model.Soft, 1, 1
		}
		js.Jobs[0].Weight = 5000
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		s := New(js, model.WeightedTardiness, seed)
		s.begins()
		for n := range 500 {
			if !s.step() {
				t.Errorf("seed %d: no move after %d", seed, n)
				break
			}
		}
	}
}

// mustBe checks that a plan is valid and has the value that it is said to have.
func mustBe(t *testing.T, js *model.JobSet, plan model.Schedule, o model.Objective, value int64) {
	t.Helper()
	if err := check.Schedule(js, plan, false).Err(); err != nil {
		t.Fatal(err)
	}
	if got := js.Value(o, js.Finishes(plan)); got != value {
		t.Fatalf("%v %d, said to be %d", o, got, value)
	}
}

// estimated is what a move comes to nearly, by definition: the longest path through the tasks that change places on their
// machine, laid out anew between what they wait for and what waits for them.
func estimated(g *graph, m *move) int32 {
	x := &g.nodes[m.v]
	if x.machine != m.machine {
		return m.estimate // tests of paths tell about it
	}
	var before, after, moved []int32 // of the machine
	at := &before
	for w := g.nodes[g.first(m.machine)].ms; g.isTask(w); w = g.nodes[w].ms {
		*at = append(*at, w)
		if w == m.v {
			at = &after
		}
	}
	before = before[:len(before)-1]
	if i := slices.Index(after, m.behind); i >= 0 {
		moved, after = append(slices.Clone(after[:i+1]), m.v), after[i+1:]
	} else {
		i := slices.Index(before, m.behind) + 1
		moved, before = append([]int32{m.v}, before[i:]...), before[:i]
	}
	end, tail := g.nodes[g.first(m.machine)].head, int32(heuristics.Uncounted)
	if len(before) > 0 {
		end = g.end(before[len(before)-1])
	}
	if len(after) > 0 {
		tail = g.nodes[after[0]].tail
	}
	heads, estimate := make([]int32, len(moved)), int32(heuristics.Uncounted)
	for i, w := range moved {
		heads[i] = max(end, g.ready(w))
		end = heads[i] + g.nodes[w].length
	}
	if g.sh.sum != nil {
		return estimatedSum(g, moved, heads, after)
	}
	for i, w := range slices.Backward(moved) {
		tail = max(g.nodes[w].out, g.nodes[w].length+max(g.rest(w), tail))
		estimate = max(estimate, heads[i]+tail)
	}
	return estimate
}

// estimatedSum is what all jobs cost nearly, by definition, once tasks that are moved start at some times, before others
// of their machine: jobs of which a longest path leads through one of them end as late as theirs do, others not before now.
func estimatedSum(g *graph, moved, heads, after []int32) (value int32) {
	for i := range g.sh.sum.costs {
		c := &g.sh.sum.costs[i]
		paths, now := pathsTo(g, c), g.endOf(c)
		tail, end, through := int32(heuristics.Uncounted), int32(heuristics.Uncounted), false
		if len(after) > 0 {
			tail = paths[after[0]]
		}
		for k, w := range slices.Backward(moved) {
			for _, u := range g.sh.After[w] {
				tail = max(tail, paths[u])
			}
			if tail += g.nodes[w].length; slices.Contains(c.ends, w) {
				tail = max(tail, g.nodes[w].out)
			}
			end, through = max(end, heads[k]+tail), through || g.nodes[w].head+paths[w] == now
		}
		if !through {
			end = max(end, now)
		}
		if end > c.due {
			value += c.fixed + c.weight*min(end-c.due, c.most)
		}
	}
	return value
}

// pathsTo are the longest paths from the starts of all tasks to the end of a job.
func pathsTo(g *graph, c *cost) []int32 {
	paths := make([]int32, len(g.order))
	for _, v := range slices.Backward(g.order) {
		next := slices.Clone(g.sh.After[v])
		if ms := g.nodes[v].ms; g.isTask(ms) {
			next = append(next, ms)
		}
		paths[v] = heuristics.Uncounted
		for _, u := range next {
			paths[v] = max(paths[v], paths[u]+g.nodes[v].length)
		}
		if slices.Contains(c.ends, v) {
			paths[v] = max(paths[v], g.nodes[v].out)
		}
	}
	return paths
}

// mustTie checks that the moves to choose from are those of the least estimate that are not forbidden, or lead to less than
// the trajectory has had.
func mustTie(t rapid.TB, s *Search) {
	t.Helper()
	var want []int32
	best := int32(never)
	for i := range s.moves {
		m := &s.moves[i]
		e := estimated(s.g, m)
		if m.estimate > e {
			t.Fatalf("%+v: an estimate above %d", m, e)
		}
		if m.forbidden && e >= s.found.length || e > best {
			continue
		}
		if e < best {
			best, want = e, nil
		}
		want = append(want, int32(i))
	}
	if s.tie(); !slices.Equal(s.ties, want) {
		t.Fatalf("moves %v are the best, %v are", s.ties, want)
	}
}

// TestMovesKeepTheGraph makes moves by chance: each that is listed closes no cycle, heads and tails are those of
// a graph worked out from nothing, and so are estimates where they are exact; what lies between two solutions, or
// comes from a plan, is one.
func TestMovesKeepTheGraph(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		js := shopOf(func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "choice") }, rapid.IntRange(2, 24).Draw(r, "tasks"))
		o := objectives[rapid.IntRange(0, len(objectives)-1).Draw(r, "objective")]
		s := New(js, o, rapid.Uint64().Draw(r, "seed"))
		s.parents = [2]*solution{s.random().clone(), s.random().clone()}
		fresh := newGraph(s.sh)
		for range 4 {
			s.g.load(s.between())
			for range 8 {
				if s.collect(); len(s.moves) == 0 {
					break
				}
				mustTie(r, s)
				m := s.moves[s.rng.IntN(len(s.moves))]
				exact := estimated(s.g, &m)
				x := s.g.nodes[m.v]
				neighbour, other := x.mp, x.machine != m.machine
				adjacent := !other && s.g.isTask(x.mp) && m.behind == s.g.nodes[x.mp].mp
				if !other && s.g.isTask(x.ms) && m.behind == x.ms {
					neighbour, adjacent = x.ms, true
				}
				s.make(&m)
				s.g.save(s.found)
				fresh.load(s.found)
				if !slices.Equal(fresh.nodes, s.g.nodes) || !slices.Equal(fresh.rows, s.g.rows) || !slices.EqualFunc(fresh.queues, s.g.queues, slices.Equal) {
					r.Fatalf("heads, tails, rows, queues or links differ after %+v", m)
				}
				if s.sh.sum != nil {
					if value := js.Value(o, js.Finishes(s.sh.plan(s.found))); value != s.sh.Value(s.g.longest()) || adjacent && s.g.longest() < exact {
						r.Fatalf("%+v: %d, said to be %d, %d or more expected", m, value, s.g.longest(), exact)
					}
					continue
				}
				through := func(v int32) int32 { return s.g.nodes[v].head + s.g.nodes[v].tail }
				if adjacent && max(through(m.v), through(neighbour)) != exact || other && through(m.v) > m.estimate {
					r.Fatalf("%+v: %d through it, %d through %d", m, through(m.v), through(neighbour), neighbour)
				}
				if s.g.longest() < through(m.v) {
					r.Fatalf("%d is the longest path, %d that through %d", s.g.longest(), through(m.v), m.v)
				}
			}
			s.g.save(s.found)
			plan := s.sh.plan(s.found)
			if err := check.Schedule(js, plan, false).Err(); err != nil {
				r.Fatal(err)
			}
			fresh.load(s.sh.solutionOf(plan))
			if fresh.longest() > s.g.longest() {
				r.Fatalf("%d from a plan of %d", fresh.longest(), s.g.longest())
			}
		}
	})
}

// TestSlicesMakeNoDifference: work in slices comes to the same as in one piece, and a search heeds its context.
func TestSlicesMakeNoDifference(t *testing.T) {
	js, _, _ := gen.Family("jobshop-8x6", 3)
	whole, slice := New(js, model.Makespan, 5), New(js, model.Makespan, 5)
	var plans [2]model.Schedule
	whole.Run(context.Background(), 3_000_000, func(plan model.Schedule) { plans[0] = plan })
	for slice.Work() < 3_000_000 {
		slice.Run(context.Background(), min(70_000, 3_000_000-slice.Work()), func(plan model.Schedule) { plans[1] = plan })
	}
	if !slices.Equal(plans[0], plans[1]) || whole.Work() != slice.Work() {
		t.Errorf("%d in one piece, %d in slices", whole.Best(), slice.Best())
	}
	mustBe(t, js, plans[0], model.Makespan, whole.Best())
	ctx := testkit.After(context.Background(), 3)
	whole.Run(ctx, 1<<60, func(model.Schedule) {})
	if ctx.Err() == nil {
		t.Error("it ended by itself")
	}
}

// TestHeedsItsContextOnLargeSets: of one block of a thousand tasks, or of as many that could go anywhere, no more is looked at
// between two looks at the context than a little.
func TestHeedsItsContextOnLargeSets(t *testing.T) {
	for _, slaves := range []int{1, 2, 30} {
		js := &model.JobSet{Name: "wide", Heartbeat: 1}
		for i := range slaves {
			js.Slaves = append(js.Slaves, model.Slave{Name: string(rune('A' + i)), Cores: 1, Slots: 1})
		}
		profile := func(i int) *model.Profile {
			return model.NewProfile(model.ConstRow(slaves, model.Time(1+i*13%50)), model.ConstRow(slaves, 0))
		}
		job := model.Job{Name: "a", Kind: model.BestEffort, Stages: []model.Stage{{Name: "all"}}}
		for i := range 1000 {
			job.Stages[0].Groups = append(job.Stages[0].Groups, model.Group{Count: 1, Profile: profile(i)})
		}
		js.Jobs = []model.Job{job}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		s := New(js, model.Makespan, 1)
		s.Run(testkit.After(context.Background(), 4), 1<<60, func(model.Schedule) {})
		if most := int64(5 * 2 * pollEvery); s.Work() > most {
			t.Errorf("%d slaves: %d of work after four looks, at most %d is due", slaves, s.Work(), most)
		}
	}
}

// TestTreatsShopsOnly: what ties tasks to each other in ways that it does not know is not for it.
func TestTreatsShopsOnly(t *testing.T) {
	shop, _, _ := gen.Family("jobshop-4x3", 1)
	for _, c := range []struct {
		what   string
		change func(js *model.JobSet)
		want   bool
	}{
		{"a job shop", func(*model.JobSet) {}, true},
		{"heartbeats", func(js *model.JobSet) {
			js.Heartbeat = 3
			for i := range js.Slaves {
				js.Slaves[i].Slots = 1
			}
		}, true},
		{"slots to wait in, and heartbeats", func(js *model.JobSet) { js.Heartbeat, js.Slaves[0].Slots = 3, 2 }, false},
		{"heartbeats out of step", func(js *model.JobSet) { js.Heartbeat, js.Slaves[1].FirstBeat = 3, 1 }, false},
		{"an absence", func(js *model.JobSet) { js.Slaves[0].Down = []model.Interval{{Start: 3, End: 5}} }, false},
		{"fifo", func(js *model.JobSet) { js.FIFO = true }, false},
		{"a hard job", func(js *model.JobSet) { js.Jobs[0].Kind, js.Jobs[0].Deadline = model.Hard, 1000 }, false},
		{"tasks that are apart", func(js *model.JobSet) {
			st := &js.Jobs[0].Stages[0]
			st.Groups = []model.Group{{Count: 2, Profile: model.NewProfile(model.ConstRow(len(js.Slaves), 4), model.ConstRow(len(js.Slaves), 0))}}
			st.Apart = true
		}, false},
	} {
		js := *shop
		js.Slaves, js.Jobs = slices.Clone(shop.Slaves), slices.Clone(shop.Jobs)
		js.Jobs[0].Stages = slices.Clone(shop.Jobs[0].Stages)
		c.change(&js)
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		if got := Treats(&js, model.Makespan); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	shop, _, _ = gen.Family("jobshop-4x3", 1)
	for o := range model.Objective(model.NumObjectives) {
		if shape := o.Shape(); Treats(shop, o) != (shape.Timed() || shape.Counts()) {
			t.Errorf("%v: %v", o, Treats(shop, o))
		}
	}
}

// BenchmarkMove measures moves of a job shop and of one whose machines are two of each kind; a move takes what is
// reported per move.
func BenchmarkMove(b *testing.B) {
	for _, cores := range []int{1, 2} {
		b.Run("cores="+string(rune('0'+cores)), func(b *testing.B) {
			js, _, _ := gen.Family("jobshop-15x15", 1)
			for i := range js.Slaves {
				js.Slaves[i].Cores, js.Slaves[i].Slots = cores, cores
			}
			s := New(js, model.Makespan, 1)
			for b.Loop() {
				s.Run(context.Background(), 1_000_000, func(model.Schedule) {})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(s.made), "ns/move")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(s.work), "ns/work")
		})
	}
}
