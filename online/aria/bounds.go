package aria

import "math"

// Bound says by which of ARIA's bounds a stage's time is taken.
type Bound uint8

// Lower is the lower bound, Upper the upper one, Average their mean, by which the paper
// predicts completion times.
const (
	Average Bound = iota
	Lower
	Upper
)

// StageTime bounds the time of n ≥ 1 tasks on k ≥ 1 slots under any greedy assignment, in
// ticks, where tasks take mean on average and longest at most (ARIA, §3.1): n·mean/k from
// below and (n−1)·mean/k + longest from above.
func StageTime(n, k int, mean, longest float64) (lower, upper float64) {
	lower = float64(n) * mean / float64(k)
	return lower, float64(n-1)*mean/float64(k) + longest
}

// Work is the rest of a job as ARIA sees it: it takes Maps/m + Reduces/r + Fixed ticks on m
// map and r reduce slots.
type Work struct {
	Maps, Reduces, Fixed float64
	// MapTasks and ReduceTasks are how many there are of each: more slots are of no use.
	MapTasks, ReduceTasks int
}

// add adds a stage of n tasks.
func (w *Work) add(reduce bool, n int, mean, longest float64, by Bound) {
	shared := map[Bound]float64{Lower: float64(n), Average: float64(n) - 0.5, Upper: float64(n - 1)}[by] * mean
	fixed := map[Bound]float64{Lower: 0, Average: 0.5, Upper: 1}[by] * longest
	w.Fixed += fixed
	if reduce {
		w.Reduces += shared
		w.ReduceTasks += n
	} else {
		w.Maps += shared
		w.MapTasks += n
	}
}

// Slots are the fewest map and reduce slots, by their sum, with which the work is done within
// so many ticks by the bound (ARIA, §3.3): the continuous optimum by a Lagrange multiplier,
// m = (M + √(M·R))/T for the maps M and the time T that is left, and then the best whole
// numbers beside it. Where that cannot be done it is as many slots as there are tasks.
func (w Work) Slots(within float64) (maps, reduces int) {
	t := within - w.Fixed
	root := math.Sqrt(w.Maps * w.Reduces)
	least, found := 0, false
	try := func(m float64) {
		mm := min(max(int(max(0, min(m, math.MaxInt32))), min(1, w.MapTasks)), w.MapTasks)
		rr, ok := w.reducesFor(mm, t)
		if ok && (!found || mm+rr < least) {
			maps, reduces, least, found = mm, rr, mm+rr, true
		}
	}
	if t > 0 {
		at := math.Floor((w.Maps + root) / t)
		for m := at - 1; m <= at+2; m++ {
			try(m)
		}
		if w.ReduceTasks > 0 {
			// More reduce slots than tasks are of no use, and more map slots make up for them.
			try(math.Ceil(w.Maps/max(rounding, t-w.Reduces/float64(w.ReduceTasks)) - rounding))
		}
	}
	try(float64(w.MapTasks))
	if !found {
		return w.MapTasks, w.ReduceTasks
	}
	return maps, reduces
}

// reducesFor is the fewest reduce slots beside m map slots.
func (w Work) reducesFor(m int, t float64) (r int, ok bool) {
	if m > 0 {
		t -= w.Maps / float64(m)
	}
	need := 0.0
	switch {
	case t < -rounding || w.Reduces > 0 && t <= 0:
		return 0, false
	case w.Reduces > 0:
		need = math.Ceil(w.Reduces/t - rounding)
	}
	return max(min(1, w.ReduceTasks), int(min(need, math.MaxInt32))), need <= float64(w.ReduceTasks)
}

// Common are the fewest slots where they have no kind, so that the same serve both.
func (w Work) Common(within float64) int {
	most := max(w.MapTasks, w.ReduceTasks)
	t := within - w.Fixed
	if t <= 0 {
		return most
	}
	return min(most, max(1, int(min(math.Ceil((w.Maps+w.Reduces)/t-rounding), math.MaxInt32))))
}

// rounding lets sums that are whole numbers but for floating point count as such.
const rounding = 1e-9
