package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/cover"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/lcg"
	"downbeat/solve/portfolio"
)

// Master bounds misses by the choice of which jobs to let go, until that gets too hard.
var Master = &portfolio.Strategy{
	Name: "master problem of late jobs", Unit: "a fresh candidate", Grows: 2, Most: 16, Proves: "dual, branching, lcg",
	Sharing: portfolio.Together, Crew: treeCrew, After: Multipliers, Applies: boundsHold,
	Begin: func(w *portfolio.Work, _ uint64) portfolio.Runner { return masterOf(w) },
}

// masterOf is the master problem that Master and LateDives share.
func masterOf(w *portfolio.Work) *master {
	return portfolio.Shared(w, masterKey{}, func() *master {
		return &master{w: w, cuts: cutsOf(w), rng: rand.New(&lockedSource{from: rand.NewPCG(w.Seed, 5)})}
	})
}

type masterKey struct{}

// master chooses which jobs to let go. Everything that is
// known about the choice is kept as cuts: energetic arguments, multipliers, and
// sets of jobs that were shown to clash by branching or by search. The lightest
// candidate that meets them all bounds the misses. Then all jobs but those let go
// are asked about: either they have a plan, which is the best one; or there is one
// more cut (logic-based Benders decomposition, Hooker 2007; implicit hitting sets,
// Moreno-Centeno and Karp 2013). Such a question is a hard one only where
// multipliers prove nothing about it; the candidate then waits, to be looked into
// again with more effort.
type master struct {
	w    *portfolio.Work
	cuts *cuts

	rng *rand.Rand // of dives
	sharedSlice

	// choosing is held while a candidate is chosen, so that no two workers choose the same.
	choosing sync.Mutex
	// js has the weights of the jobs that count; nil before cuts were read first.
	js *model.JobSet
	// all is the question in which any job that counts may be late.
	all query.Question

	// mu guards what follows.
	mu    sync.Mutex
	known []proof.Cut
	// byBranching and bySearch count the cuts that branching, and those that a
	// search has shown, atOnce and atOnceBySearch the fresh candidates that multipliers refuted, and that a search did.
	byBranching, bySearch  int
	atOnce, atOnceBySearch int
	open                   candidates
	// spent is what the turns of each kind have cost.
	spent [turns]int
	// stuck is set where package lcg does not answer, for the size or the kind of
	// the question, and multipliers have been tried for long enough.
	stuck bool
	// tooFew is the weight let go last of which a dive found no plan, 0 for none, diving are
	// those that are dived for.
	tooFew int64
	diving []int64
}

// TooManyToChoose is the number of tasks from which on questions about all but a
// candidate's jobs are not asked: 400 are the most that were measured (docs/cliff.md). Of more
// there are dives only, see [LateDives].
const TooManyToChoose = 401

// Run implements portfolio.Runner. It goes on until the objective is closed or
// ctx is done, or choosing or asking gets too hard, or there is nothing that this worker could
// do beside the others.
func (c *master) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	w := c.w
	if err := c.ready(ctx); err != nil {
		w.Fail(err)
		return portfolio.Done
	}
	c.enter(s.Number)
	defer c.leave()
	for c.within(s.Units) {
		if ctx.Err() != nil || w.Over(w.P) {
			return portfolio.Done
		}
		at, more, ok := c.next(ctx)
		switch {
		case !ok:
			return portfolio.Done
		case at == nil:
			return portfolio.Open
		}
		idle := c.examine(ctx, at, more)
		switch {
		case c.isStuck():
			return portfolio.Done
		case idle:
			return portfolio.Open
		}
	}
	return portfolio.Open
}

// searchesFirst reports whether a fresh candidate is asked about before multipliers are sought against it: where a search has refuted
// most of those before, in a part of the time that these take.
func (c *master) searchesFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.atOnceBySearch >= searchedFirst*(1+c.atOnce)
}

// searchedFirst is how many times as many that is. By judgement.
const searchedFirst = 2

func (c *master) isStuck() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stuck
}

// The kinds of turns: a fresh candidate, be it heavier than others; one of all that wait,
// for a plan; one of the lightest, to refute it, which raises the bound. Where only the
// lightest are left the last two are the same.
const (
	freshTurn = iota
	wideTurn
	lightTurn
	turns
)

// effortCosts are those of looking into a candidate by effort, in fresh ones, and twice
// those of a turn in which it is to be refuted only. They follow the time that each takes;
// since fresh ones count for next to nothing misses-40-3 takes 0.07 s and not 2.1 s. While only
// the lightest candidates keep the objective open, refuting them goes before what others do:
// each counts for mostClosing at most.
var effortCosts = [...]int{1, 12, 36, 120, 440}

const mostClosing = 32

// cost is that of a turn of a candidate.
func (at *candidate) cost(turn int) int {
	if turn == lightTurn && at.effort > 0 {
		return effortCosts[min(1+at.light, len(effortCosts)-1)] / 2
	}
	return effortCosts[min(at.effort, len(effortCosts)-1)]
}

// ready reads the cuts that there are, once.
func (c *master) ready(ctx context.Context) error {
	c.choosing.Lock()
	defer c.choosing.Unlock()
	if c.js != nil {
		return nil
	}
	return c.prepare(ctx)
}

// prepare reads the cuts that there are; c.choosing is held. LateDives reads them again and again.
func (c *master) prepare(ctx context.Context) error {
	if c.js == nil {
		c.lay()
	}
	known, multipliers := c.cuts.all()
	end := model.Time(0)
	for _, due := range c.dues(nil) {
		if due < model.Never {
			end = max(end, due)
		}
	}
	for _, at := range multipliers {
		d, err := c.cut(ctx, until(end, at))
		if err != nil {
			return err
		}
		if d.RHS > 0 {
			known = append(known, d)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = known
	return nil
}

// lay sets out what does not change.
func (c *master) lay() {
	w := c.w
	c.all = w.Question(w.Limits(w.P, 1<<40))
	c.all.Limits = slices.DeleteFunc(c.all.Limits, func(l query.Limit) bool { return l.Objective.Shape().Counts() })
	js := *w.JS
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			js.Jobs[i].Weight = 1
		}
	}
	c.js = &js
}

// until leaves multipliers off from a time on: they were found for deadlines, which may be later than
// what limits on other objectives leave to jobs.
func until(end model.Time, at []proof.Multiplier) (before []proof.Multiplier) {
	for _, m := range at {
		if m.Interval.End = min(m.Interval.End, end); m.Interval.Start < m.Interval.End {
			before = append(before, m)
		}
	}
	return before
}

// counts reports whether being late counts for a job.
func (c *master) counts(i model.JobID) bool {
	return c.w.Goal[c.w.P].Shape().Jobs.Has(c.js.Jobs[i].Kind)
}

// next is the candidate that a worker is to examine: one that another is at, as long as there is
// a part of that to be shared, else the one that is chosen, else one that others are at, of which
// more than that is done. at is nil if there is nothing to do beside the others, ok false if nothing
// is left at all, or choosing gets too hard.
func (c *master) next(ctx context.Context) (at *candidate, more, ok bool) {
	if at := c.underWay((*examination).left); at != nil {
		return at, false, true
	}
	c.choosing.Lock()
	defer c.choosing.Unlock()
	if at := c.underWay((*examination).left); at != nil {
		return at, false, true
	}
	fresh, lightest, exact := c.lightest(ctx)
	if !exact {
		return nil, false, false
	}
	c.prove(lightest)
	if at, ok = c.choose(ctx, fresh, lightest); at != nil || !ok {
		return at, false, ok
	}
	at = c.underWay(func(e *examination) bool { _, more := e.more(); return more })
	return at, true, true
}

// underWay is a candidate that others examine, of those of which something holds; nil if there
// is none.
func (c *master) underWay(which func(*examination) bool) *candidate {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, at := range c.open {
		if at.under != nil && which(at.under) {
			return at
		}
	}
	return nil
}

// lightest is the lightest fresh candidate, and the least weight that is left of any.
func (c *master) lightest(ctx context.Context) (fresh *candidate, least int64, exact bool) {
	for exact = true; exact; {
		if fresh, exact = c.fresh(ctx); exact && !c.overtaken(fresh) {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value, _ := c.w.Gap(c.w.P)
	c.open.drop(func(at *candidate) bool { return at.weight >= value })
	least = min(fresh.weight, value)
	for _, at := range c.open {
		least = min(least, at.weight)
	}
	return fresh, least, exact
}

// overtaken tells that a cut was found against a candidate since it was chosen.
func (c *master) overtaken(at *candidate) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.known, func(d proof.Cut) bool { return violates(at.late, &d) })
}

// choose begins the examination of a candidate: of the fresh one if it is as light as the
// lightest of all, else of one by the kind of turn that
// has cost least so far. Few turns of much effort would else leave no time for many of
// little, by which plans are found where there are some. Nor do fresh ones that are as
// light as that leave none for plans: where there are thousands of them the bound stays
// as it is, and of 400 tasks none but they would have had a turn.
func (c *master) choose(ctx context.Context, fresh *candidate, lightest int64) (at *candidate, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, _ := c.w.Gap(c.w.P)
	turn := lightTurn
	if c.closing() || c.spent[wideTurn] <= c.spent[lightTurn] {
		turn = wideTurn
	}
	waiting := c.open.waiting()
	// Plans are behind by more than a dive costs.
	behind := !c.closing() && len(waiting) > 0 && c.spent[lightTurn] > c.spent[wideTurn]+effortCosts[1]
	switch {
	case fresh.weight == lightest && lightest < value && !behind:
		at, turn = c.begin(ctx, fresh), lightTurn
	case fresh.weight < value && c.spent[freshTurn] <= c.spent[turn]:
		at, turn = c.begin(ctx, fresh), freshTurn
	default:
		at = waiting.next(turn == wideTurn)
	}
	if at == nil {
		return nil, len(c.open) > 0
	}
	c.pay(at, turn)
	c.begun(at, turn)
	return at, true
}

// pay counts a turn of a candidate; c.mu is held.
func (c *master) pay(at *candidate, turn int) {
	cost := at.cost(turn)
	c.spent[turn] += cost
	if c.closing() {
		cost = min(cost, mostClosing)
	}
	c.use(cost)
}

// begin has a candidate live no longer than the whole of ctx; c.mu is held.
func (c *master) begin(ctx context.Context, at *candidate) *candidate {
	at.alive, at.end = context.WithCancel(portfolio.Whole(ctx))
	at.refutation = lagrange.NewRefutation(at.alive, c.w.JS, c.dues(at.late), true)
	c.open = append(c.open, at)
	return at
}

// fresh is the lightest candidate that was not looked into, and that meets more cuts.
func (c *master) fresh(ctx context.Context, more ...proof.Cut) (*candidate, bool) {
	c.mu.Lock()
	cuts := slices.Concat(c.known, more)
	for _, at := range c.open {
		cuts = append(cuts, c.clash(at.late))
	}
	c.mu.Unlock()
	weight, late, exact := cover.Solve(ctx, cover.Weights(c.js), cuts)
	return &candidate{late: late, weight: weight}, exact
}

// clash is the cut that one more job is late than some, which ascend.
func (c *master) clash(late []model.JobID) proof.Cut {
	d := proof.Cut{RHS: 1}
	for i := range c.js.Jobs {
		id := model.JobID(i)
		if _, found := slices.BinarySearch(late, id); !found && c.counts(id) && c.all.Role[i] != query.Out {
			d.Jobs, d.Coefficients = append(d.Jobs, id), append(d.Coefficients, 1)
		}
	}
	return d
}

// prove raises the bound to the weight of the lightest candidate, which other code
// works out once more.
func (c *master) prove(least int64) {
	w := c.w
	value, before := w.Gap(w.P)
	if least = min(least, value); least <= before {
		return
	}
	c.mu.Lock()
	known, byBranching, bySearch := slices.Clip(c.known), c.byBranching, c.bySearch
	c.mu.Unlock()
	weights := cover.Weights(c.js)
	if proved, exact := inference.Cover(weights, known, cover.Multipliers(weights, known, least), least); proved < least {
		if exact {
			w.Fail(fmt.Errorf("cuts on late jobs prove %d, not %d", proved, least))
		}
		return
	}
	var argument incumbent.Argument
	if w.Exact.Record {
		argument.Cuts = slices.Clone(known)
	}
	w.RaiseBy(w.P, least, c.basis(), argument, claim(w.JS, w.Goal[w.P], least), cutsSentence(len(known)-byBranching-bySearch, byBranching, bySearch))
}

// basis is what the cuts rest on.
func (c *master) basis() model.Proof {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.bySearch > 0:
		return model.LCGProof
	case c.byBranching > 0:
		return model.BranchingProof
	}
	return model.DualProof // a cut by energy alone is one that multipliers could make
}

// cutsSentence says what the bound rests on: cuts by energy and multipliers, and those that
// branching and a search have shown.
func cutsSentence(plain, byBranching, bySearch int) string {
	out := fmt.Sprintf("no lighter choice of late jobs meets %d cuts by energy and by dual prices", plain)
	if byBranching > 0 {
		out += fmt.Sprintf(", %d by branching on when stages end and where tasks run", byBranching)
	}
	if bySearch > 0 {
		out += fmt.Sprintf(", and %d by search", bySearch)
	}
	return out
}

// begun begins the examination of a candidate, with more effort each time; c.mu is held.
func (c *master) begun(at *candidate, turn int) {
	e := &examination{light: turn == lightTurn && at.effort > 0, effort: at.effort, plans: at.effort}
	closing := c.closing()
	switch {
	case e.light:
		e.work = branchingWork(at.light)
	case at.effort > 0 && closing:
		e.work = branchingWork(at.effort)
	case at.effort > 0:
		e.work = branchingWork(at.effort - 1)
	}
	if closing {
		e.plans = max(0, e.plans-1)
	}
	at.under = e
}

// examine looks into a candidate, part by part: it branches against it, dives for a plan of all
// other jobs and asks about them, unless it is to be refuted only. A branch in which the ends of
// all stages are settled is asked about too, and often has the plan where the question about the
// whole is too hard. idle tells that there was nothing to help with.
func (c *master) examine(ctx context.Context, at *candidate, more bool) (idle bool) {
	ctx, stop := at.within(ctx)
	defer stop()
	for p, e := c.part(ctx, at, more); e != nil; p, e = c.part(ctx, at, false) {
		settled := false
		switch p {
		case refuting:
			settled = e.effort == 0 && c.searchesFirst() && c.look(ctx, at, e) || c.refute(ctx, at, e.work)
		case diving:
			settled = e.effort > 0 && c.dive(ctx, at)
		case asking:
			settled = c.look(ctx, at, e)
		case planning:
			settled = c.dive(ctx, at) || c.look(ctx, at, e)
		case helping:
			idle = !c.help(ctx, at, e.work)
		}
		c.did(e, p, settled)
	}
	return idle
}

// did tells what came of a part of an examination.
func (c *master) did(e *examination, p part, settled bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.count(p, -1)
	e.settled = e.settled || settled
}

// part is the next one of the examination of a candidate, for the caller to do, or more of it.
// Where there is none e is nil, and if nobody else is at it the examination is over.
func (c *master) part(ctx context.Context, at *candidate, more bool) (p part, e *examination) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e = at.under
	if e == nil {
		return 0, nil
	}
	value, _ := c.w.Gap(c.w.P)
	open := ctx.Err() == nil && c.w.Err() == nil && value > at.weight
	some := open && e.left()
	if p = e.next; more && open && !some {
		if p, some = e.more(); some && p != helping {
			c.pay(at, wideTurn)
		}
	}
	if some {
		e.begin(p)
		return p, e
	}
	if e.workers == 0 {
		c.over(at, open && !e.settled)
	}
	return 0, nil
}

// over ends an examination; inVain tells that all of it was done, and nothing found. c.mu is held.
func (c *master) over(at *candidate, inVain bool) {
	e := at.under
	at.under = nil
	switch {
	case !inVain && at.effort == 0:
		c.open.drop(func(o *candidate) bool { return o == at })
	case !inVain:
	case e.light:
		c.stuck = at.unanswered()
		at.light++
	default:
		c.stuck = at.unanswered()
		if at.effort == 0 {
			at.tightness = at.refutation.Tightness()
		}
		at.effort++
	}
}

// look asks for a plan of all jobs but those of a candidate, and then for one in which jobs are
// a little late at first. It reports whether the question was answered.
func (c *master) look(ctx context.Context, at *candidate, e *examination) (answered bool) {
	if !at.looking.TryLock() {
		return false // another worker is at it
	}
	defer at.looking.Unlock()
	switch c.ask(ctx, at, e.plans) {
	case lcg.Unsatisfiable:
		c.replaced(at, c.conflicting(ctx, at))
		return true
	case lcg.Satisfiable:
		return true
	}
	if e.effort > 0 {
		c.relax(ctx, at, e.plans)
	}
	return false
}

// mostEffort is for a candidate that package lcg does not answer about: two slices of
// branching, two seconds. By judgement.
const mostEffort = 2

// unanswered tells that a candidate has had that.
func (at *candidate) unanswered() bool { return at.refused && at.effort+at.light >= mostEffort }

// closing tells that only candidates as light as the bound keep the objective
// open. Then it is they that are to be settled, which branching does; before that
// any better plan helps.
func (c *master) closing() bool {
	value, bound := c.w.Gap(c.w.P)
	return value == bound+1
}

// refute goes on looking for an argument by multipliers and branching against a
// candidate, or a plan on the way, and reports whether it is refuted.
func (c *master) refute(ctx context.Context, at *candidate, work int) bool {
	found := refuteOn(ctx, c.w.Incumbent, at.refutation, c.dues(at.late), work, c.leaves(ctx, at, work))
	if found != nil {
		c.refuted(at, found)
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open.trim()
	return false
}

// leaves asks about parts of the question about a candidate.
func (c *master) leaves(ctx context.Context, at *candidate, work int) lagrange.Ask {
	return askLeaves(ctx, ctx, c.w, c.question(at.late), work, func(plan model.Schedule) { c.receive(plan, at.weight) })
}

// help has part in the branching against a candidate until that ends, and reports whether there was
// any.
func (c *master) help(ctx context.Context, at *candidate, work int) (any bool) {
	steps := at.refutation.Help(c.leaves(ctx, at, work))
	charge(ctx, steps)
	return steps > 0
}

// receive offers a plan in which jobs of a weight are let go. Candidates that are no lighter than
// the best plan end at once, whoever is at them.
func (c *master) receive(plan model.Schedule, weight int64) {
	c.w.Receive(plan, c.w.P, weight)
	c.mu.Lock()
	defer c.mu.Unlock()
	value, _ := c.w.Gap(c.w.P)
	c.open.drop(func(at *candidate) bool { return at.weight >= value })
}

// dues are those of all jobs that are to be in time but the given ones, which
// ascend; Never for others.
func (c *master) dues(late []model.JobID) []model.Time {
	due := make([]model.Time, len(c.js.Jobs))
	for i := range due {
		due[i] = model.Never
		if _, found := slices.BinarySearch(late, model.JobID(i)); found {
			continue
		}
		switch {
		case c.all.Role[i] == query.Out:
		case c.counts(model.JobID(i)):
			due[i] = min(c.all.Cap[i], c.js.Jobs[i].Due())
		case c.all.Role[i] == query.Must:
			due[i] = c.all.Cap[i]
		}
	}
	return due
}

// refuted keeps the cut that follows from an argument against a candidate: at the
// same multipliers more jobs may be of the same mind.
func (c *master) refuted(at *candidate, why *proof.Branching) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.alive.Err() != nil {
		return // another worker was first
	}
	if why.Bound == nil {
		d := c.clash(at.late)
		if c.w.Exact.Record {
			d.Branching = why
		}
		if why.Proof() == model.LCGProof {
			c.bySearch++
		} else {
			c.byBranching++
		}
		c.replace(at, d)
		return
	}
	if at.effort == 0 {
		c.atOnce++
	}
	d, err := c.cut(at.alive, why.Bound.Multipliers)
	if err == nil && !violates(at.late, &d) {
		err = errors.New("multipliers that refute a choice of late jobs do not speak against it")
	}
	if err != nil {
		c.w.Fail(err)
		return
	}
	c.replace(at, d)
}

// replaced has the cut of a search in place of a candidate.
func (c *master) replaced(at *candidate, d proof.Cut) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.alive.Err() != nil {
		return // another worker was first
	}
	if at.effort == 0 {
		c.atOnceBySearch++
	}
	c.bySearch++
	c.replace(at, d)
}

// replace has a cut in place of a candidate.
func (c *master) replace(at *candidate, d proof.Cut) {
	c.known = append(c.known, d)
	at.end()
	c.open.drop(func(o *candidate) bool { return o == at || violates(o.late, &d) })
}

// cut reads multipliers as a cut, with the figures of separate code.
func (c *master) cut(ctx context.Context, at []proof.Multiplier) (proof.Cut, error) {
	pays, worth, err := inference.LeastCosts(ctx, c.js, c.dues(nil), at)
	d := proof.Cut{RHS: -worth}
	if c.w.Exact.Record {
		d.Multipliers = append([]proof.Multiplier{}, at...) // none is an argument too
	}
	for i, pay := range pays {
		d.RHS += pay
		if c.counts(model.JobID(i)) && pay > 0 {
			d.Jobs, d.Coefficients = append(d.Jobs, model.JobID(i)), append(d.Coefficients, pay)
		}
	}
	return d, err
}

// ask looks for a plan of all jobs but those of a candidate by package lcg.
func (c *master) ask(ctx context.Context, at *candidate, effort int) lcg.Answer {
	w := c.w
	if at.exact == nil && !at.refused && w.Exact.Allows(exact.LCG) {
		var err error
		at.exact, err = exact.New(ctx, c.question(at.late), &w.Exact, w.Seed, w.Best())
		at.refused = err != nil
	}
	if at.refused = at.exact == nil; at.refused {
		return lcg.Unknown
	}
	enough := atMost(firstCandidatePolls << (2 * min(effort, 12)))
	a, plan := at.exact.Run(ctx, func() bool {
		value, _ := w.Gap(w.P)
		return enough() || value <= at.weight
	})
	if a == lcg.Satisfiable {
		at.exact = nil
		c.receive(w.Complete(plan), at.weight)
	}
	return a
}

// dive looks for such a plan by a dive, and reports whether there is one. Where the best plan
// is far above the candidate, it is about one that lets more jobs go first: half as many as
// would be of use.
func (c *master) dive(ctx context.Context, at *candidate) bool {
	w := c.w
	if !divesApply(w) {
		return false
	}
	v := c.halfway(at.weight)
	found := v > at.weight && c.diveFor(ctx, c.widened(at, v), divesWork)
	if c.dived(v, found || v == at.weight); found {
		return true
	}
	return c.diveFor(ctx, at, divesWork)
}

// diveFor is a dive for a candidate; work is for shaving before the first.
func (c *master) diveFor(ctx context.Context, at *candidate, work int) bool {
	w := c.w
	if at.dives == nil {
		life := ctx
		if at.alive != nil {
			life = at.alive // it is gone on with in later turns
		}
		at.dives = newDiveSearch(life, w.JS, c.dues(at.late), work, c.rng)
	}
	for range divesATurn {
		answer, plan := at.dives.Run(ctx, c.question(at.late), &w.Exact, w.Seed, w.Best())
		if answer == lcg.Satisfiable {
			c.receive(w.Complete(plan), at.weight)
			return true
		}
	}
	return false
}

// divesATurn is how many dives there are in a turn of a candidate, all but the first with
// noise: with three in place of one misses-120-5 is proved after 12 s, not 25.
const divesATurn = 3

// halfway is the weight to be let go that is halfway between what was too little last, or is
// dived for, or that of a candidate, and the least that is of no use. It is dived for until
// dived is called.
func (c *master) halfway(weight int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, _ := c.w.Gap(c.w.P)
	if c.tooFew >= value-1 {
		c.tooFew = 0
	}
	low := max(weight, c.tooFew+1)
	for _, v := range c.diving {
		if v < value-1 {
			low = max(low, v+1)
		}
	}
	v := low + (value-1-low)/2
	c.diving = append(c.diving, v)
	return v
}

// dived tells what came of diving with a weight let go: a plan, or too little was.
func (c *master) dived(v int64, enough bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.diving, v)
	c.diving = slices.Delete(c.diving, at, at+1)
	if !enough {
		c.tooFew = v
	}
}

// widened is a candidate with more jobs let go, up to a weight: those first that make up for
// most of the cuts.
func (c *master) widened(at *candidate, most int64) *candidate {
	c.mu.Lock()
	defer c.mu.Unlock()
	worth := make([]float64, len(c.js.Jobs))
	for _, d := range c.known {
		for n, i := range d.Jobs {
			worth[i] += float64(d.Coefficients[n]) / float64(d.RHS) / float64(c.js.Jobs[i].Weight)
		}
	}
	order := make([]model.JobID, 0, len(worth))
	for i := range worth {
		if _, late := slices.BinarySearch(at.late, model.JobID(i)); !late && worth[i] > 0 {
			order = append(order, model.JobID(i))
		}
	}
	slices.SortStableFunc(order, func(a, b model.JobID) int { return cmp.Compare(worth[b], worth[a]) })
	out := &candidate{late: slices.Clone(at.late), weight: at.weight}
	for _, i := range order {
		if weight := c.js.Jobs[i].Weight; out.weight+weight <= most {
			out.late, out.weight = append(out.late, i), out.weight+weight
		}
	}
	slices.Sort(out.late)
	return out
}

// divesWork is what shaving may take before dives, four seconds.
const divesWork = 400_000_000

// firstCandidatePolls is what package lcg is given for a fresh candidate, and four
// times as much each time after: a plan that is there at all mostly comes within a
// thousand conflicts.
const firstCandidatePolls = 4

// question asks for a plan in which all jobs but those given are in time.
func (c *master) question(late []model.JobID) query.Question {
	q := c.all
	q.Role, q.Cap = slices.Clone(q.Role), slices.Clone(q.Cap)
	for i, d := range c.dues(late) {
		switch {
		case d < model.Never:
			q.Role[i], q.Cap[i] = query.Must, d
		case q.Role[i] == query.May:
			q.Role[i] = query.Out
		}
	}
	return q
}

// relax looks for such a plan by way of those in which jobs are a little late.
func (c *master) relax(ctx context.Context, at *candidate, effort int) {
	if at.relax == nil {
		at.relax = newTardinessRelaxation(c.w, c.dues(at.late), c.w.Seed)
	}
	switch plan, err := at.relax.run(ctx, 1<<min(max(effort-1, 0), 10)); {
	case err != nil:
		c.w.Fail(err)
	case plan != nil:
		// The jobs that are let go may have to meet limits of their own.
		c.w.Offer(c.w.Complete(plan))
	}
}
