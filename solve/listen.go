package solve

import (
	"context"
	"errors"
	"time"

	"downbeat/model"
	"downbeat/solve/event"
	"downbeat/solve/memory"
)

// listener is who hears of a solve: the caller, or statistics, or both. A nil one is nobody.
type listener struct {
	tell    func(event.Event)
	stats   *event.Stats
	counter *event.Counter
	started time.Time
}

// listen makes opt.Events all that is to hear of the solve, and tells of its beginning.
func (o *Options) listen(ctx context.Context, js *model.JobSet, goal []model.Objective, started time.Time) (context.Context, *listener) {
	if o.Events == nil && !o.Stats {
		return ctx, nil
	}
	l := &listener{tell: o.Events, started: started}
	if o.Stats {
		l.stats = &event.Stats{}
	}
	ctx, l.counter = event.Counting(ctx)
	o.Events = l.take
	l.take(event.Event{Kind: event.Start, Begun: &event.Begun{
		JobSet: js, Goal: goal, Seed: o.Seed, Workers: o.NumWorkers(), TimeLimit: o.TimeLimit, Budget: o.Budget, Memory: o.Memory,
	}})
	return ctx, l
}

// take passes an event on.
func (l *listener) take(e event.Event) {
	if l.stats != nil {
		l.stats.Take(e)
	}
	if l.tell != nil {
		l.tell(e)
	}
}

// end tells how the solve has ended.
func (l *listener) end(r *Result) {
	if l == nil {
		return
	}
	l.take(event.Event{
		Kind: event.End, Elapsed: time.Since(l.started), HavePlan: r.Schedule != nil, Objectives: r.Objectives,
		Ended: &event.Ended{Status: r.Status, Reason: r.Stop, Counts: l.counter.Counts(), Memory: memory.Taken()},
	})
	r.Stats = l.stats
}

// reason is why a search stopped: ctx is that of the caller, limited the one with limits.
func (r *Result) reason(ctx, limited context.Context, o *Options) event.Reason {
	open := r.Status == model.Unknown || len(r.Objectives) > 0 && !r.Closed()
	switch {
	case !open && r.Status == model.Feasible:
		return event.Answered
	case !open:
		return event.Proved
	case ctx.Err() != nil:
		return event.Interrupted
	case errors.Is(context.Cause(limited), memory.ErrCeiling):
		return event.Memory
	case limited.Err() == nil:
		return event.Exhausted
	case o.Budget > 0:
		return event.Budget
	}
	return event.TimeLimit
}
