package capacity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check"
	"downbeat/solve"
	"downbeat/solve/whatif"
)

// Measure is a way in which a job may become harder to fit in.
type Measure uint8

// The measures.
const (
	// Release: released so many ticks later, with its due time kept.
	Release Measure = iota
	// Growth: all times of its tasks longer by so many percent, rounded up.
	Growth
	// Due: due so many ticks earlier.
	Due
	measures
)

// String says what of a job is changed.
func (m Measure) String() string { return [...]string{"release", "times", "due time"}[m] }

// JobSlack is how far a job is from where the hard jobs stop fitting.
type JobSlack struct {
	Job model.JobID
	// Edges by measure. At Fits all hard jobs still meet their deadlines. Of a job that is
	// not hard itself there is no edge of Due.
	Edges [measures]whatif.Edge
}

// SlackAnswer says how far a set is from where it stops fitting.
type SlackAnswer struct {
	// Status is Feasible, or what is known of the set as it stands; then the rest is empty.
	Status model.Status
	// Jobs are those that press: the hard ones, and those that they come after. Others do
	// not count: they can be run after everything else.
	Jobs []JobSlack
	// All is for the times of all tasks: the critical scaling factor less 1, in percent.
	All whatif.Edge
	// Certified tells that a checker has agreed to a proof wherever something does not fit.
	Certified bool
	Notes     []string
	Elapsed   time.Duration
}

// Slack finds by how much each job, and all jobs together, may become harder to fit in
// until the hard jobs cannot all meet their deadlines. From is a plan that meets them, or
// nil if none is known. Limits of opt hold for the whole. With in, not nil, each edge is a piece,
// once the set is known to fit as it stands. Where opt asks for proofs, what does not fit is known once a checker
// agrees to one. An error is an internal one, or of in's.
func Slack(ctx context.Context, js *model.JobSet, from model.Schedule, in Pieces, opt solve.Options) (*SlackAnswer, error) {
	started := time.Now()
	a, stop := newAsker(ctx, opt, nil, in)
	defer stop()
	a.opt.Proof, a.certifies = opt.Proof, opt.Proof
	set, _, _, _ := pressing(js, nil)
	s := &slacker{asker: a, base: set, r: &SlackAnswer{Certified: opt.Proof}}
	s.start(js, from)
	err := s.run()
	s.r.Notes, s.r.Elapsed = a.notes, time.Since(started)
	return s.r, err
}

// slacker looks for all edges of a set of jobs that press.
type slacker struct {
	*asker
	base *model.JobSet
	r    *SlackAnswer
	// plans for the set as it stands were found for harder ones.
	plans []model.Schedule
}

// start takes the plan of the whole set that there may be, and numbers the jobs.
func (s *slacker) start(js *model.JobSet, from model.Schedule) {
	plan := model.Schedule(nil)
	next := 0 // the sets have the same names in the same order
	for i := range js.Jobs {
		if next == len(s.base.Jobs) || s.base.Jobs[next].Name != js.Jobs[i].Name {
			continue
		}
		s.r.Jobs = append(s.r.Jobs, JobSlack{Job: model.JobID(i)})
		next++
		if from != nil {
			plan = append(plan, from[js.Jobs[i].First:js.Jobs[i].End]...)
		}
	}
	if from != nil {
		s.Keep(s.base, plan)
	}
}

// run asks about the set as it stands, and then about every edge, round by round.
func (s *slacker) run() error {
	if len(s.base.Jobs) == 0 { // nothing is due
		s.r.Status, s.r.All = model.Feasible, whatif.Edge{Fits: change.MaxMargin, Fails: change.MaxMargin + 1}
		return nil
	}
	var plan model.Schedule
	for ; s.Round < rounds && s.r.Status == model.Unknown && (s.Round == 0 || s.ctx.Err() == nil); s.Round++ {
		s.say("looking for a plan")
		got, err := s.ask(s.base, nil)
		if err != nil {
			return err
		}
		s.r.Status, plan = got.Status, got.Plan
	}
	if s.r.Status != model.Feasible {
		s.r.Jobs = nil
		return nil
	}
	s.outer(plan)
	if err := s.narrowToTheEnd(); err != nil {
		return err
	}
	return s.sound()
}

// narrowToTheEnd brings every edge as close as limits allow.
func (s *slacker) narrowToTheEnd() error {
	if s.in != nil {
		return s.inPieces()
	}
	for s.Round = 0; s.Round < rounds; s.Round++ {
		open, err := s.narrowAll()
		if err != nil {
			return err
		}
		if !open || s.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// inPieces narrows each edge by itself.
func (s *slacker) inPieces() error {
	edges := s.edges()
	var names []string
	for _, e := range edges {
		of := "all jobs"
		if e.k != all {
			of = s.base.Jobs[e.k].Name
		}
		names = append(names, e.m.String()+" of "+of)
	}
	return s.edgesInPieces(names, func(a *asker, i int) (whatif.Edge, error) {
		e, one := edges[i], &slacker{asker: a, base: s.base}
		edge := *e.Edge
		e.Edge = &edge
		err := a.toTheEnd(&edge, func() error {
			return edge.Narrow(func(v int64) (whatif.Reply, error) { return one.tell(e, v) })
		})
		return edge, err
	}, func(i int, e whatif.Edge) error {
		s.take(edges[i], &narrowed{edge: e})
		return nil
	})
}

// outer sets each edge to what the first plan and each job alone tell.
func (s *slacker) outer(plan model.Schedule) {
	last := model.Time(0)
	for i := range s.base.Jobs {
		if s.base.Jobs[i].Kind == model.Hard {
			last = max(last, s.base.Jobs[i].Due())
		}
	}
	s.r.All = whatif.Edge{Fails: change.MaxMargin + 1}
	for k := range s.r.Jobs {
		j, edges := &s.base.Jobs[k], &s.r.Jobs[k].Edges
		edges[Growth] = whatif.Edge{Fails: change.MaxMargin + 1}
		end := last // of what there is time for, if what comes after it is due
		if j.Kind == model.Hard {
			end = j.Due()
			edges[Due] = whatif.Edge{Fails: int64(j.Deadline), Proof: model.EnergyProof}
		}
		edges[Release] = whatif.Edge{Fails: int64(end - j.Release), Proof: model.EnergyProof}
	}
	s.know(plan)
	for _, e := range s.edges() {
		base := s.base
		if e.k != all {
			base = s.around(model.JobID(e.k))
		}
		e.Refute(model.EnergyProof, func(v int64) bool {
			if s.ctx.Err() != nil {
				return false
			}
			set, err := s.harder(base, e, v)
			return err == nil && lateAlone(s.ctx, set)
		})
	}
}

// around is the part of the set that decides who is late alone where a job is changed: the job and those that
// come after it, and all that these come after.
func (s *slacker) around(k model.JobID) *model.JobSet {
	if !s.base.JobsLinked() {
		return s.base.Subset([]model.JobID{k})
	}
	after := make([]bool, len(s.base.Jobs))
	after[k] = true
	for _, i := range s.base.JobOrder() {
		after[i] = after[i] || slices.ContainsFunc(s.base.Jobs[i].After, func(h model.JobID) bool { return after[h] })
	}
	var in []model.JobID
	for i, is := range after {
		if is {
			in = append(in, model.JobID(i))
		}
	}
	return s.base.Subset(s.base.WithBefore(in))
}

// edgeOf is the edge of a job, or of all, by a measure.
type edgeOf struct {
	*whatif.Edge
	m Measure
	k int
}

// all stands for all jobs in place of one.
const all = -1

// edges are that of all jobs, and then those of each.
func (s *slacker) edges() []edgeOf {
	out := []edgeOf{{&s.r.All, Growth, all}}
	for k := range s.r.Jobs {
		for m := range measures {
			if m != Due || s.base.Jobs[k].Kind == model.Hard {
				out = append(out, edgeOf{&s.r.Jobs[k].Edges[m], m, k})
			}
		}
	}
	return out
}

// harder is a set, the base or a part of it, with a job, or all, so much harder to fit in.
func (s *slacker) harder(set *model.JobSet, e edgeOf, v int64) (*model.JobSet, error) {
	if e.k == all {
		return change.Apply(set, []change.Change{{Kind: change.Margin, N: v}})
	}
	j := &s.base.Jobs[e.k]
	c := change.Change{Name: j.Name}
	switch e.m {
	case Release:
		c.Kind, c.At = change.Release, j.Release+model.Time(v)
	case Growth:
		c.Kind, c.N = change.Margin, v
	case Due:
		c.Kind, c.At = change.Deadline, j.Deadline-model.Time(v)
	}
	return change.Apply(set, []change.Change{c})
}

// narrowAll brings every edge closer, and tells whether one is open still.
func (s *slacker) narrowAll() (open bool, err error) {
	edges := slices.DeleteFunc(s.edges(), func(e edgeOf) bool { return e.Exact() })
	found := make([]*narrowed, len(edges))
	err = s.beside(len(edges), func(i int, a *asker) func() error {
		e := edges[i]
		if e.Exact() || a.ctx.Err() != nil {
			return nil
		}
		f := &narrowed{slacker{asker: a, base: s.base}, *e.Edge}
		found[i], e.Edge = f, &f.edge
		return func() error { return e.Narrow(func(v int64) (whatif.Reply, error) { return f.tell(e, v) }) }
	}, func(i int) error {
		if found[i] != nil {
			s.take(edges[i], found[i])
			found[i] = nil
		}
		open = open || !edges[i].Exact()
		return nil
	})
	return open, err
}

// narrowed is what was found of an edge.
type narrowed struct {
	slacker
	edge whatif.Edge
}

// take puts what was found of an edge into the answer.
func (s *slacker) take(e edgeOf, f *narrowed) {
	e.Fits, e.Fails, e.Proof = max(e.Fits, f.edge.Fits), f.edge.Fails, f.edge.Proof
	for _, plan := range f.plans {
		s.know(plan)
	}
	if e.k == all {
		s.spread()
	}
}

// tell answers about one value of an edge.
func (s *slacker) tell(e edgeOf, v int64) (whatif.Reply, error) {
	set, err := s.harder(s.base, e, v)
	if err != nil {
		return whatif.Reply{}, err
	}
	if e.k == all {
		s.say("all times %d %% longer", v)
	} else {
		s.say("%s of %s by %d", e.m, s.base.Jobs[e.k].Name, v)
	}
	got, err := s.ask(set, nil)
	r := whatif.Reply{Status: got.Status, Proof: got.Proof}
	if got.Status == model.Feasible {
		r.Reach = max(v, s.reach(e, v, got.Plan))
		if check.Schedule(s.base, got.Plan, false).OK() {
			s.plans = append(s.plans, got.Plan)
		}
	}
	return r, err
}

// reach is how far a plan goes that holds at v.
func (s *slacker) reach(e edgeOf, v int64, plan model.Schedule) int64 {
	if e.m != Growth {
		return s.slackIn(e.m, e.k, plan)
	}
	for step := int64(1); v+step < e.Fails && s.ctx.Err() == nil; step *= 2 {
		set, err := s.harder(s.base, e, v+step)
		if err != nil || !check.Schedule(set, plan, false).OK() {
			break
		}
		v += step
	}
	return v
}

// slackIn is by how much a plan lets a job be released later, or due earlier.
func (s *slacker) slackIn(m Measure, k int, plan model.Schedule) int64 {
	j := &s.base.Jobs[k]
	first, last := model.Never, model.Time(0)
	for t := j.First; t < j.End; t++ {
		first = min(first, s.base.Assigned(plan[t]))
		last = max(last, s.base.Finish(t, plan[t]))
	}
	if m == Release {
		return int64(first - j.Release)
	}
	return int64(j.Due() - last)
}

// know takes what a plan for the set as it stands, which has passed the validator, tells of
// releases and due times. One for a set that is harder to fit in is such a plan, too.
func (s *slacker) know(plan model.Schedule) {
	for k := range s.r.Jobs {
		edges := &s.r.Jobs[k].Edges
		edges[Release].Fits = max(edges[Release].Fits, s.slackIn(Release, k, plan))
		if s.base.Jobs[k].Kind == model.Hard {
			edges[Due].Fits = max(edges[Due].Fits, s.slackIn(Due, k, plan))
		}
	}
}

// spread tells each job what is known of all.
func (s *slacker) spread() {
	for k := range s.r.Jobs {
		e := &s.r.Jobs[k].Edges[Growth]
		e.Fits = max(e.Fits, s.r.All.Fits)
	}
}

// sound is an error if some edge contradicts itself.
func (s *slacker) sound() error {
	for _, e := range s.edges() {
		if e.Fits >= e.Fails {
			return fmt.Errorf("job %d, measure %d: a plan was found for %d, and %d refuted", e.k, e.m, e.Fits, e.Fails)
		}
	}
	return nil
}
