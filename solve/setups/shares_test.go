package setups

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// drawn has jobs with times up to some, on machines of which the first ones, and the server, may be busy at first.
func drawn(t *testing.T, name string, seed uint64, run, setup, busy int) *Problem {
	t.Helper()
	js, _, err := gen.Family(name, seed)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 7))
	for i := range js.Jobs {
		wcet, transfer := model.Time(1+rng.IntN(run)), model.Time(1+rng.IntN(setup))
		js.Jobs[i].Stages[0].Groups[0].Profile = model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, transfer))
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	p, ok := New(js, query.AtMost(js, model.Makespan, model.Never-1))
	if !ok {
		t.Fatalf("%s, seed %d is no problem of set-ups", name, seed)
	}
	if busy > 0 {
		p.start.server = ticks(rng.IntN(busy))
		for k := range p.machines {
			p.start.free[k] = ticks(rng.IntN(busy)) + max(0, p.start.free[max(0, k-1)])
		}
	}
	return p
}

// ordersBy goes over all orders that end by a time.
func ordersBy(p *Problem, by ticks, do func(order []int)) {
	order := make([]int, len(p.jobs))
	for k := range order {
		order[k] = k
	}
	var permute func(k int)
	permute = func(k int) {
		if k == len(order) {
			if p.until(p.Makespan(order)) <= by {
				do(order)
			}
			return
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			permute(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	permute(0)
}

// Wherever an order is cut that ends in time, what is left is among the sets that are listed with what its first jobs leave of what may stand idle,
// jobs that are alike in the order in which searches take them.
func TestListedSets(t *testing.T) {
	names := []string{"setups-5x2", "setups-6x3", "setups-6x4", "setups-6x5"}
	cuts, missed, divided := 0, 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 60, 600)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p := drawn(t, names[seed%4], seed, 1+rng.IntN(12), 1+rng.IntN(6), int(seed%3)*3)
		p.walks = nil // where there are none, sets are listed
		n := len(p.jobs)
		s := NewSearch(p)
		s.by = p.until(p.Least()) + ticks(rng.IntN(4))
		for k := range n {
			s.weigh[k] = rng.IntN(1 + int(seed%3)*3*partsOfIdle)
			s.weigh[k] = s.weigh[bits.TrailingZeros64(p.alikeTo(k))]
		}
		if !s.split() {
			ordersBy(p, s.by, func(order []int) { t.Fatalf("seed %d: %v ends by %d", seed, order, s.by) })
			continue
		}
		s.last.idle += rng.IntN(1 + s.total - s.first.idle - s.last.idle)
		s.listed.begin(1<<n, s.last.idle)
		s.backward = true
		s.root()
		s.betweenNodes = 1 + rng.IntN(4)
		divided += listBy(s, 1+int(seed%3), t)
		var r remaining
		ordersBy(p, s.by, func(order []int) {
			at, left := p.start, firstJobs(n)
			r.of(p, left)
			all := r.all(p)
			at.useful(false, &all, p.machines)
			for _, job := range order[:n-1] {
				if may := at.spare(false, s.by, r.setups, r.work, p.machines); p.inTime(&at, left, r.short, may, s.by)>>job&1 == 0 {
					t.Fatalf("%s, seed %d: %v ends by %d, with %d in time", names[seed%4], seed, order, s.by, job)
				}
				at.set(&p.jobs[job], p.machines)
				left &^= 1 << job
				r.of(p, left)
				rest := r.all(p)
				at.useful(false, &rest, p.machines)
				idle := partsOfIdle*p.idle(&at, r.setups, r.work).sum() + s.weighed(firstJobs(n)&^left)
				if s.total-idle > s.last.idle {
					continue
				}
				if cuts++; !s.canEnd(s.listed.key(p.leftOver(left)), idle) {
					t.Fatalf("%s, seed %d: %v ends by %d, with none of the sets that are listed where %b are left", names[seed%4], seed, order, s.by, left)
				}
			}
		})
		for range 20 {
			if set := 1 + rng.Uint64N(firstJobs(n)); !s.listed.has(s.listed.key(p.leftOver(set)), 0) {
				missed++
			}
		}
	}
	if cuts == 0 || missed == 0 || divided == 0 {
		t.Errorf("%d cuts, %d sets that are not listed, %d parts that others gave away: the test is too narrow", cuts, missed, divided)
	}
}

// listBy has so many workers list sets, and tells how many parts they gave away.
func listBy(s *Search, workers int, t *testing.T) (divided int) {
	var wg sync.WaitGroup
	over := func() bool { return len(s.parts) == 0 && s.running == 0 }
	if workers > 1 {
		s.waiting.Store(1) // another one, which never comes, so that parts are given away whichever workers run at a time
	}
	for range workers {
		wg.Go(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			for !over() {
				part := s.next()
				if part == nil {
					continue
				}
				s.running++
				s.mu.Unlock()
				_, found := part.run(t.Context(), 3)
				s.mu.Lock()
				s.running--
				s.leave(part, found)
			}
		})
	}
	wg.Wait()
	return len(s.done) - 1
}

// What was added to listed sets is there, with no more to spare than it leaves, and little else.
func TestListed(t *testing.T) {
	l := newListed()
	const many, spare = 1 << 14, 40
	l.begin(many, spare)
	rng := rand.New(rand.NewPCG(1, 1))
	for range many {
		l.add(set{key: rng.Uint64(), spare: rng.IntN(spare + 1)})
	}
	rng = rand.New(rand.NewPCG(1, 1))
	others, more := 0, 0
	for range many {
		key, left := rng.Uint64(), rng.IntN(spare+1)
		if !l.has(key, left) || !l.has(key, left/2) {
			t.Fatal("a set that was added is not there")
		}
		if left < spare/2 && l.has(key, spare) {
			more++
		}
	}
	for range many {
		if l.has(rng.Uint64(), 0) {
			others++
		}
	}
	if others > many/100 || more > many/100 {
		t.Errorf("of %d sets, %d others are there, and %d that leave less to spare", many, others, more)
	}
	l.begin(1, spare) // far more than there is room for
	for range many {
		key, left := rng.Uint64(), rng.IntN(spare+1)
		if l.add(set{key: key, spare: left}); !l.has(key, left) {
			t.Fatal("a set that was added to a full line is not there")
		}
	}
	if !l.crowded() {
		t.Error("lines are full, and not crowded")
	}
	if l.begin(many, spare); l.has(rng.Uint64(), 0) {
		t.Error("a set is there after all are taken away")
	}
}

// The search finds an order for each time from the least makespan on, and none for less, on one to five machines of which some are busy at first, for all jobs and for
// those that some leave, wherever it is cut short; be it that nothing stands idle that need not, so that there is nothing to share out, or that
// what is left is shared out at once.
func TestSharedOut(t *testing.T) {
	names := []string{"setups-6x1", "setups-5x2", "setups-6x3", "setups-5x4", "setups-6x5"}
	tight, toEnd := 0, 0
	for seed := range testkit.Seeds(t, testkit.Tiny(t, 100, 2000)) {
		name, rng := names[seed%5], rand.New(rand.NewPCG(seed, 88))
		p := drawn(t, name, seed, 1+rng.IntN(12), 1+rng.IntN(6), []int{0, 3, 12, 30}[rng.IntN(4)])
		s := NewSearch(p)
		s.freelyNodes = 1 + rng.IntN(8)
		for range 2 {
			if rng.IntN(2) == 0 {
				p.walks = nil
			}
			best := ticks(mostTicks)
			ordersBy(p, best-1, func(order []int) { best = min(best, p.until(p.Makespan(order))) })
			for by := best - 2; by <= best+1; by++ {
				var order []int
				a := Unknown
				for a == Unknown {
					order, a, _ = s.Run(t.Context(), p.from+model.Time(by), 1+rng.IntN(60))
				}
				if (a == Found) != (by >= best) || a == Found && p.until(p.Makespan(order)) > by {
					t.Fatalf("%s, seed %d: %d by %d, %v; the least is %d", name, seed, a, by, order, best)
				}
				if a == Found && s.last.before == 0 && s.total <= s.first.idle+s.last.idle+1 {
					tight++
				}
				if s.all {
					toEnd++
				}
			}
			p, _ = p.After(rng.Perm(len(p.jobs))[:rng.IntN(len(p.jobs))])
			s.Reset(p)
		}
	}
	if tight == 0 || toEnd == 0 {
		t.Errorf("something is shared out of all but %d, all at once of %d", tight, toEnd)
	}
}

// All that is left is shared out as well, and in no time, where ticks are a billion times as fine.
func TestSharedOutOfFineTicks(t *testing.T) {
	const fine = 1_000_000_000
	of := func(fine int) (last int) {
		s := NewSearch(drawn(t, "setups-20x3", 1, 20, 10, 0))
		s.freelyNodes = 1
		s.told = 2
		s.first, s.last = share{more: 2 * fine, nodes: 2000, before: 1000}, share{more: fine, nodes: 1500, before: 1000}
		if !s.end(12 * fine) {
			t.Fatalf("nothing is shared out at once of what is left, with %d ticks for one", fine)
		}
		return s.last.idle
	}
	if got, want := float64(of(fine))/fine, float64(of(1000))/1000; math.Abs(got-want) > 0.02 {
		t.Errorf("the last jobs have %v ticks of 12, and %v where they are finer", want, got)
	}
}

// Where walks take too long for all jobs, what some leave is searched at as many nodes as it is given: walks of these took up to 240,000 nodes more.
func TestAfterWithoutWalks(t *testing.T) {
	p := drawn(t, "setups-40x2", 1, 2000, 1000, 0)
	if p.walks != nil {
		t.Fatal("all jobs have walks")
	}
	rest, _ := p.After(rand.New(rand.NewPCG(1, 9)).Perm(40)[:24])
	const given = 1000
	if _, _, spent := NewSearch(rest).Run(t.Context(), p.Least()+39, given); spent > given {
		t.Errorf("%d nodes of %d", spent, given)
	}
}
