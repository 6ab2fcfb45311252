package conflict

import (
	"context"
	"errors"
	"fmt"

	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/parallel"
)

// ahead has answers to questions that are not asked yet.
type ahead struct {
	found parallel.Early[*incumbent.Incumbent]
	late  parallel.Early[lateness]
}

// lateness is an answer of [AnalysisOptions.LeastLate].
type lateness struct {
	late, bound int64
	ok          bool
}

// key names the question about hard jobs, or about some jobs for one of them alone.
func (x *analyst) key(jobs []model.JobID, alone ...model.JobID) string {
	return fmt.Sprint(jobs, alone)
}

// finding looks for a plan of a set.
func (x *analyst) finding(sub *model.JobSet) func(context.Context) (*incumbent.Incumbent, error) {
	return func(ctx context.Context) (*incumbent.Incumbent, error) { return x.opt.Find(ctx, sub), nil }
}

// lateness looks for the least lateness of a job after some.
func (x *analyst) lateness(i model.JobID, jobs []model.JobID) func(context.Context) (lateness, error) {
	return func(ctx context.Context) (l lateness, err error) {
		l.late, l.bound, l.ok, err = x.opt.LeastLate(ctx, x.eased(i, jobs))
		return l, err
	}
}

// prepareAlone prepares what [analyst.alone] asks about a job.
func (x *analyst) prepareAlone(ctx context.Context, i model.JobID) {
	jobs, a := x.needed(i, func(jobs []model.JobID) answer {
		if ctx.Err() != nil {
			return unknown
		}
		w, ok := x.ahead.found.Prepare(ctx, x.key(jobs, i), x.finding(x.only(i, jobs)))
		if !ok {
			return unknown
		}
		return answerOf(w)
	})
	if a == infeasible && ctx.Err() == nil {
		x.ahead.late.Prepare(ctx, x.key(jobs, i), x.lateness(i, jobs))
	}
}

// mostAhead is what is left, at least, for looking ahead: most questions take less.
const mostAhead = 1000

// beside does n pieces of work one after the other, until one says that it is enough, with what
// they will ask prepared on other workers.
func (x *analyst) beside(ctx context.Context, n int, ahead func(k int) func(context.Context), do func(k int) bool) {
	enough := errors.New("enough")
	parallel.Ahead(ctx, x.opt.Workers, n, mostAhead, ahead, func(k int) error {
		if !do(k) {
			return enough
		}
		return nil
	})
}

// inTurn does n pieces of work of which each asks about hard jobs, as long as ctx allows, with
// what they will ask, as far as that can be told, prepared on other workers.
func (x *analyst) inTurn(ctx context.Context, n int, hard func(k int) []model.JobID, do func(k int) bool) {
	x.beside(ctx, n, func(k int) func(context.Context) {
		jobs := hard(k)
		if x.known(jobs) != unknown {
			return nil
		}
		return func(ctx context.Context) {
			x.ahead.found.Prepare(ctx, x.key(jobs), x.finding(x.js.Subset(x.with(jobs))))
		}
	}, func(k int) bool { return ctx.Err() == nil && do(k) })
}
