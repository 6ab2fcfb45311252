package slotted

import (
	"errors"
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
