package slotted

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/internal/testkit"
)

// checkPandas counts the waiting tasks: none waits while a machine idles.
func checkPandas(t *rapid.T, p *pandas, waiting map[int32]int32) {
	sum := int32(0)
	for q := range p.queues {
		for _, w := range p.queues[q].jobs {
			waiting[w.job] += w.tasks
			sum += w.tasks
		}
	}
	if sum != p.waiting {
		t.Fatalf("%d tasks wait, %d are counted", sum, p.waiting)
	}
	if sum > 0 && len(p.idle) > 0 {
		t.Fatal("a machine idles beside a task")
	}
}

// checkBalanced counts the waiting tasks: no machine idles beside one of its own, its work is
// that of what waits and what it does.
func checkBalanced(t *rapid.T, p *balanced, waiting map[int32]int32) {
	least := never
	for m := range p.machines {
		var n [remote + 1]int32
		n[p.machines[m].doing]++
		n[idle] = 0
		for as, q := range map[service]*queue{local: &p.local[m], remote: &p.remote[m]} {
			for _, w := range q.jobs {
				waiting[w.job] += w.tasks
				n[as] += w.tasks
			}
			if q.tasks > 0 && p.machines[m].doing == idle {
				t.Fatalf("machine %d idles beside a task of its own", m)
			}
		}
		if n != p.counts[m] {
			t.Fatalf("machine %d has %v, counted are %v", m, n, p.counts[m])
		}
		work := float64(n[local])/p.alpha + float64(n[remote])/p.gamma
		if work != p.work.of(m) {
			t.Fatalf("machine %d has work %g, noted is %g", m, work, p.work.of(m))
		}
		least = min(least, work)
	}
	if at := p.work.first(&p.order); p.work.of(at) != least {
		t.Fatalf("the least work is %g, found is %g", least, p.work.of(at))
	}
}

// waitAt puts tasks of new single-task jobs into a queue.
func waitAt(e *engine, q *queue, tasks int) {
	for range tasks {
		j := e.jobs.add(job{number: e.nextJob, size: 1, undone: 1})
		e.nextJob++
		e.tasks++
		q.put(j)
	}
}

// Four machines, three tasks in the queue of the first. It serves one; of the three idle
// ones two take what is left of the longest queue, and one stays idle.
func TestPandasByHand(t *testing.T) {
	p := quiet(t, four, Pandas, Reading{}).policy.(*pandas)
	waitAt(p.engine, &p.queues[0], 3)
	p.waiting = 3
	p.dispatch()
	got := doings(p.engine)
	slices.Sort(got[1:])
	if want := []service{local, idle, remote, remote}; !slices.Equal(got, want) {
		t.Errorf("the machines do %v, want %v", got, want)
	}
	// A task whose data lie on the first three sees one task being served at each that is
	// not idle, and joins the idle one of these, if it is one.
	want := uint16(3)
	for m := range uint16(3) {
		if p.machines[m].doing == idle {
			want = m
		}
	}
	where := p.placer.draw(&p.order)
	if m := p.route(&where); want < 3 && m != want || m == 3 {
		t.Errorf("joins queue %d, idle is %d", m, want)
	}
}

// Rates 0.8 and 0.2, data on the first three of four machines. Machine 0 has two local
// tasks, work 2/0.8 = 2.5; machine 1 one, 1.25; machine 2 one local and one remote, 6.25.
// Machine 3 has nothing: 0/0.2 = 0 is less than 1.25/0.8 = 1.5625, and the task goes there,
// remote. With that machine 3 has work 1/0.2 = 5, and 5/0.2 = 25: the next joins machine 1.
func TestBalancedByHand(t *testing.T) {
	p := quiet(t, four, BalancedPandas, Reading{}).policy.(*balanced)
	p.count(0, local, 2)
	p.count(1, local, 1)
	p.count(2, local, 1)
	p.count(2, remote, 1)
	where := p.placer.draw(&p.order)
	if m, as := p.route(&where); m != 3 || as != remote {
		t.Errorf("the first goes to %d, %v", m, as)
	}
	p.count(3, remote, 1)
	if m, as := p.route(&where); m != 1 || as != local {
		t.Errorf("the second goes to %d, %v", m, as)
	}
	// With nothing anywhere a local machine is as good as one that is not, and goes first.
	p = quiet(t, four, BalancedPandas, Reading{}).policy.(*balanced)
	if m, as := p.route(&where); m > 2 || as != local {
		t.Errorf("with no work the task goes to %d, %v", m, as)
	}
}

// The claim of the sources: where some machines have more local work than they can do and
// others have less, JSQ with MaxWeight is not heavy-traffic optimal, and tasks take about
// half the time under Pandas and Balanced-Pandas at high loads. It holds with decisions by
// the beginning of the slot, as MaxWeight's paper has it; with live ones by less.
func TestPandasIsFasterThanMaxWeight(t *testing.T) {
	system := System{Machines: 24, Alpha: 0.8, Gamma: 0.4}
	for i := range 12 {
		next, far := (i+1)%12, (i+5)%12
		system.Types = append(system.Types, Type{[]int{i, next, far}, 0.7}, Type{[]int{12 + i, 12 + next, 12 + far}, 0.3})
	}
	edge, err := Capacity(system)
	if err != nil {
		t.Fatal(err)
	}
	arrivals, err := PoissonArrivals(0.9*edge, Constant(1))
	if err != nil {
		t.Fatal(err)
	}
	delay := func(policy Policy, reading Reading) float64 {
		r, err := Run(context.Background(), Config{System: system, Arrivals: arrivals, Policy: policy, Reading: reading, Seed: 1,
			Warmup: 1000, Slots: testkit.Sets(4000, 60_000), Batches: 10})
		if err != nil {
			t.Fatal(err)
		}
		if r.Trend == Grows {
			t.Errorf("%v is not stable: grows with time to the power %v", policy, r.Growth)
		}
		return r.TaskDelay.Mean
	}
	printed, live := delay(MaxWeight, Reading{}), delay(MaxWeight, Reading{Live: true})
	for _, policy := range []Policy{Pandas, BalancedPandas} {
		if got := delay(policy, Reading{}); got > printed/2 || got >= live {
			t.Errorf("%v: %g slots, MaxWeight %g as printed and %g live", policy, got, printed, live)
		}
	}
}
