package capacity

import (
	"context"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/solve"
)

// SingleFailure is what the loss of one slave does.
type SingleFailure struct {
	Slave model.SlaveID
	// Stranded is a hard job with a task that can run on no other slave, where the slave is lost
	// from the beginning; -1 if there is none.
	Stranded model.JobID
	// Verdict is about the job set without it, whose slaves and jobs keep their numbers; nil
	// where a hard job is stranded.
	Verdict *solve.Verdict
	// LeftOut are the jobs, ascending, that can then run nowhere any more, and those after them.
	LeftOut []model.JobID
}

// Status says whether the hard jobs still meet their deadlines.
func (l *SingleFailure) Status() model.Status {
	if l.Verdict == nil {
		return model.Infeasible
	}
	return l.Verdict.Status
}

// Jobs are those that clash without the slave; none where it is not known to break any.
func (l *SingleFailure) Jobs() []model.JobID {
	switch {
	case l.Verdict == nil:
		return []model.JobID{l.Stranded}
	case l.Verdict.Conflict != nil:
		return l.Verdict.Conflict.Jobs
	default:
		return nil
	}
}

// lossesMostHurried is the number of tasks times slaves up to which what is known at once of a
// loss is told after the limit too: it takes milliseconds.
const lossesMostHurried = 100_000

// lossesMostPlans is how many plans are kept: the newest, and the first of all.
const lossesMostPlans = 12

// SingleFailures asks for each slave in turn what becomes of the hard deadlines if it is absent
// from a time on. The time limit of opt is shared by all; where it ends, or ctx does,
// verdicts are unknown.
//
// A plan in which nothing is on the slave from then on answers without a search: so does
// any plan that an earlier question brought, once the validator agrees.
func SingleFailures(ctx context.Context, js *model.JobSet, at model.Time, opt solve.Options) ([]SingleFailure, error) {
	var out []SingleFailure
	var plans []model.Schedule
	if opt.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
		defer stop()
	}
	for s := range js.Slaves {
		loss := SingleFailure{Slave: model.SlaveID(s), Stranded: -1}
		if ctx.Err() != nil && len(js.Tasks)*len(js.Slaves) > lossesMostHurried {
			loss.Verdict = &solve.Verdict{Status: model.Unknown}
			out = append(out, loss)
			continue
		}
		set, err := change.Lose(js, model.SlaveID(s), at)
		if err != nil {
			return nil, err
		}
		if loss.Stranded = strandedHard(set); loss.Stranded >= 0 {
			out = append(out, loss)
			continue
		}
		if loss.Verdict = knownFor(set, plans); loss.Verdict == nil {
			one := opt
			if opt.TimeLimit > 0 {
				end, _ := ctx.Deadline()
				one.TimeLimit = max(1, time.Until(end)/time.Duration(len(js.Slaves)-s))
			}
			if loss.Verdict, err = solve.Check(ctx, set, one); err != nil {
				return nil, err
			}
			loss.LeftOut = loss.Verdict.LeftOut
			if loss.Verdict.Schedule != nil && len(loss.LeftOut) == 0 {
				if len(plans) == lossesMostPlans {
					plans = slices.Delete(plans, 1, 2)
				}
				plans = append(plans, loss.Verdict.Schedule)
			}
		}
		out = append(out, loss)
	}
	return out, nil
}

// knownFor is the verdict by a plan that there is already, nil if none will do.
func knownFor(js *model.JobSet, plans []model.Schedule) *solve.Verdict {
	for _, plan := range plans {
		if check.Schedule(js, plan, false).Err() == nil {
			return &solve.Verdict{Status: model.Feasible, Proof: model.WitnessProof, Schedule: plan}
		}
	}
	return nil
}

// strandedHard is the first hard job with a task that could never run, -1 if there is none.
func strandedHard(js *model.JobSet) model.JobID {
	for _, t := range js.Nowhere() {
		if job := js.Tasks[t].Job; js.Jobs[job].Kind == model.Hard {
			return job
		}
	}
	return -1
}
