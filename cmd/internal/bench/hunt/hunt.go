// Package hunt searches for small job sets on which an online policy does badly
// although something much better is proved to exist, and makes them as small as
// they get: an example that a person can follow by hand.
package hunt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"downbeat/cmd/internal/bench"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/online"
	"downbeat/solve"
)

// Quarry says what is hunted.
type Quarry struct {
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
}

// Find is a job set that shows what was hunted, with its two sides.
type Find struct {
	JobSet *model.JobSet
	// FoundBy is the seed of the job set that it was shrunk from.
	FoundBy uint64
	Policy  string
	Outcome *online.Outcome
	// Best is the solver's answer: optimal, or feasible where the set names no
	// objective.
	Best *solve.Result
	// Gap in the quarry's objective, 0 where a miss was hunted.
	Gap int64
}

// Source makes the job set of a seed.
type Source func(seed uint64) (*model.JobSet, error)

// DefaultSource makes small sets with every feature of the model, in which all
// hard deadlines can be met: they are cut from a schedule.
func DefaultSource(q *Quarry) Source {
	k := gen.TinyKnobs()
	k.Tasks = gen.Range{Lo: 3, Hi: 8}
	k.Release = gen.Range{Lo: 0, Hi: 8}
	k.Witness, k.Slack = 1, gen.Range{Lo: 0, Hi: 2}
	k.Hard, k.Down, k.FIFO, k.SplitSlots = 0.8, 0.1, 0, 0.1
	if q.Gap {
		k.Hard, k.BestEffort = 0.2, 0.1
	}
	return func(seed uint64) (*model.JobSet, error) {
		js, _ := gen.Random(k, seed)
		return js, nil
	}
}

// Hunt looks at the job sets of the seeds in turn and returns up to wanted
// shrunk ones, no two alike: of a miss the first, of a gap those with the
// largest. Where ctx ends it returns what it has. tell, if set, hears of each
// step in words.
func (q *Quarry) Hunt(ctx context.Context, source Source, seeds []uint64, wanted int, tell func(string)) ([]*Find, error) {
	if tell == nil {
		tell = func(string) {}
	}
	var finds []*Find
	keep := func(f *Find, err error) error {
		if err == nil && f != nil && !slices.ContainsFunc(finds, func(g *Find) bool { return g.JobSet.Digest() == f.JobSet.Digest() }) {
			finds = append(finds, f)
		}
		return err
	}
	if q.Gap {
		raw, err := q.largest(ctx, source, seeds, wanted, tell)
		for i := 0; i < len(raw) && err == nil && ctx.Err() == nil; i++ {
			tell(fmt.Sprintf("shrinking seed %d", raw[i].FoundBy))
			err = keep(q.Shrink(ctx, raw[i]))
		}
		sortByGap(finds) // a smaller set may have a larger gap
		return finds, err
	}
	for _, seed := range seeds {
		if len(finds) == wanted || ctx.Err() != nil {
			break
		}
		tell(fmt.Sprintf("seed %d, %d found", seed, len(finds)))
		f, err := q.look(ctx, source, seed, 0)
		if err == nil && f != nil {
			err = keep(q.Shrink(ctx, f))
		}
		if err != nil {
			return finds, err
		}
	}
	return finds, nil
}

// largest looks at all seeds and keeps the wanted ones with the largest gaps,
// largest first.
func (q *Quarry) largest(ctx context.Context, source Source, seeds []uint64, wanted int, tell func(string)) ([]*Find, error) {
	var best []*Find
	for _, seed := range seeds {
		if ctx.Err() != nil {
			break
		}
		atLeast := int64(1)
		if len(best) == wanted {
			atLeast = best[wanted-1].Gap + 1
		}
		tell(fmt.Sprintf("seed %d, gap %d or more", seed, atLeast))
		f, err := q.look(ctx, source, seed, atLeast)
		if err != nil {
			return nil, err
		}
		if f == nil {
			continue
		}
		best = append(best, f)
		sortByGap(best)
		best = best[:min(len(best), wanted)]
	}
	return best, nil
}

func sortByGap(finds []*Find) {
	slices.SortStableFunc(finds, func(a, b *Find) int { return cmp.Compare(b.Gap, a.Gap) })
}

// look tells whether the job set of a seed is a find.
func (q *Quarry) look(ctx context.Context, source Source, seed uint64, atLeast int64) (*Find, error) {
	js, err := source(seed)
	if err != nil {
		return nil, &bench.InputError{Err: err}
	}
	d := draftOf(js)
	d.objectives = nil
	if q.Gap {
		d.objectives = []model.Objective{q.Objective}
	}
	if js, err = d.build(q.name(seed)); err != nil {
		return nil, err // what was assembled once can be again
	}
	f, err := q.test(ctx, js, atLeast)
	if err != nil {
		return nil, fmt.Errorf("seed %d: %w", seed, err)
	}
	if f != nil {
		f.FoundBy = seed
	}
	return f, nil
}

// test makes a find of a job set if it shows what is hunted, with a gap of at
// least that; nil if it does not, or the solver reached no answer.
func (q *Quarry) test(ctx context.Context, js *model.JobSet, atLeast int64) (*Find, error) {
	p, err := q.New(q.Policy, q.Seed)
	if err != nil {
		return nil, err
	}
	out, err := online.Play(ctx, js, p, online.Options{Seed: q.Seed})
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if q.Gap {
		if len(out.Rejected) > 0 || !out.HardMet() || out.Value(q.Objective) < atLeast {
			return nil, nil
		}
	} else if out.Value(model.HardMisses) == 0 {
		return nil, nil
	}
	best, err := solve.Plan(ctx, js, solve.Options{TimeLimit: q.TimeLimit, Seed: 1, Workers: 1, NoConflict: true})
	if err != nil {
		return nil, err
	}
	settled := best.Status == model.Optimal || best.Status == model.Feasible && len(best.Objectives) == 0
	if !settled {
		return nil, nil
	}
	f := &Find{JobSet: js, Policy: q.Policy, Outcome: out, Best: best}
	if q.Gap {
		f.Gap = out.Value(q.Objective) - best.Objectives[0].Value
		if f.Gap < atLeast {
			return nil, nil
		}
	}
	return f, nil
}

// Shrink takes steps for as long as what is left still shows what is hunted, a
// gap as large as it was. Afterwards no single step would. It is nil if ctx
// ended before.
func (q *Quarry) Shrink(ctx context.Context, f *Find) (*Find, error) {
	d := draftOf(f.JobSet)
	for {
		smaller, next, err := q.step(ctx, d, f)
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case err != nil || next == nil:
			return f, err
		}
		d, f = smaller, next
	}
}

// step finds the first smaller draft that will do; nil if there is none.
func (q *Quarry) step(ctx context.Context, d *draft, f *Find) (*draft, *Find, error) {
	size := d.size()
	for c := range d.steps() {
		if c.size() >= size {
			continue // figures were even already, for instance
		}
		js, err := c.build(f.JobSet.Name)
		if err != nil {
			continue // no job set any more
		}
		next, err := q.test(ctx, js, f.Gap)
		if err != nil {
			return nil, nil, fmt.Errorf("while shrinking seed %d: %w", f.FoundBy, err)
		}
		if next != nil {
			next.FoundBy = f.FoundBy
			return c, next, nil
		}
	}
	return nil, nil, nil
}

// name is a job set's: policy, what for, seed.
func (q *Quarry) name(seed uint64) string {
	what := "miss"
	if q.Gap {
		what = "gap"
	}
	return fmt.Sprintf("%s-%s-%d", plain(q.Policy), what, seed)
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
