package peers

import (
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/check"
)

// Set is a job set and the file that it comes from.
type Set struct {
	Name, File string
	JobSet     *model.JobSet
	// digest is that of the job set, cut short.
	digest string
}

// Never is the time of what did not happen.
const Never = time.Duration(-1)

// Run is what one solver made of one job set.
type Run struct {
	Set   *Set
	Peer  string
	Round int
	// Status is the solver's claim: Optimal or Infeasible are proofs, and so is
	// Feasible where no objective was asked for.
	Status model.Status
	// Planned tells whether a valid plan came, Values are the objectives of the
	// best one.
	Planned bool
	Values  []int64
	// Bounds that the solver claims to have proved, of the first objectives.
	Bounds []int64
	// First and Best tell when the first and the best plan came, Total when the
	// solver ended. Never for what did not happen.
	First, Best, Total time.Duration
	// Search is what the solver says of its own time, start-up and translation
	// not included; 0 if it does not say.
	Search time.Duration
	// Read is when a solver that says so had read the set, and Memory the most
	// that its process held, in bytes; 0 if it does not say.
	Read   time.Duration
	Memory int64
	// Path are the plans that came, each better than the one before.
	Path []Point
	// Rise are the bounds that a solver told of on the way, each higher than the one
	// before.
	Rise []Point
	// Fault tells what went wrong: a crash, a plan that is not valid, a claim
	// without a plan. Then Status is Unknown.
	Fault string
}

// Point is a plan on the way, or a proof: the values or bounds, and when it came.
type Point struct {
	At     time.Duration
	Values []int64
}

// Proved reports whether the solver settled the question.
func (r *Run) Proved() bool {
	return r.Status == model.Optimal || r.Status == model.Infeasible ||
		r.Status == model.Feasible && len(r.Set.JobSet.Goal()) == 0
}

// Proof is when the question was settled, Never if it was not.
func (r *Run) Proof() time.Duration {
	if r.Proved() {
		return r.Total
	}
	return Never
}

// listener makes a Run of what a solver says while it runs.
type listener struct {
	run     *Run
	goal    []model.Objective
	started time.Time
	// told are the best values that came without a plan.
	told []int64
}

func listen(set *Set, peer string, round int) *listener {
	return &listener{
		run:  &Run{Set: set, Peer: peer, Round: round, First: Never, Best: Never},
		goal: set.JobSet.Goal(), started: time.Now(),
	}
}

// fault keeps the first fault.
func (l *listener) fault(format string, args ...any) {
	if l.run.Fault == "" {
		l.run.Fault = fmt.Sprintf(format, args...)
	}
}

// now is the time since the solver was started.
func (l *listener) now() time.Duration { return time.Since(l.started) }

// plan takes a plan that came at the given time; it counts if it is valid and
// better.
func (l *listener) plan(s model.Schedule, at time.Duration) {
	js := l.run.Set.JobSet
	if err := check.Schedule(js, s, false).Err(); err != nil {
		l.fault("%v", err)
		return
	}
	finishes := js.Finishes(s)
	values := make([]int64, len(l.goal))
	for i, o := range l.goal {
		values[i] = js.Value(o, finishes)
	}
	if l.run.Planned && slices.Compare(values, l.run.Values) >= 0 {
		return
	}
	// A plan that was told of by its values came then.
	if l.told == nil || slices.Compare(values, l.told) < 0 {
		l.came(values, at)
	}
	l.run.Planned, l.run.Values = true, values
}

// values takes the values of a plan that will come later.
func (l *listener) values(values []int64, at time.Duration) {
	if l.told == nil || slices.Compare(values, l.told) < 0 {
		l.told = values
		l.came(values, at)
	}
}

func (l *listener) came(values []int64, at time.Duration) {
	if l.run.First == Never {
		l.run.First = at
	}
	l.run.Best = at
	l.run.Path = append(l.run.Path, Point{at, values})
}

// claim is what a solver says at its end.
type claim struct {
	status model.Status
	bounds []int64
	search time.Duration
	// last is a plan that comes with the claim, nil if none does.
	last   model.Schedule
	memory int64
}

// close ends the run with the solver's claim, as far as the plan bears it out.
func (l *listener) close(c claim, err error) *Run {
	r := l.run
	r.Total, r.Search, r.Memory = l.now(), c.search, c.memory
	if c.last != nil { // only now: our own check of it takes time, too
		l.plan(c.last, r.Total)
	}
	switch {
	case err != nil:
		l.fault("%v", err)
	case c.status == model.Infeasible && l.run.Planned:
		l.fault("it says that there is no plan, and has printed one")
	case (c.status == model.Optimal || c.status == model.Feasible) && !l.run.Planned:
		l.fault("it says %v without a plan", c.status)
	case c.status == model.Optimal && !slices.Equal(c.bounds, r.Values):
		l.fault("it says optimal with bounds %v, and its best plan has %v", c.bounds, r.Values)
	case l.told != nil && l.run.Planned && slices.Compare(r.Values, l.told) > 0:
		l.fault("it told of a plan with %v, and ended with %v", l.told, r.Values)
	}
	if !l.run.Planned {
		r.First, r.Best, r.Path = Never, Never, nil
	}
	if r.Fault == "" {
		r.Status, r.Bounds = c.status, c.bounds
	}
	return r
}

// Options are the same for every solver.
type Options struct {
	// Limit is the time for a job set, whole process.
	Limit time.Duration
	// Workers is the number of threads, for solvers that can have several.
	Workers int
	// Rounds is how often each solver gets each job set.
	Rounds int
	// Parallel is the number of runs side by side, 0 and 1 for one at a time.
	Parallel int
	// Drop asks a solver no more about the larger sets of a trait once it has
	// settled none of a size. It goes by the names of sets from families.
	Drop bool
	// Grace is how long after the limit a solver may take to end by itself; 0
	// means 5 s.
	Grace time.Duration
}
