package lagrange

import (
	"context"
	"math"

	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/relaxation"
)

// Ask tells whether it is refuted that tasks keep to restrictions, by TaskID, as
// well, or that there is a plan in which they do: then there is no argument, and the
// search is over. last tells that no other way to refute it is left.
type Ask func(restrict []query.Restriction, last bool) (refuted, planned bool)

// prober refutes what the domains leave, within the work that may be done. It is not for
// concurrent use; others may be at the same search.
type prober struct {
	ctx context.Context
	*domains
	*workers
	// spent is the work done that has not been taken off what is left, steps are those of
	// ascents taken so far.
	spent, steps int
	thorough     bool
	ask          Ask
	memo         memo // of one basis at a time: there may be many
}

// Steps for multipliers of a part, from those that were good for the whole, whose
// first factor is warmFactor: a few at first, then as many as are of use.
const (
	fewSteps, manySteps = 100, 250
	warmFactor          = 0.2
)

// maxSize bounds the size of a search, at 48 bytes each.
const maxSize = 8_000_000

// halted reports whether to stop here: for good, or for now since the work is done.
func (p *prober) halted() bool {
	if p.charge(); p.left.Load() <= 0 {
		return true
	}
	if p.size.Load() > maxSize || p.ctx.Err() != nil {
		p.over.Store(true)
	}
	return p.over.Load()
}

// charge takes the work done off what is left.
func (p *prober) charge() {
	p.left.Add(-int64(p.spent))
	p.spent = 0
}

// empty is the argument where a task has no placement left.
func (p *prober) empty() *proof.Branching {
	return &proof.Branching{Bound: &proof.DualBound{Penalty: p.penalty, Late: p.late}}
}

// byMultipliers looks for multipliers that refute what the domains leave. It leaves
// the last ones in the relaxation: unlike the best, which are often none at all,
// they are a start for more.
func (p *prober) byMultipliers(start []int64, steps int, factor float64) *proof.Branching {
	c, _ := p.within(start, steps, factor, math.MinInt64)
	return c
}

// within is byMultipliers that gives up where there is no hope of a value above 0, or it is
// less than hope after most of the steps. It also gives the best value.
func (p *prober) within(start []int64, steps int, factor float64, hope int64) (c *proof.Branching, reached int64) {
	best, value := p.ascend(start, steps, factor, hope, 1)
	if value <= 0 {
		return nil, value
	}
	bound := p.dualBound(best)
	p.size.Add(int64(len(bound.Multipliers)))
	return &proof.Branching{Bound: bound}, value
}

// ascend is within that gives the best multipliers and their value, and goes on until the
// value is enough.
func (p *prober) ascend(start []int64, steps int, factor float64, hope, enough int64) (best []int64, value int64) {
	copy(p.Multipliers, start)
	a := p.Ascend(steps)
	a.Factor = factor
	part := max(1, steps/looks)
	for a.Taken < steps {
		late := float64(a.Taken)/float64(steps) >= mostSteps
		if hope > math.MinInt64 && a.Taken >= 2*part && (!withinReach(a, 0, mostGain*unit) || late && a.Latest < hope) {
			break
		}
		if !a.Run(p.ctx, min(part, steps-a.Taken), enough, unit) {
			break
		}
	}
	charged := a.Taken
	if a.Value >= enough {
		charged = steps
	}
	p.spent += charged * (1 + p.lagrangian.size)
	p.steps += a.Taken
	return a.Best, a.Value
}

// withinReach tells whether there is hope of a value after a part of the steps: steps get shorter, so that what those to come
// gain is no more than gain times the factor of the next one.
func withinReach(a *relaxation.Ascent, value int64, gain float64) bool {
	return float64(value-a.Latest) <= gain*a.Factor
}

// looks is into how many parts steps are divided, after which, but the first, it is looked whether to go on; mostGain times the factor is
// what is still gained at most, in units. Of 600 tries on boxes of ends of 30 and 40 tasks, of 250 steps each, 290 refuted, one of which was
// further off after 50 steps, none after 75 and more; of the others two fifths and more were. With 2 in place of 4 searches took
// up to four times the steps.
const looks, mostGain = 10, 4

// mostSteps is the part of the steps after which multipliers that are to refute
// anything come close to it.
const mostSteps = 0.6
