package oracle

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// SolveLeaving is SolveAfter where slaves go for good, by way of every choice of jobs to leave out. The
// values are, in lexicographic order, the number of late hard jobs with those that are left out
// (if relaxed), the weight of the soft jobs that are left out, the number of all that are, the
// largest lateness of a hard job and the sum of theirs (if relaxed), and the objectives; nil where
// there is no plan. No job that may be left out has a part in the past.
func SolveLeaving(js *model.JobSet, goal []model.Objective, relaxed bool, past model.Schedule, now model.Time) (best []int64, err error) {
	confined := confinedJobs(js)
	for set := range 1 << len(js.Jobs) {
		out := make([]bool, len(js.Jobs))
		for i := range out {
			out[i] = set>>i&1 == 1
		}
		if !mayLeave(js, confined, out) {
			continue
		}
		values, err := without(js, out, goal, relaxed, past, now)
		if err != nil {
			return nil, err
		}
		if values != nil && (best == nil || slices.Compare(values, best) < 0) {
			best = values
		}
	}
	return best, nil
}

// confinedJobs marks the jobs with tasks that would find no room in the end, if they had the cluster
// to themselves: every slave goes for good, or pools are too low.
func confinedJobs(js *model.JobSet) []bool {
	confined := make([]bool, len(js.Jobs))
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			st := &js.Jobs[i].Stages[k]
			whole := st.Gang || st.Apart
			for t := st.First; t < st.End && !whole; t++ {
				confined[i] = confined[i] || !fitsInTheEnd(js, t, t+1)
			}
			confined[i] = confined[i] || whole && !fitsInTheEnd(js, st.First, st.End)
		}
	}
	return confined
}

// fitsInTheEnd tries all ways to have tasks of a stage on slaves that stay, all at once where they are a
// gang.
func fitsInTheEnd(js *model.JobSet, from, to model.TaskID) bool {
	on := make([]model.SlaveID, len(js.Tasks))
	st := &js.Jobs[js.Tasks[from].Job].Stages[js.Tasks[from].Stage]
	for _, l := range limits(js) {
		sum, there := int64(0), l.levels[len(l.levels)-1].Amount
		for t := from; t < to; t++ {
			if !st.Gang {
				sum = 0
			}
			if sum += l.units[t]; sum > there {
				return false
			}
		}
	}
	fits := func(upTo model.TaskID) bool {
		for s := range model.SlaveID(len(js.Slaves)) {
			tasks := 0
			for t := from; t < upTo; t++ {
				if on[t] == s {
					tasks++
				}
			}
			if st.Apart && tasks > 1 {
				return false
			}
			for _, supply := range js.Supplies(s) {
				held := int64(0)
				for t := from; t < upTo; t++ {
					if on[t] == s && st.Gang && supply.Hold != model.HoldFetch {
						held += js.Need(&js.Tasks[t], s, supply.Resource)
					}
				}
				if held > supply.Units {
					return false
				}
			}
		}
		return true
	}
	var place func(t model.TaskID) bool
	place = func(t model.TaskID) bool {
		if t == to {
			return true
		}
		for s := range js.Slaves {
			down := js.Slaves[s].Down
			gone := len(down) > 0 && down[len(down)-1].End == model.Never
			on[t] = model.SlaveID(s)
			if !gone && js.Tasks[t].Eligible(on[t]) && fits(t+1) && place(t+1) {
				return true
			}
		}
		return false
	}
	return place(from)
}

// mayLeave reports whether jobs may be left out: each is confined or comes after one of them, and
// all that come after one of them are among them.
func mayLeave(js *model.JobSet, confined, out []bool) bool {
	for i := range out {
		behind := slices.ContainsFunc(js.Jobs[i].After, func(k model.JobID) bool { return out[k] })
		if behind && !out[i] || out[i] && !behind && !confined[i] {
			return false
		}
	}
	return true
}

// without is what is minimised where some jobs are left out, nil if the others have no plan.
func without(js *model.JobSet, out []bool, goal []model.Objective, relaxed bool, past model.Schedule, now model.Time) ([]int64, error) {
	var in []model.JobID
	var places model.Schedule
	hard, weight, count := int64(0), int64(0), int64(0)
	for i := range out {
		switch job := &js.Jobs[i]; {
		case !out[i]:
			in = append(in, model.JobID(i))
			if past != nil {
				places = append(places, past[job.First:job.End]...)
			}
			continue
		case job.Kind == model.Hard:
			hard++
		case job.Kind == model.Soft:
			weight += job.Weight
		}
		count++
	}
	if hard > 0 && !relaxed {
		return nil, nil
	}
	late, values := make([]int64, 3), make([]int64, len(goal))
	if len(in) > 0 {
		answer, err := minimise(js.Subset(in), goal, relaxed, relaxed, places, now)
		if err != nil || answer.Status == model.Infeasible {
			return nil, err
		}
		if values = slices.Clone(answer.Values); relaxed {
			late, values = values[:3], values[3:]
		}
	}
	for k, o := range goal {
		if o == model.Misses {
			values[k] += weight
		}
	}
	if !relaxed {
		return slices.Concat([]int64{weight, count}, values), nil
	}
	return slices.Concat([]int64{late[0] + hard, weight, count}, late[1:], values), nil
}

// HoldLeastBad is [Hold] of a least bad plan, against what SolveLeaving has found (relaxed).
func HoldLeastBad(js *model.JobSet, got []model.ObjectiveValue, want []int64) (open bool, err error) {
	of := append([]model.Objective{model.HardMisses, model.LeftOutWeight, model.LeftOut, model.HardTardiness, model.HardTotalTardiness}, js.Goal()...)
	return Hold(of, got, want)
}

// Hold holds the values and bounds of a plan, of objectives that are minimised in an order, against
// the least, and reports whether some are not proved. It fails where a value is below the least, a
// bound above it, or both agree with each other and not with it.
func Hold(of []model.Objective, got []model.ObjectiveValue, want []int64) (open bool, err error) {
	for k, o := range of {
		at := slices.IndexFunc(got, func(v model.ObjectiveValue) bool { return v.Is(o) })
		value, bound := int64(0), new(int64) // not listed where it is 0
		if at >= 0 {
			value, bound = got[at].Value, got[at].Bound
		}
		if value < want[k] || bound != nil && *bound > want[k] {
			return false, fmt.Errorf("%s is %d in %v, exhaustive search has %v", o, value, got, want)
		}
		if bound == nil || *bound < value {
			return true, nil // then those after it may be anything
		}
	}
	return false, nil
}
