package basic_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"downbeat/model"
	"downbeat/online"
	"downbeat/online/basic"
	"downbeat/online/penn"
)

// one is a job of a single task.
type one struct {
	weight, wcet, due int
}

// core is a set of such jobs that are all there at 0, on one core that beats at each tick.
func core(t *testing.T, jobs []one) *model.JobSet {
	t.Helper()
	var b strings.Builder
	b.WriteString("cluster: {heartbeat: 1, slaves: [{name: s}]}\njobs:\n")
	for i, j := range jobs {
		fmt.Fprintf(&b, "  - {name: j%d, hard: false, weight: %d, deadline: %d, map: {tasks: 1, wcet: %d}}\n", i, j.weight, j.due, j.wcet)
	}
	return load(t, b.String())
}

// served is the order in which a policy takes jobs.
func served(t *testing.T, js *model.JobSet, p online.Policy) []int {
	t.Helper()
	out := play(t, js, p, online.Options{})
	order := make([]int, len(js.Jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(out.Finishes[a], out.Finishes[b]) })
	return order
}

// cost is the weighted sum of completion times of an order.
func cost(jobs []one, order []int) (sum int) {
	now := 0
	for _, i := range order {
		now += jobs[i].wcet
		sum += jobs[i].weight * now
	}
	return sum
}

// least is the least cost of all orders that begin with those of order before at.
func least(jobs []one, order []int, at int) int {
	if at == len(order) {
		return cost(jobs, order)
	}
	best := -1
	for i := at; i < len(order); i++ {
		order[at], order[i] = order[i], order[at]
		if c := least(jobs, order, at+1); best < 0 || c < best {
			best = c
		}
		order[at], order[i] = order[i], order[at]
	}
	return best
}

// drawJobs draws jobs due before dueBy or at it.
func drawJobs(rng *rand.Rand, dueFrom, dueBy int) []one {
	jobs := make([]one, 2+rng.IntN(5))
	for i := range jobs {
		jobs[i] = one{1 + rng.IntN(9), 1 + rng.IntN(12), dueFrom + rng.IntN(dueBy-dueFrom+1)}
	}
	return jobs
}

// On one core, jobs that are all there at 0, no order has a lower weighted sum of completion times
// than WSPT's (Smith 1956).
func TestWSPTIsOptimalOnOneCore(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		jobs := drawJobs(rng, 1, 40)
		order := served(t, core(t, jobs), wspt())
		if got, want := cost(jobs, order), least(jobs, slices.Clone(order), 0); got != want {
			t.Fatalf("seed %d: %v in order %v costs %d, the least is %d", seed, jobs, order, got, want)
		}
	}
}

// ATC takes jobs as WSPT does where all are late, and where it looks ahead far; as LLF does where
// none is and it hardly looks ahead.
func TestATCBetweenItsEnds(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 2))
		late := core(t, drawJobs(rng, 1, 1))
		if got, want := served(t, late, atc()), served(t, late, wspt()); !slices.Equal(got, want) {
			t.Fatalf("seed %d: all are late, ATC takes %v, WSPT %v", seed, got, want)
		}
		jobs := drawJobs(rng, 100, 1000)
		loose := core(t, jobs)
		if got, want := served(t, loose, basic.ATC(basic.Options{}, 1e9)), served(t, loose, wspt()); cost(jobs, got) != cost(jobs, want) {
			t.Fatalf("seed %d: %v: far ahead ATC takes %v, WSPT %v", seed, jobs, got, want)
		}
		if got, want := served(t, loose, basic.ATC(basic.Options{}, 1e-6)), served(t, loose, llf()); !slices.Equal(got, want) && !alike(jobs) {
			t.Fatalf("seed %d: %v: hardly ahead ATC takes %v, LLF %v", seed, jobs, got, want)
		}
	}
}

// alike reports whether two jobs have the same laxity: then ATC goes by weight, LLF by arrival.
func alike(jobs []one) bool {
	seen := map[int]bool{}
	for _, j := range jobs {
		if seen[j.due-j.wcet] {
			return true
		}
		seen[j.due-j.wcet] = true
	}
	return false
}

// Four jobs of 4, 5, 3 and 7 ticks due at 8, 7, 9 and 6, on one core. EDF takes the last one first,
// which is late in any case (7 > 6), and then all are: 12 > 7, 16 > 8, 19 > 9. With feasible deadlines
// first it is put last: the second is in time at 5; then the first would end at 9 > 8 and is put last
// as well, and the third ends at 8 ≤ 9. What is late in any case goes by deadline: due at 6, then at 8.
// By work the first is taken second, while it is feasible (3 + 4 ≤ 8).
func TestFeasibleDeadlinesFirst(t *testing.T) {
	jobs := []one{{1, 4, 8}, {1, 5, 7}, {1, 3, 9}, {1, 7, 6}}
	for name, c := range map[string]struct {
		policy online.Policy
		want   []int
	}{
		"edf":            {edf(), []int{3, 1, 0, 2}},
		"edf, feasible":  {basic.EDF(basic.Options{Feasible: true}), []int{1, 2, 3, 0}},
		"wspt, feasible": {basic.WSPT(basic.Options{Feasible: true}), []int{2, 0, 1, 3}},
		"llf, feasible":  {basic.LLF(basic.Options{Feasible: true}), []int{1, 2, 3, 0}},
	} {
		if got := served(t, core(t, jobs), c.policy); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, by hand %v", name, got, c.want)
		}
	}
}

// Jobs of one task choose their slaves as in package penn, which is another program: EDF and LLF
// with the best slave hand out as its choice (b) does.
func TestBestIsPennsChoice(t *testing.T) {
	differ := 0
	for seed := range uint64(150) {
		js := scattered(t, seed)
		for order, build := range map[penn.Order]func(basic.Options) online.Policy{penn.EDF: basic.EDF, penn.LLF: basic.LLF} {
			got := play(t, js, build(basic.Options{Best: true}), online.Options{})
			want := play(t, js, penn.New(order, penn.Best, penn.Params{}), online.Options{})
			if !slices.Equal(got.Schedule, want.Schedule) {
				t.Fatalf("seed %d, %s: %v, penn has %v", seed, got.Policy, got.Schedule, want.Schedule)
			}
			if !slices.Equal(got.Schedule, play(t, js, build(basic.Options{}), online.Options{}).Schedule) {
				differ++
			}
		}
	}
	if differ < 100 {
		t.Errorf("%d runs differ from those in which any slave will do: too few to tell", differ)
	}
}

// scattered has jobs of one task on three slaves of different speeds, with input on one of them.
func scattered(t *testing.T, seed uint64) *model.JobSet {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	var b strings.Builder
	b.WriteString("cluster: {heartbeat: 3, slaves: [{name: a}, {name: b, first_heartbeat: 1}, {name: c, first_heartbeat: 2, cores: 2}]}\njobs:\n")
	for i := range 3 + rng.IntN(10) {
		fmt.Fprintf(&b, "  - {name: j%d, release: %d, deadline: %d, map: {tasks: 1, wcet: {a: %d, b: %d, c: %d}, transfer: {local: 0, remote: %d}, data: [%s]}}\n",
			i, rng.IntN(20), 5+rng.IntN(30), 1+rng.IntN(9), 1+rng.IntN(9), 1+rng.IntN(9), rng.IntN(4), []string{"a", "b", "c"}[rng.IntN(3)])
	}
	return load(t, b.String())
}

// Products of keys may need more than 64 bits: a work of 10^14 over weights of a million.
func TestKeysOfMuchWork(t *testing.T) {
	js := load(t, `
cluster: {heartbeat: 1000000, slaves: [{name: s}]}
jobs:
  - {name: a, weight: 999999, map: {tasks: 40, wcet: 25000000}}
  - {name: b, weight: 1000000, map: {tasks: 40, wcet: 25000000}}`)
	out := play(t, js, wspt(), online.Options{})
	if out.Finishes[1] >= out.Finishes[0] {
		t.Errorf("ends %v: b, which weighs more, is to come first", out.Finishes)
	}
}
