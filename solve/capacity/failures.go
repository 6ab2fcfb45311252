package capacity

import (
	"context"
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/certify"
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
// about side by side, with the answers of a single worker but for where a clock ends them. With in,
// not nil, each loss is a piece; of those that are missing the answers are unknown. Where opt asks for proofs, a loss breaks
// something once a checker agrees to one.
func SingleFailures(ctx context.Context, js *model.JobSet, at model.Time, in Pieces, opt solve.Options) ([]SingleFailure, error) {
	if in != nil {
		return failuresInPieces(ctx, js, at, in, opt)
	}
	if opt.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
		defer stop()
	}
	n, all := len(js.Slaves), opt.NumWorkers()
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
	// solve looks for the answer, once: the verdict on the set without the slave.
	solve   func(context.Context) error
	set     *model.JobSet
	verdict *solve.Verdict
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
	l.Stranded = stranded(set)
	if l.Stranded >= 0 && opt.Proof {
		agreed, err := certify.Nowhere(set, nil).Agreed(ctx)
		if err != nil {
			return l, err
		}
		if !agreed {
			l.Stranded = -1 // it is asked as any other
		}
	}
	if l.Stranded >= 0 {
		l.Status, l.Proof, l.Jobs = model.Infeasible, model.RelaxationProof, []model.JobID{l.Stranded}
		if m := set.Misfit(l.Stranded); m != nil {
			l.Why = fmt.Sprintf("stage %s %s", set.Jobs[m.Job].Stages[m.Stage].Name, m.Problem)
		}
		return l, nil
	}
	l.set = set
	l.solve = func(ctx context.Context) (err error) {
		if l.verdict != nil { // of a piece, which was written once a checker agreed
			return nil
		}
		if l.verdict, err = solve.Check(ctx, set, opt); err != nil || !opt.Proof || l.verdict.Status != model.Infeasible {
			return err
		}
		agreed, err := l.verdict.Certificate.Agreed(ctx)
		if !agreed {
			l.verdict = &solve.Verdict{Status: model.Unknown}
		}
		return err
	}
	l.question = &whatif.Question{Set: set, Find: func() (whatif.Answer, error) {
		if err := l.solve(ctx); err != nil {
			return whatif.Answer{}, err
		}
		v := l.verdict
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
	if l.verdict != nil {
		ctx = context.WithoutCancel(ctx) // it is not too late
	}
	a, err := known.Ask(ctx, l.question)
	l.Status, l.Proof, l.Plan, l.LeftOut = a.Status, a.Proof, a.Plan, a.LeftOut
	return err
}

// failuresInPieces asks about each loss by itself, and then puts the answers together as one
// process does that asks in turn.
func failuresInPieces(ctx context.Context, js *model.JobSet, at model.Time, in Pieces, opt solve.Options) ([]SingleFailure, error) {
	l := limits{side: opt.NumWorkers()}
	if opt.TimeLimit > 0 && opt.Budget == 0 {
		l.until = time.Now().Add(opt.TimeLimit)
	}
	opt.Workers, opt.TimeLimit, opt.Events = 1, 0, oneAtATime(opt.Events)
	out, names := make([]SingleFailure, len(js.Slaves)), make([]string, len(js.Slaves))
	for s := range js.Slaves {
		out[s] = SingleFailure{Slave: model.SlaveID(s), Status: model.Unknown, Stranded: -1}
		names[s] = js.Slaves[s].Name
	}
	var known whatif.Engine
	late := context.WithoutCancel(ctx) // it is not too late for what is known
	err := inPieces(ctx, in, names, l, func(ctx context.Context, s int) (failurePiece, bool, error) {
		l, err := lose(ctx, js, model.SlaveID(s), at, opt)
		if err == nil {
			err = l.ask(ctx, &whatif.Engine{})
		}
		return newFailurePiece(&l.SingleFailure), l.Status != model.Unknown, err
	}, func(s int, p *failurePiece) error {
		l, err := lose(late, js, model.SlaveID(s), at, opt)
		if err != nil {
			return err
		}
		if l.question != nil {
			if l.verdict, err = p.verdict(l.set); err != nil {
				return fmt.Errorf("without slave %s: %w", names[s], err)
			}
		}
		err = l.ask(late, &known)
		out[s] = l.SingleFailure
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
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
