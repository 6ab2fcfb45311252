package packing

import "downbeat/solve/patterns"

// knapsack finds what a core holds at best.
type knapsack struct {
	capacity int
	lengths  []int
	// best is the value by capacity, taken how many of an item it takes there, item
	// by item.
	best  []float64
	taken [][]uint16
}

func newKnapsack(lengths []int, capacity int) *knapsack {
	k := &knapsack{capacity: capacity, lengths: lengths, best: make([]float64, capacity+1)}
	for range lengths {
		k.taken = append(k.taken, make([]uint16, capacity+1))
	}
	return k
}

// Cells implements patterns.Knapsack.
func (k *knapsack) Cells() int { return k.capacity }

// Solve implements patterns.Knapsack: the pattern of the greatest value in which there are no more than
// counts of each item, at prices per item. It takes none whose price is not above 0.
func (k *knapsack) Solve(prices []float64, counts []int) (value float64, best patterns.Pattern) {
	clear(k.best)
	for i, price := range prices {
		clear(k.taken[i])
		if price > 0 && counts[i] > 0 {
			k.add(i, price, counts[i])
		}
	}
	residual := k.capacity
	for i := len(prices) - 1; i >= 0; i-- {
		if n := int(k.taken[i][residual]); n > 0 {
			best = append(best, patterns.Part{Item: i, Count: n})
			residual -= n * k.lengths[i]
		}
	}
	return k.best[k.capacity], best
}

// add offers an item, up to count times, from the greatest capacity down, so that
// what smaller ones hold is still without it.
func (k *knapsack) add(i int, price float64, count int) {
	length, taken := k.lengths[i], k.taken[i]
	for residual := k.capacity; residual >= length; residual-- {
		most := min(count, residual/length)
		for n := 1; n <= most; n++ {
			if v := k.best[residual-n*length] + float64(n)*price; v > k.best[residual] {
				k.best[residual], taken[residual] = v, uint16(n)
			}
		}
	}
}
