package night

import (
	"context"
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// Plan is solve.Plan for past.Set, after a past that has been checked. Options.From is a
// plan of the whole set, nil for none; with one the last objective is [model.Moves]. An
// error is an internal one.
func Plan(ctx context.Context, past *Past, opt solve.Options) (*solve.Result, error) {
	js := past.Set
	r, err := newRest(past)
	if err != nil {
		return nil, err
	}
	ctx, stop := limited(ctx, opt.TimeLimit)
	defer stop()
	if opt.From != nil {
		opt.From = r.start(opt.From)
		opt.TimeLimit -= opt.TimeLimit / keptBack
	}
	res, err := solve.Plan(ctx, r.set, opt)
	if err != nil {
		return nil, err
	}
	res.Kept = nil // counts tasks of the rest
	res.Past = &solve.Past{Now: past.Now, Declared: past.Declared}
	r.inWhole(res)
	past.forget(res.Repairs)
	if res.Schedule == nil {
		return res, nil
	}
	var kept *keeper
	if opt.From != nil {
		if kept, err = r.keep(ctx, res, opt); err != nil {
			return nil, err
		}
		res.Schedule = kept.best
	}
	res.Schedule = r.plan(res.Schedule)
	if err := check.Schedule(js, res.Schedule, res.Relaxed).Err(); err != nil {
		return nil, fmt.Errorf("planning the rest: %w", err)
	}
	if err := past.Kept(res.Schedule); err != nil {
		return nil, fmt.Errorf("planning the rest: %w", err)
	}
	if err := revalue(js, res); err != nil {
		return nil, err
	}
	if kept != nil {
		kept.tell(res)
	}
	return res, nil
}

// forget leaves out repairs that would have to be made in the past.
func (p *Past) forget(of *solve.Repairs) {
	if of == nil {
		return
	}
	late := func(r whatif.Repair) bool {
		return slices.ContainsFunc(r.Changes, func(c change.Change) bool { return c.Kind == change.Release && c.At < p.Now })
	}
	of.Single, of.Together = slices.DeleteFunc(of.Single, late), slices.DeleteFunc(of.Together, late)
}

// keptBack is the part of a time limit, a tenth, in which tasks are put back.
const keptBack = 10

// limited ends at a time limit, 0 for none.
func limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// keep looks for a plan as good as that of an answer which moves fewer tasks.
func (r *rest) keep(ctx context.Context, res *solve.Result, opt solve.Options) (*keeper, error) {
	k := &keeper{rest: r, wanted: opt.From, best: res.Schedule}
	for _, o := range res.Objectives {
		of, err := model.ParseReported(o.Name)
		if err != nil {
			return nil, err
		}
		if of.Shape().Measure != model.Absence {
			k.goal = append(k.goal, of)
		}
	}
	k.values = k.valuesOf(k.best)
	k.moves = len(k.movedOf(k.best))
	k.search(ctx, opt.Seed)
	return k, nil
}

// tell adds the number of moved tasks to an answer. Its bound is the number of those that
// cannot stay, whatever the others do.
func (k *keeper) tell(res *solve.Result) {
	closed := true
	for _, o := range res.Objectives {
		closed = closed && o.Bound != nil && *o.Bound == o.Value
	}
	moves := model.ObjectiveValue{Name: model.Moves.String(), Value: int64(k.moves)}
	if closed {
		bound := k.mustMove()
		moves.Bound = &bound
		if bound < moves.Value && res.Status == model.Optimal {
			res.Status = model.Feasible
		}
		if bound == moves.Value && res.Status == model.Feasible {
			res.Status = model.Optimal
		}
	}
	res.Objectives = append(res.Objectives, moves)
}

// revalue sets the values of objectives to those of the plan of the whole, which are no
// worse than those that the answer has.
func revalue(js *model.JobSet, res *solve.Result) error {
	finishes, worse := js.Finishes(res.Schedule), false
	for i := range res.Objectives {
		o := &res.Objectives[i]
		of, err := model.ParseReported(o.Name)
		if err != nil {
			return err
		}
		if of.Shape().Measure == model.Absence {
			continue // the rest has all jobs
		}
		value := js.Value(of, finishes)
		if value > o.Value && !worse {
			return fmt.Errorf("planning the rest: %s is %d, of the rest it was %d", o.Name, value, o.Value)
		}
		worse = worse || value < o.Value // then those after it may be anything
		if o.Bound != nil && value < *o.Bound {
			return fmt.Errorf("planning the rest: %s is %d, and a bound of %d was proved", o.Name, value, *o.Bound)
		}
		o.Value = value
	}
	return nil
}
