package slotted

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// quiet returns an engine of the given policy in which nothing arrives.
func quiet(t *testing.T, s System, p Policy, r Reading) *engine {
	t.Helper()
	c := &Config{System: s, Arrivals: Arrivals{Constant(0), Constant(1)}, Policy: p, Reading: r, Slots: 1, Batches: 1}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	e, err := newRun(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// four machines, data on the first three.
var four = System{Machines: 4, Alpha: 0.8, Gamma: 0.2, Types: []Type{{[]int{0, 1, 2}, 1}}}

// A task joins the shortest of its local queues and the common one.
func TestJoinTheShortestQueue(t *testing.T) {
	tests := []struct {
		name   string
		length []int32 // four local queues, the common one
		want   []int   // queues that it may join, all equally likely
	}{
		{"the shortest local one", []int32{3, 1, 2, 0, 4}, []int{1}},
		{"the common one", []int32{3, 3, 3, 0, 2}, []int{4}},
		{"two of equal length", []int32{2, 5, 2, 0, 3}, []int{0, 2}},
		{"a local and the common one", []int32{9, 1, 2, 0, 1}, []int{1, 4}},
		{"all empty", []int32{0, 0, 0, 0, 0}, []int{0, 1, 2, 4}},
	}
	for _, test := range tests {
		p := quiet(t, four, MaxWeight, Reading{Live: true}).policy.(*maxWeight)
		copy(p.length, test.length)
		const tasks = 20_000
		count := map[int]int{}
		for range tasks {
			where := p.placer.draw(&p.order)
			count[p.route(&where)]++
		}
		for _, q := range test.want {
			share := float64(count[q]) / tasks * float64(len(test.want))
			if share < 0.95 || share > 1.05 {
				t.Errorf("%s: queue %d got %d of %d tasks", test.name, q, count[q], tasks)
			}
		}
		if len(count) != len(test.want) {
			t.Errorf("%s: tasks went to %v, want %v", test.name, count, test.want)
		}
	}
}

// An idle machine serves its own queue if 0.8·Q_m ≥ 0.2·Q̄, that is if the
// common queue is at most four times as long.
func TestMaxWeightChoice(t *testing.T) {
	p := quiet(t, four, MaxWeight, Reading{Live: true}).policy.(*maxWeight)
	for _, test := range []struct {
		own, common int32
		remote      bool
	}{{0, 0, false}, {0, 1, true}, {1, 4, false}, {1, 5, true}, {3, 12, false}, {3, 13, true}, {7, 0, false}} {
		p.length[1], p.length[p.common()] = test.own, test.common
		if got := p.prefersCommon(1); got != test.remote {
			t.Errorf("Q_m = %d, Q̄ = %d: common %v", test.own, test.common, got)
		}
	}
}

// place puts tasks of new single-task jobs into a queue.
func place(p *maxWeight, queue int, tasks int) {
	for range tasks {
		j := p.jobs.add(job{number: p.nextJob, size: 1, undone: 1})
		p.nextJob++
		p.tasks++
		p.queues[queue].put(j)
		p.length[queue]++
	}
}

// doings returns what all machines do.
func doings(e *engine) []service {
	var out []service
	for _, m := range e.machines {
		out = append(out, m.doing)
	}
	return out
}

// What the readings make of the same queues, worked by hand.
func TestReadings(t *testing.T) {
	// The common queue counts as 6 at the start of the slot. Machine 0 has 2
	// tasks (0.8·2 ≥ 0.2·6), machine 1 has 1 (0.8 < 1.2), machines 2 and 3 none.
	tests := []struct {
		name    string
		reading Reading
		waiting int // in the common queue; the rest of the 6 is in service elsewhere
		want    []service
	}{
		{"the common queue has enough", Reading{Live: true}, 6, []service{local, remote, remote, remote}},
		{"enough, on the snapshot", Reading{}, 6, []service{local, remote, remote, remote}},
		{"all of it is in service", Reading{Live: true}, 0, []service{local, idle, idle, idle}},
		{"all in service, on the snapshot", Reading{}, 0, []service{local, idle, idle, idle}},
		{"falling back", Reading{Live: true, Fallback: true}, 0, []service{local, local, idle, idle}},
		{"falling back, on the snapshot", Reading{Fallback: true}, 0, []service{local, local, idle, idle}},
		{"waiting tasks only", Reading{Live: true, WaitingOnly: true}, 0, []service{local, local, idle, idle}},
	}
	for _, test := range tests {
		p := quiet(t, four, MaxWeight, test.reading).policy.(*maxWeight)
		place(p, 0, 2)
		place(p, 1, 1)
		place(p, p.common(), test.waiting)
		if !test.reading.WaitingOnly {
			p.length[p.common()] = 6
		}
		p.open()
		p.dispatch()
		if got := doings(p.engine); !slices.Equal(got, test.want) {
			t.Errorf("%s: machines do %v, want %v", test.name, got, test.want)
		}
	}
}

// On the snapshot a task that has just arrived counts for nobody: machine 0
// starts it all the same, machines 1 to 3 do not see that the common queue has
// become longer.
func TestSnapshotHidesArrivals(t *testing.T) {
	for _, test := range []struct {
		live bool
		want []service
	}{{false, []service{local, idle, idle, idle}}, {true, []service{remote, remote, remote, remote}}} {
		p := quiet(t, four, MaxWeight, Reading{Live: test.live}).policy.(*maxWeight)
		p.open()
		place(p, 0, 1)
		place(p, p.common(), 9)
		p.dispatch()
		if got := doings(p.engine); !slices.Equal(got, test.want) {
			t.Errorf("live %v: machines do %v, want %v", test.live, got, test.want)
		}
	}
}

// Within a queue the job with the fewest running tasks goes first, of equal ones
// the older; or simply the oldest.
func TestWithinAQueue(t *testing.T) {
	for _, test := range []struct {
		running []int32
		fifo    bool
		want    int
	}{
		{[]int32{2, 1, 3}, false, 1},
		{[]int32{2, 1, 1}, false, 1},
		{[]int32{5, 4, 0}, false, 2},
		{[]int32{0, 0, 0}, false, 0},
		{[]int32{2, 1, 3}, true, 0},
	} {
		p := quiet(t, four, MaxWeight, Reading{FIFO: test.fifo}).policy.(*maxWeight)
		place(p, 0, len(test.running))
		for i, n := range test.running {
			p.jobs.all[i].running = n
		}
		if got := p.pick(&p.queues[0], test.fifo); got != test.want {
			t.Errorf("running %v, fifo %v: job %d goes first, want %d", test.running, test.fifo, got, test.want)
		}
	}
}

// enter lets jobs of the given sizes arrive under naive fair sharing.
func enter(p *fair, sizes ...int32) {
	for _, n := range sizes {
		j := p.jobs.add(job{number: p.nextJob, size: n, undone: n})
		p.nextJob++
		p.engine.tasks += int64(n)
		p.arrive(j, newStream(1, uint64(p.nextJob)))
	}
}

// Four machines, jobs of 3, 1 and 2 tasks, all local on machines 0 to 2. Each
// job gets a task first; of equal ones the older comes first, so job 0 gets the
// fourth machine. Only machine 3 works remotely.
func TestNaiveFairSharing(t *testing.T) {
	p := quiet(t, four, NaiveFair, Reading{}).policy.(*fair)
	enter(p, 3, 1, 2)
	p.dispatch()
	if got, want := doings(p.engine), []service{local, local, local, remote}; !slices.Equal(got, want) {
		t.Errorf("machines do %v, want %v", got, want)
	}
	for j, want := range []int32{2, 1, 1} {
		if got := p.jobs.all[j].running; got != want {
			t.Errorf("job %d has %d running tasks, want %d", j, got, want)
		}
	}
	// Job 2 loses its running task: it has none now, job 0 has two.
	for m := range p.machines {
		if p.machines[m].job == 2 {
			p.now++
			p.leave(uint16(m))
		}
	}
	p.dispatch()
	if got := p.jobs.all[2].running; got != 1 || len(p.idle) != 0 {
		t.Errorf("job 2 has %d running tasks, %d machines are idle", got, len(p.idle))
	}
}

// A machine takes a local task of the first job wherever it is in its list, but
// a remote one of that job before a local one of the next.
func TestNaiveFairLocality(t *testing.T) {
	s := System{Machines: 2, Alpha: 0.8, Gamma: 0.2, Types: []Type{{[]int{0}, 1}, {[]int{1}, 1}}}
	at := func(m uint16) places { return places{at: [3]uint16{m}, n: 1} }
	for _, test := range []struct {
		name   string
		first  []places // tasks of the first job; the second's are local on machine 0
		doing  service
		placed []places // what is left of the first job
	}{
		{"the second task is local", []places{at(1), at(0), at(1)}, local, []places{at(1), at(1)}},
		{"none is local", []places{at(1), at(1)}, remote, []places{at(1)}},
	} {
		p := quiet(t, s, NaiveFair, Reading{}).policy.(*fair)
		enter(p, int32(len(test.first)), 1)
		p.tasks[0].list, p.tasks[0].drawn = test.first, int32(len(test.first))
		p.tasks[1].list, p.tasks[1].drawn = []places{at(0)}, 1
		p.claim(1, 1) // machine 1 is busy elsewhere
		p.jobs.all[1].running--
		p.dispatch()
		if got := p.machines[0]; got.job != 0 || got.doing != test.doing {
			t.Errorf("%s: machine 0 serves job %d, %v", test.name, got.job, got.doing)
		}
		if got := p.tasks[0].list; !slices.Equal(got, test.placed) {
			t.Errorf("%s: %v is left, want %v", test.name, got, test.placed)
		}
	}
}

// The ranking gives what sorting would.
func TestRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := &jobTable{}
		r := ranking{jobs: table}
		left := map[int32]int{}
		number := int64(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 2).Draw(t, "step") {
			case 0: // a job arrives
				j := table.add(job{number: number})
				number++
				r.fresh, r.place = append(r.fresh, j), append(r.place, -1)
				left[j] = rapid.IntRange(1, 4).Draw(t, "tasks")
			case 1: // the first job gets a machine
				want := int32(-1)
				for j := range int32(len(table.all)) {
					if left[j] > 0 && (want < 0 || cmp.Compare(table.all[j].running, table.all[want].running) < 0) {
						want = j // numbers ascend with j
					}
				}
				got, some := r.first()
				if some != (want >= 0) || some && got != want {
					t.Fatalf("job %d is first (%v), want %d", got, some, want)
				}
				if some {
					table.all[got].running++
					left[got]--
					r.passed(left[got] > 0)
				}
			case 2: // a task ends
				for j := range int32(len(table.all)) {
					if table.all[j].running > 0 && rapid.Bool().Draw(t, "ends") {
						table.all[j].running--
						if r.place[j] >= 0 {
							r.update(j)
						}
						break
					}
				}
			}
		}
	})
}

// The index launches each task once, a local one whenever there is one among
// those drawn, and drops no task that is left.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const machines = 6
		draw := &placer{holders: machines, replicas: 3}
		s := newStream(rapid.Uint64().Draw(t, "seed"), 1)
		u := &unlaunched{heads: make([]uint32, machines)}
		var left []places // nil places for launched tasks
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				p := draw.draw(&s)
				left = append(left, p)
				u.left++
				u.add(p)
			case 1:
				m := uint16(rapid.IntRange(0, machines-1).Draw(t, "machine"))
				some := slices.ContainsFunc(left, func(p places) bool { return p.has(m) })
				if got := u.take(m); got != some {
					t.Fatalf("machine %d took a task: %v, there is one: %v", m, got, some)
				}
				for i := range left {
					if left[i].n > 0 && u.next[i*replicas] >= launched {
						if !left[i].has(m) {
							t.Fatalf("machine %d took task %d with data on %v", m, i, left[i])
						}
						left[i] = places{}
					}
				}
			case 2:
				u.dropFirst(uint16(rapid.IntRange(0, machines-1).Draw(t, "machine")))
			case 3:
				first := slices.IndexFunc(left, func(p places) bool { return p.n > 0 })
				if first < 0 {
					continue
				}
				u.takeAny()
				if u.next[first*replicas] < launched {
					t.Fatalf("task %d was not taken first", first)
				}
				left[first] = places{}
			}
			checkIndex(t, u, left)
		}
	})
}

// checkIndex checks that an index marks exactly the tasks that are not left.
func checkIndex(t *rapid.T, u *unlaunched, left []places) {
	n := int32(0)
	for i, p := range left {
		if p.n > 0 {
			n++
		}
		if (p.n == 0) != (u.next[i*replicas] >= launched) {
			t.Fatalf("task %d is left: %v, its mark says otherwise", i, p.n > 0)
		}
	}
	if n != u.left {
		t.Fatalf("%d tasks are left, %d counted", n, u.left)
	}
}
