package model

import (
	"fmt"
	"math"
)

// Quantile is how long a task takes at most in so many percent of the runs.
type Quantile struct {
	// Percent is from 0, the least that there is, to 99.
	Percent int32
	// Value ≥ 1 is in ticks.
	Value Time
}

// Quantiles tell how long tasks take by their history, where that is known: percents ascend, and
// values do not descend. Between two the value goes in a line, below the first it is the first, and
// 100 % is the worst case. They are of the slave on which the task may take longest; on others it
// takes the same share of its worst case. No plan rests on them.
type Quantiles []Quantile

// Share is the share of its worst case that a task takes at a percent in [0, 100], where worst is the
// largest over the slaves; 1 where they tell of more, as of slaves that are gone.
func (q Quantiles) Share(percent float64, worst Time) float64 {
	from, value := float64(q[0].Percent), float64(q[0].Value)
	if percent <= from {
		return min(1, value/float64(worst))
	}
	for _, next := range append(q[1:len(q):len(q)], Quantile{100, worst}) {
		to, end := float64(next.Percent), float64(next.Value)
		if percent <= to {
			return min(1, (value+(end-value)*(percent-from)/(to-from))/float64(worst))
		}
		from, value = to, end
	}
	return 1
}

// check tells of quantiles that make no sense.
func (q Quantiles) check() error {
	for i, at := range q {
		switch {
		case at.Percent < 0 || at.Percent > 99 || i > 0 && at.Percent <= q[i-1].Percent:
			return fmt.Errorf("the percents of durations do not rise from 0 to 99")
		case at.Value < 1 || i > 0 && at.Value < q[i-1].Value:
			return fmt.Errorf("durations fall, or are below 1")
		}
	}
	return nil
}

// Longest is the largest worst case over the slaves, as declared.
func (p *Profile) Longest() Time {
	longest := Time(0)
	p.EachRun(func(wcet, _ Time, _ SlaveID) { longest = max(longest, wcet) })
	return longest
}

// GroupDurations are the durations of tasks by group: of a task, where its group has some.
type GroupDurations struct {
	Quantiles
	// First is the first task of the group, Worst its longest worst case.
	First TaskID
	Worst Time
}

// Durations has by task what its group's history tells, nil where it tells nothing; nil for a set
// without any.
func (js *JobSet) Durations() []*GroupDurations {
	var out []*GroupDurations
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			st := &js.Jobs[i].Stages[k]
			t := st.First
			for gi := range st.Groups {
				g := &st.Groups[gi]
				if len(g.Durations) > 0 {
					if out == nil {
						out = make([]*GroupDurations, len(js.Tasks))
					}
					d := &GroupDurations{g.Durations, t, g.Declared().Longest()}
					for n := range TaskID(g.Count) {
						out[t+n] = d
					}
				}
				t += TaskID(g.Count)
			}
		}
	}
	return out
}

// Length is how many ticks a task takes at a percent where its worst case is wcet, at least one,
// fractions rounded up.
func (d *GroupDurations) Length(percent float64, wcet Time) Time {
	return min(wcet, max(1, Time(math.Ceil(d.Share(percent, d.Worst)*float64(wcet)-1e-9))))
}
