package solve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"downbeat/model"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/energy"
	"downbeat/solve/lagrange"
)

// To bound misses is to choose which jobs to let go. Everything that is known
// about the choice is kept as demands: counting arguments, prices, and sets of
// jobs that were shown to clash by cases or by search. The lightest choice that
// meets them all bounds the misses. Then all jobs but those chosen are asked
// about: either they have a plan, which is the best one; or there is one more
// demand (logic-based Benders, Hooker 2007; implicit hitting sets, Moreno-Centeno
// and Karp 2013). Such a question is a hard one only where prices prove nothing
// about it; it is then set aside, to be looked at again with more effort.

// choices is the state of such a search over objective p, Misses or HardMisses.
type choices struct {
	s *search
	p int
	// js has the weights of the jobs that count.
	js *model.JobSet
	// all is the question in which any job that counts may be late.
	all  query.Question
	turn int
	// busy is what looks have cost since a single worker improved its plan.
	busy int
	near *neighbours
	// stuck is set where package lcg does not answer, for the size or the kind of
	// the question, and prices have been tried for long enough.
	stuck bool

	// mu guards what follows: one worker looks at choices, another refutes those
	// that were looked at in vain.
	mu      sync.Mutex
	demands []proof.Cut
	// byCases and bySearch count the demands that prices by cases, and those that
	// a search has shown.
	byCases, bySearch int
	// aside lists choices that were looked at in vain.
	aside []*choice
}

// choice is a set of jobs to be let go, and what is known of the others.
type choice struct {
	late   []model.JobID
	weight int64
	// alive ends with the choice: when it is refuted, or no longer lighter than the
	// best plan.
	alive context.Context
	end   context.CancelFunc
	// effort is how often it has been looked at, tried how often it was to be refuted
	// besides; refutation is the search for an argument against it, exact and nearly
	// are those for a plan of the others.
	effort, tried int
	refutation    *lagrange.Refutation
	exact         *propagating
	nearly        *approach
}

// newChoices prepares the search; nil where it does not help.
func newChoices(s *search, p int) *choices {
	o := s.goal[p]
	if s.mayMissHard && o != model.HardMisses || len(s.js.Tasks) > mostChoosing {
		return nil
	}
	lim := s.limitsBefore(p)
	lim[o] = 1 << 40
	c := &choices{s: s, p: p, all: s.question(lim), near: newNeighbours(s, p, s.opt.Seed)}
	c.all.MissLimit, c.all.HardMissLimit = query.Unbounded, query.Unbounded
	js := *s.js
	js.Jobs = slices.Clone(js.Jobs)
	for i := range js.Jobs {
		if js.Jobs[i].Kind == model.Hard {
			js.Jobs[i].Weight = 1
		}
	}
	c.js = &js
	c.demands = slices.Clone(s.demands)
	for _, tolls := range s.tolls {
		d, err := c.demand(tolls)
		if err != nil {
			s.fail(err)
			return nil
		}
		if d.RHS > 0 {
			c.demands = append(c.demands, d)
		}
	}
	return c
}

// mostChoosing bounds the tasks of sets for which questions about all but a
// choice of jobs are asked.
const mostChoosing = 400

// counts reports whether being late counts for a job.
func (c *choices) counts(i model.JobID) bool {
	return (c.js.Jobs[i].Kind == model.Soft) == (c.s.goal[c.p] == model.Misses) && c.js.Jobs[i].Kind != model.BestEffort
}

// work goes on until the objective is closed or ctx is done, or choosing or asking
// gets too hard. A single worker improves the plan in between.
func (c *choices) work(ctx context.Context) {
	for ctx.Err() == nil && !c.s.failed() && !c.s.closed(c.p) && !c.stuck {
		at, ok := c.next(ctx)
		if !ok {
			return
		}
		c.busy += lookCosts[min(at.effort, len(lookCosts)-1)]
		c.look(at)
		if c.s.opt.workers() == 1 && c.busy >= leisure && ctx.Err() == nil {
			c.busy = 0
			c.s.heuristic(ctx, c.s.opt.Seed+1+uint64(c.turn), polish(c.s.js))
			c.near.improve(ctx, neighbourRounds)
		}
		c.turn++
	}
}

// next raises the bound to the lightest choice that is left, and finds one to look
// at: a new one as light as that, else one of those set aside; every other turn
// one that had the least effort so far, be it heavier.
func (c *choices) next(ctx context.Context) (at *choice, ok bool) {
	fresh, exact := c.fresh(ctx)
	if !exact {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value, _ := c.s.gap(c.p)
	c.forget(func(at *choice) bool { return at.weight >= value })
	lightest := min(fresh.weight, value)
	for _, at := range c.aside {
		lightest = min(lightest, at.weight)
	}
	c.prove(lightest)
	widely := c.turn%2 == 1
	if fresh.weight < value && (fresh.weight == lightest || widely) {
		c.begin(ctx, fresh)
		return fresh, true
	}
	for _, again := range c.aside {
		if at == nil || again.before(at, widely) {
			at = again
		}
	}
	return at, at != nil
}

// begin has a choice live no longer than ctx.
func (c *choices) begin(ctx context.Context, at *choice) {
	at.alive, at.end = context.WithCancel(ctx)
	at.refutation = lagrange.NewRefutation(at.alive, c.s.js, c.dues(at.late), true)
}

// forget ends choices.
func (c *choices) forget(which func(at *choice) bool) {
	c.aside = slices.DeleteFunc(c.aside, func(at *choice) bool {
		if which(at) {
			at.end()
			return true
		}
		return false
	})
}

// keep sets a choice aside, unless a demand against it has come up.
func (c *choices) keep(at *choice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.demands {
		if demands(&c.demands[i], at.late) {
			at.end()
			return
		}
	}
	c.aside = append(c.aside, at)
}

// before tells which of two choices to look at again: the lighter, or the one
// with less effort so far.
func (at *choice) before(o *choice, widely bool) bool {
	if widely {
		return cmp.Or(cmp.Compare(at.effort, o.effort), cmp.Compare(at.weight, o.weight)) < 0
	}
	return cmp.Or(cmp.Compare(at.weight, o.weight), cmp.Compare(at.effort, o.effort)) < 0
}

// fresh is the lightest choice that was not looked at.
func (c *choices) fresh(ctx context.Context) (*choice, bool) {
	c.mu.Lock()
	demands := slices.Clone(c.demands)
	for _, at := range c.aside {
		demands = append(demands, c.clash(at))
	}
	c.mu.Unlock()
	weight, late, exact := energy.Choose(ctx, c.js, demands)
	return &choice{late: late, weight: weight}, exact
}

// clash is the demand that one more job is late than in a choice.
func (c *choices) clash(at *choice) proof.Cut {
	d := proof.Cut{RHS: 1}
	for i := range c.js.Jobs {
		id := model.JobID(i)
		if _, late := slices.BinarySearch(at.late, id); !late && c.counts(id) && c.all.Role[i] != query.Out {
			d.Jobs, d.Coefficients = append(d.Jobs, id), append(d.Coefficients, 1)
		}
	}
	return d
}

// prove raises the bound to the weight of the lightest choice, which other code
// works out once more.
func (c *choices) prove(least int64) {
	value, before := c.s.gap(c.p)
	if least = min(least, value); least <= before {
		return
	}
	if proved, exact := energy.LeastLate(c.js, c.demands, least); proved < least {
		if exact {
			c.s.fail(fmt.Errorf("demands on late jobs prove %d, not %d", proved, least))
		}
		return
	}
	proof := model.BoundProof
	if c.bySearch > 0 {
		proof = model.SATProof
	}
	c.s.raise(c.p, least, proof, claim(c.s.goal[c.p], least), c.sentence())
}

// sentence says what the bound rests on.
func (c *choices) sentence() string {
	plain := len(c.demands) - c.byCases - c.bySearch
	out := fmt.Sprintf("no lighter choice of late jobs meets %d demands by counting and by prices on cores, fetch lines and slots", plain)
	if c.byCases > 0 {
		out += fmt.Sprintf(", %d by prices in cases of when stages end and where tasks run", c.byCases)
	}
	if c.bySearch > 0 {
		out += fmt.Sprintf(", and %d by search", c.bySearch)
	}
	return out
}

// look asks about all jobs but those of a choice, with more effort each time.
func (c *choices) look(at *choice) {
	ctx := at.alive
	work, closing := 0, c.closing()
	switch {
	case at.effort > 0 && closing:
		work = casesWork(at.effort)
	case at.effort > 0:
		work = casesWork(at.effort - 1)
	}
	if c.refute(at, work) {
		return
	}
	if value, _ := c.s.gap(c.p); value <= at.weight || ctx.Err() != nil || c.s.failed() {
		return
	}
	plans := at.effort // the effort for plans
	if closing {
		plans = max(0, plans-1)
	}
	switch c.ask(ctx, at, plans) {
	case unsatisfiable:
		c.refuted(at, &proof.Branching{Searched: true})
		return
	case satisfiable:
		return
	}
	if at.effort > 0 {
		c.tryNearly(ctx, at, plans)
	}
	c.stuck = at.exact.refused && at.effort >= mostEffort
	if at.effort == 0 {
		c.keep(at)
	}
	at.effort++
}

// closing tells that only choices as light as the bound keep the objective open.
// Then it is they that are to be settled, which cases do; before that any better
// plan helps.
func (c *choices) closing() bool {
	value, bound := c.s.gap(c.p)
	return value == bound+1
}

// refuteAside tries to refute one of the choices that were looked at in vain, the
// lightest with the least effort first, and reports whether it has.
func (c *choices) refuteAside() bool {
	c.mu.Lock()
	var at *choice
	for _, o := range c.aside {
		if at == nil || cmp.Or(cmp.Compare(o.weight, at.weight), cmp.Compare(o.tried, at.tried)) < 0 {
			at = o
		}
	}
	c.mu.Unlock()
	if at == nil {
		return false
	}
	at.tried++
	return c.refute(at, casesWork(asideTurn+at.tried-1))
}

// refute goes on looking for an argument by prices and cases against a choice, or a
// plan on the way, and reports whether it is refuted.
func (c *choices) refute(at *choice, work int) bool {
	ask := c.s.askRooms(at.alive, c.question(at.late), work, func(plan model.Schedule) { c.s.receive(plan, c.p, at.weight) })
	proof := c.s.refuteOn(at.alive, at.refutation, c.dues(at.late), work, ask)
	if proof != nil {
		c.refuted(at, proof)
	} else {
		c.forgetLargest()
	}
	return proof != nil
}

// forgetLargest has the refutation that holds most begin anew if all together hold
// too much.
func (c *choices) forgetLargest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	total, largest := 0, 0
	for k, at := range c.aside {
		if total += at.refutation.Size(); at.refutation.Size() > c.aside[largest].refutation.Size() {
			largest = k
		}
	}
	if total > mostTolls {
		c.aside[largest].refutation.Forget()
	}
}

// mostTolls bounds what refutations hold together, at about a gigabyte.
const mostTolls = 20_000_000

// dues are those of all jobs that are to be in time but the given ones, which
// ascend; Never for others.
func (c *choices) dues(late []model.JobID) []model.Time {
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

// refuted keeps the demand that follows from an argument by prices against a
// choice: at the same prices more jobs may be of the same mind.
func (c *choices) refuted(at *choice, why *proof.Branching) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.alive.Err() != nil {
		return // the other worker was first
	}
	if why.Bound == nil {
		if why.Proof() == model.SATProof {
			c.bySearch++
		} else {
			c.byCases++
		}
		c.drop(at, c.clash(at))
		return
	}
	d, err := c.demand(why.Bound.Multipliers)
	if err == nil && !demands(&d, at.late) {
		err = errors.New("prices that refute a choice of late jobs do not speak against it")
	}
	if err != nil {
		c.s.fail(err)
		return
	}
	c.drop(at, d)
}

// drop has a demand in place of a choice.
func (c *choices) drop(at *choice, d proof.Cut) {
	c.demands = append(c.demands, d)
	at.end()
	c.forget(func(o *choice) bool { return o == at || demands(&d, o.late) })
}

// demand reads prices as a demand, with the figures of separate code.
func (c *choices) demand(tolls []proof.Multiplier) (proof.Cut, error) {
	pays, worth, err := verify.LeastCosts(c.js, c.dues(nil), tolls)
	d := proof.Cut{RHS: -worth}
	for i, pay := range pays {
		d.RHS += pay
		if c.counts(model.JobID(i)) && pay > 0 {
			d.Jobs, d.Coefficients = append(d.Jobs, model.JobID(i)), append(d.Coefficients, pay)
		}
	}
	return d, err
}

// demands reports whether a demand wants more jobs late than the given ones.
func demands(d *proof.Cut, late []model.JobID) bool {
	sum := int64(0)
	for n, i := range d.Jobs {
		if _, found := slices.BinarySearch(late, i); found {
			sum += d.Coefficients[n]
		}
	}
	return sum < d.RHS
}

// ask looks for a plan of all jobs but those of a choice by package lcg.
func (c *choices) ask(ctx context.Context, at *choice, effort int) answer {
	if at.exact == nil {
		at.exact = &propagating{s: c.s, seed: c.s.opt.Seed}
		at.exact.ableFor(c.question(at.late))
	}
	if at.exact.refused {
		return unknown
	}
	looks := 0
	a, plan := at.exact.run(ctx, func() bool {
		looks++
		value, _ := c.s.gap(c.p)
		return looks > choiceLooks<<(2*min(effort, 12)) || value <= at.weight
	})
	if a == satisfiable {
		c.s.receive(plan, c.p, at.weight)
	}
	return a
}

// lookCosts are those of looks by effort, in new looks, leisure is after how many of
// these a single worker improves its plan.
var lookCosts = [...]int{1, 8, 16, 32}

const leisure = 64

// asideTurn is that of the work with which the other worker begins: about half a
// minute.
const asideTurn = 3

// mostEffort is for a choice that package lcg does not answer about.
const mostEffort = 2

// choiceLooks is what package lcg is given for a new choice, and four times as
// much each time after.
const choiceLooks = 4

// question asks for a plan in which all jobs but those given are in time.
func (c *choices) question(late []model.JobID) query.Question {
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

// tryNearly looks for such a plan by way of those in which jobs are a little late.
func (c *choices) tryNearly(ctx context.Context, at *choice, effort int) {
	if at.nearly == nil {
		at.nearly = newApproach(c.s, c.dues(at.late))
	}
	switch plan, err := at.nearly.run(ctx, 1<<min(max(effort-1, 0), 10)); {
	case err != nil:
		c.s.fail(err)
	case plan != nil:
		// The jobs that are let go may have to meet limits of their own.
		c.s.offer(c.s.complete(plan))
	}
}
