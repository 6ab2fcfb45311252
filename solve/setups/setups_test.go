package setups_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
	"downbeat/solve/setups"
)

// of reads a set, all jobs of which are due late, as a problem.
func of(js *model.JobSet) (*setups.Problem, bool) {
	return setups.New(js, query.AtMost(js, model.Makespan, model.Never-1))
}

// problem is drawn by a family of set-ups.
func problem(t testing.TB, name string, seed uint64) (*model.JobSet, *setups.Problem) {
	t.Helper()
	js, _, err := gen.Family(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := of(js)
	if !ok {
		t.Fatalf("%s, seed %d is no problem of set-ups", name, seed)
	}
	return js, p
}

// least is the least makespan of all orders.
func least(p *setups.Problem, n int) model.Time {
	order, best := make([]int, n), model.Never
	for k := range order {
		order[k] = k
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			best = min(best, p.Makespan(order))
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
	return best
}

// begun has some machines, and the server, at work before any job of a set can begin.
func begun(t *testing.T, js *model.JobSet, rng *rand.Rand) *setups.Problem {
	t.Helper()
	slave, end := &js.Slaves[0], model.Time(0)
	for range rng.IntN(slave.Slots + 1) {
		end = model.Time(1 + rng.IntN(60))
		for _, r := range []model.ResourceID{model.MapSlots, model.Cores} {
			slave.Reservations = append(slave.Reservations, model.Reservation{Resource: r, Interval: model.Interval{End: end}, Units: 1})
		}
	}
	if end > 0 {
		fetched := model.Interval{End: model.Time(1 + rng.IntN(int(end)))}
		slave.Reservations = append(slave.Reservations, model.Reservation{Resource: model.FetchLine, Interval: fetched, Units: 1})
	}
	p, ok := of(js)
	if !ok {
		t.Fatalf("with %v it is no problem of set-ups", slave.Reservations)
	}
	return p
}

// lengthened has set-ups take so many times as long.
func lengthened(t *testing.T, js *model.JobSet, times model.Time) *setups.Problem {
	t.Helper()
	for i := range js.Jobs {
		task := &js.Tasks[js.Jobs[i].First]
		js.Jobs[i].Stages[0].Groups[0].Profile = model.NewProfile(model.ConstRow(1, task.WCET(0)), model.ConstRow(1, times*task.Transfer(0)))
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	p, ok := of(js)
	if !ok {
		t.Fatal("with long set-ups it is no problem of set-ups")
	}
	return p
}

// On two machines walks refute what sums do not: with set-ups about as long as runs, 20 and 30 jobs are proved at few nodes.
func TestWalks(t *testing.T) {
	for _, c := range []struct {
		name  string
		times model.Time
	}{{"setups-20x2", 5}, {"setups-long-20x2", 2}, {"setups-30x2", 5}} {
		js, _ := problem(t, c.name, 1)
		p := lengthened(t, js, c.times)
		search, by, a, nodes := setups.NewSearch(p), p.Least(), setups.None, 0
		for ; a == setups.None; by++ {
			_, a, nodes = search.Run(t.Context(), by, 1<<19)
		}
		if a == setups.Unknown || by-1 == p.Least() {
			t.Errorf("%s: %d by %d after %d nodes, sums prove %d", c.name, a, by-1, nodes, p.Least())
		}
	}
}

// Beams choose by walks from the beginning, be it that no search has raised rewards, as where it is another worker's.
func TestBeamBeforeSearch(t *testing.T) {
	for seed := range uint64(4) {
		js, _ := problem(t, "setups-20x2", seed)
		p := lengthened(t, js, 1)
		beam := setups.Beam{Width: 30}
		before := p.Makespan(beam.Order(t.Context(), p, func(int) {}))
		if _, a, _ := setups.NewSearch(p).Run(t.Context(), p.Least()-1, 1); a != setups.None {
			t.Fatalf("seed %d: %d by %d, which sums rule out", seed, a, p.Least()-1)
		}
		if after := p.Makespan(beam.Order(t.Context(), p, func(int) {})); before != after {
			t.Errorf("seed %d: %d before a search that raises nothing, %d after it", seed, before, after)
		}
	}
}

// The search finds an order for each time from the least makespan on, and none for less, whether machines are free at first or
// some are not; its schedules are valid. Sums prove no more.
func TestSearchAgainstAllOrders(t *testing.T) {
	names := []string{"setups-6x2", "setups-long-6x3", "setups-7x3", "setups-long-7x2", "setups-5x3", "setups-long-7x4"}
	met := 0
	for seed := range testkit.Tiny(t, 60, 400) {
		name := names[seed%6]
		js, p := problem(t, name, seed)
		if seed%5 > 2 {
			p = lengthened(t, js, 5)
		}
		if seed%4 == 3 {
			p = begun(t, js, rand.New(rand.NewPCG(seed, 3)))
		}
		best, search := least(p, len(js.Jobs)), setups.NewSearch(p)
		if by := p.Least(); by > best {
			t.Fatalf("%s, seed %d: at least %d, the least is %d", name, seed, by, best)
		} else if by == best {
			met++
		}
		if _, a, _ := search.Run(t.Context(), best-1, 1<<20); a != setups.None {
			t.Fatalf("%s, seed %d: %d for less than %d", name, seed, a, best)
		}
		for _, by := range []model.Time{best, best + 1, best + 7} {
			order, a, _ := search.Run(t.Context(), by, 1<<20)
			if a != setups.Found || p.Makespan(order) > by {
				t.Fatalf("%s, seed %d: %d by %d, the least is %d", name, seed, a, by, best)
			}
			plan := p.Schedule(order)
			if err := check.Schedule(js, plan, false).Err(); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			if end := js.Value(model.Makespan, js.Finishes(plan)); end != int64(p.Makespan(order)) && len(js.Slaves[0].Reservations) == 0 {
				t.Fatalf("%s, seed %d: the plan ends at %d, the order at %d", name, seed, end, p.Makespan(order))
			}
		}
	}
	if met == 0 {
		t.Error("no makespan is what sums prove: the test is too narrow")
	}
}

// Of jobs that are alike one order stands for all: with few different times, too, the search finds an order for the least makespan,
// and none for less.
func TestAlikeJobs(t *testing.T) {
	names := []string{"setups-5x3", "setups-6x3", "setups-7x2", "setups-7x4"}
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 200, 2000)) {
		js, _ := problem(t, names[seed%4], seed)
		rng := rand.New(rand.NewPCG(seed, 99))
		setup, run := 1+rng.IntN(5), 1+rng.IntN(8)
		for i := range js.Jobs {
			wcet, transfer := model.Time(1+rng.IntN(run)), model.Time(1+rng.IntN(setup))
			js.Jobs[i].Stages[0].Groups[0].Profile = model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, transfer))
		}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		p, ok := of(js)
		if !ok {
			t.Fatalf("seed %d is no problem of set-ups", seed)
		}
		if seed%3 == 2 {
			p = begun(t, js, rng)
		}
		best, search := least(p, len(js.Jobs)), setups.NewSearch(p)
		for by := max(1, best-1); by <= best+1; by++ {
			order, a, _ := search.Run(t.Context(), by, 1<<20)
			if (a == setups.Found) != (by >= best) || a == setups.Unknown || a == setups.Found && p.Makespan(order) > by {
				t.Errorf("%s, seed %d: %d by %d, the least is %d", names[seed%4], seed, a, by, best)
			}
		}
	}
}

// A search that is cut short anywhere goes on to what one that is not comes to, whatever time was asked about before.
func TestCutShort(t *testing.T) {
	names, cut, left := []string{"setups-6x2", "setups-7x3", "setups-6x4", "setups-long-7x2"}, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 40, 400)) {
		js, p := problem(t, names[seed%4], seed)
		rng := rand.New(rand.NewPCG(seed, 98))
		if seed%3 == 0 {
			p = begun(t, js, rng)
		}
		best, search := least(p, len(js.Jobs)), setups.NewSearch(p)
		for range 6 {
			by, nodes := max(0, best+model.Time(rng.IntN(5)-3)), 1+rng.IntN(8)
			search.SeeksOnly = rng.IntN(3) == 0
			order, a, _ := search.Run(t.Context(), by, nodes)
			for ; a == setups.Unknown && rng.IntN(50) > 0; order, a, _ = search.Run(t.Context(), by, nodes) {
				cut++
			}
			if a == setups.Unknown && search.SeeksOnly {
				if order, a, _ = search.Run(t.Context(), by, 1<<20); a == setups.Unknown {
					left++
				}
			}
			if a != setups.Unknown && ((a == setups.Found) != (by >= best) || a == setups.Found && p.Makespan(order) > by) {
				t.Errorf("%s, seed %d: %d by %d in parts of %d nodes, the least is %d", names[seed%4], seed, a, by, nodes, best)
			}
		}
	}
	if cut == 0 || left == 0 {
		t.Errorf("%d searches are cut short, %d seek only and leave it open", cut, left)
	}
	t.Logf("%d searches are cut short, %d seek only and leave it open", cut, left)
}

// leastBySets is the least makespan of all orders, from the times that are to be had after each set of jobs, machines all free at first.
func leastBySets(js *model.JobSet) model.Time {
	machines := js.Slaves[0].Slots
	after := [][][]model.Time{{make([]model.Time, machines+1)}} // by set: when machines are free, sorted, and then the server
	for set := 1; set < 1<<len(js.Jobs); set++ {
		var all [][]model.Time
		for k := range js.Jobs {
			if set>>k&1 == 0 {
				continue
			}
			task := &js.Tasks[js.Jobs[k].First]
			for _, before := range after[set&^(1<<k)] {
				at := slices.Clone(before)
				at[machines] = max(at[0], at[machines]) + task.Transfer(0)
				at[0] = at[machines] + task.WCET(0)
				slices.Sort(at[:machines])
				all = append(all, at)
			}
		}
		slices.SortFunc(all, slices.Compare)
		var kept [][]model.Time
		for _, at := range all {
			if !slices.ContainsFunc(kept, func(other []model.Time) bool {
				for i := range other {
					if other[i] > at[i] {
						return false
					}
				}
				return true
			}) {
				kept = append(kept, at)
			}
		}
		after = append(after, kept)
	}
	best := model.Never
	for _, at := range after[len(after)-1] {
		best = min(best, at[machines-1])
	}
	return best
}

// Of nine jobs, too, the search finds an order for the least makespan, and none for less: there endings and shares are of
// several jobs.
func TestSearchAgainstSets(t *testing.T) {
	names := []string{"setups-9x2", "setups-9x3", "setups-9x4", "setups-long-9x3", "setups-long-8x2", "setups-long-9x4"}
	for seed := range testkit.Tiny(t, 12, 120) {
		js, p := problem(t, names[seed%6], seed)
		best, search := leastBySets(js), setups.NewSearch(p)
		if _, a, _ := search.Run(t.Context(), best-1, 1<<20); a != setups.None {
			t.Errorf("%s, seed %d: %d for less than %d", names[seed%6], seed, a, best)
		}
		if order, a, _ := search.Run(t.Context(), best, 1<<20); a != setups.Found || p.Makespan(order) > best {
			t.Errorf("%s, seed %d: %d by the least, %d", names[seed%6], seed, a, best)
		}
		beam := setups.Beam{Width: 1 << 15, Below: best + 1}
		if end := p.Makespan(beam.Order(t.Context(), p, func(int) {})); end != best {
			t.Errorf("%s, seed %d: a beam ends at %d, the least is %d", names[seed%6], seed, end, best)
		}
		if beam.Below = best; beam.Order(t.Context(), p, func(int) {}) != nil {
			t.Errorf("%s, seed %d: a beam ends below the least", names[seed%6], seed)
		}
	}
}

// What begins after something that runs for very long has the orders that there are, or is no such problem.
func TestLongBefore(t *testing.T) {
	refused := 0
	for _, long := range []model.Time{1 << 20, 1<<30 - 1<<12, 1<<30 - 1, 1 << 30, 1 << 31, 1 << 40} {
		js, _ := problem(t, "setups-5x2", 1)
		slave := &js.Slaves[0]
		for range slave.Slots {
			for _, r := range []model.ResourceID{model.MapSlots, model.Cores} {
				slave.Reservations = append(slave.Reservations, model.Reservation{Resource: r, Interval: model.Interval{End: long}, Units: 1})
			}
		}
		p, ok := of(js)
		if !ok {
			refused++
			continue
		}
		best, search := least(p, len(js.Jobs)), setups.NewSearch(p)
		if _, a, _ := search.Run(t.Context(), best, 1<<20); a != setups.Found || p.Least() > best {
			t.Errorf("%d ticks: %d, the least is %d, sums prove %d", long, a, best, p.Least())
		}
	}
	if refused == 6 {
		t.Error("all are refused")
	}
}

// Annealing comes to the least makespan of small problems, and orders of all jobs.
func TestAnnealing(t *testing.T) {
	for seed := range uint64(6) {
		js, p := problem(t, "setups-7x3", seed)
		order := setups.NewAnnealing(p, seed, nil, 200_000).Run(t.Context(), least(p, len(js.Jobs)), func(int) {})
		if order == nil {
			t.Errorf("seed %d: no order", seed)
			continue
		}
		seen := slices.Clone(order)
		if slices.Sort(seen); seen[0] != 0 || seen[6] != 6 || len(slices.Compact(seen)) != 7 {
			t.Errorf("seed %d: %v is no order", seed, order)
		}
	}
}

// Beam search that keeps all beginnings of an order comes to the least makespan, one that keeps few not below.
func TestBeam(t *testing.T) {
	for seed := range uint64(8) {
		js, p := problem(t, "setups-long-6x3", seed)
		best := least(p, len(js.Jobs))
		for k := range 6 {
			beam := setups.Beam{Width: 1 << 12, Backward: k%2 == 1, LongFirst: k > 1}
			if k > 3 {
				beam = setups.Beam{Width: 1 << 12, Backward: k%2 == 1, Prices: setups.NewPrices(p, rand.New(rand.NewPCG(seed, uint64(k))))}
			}
			if end := p.Makespan(beam.Order(t.Context(), p, func(int) {})); end != best {
				t.Errorf("seed %d, %+v: %d, the least is %d", seed, beam, end, best)
			}
			if beam.Below = best + 1; p.Makespan(beam.Order(t.Context(), p, func(int) {})) != best {
				t.Errorf("seed %d, %+v: not %d", seed, beam, best)
			}
			if beam.Below = best; beam.Order(t.Context(), p, func(int) {}) != nil {
				t.Errorf("seed %d, %+v: an order below the least", seed, beam)
			}
			beam.Width, beam.Below = 2, 0
			if end := p.Makespan(beam.Order(t.Context(), p, func(int) {})); end < best {
				t.Errorf("seed %d, %+v: %d below the least of %d", seed, beam, end, best)
			}
		}
	}
}

// Beams that learn come to an order that others as wide do not, with prices of their own each.
func TestBeamsLearn(t *testing.T) {
	_, p := problem(t, "setups-40x6", 2)
	found := func(learns bool) int {
		rng := rand.New(rand.NewPCG(1, 1))
		beam := setups.Beam{Width: 2000, Below: 449, Prices: setups.NewPrices(p, rng)}
		for beams := range 8 {
			if order := beam.Order(t.Context(), p, func(int) {}); order != nil {
				if end := p.Makespan(order); end != 448 {
					t.Fatalf("an order within 448 ends at %d", end)
				}
				return beams
			}
			if !learns {
				beam.Prices = setups.NewPrices(p, rng)
			}
		}
		return -1
	}
	if learnt, apart := found(true), found(false); learnt < 1 || apart >= 0 {
		t.Errorf("found by beam %d that learns, by beam %d of others", learnt, apart)
	}
}

// A search completes beginnings of orders: one of them to the least makespan, none to less, and what is found comes after it as it says.
func TestBeginnings(t *testing.T) {
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 12, 120)) {
		js, p := problem(t, []string{"setups-7x3", "setups-long-6x3", "setups-7x4"}[seed%3], seed)
		rng := rand.New(rand.NewPCG(seed, 5))
		if seed%4 == 3 {
			p = begun(t, js, rng)
		}
		best, met := least(p, len(js.Jobs)), 0
		beam := setups.Beam{Width: 1 << 15, Below: best + 1}
		search := setups.NewSearch(p)
		for _, first := range beam.Beginnings(t.Context(), p, 1+rng.IntN(3), 1<<12, rng, func(int) {}) {
			rest, jobs := p.After(first)
			search.Reset(rest)
			if _, a, _ := search.Run(t.Context(), best-1, 1<<20); a != setups.None {
				t.Errorf("seed %d: %d after %v for less than %d", seed, a, first, best)
			}
			last, a, _ := search.Run(t.Context(), best, 1<<20)
			if a != setups.Found {
				continue
			}
			order := slices.Clone(first)
			for _, k := range last {
				order = append(order, jobs[k])
			}
			if met++; p.Makespan(order) != best {
				t.Errorf("seed %d: %v ends at %d, the least is %d", seed, order, p.Makespan(order), best)
			}
		}
		if met == 0 {
			t.Errorf("seed %d: no beginning leads to the least, %d", seed, best)
		}
		if out := beam.Beginnings(t.Context(), p, 2, 3, rng, func(int) {}); len(out) > 3 {
			t.Errorf("seed %d: %d beginnings for 3", seed, len(out))
		}
	}
}

// What is not such a problem is told.
func TestNew(t *testing.T) {
	for name, change := range map[string]func(*model.JobSet){
		"more slots than cores": func(js *model.JobSet) { js.Slaves[0].Slots++ },
		"an absence":            func(js *model.JobSet) { js.Slaves[0].Down = []model.Interval{{Start: 3, End: 4}} },
		"fetches side by side":  func(js *model.JobSet) { js.Fetch = model.FetchConcurrent },
		"a hard job":            func(js *model.JobSet) { js.Jobs[1].Kind, js.Jobs[1].Deadline = model.Hard, 900 },
		"a release":             func(js *model.JobSet) { js.Jobs[1].Release = 1 },
		"no input of one": func(js *model.JobSet) {
			of := &js.Jobs[1].Stages[0].Groups[0]
			of.Profile = model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 0))
		},
		"a reservation": func(js *model.JobSet) {
			js.Slaves[0].Reservations = []model.Reservation{{Resource: model.Cores, Interval: model.Interval{Start: 0, End: 3}, Units: 1}}
		},
		"heartbeats": func(js *model.JobSet) { js.Heartbeat = 2 },
	} {
		js, _ := problem(t, "setups-7x3", 1)
		if change(js); js.Assemble() != nil {
			t.Fatal(name)
		}
		if _, ok := of(js); ok {
			t.Errorf("%s: a problem", name)
		}
	}
}

// BenchmarkSearch refutes what is one less than the least makespan of 20 jobs.
func BenchmarkSearch(b *testing.B) {
	_, p := problem(b, "setups-long-20x3", 1)
	for b.Loop() {
		search := setups.NewSearch(p)
		for by := model.Time(1); ; by++ {
			if _, a, n := search.Run(context.Background(), by, 1<<30); a != setups.None {
				b.ReportMetric(float64(n), "nodes")
				break
			}
		}
	}
}
