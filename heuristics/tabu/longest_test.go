package tabu

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"downbeat/heuristics"
	"downbeat/internal/testkit"
	"downbeat/model"
)

// searches are those of a set for an objective, each where it treats that.
func searches(js *model.JobSet, o model.Objective) (all []interface {
	Best() int64
	Work() int64
	Run(ctx context.Context, work int64, offer func(model.Schedule))
}) {
	if Treats(js, o) {
		all = append(all, New(js, o, 1))
	}
	if TreatsHybridGreedy(js, o) {
		all = append(all, NewHybridGreedy(js, o, 1))
	}
	return all
}

// atLimit is a set with times as many times as long as are treated, a power of two so that temperatures stay what they are, and how many times that is.
func atLimit(js *model.JobSet, o model.Objective) (longer *model.JobSet, by model.Time) {
	for by = 1; Treats(testkit.Longer(js, 2*by), o); by *= 2 {
	}
	return testkit.Longer(js, by), by
}

// TestTimesUpToTheLimit: of times so many times as long, up to the longest that are treated, the same plans are found, so many times as long. Of sums jobs are
// drawn by what they cost, and plans may be others; they are as good as they are said to be.
func TestTimesUpToTheLimit(t *testing.T) {
	longest := model.Time(0)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		set := []func() *model.JobSet{
			func() *model.JobSet { return shopOf(draw, 8) }, func() *model.JobSet { return flowOf(draw) }, func() *model.JobSet { return hybridOf(draw, 8) },
		}
		js := testkit.Longer(set[draw(len(set))](), 2) // halves of times are whole
		for _, o := range objectives {
			short := searches(js, o)
			if len(short) == 0 {
				continue
			}
			longer, by := atLimit(js, o)
			longest = max(longest, oneByOne(longer))
			for k, s := range searches(longer, o) {
				var plans [2][]model.Schedule
				s.Run(context.Background(), 20_000, func(plan model.Schedule) {
					if v := longer.Value(o, longer.Finishes(plan)); v != s.Best() {
						t.Fatalf("%s, times %d: a plan of %d is said to be of %d", o, by, v, s.Best())
					}
					plans[0] = append(plans[0], plan)
				})
				if !o.Shape().Max {
					continue
				}
				short[k].Run(context.Background(), 20_000, func(plan model.Schedule) {
					for i := range plan {
						plan[i].Fetch, plan[i].Start = by*plan[i].Fetch, by*plan[i].Start
					}
					plans[1] = append(plans[1], plan)
				})
				if short[k].Work() != s.Work() || !slices.EqualFunc(plans[0], plans[1], slices.Equal) {
					t.Fatalf("%s, times %d: %d plans of %d work, %d of %d of short times", o, by, len(plans[0]), s.Work(), len(plans[1]), short[k].Work())
				}
			}
		}
	})
	if longest < heuristics.MaxPath/4 {
		t.Errorf("times of %d together at most", longest)
	}
}
