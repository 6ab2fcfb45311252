package slotted

import (
	"errors"
	"fmt"
	"math"
)

// Law is a distribution over finitely many non-negative whole numbers, with
// its exact moments and constant-time draws.
type Law struct {
	values []int
	mean   float64
	square float64 // second moment

	// Walker's alias table: column i yields values[i] where a uniform number
	// is below keep[i], else values[alias[i]].
	keep  []uint64
	alias []int32
}

// NewLaw returns the law that yields values[i] with a probability proportional
// to weights[i]. It fails if the lengths differ or are 0, a value is negative,
// a weight is negative or not finite, or all weights are 0.
func NewLaw(values []int, weights []float64) (*Law, error) {
	if len(values) == 0 || len(values) != len(weights) {
		return nil, fmt.Errorf("a law of %d values with %d weights", len(values), len(weights))
	}
	sum := 0.0
	for i, w := range weights {
		if values[i] < 0 {
			return nil, fmt.Errorf("a law with the negative value %d", values[i])
		}
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("a law with the weight %g", w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, errors.New("a law whose weights do not add up to a positive number")
	}
	law := &Law{values: append([]int(nil), values...)}
	shares := make([]float64, len(weights))
	for i, w := range weights {
		shares[i] = w / sum
		v := float64(values[i])
		law.mean += shares[i] * v
		law.square += shares[i] * v * v
	}
	law.keep, law.alias = aliasTable(shares)
	return law, nil
}

// aliasTable builds Walker's table for probabilities that add up to 1 (Vose's
// method).
func aliasTable(shares []float64) (keep []uint64, alias []int32) {
	n := len(shares)
	keep, alias = make([]uint64, n), make([]int32, n)
	scaled := make([]float64, n)
	var small, large []int32
	for i, p := range shares {
		scaled[i] = p * float64(n)
		keep[i], alias[i] = math.MaxUint64, int32(i)
		if scaled[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		keep[s], alias[s] = fraction(scaled[s]), l
		scaled[l] -= 1 - scaled[s]
		if scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	return keep, alias
}

// Mean returns the expectation.
func (l *Law) Mean() float64 { return l.mean }

// Variance returns the variance.
func (l *Law) Variance() float64 { return math.Max(0, l.square-l.mean*l.mean) }

// column draws an index into values.
func (l *Law) column(s *stream) int {
	i := 0
	if len(l.values) > 1 {
		i = s.below(len(l.values))
		if s.pcg.Uint64() >= l.keep[i] {
			i = int(l.alias[i])
		}
	}
	return i
}

// draw returns a value of the law.
func (l *Law) draw(s *stream) int { return l.values[l.column(s)] }

// Constant returns the law of a number that is always n >= 0.
func Constant(n int) *Law {
	law, err := NewLaw([]int{n}, []float64{1})
	if err != nil {
		panic(err) // a negative number is a mistake of the caller
	}
	return law
}

// Poisson returns the Poisson law of the given mean >= 0, cut on both sides
// where its probabilities fall below 1e-17 of the largest: the paper asks for
// bounded arrivals, and the cut changes no moment that a float64 could show.
func Poisson(mean float64) (*Law, error) {
	if !(mean >= 0) || mean > 1e6 {
		return nil, fmt.Errorf("a Poisson law of mean %g; it must be in [0, 1e6]", mean)
	}
	const tail = 1e-17
	mode := int(mean)
	var values []int
	var weights []float64
	for k, w := mode, 1.0; k >= 0 && w > tail; k-- {
		values, weights = append(values, k), append(weights, w)
		w *= float64(k) / mean
	}
	for k, w := mode+1, mean/float64(mode+1); w > tail; k++ {
		values, weights = append(values, k), append(weights, w)
		w *= mean / float64(k+1)
	}
	return NewLaw(values, weights)
}

// Binomial returns the law of the number of successes in n >= 1 trials of
// probability p, 0 <= p <= 1.
func Binomial(n int, p float64) (*Law, error) {
	if n < 1 || !(p >= 0 && p <= 1) {
		return nil, fmt.Errorf("a binomial law of %d trials with probability %g", n, p)
	}
	weights := []float64{1}
	for range n {
		next := make([]float64, len(weights)+1)
		for k, w := range weights {
			next[k] += w * (1 - p)
			next[k+1] += w * p
		}
		weights = next
	}
	values := make([]int, n+1)
	for k := range values {
		values[k] = k
	}
	return NewLaw(values, weights)
}

// Bin is a class of job sizes: with a weight of Weight, a number of tasks
// uniform on Low … High.
type Bin struct {
	Low, High int
	Weight    float64
}

// Bins returns the law that a list of classes makes. It fails for an empty
// list, a class with Low > High, and as [NewLaw] does.
func Bins(bins []Bin) (*Law, error) {
	var values []int
	var weights []float64
	for _, b := range bins {
		if b.Low > b.High {
			return nil, fmt.Errorf("a class of job sizes from %d to %d", b.Low, b.High)
		}
		for k := b.Low; k <= b.High; k++ {
			values = append(values, k)
			weights = append(weights, b.Weight/float64(b.High-b.Low+1))
		}
	}
	return NewLaw(values, weights)
}

// FacebookBins are the job sizes assumed for Figures 3 and 4, after the classes
// by which PACMan sorts the jobs of Facebook's trace: 85 % with at most 10 tasks,
// 4 % up to 50, 8 % up to 150, 2 % up to 500, 1 % above, where the largest class
// holds about 76 % of the input. These shares are taken as they are usually
// quoted, not checked against that paper. It leaves the largest class open; the
// upper end of 12,500 is the round number with which it holds 76 % of all tasks.
// Within a class all sizes are equally likely.
//
// Much depends on that upper end: the load that [NaiveFair] carries grows with the
// share of tasks in jobs large enough to have a local task for most machines. In
// overload on the paper's cluster it is 294, 344 and 419 tasks a slot for ends at
// 3,000, 6,000 and 12,500.
func FacebookBins() []Bin {
	return []Bin{{1, 10, 85}, {11, 50, 4}, {51, 150, 8}, {151, 500, 2}, {501, 12500, 1}}
}

// Zipf returns the law on 1 … most with probabilities proportional to
// k^-exponent, the other usual stand-in for heavy-tailed job sizes.
func Zipf(exponent float64, most int) (*Law, error) {
	if most < 1 || !(exponent >= 0) {
		return nil, fmt.Errorf("a Zipf law up to %d with exponent %g", most, exponent)
	}
	values, weights := make([]int, most), make([]float64, most)
	for i := range values {
		values[i] = i + 1
		weights[i] = math.Pow(float64(i+1), -exponent)
	}
	return NewLaw(values, weights)
}

// Arrivals says what arrives in a slot: a number of jobs, and for each job a
// number of tasks, all independent. A job of no tasks is not counted.
type Arrivals struct {
	Jobs  *Law // jobs in a slot
	Tasks *Law // tasks of a job
}

// PoissonArrivals returns arrivals of load >= 0 tasks a slot on average, in
// Poisson many jobs. It fails if tasks has mean 0 or the load is out of range.
func PoissonArrivals(load float64, tasks *Law) (Arrivals, error) {
	if tasks.mean == 0 {
		return Arrivals{}, errors.New("jobs without tasks")
	}
	jobs, err := Poisson(load / tasks.mean)
	return Arrivals{Jobs: jobs, Tasks: tasks}, err
}

// Mean returns the expected number of tasks that arrive in a slot.
func (a Arrivals) Mean() float64 { return a.Jobs.mean * a.Tasks.mean }

// Variance returns the variance of the number of tasks that arrive in a slot,
// the paper's σ².
func (a Arrivals) Variance() float64 {
	return a.Jobs.mean*a.Tasks.Variance() + a.Jobs.Variance()*a.Tasks.mean*a.Tasks.mean
}
