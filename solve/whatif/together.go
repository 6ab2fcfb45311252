package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve/budget"
)

const (
	// mostTogether is how many repairs of several changes are given.
	mostTogether = 5
	// mostChosen is how many actions are tried several at a time.
	mostChosen = 60
)

// together looks for several changes that help: two, then three, and then the later
// deadlines that the least bad plan known comes to.
func (x *search) together(ctx context.Context) {
	x.Round = rounds // each choice has a part of what is left
	c := x.newChooser(ctx)
	for n := 2; n <= 3 && len(x.out.Together) == 0 && ctx.Err() == nil && len(c.actions) >= n; n++ {
		c.choose(budget.Part(ctx, 2), n)
	}
	for _, set := range c.refuted[c.given:] {
		x.out.Refuted = append(x.out.Refuted, c.utmost(members(set)))
	}
	if len(x.out.Together) == 0 {
		x.asLate(ctx)
	}
}

// asLate gives each job that the least bad plan has late, or that is late alone, a later deadline.
func (x *search) asLate(ctx context.Context) {
	late := slices.Concat(x.opt.Late, x.lateAlone())
	slices.Sort(late)
	if late = slices.Compact(late); len(late) < 2 {
		return
	}
	c := &chooser{search: x}
	var series []string
	for _, name := range x.recurring(late) {
		if actions := x.ofSeries(ctx, name); actions != nil {
			c.actions, series = append(c.actions, actions...), append(series, name)
		}
	}
	for _, i := range late {
		c.actions = append(c.actions, x.ofJob(ctx, i)...)
	}
	c.actions = slices.DeleteFunc(c.actions, func(l action) bool {
		return l.kind != change.Deadline || !l.series && slices.Contains(series, x.js.Jobs[l.jobs[0]].Series)
	})
	chosen := make([]int, len(c.actions))
	for k := range chosen {
		chosen[k] = k
	}
	if t := x.try(ctx, c.utmost(chosen)...); t.Status == model.Feasible {
		c.shrink(ctx, chosen, t)
	}
}

func (x *search) lateAlone() (jobs []model.JobID) {
	for _, a := range x.opt.Alone {
		jobs = append(jobs, a.Job)
	}
	return jobs
}

// chooser tries choices of actions. What is refuted of some of them together, as far as they
// go, is refuted of fewer: each such set is made as large as it can be, so that few
// questions answer for many choices. (Sets that do are dual to it: each has an action outside
// of each refuted set. Such pairs of hitting sets are Reiter's of 1987.)
type chooser struct {
	*search
	actions []action
	// refuted sets of actions do not help, the first of them, given, as conflicts say: what is
	// changed about other jobs leaves a conflict as it is.
	refuted [][]bool
	given   int
}

// newChooser chooses from changes to jobs of conflicts, and to slaves. Soft deadlines are
// left out: later ones help in the same cases; and so are pools of uneven amounts, for which no
// change is not the least.
func (x *search) newChooser(ctx context.Context) *chooser {
	jobs := x.inAny()
	actions := slices.DeleteFunc(x.actions(ctx, x.recurring(jobs), jobs), func(l action) bool { return l.kind == change.Soften || l.uneven })
	c := &chooser{search: x, actions: actions[:min(len(actions), mostChosen)]}
	for _, conflict := range x.opt.Conflicts {
		set := make([]bool, len(c.actions))
		for k := range c.actions {
			set[k] = len(c.actions[k].jobs) > 0 && !c.actions[k].meets(conflict)
		}
		c.refuted = append(c.refuted, set)
	}
	c.given = len(c.refuted)
	return c
}

// inAny are the jobs of the conflicts, and those that are late alone, whose conflict another may be
// part of: late ones first, then ascending.
func (x *search) inAny() []model.JobID {
	all := append(slices.Concat(x.opt.Conflicts...), x.lateAlone()...)
	slices.Sort(all)
	all = slices.Compact(all)
	late := func(i model.JobID) int {
		if _, is := slices.BinarySearch(x.opt.Late, i); is {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b model.JobID) int { return late(a) - late(b) })
	return all
}

// choose tries all choices of n actions, those first of which one step of each costs least,
// until no other can be cheaper than those found.
func (c *chooser) choose(ctx context.Context, n int) {
	choices := c.choices(n)
	said := Together{Changes: n, Choices: len(choices)}
	for k := range c.actions {
		said.Of = append(said.Of, c.actions[k].inVain())
	}
	c.beside(ctx, len(choices), func(k int) func(context.Context, *search) {
		if c.isRefuted(choices[k]) || c.oneOfEach(choices[k]) >= c.dearest() {
			return nil
		}
		return func(ctx context.Context, x *search) { x.try(ctx, c.utmost(choices[k])...) }
	}, func(k int) {
		chosen := choices[k]
		switch {
		case c.isRefuted(chosen):
			said.Vain++
			return
		case c.oneOfEach(chosen) >= c.dearest():
			said.Dearer++
			return
		}
		switch t := c.try(budget.Part(ctx, min(8, len(choices)-k)), c.utmost(chosen)...); t.Status {
		case model.Infeasible:
			said.Vain++
			c.refute(budget.Part(ctx, 4), chosen)
		case model.Feasible:
			said.Helped++
			c.shrink(budget.Part(ctx, 4), chosen, t)
		}
	})
	if c.err != nil {
		return
	}
	c.out.Tried = append(c.out.Tried, said)
}

// choices lists the choices of n actions, by the cost of one step of each.
func (c *chooser) choices(n int) [][]int {
	var out [][]int
	var from func(chosen []int, k int)
	from = func(chosen []int, k int) {
		if len(chosen) == n {
			out = append(out, slices.Clone(chosen))
			return
		}
		for ; k < len(c.actions); k++ {
			if !c.doubled(chosen, k) {
				from(append(chosen, k), k+1)
			}
		}
	}
	from(nil, 0)
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(c.oneOfEach(a), c.oneOfEach(b)) })
	return out
}

// doubled reports whether an action changes what one of those chosen does already.
func (c *chooser) doubled(chosen []int, k int) bool {
	return slices.ContainsFunc(chosen, func(h int) bool { return c.actions[k].within(&c.actions[h]) })
}

// oneOfEach is what one step of each action costs.
func (c *chooser) oneOfEach(chosen []int) int64 {
	sum := int64(0)
	for _, k := range chosen {
		sum += c.actions[k].cost(1)
	}
	return sum
}

// dearest is what the last of the repairs costs that are given, as far as there are enough.
func (c *chooser) dearest() int64 {
	if len(c.out.Together) < mostTogether {
		return math.MaxInt64
	}
	return c.out.Together[mostTogether-1].Cost
}

func (c *chooser) isRefuted(chosen []int) bool {
	return slices.ContainsFunc(c.refuted, func(set []bool) bool {
		return !slices.ContainsFunc(chosen, func(k int) bool { return !set[k] })
	})
}

// utmost are actions as far as they go: of what two of them change, the one of more jobs.
func (c *chooser) utmost(chosen []int) []change.Change {
	var out []change.Change
	for _, k := range chosen {
		if !c.doubled(chosen, k) {
			out = append(out, c.actions[k].utmost(c.js))
		}
	}
	return out
}

func members(set []bool) []int {
	var out []int
	for k, in := range set {
		if in {
			out = append(out, k)
		}
	}
	return out
}

// refute keeps a choice that does not help, with all that can be added to it.
func (c *chooser) refute(ctx context.Context, chosen []int) {
	set := make([]bool, len(c.actions))
	for _, k := range chosen {
		set[k] = true
	}
	var rest []int
	for k, in := range set {
		if !in {
			rest = append(rest, k)
		}
	}
	c.add(ctx, set, rest)
	c.refuted = append(c.refuted, set)
}

// add takes more actions into a set that does not help, all at once where it still does not,
// else by halves.
func (c *chooser) add(ctx context.Context, set []bool, more []int) {
	larger := slices.Clone(set)
	for _, k := range more {
		larger[k] = true
	}
	switch status := c.try(ctx, c.utmost(members(larger))...).Status; {
	case len(more) == 0 || ctx.Err() != nil || c.err != nil:
	case status == model.Infeasible:
		copy(set, larger)
	case len(more) > 1:
		half := len(more) / 2
		c.add(ctx, set, more[:half])
		c.add(ctx, set, more[half:])
	}
}

// shrink makes the steps of actions that do together as small as it can, one action after the
// other, and keeps the cheapest repair that this comes to, whichever is the first.
func (c *chooser) shrink(ctx context.Context, chosen []int, done Answer) {
	actions := c.fine(chosen)
	var best Repair
	c.beside(ctx, len(actions), func(first int) func(context.Context, *search) {
		return func(ctx context.Context, x *search) { (&chooser{search: x}).shrunk(ctx, actions, first, done) }
	}, func(first int) {
		if r, ok := c.shrunk(budget.Part(ctx, len(actions)-first), actions, first, done); ok && (best.Changes == nil || r.Cost < best.Cost) {
			best = r
		}
	})
	same := func(r Repair) bool { return slices.Equal(r.Changes, best.Changes) }
	if best.Changes == nil || slices.ContainsFunc(c.out.Together, same) {
		return
	}
	c.out.Together = append(c.out.Together, best)
	slices.SortStableFunc(c.out.Together, func(a, b Repair) int { return cmp.Compare(a.Cost, b.Cost) })
	c.out.Together = c.out.Together[:min(len(c.out.Together), mostTogether)]
}

// fine are actions with steps of one tick where another may make times that the grain does
// not divide.
func (c *chooser) fine(chosen []int) []*action {
	var out []*action
	odd := slices.ContainsFunc(chosen, func(k int) bool {
		switch c.actions[k].kind {
		case change.Fetch, change.Cores, change.Slots, change.Units:
			return true
		}
		return false
	})
	for _, k := range chosen {
		l := &c.actions[k]
		if odd {
			l = l.inTicks()
		}
		out = append(out, l)
	}
	return out
}

// shrunk begins with one of the actions. A action without which the others do is left out. It
// is not ok where nothing came of it.
func (c *chooser) shrunk(ctx context.Context, actions []*action, first int, done Answer) (r Repair, ok bool) {
	steps, fails := make([]int64, len(actions)), make([]int64, len(actions)) // with so many there is no plan
	for k, l := range actions {
		steps[k], fails[k] = c.steps(l, done, l.most), -1
	}
	for range 2 { // the second time the later ones have become smaller
		for n := range actions {
			k := (first + n) % len(actions)
			if steps[k] == 0 {
				continue
			}
			e := Edge{Fits: steps[k], Fails: fails[k]}
			c.least(budget.Part(ctx, len(actions)-n+1), &e, func(n int64) []change.Change { return some(actions, steps, k, n) })
			steps[k], fails[k] = e.Fits, e.Fails
		}
	}
	for k, l := range actions {
		if steps[k] > 0 {
			r.Changes, r.Least = append(r.Changes, l.of(steps[k])), append(r.Least, fails[k] == steps[k]-1)
			r.AtLeast = append(r.AtLeast, l.of(fails[k]+1))
			r.Cost += l.cost(steps[k])
		}
	}
	return r, c.try(ctx, r.Changes...).Status == model.Feasible
}

// least narrows an edge down with what ctx allows: how many steps of one action do, of changes.
func (c *chooser) least(ctx context.Context, e *Edge, changes func(n int64) []change.Change) {
	defer func(round Round) { c.Round = round }(c.Round)
	for c.Round = 0; c.Round < rounds && !e.Exact() && ctx.Err() == nil && c.err == nil; c.Round++ {
		c.narrow(e, func(n int64) (Reply, error) {
			t := c.try(ctx, changes(n)...)
			return Reply{Status: t.Status, Reach: n}, c.err
		})
	}
}

// some are the changes that actions make with their steps, of which action k has n.
func some(actions []*action, steps []int64, k int, n int64) []change.Change {
	var out []change.Change
	for at, l := range actions {
		s := steps[at]
		if at == k {
			s = n
		}
		if s > 0 {
			out = append(out, l.of(s))
		}
	}
	return out
}
