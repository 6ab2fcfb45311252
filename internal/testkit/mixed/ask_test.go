package mixed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"downbeat/heuristics"
	"downbeat/internal/testkit/infeasible"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/files/minizinc"
	"downbeat/solve"
	"downbeat/solve/capacity"
	"downbeat/solve/certify"
	"downbeat/solve/whatif"
)

// questions are what is asked, by kind.
var questions = map[string]func(*trial) error{
	"plan":  func(x *trial) error { return x.plan(x.options()) },
	"relax": func(x *trial) error { opt := x.options(); opt.Relax = true; return x.plan(opt) },
	"from":  func(x *trial) error { opt := x.options(); opt.From = x.damaged(); return x.plan(opt) },
	"check": func(x *trial) error { return x.check(x.options()) },
	"why":   func(x *trial) error { opt := x.options(); opt.NoConflict = false; return x.check(opt) },
	"size":  (*trial).size, "frontier": (*trial).frontier, "slack": (*trial).slack, "losses": (*trial).losses,
	"now": (*trial).now, "executed": (*trial).executed, "minizinc": (*trial).minizinc,
}

// chances say how often each is put, in a thousand.
var chances = []struct {
	kind string
	of   int
}{
	{"plan", 300}, {"relax", 110}, {"from", 60}, {"check", 90}, {"why", 80}, {"size", 90}, {"frontier", 15},
	{"slack", 35}, {"losses", 60}, {"now", 110}, {"executed", 49}, {"minizinc", 1},
}

// damaged is a plan of the set with tasks elsewhere, at other times, or not there.
func (x *trial) damaged() model.Schedule {
	plan := heuristics.Repair(x.js, model.NewSchedule(len(x.js.Tasks)))
	for t := range plan {
		switch p := &plan[t]; x.rng.IntN(8) {
		case 0:
			p.Slave = model.NoSlave
		case 1:
			p.Slave = model.SlaveID(x.rng.IntN(len(x.js.Slaves) + 1))
		case 2:
			p.Start += model.Time(x.rng.IntN(5) - 2)
		case 3:
			p.Beat += model.Time(x.rng.IntN(5) - 2)
		}
	}
	return plan
}

func (x *trial) check(opt solve.Options) error {
	v, err := solve.Check(context.Background(), x.js, opt)
	if err != nil {
		return err
	}
	x.saw("check: %s", v.Status)
	fits := x.fits()
	if v.Status == model.Infeasible && fits || v.Status == model.Feasible && !fits {
		return fmt.Errorf("%s, exhaustive search says fits: %t", v.Status, fits)
	}
	if v.Status == model.Feasible {
		if err := x.valid(v.Schedule, false); err != nil {
			return err
		}
	}
	if err := x.certified(v.Certificate, false); err != nil {
		return err
	}
	return x.why(v)
}

// why holds what is said of an infeasible set, and of what would help, against exhaustive search.
func (x *trial) why(v *solve.Verdict) error {
	truth := infeasible.Truth{JS: x.js, Fits: x.fits, Saw: x.saw, Tardiness: func(changes ...model.Change) (model.Time, bool) {
		best := x.leastOf(model.Tardiness, changes)
		if best == nil || best[1] > 0 {
			return 0, false
		}
		return model.Time(best[2]), true
	}}
	var errs [3]error
	if v.Conflict != nil {
		errs[0] = truth.Conflict(v.Conflict)
	}
	if v.Analysis != nil {
		errs[1] = truth.Analysis(v.Analysis)
	}
	if v.Repairs != nil {
		errs[2] = truth.Repairs(v.Repairs)
	}
	return errors.Join(errs[:]...)
}

// certified has a proof checked, and holds its claims against exhaustive search.
func (x *trial) certified(c *certify.Certificate, relaxed bool) error {
	if c == nil || len(c.Claims) == 0 {
		return nil
	}
	if err := c.Deliver(context.Background(), nil, true); err != nil {
		return err
	}
	if c.Proof.Refused != nil {
		return fmt.Errorf("a proof is refused: %w", c.Proof.Refused)
	}
	var out []model.Change
	for _, i := range c.LeftOut {
		out = append(out, model.Change{Kind: model.ChangeDrop, Name: x.js.Jobs[i].Name})
	}
	for _, claim := range c.Proof.Checked.Claims {
		x.saw("claims proved")
		if claim.Infeasible {
			if x.fits(infeasible.Without(x.js, claim.Jobs)...) {
				return fmt.Errorf("jobs %v are proved to have no plan, exhaustive search has one", claim.Jobs)
			}
			if len(claim.Jobs) < len(x.js.Jobs) {
				x.saw("claims about some jobs proved")
			}
			continue
		}
		want, err := x.least(x.goal(), relaxed, out...)
		if err != nil {
			return err
		}
		at := slices.Index(orderOf(x.goal(), relaxed), claim.Objective)
		if want != nil && (at < 0 || claim.Least > want[at]) {
			return fmt.Errorf("%+v is proved, exhaustive search has %v", claim, want)
		}
	}
	return nil
}

// minizinc asks Gecode as well.
func (x *trial) minizinc() error {
	if !minizinc.Installed() || x.js.Leavable() != nil {
		return errSkip
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	theirs, err := minizinc.Solve(ctx, x.js, x.goal(), minizinc.Options{})
	if err != nil {
		return fmt.Errorf("MiniZinc: %w", err)
	}
	want, err := x.least(x.goal(), false)
	if err != nil {
		return err
	}
	x.saw("MiniZinc: %s", theirs.Status)
	if theirs.Status == model.Infeasible && want != nil || theirs.Schedule != nil && want == nil {
		return fmt.Errorf("MiniZinc says %s, exhaustive search has %v", theirs.Status, want)
	}
	if theirs.Schedule != nil {
		if err := x.valid(theirs.Schedule, false); err != nil {
			return fmt.Errorf("MiniZinc's plan: %w", err)
		}
		if n := theirs.Proved; !slices.Equal(theirs.Values[:n], want[2:2+n]) {
			return fmt.Errorf("MiniZinc proves %v, exhaustive search has %v", theirs.Values[:n], want)
		}
	}
	return x.plan(x.options())
}

// mostSize is the largest size that is tried.
const mostSize = 3

// supply is a class or a pool.
func (x *trial) supply() (capacity.Supply, error) {
	c := &x.set.Cluster
	if n := len(x.js.Pools); n > 0 && x.rng.IntN(2) == 0 {
		x.saw("sizes of pools")
		return capacity.NewPool(x.js, x.js.Pools[x.rng.IntN(n)].Name)
	}
	x.saw("sizes of classes")
	return capacity.NewClass(x.js, c.Slaves[x.rng.IntN(len(c.Slaves))].Name)
}

// limit is none, or one around the best value of the set with the largest sizes.
func (x *trial) limit(largest []model.Change) *capacity.Limit {
	if x.rng.IntN(2) == 0 {
		return nil
	}
	o := []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}[x.rng.IntN(4)]
	best := x.leastOf(o, largest)
	if best == nil {
		return nil
	}
	return &capacity.Limit{Objective: o, Value: max(0, best[2]+int64(x.rng.IntN(5))-1)}
}

// keeps tells whether a set under changes keeps a limit, and leaves out no more than with the largest
// sizes where that is no miss.
func (x *trial) keeps(limit *capacity.Limit, largest []model.Change, further ...model.Change) bool {
	if limit == nil {
		return x.fits(further...)
	}
	v, best := x.leastOf(limit.Objective, further), x.leastOf(limit.Objective, largest)
	return v != nil && v[2] <= limit.Value && (limit.Objective == model.Misses || slices.Equal(v[:2], best[:2]))
}

// holdEdge holds the ends of an edge against whether each fits.
func (x *trial) holdEdge(what string, e *whatif.Edge, none bool, fits func(v int64) bool) error {
	switch {
	case !none && !fits(e.Fits):
		return fmt.Errorf("%s: %+v, and it does not fit at %d", what, e, e.Fits)
	case e.Proof != model.NoProof && fits(e.Fails):
		return fmt.Errorf("%s: %+v, and it fits at %d", what, e, e.Fails)
	case e.Exact():
		x.saw("%s: exact", what)
	default:
		x.saw("%s: bracket", what)
	}
	return nil
}

func (x *trial) size() error {
	s, err := x.supply()
	if err != nil {
		return errSkip // there is none any more
	}
	s.Most = mostSize
	largest := []model.Change{s.Change(mostSize)}
	limit := x.limit(largest)
	r, err := capacity.Size(context.Background(), x.js, s, limit, x.options())
	if err != nil {
		return err
	}
	if r.Never() {
		x.saw("size: never")
	}
	if c := r.Certificate; c != nil && len(c.Claims) > 0 {
		x.saw("size: proved to others")
		if err := c.Deliver(context.Background(), nil, true); err != nil || c.Proof.Refused != nil {
			return fmt.Errorf("a proof is refused: %w, %w", err, c.Proof.Refused)
		}
	}
	return x.holdEdge("size", &r.Least, r.None, func(v int64) bool { return x.keeps(limit, largest, s.Change(v)) })
}

func (x *trial) frontier() error {
	if len(x.set.Cluster.Slaves) < 2 || x.js.Leavable() != nil {
		return errSkip
	}
	var of [2]capacity.Supply
	for k := range of {
		s, err := capacity.NewClass(x.js, x.set.Cluster.Slaves[k].Name)
		if err != nil {
			return errSkip
		}
		s.Most = 2
		of[k] = s
	}
	r, err := capacity.Frontier(context.Background(), x.js, of[0], of[1], nil, nil, x.options())
	if err != nil {
		return err
	}
	for a := range int64(len(r.Columns)) {
		e := &r.Columns[a]
		fits := func(b int64) bool { return b <= 2 && x.fits(of[0].Change(a), of[1].Change(b)) }
		if err := x.holdEdge("frontier", e, e.Fits > 2, fits); err != nil {
			return fmt.Errorf("%d of %s: %w", a, of[0].Name, err)
		}
	}
	return nil
}

func (x *trial) slack() error {
	r, err := capacity.Slack(context.Background(), x.js, nil, nil, x.options())
	if err != nil {
		return err
	}
	x.saw("slack: %s", r.Status)
	if fits := x.fits(); r.Status == model.Infeasible && fits || r.Status == model.Feasible && !fits {
		return fmt.Errorf("%s, exhaustive search says fits: %t", r.Status, fits)
	}
	if r.Status != model.Feasible {
		return nil
	}
	if err := x.holdEdge("slack of all", &r.All, false, x.grown("")); err != nil {
		return err
	}
	for _, s := range r.Jobs {
		job := &x.js.Jobs[s.Job]
		var eased []model.Change // a job that is not hard may be released after it is due
		if job.Kind != model.Hard {
			eased = infeasible.Ease(job)
		}
		edges := map[capacity.Measure]func(v int64) bool{
			capacity.Growth: x.grown(job.Name),
			capacity.Release: func(v int64) bool {
				return x.fits(append(eased, model.Change{Kind: model.ChangeRelease, Name: job.Name, At: job.Release + model.Time(v)})...)
			},
		}
		if job.Kind == model.Hard {
			edges[capacity.Due] = func(v int64) bool {
				return x.fits(model.Change{Kind: model.ChangeDeadline, Name: job.Name, At: job.Deadline - model.Time(v)})
			}
		}
		for m, fits := range edges {
			if err := x.holdEdge("slack of "+m.String(), &s.Edges[m], false, fits); err != nil {
				return fmt.Errorf("%s: %w", job.Name, err)
			}
		}
	}
	return nil
}

// grown tells whether the times of a job, or of all, may be longer by so many percent.
func (x *trial) grown(name string) func(v int64) bool {
	return func(v int64) bool { return x.fits(model.Change{Kind: model.ChangeMargin, Name: name, N: v}) }
}

// losses asks about each slave.
func (x *trial) losses() error {
	at := model.Time(max(0, x.rng.IntN(16)-5))
	opt := x.options()
	if opt.Seed%2 == 0 { // plans are mended only where work is not counted
		opt.Budget, opt.TimeLimit = 0, time.Duration(1+opt.Seed%40)*50*time.Millisecond
	}
	all, err := capacity.SingleFailures(context.Background(), x.js, at, nil, opt)
	if err != nil {
		return err
	}
	for i := range all {
		l := &all[i]
		name := x.js.Slaves[l.Slave].Name
		if name == x.js.Slaves[l.Slave].Class && slices.ContainsFunc(x.js.Slaves, func(s model.Slave) bool { return s.Class == name && s.Name != name }) {
			continue // the name means the class
		}
		gone := model.Change{Kind: model.ChangeWithout, Name: name, At: at}
		x.saw("a slave lost: %s", l.Status)
		if fits := x.fits(gone); l.Status == model.Infeasible && fits || l.Status == model.Feasible && !fits {
			return fmt.Errorf("without %s from %d on: %s, exhaustive search says fits: %t", name, at, l.Status, fits)
		}
		if len(l.Jobs) > 0 && x.fits(append(infeasible.Without(x.js, l.Jobs), gone)...) {
			return fmt.Errorf("without %s from %d on %v are said to clash", name, at, l.Jobs)
		}
		if l.Status != model.Feasible {
			continue
		}
		spelled, err := x.spelled(x.changes, gone)
		if err != nil {
			return err
		}
		lost, err := lose(x.js, l.Slave, at)
		if err != nil {
			return err
		}
		if err := validFor(lost, spelled, l.Plan, false, 0); err != nil {
			return fmt.Errorf("without %s from %d on: %w", name, at, err)
		}
	}
	return nil
}

// holdNight holds a plan of the rest of a night against exhaustive search with that past.
func (x *trial) holdNight(r *solve.Result, set *model.JobSet, past model.Schedule, now model.Time) error {
	x.saw("%s: %s", x.ask.Kind, r.Status)
	if r.Schedule == nil && (r.Status == model.Optimal || r.Status == model.Feasible) {
		return fmt.Errorf("%s without a plan", r.Status)
	}
	if r.Schedule != nil {
		if err := check.Schedule(set, r.Schedule, r.Relaxed).Err(); err != nil {
			return err
		}
	}
	for t := range past {
		job := set.Tasks[t].Job
		if past[t].Slave != model.NoSlave && set.Leavable() != nil && set.Leavable()[job] {
			x.saw("%s: begun, and left out", x.ask.Kind)
			return nil // what has begun of jobs that are left out holds what it holds
		}
	}
	search := func(relaxed bool) ([]int64, error) {
		v, err := oracle.SolveLeaving(set, x.goal(), relaxed, past, now)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errSkip, err)
		}
		return v, nil
	}
	strict, err := search(false)
	if err != nil {
		return err
	}
	if fits := strict != nil; r.Status == model.Infeasible && fits || r.Schedule != nil && !r.Relaxed && !fits {
		return fmt.Errorf("%s, exhaustive search has %v", r.Status, strict)
	}
	if r.Schedule == nil {
		return nil
	}
	want := strict
	if r.Relaxed {
		x.saw("%s: least bad", x.ask.Kind)
		if want, err = search(true); err != nil {
			return err
		}
	}
	open, err := oracle.Hold(orderOf(x.goal(), r.Relaxed), r.Objectives, want)
	if open {
		x.saw("%s: open", x.ask.Kind)
	}
	return err
}
