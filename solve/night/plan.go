package night

import (
	"context"
	"fmt"

	"downbeat/model"
	"downbeat/model/verify"
	"downbeat/solve"
)

// Plan is solve.Plan for a job set with a past, which has been checked. Options.From is a
// plan of the whole set. An error is an internal one.
func Plan(ctx context.Context, js *model.JobSet, past *Past, opt solve.Options) (*solve.Result, error) {
	r, err := newRest(js, past)
	if err != nil {
		return nil, err
	}
	if opt.From != nil {
		opt.From = r.start(opt.From)
	}
	res, err := solve.Plan(ctx, r.set, opt)
	if err != nil {
		return nil, err
	}
	res.Kept = nil // counts tasks of the rest
	r.inWhole(res.Conflict)
	if res.Schedule == nil {
		return res, nil
	}
	res.Schedule = r.plan(res.Schedule)
	if err := verify.Schedule(js, res.Schedule, res.Relaxed).Err(); err != nil {
		return nil, fmt.Errorf("planning the rest: %w", err)
	}
	if err := past.Kept(js, res.Schedule); err != nil {
		return nil, fmt.Errorf("planning the rest: %w", err)
	}
	return res, revalue(js, res)
}

// revalue sets the values of objectives to those of the plan of the whole.
func revalue(js *model.JobSet, res *solve.Result) error {
	finishes := js.Finishes(res.Schedule)
	for i := range res.Objectives {
		o := &res.Objectives[i]
		objective := model.HardMisses
		if o.Name != objective.String() {
			var err error
			if objective, err = model.ParseObjective(o.Name); err != nil {
				return err
			}
		}
		if value := js.Value(objective, finishes); value != o.Value {
			return fmt.Errorf("planning the rest: %s is %d, of the rest it was %d", o.Name, value, o.Value)
		}
	}
	return nil
}

// inWhole takes out of a conflict what the whole set does not have: slaves of the past, and
// cases by tasks, which have other numbers there.
func (r *rest) inWhole(c *solve.Conflict) {
	if c == nil {
		return
	}
	known := model.SlaveID(len(r.whole.Slaves))
	for i := range c.Overloads {
		c.Overloads[i].Slaves = below(c.Overloads[i].Slaves, known)
	}
	if b := c.Branching; b == nil || b.Bound == nil {
		c.Branching = nil
		return
	}
	multipliers := c.Branching.Bound.Multipliers
	kept := multipliers[:0:0]
	for _, m := range multipliers {
		if m.Slave < known {
			kept = append(kept, m)
		}
	}
	c.Branching.Bound.Multipliers = kept
}

// below lists the slaves before a number.
func below(slaves []model.SlaveID, number model.SlaveID) []model.SlaveID {
	out := slaves[:0:0]
	for _, s := range slaves {
		if s < number {
			out = append(out, s)
		}
	}
	return out
}
