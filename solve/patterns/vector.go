package patterns

import (
	"cmp"
	"slices"
)

// Vector is a knapsack of several capacities, solved by dynamic programming over all of what may be left of them.
type Vector struct {
	// steps is by how much a unit of each capacity moves in the table, cells how many there are.
	capacities, steps []int
	needs             [][]int // by item, of each capacity
	cells             int
	best              []float64
	taken             [][]uint16
}

// NewVector prepares a table for items that need so much of each capacity; nil where it has more than most cells.
func NewVector(capacities []int, needs [][]int, most int) *Vector {
	k := &Vector{capacities: capacities, needs: needs, cells: 1}
	for _, c := range capacities {
		k.steps = append(k.steps, k.cells)
		if c+1 > most/k.cells {
			return nil
		}
		k.cells *= c + 1
	}
	k.best = make([]float64, k.cells)
	for range needs {
		k.taken = append(k.taken, make([]uint16, k.cells))
	}
	return k
}

// Cells implements Knapsack.
func (k *Vector) Cells() int { return k.cells }

// Solve implements Knapsack. Prices that are whole numbers have a value that is exact, unless it is 2⁵³ or more.
func (k *Vector) Solve(prices []float64, counts []int) (value float64, best Pattern) {
	clear(k.best)
	for i, price := range prices {
		clear(k.taken[i])
		if price > 0 && counts[i] > 0 {
			k.add(i, price, counts[i])
		}
	}
	at := k.cells - 1
	value = k.best[at]
	for i := len(prices) - 1; i >= 0; i-- {
		if n := int(k.taken[i][at]); n > 0 {
			best = append(best, Part{i, n})
			at -= n * k.step(i)
		}
	}
	return value, best
}

// Guess finds a pattern that is worth much: items by price for their share of the capacities, of which one after the other counts most.
func (k *Vector) Guess(prices []float64, counts []int) (value float64, best Pattern) {
	order, share := make([]int, 0, len(prices)), make([]float64, len(prices))
	for i, price := range prices {
		if price > 0 && counts[i] > 0 {
			order = append(order, i)
		}
	}
	left := make([]int, len(k.capacities))
	for most := range len(k.capacities) + 1 {
		for _, i := range order {
			share[i] = 0
			for d, n := range k.needs[i] {
				of := float64(n) / float64(k.capacities[d])
				if share[i] += of; d == most {
					share[i] += emphasis * of
				}
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(prices[b]*share[a], prices[a]*share[b]) })
		copy(left, k.capacities)
		v, p := 0.0, Pattern(nil)
		for _, i := range order {
			n := counts[i]
			for d, need := range k.needs[i] {
				if need > 0 {
					n = min(n, left[d]/need)
				}
			}
			for d, need := range k.needs[i] {
				left[d] -= n * need
			}
			if n > 0 {
				v, p = v+float64(n)*prices[i], append(p, Part{i, n})
			}
		}
		if v > value {
			value, best = v, p
		}
	}
	return value, best
}

// emphasis is how much more one of the capacities counts in guesses: with 0 and 9 the bounds of vec-40x3-1 to -80x4-2 are the same, in as long.
const emphasis = 3

// step is by how much an item moves in the table.
func (k *Vector) step(i int) (step int) {
	for d, n := range k.needs[i] {
		step += n * k.steps[d]
	}
	return step
}

// add offers an item, up to count times, one after the other.
func (k *Vector) add(i int, price float64, count int) {
	for d, n := range k.needs[i] {
		if n > 0 {
			count = min(count, k.capacities[d]/n)
		}
	}
	step, taken := k.step(i), k.taken[i]
	if step == 0 {
		for at := range k.best {
			k.best[at], taken[at] = k.best[at]+float64(count)*price, uint16(count)
		}
		return
	}
	for range count {
		k.once(len(k.capacities)-1, k.needs[i], 0, step, price, taken)
	}
}

// once offers an item once more, from where most is left down, so that what is found where less is left is still without it: to all cells from
// one on in which enough is left of each capacity up to one.
func (k *Vector) once(d int, needs []int, from, step int, price float64, taken []uint16) {
	if d > 0 {
		for left := k.capacities[d]; left >= needs[d]; left-- {
			k.once(d-1, needs, from+left*k.steps[d], step, price, taken)
		}
		return
	}
	for at := from + k.capacities[0]; at >= from+needs[0]; at-- {
		if v := k.best[at-step] + price; v > k.best[at] {
			k.best[at], taken[at] = v, taken[at-step]+1
		}
	}
}
