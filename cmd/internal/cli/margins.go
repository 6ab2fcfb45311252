package cli

import (
	"context"
	"fmt"
	"strconv"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/online"
	"downbeat/online/follow"
	"downbeat/solve"
)

// marginWork bounds the search for the plan with one margin, in solve.Options.Budget, so
// that tables repeat.
const marginWork = 2000

// marginContenders plans the set with each of --margins and makes contenders that follow these
// plans on the set as it is. Margins with which there is no plan are told in notes.
func (o *simulateOptions) marginContenders(ctx context.Context, js *model.JobSet) ([]ontime.Contender, error) {
	var all []ontime.Contender
	slip := model.Time(follow.Patient)
	if o.slip >= 0 {
		slip = model.Time(o.slip)
	}
	for _, percent := range o.margins {
		wide := js
		if percent > 0 {
			c, err := change.Parse(change.Margin, strconv.FormatUint(uint64(percent), 10), js)
			if err != nil {
				return nil, usage.Of(err)
			}
			if wide, err = change.Apply(js, []change.Change{c}); err != nil {
				return nil, usage.Of(err)
			}
		}
		res, err := solve.Plan(ctx, wide, o.marginSearch())
		if err != nil {
			return nil, err
		}
		if res.Schedule == nil {
			o.Note("there is no plan with a margin of %d %%: %s", percent, res.Status)
			continue
		}
		make := func(uint64) (online.Policy, error) { return follow.New(js, res.Schedule, slip), nil }
		all = append(all, ontime.Contender{Name: fmt.Sprintf("margin %d %%", percent), New: make})
	}
	return all, nil
}

// marginSearch is how plans with margins are searched for: by counted work unless there is a
// time limit.
func (o *simulateOptions) marginSearch() solve.Options {
	opt := solve.Options{Objectives: o.objective, Budget: marginWork, Seed: o.seed, NoConflict: true}
	if o.timeLimit > 0 {
		opt.Budget, opt.TimeLimit = 0, o.timeLimit
	}
	return opt
}
