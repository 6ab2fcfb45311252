package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"downbeat/model"
	"downbeat/online"
	"downbeat/solve"
)

// Progress tells how far a bench is.
type Progress struct {
	Done, Total int
	// Set was finished last.
	Set string
}

// InputError is a job set that cannot be had: the fault is not the program's.
type InputError struct{ Err error }

// Error implements error.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives the fault itself.
func (e *InputError) Unwrap() error { return e.Err }

// Keeper keeps what is known of job sets from one bench to the next. Its methods may be
// called from many goroutines at a time.
type Keeper interface {
	// Find gives what is known of a job set, nil if nothing is.
	Find(set string) *Record
	// Add keeps what became known: of a set that is found already, its new part.
	Add(*Record) error
}

// Run works on the sets and returns a record for each, nil for those that it
// did not get to before ctx ended. What keep knows is taken from there, what
// is new goes there; it may be nil. An error is an *InputError, a fault of
// keep's, or an internal one; records are what is there all the same.
func Run(ctx context.Context, c *Config, sets []Set, keep Keeper, tell func(Progress)) ([]*Record, error) {
	r := &runner{c: c, sets: sets, keep: keep, tell: tell, records: make([]*Record, len(sets)), errAt: len(sets), stops: map[int]context.CancelFunc{}}
	var workers sync.WaitGroup
	for range c.Workers {
		workers.Go(func() { r.work(ctx) })
	}
	workers.Wait()
	return r.records, r.err
}

// runner is a bench under way.
type runner struct {
	c    *Config
	sets []Set
	keep Keeper
	tell func(Progress)

	mu      sync.Mutex
	next    int // set that nobody has taken yet
	done    int
	records []*Record
	err     error
	errAt   int                        // the set that err is about, past the last if there is none
	stops   map[int]context.CancelFunc // of the sets that are worked on
}

func (r *runner) work(ctx context.Context) {
	for ctx.Err() == nil {
		i, own := r.take(ctx)
		if own == nil {
			return
		}
		rec, err := r.record(own, &r.sets[i])
		r.finish(i, rec, err)
	}
}

// take is the next set and a context of its own, nil if there is none to be worked on.
func (r *runner) take(ctx context.Context) (i int, own context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i = r.next; i >= r.errAt {
		return i, nil
	}
	r.next++
	own, r.stops[i] = context.WithCancel(ctx)
	return i, own
}

// finish takes a record, or an error. Of several errors that of the first set counts, whichever
// worker is quicker: what comes after it is stopped, what comes before goes on.
func (r *runner) finish(i int, rec *Record, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stops[i]()
	delete(r.stops, i)
	if err != nil {
		if i < r.errAt {
			r.err, r.errAt = err, i
		}
		for k, stop := range r.stops {
			if k > i {
				stop()
			}
		}
		return
	}
	if rec == nil {
		return
	}
	r.records[i] = rec
	r.done++
	if r.tell != nil {
		r.tell(Progress{Done: r.done, Total: len(r.sets), Set: rec.Set})
	}
}

// record is what is known of a set with what was still to be found out; nil if ctx ended
// before.
func (r *runner) record(ctx context.Context, s *Set) (*Record, error) {
	js, err := s.Make(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, &InputError{err}
	}
	known := &Record{}
	if r.keep != nil {
		if found := r.keep.Find(s.ID); found != nil {
			known = found
		}
	}
	if known.Digest != "" && known.Digest != js.Digest() {
		return nil, &InputError{fmt.Errorf("the journal has another job set under the name %s", s.ID)}
	}
	return r.c.measure(ctx, s, js, known, func(fresh *Record) error {
		if r.keep == nil || len(fresh.Cells) == 0 && fresh.Answer == "" {
			return nil
		}
		return r.keep.Add(fresh)
	})
}

// measure plays all policies on a set, and asks for the optimum, where that is not known
// already, and passes on what is new. It answers with all that was wanted; nil if ctx ended
// before that was done.
func (c *Config) measure(ctx context.Context, s *Set, js *model.JobSet, known *Record, keep func(*Record) error) (*Record, error) {
	rec := &Record{
		Set: s.ID, Digest: js.Digest(), Parameter: s.Parameter, Level: s.Level,
		Jobs: len(js.Jobs), Tasks: len(js.Tasks), Demand: demand(js),
	}
	fresh := new(*rec)
	if err := c.plays(ctx, s, js, known, rec, fresh, keep); err != nil {
		return nil, err
	}
	switch {
	case c.NoOptimum || ctx.Err() != nil:
	case known.Answer != "":
		rec.TakeAnswer(known)
	default:
		answer := new(*fresh)
		if err := c.solve(ctx, js, answer); err != nil {
			return nil, fmt.Errorf("job set %s: %w", s.ID, err)
		}
		if ctx.Err() == nil {
			fresh = answer
			rec.TakeAnswer(answer)
		}
	}
	for i := range rec.Cells {
		if err := c.clash(rec, &rec.Cells[i]); err != nil {
			return nil, err
		}
	}
	if err := keep(fresh); err != nil || ctx.Err() != nil {
		return nil, err
	}
	return rec, nil
}

// keptCells is how many new runs of a set are kept together, so that what is killed in the
// middle of a set with many seeds loses few.
const keptCells = 256

// plays fills in the cells, all and new ones; not all if ctx ended. Of the new ones only the
// last, fewer than keptCells, have not been passed on.
func (c *Config) plays(ctx context.Context, s *Set, js *model.JobSet, known, rec, fresh *Record, keep func(*Record) error) error {
	runs := known.Runs()
	for _, seed := range s.Seeds {
		for _, policy := range c.Policies {
			if at, there := runs[RunOf{seed, policy}]; there && known.Cells[at].Definition == c.Definitions[policy] {
				rec.Cells = append(rec.Cells, known.Cells[at])
				continue
			}
			cell, err := c.play(ctx, js, policy, seed)
			switch {
			case ctx.Err() != nil:
				return nil
			case err != nil && c.Theirs != nil && c.Theirs(err):
				rec.Failed = append(rec.Failed, Failure{seed, policy, err})
				continue
			case err != nil:
				return fmt.Errorf("policy %s on job set %s, seed %d: %w", policy, s.ID, seed, err)
			}
			rec.Cells, fresh.Cells = append(rec.Cells, cell), append(fresh.Cells, cell)
			if len(fresh.Cells) == keptCells {
				if err := keep(new(*fresh)); err != nil {
					return err
				}
				fresh.Cells = nil
			}
		}
	}
	return nil
}

// play runs a policy.
func (c *Config) play(ctx context.Context, js *model.JobSet, policy string, seed uint64) (Cell, error) {
	began := time.Now()
	out, err := c.Play(ctx, js, policy, seed)
	if err != nil {
		return Cell{}, err
	}
	return Cell{Seed: seed, Policy: policy, Definition: c.Definitions[policy], Measures: online.Measure(out), Seconds: time.Since(began).Seconds()}, nil
}

// Play is a run of the bench: of a policy as [Config.New] reads it, the same each time.
func (c *Config) Play(ctx context.Context, js *model.JobSet, policy string, seed uint64) (*online.Outcome, error) {
	p, err := c.New(policy, seed)
	if err != nil {
		return nil, err
	}
	return online.Play(ctx, js, p, online.Options{Seed: seed, Durations: c.Durations, Faults: c.Faults})
}

// objectives are those to take the optimum of.
func (c *Config) objectives(js *model.JobSet) []model.Objective {
	if c.Objectives != nil {
		return c.Objectives
	}
	goal := js.Goal()
	return goal[:min(1, len(goal))]
}

// solve fills in what the solver can say of a set.
func (c *Config) solve(ctx context.Context, js *model.JobSet, rec *Record) error {
	began := time.Now()
	goals := c.goals(js)
	answer := model.Unknown
	for i, goal := range goals {
		res, err := c.ask(ctx, js, goal, len(goals))
		if err != nil {
			return err
		}
		if i == 0 && c.Solved != nil {
			c.Solved(rec.Set, res)
		}
		if c.Certify {
			if res, err = certified(ctx, res, rec); err != nil {
				return err
			}
		}
		if answer, err = combine(answer, res.Status); err != nil {
			return err
		}
		if answer == model.Infeasible {
			break
		}
		for _, v := range res.Objectives {
			rec.Best = append(rec.Best, Best{Objective: v.Name, Value: v.Value, Bound: *v.Bound})
			rec.Limit = rec.Limit || v.Value != *v.Bound
		}
		rec.Limit = rec.Limit || res.Status == model.Unknown
	}
	rec.Answer, rec.Seconds = answer.String(), time.Since(began).Seconds()
	return nil
}

// goals are the questions that are put to the solver.
func (c *Config) goals(js *model.JobSet) [][]model.Objective {
	list := c.objectives(js)
	if len(list) == 0 {
		return [][]model.Objective{{}} // feasibility alone
	}
	var goals [][]model.Objective
	for _, o := range list {
		goals = append(goals, []model.Objective{o})
	}
	return goals
}

// ask puts one of so many questions to the solver.
func (c *Config) ask(ctx context.Context, js *model.JobSet, goal []model.Objective, of int) (*solve.Result, error) {
	plan := c.plan
	if plan == nil {
		plan = solve.Plan
	}
	return plan(ctx, js, solve.Options{
		Objectives: goal, TimeLimit: c.TimeLimit / time.Duration(of), Memory: c.Memory,
		Budget: (c.Budget + int64(of) - 1) / int64(of),
		Seed:   c.SolverSeed, Workers: 1, NoConflict: true, Proof: c.Certify,
	})
}

// Optimum is the answer of the solver to the first question on a job set, as [Config.Solved]
// hears of it.
func (c *Config) Optimum(ctx context.Context, js *model.JobSet) (*solve.Result, error) {
	goals := c.goals(js)
	return c.ask(ctx, js, goals[0], len(goals))
}

// certified has a result checked, and gives what of it is proved: no bound where it is not the
// optimum. The record is told where something is left out.
func certified(ctx context.Context, res *solve.Result, rec *Record) (*solve.Result, error) {
	cert := res.Certificate
	if cert == nil || res.Status == model.Unknown {
		return res, nil
	}
	if err := cert.Deliver(ctx, nil, true); err != nil {
		return nil, err
	}
	if cert.Proof != nil && cert.Proof.Refused != nil {
		return nil, cert.Proof.Refused
	}
	if cert.Certified() && (res.Status == model.Infeasible || len(res.Objectives) == 0 || res.Closed()) {
		return res, nil
	}
	rec.Uncertified = true
	left := *res
	left.Objectives = nil
	if left.Status == model.Infeasible {
		left.Status = model.Unknown
	}
	return &left, nil
}

// combine puts two answers about the hard deadlines of one job set together.
func combine(a, b model.Status) (model.Status, error) {
	if b == model.Optimal {
		b = model.Feasible
	}
	switch {
	case a == model.Unknown || a == b:
		return b, nil
	case b == model.Unknown:
		return a, nil
	}
	return a, errors.New("the hard deadlines were proved infeasible, and a plan found")
}
