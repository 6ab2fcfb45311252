package slotted

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// drawConfig returns a small configuration, not always a stable one.
func drawConfig(t *rapid.T) Config {
	s := drawSystem(t)
	if rapid.Bool().Draw(t, "uniform") {
		s.Types = nil
		s.Holders = rapid.IntRange(1, s.Machines).Draw(t, "holders")
		s.Replicas = rapid.IntRange(1, min(3, s.Holders)).Draw(t, "replicas of all")
	}
	sizes, err := Bins([]Bin{{0, 4, 8}, {60, 70, 1}, {100, 300, 1}})
	if err != nil {
		t.Fatal(err)
	}
	load := rapid.Float64Range(0, 1.2).Draw(t, "load") * s.Ceiling()
	arrivals, err := PoissonArrivals(load, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		System:   s,
		Arrivals: arrivals,
		Policy:   Policy(rapid.IntRange(0, int(BalancedPandas)).Draw(t, "policy")),
		Reading: Reading{
			Live:        rapid.Bool().Draw(t, "live"),
			WaitingOnly: rapid.Bool().Draw(t, "waiting only"),
			Fallback:    rapid.Bool().Draw(t, "fallback"),
			FIFO:        rapid.Bool().Draw(t, "fifo"),
		},
		Seed:        rapid.Uint64().Draw(t, "seed"),
		Warmup:      rapid.IntRange(0, 50).Draw(t, "warmup"),
		Slots:       rapid.IntRange(1, 400).Draw(t, "slots"),
		Batches:     1,
		SampleEvery: rapid.IntRange(0, 3).Draw(t, "sample every"),
	}
}

// In every slot of random runs: no task is lost or doubled, counts agree with
// what they count, no machine idles beside work that its policy would start, and
// at the end Little's sums agree.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		e, err := newRun(&c)
		if err != nil {
			t.Fatal(err)
		}
		waited := 0.0 // jobs present, summed over slots
		for ; e.now < int64(c.Warmup+c.Slots); e.now++ {
			e.slot()
			waited += float64(e.jobs.count)
			checkState(t, e)
		}
		r := e.seen.result(&c)
		if r.ArrivedTasks != r.FinishedTasks+e.tasks || r.ArrivedJobs != r.FinishedJobs+e.jobs.count {
			t.Fatalf("tasks: %d came, %d left, %d are there; jobs: %d, %d, %d", r.ArrivedTasks, r.FinishedTasks, e.tasks, r.ArrivedJobs, r.FinishedJobs, e.jobs.count)
		}
		// Little: each job is counted once in every slot from its arrival on.
		spent := e.seen.before.jobDelay + e.seen.batches[0].jobDelay
		for _, j := range present(e) {
			spent += float64(e.now - e.jobs.all[j].arrived)
		}
		if spent != waited {
			t.Fatalf("jobs spent %g slots, %g were counted", spent, waited)
		}
		if want := (c.Warmup + c.Slots + c.SampleEvery - 1) / max(1, c.SampleEvery); c.SampleEvery > 0 && len(r.JobsAt) != want {
			t.Fatalf("%d samples every %d slots, want %d", len(r.JobsAt), c.SampleEvery, want)
		}
	})
}

// present returns the jobs in the system.
func present(e *engine) []int32 {
	free := map[int32]bool{}
	for _, j := range e.jobs.free {
		free[j] = true
	}
	var out []int32
	for j := range int32(len(e.jobs.all)) {
		if !free[j] {
			out = append(out, j)
		}
	}
	return out
}

// checkState checks an engine after a slot.
func checkState(t *rapid.T, e *engine) {
	running, waiting := map[int32]int32{}, map[int32]int32{}
	resting := 0
	for m := range e.machines {
		it := &e.machines[m]
		if it.doing == idle {
			resting++
			if e.idle[it.place] != uint16(m) {
				t.Fatalf("idle machine %d is not where it says", m)
			}
			continue
		}
		running[it.job]++
	}
	if resting != len(e.idle) {
		t.Fatalf("%d machines are idle, %d are listed", resting, len(e.idle))
	}
	switch p := e.policy.(type) {
	case *maxWeight:
		checkQueues(t, p, waiting)
	case *pandas:
		checkPandas(t, p, waiting)
	case *balanced:
		checkBalanced(t, p, waiting)
	case *fair:
		for _, j := range present(e) {
			u := p.tasks[j]
			if u.left != u.unpromised || (u.left > 0) != (p.line.place[j] >= 0 || fresh(p, j)) {
				t.Fatalf("job %d has %d tasks left, %d unpromised, place %d", j, u.left, u.unpromised, p.line.place[j])
			}
			waiting[j] = u.left
			if u.left > 0 && resting > 0 {
				t.Fatal("a machine idles beside a task")
			}
		}
		for i := 1; i < len(p.line.heap); i++ {
			if p.line.heap[i].rank < p.line.heap[(i-1)/2].rank {
				t.Fatal("the heap is out of order")
			}
		}
	}
	tasks := int64(0)
	for _, j := range present(e) {
		it := e.jobs.all[j]
		if it.running != running[j] || it.undone != running[j]+waiting[j] || it.undone == 0 {
			t.Fatalf("job %d: %d undone, %d running; %d on machines, %d wait", j, it.undone, it.running, running[j], waiting[j])
		}
		tasks += int64(it.undone)
	}
	if tasks != e.tasks {
		t.Fatalf("%d tasks, %d counted", tasks, e.tasks)
	}
}

// fresh reports whether a job waits for its first task to start.
func fresh(p *fair, job int32) bool {
	for _, j := range p.line.fresh[p.line.gone:] {
		if j == job {
			return true
		}
	}
	return false
}

// checkQueues checks the queues of MaxWeight and counts the waiting tasks.
func checkQueues(t *rapid.T, p *maxWeight, waiting map[int32]int32) {
	length := make([]int32, len(p.queues))
	for q := range p.queues {
		sum := int32(0)
		for _, w := range p.queues[q].jobs {
			if w.tasks < 1 {
				t.Fatal("a job without tasks in a queue")
			}
			waiting[w.job] += w.tasks
			sum += w.tasks
		}
		if sum != p.queues[q].tasks {
			t.Fatalf("queue %d holds %d tasks and says %d", q, sum, p.queues[q].tasks)
		}
		length[q] = sum
	}
	if !p.reading.WaitingOnly {
		for m := range p.machines {
			switch p.machines[m].doing {
			case local:
				length[m]++
			case remote:
				length[p.common()]++
			}
		}
	}
	if !reflect.DeepEqual(length, p.length) {
		t.Fatalf("lengths %v, counted %v", p.length, length)
	}
	if !p.reading.Live {
		return
	}
	for _, m := range p.idle {
		if !p.prefersCommon(m) && p.queues[m].tasks > 0 {
			t.Fatalf("machine %d idles though it prefers its own queue", m)
		}
		if p.queues[p.common()].tasks > 0 && (p.prefersCommon(m) || p.reading.Fallback) {
			t.Fatalf("machine %d idles beside the common queue", m)
		}
	}
}

// small returns a quick configuration of the paper's shape.
func smallConfig(t *testing.T) Config {
	t.Helper()
	sizes, err := Bins([]Bin{{1, 10, 9}, {100, 200, 1}})
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := PoissonArrivals(20, sizes)
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		System:   System{Machines: 60, Alpha: 0.8, Gamma: 0.2, Holders: 48, Replicas: 3},
		Arrivals: arrivals, Seed: 11, Warmup: 500, Slots: 3000, Batches: 10,
	}
}

// The same seed gives the same result, another seed another; and under one seed
// both policies see the same arrivals.
func TestDeterminism(t *testing.T) {
	var came []int64
	for _, policy := range []Policy{MaxWeight, NaiveFair} {
		c := smallConfig(t)
		c.Policy = policy
		var results []Result
		for _, seed := range []uint64{11, 11, 12} {
			c.Seed = seed
			r, err := Run(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
		if !reflect.DeepEqual(results[0], results[1]) {
			t.Errorf("%v: the same seed gave %+v and %+v", policy, results[0], results[1])
		}
		if results[0].Queue == results[2].Queue {
			t.Errorf("%v: another seed gave the same mean %v", policy, results[0].Queue)
		}
		came = append(came, results[0].ArrivedTasks)
	}
	if came[0] != came[1] {
		t.Errorf("the policies saw %d and %d tasks", came[0], came[1])
	}
}

// The index of large jobs finds local tasks as the search of small ones does:
// with all jobs indexed, the exact chain still holds.
func TestExactChainIndexed(t *testing.T) {
	c := Config{
		System:   System{Machines: 3, Alpha: 0.9, Gamma: 0.4, Types: []Type{{[]int{0}, 0.7}, {[]int{1}, 0.3}}},
		Arrivals: Arrivals{Jobs: law(t, 0.8, 0.2), Tasks: law(t, 0, 0.5, 0.5)},
		Policy:   NaiveFair, Seed: 3, Warmup: 1000, Slots: 600_000, Batches: 50,
	}
	want := (&reference{c, 5, []float64{0, 0.5, 0.5}}).solve(t, false)
	for _, block := range []int32{1, 2} {
		e, err := newRun(&c)
		if err != nil {
			t.Fatal(err)
		}
		e.policy.(*fair).small, e.policy.(*fair).block = 0, block
		got, err := e.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		holds(t, "queue", got.Queue, want.queue, 10*want.full)
		holds(t, "jobs", got.Jobs, want.jobs, 10*want.full)
		holds(t, "locality", got.Locality, want.locality, want.full)
	}
}

// Searching and indexing larger jobs are two ways to the same means.
func TestIndexAgainstSearch(t *testing.T) {
	c := smallConfig(t)
	c.Policy, c.Slots = NaiveFair, 20_000
	var results []Result
	for _, small := range []int32{1000, 64, 0} {
		e, err := newRun(&c)
		if err != nil {
			t.Fatal(err)
		}
		e.policy.(*fair).small = small
		r, err := e.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	for _, r := range results[1:] {
		for _, pair := range [][2]Estimate{{r.Locality, results[0].Locality}, {r.JobDelay, results[0].JobDelay}, {r.TaskDelay, results[0].TaskDelay}} {
			if math.Abs(pair[0].Mean-pair[1].Mean) > 2*(pair[0].Half+pair[1].Half) {
				t.Errorf("%v with an index, %v by search", pair[0], pair[1])
			}
		}
	}
}

// A run ends with the context.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := smallConfig(t)
	c.Slots = math.MaxInt32
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returned %v", err)
	}
}

// Configurations that make no sense are refused.
func TestConfigFaults(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"no machines":     func(c *Config) { c.System.Machines = 0 },
		"no jobs":         func(c *Config) { c.Arrivals.Jobs = nil },
		"no tasks":        func(c *Config) { c.Arrivals.Tasks = nil },
		"jobs too large":  func(c *Config) { c.Arrivals.Tasks = Constant(mostTasks + 1) },
		"no such policy":  func(c *Config) { c.Policy = BalancedPandas + 1 },
		"negative warmup": func(c *Config) { c.Warmup = -1 },
		"no slots":        func(c *Config) { c.Slots = 0 },
		"no batches":      func(c *Config) { c.Batches = 0 },
		"more batches":    func(c *Config) { c.Batches = c.Slots + 1 },
		"samples":         func(c *Config) { c.SampleEvery = -1 },
	} {
		c := smallConfig(t)
		spoil(&c)
		if _, err := Run(context.Background(), c); err == nil {
			t.Errorf("%s: it ran", name)
		}
	}
}
