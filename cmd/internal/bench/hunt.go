// Hunt searches for small job sets on which an online policy does badly
// although something much better is proved to exist, and makes them as small as
// they get: an example that a person can follow by hand.

package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/solve"
)

// HuntTarget says what is hunted.
type HuntTarget struct {
	// Policy as New reads it, run with Seed at worst-case times.
	Policy string
	New    func(spec string, seed uint64) (online.Policy, error)
	Seed   uint64
	// Gap hunts the largest gap in Objective to a proved optimum. Without it,
	// the hunt is for an accepted hard job that is late where a plan meets
	// every hard deadline.
	Gap       bool
	Objective model.Objective
	// TimeLimit bounds the solver per question; 0 means none. A question that
	// hits it counts as answered by no.
	TimeLimit time.Duration
	// Memory bounds, in bytes, what the program may hold in a question; 0 means none.
	Memory int64
}

// Counterexample is a job set that shows what was hunted, with its two sides.
type Counterexample struct {
	JobSet *model.JobSet
	// FoundBy is the seed of the job set that it was shrunk from.
	FoundBy uint64
	Policy  string
	Outcome *online.Outcome
	// Best is the solver's answer: optimal, or feasible where the set names no
	// objective.
	Best *solve.Result
	// Gap in the target's objective, 0 where a miss was hunted.
	Gap int64
	// Unfinished tells that it is not as small as it gets, as the hunt was interrupted.
	Unfinished bool
}

// HuntSource makes the job set of a seed.
type HuntSource func(seed uint64) (*model.JobSet, error)

// DefaultHuntSource makes small sets with every feature of the model, in which all
// hard deadlines can be met: they are cut from a schedule.
func DefaultHuntSource(t *HuntTarget) HuntSource {
	k := gen.TinyKnobs()
	k.Tasks = gen.Range{Lo: 3, Hi: 8}
	k.Release = gen.Range{Lo: 0, Hi: 8}
	k.Witness, k.Slack = 1, gen.Range{Lo: 0, Hi: 2}
	k.Hard, k.Down, k.FIFO, k.SplitSlots = 0.8, 0.1, 0, 0.1
	if t.Gap {
		k.Hard, k.BestEffort = 0.2, 0.1
	}
	return func(seed uint64) (*model.JobSet, error) {
		js, _ := gen.Random(k, seed)
		return js, nil
	}
}

// Hunt looks at the job sets of the seeds in turn and returns up to wanted
// shrunk ones, no two alike: of a miss the first, of a gap those with the
// largest. Where ctx ends it returns what it has, shrunk or not. Looked is at how many
// job sets it has looked. tell, if set, hears of each step in words.
func (t *HuntTarget) Hunt(ctx context.Context, source HuntSource, seeds []uint64, wanted int, tell func(string)) (found []*Counterexample, looked int, err error) {
	if tell == nil {
		tell = func(string) {}
	}
	keep := func(e *Counterexample, err error) error {
		if err == nil && e != nil && !slices.ContainsFunc(found, func(old *Counterexample) bool { return old.JobSet.Digest() == e.JobSet.Digest() }) {
			found = append(found, e)
		}
		return err
	}
	if t.Gap {
		raw, looked, err := t.largest(ctx, source, seeds, wanted, tell)
		for i := 0; i < len(raw) && err == nil; i++ {
			tell(fmt.Sprintf("shrinking seed %d", raw[i].FoundBy))
			err = keep(t.Shrink(ctx, raw[i]))
		}
		sortByGap(found) // a smaller set may have a larger gap
		return found, looked, err
	}
	for _, seed := range seeds {
		if len(found) == wanted || ctx.Err() != nil {
			break
		}
		tell(fmt.Sprintf("seed %d, %d found", seed, len(found)))
		e, err := t.ofSeed(ctx, source, seed, 0)
		if err == nil && e != nil {
			err = keep(t.Shrink(ctx, e))
		}
		if err != nil {
			return found, looked, err
		}
		if ctx.Err() == nil || e != nil {
			looked++
		}
	}
	return found, looked, nil
}

// largest looks at all seeds and keeps the wanted ones with the largest gaps,
// largest first.
func (t *HuntTarget) largest(ctx context.Context, source HuntSource, seeds []uint64, wanted int, tell func(string)) (best []*Counterexample, looked int, err error) {
	for _, seed := range seeds {
		if ctx.Err() != nil {
			break
		}
		atLeast := int64(1)
		if len(best) == wanted {
			atLeast = best[wanted-1].Gap + 1
		}
		tell(fmt.Sprintf("seed %d, gap %d or more", seed, atLeast))
		e, err := t.ofSeed(ctx, source, seed, atLeast)
		if err != nil {
			return nil, looked, err
		}
		if ctx.Err() == nil || e != nil {
			looked++
		}
		if e == nil {
			continue
		}
		best = append(best, e)
		sortByGap(best)
		best = best[:min(len(best), wanted)]
	}
	return best, looked, nil
}

func sortByGap(found []*Counterexample) {
	slices.SortStableFunc(found, func(a, b *Counterexample) int { return cmp.Compare(b.Gap, a.Gap) })
}

// ofSeed is the counterexample that the job set of a seed is; nil if it is none, or ctx ended while it was made.
func (t *HuntTarget) ofSeed(ctx context.Context, source HuntSource, seed uint64, atLeast int64) (*Counterexample, error) {
	js, err := source(seed)
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, &InputError{Err: err}
	}
	c := candidateOf(js)
	c.objectives = nil
	if t.Gap {
		c.objectives = []model.Objective{t.Objective}
	}
	if js, err = c.build(t.name(seed)); err != nil {
		return nil, err // what was assembled once can be again
	}
	e, err := t.test(ctx, js, atLeast)
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", seed, err)
	}
	if e != nil {
		e.FoundBy = seed
	}
	return e, nil
}

// test makes a counterexample of a job set if it shows what is hunted, with a gap of at
// least that; nil if it does not, or the solver reached no answer.
func (t *HuntTarget) test(ctx context.Context, js *model.JobSet, atLeast int64) (*Counterexample, error) {
	p, err := t.New(t.Policy, t.Seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Play(ctx, js, p, online.Options{Seed: t.Seed})
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if t.Gap {
		if len(out.Rejected) > 0 || !out.HardMet() || out.Value(t.Objective) < atLeast {
			return nil, nil
		}
	} else if out.Value(model.HardMisses) == 0 {
		return nil, nil
	}
	best, err := solve.Plan(ctx, js, solve.Options{TimeLimit: t.TimeLimit, Memory: t.Memory, Seed: 1, Workers: 1, NoConflict: true})
	if err != nil {
		return nil, err
	}
	settled := best.Status == model.Optimal || best.Status == model.Feasible && len(best.Objectives) == 0
	if !settled {
		return nil, nil
	}
	e := &Counterexample{JobSet: js, Policy: t.Policy, Outcome: out, Best: best}
	if t.Gap {
		e.Gap = out.Value(t.Objective) - best.Objectives[0].Value
		if e.Gap < atLeast {
			return nil, nil
		}
	}
	return e, nil
}

// Shrink takes steps for as long as what is left still shows what is hunted, a
// gap as large as it was. Afterwards no single step would, unless ctx ended before.
func (t *HuntTarget) Shrink(ctx context.Context, e *Counterexample) (*Counterexample, error) {
	c := candidateOf(e.JobSet)
	for {
		next, smaller, err := t.step(ctx, c, e)
		switch {
		case ctx.Err() != nil:
			unfinished := *e
			unfinished.Unfinished = true
			return &unfinished, nil
		case err != nil || smaller == nil:
			return e, err
		}
		c, e = next, smaller
	}
}

// step finds the first smaller candidate that will do; nil if there is none.
func (t *HuntTarget) step(ctx context.Context, c *candidate, e *Counterexample) (*candidate, *Counterexample, error) {
	size := c.size()
	for next := range c.steps() {
		if next.size() >= size {
			continue // figures were even already, for instance
		}
		js, err := next.build(e.JobSet.Name)
		if err != nil {
			continue // no job set any more
		}
		smaller, err := t.test(ctx, js, e.Gap)
		if err != nil {
			return nil, nil, fmt.Errorf("while shrinking seed %d: %w", e.FoundBy, err)
		}
		if smaller != nil {
			smaller.FoundBy = e.FoundBy
			return next, smaller, nil
		}
	}
	return nil, nil, nil
}

// name is a job set's: policy, what for, seed.
func (t *HuntTarget) name(seed uint64) string {
	what := "miss"
	if t.Gap {
		what = "gap"
	}
	return fmt.Sprintf("%s-%s-%d", plain(t.Policy), what, seed)
}

// plain keeps letters and digits and makes a dash of the rest.
func plain(text string) string {
	out := []rune(text)
	for i, r := range out {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			out[i] = '-'
		}
	}
	return string(out)
}
