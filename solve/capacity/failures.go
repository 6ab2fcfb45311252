package capacity

import (
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// SingleFailure is what the loss of one slave does to the hard deadlines.
type SingleFailure struct {
	Slave model.SlaveID
	// Status says whether the hard jobs still meet their deadlines, by what Proof.
	Status model.Status
	Proof  model.Proof
	// Plan shows that they do; slaves and jobs keep their numbers.
	Plan model.Schedule
	// Stranded is a hard job with a task that can run on no other slave, where the slave is lost
	// from the beginning; -1 if there is none. Why says of a gang, or of tasks that are apart, what they
	// have too little of; "" of a task by itself.
	Stranded model.JobID
	Why      string
	// Jobs are those that clash without the slave; none where it is not known to break any.
	Jobs []model.JobID
	// LeftOut are the jobs, ascending, that can then run nowhere any more, and those after them.
	LeftOut []model.JobID
}

// SingleFailures asks for each slave in turn what becomes of the hard deadlines if it is absent
// from a time on (the N−1 criterion of power systems). The time limit of opt is shared by all; where
// it ends, or ctx does, answers are unknown.
//
// A plan in which nothing is on the slave from then on answers without a search.
func SingleFailures(ctx context.Context, js *model.JobSet, at model.Time, opt solve.Options) ([]SingleFailure, error) {
	if opt.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
		defer stop()
	}
	var out []SingleFailure
	var known whatif.Engine
	for s := range model.SlaveID(len(js.Slaves)) {
		one := opt
		if end, limited := ctx.Deadline(); limited && opt.TimeLimit > 0 {
			one.TimeLimit = max(1, time.Until(end)/time.Duration(len(js.Slaves)-int(s)))
		}
		failure, err := singleFailure(ctx, &known, js, s, at, one)
		if err != nil {
			return nil, err
		}
		out = append(out, failure)
	}
	return out, nil
}

// singleFailure asks for one slave.
func singleFailure(ctx context.Context, known *whatif.Engine, js *model.JobSet, s model.SlaveID, at model.Time, opt solve.Options) (SingleFailure, error) {
	out := SingleFailure{Slave: s, Status: model.Unknown, Stranded: -1}
	if whatif.TooLate(ctx, js) {
		return out, nil
	}
	set, err := change.Lose(js, s, at)
	if err != nil {
		return out, err
	}
	if out.Stranded = stranded(set); out.Stranded >= 0 {
		out.Status, out.Proof, out.Jobs = model.Infeasible, model.RelaxationProof, []model.JobID{out.Stranded}
		if m := set.Misfit(out.Stranded); m != nil {
			out.Why = fmt.Sprintf("stage %s %s", set.Jobs[m.Job].Stages[m.Stage].Name, m.Problem)
		}
		return out, nil
	}
	a, err := known.Ask(ctx, &whatif.Question{Set: set, Find: func() (whatif.Answer, error) {
		v, err := solve.Check(ctx, set, opt)
		if err != nil {
			return whatif.Answer{}, err
		}
		if v.Conflict != nil {
			out.Jobs = v.Conflict.Jobs
		}
		return whatif.Answer{Status: v.Status, Proof: v.Proof, Plan: v.Schedule, LeftOut: v.LeftOut}, nil
	}})
	out.Status, out.Proof, out.Plan, out.LeftOut = a.Status, a.Proof, a.Plan, a.LeftOut
	return out, err
}

// stranded is the first hard job with a task that could never run, -1 if there is none.
func stranded(js *model.JobSet) model.JobID {
	for _, t := range js.Nowhere() {
		if job := js.Tasks[t].Job; js.Jobs[job].Kind == model.Hard {
			return job
		}
	}
	return -1
}
