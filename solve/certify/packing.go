package certify

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/relaxation"
)

// byPacking refutes a question by prices of lengths. If the most that a core can run in n ticks
// is worth K(n), tick n of each core costs K(n+1) − K(n): a task of l ticks pays no less than
// it is worth wherever it runs, as K(n+l) ≥ K(n) + K(l), and a core costs what the most is
// worth that it can run. Here it can run tasks of a length any number of times, so that the
// prices may have to be others than those of the packing. It is nil where there are too many
// of them, none are found, or ctx is done.
func byPacking(ctx context.Context, js *model.JobSet, q query.Question, by *proof.Packing) *proof.Refutation {
	k := newKnapsack(js, q.Cap, by)
	if int64(len(k.most))*int64(len(k.items)+len(js.Slaves)) > mostPrices || !k.overfill(ctx) {
		return nil
	}
	p := &prices{}
	for n, worth := range k.most[1:] {
		if worth == k.most[n] {
			continue
		}
		at := by.Interval.Start + model.Time(n)
		for s := range js.Slaves {
			tick := proof.Multiplier{Slave: model.SlaveID(s), Resource: model.Cores, Interval: model.Interval{Start: at, End: at + 1}, Value: worth - k.most[n]}
			p.of = present(js, tick, p.of)
		}
	}
	s := &steps{ctx: ctx}
	s.infer(byPrices(s.multipliers(js, p)), nil)
	return s.refutation(&q)
}

// knapsack is a core that can run tasks of each length any number of times.
type knapsack struct {
	cores int64
	items []item
	// most is by ticks the greatest worth of tasks that it can run in so many, last the index of
	// one of these, -1 for none.
	most []int64
	last []int
}

// item is a length with what it is worth, and how many tasks have it.
type item struct {
	length       model.Time
	worth, tasks int64
}

// newKnapsack has the tasks that are to run within the interval of a packing, at its prices.
func newKnapsack(js *model.JobSet, due []model.Time, by *proof.Packing) *knapsack {
	k := &knapsack{most: make([]int64, by.Interval.Len()+1), last: make([]int, by.Interval.Len()+1)}
	for _, p := range by.Prices {
		k.items = append(k.items, item{length: p.Length, worth: p.Price})
	}
	for s := range js.Slaves {
		k.cores += int64(js.Slaves[s].Cores)
	}
	for t := range js.Tasks {
		if job := js.Tasks[t].Job; js.Jobs[job].Release >= by.Interval.Start && due[job] <= by.Interval.End {
			k.add(shortest(js, model.TaskID(t)))
		}
	}
	return k
}

// shortest is the least length of a task on any slave.
func shortest(js *model.JobSet, t model.TaskID) model.Time {
	length := model.Never
	for s := range model.SlaveID(len(js.Slaves)) {
		if js.Tasks[t].Eligible(s) {
			length = min(length, js.Tasks[t].WCET(s))
		}
	}
	return length
}

// add has one more task of a length.
func (k *knapsack) add(length model.Time) {
	at := slices.IndexFunc(k.items, func(i item) bool { return i.length == length })
	if at < 0 {
		at = len(k.items)
		k.items = append(k.items, item{length: length})
	}
	k.items[at].tasks++
}

// packingSteps bounds the steps of prices, which are such that all tasks are worth about
// packingWorth at first. Steps aim at a surplus of a part in a thousand of it.
const packingSteps, packingWorth = 500, 1 << 30

// overfill looks for prices at which all tasks are worth more than the most that all cores can
// run, by Polyak's steps from those that there are.
func (k *knapsack) overfill(ctx context.Context) bool {
	total := int64(0)
	for _, it := range k.items {
		total += it.worth * it.tasks
	}
	at := make([]float64, len(k.items))
	for i, it := range k.items {
		at[i] = packingWorth * float64(it.worth) / float64(total)
	}
	for range packingSteps {
		for i := range k.items {
			k.items[i].worth = int64(at[i])
		}
		k.fill()
		surplus, slope := k.surplus()
		if surplus > 0 {
			return true
		}
		relaxation.Project(at, slope)
		if ctx.Err() != nil || !relaxation.Polyak(at, slope, packingWorth/1000-float64(surplus), packingWorth) {
			return false
		}
	}
	return false
}

// fill works out the most.
func (k *knapsack) fill() {
	for n := range k.most {
		k.most[n], k.last[n] = 0, -1
		if n > 0 {
			k.most[n] = k.most[n-1]
		}
		for i := range k.items {
			if rest := model.Time(n) - k.items[i].length; rest >= 0 && k.most[rest]+k.items[i].worth > k.most[n] {
				k.most[n], k.last[n] = k.most[rest]+k.items[i].worth, i
			}
		}
	}
}

// surplus is what all tasks are worth beyond all cores, and its slope.
func (k *knapsack) surplus() (int64, []float64) {
	slope := make([]float64, len(k.items))
	surplus := -k.cores * k.most[len(k.most)-1]
	for i, it := range k.items {
		surplus += it.worth * it.tasks
		slope[i] = float64(it.tasks)
	}
	for n := len(k.last) - 1; n > 0; {
		i := k.last[n]
		if i < 0 {
			n--
			continue
		}
		slope[i] -= float64(k.cores)
		n -= int(k.items[i].length)
	}
	return surplus, slope
}
