package capacity

import (
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/memory"
	"downbeat/solve/parallel"
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
// A plan in which nothing is on the slave from then on answers without a search. Slaves are asked
// about side by side, with the answers of a single worker but for where a clock ends them.
func SingleFailures(ctx context.Context, js *model.JobSet, at model.Time, opt solve.Options) ([]SingleFailure, error) {
	if opt.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
		defer stop()
	}
	n, all := len(js.Slaves), workers(&opt)
	side := max(1, min(all, n))
	if side > 1 {
		opt.Workers, opt.Events = all/side, oneAtATime(opt.Events)
	}
	ctx = memory.Beside(ctx, roomy(side))
	out, asked := make([]SingleFailure, n), make([]*loss, n)
	var known whatif.Engine
	err := parallel.Ordered(ctx, side, n, func(i int) func(context.Context) error {
		one := opt
		if end, limited := ctx.Deadline(); limited && opt.TimeLimit > 0 {
			one.TimeLimit = max(1, time.Until(end)/time.Duration(n-i)*time.Duration(min(side, n-i)))
		}
		l, err := lose(ctx, js, model.SlaveID(i), at, one)
		if asked[i] = l; err != nil || l.question == nil || side == 1 || known.Known(ctx, l.question) != nil {
			return func(context.Context) error { return err }
		}
		return l.solve
	}, func(i int) error {
		err := asked[i].ask(ctx, &known)
		out[i], asked[i] = asked[i].SingleFailure, nil
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// loss is the question what becomes of a slave's loss.
type loss struct {
	SingleFailure
	// question is nil where the answer is known without one.
	question *whatif.Question
	// solve looks for the answer, once. Solved tells that it has done so.
	solve  func(context.Context) error
	solved bool
}

// lose asks for one slave.
func lose(ctx context.Context, js *model.JobSet, s model.SlaveID, at model.Time, opt solve.Options) (*loss, error) {
	l := &loss{SingleFailure: SingleFailure{Slave: s, Status: model.Unknown, Stranded: -1}}
	if whatif.TooLate(ctx, js) {
		return l, nil
	}
	set, err := change.Lose(js, s, at)
	if err != nil {
		return l, err
	}
	if l.Stranded = stranded(set); l.Stranded >= 0 {
		l.Status, l.Proof, l.Jobs = model.Infeasible, model.RelaxationProof, []model.JobID{l.Stranded}
		if m := set.Misfit(l.Stranded); m != nil {
			l.Why = fmt.Sprintf("stage %s %s", set.Jobs[m.Job].Stages[m.Stage].Name, m.Problem)
		}
		return l, nil
	}
	var v *solve.Verdict
	l.solve = func(ctx context.Context) (err error) {
		if !l.solved {
			l.solved = true
			v, err = solve.Check(ctx, set, opt)
		}
		return err
	}
	l.question = &whatif.Question{Set: set, Find: func() (whatif.Answer, error) {
		if err := l.solve(ctx); err != nil {
			return whatif.Answer{}, err
		}
		if v.Conflict != nil {
			l.Jobs = v.Conflict.Jobs
		}
		return whatif.Answer{Status: v.Status, Proof: v.Proof, Plan: v.Schedule, LeftOut: v.LeftOut}, nil
	}}
	return l, nil
}

// ask answers the question where there is one.
func (l *loss) ask(ctx context.Context, known *whatif.Engine) error {
	if l.question == nil {
		return nil
	}
	if l.solved {
		ctx = context.WithoutCancel(ctx) // it is not too late
	}
	a, err := known.Ask(ctx, l.question)
	l.Status, l.Proof, l.Plan, l.LeftOut = a.Status, a.Proof, a.Plan, a.LeftOut
	return err
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
