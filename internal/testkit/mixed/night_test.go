package mixed

import (
	"context"
	"fmt"
	"slices"

	"downbeat/heuristics"
	"downbeat/internal/testkit/naive"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/solve"
	"downbeat/solve/night"
)

func lose(js *model.JobSet, s model.SlaveID, at model.Time) (*model.JobSet, error) {
	return change.Lose(js, s, at)
}

// some is a plan of any quality, with tasks that wait for nothing here and there.
func (x *trial) some() model.Schedule {
	plan := heuristics.Repair(x.js, model.NewSchedule(len(x.js.Tasks)))
	for range 2 * len(plan) {
		t := x.rng.IntN(len(plan))
		before := plan[t]
		if before.Slave == model.NoSlave {
			continue
		}
		switch at := &plan[t]; x.rng.IntN(3) {
		case 0:
			at.Start += model.Time(x.rng.IntN(4))
		case 1:
			at.Fetch += model.Time(x.rng.IntN(3))
		default:
			at.Beat--
		}
		if !check.Schedule(x.js, plan, true).OK() {
			plan[t] = before
		}
	}
	return plan
}

// cut is a time at which something of a plan is over and something is left, mostly.
func (x *trial) cut(plan model.Schedule) model.Time {
	last := model.Time(0)
	for t, at := range plan {
		if at.Slave != model.NoSlave {
			last = max(last, x.js.Finish(model.TaskID(t), at))
		}
	}
	return model.Time(x.rng.Int64N(int64(last) + 2))
}

// nightOptions are those of the question, some with a plan to move little from.
func (x *trial) nightOptions(plan model.Schedule) solve.Options {
	opt := x.options()
	opt.Proof = false
	opt.Relax = x.rng.IntN(2) == 0
	if x.rng.IntN(2) == 0 {
		opt.From = plan
	}
	return opt
}

// now plans on from a plan: what was handed out before keeps its place.
func (x *trial) now() error {
	plan := x.some()
	now := x.cut(plan)
	past := night.Cut(x.js, plan, now)
	if err := x.passes(past, plan); err != nil {
		return err
	}
	if err := x.holdPast(past, plan, now); err != nil {
		return err
	}
	r, err := night.Plan(context.Background(), past, x.nightOptions(plan))
	if err != nil {
		return err
	}
	if r.Schedule != nil {
		if err := past.Kept(r.Schedule); err != nil {
			return err
		}
		if err := x.valid(r.Schedule, r.Relaxed); err != nil {
			return err
		}
	}
	return x.holdNight(r, x.true, past.Place, now)
}

// passes: the past of a plan that breaks no rule breaks none.
func (x *trial) passes(past *night.Past, plan model.Schedule) error {
	err := past.Check()
	if err != nil && !check.Schedule(x.js, plan, true).OK() {
		return errSkip
	}
	return err
}

// holdPast: every task handed out before now is of the past, unless it or one of its gang is
// lost with its slave.
func (x *trial) holdPast(past *night.Past, plan model.Schedule, now model.Time) error {
	pinned := 0
	for t, at := range plan {
		if at.Slave == model.NoSlave || x.true.Assigned(at) >= now {
			if past.Place[t].Slave != model.NoSlave {
				return fmt.Errorf("task %d is of the past at %d, with %v", t, now, at)
			}
			continue
		}
		id := model.TaskID(t)
		if _, gang := x.true.GangOf(id); past.Place[t] != at && !gang && !slices.Contains(past.Lost, id) {
			return fmt.Errorf("task %d is not of the past at %d, with %v", t, now, at)
		}
		pinned++
	}
	x.saw("now: %d tasks of the past", min(pinned, 3))
	return nil
}

// executed plans on from what happened: some tasks ended early, some go on for longer than declared.
func (x *trial) executed() error {
	plan := x.some()
	now := x.cut(plan)
	ran := make([]night.Attempt, len(plan))
	for t, at := range plan {
		ran[t] = night.Attempt{Placement: model.Placement{Slave: model.NoSlave}}
		if at.Slave == model.NoSlave || x.js.Assigned(at) >= now {
			continue
		}
		finish := x.js.Finish(model.TaskID(t), at)
		if x.rng.IntN(3) == 0 {
			finish = at.Start + 1 + model.Time(x.rng.Int64N(int64(finish-at.Start)))
		}
		for _, when := range []*model.Time{&at.Fetch, &at.Start, &finish} {
			if *when > now || *when == now && when != &finish {
				*when = model.Never
			}
		}
		ran[t] = night.Attempt{Placement: at, Finish: finish}
	}
	past, err := night.Happened(x.js, ran, now)
	if err != nil {
		return err
	}
	if err := x.passes(past, plan); err != nil {
		return err
	}
	r, err := night.Plan(context.Background(), past, x.nightOptions(plan))
	if err != nil {
		return err
	}
	if len(past.Lost) > 0 {
		x.saw("executed: tasks lost")
	}
	if r.Schedule != nil {
		if err := past.Kept(r.Schedule); err != nil {
			return err
		}
		if broken := naive.Broken(past.Set, planOf(past.Set, r.Schedule, r.Relaxed, now)); len(broken) > 0 && len(r.LeftOut) == 0 {
			return fmt.Errorf("%v broken by %v", broken, r.Schedule)
		}
	}
	return x.holdNight(r, past.Set, past.Place, now)
}
