package slotted

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"downbeat/internal/testkit"
)

// This file holds a second, slow version of the model, slot by slot and trial by
// trial, as the paper states it, and solves its Markov chain on tiny systems.
// Nothing of the engine is used but the configuration.

// dice decides everything that is random in one slot, by going through all
// outcomes one after the other.
type dice struct {
	path    []int       // outcome of each throw
	weights [][]float64 // of each throw's outcomes; they add up to 1
	at      int
	chance  float64 // of the path so far
}

// throw returns the next outcome.
func (d *dice) throw(weights ...float64) int {
	if d.at == len(d.path) {
		d.path = append(d.path, possible(weights, 0))
		d.weights = append(d.weights, slices.Clone(weights))
	}
	k := d.path[d.at]
	d.chance *= weights[k]
	d.at++
	return k
}

// even throws a fair die of n sides.
func (d *dice) even(n int) int {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1 / float64(n)
	}
	return d.throw(weights...)
}

// possible returns the first outcome from k on that is not impossible, or the
// number of outcomes.
func possible(weights []float64, k int) int {
	for k < len(weights) && weights[k] == 0 {
		k++
	}
	return k
}

// outcomes calls f for every possible path.
func outcomes(f func(*dice)) {
	d := &dice{}
	for {
		d.at, d.chance = 0, 1
		f(d)
		for {
			n := len(d.path)
			if n == 0 {
				return
			}
			if k := possible(d.weights[n-1], d.path[n-1]+1); k < len(d.weights[n-1]) {
				d.path[n-1] = k
				break
			}
			d.path, d.weights = d.path[:n-1], d.weights[:n-1]
		}
	}
}

// refJob is a job: one label for each waiting task, its queue under MaxWeight
// and its type under NaiveFair.
type refJob struct{ waiting []int }

// refState is the system at the start of a slot.
type refState struct {
	jobs    []*refJob // in order of arrival
	running []*refJob // by machine, nil for an idle one
	doing   []service
}

// clone returns a copy that shares nothing.
func (s *refState) clone() *refState {
	out := &refState{running: make([]*refJob, len(s.running)), doing: slices.Clone(s.doing)}
	for _, j := range s.jobs {
		c := &refJob{slices.Clone(j.waiting)}
		out.jobs = append(out.jobs, c)
		for m, r := range s.running {
			if r == j {
				out.running[m] = c
			}
		}
	}
	return out
}

// key tells states apart. Where jobs are single tasks served in order of
// arrival within their queues, only numbers matter.
func (s *refState) key(anonymous bool) string {
	if anonymous {
		count := map[int]int{}
		for _, j := range s.jobs {
			for _, w := range j.waiting {
				count[w]++
			}
		}
		return fmt.Sprint(count, s.doing)
	}
	text := fmt.Sprint(s.doing)
	for _, j := range s.jobs {
		text += fmt.Sprint(j.waiting)
		for m, r := range s.running {
			if r == j {
				text += fmt.Sprint("@", m)
			}
		}
	}
	return text
}

// tasks returns the number of tasks in the system.
func (s *refState) tasks() int {
	n := 0
	for _, j := range s.jobs {
		n += len(j.waiting)
	}
	for _, r := range s.running {
		if r != nil {
			n++
		}
	}
	return n
}

// runs returns the number of running tasks of a job.
func (s *refState) runs(j *refJob) int {
	n := 0
	for _, r := range s.running {
		if r == j {
			n++
		}
	}
	return n
}

// reference is the literal model of a configuration with explicit types.
type reference struct {
	c     Config
	most  int // tasks in the system; arrivals that would exceed it are lost
	sizes []float64
}

// probabilities returns a law as the chances of 0, 1, 2, …
func probabilities(l *Law) []float64 {
	p := make([]float64, slices.Max(l.values)+1)
	n := float64(len(l.values))
	for i := range l.values {
		keep := float64(l.keep[i]) / 0x1p64
		p[l.values[i]] += keep / n
		p[l.values[l.alias[i]]] += (1 - keep) / n
	}
	return p
}

// lengths returns the queue lengths as the reading counts them.
func (r *reference) lengths(s *refState) []int {
	common := r.c.System.Machines
	out := make([]int, common+1)
	for _, j := range s.jobs {
		for _, q := range j.waiting {
			out[q]++
		}
	}
	if !r.c.Reading.WaitingOnly {
		for m, d := range s.doing {
			switch d {
			case local:
				out[m]++
			case remote:
				out[common]++
			}
		}
	}
	return out
}

// slot lives through a slot and returns the jobs after its arrivals and the
// tasks that ended locally.
func (r *reference) slot(s *refState, d *dice) (jobs, locally int) {
	seen := []int(nil)
	if r.c.Policy == MaxWeight && !r.c.Reading.Live {
		seen = r.lengths(s)
	}
	r.arrive(s, d, seen)
	jobs = len(s.jobs)
	var free []int
	for m, d := range s.doing {
		if d == idle {
			free = append(free, m)
		}
	}
	for len(free) > 0 {
		k := d.even(len(free))
		m := free[k]
		free = slices.Delete(free, k, k+1)
		if r.c.Policy == MaxWeight {
			r.maxWeight(s, m, seen)
		} else {
			r.fair(s, m)
		}
	}
	return jobs, r.serve(s, d)
}

// arrive lets jobs come in.
func (r *reference) arrive(s *refState, d *dice, seen []int) {
	var weights []float64
	for _, t := range r.c.System.Types {
		weights = append(weights, t.Weight)
	}
	var coming []int
	for range d.throw(probabilities(r.c.Arrivals.Jobs)...) {
		coming = append(coming, d.throw(r.sizes...))
	}
	total := s.tasks()
	for _, n := range coming {
		total += n
	}
	if total > r.most {
		return
	}
	for _, n := range coming {
		j := &refJob{}
		s.jobs = append(s.jobs, j)
		for range n {
			label := d.throw(weights...)
			if r.c.Policy == MaxWeight {
				label = r.route(s, d, seen, r.c.System.Types[label].Local)
			}
			j.waiting = append(j.waiting, label)
		}
	}
}

// route returns the queue that a task joins.
func (r *reference) route(s *refState, d *dice, seen, locals []int) int {
	if seen == nil {
		seen = r.lengths(s)
	}
	choices := append(slices.Clone(locals), r.c.System.Machines)
	shortest := math.MaxInt
	for _, q := range choices {
		shortest = min(shortest, seen[q])
	}
	choices = slices.DeleteFunc(choices, func(q int) bool { return seen[q] > shortest })
	return choices[d.even(len(choices))]
}

// maxWeight lets an idle machine choose, oldest task first.
func (r *reference) maxWeight(s *refState, m int, seen []int) {
	if seen == nil {
		seen = r.lengths(s)
	}
	common := r.c.System.Machines
	order := []int{m, common}
	if r.c.System.Alpha*float64(seen[m]) < r.c.System.Gamma*float64(seen[common]) {
		order = []int{common, m}
	}
	if !r.c.Reading.Fallback {
		order = order[:1]
	}
	for _, q := range order {
		for _, j := range s.jobs {
			if i := slices.Index(j.waiting, q); i >= 0 {
				j.waiting = slices.Delete(j.waiting, i, i+1)
				s.running[m], s.doing[m] = j, local
				if q == common {
					s.doing[m] = remote
				}
				return
			}
		}
	}
}

// fair lets an idle machine choose a task under naive fair sharing.
func (r *reference) fair(s *refState, m int) {
	var best *refJob
	for _, j := range s.jobs {
		if len(j.waiting) > 0 && (best == nil || s.runs(j) < s.runs(best)) {
			best = j
		}
	}
	if best == nil {
		return
	}
	i := slices.IndexFunc(best.waiting, func(t int) bool { return slices.Contains(r.c.System.Types[t].Local, m) })
	s.doing[m] = local
	if i < 0 {
		i, s.doing[m] = 0, remote
	}
	best.waiting = slices.Delete(best.waiting, i, i+1)
	s.running[m] = best
}

// serve tries each busy machine once and returns how many tasks ended locally.
func (r *reference) serve(s *refState, d *dice) int {
	locally := 0
	for m, doing := range s.doing {
		rate := 0.0
		switch doing {
		case local:
			rate = r.c.System.Alpha
		case remote:
			rate = r.c.System.Gamma
		}
		if doing == idle || d.throw(1-rate, rate) == 0 {
			continue
		}
		if doing == local {
			locally++
		}
		s.running[m], s.doing[m] = nil, idle
	}
	s.jobs = slices.DeleteFunc(s.jobs, func(j *refJob) bool { return len(j.waiting) == 0 && s.runs(j) == 0 })
	return locally
}

// exact are the stationary means of a configuration.
type exact struct {
	queue, jobs, locality float64
	states                int
	full                  float64 // chance of at least most-1 tasks: what the cut could hide
}

// solve explores the chain from the empty system and iterates to its stationary
// distribution.
func (r *reference) solve(t *testing.T, anonymous bool) exact {
	t.Helper()
	n := r.c.System.Machines
	type step struct {
		to     int
		chance float64
	}
	empty := &refState{running: make([]*refJob, n), doing: make([]service, n)}
	states, number := []*refState{empty}, map[string]int{empty.key(anonymous): 0}
	var steps [][]step
	var jobs, locally []float64
	for i := 0; i < len(states); i++ {
		chances := map[int]float64{}
		var meanJobs, meanLocal float64
		outcomes(func(d *dice) {
			s := states[i].clone()
			after, done := r.slot(s, d)
			meanJobs += d.chance * float64(after)
			meanLocal += d.chance * float64(done)
			key := s.key(anonymous)
			to, known := number[key]
			if !known {
				to = len(states)
				number[key] = to
				states = append(states, s)
			}
			chances[to] += d.chance
		})
		var row []step
		for to, chance := range chances {
			row = append(row, step{to, chance})
		}
		slices.SortFunc(row, func(a, b step) int { return a.to - b.to })
		steps, jobs, locally = append(steps, row), append(jobs, meanJobs), append(locally, meanLocal)
	}
	now, next := make([]float64, len(states)), make([]float64, len(states))
	now[0] = 1
	for change := 1.0; change > 1e-10; {
		clear(next)
		for i, row := range steps {
			for _, s := range row {
				next[s.to] += now[i] * s.chance
			}
		}
		change = 0
		for i := range next {
			change += math.Abs(next[i] - now[i])
		}
		now, next = next, now
	}
	out := exact{states: len(states)}
	for i, p := range now {
		out.queue += p * float64(states[i].tasks())
		out.jobs += p * jobs[i]
		out.locality += p * locally[i] / r.c.Arrivals.Mean()
		if states[i].tasks() >= r.most-1 {
			out.full += p
		}
	}
	return out
}

// law builds a law of 0, 1, 2, … for tests.
func law(t *testing.T, weights ...float64) *Law {
	t.Helper()
	values := make([]int, len(weights))
	for i := range values {
		values[i] = i
	}
	l, err := NewLaw(values, weights)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The engine's means on tiny systems are those of the exact Markov chain.
func TestExactChain(t *testing.T) {
	one := []Type{{[]int{0}, 1}}
	two := []Type{{[]int{0}, 0.5}, {[]int{0, 1}, 0.5}}
	three := []Type{{[]int{0}, 0.7}, {[]int{1}, 0.3}}
	type test struct {
		name      string
		system    System
		jobs      []float64 // chances of 0, 1, 2, … jobs
		sizes     []float64 // chances of 0, 1, 2, … tasks
		policy    Policy
		reading   Reading
		most      int
		anonymous bool
	}
	single := []float64{0, 1}
	tests := []test{
		{"one machine", System{Machines: 1, Alpha: 0.8, Gamma: 0.3, Types: one}, []float64{0.6, 0.3, 0.1}, single, MaxWeight, Reading{}, 24, true},
		{"services longer than the ring", System{Machines: 1, Alpha: 0.03, Gamma: 0.02, Types: one}, []float64{0.99, 0.01}, single, MaxWeight, Reading{}, 40, true},
		{"jobs under jsq", System{Machines: 2, Alpha: 0.9, Gamma: 0.4, Types: two}, []float64{0.85, 0.15}, []float64{0, 0.5, 0.5}, MaxWeight, Reading{Live: true, FIFO: true}, 5, false},
		{"jobs under fair", System{Machines: 2, Alpha: 0.9, Gamma: 0.4, Types: two}, []float64{0.8, 0.2}, []float64{0, 0.5, 0.5}, NaiveFair, Reading{}, 6, false},
		{"three machines, fair", System{Machines: 3, Alpha: 0.9, Gamma: 0.4, Types: three}, []float64{0.8, 0.2}, []float64{0, 0.5, 0.5}, NaiveFair, Reading{}, 5, false},
		{"three machines, jsq", System{Machines: 3, Alpha: 0.9, Gamma: 0.3, Types: three}, []float64{0.5, 0.5}, single, MaxWeight, Reading{}, 9, true},
	}
	for _, bits := range []int{5, 2, 0, 1, 3, 4, 6, 7}[:testkit.Sets(2, 8)] { // the first two have every reading both ways
		reading := Reading{Live: bits&1 > 0, WaitingOnly: bits&2 > 0, Fallback: bits&4 > 0}
		tests = append(tests, test{fmt.Sprintf("%+v", reading), System{Machines: 2, Alpha: 0.8, Gamma: 0.3, Types: two}, []float64{0.7, 0.2, 0.1}, single, MaxWeight, reading, 13, true})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Config{System: test.system, Policy: test.policy, Reading: test.reading, Seed: 7,
				Arrivals: Arrivals{Jobs: law(t, test.jobs...), Tasks: law(t, test.sizes...)},
				Warmup:   1000, Slots: testkit.Sets(200_000, 600_000), Batches: 50}
			want := (&reference{c, test.most, test.sizes}).solve(t, test.anonymous)
			if want.full > 1e-3 {
				t.Errorf("the cut at %d tasks hides too much: the chance of being near it is %g", test.most, want.full)
			}
			got, err := Run(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d states, %.1g near the cut; queue %v, exact %.4f; jobs %v, exact %.4f; locality %v, exact %.4f", want.states, want.full, got.Queue, want.queue, got.Jobs, want.jobs, got.Locality, want.locality)
			holds(t, "queue", got.Queue, want.queue, 20*want.full)
			holds(t, "jobs", got.Jobs, want.jobs, 20*want.full)
			holds(t, "locality", got.Locality, want.locality, want.full)
		})
	}
}

// holds checks that an estimate is within twice its 95 % half width, about four
// standard errors, of the exact mean, allowing for the cut of the chain.
func holds(t *testing.T, what string, got Estimate, want, cut float64) {
	t.Helper()
	if !(math.Abs(got.Mean-want) <= 2*got.Half+cut) {
		t.Errorf("%s: simulated %v, exact %g", what, got, want)
	}
}
