package horizon

import (
	"slices"
	"sort"

	"downbeat/model"
	"downbeat/online"
)

// Times is what tasks are taken to take, of which a job set may tell the history (model.Quantiles).
// Others are taken at their declared worst case.
type Times uint8

const (
	// Declared: their worst case.
	Declared Times = iota
	// Median: what half of their history is below; of a task that has run for a while, half of what
	// took longer than that.
	Median
	// Distribution: all of their history, by Params.Scenarios.
	Distribution
)

// percents has for each task the place in its history at which it is taken to be, from 0 for the
// shortest to 1 for the longest; nil for declared times.
type percents func(model.TaskID) float64

func median(model.TaskID) float64 { return 0.5 }

// scenario is a draw for all tasks, each by itself: the number-th of a decision.
func (p *Policy) scenario(number int) percents {
	return func(t model.TaskID) float64 {
		return online.Stream(p.params.Seed, "horizon: scenario", uint64(p.decisions), uint64(number), uint64(t)).Float64()
	}
}

// length is how long a task, whose worst case on a slave is wcet and which has run there for elapsed
// ticks, takes in all.
func (k *known) length(t model.TaskID, wcet, elapsed model.Time) model.Time {
	if k.times == nil {
		return wcet
	}
	d := k.v.History(t)
	if d == nil {
		return wcet
	}
	ended := sort.Search(100, func(percent int) bool { return d.Length(float64(percent+1), wcet) > elapsed })
	return d.Length(float64(ended)+float64(100-ended)*k.times(t), wcet)
}

// bet is a plan with the times at which it was made.
type bet struct {
	*known
	plan model.Schedule
}

// times are those at which it is planned. With Distribution the last are the scenarios that decide
// which plan is the one to go by.
func (p *Policy) times() []percents {
	switch p.params.Times {
	case Median:
		return []percents{median}
	case Distribution:
		all := []percents{nil, median}
		for i := range p.params.Scenarios {
			all = append(all, p.scenario(i))
		}
		return all
	default:
		return []percents{nil}
	}
}

// choose is the plan that comes to the least on the average of the scenarios, each task on the slave
// and in the order of the plan: sample average approximation (Kleywegt, Shapiro and Homem-de-Mello,
// SIAM Journal on Optimization 2002). Of equals it is the first; nil where there is none.
func (p *Policy) choose(bets []bet) *bet {
	var best *bet
	var least []int64
	for i := range bets {
		if !complete(bets[i].plan) {
			continue
		}
		if len(bets) == 1 {
			return &bets[i]
		}
		sum := p.sum(bets[i].plan, bets[len(bets)-p.params.Scenarios:])
		if sum != nil && (best == nil || slices.Compare(sum, least) < 0) {
			best, least = &bets[i], sum
		}
	}
	return best
}

// sum adds up what a plan comes to in all scenarios: hard jobs that are late, then the goal. It is nil
// where the plan cannot be kept.
func (p *Policy) sum(plan model.Schedule, scenarios []bet) []int64 {
	sum := make([]int64, 1+len(p.goal))
	for _, k := range scenarios {
		kept := p.params.Plan(k.set, plan, 0, p.params.Seed)
		if !complete(kept) {
			return nil
		}
		finishes := k.set.Finishes(kept)
		sum[0] += k.set.Value(model.HardMisses, finishes)
		for i, o := range p.goal {
			sum[1+i] += k.set.Value(o, finishes)
		}
	}
	return sum
}

// complete reports whether there is a plan and it has all tasks.
func complete(plan model.Schedule) bool {
	return plan != nil && !slices.ContainsFunc(plan, func(at model.Placement) bool { return at.Slave == model.NoSlave })
}
