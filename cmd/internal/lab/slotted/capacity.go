package slotted

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Capacity returns the largest load in tasks a slot that a system can carry:
// every load below it, split over the types by their weights, is inside the
// capacity region of the paper's Section III, and none above.
//
// A load λ is in the region if λ = F + R with local rates that add up to F and
// remote ones that add up to R, such that no machine needs more than a slot of
// work in a slot. Local work is the cheaper way to serve a task, so F may be as
// large as it can be: a maximum flow from types (at most λ times their share)
// into machines (at most Alpha). Tasks of a type that is then left over have
// only machines that are full, so all time that remains lies on machines where
// they are remote. Hence λ is in the region exactly if
//
//	λ - F(λ) ≤ Gamma·(Machines - F(λ)/Alpha).
//
// F is the least of finitely many cuts, each linear in λ; Newton's method on
// them ends at the answer after finitely many flows.
//
// With uniform places the flow is known without computing it: by symmetry, every
// task split evenly over its machines loads all holders alike, so
// F(λ) = min(λ, Alpha·Holders).
func Capacity(s System) (float64, error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	if len(s.Types) == 0 {
		return s.Ceiling(), nil
	}
	load := s.Alpha * float64(s.Machines)
	for range 1 << len(s.Types[0].Local) * len(s.Types) * s.Machines {
		cut := s.localFlow(load).cut()
		next := s.carried(cut)
		if !(next < load) {
			return load, nil
		}
		load = next
	}
	return 0, errors.New("the capacity did not settle")
}

// carried returns the load at which a cut stops the system: the solution of
// λ = F·(1 - Gamma/Alpha) + Gamma·Machines where F = λ·past + Alpha·full.
func (s System) carried(c cut) float64 {
	saved := 1 - s.Gamma/s.Alpha
	return (saved*s.Alpha*float64(c.full) + s.Gamma*float64(s.Machines)) / (1 - saved*c.past)
}

// HeavyLocal reports whether a load meets the paper's assumption (12): any set
// of machines with data is offered at least as much local work as it can do. By
// Hall's theorem that is so exactly if local work alone can keep all of them
// busy.
func HeavyLocal(s System, load float64) (bool, error) {
	if err := s.Check(); err != nil {
		return false, err
	}
	need := s.Alpha * float64(s.Local())
	if len(s.Types) == 0 {
		return load >= need, nil
	}
	const slack = 1e-9 // of the flow's rounding
	return s.localFlow(load).run() >= need*(1-slack), nil
}

// flow is the network that carries types into machines: source, types,
// machines, sink.
type flow struct {
	edges []edge
	out   [][]int32 // edges leaving a node; edge i^1 is the reverse of i
	types int
	share []float64 // of all tasks, by type
	level []int32
	next  []int32 // first edge of a node that may still lead on
}

// edge is one direction of a connection and what it can still take.
type edge struct {
	to   int32
	room float64
}

// cut is a minimum cut, as a line over the load: past·load + Alpha·full.
type cut struct {
	past float64 // share of the tasks whose types are cut off at the source
	full int     // machines cut off at the sink
}

// localFlow builds the network for a load.
func (s System) localFlow(load float64) *flow {
	n := len(s.Types)
	f := &flow{out: make([][]int32, n+s.Machines+2), types: n, share: make([]float64, n)}
	sum := 0.0
	for _, t := range s.Types {
		sum += t.Weight
	}
	source, sink := int32(n+s.Machines), int32(n+s.Machines+1)
	for i, t := range s.Types {
		f.share[i] = t.Weight / sum
		f.connect(source, int32(i), load*f.share[i])
		for _, m := range t.Local {
			f.connect(int32(i), int32(n+m), math.Inf(1))
		}
	}
	for m := range s.Machines {
		f.connect(int32(n+m), sink, s.Alpha)
	}
	return f
}

// connect adds an edge and its reverse.
func (f *flow) connect(from, to int32, room float64) {
	f.out[from] = append(f.out[from], int32(len(f.edges)))
	f.edges = append(f.edges, edge{to, room})
	f.out[to] = append(f.out[to], int32(len(f.edges)))
	f.edges = append(f.edges, edge{from, 0})
}

// least is the room below which an edge counts as full: rates are of order 1,
// and rounding leaves less than this behind.
const least = 1e-12

// run sends the maximum flow from source to sink (Dinic's method) and returns
// its value.
func (f *flow) run() float64 {
	source, sink := int32(len(f.out)-2), int32(len(f.out)-1)
	total := 0.0
	for f.layer(source); f.level[sink] >= 0; f.layer(source) {
		f.next = make([]int32, len(f.out))
		for {
			sent := f.push(source, sink, math.Inf(1))
			if sent == 0 {
				break
			}
			total += sent
		}
	}
	return total
}

// layer sets each node's distance from the source over edges with room, -1
// where there is no way.
func (f *flow) layer(source int32) {
	f.level = make([]int32, len(f.out))
	for i := range f.level {
		f.level[i] = -1
	}
	f.level[source] = 0
	queue := []int32{source}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, i := range f.out[at] {
			if e := f.edges[i]; e.room > least && f.level[e.to] < 0 {
				f.level[e.to] = f.level[at] + 1
				queue = append(queue, e.to)
			}
		}
	}
}

// push sends up to room along one shortest way, and returns how much went.
func (f *flow) push(at, sink int32, room float64) float64 {
	if at == sink {
		return room
	}
	for ; int(f.next[at]) < len(f.out[at]); f.next[at]++ {
		i := f.out[at][f.next[at]]
		e := &f.edges[i]
		if e.room <= least || f.level[e.to] != f.level[at]+1 {
			continue
		}
		if sent := f.push(e.to, sink, math.Min(room, e.room)); sent > 0 {
			e.room -= sent
			f.edges[i^1].room += sent
			return sent
		}
	}
	return 0
}

// cut runs the flow and returns the minimum cut nearest to the sink's side:
// types that the source no longer reaches are cut off there, machines that it
// reaches at the sink.
func (f *flow) cut() cut {
	f.run()
	var c cut
	for node, level := range f.level[:len(f.out)-2] {
		switch {
		case node < f.types && level < 0:
			c.past += f.share[node]
		case node >= f.types && level >= 0:
			c.full++
		}
	}
	return c
}

// ServiceVariance returns the paper's ν²: the variance of the number of tasks
// that end in a slot if every machine with data always serves locally and every
// other remotely.
func (s System) ServiceVariance() float64 {
	with := float64(s.Local())
	return with*s.Alpha*(1-s.Alpha) + (float64(s.Machines)-with)*s.Gamma*(1-s.Gamma)
}

// Ceiling returns M_l·Alpha + M_r·Gamma, in tasks a slot: no more can end on
// average. Under heavy local traffic it is the capacity.
func (s System) Ceiling() float64 {
	with := float64(s.Local())
	return with*s.Alpha + (float64(s.Machines)-with)*s.Gamma
}

// LowerBound returns Theorem 2 of the paper: the mean number of tasks in the
// system at the start of a slot, Result.Queue, is at least
// (σ² + ν² + ε²)/2ε - M/2 under any policy, where ε is the distance of the load
// from the ceiling. The bound may be negative, and then says nothing. It fails
// for a load at or above the ceiling, where there is no mean.
func LowerBound(s System, a Arrivals) (float64, error) {
	eps := s.Ceiling() - a.Mean()
	if eps <= 0 {
		return 0, fmt.Errorf("a load of %g tasks a slot is not below the ceiling of %g", a.Mean(), s.Ceiling())
	}
	return (a.Variance()+s.ServiceVariance()+eps*eps)/(2*eps) - float64(s.Machines)/2, nil
}

// HeavyTrafficLimit returns (σ² + ν²)/2, to which ε·E[ΣQ] tends under
// [MaxWeight] as ε goes to 0 (Theorems 2 and 4), for arrivals of variance σ²
// and under heavy local traffic.
func HeavyTrafficLimit(s System, variance float64) float64 {
	return (variance + s.ServiceVariance()) / 2
}

// HeavyPoint is one step of the approach to the heavy-traffic limit.
type HeavyPoint struct {
	Epsilon float64 // distance of the load from the ceiling
	Result  Result
	Bound   float64  // Theorem 2, for Result.Queue
	Scaled  Estimate // ε·E[ΣQ]
	Limit   float64  // (σ² + ν²)/2 with the variance of these arrivals
	Local   bool     // whether the local traffic is heavy, as Theorem 4 asks
}

// HeavyTraffic runs a system at several distances ε from its ceiling, with jobs
// of one task and a binomial number of them in a slot, at most the given number
// (bounded, as the theorems ask). The configuration gives all else; each ε has a
// seed of its own. It fails as [Sweep.Run] does, or if a load is not in
// (0, most).
func HeavyTraffic(ctx context.Context, c Config, epsilons []float64, most, workers int) ([]HeavyPoint, error) {
	points, configs, err := HeavyConfigs(c, epsilons, most)
	if err != nil {
		return nil, err
	}
	results, err := runAll(ctx, configs, workers, nil)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		points[i].Take(r)
	}
	return points, nil
}

// HeavyConfigs are the runs of [HeavyTraffic], and the points that are to [HeavyPoint.Take]
// their results.
func HeavyConfigs(c Config, epsilons []float64, most int) ([]HeavyPoint, []Config, error) {
	points := make([]HeavyPoint, len(epsilons))
	configs := make([]Config, len(epsilons))
	for i, eps := range epsilons {
		load := c.System.Ceiling() - eps
		jobs, err := Binomial(most, load/float64(most))
		if err != nil {
			return nil, nil, err
		}
		config := c
		config.Arrivals = Arrivals{Jobs: jobs, Tasks: Constant(1)}
		config.Seed = loadSeed(c.Seed, load)
		p := HeavyPoint{Epsilon: eps, Limit: HeavyTrafficLimit(c.System, config.Arrivals.Variance())}
		if p.Bound, err = LowerBound(c.System, config.Arrivals); err != nil {
			return nil, nil, err
		}
		if p.Local, err = HeavyLocal(c.System, load); err != nil {
			return nil, nil, err
		}
		points[i], configs[i] = p, config
	}
	return points, configs, nil
}

// Take enters the result of a point's run.
func (p *HeavyPoint) Take(r Result) {
	p.Result = r
	p.Scaled = Estimate{Mean: p.Epsilon * r.Queue.Mean, Half: math.Abs(p.Epsilon * r.Queue.Half)}
}
