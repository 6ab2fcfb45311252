package relaxation

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// assignment is jobs that each choose a place, of which each has room for one, at costs: its
// relaxation comes to the same as the best assignment.
type assignment struct {
	*Relaxation
	costs [][]int64
}

func draw(ctx context.Context, rng *rand.Rand, n int) *assignment {
	a := &assignment{}
	rows := &Rows{}
	for range n {
		rows.Capacity = append(rows.Capacity, 1)
		row := make([]int64, n)
		for k := range row {
			row[k] = rng.Int64N(1_000_000)
		}
		a.costs = append(a.costs, row)
	}
	a.Relaxation = New(ctx, rows, 1, a)
	a.Largest = 1 << 40
	return a
}

func (a *assignment) Price()    {}
func (a *assignment) Jobs() int { return len(a.costs) }

func (a *assignment) Pay(job int) int64 {
	at, least := 0, int64(math.MaxInt64)
	for k, cost := range a.costs[job] {
		if cost += a.Multipliers[k]; cost < least {
			at, least = k, cost
		}
	}
	a.Use[at]++
	return least
}

// best tries all assignments of the jobs from i on.
func (a *assignment) best(i int, taken uint) int64 {
	if i == len(a.costs) {
		return 0
	}
	least := int64(math.MaxInt64)
	for k, cost := range a.costs[i] {
		if taken>>k&1 == 0 {
			least = min(least, cost+a.best(i+1, taken|1<<k))
		}
	}
	return least
}

// Either way of steps comes close to the best assignment and never above it, and the
// value is that of the multipliers that are kept.
func TestAgainstAllAssignments(t *testing.T) {
	for name, run := range map[string]func(a *Ascent, steps int, target int64){
		"Polyak": func(a *Ascent, steps int, target int64) { a.Run(t.Context(), steps, math.MaxInt64, target) },
		"scaled": func(a *Ascent, steps int, _ int64) {
			a.RunScaled(t.Context(), steps, math.MaxInt64, 100_000)
		},
	} {
		sum, of := 0.0, 0.0
		for seed := range uint64(40) {
			p := draw(t.Context(), rand.New(rand.NewPCG(seed, 1)), 6)
			optimum := p.best(0, 0)
			const steps = 300
			a := p.Ascend(steps)
			before := a.Value
			run(a, steps, optimum)
			if a.Value < before || a.Value > optimum {
				t.Errorf("%s, seed %d: %d after %d, the best assignment costs %d", name, seed, a.Value, before, optimum)
			}
			copy(p.Multipliers, a.Best)
			if v := p.Value(); v != a.Value {
				t.Errorf("%s, seed %d: the multipliers kept are worth %d, not %d", name, seed, v, a.Value)
			}
			sum, of = sum+float64(a.Value), of+float64(optimum)
		}
		if t.Logf("%s: %.4f of the optimum", name, sum/of); sum < 0.98*of {
			t.Errorf("%s: %.3f of the optimum", name, sum/of)
		}
	}
}

// A run stops once the value is enough.
func TestScaledStepsStop(t *testing.T) {
	p := draw(t.Context(), rand.New(rand.NewPCG(1, 2)), 6)
	a := p.Ascend(100)
	before := a.Value
	if a.RunScaled(t.Context(), 100, before, 100_000); a.Value != before {
		t.Errorf("a value of %d was enough, and the search went on to %d", before, a.Value)
	}
}

// A plain step goes as far as the gain says, within the bounds; what is projected has no
// part in its length.
func TestStep(t *testing.T) {
	at, along := []float64{1, 0, 9, 5}, []float64{1, -7, 2, -2}
	Project(at, along)
	if !Polyak(at, along, 9, 10) {
		t.Error("nothing to gain")
	}
	if want := []float64{2, 0, 10, 3}; !slices.Equal(at, want) {
		t.Errorf("at %v, want %v", at, want)
	}
	if Polyak(at, []float64{0, 0, 0, 0}, 9, 10) || Polyak(at, along, 0, 10) {
		t.Error("something to gain")
	}
}
