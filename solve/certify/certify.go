package certify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/exact"
	"downbeat/solve/incumbent"
	"downbeat/solve/lcg"
	"downbeat/solve/memory"
	"downbeat/solve/portfolio"
)

// Certificate is what a proof file says of an answer.
type Certificate struct {
	// JS is the job set in its own ticks, Unit what one of a claim's is in these.
	JS   *model.JobSet
	Unit model.Time
	// Without has the slaves, ascending, that are taken not to be there; those of refutations
	// are numbered as if they were not.
	Without []model.SlaveID
	// Alike has groups of slaves, each ascending, that count as one, the first of which has what they have together. In refutations the
	// others have no numbers.
	Alike [][]model.SlaveID
	// LeftOut has the jobs, ascending, that are left out of the plans which the claims of
	// objectives are about, none of which can run anywhere; nil where no job may be left out.
	LeftOut []model.JobID
	// Among has the jobs, ascending, that refutations number as if there were no others, with
	// their stages and tasks; nil for all.
	Among  []model.JobID
	Claims []Claim
	// Open are the claims of the answer that could not be proved, or only in part.
	Open []Claim
	// Bases are on what claims rest, by claim, once Explain has found that out; nil of those of
	// which it has not.
	Bases []*Basis
	// Made names the program that writes the file, which has it as a comment; empty for none.
	Made string
	// Proof is the file, once it was delivered; nil where nothing is claimed.
	Proof *Delivered
}

// Mark sets what is certified of values: what is claimed, and 0 where 0 is the bound, which
// needs no proof.
func (c *Certificate) Mark(values []model.ObjectiveValue) {
	for i := range values {
		v := &values[i]
		if v.Bound != nil && *v.Bound == 0 {
			v.Certified = v.Bound
		}
		for k := range c.Claims {
			if claim := &c.Claims[k]; !claim.Infeasible && v.Is(claim.Objective) {
				v.Certified = &claim.Least
			}
		}
	}
}

// Stated is a claim in ticks of the job set.
func (c *Certificate) Stated(claim *Claim) inference.Claim {
	ticks := func(o model.Objective, value int64) int64 {
		if !o.Shape().Timed() {
			return value
		}
		return value * int64(c.Unit)
	}
	out := claim.Claim
	out.Least = ticks(out.Objective, out.Least)
	out.Given = slices.Clone(out.Given)
	for k := range out.Given {
		out.Given[k].Most = ticks(out.Given[k].Objective, out.Given[k].Most)
	}
	return out
}

// Certified reports whether a checker has found that all is proved that the answer claims,
// which is infeasible or has a plan.
func (c *Certificate) Certified() bool {
	return len(c.Open) == 0 && (c.Proof == nil || c.Proof.Checked != nil)
}

// Claim is what a proof ends with, and by which refutation of the contrary. Times are in units
// of the certificate.
type Claim struct {
	inference.Claim
	By *proof.Refutation
}

// Of proves what w has come to, a solve of js in steps of unit ticks, in which the slaves of each group alike count as one: that there is no plan, or the
// bounds of all objectives up to the first open one. What arguments do not say is asked once
// more of lazy clause generation with the options of work, until ctx is done. Arguments are
// tried until its deadline, or until caller is done, who did not want to wait for it, and for a
// moment at the least. An error is an internal one.
func Of(ctx, caller context.Context, js *model.JobSet, unit model.Time, alike [][]model.SlaveID, w *incumbent.Incumbent, work *portfolio.Work) (*Certificate, error) {
	m, stop := newMaker(ctx, caller, &Certificate{JS: js, Unit: unit, Alike: alike}, w, work)
	defer stop()
	if w.Refuted() != nil {
		return m.Certificate, m.infeasible(ctx, w.Refuted())
	}
	if w.Best() == nil {
		return m.Certificate, nil
	}
	for p := range w.Goal {
		if err := m.objective(ctx, p); err != nil {
			return nil, err
		}
		if !w.Closed(p) {
			break
		}
	}
	return m.Certificate, nil
}

// newMaker goes on with a certificate of what w has come to.
func newMaker(ctx, caller context.Context, c *Certificate, w *incumbent.Incumbent, work *portfolio.Work) (*maker, func()) {
	trials, stop := trials(ctx, caller)
	m := &maker{Incumbent: w, Certificate: c, exact: work.Exact, seed: work.Seed, trials: trials}
	m.exact.Record, m.exact.Engine, m.exact.Unordered = true, exact.LCG, true
	return m, stop
}

// With has the claims of both, either of which may be nil.
func (c *Certificate) With(o *Certificate) *Certificate {
	switch {
	case c == nil:
		return o
	case o == nil:
		return c
	}
	out := *c
	out.Claims = append(out.Claims[:len(out.Claims):len(out.Claims)], o.Claims...)
	out.Open = append(out.Open[:len(out.Open):len(out.Open)], o.Open...)
	return &out
}

// maker makes the certificate of a solve.
type maker struct {
	*incumbent.Incumbent
	*Certificate
	exact exact.Options
	seed  uint64
	// trials is the time in which arguments are said, and tried.
	trials context.Context
}

// moment is for trials where time is up: most take less by far.
const moment = 200 * time.Millisecond

// trials is ctx without its end but for its deadline, which may lie after it; without one where
// it has none, so that answers on a budget repeat. A moment after caller is done, it is.
func trials(ctx, caller context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if soonest := time.Now().Add(moment); deadline.Before(soonest) {
		deadline = soonest
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	heed := context.AfterFunc(caller, func() { time.AfterFunc(moment, cancel) })
	stop := func() { heed(); cancel() }
	if !limited {
		return ctx, stop
	}
	ctx, release := context.WithDeadline(ctx, deadline)
	return ctx, func() { release(); stop() }
}

// shorter: where there was no time for an argument, the next one has a part in so many of its
// leaves at most, and of the time.
const shorter = 4

// trial is for one argument: most of the time that is left, for what is weaker and shorter may
// have to do, or all of it for the last one.
func (m *maker) trial(last bool) (context.Context, context.CancelFunc) {
	deadline, limited := m.trials.Deadline()
	if last || !limited {
		return m.trials, func() {}
	}
	return context.WithDeadline(m.trials, deadline.Add(-time.Until(deadline)/shorter))
}

// infeasible claims that there is no plan.
func (m *maker) infeasible(ctx context.Context, by *incumbent.NoPlan) error {
	q := m.Question(nil)
	c := Claim{Claim: inference.Claim{Infeasible: true}}
	c.By = m.argued(m.trials, c, q, by.Argument())
	var err error
	if c.By == nil {
		c.By, err = m.search(ctx, q)
	}
	m.claim(c)
	return err
}

// objective claims the bound of an objective, or else the greatest of those proved before it
// that can be claimed. That none is below 0 needs no proof.
func (m *maker) objective(ctx context.Context, p int) error {
	_, bound := m.Gap(p)
	proved := m.Proved(p)
	if bound > 0 && (len(proved) == 0 || proved[0].Least < bound) {
		proved = slices.Insert(proved, 0, incumbent.Proved{Least: bound}) // by what has no argument
	}
	most := math.MaxInt // leaves of arguments that there is time for
	for k, at := range proved {
		leaves := at.By.Branching.Leaves()
		if leaves > most {
			continue
		}
		c := m.bounds(p, at.Least)
		q := m.Question(m.Limits(p, at.Least-1))
		trial, stop := m.trial(k+1 == len(proved))
		if c.By = m.argued(trial, c, q, &at.By); trial.Err() != nil {
			most = max(1, leaves/shorter)
		}
		if stop(); c.By == nil && k == 0 {
			var err error
			if c.By, err = m.search(ctx, q); err != nil {
				return err
			}
		}
		if c.By != nil {
			m.claim(c)
			break
		}
	}
	if n := len(m.Claims); bound > 0 && (n == 0 || m.Claims[n-1].Objective != m.Goal[p] || m.Claims[n-1].Least < bound) {
		m.claim(m.bounds(p, bound))
	}
	return nil
}

// bounds is the claim that objective p is at least so much.
func (m *maker) bounds(p int, least int64) Claim {
	c := inference.Claim{Objective: m.Goal[p], Least: least}
	for i, o := range m.Goal[:p] {
		value, _ := m.Gap(i)
		c.Given = append(c.Given, inference.Limit{Objective: o, Most: value})
	}
	return Claim{Claim: c}
}

// claim takes a claim, or remembers that it is open.
func (m *maker) claim(c Claim) {
	if c.By == nil {
		m.Open = append(m.Open, c)
	} else {
		m.Claims = append(m.Claims, c)
	}
}

// argued is the refutation of a claim, which a question stands for, that an argument is; nil
// where it cannot be said. What a search has recorded needs no trial.
func (m *maker) argued(ctx context.Context, c Claim, q query.Question, by *incumbent.Argument) *proof.Refutation {
	switch {
	case by.Refutation != nil:
		return by.Refutation
	case !m.mayCheck():
		return nil
	}
	c.By = said(ctx, m.Incumbent.JS, q, by, func(q query.Question) *proof.Refutation { return m.leaf(ctx, q) })
	return m.tried(ctx, c)
}

// pairBytes is about what a checker takes for a task and a slave that it may run on.
const pairBytes = 100

// mayCheck reports whether there is the memory to check anything.
func (m *maker) mayCheck() bool {
	js := m.Certificate.JS
	return memory.Allows(m.trials, "checking proofs", pairBytes*int64(len(js.Tasks))*int64(len(js.Slaves)))
}

// tried is the refutation of a claim if the checker agrees that it is one, else nil: what an
// argument says may have been found under other limits than those of the claim, and there
// may be no time for it.
func (m *maker) tried(ctx context.Context, c Claim) *proof.Refutation {
	if c.By == nil {
		return nil
	}
	if alone := (Certificate{JS: m.Certificate.JS, Unit: m.Unit, Alike: m.Alike, Claims: []Claim{c}}); !alone.holds(ctx) {
		return nil
	}
	return c.By
}

// said is the refutation of a question that an argument is, nil where it cannot be said, or
// not until ctx is done. Search is for leaves that a search has closed.
func said(ctx context.Context, js *model.JobSet, q query.Question, by *incumbent.Argument, search Search) *proof.Refutation {
	switch {
	case by.Refutation != nil:
		return by.Refutation
	case by.Branching != nil:
		return byBranching(ctx, js, q, by.Branching, search)
	case by.Cuts != nil:
		return byCuts(ctx, js, q, by.Cuts, search)
	case by.Pooled != nil:
		return byPools(ctx, js, q, by.Pooled)
	case by.Packing != nil:
		return byPacking(ctx, js, q, by.Packing)
	}
	for k := range by.Overloads {
		if r := byOverload(js, q, &by.Overloads[k]); r != nil {
			return r
		}
	}
	return nil
}

// leaf refutes once more by lazy clause generation what a search has closed a leaf of a branching
// by, within some polls; nil where it does not.
func (m *maker) leaf(ctx context.Context, q query.Question) *proof.Refutation {
	s, err := exact.New(ctx, q, &m.exact, m.seed, nil)
	if err != nil {
		return nil
	}
	polls := 0
	s.Run(ctx, func() bool { polls++; return polls > leafPolls })
	return s.Refutation()
}

// leafPolls is four times what a leaf is given that is not the last: without its restrictions to
// tasks a search may take longer.
const leafPolls = 64

// search refutes a question, of which it is known that it has no plan, by lazy clause
// generation; nil where it comes to no end.
func (m *maker) search(ctx context.Context, q query.Question) (*proof.Refutation, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	m.Say("proving once more what is to be certified")
	s, err := exact.New(ctx, q, &m.exact, m.seed, nil)
	if err != nil {
		return nil, nil // too large
	}
	switch a, _ := s.Run(ctx, nil); a {
	case lcg.Satisfiable:
		return nil, fmt.Errorf("a question that was refuted has a plan: %v", q.Lines())
	case lcg.Unsatisfiable:
		return s.Refutation(), nil
	}
	return nil, nil
}
