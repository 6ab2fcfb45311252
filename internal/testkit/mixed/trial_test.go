package mixed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"

	"downbeat/internal/testkit/naive"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/solve"
)

// asking is a question about a set, and how it is put.
type asking struct {
	Kind    string
	Workers int
	Budget  int64
	Certify bool
	Seed    uint64
}

// trial is a set, changes to it, and a question about what they make of it.
type trial struct {
	set     *Set
	changes []model.Change
	ask     asking
	// answers counts kinds of answers, and what is seen of them.
	answers map[string]int

	rng  *rand.Rand
	file *model.JobSet // as it is read, nil before
	js   *model.JobSet // under the changes, as the program makes it
	true *model.JobSet // the same, spelled out
	memo map[string][]int64
}

// errSkip tells of a question that is none of the set, or too large for exhaustive search.
var errSkip = errors.New("skipped")

func (x *trial) saw(format string, args ...any) { x.answers[fmt.Sprintf(format, args...)]++ }

// run puts the question. An error that is not errSkip is a difference.
func (x *trial) run() (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case tooLarge:
			err = p.error
		default:
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	x.answers, x.memo = map[string]int{}, map[string][]int64{}
	x.rng = rand.New(rand.NewPCG(x.ask.Seed, 3))
	if err := x.make(); err != nil {
		return err
	}
	return questions[x.ask.Kind](x)
}

// make makes the set under the changes, by the program and spelled out: both can, or neither.
func (x *trial) make() error {
	var err error
	if x.file == nil {
		if x.file, err = x.set.load(); err != nil {
			return fmt.Errorf("%w: %w", errSkip, err)
		}
	}
	x.js, err = change.Apply(x.file, x.changes)
	var truth error
	for n := 1; n < len(x.changes); n++ { // one after the other, as the program does, but for counts
		if x.changes[n-1].Kind == model.ChangeCount && x.changes[n].Kind == model.ChangeCount {
			continue
		}
		if _, e := x.spelled(x.changes[:n]); truth == nil {
			truth = e
		}
	}
	if x.true, err = x.either(err, truth); err != nil {
		return err
	}
	return sameNames(x.js, x.true)
}

func (x *trial) either(err, truth error) (*model.JobSet, error) {
	spelled, e := x.spelled(x.changes)
	switch truth = errors.Join(truth, e); {
	case err != nil && truth != nil:
		x.saw("changes that cannot be made")
		return nil, errSkip
	case err != nil || truth != nil:
		return nil, fmt.Errorf("%v: by the program %w, by the file %w", x.changes, err, truth)
	}
	return spelled, nil
}

// spelled is the set under changes and further ones, spelled out.
func (x *trial) spelled(changes []model.Change, further ...model.Change) (*model.JobSet, error) {
	s, err := x.set.under(changes, further)
	if err != nil {
		return nil, err
	}
	return s.load()
}

// sameNames holds the names of slaves and jobs of one set against those of the other.
func sameNames(a, b *model.JobSet) error {
	names := func(js *model.JobSet) (out []string) {
		for i := range js.Slaves {
			out = append(out, js.Slaves[i].Name)
		}
		for i := range js.Jobs {
			out = append(out, js.Jobs[i].Name)
		}
		return out
	}
	if x, y := names(a), names(b); !slices.Equal(x, y) {
		return fmt.Errorf("the program has %v, the file %v", x, y)
	}
	return nil
}

// least is what exhaustive search finds of the set under further changes, as
// [oracle.SolveLeaving] has it; nil where there is no plan, or no such set.
func (x *trial) least(goal []model.Objective, relaxed bool, further ...model.Change) ([]int64, error) {
	key := fmt.Sprint(goal, relaxed, further)
	if v, known := x.memo[key]; known {
		return v, nil
	}
	js := x.true
	if len(further) > 0 {
		var err error
		if js, err = x.spelled(x.changes, further...); err != nil {
			return nil, nil
		}
	}
	v, err := oracle.SolveLeaving(js, goal, relaxed, nil, 0)
	if err != nil {
		x.saw("too large for exhaustive search")
		return nil, fmt.Errorf("%w: %w", errSkip, err)
	}
	x.memo[key] = v
	return v, nil
}

// leastOf is least of one objective, or the end of the trial.
func (x *trial) leastOf(o model.Objective, further []model.Change) []int64 {
	v, err := x.least([]model.Objective{o}, false, further...)
	if err != nil {
		panic(tooLarge{err})
	}
	return v
}

// fits tells whether the hard deadlines can be met under further changes.
func (x *trial) fits(further ...model.Change) bool {
	v, err := x.least(nil, false, further...)
	if err != nil {
		panic(tooLarge{err})
	}
	return v != nil
}

// tooLarge ends a trial.
type tooLarge struct{ error }

// options are those of the question.
func (x *trial) options() solve.Options {
	return solve.Options{Seed: x.ask.Seed, Workers: x.ask.Workers, Budget: x.ask.Budget, Proof: x.ask.Certify, NoConflict: true}
}

// valid holds a schedule against the validator, and against the rules as they are written, of the
// set spelled out.
func (x *trial) valid(s model.Schedule, relaxed bool) error {
	return validFor(x.js, x.true, s, relaxed, 0)
}

func validFor(js, spelled *model.JobSet, s model.Schedule, relaxed bool, now model.Time) error {
	if err := check.Schedule(js, s, relaxed).Err(); err != nil {
		return fmt.Errorf("the validator: %w", err)
	}
	broken := naive.Broken(spelled, planOf(spelled, s, relaxed, now))
	if slices.ContainsFunc(s, func(p model.Placement) bool { return p.Slave == model.NoSlave }) {
		delete(broken, "missing") // jobs are left out
	}
	if len(broken) > 0 {
		return fmt.Errorf("%s broken by %v", strings.Join(slices.Sorted(maps.Keys(broken)), ", "), s)
	}
	return nil
}

// planOf spells a schedule out as plan files do.
func planOf(js *model.JobSet, s model.Schedule, relaxed bool, now model.Time) *model.Plan {
	p := &model.Plan{Version: model.PlanVersion, Relaxed: relaxed, Now: now}
	for t, at := range s {
		if at.Slave == model.NoSlave {
			continue
		}
		task := &js.Tasks[t]
		job := &js.Jobs[task.Job]
		slave := &js.Slaves[at.Slave]
		p.Tasks = append(p.Tasks, model.TaskResult{
			Job: job.Name, Stage: job.Stages[task.Stage].Name, Task: int(task.Number), Slave: slave.Name,
			Beat: at.Beat, Assigned: slave.FirstBeat + js.Heartbeat*at.Beat, Fetch: at.Fetch,
			Start: at.Start, Finish: at.Start + task.WCET(at.Slave),
		})
	}
	return p
}

// Orders in which values are minimised.
var (
	leaving  = []model.Objective{model.LeftOutWeight, model.LeftOut}
	leastBad = []model.Objective{model.HardMisses, model.LeftOutWeight, model.LeftOut, model.HardTardiness, model.HardTotalTardiness}
)

// orderOf is what is minimised, in its order.
func orderOf(goal []model.Objective, relaxed bool) []model.Objective {
	if relaxed {
		return slices.Concat(leastBad, goal)
	}
	return slices.Concat(leaving, goal)
}

// goal is what the set asks for.
func (x *trial) goal() []model.Objective { return x.js.Goal() }

func (x *trial) plan(opt solve.Options) error {
	r, err := solve.Plan(context.Background(), x.js, opt)
	if err != nil {
		return err
	}
	strict, err := x.least(x.goal(), false)
	if err != nil {
		return err
	}
	x.saw("plan: %s", r.Status)
	if fits := strict != nil; r.Status == model.Infeasible && fits || (r.Status == model.Optimal || r.Status == model.Feasible) && !fits {
		return fmt.Errorf("%s, exhaustive search has %v", r.Status, strict)
	}
	if err := x.certified(r.Certificate, r.Relaxed); err != nil {
		return err
	}
	if r.Schedule == nil {
		return nil
	}
	if err := x.valid(r.Schedule, r.Relaxed); err != nil {
		return err
	}
	want := strict
	if r.Relaxed {
		x.saw("plan: least bad")
		if want, err = x.least(x.goal(), true); err != nil {
			return err
		}
	}
	return x.holdValues(r, want)
}

// holdValues holds values and bounds against the least that there are.
func (x *trial) holdValues(r *solve.Result, want []int64) error {
	if err := x.holdClaimed(r); err != nil {
		return err
	}
	if len(r.LeftOut) > 0 {
		x.saw("jobs left out")
	}
	open, err := oracle.Hold(orderOf(x.goal(), r.Relaxed), r.Objectives, want)
	switch {
	case err != nil:
		return err
	case open && r.Status == model.Optimal:
		return fmt.Errorf("optimal with %v", r.Objectives)
	case open:
		x.saw("open values")
	default:
		x.saw("closed values")
	}
	return nil
}

// holdClaimed holds the claimed values against those of the schedule.
func (x *trial) holdClaimed(r *solve.Result) error {
	finishes, out := make([]model.Time, len(x.true.Jobs)), make([]bool, len(x.true.Jobs))
	for t, at := range r.Schedule {
		task := &x.true.Tasks[t]
		if at.Slave == model.NoSlave {
			out[task.Job] = true
			continue
		}
		finishes[task.Job] = max(finishes[task.Job], at.Start+task.WCET(at.Slave))
	}
	for _, v := range r.Objectives {
		for _, o := range x.goal() {
			if v.Is(o) && oracle.Value(x.true, o, finishes, out) != v.Value {
				return fmt.Errorf("%s is said to be %d, it is %d", o, v.Value, oracle.Value(x.true, o, finishes, out))
			}
		}
	}
	return nil
}
