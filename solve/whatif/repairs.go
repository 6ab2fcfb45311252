package whatif

import (
	"context"
	"fmt"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/query"
	"downbeat/model/window"
	"downbeat/solve/budget"
	"downbeat/solve/parallel"
)

// RepairOptions say how changed sets are planned, and what is known of the set.
type RepairOptions struct {
	// Plan tells whether the hard jobs of a set can meet their deadlines, by which plan, with
	// the work that ctx allows: Feasible, which has been validated, Infeasible, which was proved,
	// or Unknown. An error is an internal one.
	Plan func(ctx context.Context, js *model.JobSet) (model.Status, model.Schedule, error)
	// Workers that call Plan at a time, with what is counted in the context; the answer is the
	// same for any number. 0 stands for one.
	Workers int
	// Conflicts, ascending, were each proved not to fit, whatever is changed about other
	// jobs.
	Conflicts [][]model.JobID
	// Late, ascending, are the hard jobs that a plan has late; nil without one.
	Late []model.JobID
	// Alone, ascending, are late whatever the deadlines of the others are.
	Alone []LateAlone
	// Plans of some jobs each, valid for these alone: where a change has the others fit in after them, it helps.
	Plans []model.Schedule
	// LeftOf is the set of which the one at hand is what others, that can run nowhere, have left; nil where there are none. A pool
	// that has too little for any job of it at any time is no set.
	LeftOf *model.JobSet
}

// LateAlone is a hard job that cannot be in time, nor finish before Earliest (absolute), whatever the deadlines of jobs are.
type LateAlone struct {
	Job      model.JobID
	Earliest model.Time
}

// Repair is one change, or several together, with which the hard jobs of the whole set
// have a validated plan.
type Repair struct {
	// Changes are to be made in this order.
	Changes []change.Change
	// Least tells, per change, that with one step less of it, and the others as they are,
	// there is no plan: proved. A step is a tick, a slave, a core, a slot, a unit (of a
	// pool, too), a percent.
	Least []bool
	// AtLeast is, per change, the least of it that may do: with any less, and the others as
	// they are, there is no plan, which was proved. It is the change itself where that is
	// the least.
	AtLeast []change.Change
	// Cost, in millionths, is the sum of the shares by which each change exceeds what there
	// is: a later deadline of the deadline, an earlier release of the time from release to
	// due, less to fetch of the input, slaves of all that slaves cost (of their number where
	// no slave has a cost), cores, slots and units of those on all slaves, a pool of what there
	// is of it at most, an absence less
	// of the time of all slaves until the last hard job is due. A model, to have an order.
	Cost int64
}

// Settled reports whether less of any of the changes was proved not to do.
func (r *Repair) Settled() bool { return !slices.Contains(r.Least, false) }

// Vain is a change that was tried in vain: as it stands there, and so with less of it,
// there is no plan, which was proved.
type Vain struct {
	Change change.Change
	// All tells that no amount of it helps.
	All bool
}

// Together says what came of trying each choice of several changes.
type Together struct {
	// Changes are how many there are in a choice, Of those from which they are chosen, with
	// as much of each as was tried.
	Changes int
	Of      []Vain
	// Choices is the number of all choices. Helped of them help. Vain were proved not to,
	// whatever the amounts within Of. Dearer were not tried, for they cost more than what
	// is given of Helped. Of the others nothing is known: there was no work left for them.
	Choices, Helped, Vain, Dearer int
}

// Repairs is what was found, in the order in which it was tried.
type Repairs struct {
	// Single changes help alone; those of which the least is not known come last.
	Single []Repair
	// Together are changes none of which is enough, the cheapest first, and last those of
	// which the least is not known: sought where no single one helps.
	Together []Repair
	// Vain were tried in vain alone. Changes to single jobs are not tried, nor listed,
	// if a conflict is without the job, for then they cannot help.
	Vain []Vain
	// Open are those of which nothing is known: there was no work left for them.
	Open []change.Change
	// Jobs are those in all conflicts, and Series the recurring jobs of which all have an
	// instance: to these alone a single change of a job can help.
	Jobs   []model.JobID
	Series []string
	// Limited tells that the limit of the whole solve ended the search, and not the work
	// that repairs are given.
	Limited bool
	// Tried says what came of choices of two changes, and of three.
	Tried []Together
	// Refuted are changes that were tried together in vain: so are fewer of them, and less.
	Refuted [][]change.Change
}

// FindRepairs looks for repairs. It says less where ctx ends early, by its budget of work or by
// the clock. An error is an internal one.
//
// Only hard jobs, those confined to slaves that go for good, and those that these come after
// decide what fits: the others can be run after everything else, and are left out of what is
// planned.
func FindRepairs(ctx context.Context, js *model.JobSet, opt *RepairOptions) (*Repairs, error) {
	must := query.HardJobs(js)
	for i, confined := range js.Confined() {
		if confined && js.Jobs[i].Kind != model.Hard {
			must = append(must, model.JobID(i))
		}
	}
	press := js.WithBefore(must)
	base := js.Subset(press)
	x := &search{whole: js, js: base, opt: renumbered(opt, press), grain: model.CommonTick(js), out: &Repairs{}, early: &parallel.Early[Answer]{}}
	x.inAll()
	x.keepPlans(press)
	for i := range base.Jobs {
		if base.Jobs[i].Kind == model.Hard {
			x.last = max(x.last, base.Jobs[i].Due())
		}
	}
	x.singles(ctx)
	if len(x.out.Single) == 0 {
		x.together(ctx)
		slices.SortStableFunc(x.out.Together, func(a, b Repair) int {
			switch {
			case a.Settled() == b.Settled():
				return 0
			case a.Settled():
				return -1
			}
			return 1
		})
	}
	for k, i := range x.out.Jobs {
		x.out.Jobs[k] = press[i]
	}
	return x.out, x.err
}

// keepPlans has plans of parts known as plans of all jobs that press, with the others after them: those of most tasks. Of
// large sets that would take longer than milliseconds.
func (x *search) keepPlans(press []model.JobID) {
	if TakesLong(len(x.js.Tasks), int64(len(x.js.Slaves)), int64(window.Absences(x.js))) {
		return
	}
	var plans []model.Schedule
	for _, whole := range x.opt.Plans {
		plan := model.NewSchedule(len(x.js.Tasks))
		for k, i := range press {
			copy(plan[x.js.Jobs[k].First:], whole[x.whole.Jobs[i].First:x.whole.Jobs[i].End])
		}
		if !slices.ContainsFunc(plans, func(p model.Schedule) bool { return slices.Equal(p, plan) }) && x.inOrder(plan) {
			plans = append(plans, plan)
		}
	}
	slices.SortStableFunc(plans, func(a, b model.Schedule) int { return placed(a) - placed(b) })
	for _, plan := range plans[max(0, len(plans)-mostPlans):] {
		if plan = heuristics.Complete(x.js, plan); plan.Complete() {
			x.Keep(x.js, plan)
		}
	}
}

// inOrder reports whether a plan has no job that comes after one which it does not have.
func (x *search) inOrder(plan model.Schedule) bool {
	in := func(i model.JobID) bool { return plan[x.js.Jobs[i].First].Slave != model.NoSlave }
	for i := range x.js.Jobs {
		if in(model.JobID(i)) && slices.ContainsFunc(x.js.Jobs[i].After, func(k model.JobID) bool { return !in(k) }) {
			return false
		}
	}
	return true
}

// placed is how many tasks have a place.
func placed(plan model.Schedule) (n int) {
	for _, at := range plan {
		if at.Slave != model.NoSlave {
			n++
		}
	}
	return n
}

// renumbered are options about the set of some jobs, ascending, of the whole; jobs of conflicts
// that are not among them are left out.
func renumbered(opt *RepairOptions, press []model.JobID) *RepairOptions {
	number := func(jobs []model.JobID) []model.JobID {
		var out []model.JobID
		for _, i := range jobs {
			if k, in := slices.BinarySearch(press, i); in {
				out = append(out, model.JobID(k))
			}
		}
		return out
	}
	out := &RepairOptions{Plan: opt.Plan, Workers: opt.Workers, Late: number(opt.Late), Plans: opt.Plans, LeftOf: opt.LeftOf}
	for _, a := range opt.Alone { // a hard job presses
		out.Alone = append(out.Alone, LateAlone{number([]model.JobID{a.Job})[0], a.Earliest})
	}
	for _, c := range opt.Conflicts {
		out.Conflicts = append(out.Conflicts, number(c))
	}
	return out
}

// search is a search for repairs.
type search struct {
	Engine
	// js has the jobs that press, of the whole set.
	whole, js *model.JobSet

	opt *RepairOptions
	// grain divides all times: finishes may be taken for multiples of it, so that due
	// times and releases between two of them mean the same as one of the two.
	grain model.Time
	// last is when the last hard job is due.
	last model.Time
	out  *Repairs
	err  error
	// early has answers to questions that are not asked yet; ahead tells that this search is for
	// these alone, over that it is of no use any more.
	early       *parallel.Early[Answer]
	ahead, over bool
}

// inAll finds the jobs, and recurring jobs, that all conflicts have.
func (x *search) inAll() {
	if len(x.opt.Conflicts) == 0 {
		return
	}
	everywhere := func(jobs []model.JobID) bool {
		return !slices.ContainsFunc(x.opt.Conflicts, func(c []model.JobID) bool { return !(&action{jobs: jobs}).meets(c) })
	}
	for _, i := range x.opt.Conflicts[0] {
		if everywhere([]model.JobID{i}) {
			x.out.Jobs = append(x.out.Jobs, i)
		}
	}
	for _, name := range x.recurring(x.opt.Conflicts[0]) {
		if everywhere(x.instances(name)) {
			x.out.Series = append(x.out.Series, name)
		}
	}
}

// recurring are the jobs with several instances of which some are among those.
func (x *search) recurring(jobs []model.JobID) []string {
	var out []string
	for _, i := range jobs {
		if name := x.js.Jobs[i].Series; name != "" && !slices.Contains(out, name) && len(x.instances(name)) > 1 {
			out = append(out, name)
		}
	}
	return out
}

// try plans the set with changes. Of one that cannot be made
// nothing is known.
func (x *search) try(ctx context.Context, changes ...change.Change) Answer {
	key := fmt.Sprint(changes)
	a, err := x.Ask(ctx, &Question{Key: key, Find: func() (Answer, error) {
		unknown := Answer{Status: model.Unknown}
		if x.err != nil || x.over || ctx.Err() != nil {
			return unknown, nil
		}
		changed, err := change.ApplyUntil(ctx, x.js, changes)
		if err != nil {
			return unknown, nil
		}
		some, stop := budget.AtMost(ctx, x.work(), x.Round.Time(OneOfMany))
		defer stop()
		find := func(ctx context.Context) (Answer, error) { return x.plan(ctx, changed, changes) }
		if !x.ahead {
			return x.early.Ask(some, key, find)
		}
		out, ok := x.early.Prepare(some, key, find)
		_, left, _ := budget.Left(ctx) // where that is less than a question may take, it was ended by it
		x.over = !ok || out.Status == model.Unknown && left <= 0
		return out, nil
	}})
	if err != nil {
		x.err = err
	}
	return a
}

// plan plans the set that changes have made.
func (x *search) plan(ctx context.Context, changed *model.JobSet, changes []change.Change) (Answer, error) {
	status, err := model.Feasible, error(nil)
	plan := x.Known(ctx, &Question{Set: changed, Holds: func(plan model.Schedule) bool { // which costs less than the validator
		return changed.Value(model.HardMisses, changed.Finishes(plan)) == 0
	}})
	if plan == nil {
		status, plan, err = x.opt.Plan(ctx, changed)
	} else {
		budget.Spend(ctx, 1)
	}
	out := Answer{Status: status}
	if status == model.Feasible {
		out.Ends, out.Used = changed.Finishes(plan), map[model.Change]int64{}
		for _, c := range changes {
			if c.Kind == change.Count || c.Kind == change.Pool {
				out.Used[sizeOf(c)] = Used(changed, plan, c)
			}
		}
	}
	return out, err
}

// mostAhead is what is left, at least, for looking ahead where a question may take more: most take
// less.
const mostAhead = 1000

// beside does n pieces of work one after the other, with the answers to what they will ask looked
// for ahead on other workers: by ahead, the same work on a search of its own, which may end
// early. Nil is for pieces of which nothing is known ahead.
func (x *search) beside(ctx context.Context, n int, ahead func(i int) func(ctx context.Context, x *search), do func(i int)) {
	workers := x.opt.Workers
	if _, _, counted := budget.Left(ctx); !counted || x.ahead {
		workers = 1
	}
	parallel.Ahead(ctx, workers, n, min(x.work(), mostAhead), func(i int) func(context.Context) {
		work := ahead(i)
		if work == nil {
			return nil
		}
		fork := *x
		fork.Engine, fork.ahead, fork.out = x.Engine.Fork(), true, nil
		return func(ctx context.Context) { work(ctx, &fork) }
	}, func(i int) error {
		do(i)
		return x.err
	})
}

// sizeOf is a change of the size of a class or a pool, whichever size it is.
func sizeOf(c change.Change) change.Change {
	c.N = 0
	return c
}

// rounds bounds how often what is open is come back to. The work allowed ends the search long before.
const rounds = 12

// work is what a question may take in a round.
func (x *search) work() int64 { return max(1, x.Round.Work(len(x.js.Tasks))/hasty) }

// hasty: there are dozens of actions, so that the first questions are given one part of so many
// of what one about a single class is.
const hasty = 8

// singles tries each action alone, round by round, until all is settled: in each round first whether actions help that are
// not known to, and then how little of those that do is enough.
func (x *search) singles(ctx context.Context) {
	actions := x.actions(ctx, x.out.Series, x.out.Jobs)
	answers := make([]alone, len(actions))
	for k := range actions {
		answers[k].Fits, answers[k].Fails = actions[k].most+1, x.tooEarly(&actions[k])
	}
	part := budget.Part(ctx, 2) // the rest is for several together, if none helps alone
	order := inTurn(actions)
	for x.Round = 0; x.Round < rounds && x.err == nil && part.Err() == nil; x.Round++ {
		x.vainTogether(budget.Part(part, 2), actions, answers)
		x.sweep(part, order, actions, answers, (*alone).undecided, (*search).helpful)
		if slices.ContainsFunc(answers, func(a alone) bool { return a.helps }) {
			part = ctx
		}
		x.sweep(part, order, actions, answers, (*alone).wide, (*search).least)
		if !slices.ContainsFunc(answers, func(a alone) bool { return !a.settled() }) {
			break
		}
	}
	x.tell(actions, answers)
}

// leastTogether is how many actions of a kind are tried at once at least: of few jobs that clash some change mostly helps, and
// then the questions about several are for nothing.
const leastTogether = 16

// vainTogether tries actions of a kind all at once, and where that may help by halves, as with [chooser.add]: what does not help
// together does not alone. So hundreds of jobs that clash by much more than one of them take a few questions.
func (x *search) vainTogether(ctx context.Context, actions []action, answers []alone) {
	c := &chooser{search: x, actions: actions}
	groups, kinds := map[change.Kind][]int{}, []change.Kind(nil)
	for k := range actions {
		if kind := actions[k].kind; answers[k].undecided() {
			if groups[kind] == nil {
				kinds = append(kinds, kind)
			}
			groups[kind] = append(groups[kind], k)
		}
	}
	var refute func(group []int)
	refute = func(group []int) {
		switch {
		case len(group) < leastTogether || ctx.Err() != nil || x.err != nil: // each by itself is asked about later on
		case x.try(ctx, c.utmost(group)...).Status == model.Infeasible:
			for _, k := range group {
				answers[k].vain = true
			}
		default:
			refute(group[:len(group)/2])
			refute(group[len(group)/2:])
		}
	}
	for _, kind := range kinds {
		refute(groups[kind])
	}
}

// tooEarly is how many steps of an action are too few already for a job that is late alone: none where it is no later deadline.
func (x *search) tooEarly(l *action) (steps int64) {
	if l.kind != change.Deadline {
		return 0
	}
	for _, a := range x.opt.Alone {
		if slices.Contains(l.jobs, a.Job) {
			steps = max(steps, int64((a.Earliest-1-x.js.Jobs[a.Job].Due())/l.step))
		}
	}
	return min(steps, l.most)
}

// sweep goes on with the actions, in an order, of which something is open.
func (x *search) sweep(ctx context.Context, order []int, actions []action, answers []alone, open func(*alone) bool, goOn func(*search, context.Context, *action, *alone)) {
	x.beside(ctx, len(order), func(i int) func(context.Context, *search) {
		l, a := &actions[order[i]], answers[order[i]]
		if !open(&a) {
			return nil
		}
		return func(ctx context.Context, x *search) { goOn(x, ctx, l, &a) }
	}, func(i int) {
		if a := &answers[order[i]]; open(a) && ctx.Err() == nil {
			goOn(x, ctx, &actions[order[i]], a)
		}
	})
}

// inTurn is the order in which actions are tried: on jobs and on slaves by turns, so that where
// there are too many of them some of either kind are.
func inTurn(actions []action) []int {
	onJobs := 0 // they come first
	for onJobs < len(actions) && len(actions[onJobs].jobs) > 0 {
		onJobs++
	}
	var out []int
	for k := range actions {
		if k < onJobs {
			out = append(out, k)
		}
		if onJobs+k < len(actions) {
			out = append(out, onJobs+k)
		}
	}
	return out
}

// tell puts what is known of each action alone into the answer: what is settled first.
func (x *search) tell(actions []action, answers []alone) {
	var open []Repair
	for k := range actions {
		switch l, a := &actions[k], &answers[k]; {
		case a.vain:
			x.out.Vain = append(x.out.Vain, l.inVain())
		case !a.helps:
			x.out.Open = append(x.out.Open, l.of(l.most))
		default:
			r := Repair{
				Changes: []change.Change{l.of(a.Fits)}, Least: []bool{a.Exact()}, AtLeast: []change.Change{l.of(a.Fails + 1)}, Cost: l.cost(a.Fits),
			}
			if r.Settled() {
				x.out.Single = append(x.out.Single, r)
			} else {
				open = append(open, r)
			}
		}
	}
	x.out.Single = append(x.out.Single, open...)
}

// inVain is an action that does not help.
func (l *action) inVain() Vain { return Vain{Change: l.of(l.most), All: l.all} }

// alone is what is known of an action by itself: the edge in its steps. Fits is more than there
// are of them while none is known to do.
type alone struct {
	Edge
	// helps tells that some do, vain that none do.
	helps, vain bool
}

func (a *alone) settled() bool { return a.vain || a.helps && a.Exact() }

// undecided: whether it helps is open. wide: how little of it does.
func (a *alone) undecided() bool { return !a.vain && !a.helps }
func (a *alone) wide() bool      { return a.helps && !a.Exact() }

// ask puts the question whether so many steps of an action do.
func (x *search) ask(ctx context.Context, l *action) func(n int64) (Reply, error) {
	return func(n int64) (Reply, error) {
		t := x.try(ctx, l.of(n))
		return Reply{Status: t.Status, Reach: x.steps(l, t, n)}, x.err
	}
}

// helpful tries an action as far as it goes, or else by doubling, until some amount does.
func (x *search) helpful(ctx context.Context, l *action, a *alone) {
	switch t := x.try(ctx, l.utmost(x.js)); t.Status {
	case model.Infeasible:
		a.vain = true
		return
	case model.Feasible:
		a.helps, a.Fits = true, x.steps(l, t, l.most)
	}
	ask := x.ask(ctx, l)
	for n := int64(1); !a.helps && n < l.most && l.kind == change.Count; n *= 2 { // a class of other sizes is another question
		r, _ := ask(n)
		a.Take(n, r)
		a.helps = r.Status == model.Feasible
	}
}

// least narrows down how little of an action that helps is enough.
func (x *search) least(ctx context.Context, l *action, a *alone) { x.narrow(&a.Edge, x.ask(ctx, l)) }

// narrow brings the ends of an edge in steps nearer to each other.
func (x *search) narrow(e *Edge, ask func(n int64) (Reply, error)) {
	if e.Narrow(ask); x.err == nil && e.Fits <= e.Fails {
		x.err = fmt.Errorf("a plan was found with %d steps of a change, and %d refuted", e.Fits, e.Fails)
	}
}

// steps is how many steps of an action do, where n of them, or its utmost, did: as many as the
// plan makes use of.
func (x *search) steps(l *action, t Answer, n int64) int64 {
	if t.Status != model.Feasible {
		return n
	}
	switch l.kind {
	case change.Deadline:
		late := model.Time(0)
		for _, i := range l.jobs {
			late = max(late, x.js.Jobs[i].Late(t.Ends[i]))
		}
		return max(1, int64((late+l.step-1)/l.step))
	case change.Count, change.Pool:
		return min(n, max(1, t.Used[sizeOf(l.of(n))]-l.from))
	}
	return n
}
