package capacity

import (
	"context"
	"fmt"
	"slices"
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
// A plan in which nothing is on the slave from then on answers without a search; where work is not counted that of the
// whole set is made first, and repaired for each loss. Slaves are asked about side by side, with the answers of a single worker but for where a clock ends them. With in,
// not nil, each loss is a piece; of those that are missing the answers are unknown. Where opt asks for proofs, a loss breaks
// something once a checker agrees to one.
func SingleFailures(ctx context.Context, js *model.JobSet, at model.Time, in Pieces, opt solve.Options) ([]SingleFailure, error) {
	if in != nil {
		return failuresInPieces(ctx, js, at, in, opt)
	}
	f := &failures{js: js, at: at, opt: opt, out: make([]SingleFailure, len(js.Slaves))}
	if opt.TimeLimit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, opt.TimeLimit)
		defer stop()
	}
	if opt.Budget == 0 {
		if err := f.planWhole(ctx); err != nil {
			return nil, err
		}
	}
	open := make([]model.SlaveID, len(js.Slaves))
	for s := range open {
		open[s] = model.SlaveID(s)
	}
	if end, limited := ctx.Deadline(); limited && opt.TimeLimit > 0 && opt.Budget == 0 {
		f.share = &shares{until: end, quick: true}
		if err := f.ask(ctx, open); err != nil {
			return nil, err
		}
		open = slices.DeleteFunc(open, func(s model.SlaveID) bool { return f.out[s].Status != model.Unknown })
		f.share.quick = false
	}
	if err := f.ask(ctx, open); err != nil {
		return nil, err
	}
	return f.out, nil
}

// failures asks for the loss of slaves.
type failures struct {
	js  *model.JobSet
	at  model.Time
	opt solve.Options
	out []SingleFailure
	// known has plans, the first of them that of the whole set, if there is one; whole has that one alone.
	known, whole whatif.Engine
	// share is that of a time limit, nil where there is none.
	share *shares
}

// wholeShare: the plan of the whole set may take one part of so many of a time limit.
const wholeShare = 8

// planWhole looks for a plan with all slaves.
func (f *failures) planWhole(ctx context.Context) error {
	opt := f.opt
	opt.NoConflict, opt.Proof, opt.TimeLimit, opt.Events = true, false, opt.TimeLimit/wholeShare, oneAtATime(opt.Events)
	v, err := solve.Check(ctx, f.js, opt)
	if err == nil && v.Status == model.Feasible && len(v.LeftOut) == 0 {
		f.known.Keep(f.js, v.Schedule)
		f.whole.Keep(f.js, v.Schedule)
	}
	return err
}

// ask asks for some slaves.
func (f *failures) ask(ctx context.Context, slaves []model.SlaveID) error {
	n, all, opt := len(slaves), f.opt.NumWorkers(), f.opt
	side := max(1, min(all, n))
	if side > 1 {
		opt.Workers, opt.Events = all/side, oneAtATime(opt.Events)
	}
	ctx = memory.Beside(ctx, roomy(side))
	asked := make([]*loss, n)
	return parallel.Ordered(ctx, side, n, func(i int) func(context.Context) error {
		one := opt
		if f.share != nil {
			one.TimeLimit = f.share.next(n-i, side)
		}
		l, err := lose(ctx, f.js, slaves[i], f.at, one)
		if asked[i] = l; err != nil || l.question == nil {
			return func(context.Context) error { return err }
		}
		l.from = f.whole.Newest(l.set)
		if side == 1 || f.known.Known(ctx, l.question) != nil {
			return nil
		}
		return l.solve
	}, func(i int) error {
		l := asked[i]
		err := l.ask(ctx, &f.known)
		f.out[slaves[i]], asked[i] = l.SingleFailure, nil
		if f.share != nil && l.took > 0 {
			f.share.learn(l.given, l.took, l.Status != model.Unknown)
		}
		return err
	})
}

// shares are those of a time limit that losses have, one after the other. What is quick, in a part of an even share, comes first.
// Losses are alike, and what is too short for each of them answers none: so those that are open then have twice as much each time
// until one is answered, and from there on twice what that took, but an even share at least.
type shares struct {
	until time.Time
	quick bool
	grown time.Duration
}

// quickShare and mostShare: of an even share, and of all that is left, one is given no more than one part of so many.
const quickShare, mostShare = 4, 4

// next is the share of the next loss where so many are to come, so many side by side.
func (s *shares) next(losses, side int) time.Duration {
	left := time.Until(s.until)
	even := left / time.Duration(losses) * time.Duration(min(side, losses))
	if s.quick {
		return max(1, even/quickShare)
	}
	return max(1, even, min(s.grown, left/mostShare))
}

// learn hears how long a search took that was given some time.
func (s *shares) learn(given, took time.Duration, answered bool) {
	switch {
	case answered:
		s.grown = 2 * took
	case !s.quick:
		s.grown = 2 * given
	}
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
	// from is a plan that may be mended, nil for none; given and took are the time limit and the time of the search, 0 without one.
	from        model.Schedule
	given, took time.Duration
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
		begun := time.Now()
		defer func() { l.given, l.took = opt.TimeLimit, time.Since(begun) }()
		if plan := mended(ctx, set, l.from); plan != nil {
			l.verdict = &solve.Verdict{Status: model.Feasible, Proof: model.WitnessProof, Schedule: plan}
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
