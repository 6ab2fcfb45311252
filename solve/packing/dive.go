package packing

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/solve/patterns"
	"downbeat/solve/simplex"
)

// Search looks for a plan of all tasks in time, first by local search and then by the
// relaxation, or for an argument that there is none. Both are nil if it finds neither,
// or ctx is done. Equal seeds make equal choices. steps is the work done, in cells of
// tables looked at, of which 10⁹ take about a second.
func Search(ctx context.Context, p *Problem, seed uint64) (plan model.Schedule, none *proof.Packing, steps int) {
	if longest := p.items[0].length; longest > p.capacity {
		return nil, &proof.Packing{Interval: p.interval(), Prices: []proof.LengthPrice{{Length: model.Time(longest), Price: 1}}}, 1
	}
	chance := rand.New(rand.NewPCG(seed, 0x7061636b))
	if len(p.cores)*p.capacity >= p.total() {
		b := newBalance(p, chance)
		if b.run(ctx, balanceSteps*p.capacity*len(p.js.Tasks)) {
			return p.schedule(b.held), nil, b.steps
		}
		steps = b.steps
	}
	d := dive{Problem: p, rand: chance}
	d.lengths = p.lengths()
	needs := make([][]int, len(d.lengths))
	for i := range needs {
		needs[i] = d.lengths[i : i+1]
	}
	d.Knapsack = patterns.NewVector([]int{p.capacity}, needs, math.MaxInt)
	switch d.run(ctx) {
	case patterns.Solved:
		plan = p.schedule(d.packed)
	case patterns.Exceeded:
		none = d.argument(p.interval())
	}
	return plan, none, steps + d.Steps
}

// balanceSteps times capacity and number of tasks is what local search is given each
// time, a hundred exchanges for each core, some 30 ms at 100 tasks: where it finds a
// packing at all it mostly takes a tenth of that.
const balanceSteps = 500

// dive packs core by core: patterns that the relaxation uses whole, or else mostly,
// are used, and the relaxation of what is left is solved again (Belov and
// Scheithauer, 2002).
type dive struct {
	*Problem
	patterns.Relaxation
	lengths []int // of items
	rand    *rand.Rand
	// packed are the cores of a packing, as far as it has come; each lists numbers of items.
	packed [][]int
}

// run packs once. The first relaxation may show that there is no packing.
func (d *dive) run(ctx context.Context) patterns.Outcome {
	left := d.Problem.counts()
	for first := true; len(d.packed) < len(d.cores); first = false {
		d.begin(left)
		switch o := d.Relaxation.Solve(ctx, float64(len(d.cores)-len(d.packed))); {
		case o == patterns.Exceeded && !first:
			return patterns.Unsolved
		case o != patterns.Solved:
			return o
		}
		if d.use(left); !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
			return patterns.Solved
		}
	}
	return patterns.Unsolved
}

// begin sets the relaxation of what is left up, with patterns of as many tasks of a length as fit.
func (d *dive) begin(left []int) {
	demand, fits := make([]float64, len(left)), make([]int, len(left))
	for i, n := range left {
		demand[i], fits[i] = float64(n), max(1, min(n, d.capacity/d.lengths[i])) // 1 where there are none left
	}
	d.Relaxation.Begin(demand, left, fits)
}

// use takes patterns over: as often as they are used whole, and else one that is used
// most of a time.
func (d *dive) use(left []int) {
	most, best := 0.0, patterns.Pattern(nil)
	before := len(d.packed)
	for k := range d.Basis {
		if d.Basis[k].Surplus {
			continue
		}
		for range int(d.Amounts[k] + simplex.Tolerance) {
			d.pack(d.Basis[k].Pattern, left)
		}
		rest := d.Amounts[k] - float64(int(d.Amounts[k]+simplex.Tolerance))
		if rest *= 1 + d.rand.Float64()/4; rest > most {
			most, best = rest, d.Basis[k].Pattern
		}
	}
	if len(d.packed) == before {
		d.pack(best, left)
	}
}

// pack uses a pattern once, as far as tasks are left for it.
func (d *dive) pack(p patterns.Pattern, left []int) {
	if len(d.packed) == len(d.cores) {
		return
	}
	var core []int
	for _, of := range p {
		n := min(of.Count, left[of.Item])
		left[of.Item] -= n
		core = append(core, slices.Repeat([]int{of.Item}, n)...)
	}
	d.packed = append(d.packed, core)
}
