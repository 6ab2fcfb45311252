package solve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/window"
	"downbeat/solve/certify"
	"downbeat/solve/conflict"
)

// leaver plans a set in which slaves go for good or pools end too low, so that jobs may have to be left
// out: those confined to such slaves or pools, and all jobs after them. It goes through choices of jobs to leave
// out, those first that a plan would rather leave out, and plans what each leaves. The jobs
// that cannot run even alone are left out by every choice; most often there is no other need.
type leaver struct {
	js  *model.JobSet
	opt Options
	// check: any plan will do, whatever it leaves out.
	check  bool
	goal   []model.Objective
	forced []bool
	// roots are the other jobs that may be left out for their own sake, ascending.
	roots []model.JobID
	// until is the end of the time for all, zero without one; budget the work that is left.
	until  time.Time
	budget int64

	best *planned
	// lower bounds, in lexicographic order, what choices that were looked at can come to.
	lower []int64
	// refuted has the answer for the choice that leaves out all that it may, where no plan has
	// the hard jobs in time.
	refuted *Result
	// proof backs that choices which leave out less have no plan.
	proof model.Proof
}

// choice is a set of jobs to leave out, and all jobs after them.
type choice struct {
	// roots are those beyond what is forced, as indices of leaver.roots, ascending; leaver.out has
	// all jobs.
	roots []int
	// cost is what is minimised before all objectives: hard jobs that are left out where they
	// may be, the weight of soft ones, the number of all.
	cost []int64
}

const (
	// mostChoices bounds the memory for choices that are still to be looked at: where there are
	// more, what they could come to is bounded by the least of them.
	mostChoices = 10_000
	// mostMarks bounds the work for the first of them, in jobs that are marked: a second at most.
	mostMarks = 100_000_000
)

// planLeaving is Plan for a set of which jobs may be left out.
func planLeaving(ctx context.Context, js *model.JobSet, opt Options) (*Result, error) {
	started := time.Now()
	l := &leaver{js: js, opt: opt, goal: opt.Objectives, budget: opt.Budget, check: opt.Objectives != nil && len(opt.Objectives) == 0}
	if l.goal == nil {
		l.goal = js.Goal()
	}
	if opt.TimeLimit > 0 && opt.Budget == 0 {
		l.until = started.Add(opt.TimeLimit)
	}
	if err := l.sort(); err != nil {
		return nil, err
	}
	if err := l.search(ctx); err != nil {
		return nil, err
	}
	r := l.result(ctx)
	if opt.Proof && r.Certificate == nil {
		r.Certificate = uncertified(js, r)
	}
	r.Seed, r.Elapsed = opt.Seed, time.Since(started)
	return r, nil
}

// sort finds what every plan leaves out, and what plans may leave out besides.
// An error is an internal one: other code does not agree that a job can run nowhere.
func (l *leaver) sort() error {
	due := make([]model.Time, len(l.js.Jobs))
	for i := range due {
		due[i] = model.Never
	}
	l.forced = make([]bool, len(l.js.Jobs))
	again := inference.NewOverloads(l.js)
	for i, ends := range window.Compute(l.js, due).CriticalPath {
		if l.forced[i] = ends >= model.Never; !l.forced[i] {
			continue
		}
		l.proof = model.EnergyProof
		late := &proof.Overload{Jobs: []model.JobID{model.JobID(i)}, Resource: proof.CriticalPath, Need: int64(ends), Have: int64(model.Never) - 1}
		due[i] = model.Never - 1
		if err := again.Check(due, late); err != nil {
			return err
		}
	}
	l.js.WithAfter(l.forced)
	hardAfter := l.js.HardAfter()
	for i := range l.forced {
		l.forced[i] = l.forced[i] && (l.opt.Relax || !hardAfter[i]) // else there is no plan, as planning will show
	}
	for i, confined := range l.js.Confined() {
		if confined && !l.forced[i] && (l.opt.Relax || !hardAfter[i]) {
			l.roots = append(l.roots, model.JobID(i))
		}
	}
	return nil
}

// choose is the choice of some roots.
func (l *leaver) choose(roots []int) *choice {
	c := &choice{roots: roots}
	hard, weight, count := int64(0), int64(0), int64(0)
	for i, out := range l.out(c) {
		switch job := &l.js.Jobs[i]; {
		case !out:
			continue
		case job.Kind == model.Hard:
			hard++
		case job.Kind == model.Soft:
			weight += job.Weight
		}
		count++
	}
	if c.cost = []int64{weight, count}; l.opt.Relax {
		c.cost = append([]int64{hard}, c.cost...)
	}
	return c
}

// out marks the jobs that a choice leaves out.
func (l *leaver) out(c *choice) []bool {
	out := slices.Clone(l.forced)
	for _, k := range c.roots {
		out[l.roots[k]] = true
	}
	return l.js.WithAfter(out)
}

// search looks at choices, the least cost first, until no other can be better than the best
// plan. Before them comes one that leaves out little by list scheduling; where neither that nor the
// first has a plan, that which leaves out all that it may tells whether there is any.
func (l *leaver) search(ctx context.Context) error {
	first := l.choose(nil)
	if len(l.roots) == 0 {
		return l.look(ctx, first, false)
	}
	packed := l.packed(ctx)
	if len(packed.roots) > 0 {
		if err := l.look(ctx, packed, true); err != nil || l.done() {
			return err
		}
	}
	// Where that leaves out nothing, no other choice can be better than the first.
	if err := l.look(ctx, first, len(packed.roots) > 0); err != nil || l.done() {
		return err
	}
	if l.best == nil && len(packed.roots) < len(l.roots) {
		packed = l.choose(l.all())
		if err := l.look(ctx, packed, true); err != nil || l.done() {
			return err
		}
	}
	if len(l.roots) > mostChoices || len(l.roots)*len(l.js.Jobs) > mostMarks {
		l.bound(first.cost)
		return nil
	}
	waiting := l.children(first)
	for len(waiting) > 0 && !l.over(waiting[0]) {
		if ctx.Err() != nil || len(waiting) > mostChoices || !l.until.IsZero() && time.Now().After(l.until) || l.opt.Budget > 0 && l.budget < 2 {
			l.bound(waiting[0].cost)
			return nil
		}
		c := waiting[0]
		waiting = append(waiting[1:], l.children(c)...)
		slices.SortStableFunc(waiting, func(a, b *choice) int { return slices.Compare(a.cost, b.cost) })
		if !slices.Equal(c.roots, packed.roots) { // that was looked at
			if err := l.look(ctx, c, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// done reports whether no more choices are to be looked at: any plan will do and there is one, or
// there is none.
func (l *leaver) done() bool { return l.refuted != nil || l.check && l.best != nil }

// all numbers the roots.
func (l *leaver) all() []int {
	all := make([]int, len(l.roots))
	for k := range all {
		all[k] = k
	}
	return all
}

// mostPacked bounds the list schedules of packed.
const mostPacked = 200

// packed is a choice that leaves out what list scheduling finds no place for: it tries to keep
// all roots, and of those that do not fit one half after the other, those first that cost most
// for their work. It ends early with ctx, and takes a quarter of the time for all, or of the work.
func (l *leaver) packed(ctx context.Context) *choice {
	if !l.until.IsZero() {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Until(l.until)/4)
		defer stop()
	}
	out := map[int]bool{}
	for _, k := range l.all() {
		out[k] = true
	}
	choice := func() *choice { return l.choose(slices.Sorted(maps.Keys(out))) }
	tries := int64(mostPacked)
	if l.opt.Budget > 0 {
		tries = min(tries, 1+l.budget/4)
	}
	var keep func(roots []int)
	keep = func(roots []int) {
		if tries == 0 || ctx.Err() != nil {
			return
		}
		tries--
		l.budget--
		for _, k := range roots {
			delete(out, k)
		}
		if l.fits(ctx, choice()) {
			return
		}
		for _, k := range roots {
			out[k] = true
		}
		if half := len(roots) / 2; half > 0 {
			keep(roots[:half])
			keep(roots[half:])
		}
	}
	keep(l.byWorth())
	return choice()
}

// byWorth are the roots, those first that are worst to leave out: hard ones, then soft ones by
// weight for their work.
func (l *leaver) byWorth() []int {
	rank := make([]int, len(l.js.Jobs))
	rule := heuristics.Rule{Keys: []heuristics.Key{heuristics.HardFirst, heuristics.ShortestWorkPerWeight}}
	for at, st := range slices.Backward(rule.Order(heuristics.NewFigures(l.js))) {
		rank[st.Job] = at
	}
	order := l.all()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[l.roots[a]], rank[l.roots[b]]) })
	return order
}

// fits reports whether list scheduling places what a choice leaves, with no hard job late unless
// that may be.
func (l *leaver) fits(ctx context.Context, c *choice) bool {
	_, sub := l.left(c)
	plan := heuristics.NewFigures(sub).Repair(ctx, model.NewSchedule(len(sub.Tasks)))
	if plan == nil {
		return false
	}
	finishes := sub.Finishes(plan)
	return sub.Stranded(finishes) == 0 && (l.opt.Relax || sub.Value(model.HardMisses, finishes) == 0)
}

// children are the choices with one more root, behind those there are.
func (l *leaver) children(c *choice) (out []*choice) {
	from := 0
	if n := len(c.roots); n > 0 {
		from = c.roots[n-1] + 1
	}
	for k := from; k < len(l.roots); k++ {
		out = append(out, l.choose(append(slices.Clone(c.roots), k)))
	}
	slices.SortStableFunc(out, func(a, b *choice) int { return slices.Compare(a.cost, b.cost) })
	return out
}

// over reports whether no choice of that cost or more can be better than the best plan.
func (l *leaver) over(c *choice) bool {
	if l.best == nil {
		return false
	}
	if d := slices.Compare(l.best.values[:len(c.cost)], c.cost); d != 0 {
		return d < 0
	}
	return !slices.ContainsFunc(l.best.values[len(c.cost):], func(v int64) bool { return v > 0 })
}

// bound takes into account that some choice may come to as little as that.
func (l *leaver) bound(values []int64) {
	if l.lower == nil || slices.Compare(values, l.lower) < 0 {
		l.lower = values
	}
}

// look plans what a choice leaves; part of the time is for others.
func (l *leaver) look(ctx context.Context, c *choice, others bool) error {
	opt := l.opt
	if opt.Objectives = l.goal; opt.Objectives == nil {
		opt.Objectives = []model.Objective{} // those of the whole set, not what the rest would have
	}
	opt.NoConflict = opt.NoConflict || others && len(c.roots) < len(l.roots)
	if !l.until.IsZero() {
		opt.TimeLimit = max(time.Millisecond, time.Until(l.until))
	}
	if opt.Budget > 0 {
		opt.Budget = max(1, l.budget)
	}
	if others {
		opt.TimeLimit, opt.Budget = opt.TimeLimit/2, (opt.Budget+1)/2
	}
	l.budget -= opt.Budget
	jobs, sub := l.left(c)
	if len(jobs) == 0 {
		l.take(c, &Result{Schedule: model.NewSchedule(len(l.js.Tasks)), Status: model.Optimal}, nil)
		return nil
	}
	if opt.From != nil {
		opt.From = cut(l.js, opt.From, jobs)
	}
	opt.leftOf = l.js
	r, err := planAll(ctx, sub, opt)
	if err != nil {
		return err
	}
	l.renumber(r, sub, jobs)
	switch {
	case r.Schedule != nil:
		r.Schedule = spread(l.js, r.Schedule, sub, jobs)
		l.take(c, r, r.Objectives)
	case r.Status == model.Infeasible && len(c.roots) == len(l.roots):
		l.refuted = r
	case r.Status == model.Infeasible && !l.opt.Relax:
		l.proof = max(l.proof, r.Proof)
	default:
		return l.open(ctx, c, sub, opt)
	}
	return nil
}

// open takes into account a choice of which no plan was found. Where hard deadlines may be missed there
// is none only if there is none without them.
func (l *leaver) open(ctx context.Context, c *choice, sub *model.JobSet, opt Options) error {
	if l.opt.Relax {
		opt.Relax, opt.From, opt.Proof, opt.NoConflict, opt.Objectives = false, nil, false, true, []model.Objective{}
		r, err := planAll(ctx, withoutHard(sub), opt)
		if err != nil {
			return err
		}
		if r.Status == model.Infeasible {
			l.proof = max(l.proof, r.Proof)
			return nil
		}
	}
	l.bound(c.cost)
	return nil
}

// left are the jobs that a choice leaves in, and the set of these.
func (l *leaver) left(c *choice) (jobs []model.JobID, sub *model.JobSet) {
	for i, out := range l.out(c) {
		if !out {
			jobs = append(jobs, model.JobID(i))
		}
	}
	return jobs, l.js.Subset(jobs)
}

// take holds a plan against the best one, with what objectives come to for the jobs that are in.
func (l *leaver) take(c *choice, r *Result, of []model.ObjectiveValue) {
	zero := func(o model.Objective) model.ObjectiveValue {
		return model.ObjectiveValue{Name: o.String(), Bound: new(int64)}
	}
	p := &planned{choice: c, Result: r}
	cost := c.cost[len(c.cost)-2:]
	r.Objectives = nil
	if l.opt.Relax {
		hard := zero(model.HardMisses)
		if r.Relaxed {
			hard, of = of[0], of[1:]
		}
		hard = more(hard, c.cost[0])
		r.Relaxed = hard.Value > 0
		p.add(hard, r.Relaxed)
	}
	p.add(more(zero(model.LeftOutWeight), cost[0]), cost[1] > 0)
	p.add(more(zero(model.LeftOut), cost[1]), cost[1] > 0)
	if l.opt.Relax && !l.opt.HardByCount {
		for _, o := range leastBad[1:] {
			late := zero(o)
			if len(of) > 0 && of[0].Is(o) {
				late, of = of[0], of[1:]
			}
			p.add(late, r.Relaxed)
		}
	}
	if of == nil {
		for _, o := range l.goal {
			of = append(of, zero(o))
		}
	}
	for _, o := range of {
		if o.Is(model.Misses) {
			o = more(o, cost[0])
		}
		p.add(o, true)
	}
	l.bound(p.lower)
	if l.best == nil || slices.Compare(p.values, l.best.values) < 0 {
		l.best = p
	}
}

// planned is a plan of what a choice leaves.
type planned struct {
	*choice
	*Result
	// values are what is minimised, in order, lower what is proved of each where it is least of
	// all choices; listed are the places of the values in Result.Objectives, -1 of those that
	// are not listed.
	values, lower []int64
	listed        []int
}

// add appends what is minimised next.
func (p *planned) add(o model.ObjectiveValue, listed bool) {
	bound, at := int64(0), -1
	if o.Bound != nil {
		bound = *o.Bound
	}
	if listed {
		at = len(p.Objectives)
		p.Objectives = append(p.Objectives, o)
	}
	p.values, p.lower, p.listed = append(p.values, o.Value), append(p.lower, bound), append(p.listed, at)
}

// more is an objective with what is left out added.
func more(o model.ObjectiveValue, by int64) model.ObjectiveValue {
	o.Value += by
	if o.Bound != nil {
		bound := *o.Bound + by
		o.Bound = &bound
	}
	if o.Certified != nil {
		certified := *o.Certified + by
		o.Certified = &certified
	}
	return o
}

// result is the best plan with its bounds, or that there is none.
func (l *leaver) result(ctx context.Context) *Result {
	switch {
	case l.best == nil && l.refuted != nil:
		return l.refuted
	case l.best == nil:
		return &Result{Status: model.Unknown, Interrupted: true}
	}
	r := l.best.Result
	for i, out := range l.out(l.best.choice) {
		if out {
			r.LeftOut = append(r.LeftOut, model.JobID(i))
		}
	}
	if len(r.LeftOut) > 0 {
		r.Proof = max(r.Proof, l.proof)
	}
	if l.close(); l.check {
		r.Objectives, r.Status = []model.ObjectiveValue{}, model.Feasible
	}
	if r.Certificate != nil {
		r.Certificate = l.certificate(ctx, r)
	}
	return r
}

// certificate is that of the best plan as one of the whole set; nil where plans leave out jobs
// that could run, but not with all others: files cannot say that.
func (l *leaver) certificate(ctx context.Context, r *Result) *certify.Certificate {
	if len(l.best.roots) == 0 && !r.Relaxed {
		out := append([]model.JobID{}, r.LeftOut...)
		jobs, _ := l.left(l.best.choice)
		if c := r.Certificate.Leaving(ctx, l.js, jobs, out); c != nil {
			return c
		}
	}
	for k := range r.Objectives {
		r.Objectives[k].Certified = nil
	}
	return nil
}

// uncertified leaves all open that an answer claims: that there is no plan, or the bounds up to the first that is not
// reached.
func uncertified(js *model.JobSet, r *Result) *certify.Certificate {
	c := &certify.Certificate{JS: js, Unit: 1}
	if r.Status == model.Infeasible && r.Schedule == nil {
		c.Open = []certify.Claim{{Claim: inference.Claim{Infeasible: true}}}
	}
	var given []inference.Limit
	for _, v := range r.Objectives {
		o, err := model.ParseReported(v.Name)
		if err != nil || v.Bound == nil {
			break
		}
		if *v.Bound > 0 {
			c.Open = append(c.Open, certify.Claim{Claim: inference.Claim{Objective: o, Least: *v.Bound, Given: slices.Clone(given)}})
		}
		if *v.Bound < v.Value {
			break
		}
		given = append(given, inference.Limit{Objective: o, Most: v.Value})
	}
	return c
}

// close sets the bounds that hold over all choices: each is good where all before it are
// closed.
func (l *leaver) close() {
	r, closed := l.best.Result, true
	for p, value := range l.best.values {
		bound := int64(0)
		if p < len(l.lower) {
			bound = min(l.lower[p], value)
		}
		if k := l.best.listed[p]; k >= 0 {
			o := &r.Objectives[k]
			switch {
			case !closed:
				o.Bound, o.Proof, o.Certified = nil, "", nil
			case o.Bound == nil || *o.Bound != bound:
				o.Bound, o.Proof, o.Certified = &bound, "", nil
			}
		}
		closed = closed && bound == value
	}
	switch {
	case r.Relaxed && *r.Objectives[0].Bound > 0:
		r.Status = model.Infeasible
	case r.Relaxed:
		r.Status = model.Unknown
	case closed && len(r.Objectives) > 0:
		r.Status = model.Optimal
	default:
		r.Status = model.Feasible
	}
}

// cut is the part of a schedule that some jobs have.
func cut(js *model.JobSet, plan model.Schedule, jobs []model.JobID) model.Schedule {
	var out model.Schedule
	for _, i := range jobs {
		out = append(out, plan[js.Jobs[i].First:js.Jobs[i].End]...)
	}
	return out
}

// spread is a plan of some jobs of js, the set sub, as one of the whole set.
func spread(js *model.JobSet, plan model.Schedule, sub *model.JobSet, jobs []model.JobID) model.Schedule {
	out := model.NewSchedule(len(js.Tasks))
	for k, i := range jobs {
		copy(out[js.Jobs[i].First:], plan[sub.Jobs[k].First:sub.Jobs[k].End])
	}
	return out
}

// renumber has an answer about some of the jobs speak of the whole set.
func (l *leaver) renumber(r *Result, sub *model.JobSet, jobs []model.JobID) {
	if len(jobs) == len(l.js.Jobs) {
		return
	}
	for k := range r.Why {
		r.Why[k].Argument.Branching, r.Why[k].Argument.Overloads, r.Why[k].Argument.Packing, r.Why[k].Argument.Pooled = nil, nil, nil, nil
	}
	if r.Conflict != nil && (r.Analysis == nil || !slices.Contains(r.Analysis.Conflicts, r.Conflict)) {
		r.Conflict.Renumber(l.js, sub, jobs)
	}
	if r.Analysis != nil {
		conflict.Renumber(r.Analysis, l.js, sub, jobs)
	}
	if r.Repairs != nil {
		for k, i := range r.Repairs.Jobs {
			r.Repairs.Jobs[k] = jobs[i]
		}
	}
	if c := r.Certificate; c != nil && r.Status == model.Infeasible {
		r.Certificate = c.OfMore(context.Background(), l.js, nil, jobs, c.Claims, c.Open)
	}
}
