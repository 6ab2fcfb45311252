package packing

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
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
	d.knapsack = newKnapsack(p.lengths(), p.capacity)
	switch d.run(ctx) {
	case solved:
		plan = p.schedule(d.packed)
	case exceeded:
		none = d.argument(p.interval())
	}
	return plan, none, steps + d.steps
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
	relaxation
	rand *rand.Rand
	// packed are the cores of a packing, as far as it has come; each lists numbers of items.
	packed [][]int
}

// run packs once. The first relaxation may show that there is no packing.
func (d *dive) run(ctx context.Context) outcome {
	left := d.Problem.counts()
	for first := true; len(d.packed) < len(d.cores); first = false {
		d.begin(left)
		switch o := d.relaxation.solve(ctx, len(d.cores)-len(d.packed)); {
		case o == exceeded && !first:
			return unsolved
		case o != solved:
			return o
		}
		if d.use(left); !slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
			return solved
		}
	}
	return unsolved
}

// use takes patterns over: as often as they are used whole, and else one that is used
// most of a time.
func (d *dive) use(left []int) {
	most, best := 0.0, pattern(nil)
	before := len(d.packed)
	for k := range d.in.Basis {
		if d.in.Basis[k].surplus {
			continue
		}
		for range int(d.in.Amounts[k] + tolerance) {
			d.pack(d.in.Basis[k].pattern, left)
		}
		rest := d.in.Amounts[k] - float64(int(d.in.Amounts[k]+tolerance))
		if rest *= 1 + d.rand.Float64()/4; rest > most {
			most, best = rest, d.in.Basis[k].pattern
		}
	}
	if len(d.packed) == before {
		d.pack(best, left)
	}
}

// pack uses a pattern once, as far as tasks are left for it.
func (d *dive) pack(p pattern, left []int) {
	if len(d.packed) == len(d.cores) {
		return
	}
	var core []int
	for _, of := range p {
		n := min(of.count, left[of.item])
		left[of.item] -= n
		core = append(core, slices.Repeat([]int{of.item}, n)...)
	}
	d.packed = append(d.packed, core)
}
