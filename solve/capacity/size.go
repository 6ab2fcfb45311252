package capacity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/model/check/inference"
	"downbeat/model/window"
	"downbeat/solve"
	"downbeat/solve/certify"
	"downbeat/solve/event"
	"downbeat/solve/whatif"
)

// Supply is a class of slaves, or a pool, and which sizes of it are to be tried: numbers of
// slaves, or amounts of the pool, the same at all times.
type Supply struct {
	Name string
	// Pool tells that it is a pool (C11).
	Pool bool
	// Least and Most bound the sizes; Most = 0 stands for as many as could matter.
	Least, Most int64
	// Now is how many slaves the class has, and Cost what each costs; or the most that there is of
	// the pool at any time, and Lowest the least, 0 of a class. Set by [NewClass] and [NewPool].
	Now, Lowest, Cost int64
}

// NewClass is the class of that name, any size of which may be tried. An error says that
// there is none.
func NewClass(js *model.JobSet, name string) (Supply, error) {
	c := Supply{Name: name}
	for i := range js.Slaves {
		if js.Slaves[i].Class == name {
			c.Now, c.Cost = c.Now+1, js.Slaves[i].Cost
		}
	}
	_, err := change.Apply(js, []change.Change{c.Change(max(1, c.Now))})
	return c, err
}

// NewPool is the pool of that name, any amount of which may be tried. An error says that there
// is none.
func NewPool(js *model.JobSet, name string) (Supply, error) {
	p := Supply{Name: name, Pool: true}
	for i := range js.Pools {
		if js.Pools[i].Name != name {
			continue
		}
		levels := js.Pools[i].Levels
		p.Lowest = levels[0].Amount
		for _, l := range levels {
			p.Now, p.Lowest = max(p.Now, l.Amount), min(p.Lowest, l.Amount)
		}
	}
	_, err := change.Apply(js, []change.Change{p.Change(p.Now)})
	return p, err
}

// Change gives it a size.
func (c *Supply) Change(n int64) change.Change {
	kind := change.Count
	if c.Pool {
		kind = change.Pool
	}
	return change.Change{Kind: kind, Name: c.Name, N: n}
}

// Size is a size for people: 3 × big, or 3 of pool db.
func (c *Supply) Size(n int64) string {
	if c.Pool {
		return fmt.Sprintf("%d of pool %s", n, c.Name)
	}
	return fmt.Sprintf("%d × %s", n, c.Name)
}

// MostSize is the largest size that can be tried.
func (c *Supply) MostSize() int64 {
	if c.Pool {
		return int64(model.MaxTime)
	}
	return change.MostSlaves
}

// enough is a size beyond which no more of it helps: of a class one slave for each task, beside
// those there are, which may differ from new ones; of a pool what all tasks need together.
func (c *Supply) enough(js *model.JobSet) int64 {
	if !c.Pool {
		return min(c.Now+int64(len(js.Tasks)), c.MostSize())
	}
	return min(whatif.Wanted(js, c.Name), c.MostSize())
}

// SizeAnswer says how few slaves of a class, or how little of a pool, will do.
type SizeAnswer struct {
	Of Supply
	// Least has the least size that is known to do at Fits, unless None is known, and
	// the greatest that is known not to at Fails; Of.Least − 1 if none is.
	Least whatif.Edge
	// None: no size is known to do.
	None bool
	// Certificate proves that Least.Fails will not do, of the set without the other slaves of
	// the class, or of the set with a class or a pool of that size where it takes more slaves than
	// there are, or a pool; nil where it was not asked for, or there is no such size of a pool.
	Certificate *certify.Certificate
	Notes       []string
	Elapsed     time.Duration
}

// Size finds the least size of a class with which the set fits, within the limit if there
// is one. Limits of opt hold for the whole. An error is an internal one.
func Size(ctx context.Context, js *model.JobSet, class Supply, limit *Limit, opt solve.Options) (*SizeAnswer, error) {
	started := time.Now()
	a, stop := newAsker(ctx, opt, limit, nil)
	defer stop()
	if class.Most == 0 {
		class.Most = max(class.Least, class.enough(js))
	}
	a.opt.Proof = opt.Proof // the other questions have no proofs
	s := &sizer{asker: a, js: js, refuted: refutedSize{size: -1}}
	// With the slaves that there are now each task has one that it can run on.
	least := whatif.Edge{Fits: min(class.Most, max(class.Least, class.Now)), Fails: class.Least - 1}
	least.Refute(model.RelaxationProof, func(n int64) bool {
		if s.tooLate([]Supply{class}, n) {
			return false
		}
		_, err := s.set([]Supply{class}, n)
		return err != nil
	})
	least.Fits = class.Most + 1
	r := &SizeAnswer{Of: class, None: true, Least: least}
	for ; a.Round < rounds && !r.Least.Exact() && (a.Round == 0 || a.ctx.Err() == nil); a.Round++ {
		if err := s.narrow(r); err != nil {
			return nil, err
		}
	}
	if r.Least.Fits <= r.Least.Fails {
		return nil, fmt.Errorf("%s: a plan was found for %d, and %d refuted", class.Name, r.Least.Fits, r.Least.Fails)
	}
	if opt.Proof && r.Least.Proof != model.NoProof {
		if err := s.certify(r); err != nil {
			return nil, err
		}
	}
	r.Notes, r.Elapsed = a.notes, time.Since(started)
	return r, nil
}

// certify has what was found about the greatest size that will not do speak of the set without
// so many slaves of the class, or with more of them. It is refuted once more where that
// does not do.
func (s *sizer) certify(r *SizeAnswer) error {
	set, err := s.set([]Supply{r.Of}, r.Least.Fails)
	if err != nil {
		// A task can run nowhere, and there is no such set.
		if !r.Of.Pool {
			without := s.beyond(&r.Of, r.Least.Fails)
			if r.Certificate = certify.Nowhere(s.js, without); r.Certificate == nil {
				r.Certificate = &certify.Certificate{JS: s.js, Unit: 1, Without: without}
				s.stillOpen(r.Certificate)
			}
		}
		return nil
	}
	whole, without := set, []model.SlaveID(nil)
	if !r.Of.Pool && r.Least.Fails < r.Of.Now {
		whole, without = s.js, s.beyond(&r.Of, r.Least.Fails)
	}
	if s.refuted.size == r.Least.Fails {
		if r.Certificate = s.refuted.certificate.OfMore(s.ctx, whole, without, s.refuted.jobs, s.claims(), nil); r.Certificate != nil {
			return nil
		}
	}
	opt := s.opt
	opt.Objectives, opt.TimeLimit = []model.Objective{}, 0
	if s.limit != nil {
		opt.Objectives = append(opt.Objectives, s.limit.Objective)
	}
	s.say("proving that %s will not do", r.Of.Size(r.Least.Fails))
	res, err := solve.Plan(s.ctx, set, opt)
	if err != nil {
		return err
	}
	r.Certificate = res.Certificate
	s.stillOpen(r.Certificate)
	if without != nil {
		r.Certificate.OfWhole(s.js, without)
	}
	return nil
}

// beyond are the slaves of a class but for the first n.
func (s *sizer) beyond(class *Supply, n int64) []model.SlaveID {
	var out []model.SlaveID
	for i := range s.js.Slaves {
		if s.js.Slaves[i].Class != class.Name {
			continue
		}
		if n--; n < 0 {
			out = append(out, model.SlaveID(i))
		}
	}
	return out
}

// claims are what those of the certificate about the jobs that press say of all: that there is no
// plan where soft jobs had hard deadlines for the limit is that every plan exceeds it.
func (s *sizer) claims() []certify.Claim {
	var out []certify.Claim
	c := s.refuted.certificate
	for i := range c.Claims {
		switch claim := c.Claims[i]; {
		case claim.Infeasible && s.refuted.hard:
			out = append(out, certify.Claim{Claim: s.tooFew(c.Unit), By: claim.By})
		case claim.Infeasible || s.exceeds(c.Stated(&claim)):
			out = append(out, claim)
		}
	}
	return out
}

// tooFew is the claim that a size will not do, in units of a certificate.
func (s *sizer) tooFew(unit model.Time) inference.Claim {
	if s.limit == nil {
		return inference.Claim{Infeasible: true}
	}
	out := inference.Claim{Objective: s.limit.Objective, Least: s.limit.Value + 1}
	if s.limit.Objective.Shape().Timed() {
		out.Least = s.limit.Value/int64(unit) + 1
	}
	return out
}

// exceeds reports whether a claim, in ticks, says that every plan exceeds the limit.
func (s *sizer) exceeds(claim inference.Claim) bool {
	return s.limit != nil && claim.Objective == s.limit.Objective && claim.Least > s.limit.Value
}

// stillOpen adds to what a certificate leaves open that the size will not do, unless that is
// claimed, or open already.
func (s *sizer) stillOpen(c *certify.Certificate) {
	for _, of := range slices.Concat(c.Claims, c.Open) {
		if claim := c.Stated(&of); claim.Infeasible || s.exceeds(claim) {
			return
		}
	}
	c.Open = append(c.Open, certify.Claim{Claim: s.tooFew(c.Unit)})
}

// Never reports whether no size that was to be tried does.
func (r *SizeAnswer) Never() bool { return r.None && r.Least.Fails == r.Of.Most }

// sizer asks about classes of other sizes.
type sizer struct {
	*asker
	js *model.JobSet
	// refuted is the greatest size that was refuted by a solve with a certificate.
	refuted refutedSize
}

// refutedSize is a size of a class with which some jobs, those that press, do not fit.
type refutedSize struct {
	size int64
	jobs []model.JobID
	// hard tells that all of these jobs had hard deadlines, by the limit if there is one.
	hard        bool
	certificate *certify.Certificate
}

// narrow goes up by doubling to a size that does, and then narrows the edge.
func (s *sizer) narrow(r *SizeAnswer) error {
	ask := func(n int64) (whatif.Reply, error) {
		s.say("trying %s", r.Of.Size(n))
		return s.sized([]Supply{r.Of}, r.Least.Fails+1, n)
	}
	for n := max(1, r.Of.Least, min(r.Of.Now, r.Of.Most)); r.None && r.Least.Fails < r.Of.Most; n = min(2*n, r.Of.Most) {
		if n <= r.Least.Fails {
			continue
		}
		got, err := ask(n)
		if err != nil {
			return err
		}
		r.Least.Take(n, got)
		if got.Status == model.Feasible {
			r.None = false
		}
		if n == r.Of.Most {
			break
		}
	}
	if r.None {
		return nil
	}
	return r.Least.Narrow(ask)
}

// set is the job set with classes of other sizes. The error says which task can then
// run nowhere.
func (s *sizer) set(classes []Supply, sizes ...int64) (*model.JobSet, error) {
	changes := make([]change.Change, len(classes))
	for i, c := range classes {
		changes[i] = c.Change(sizes[i])
	}
	return change.Apply(s.js, changes)
}

// tooLate reports whether it is too late to make a set with classes of other sizes.
func (s *sizer) tooLate(classes []Supply, sizes ...int64) bool {
	slaves := int64(len(s.js.Slaves))
	for i, c := range classes {
		if !c.Pool {
			slaves += sizes[i] - c.Now
		}
	}
	away := int64(window.Absences(s.js)) * slaves / int64(len(s.js.Slaves)) // new slaves as the others
	return s.ctx.Err() != nil && whatif.TakesLong(len(s.js.Tasks), slaves, away)
}

// sized tells whether the set fits with classes of other sizes. What a plan leaves idle
// of the last one counts, down to a floor: all sizes from there on have a slave for each
// task.
func (s *sizer) sized(classes []Supply, floor int64, sizes ...int64) (whatif.Reply, error) {
	if s.tooLate(classes, sizes...) {
		return whatif.Reply{Status: model.Unknown}, nil
	}
	last := len(classes) - 1
	sized, err := s.set(classes, sizes...)
	if err != nil {
		return whatif.Reply{Status: model.Infeasible, Proof: model.RelaxationProof}, nil
	}
	set, jobs, goal, possible := pressing(sized, s.limit)
	if !possible {
		return whatif.Reply{Status: model.Infeasible, Proof: model.EnergyProof}, nil
	}
	if len(goal) > 0 && s.limit.Objective.Shape().Timed() && set.Leavable() != nil {
		if err := s.leastLeaving(classes); err != nil {
			return whatif.Reply{}, err
		}
	}
	got, err := s.ask(set, goal)
	r := whatif.Reply{Status: got.Status, Proof: got.Proof}
	switch got.Status {
	case model.Feasible:
		r.Reach = max(floor, whatif.Used(set, got.Plan, classes[last].Change(sizes[last])))
	case model.Infeasible:
		if got.certificate != nil && sizes[last] > s.refuted.size {
			s.refuted = refutedSize{sizes[last], jobs, len(goal) == 0, got.certificate}
		}
	}
	return r, err
}

// say tells what is being tried.
func (a *asker) say(format string, args ...any) {
	if a.opt.Events != nil {
		a.opt.Events(event.Event{Kind: event.Phase, Phase: fmt.Sprintf(format, args...)})
	}
}
