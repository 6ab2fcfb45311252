package propagate_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"downbeat/solve/lcg/core"
	"downbeat/solve/lcg/propagate"
)

// demand is what a user of a drawn resource can be given: it holds need units at
// the points from − before ≤ τ < to + length.
type demand struct {
	present        bool // in any case
	from, to       propagate.Span
	need           int64
	before, length int32
	apart          bool // to is not from, only to ≥ from + gap
	gap            int32
}

// workload is a resource and up to five users with windows of a few ticks.
type workload struct {
	capacity    int64
	first, step int32
	fixed       []propagate.Fixed
	demands     []demand
}

// draw makes up a workload in which needs differ: held for runs, or for stays that
// are counted at every step-th point.
func draw(rng *rand.Rand) workload {
	w := workload{capacity: 1 + rng.Int64N(4), step: 1}
	stay := rng.IntN(3) == 0
	if stay {
		w.first, w.step = rng.Int32N(3), 1+rng.Int32N(3)
	}
	for range 2 + rng.IntN(4) {
		lo := rng.Int32N(4)
		d := demand{
			present: rng.IntN(3) > 0, need: 1 + rng.Int64N(min(3, w.capacity)), length: 1 + rng.Int32N(4),
			from: propagate.Span{Lo: lo, Hi: lo + rng.Int32N(5)},
		}
		d.to = d.from
		if stay {
			d.apart, d.before, d.gap = true, w.step-1, rng.Int32N(3)
			d.to = propagate.Span{Lo: d.from.Lo + d.gap, Hi: d.from.Hi + d.gap + rng.Int32N(2)}
		}
		w.demands = append(w.demands, d)
	}
	for k := range w.demands { // by need
		for i := k; i > 0 && w.demands[i].need < w.demands[i-1].need; i-- {
			w.demands[i], w.demands[i-1] = w.demands[i-1], w.demands[i]
		}
	}
	if rng.IntN(3) == 0 {
		start := rng.Int64N(8)
		w.fixed = []propagate.Fixed{{Start: start, End: start + 1 + rng.Int64N(3), Need: 1 + rng.Int64N(w.capacity)}}
	}
	return w
}

// given is a choice for a user.
type given struct {
	there    bool
	from, to int32
}

// exists reports whether choices for all users from the k-th on keep the capacity.
func (w *workload) exists(chosen []given) bool {
	k := len(chosen)
	if k == len(w.demands) {
		return w.kept(chosen)
	}
	d := &w.demands[k]
	if !d.present && w.exists(append(chosen, given{})) {
		return true
	}
	for from := d.from.Lo; from <= d.from.Hi; from++ {
		last := d.to.Hi
		if !d.apart {
			last = from
		}
		for to := max(d.to.Lo, from+d.gap); to <= last; to++ {
			if w.exists(append(chosen, given{true, from, to})) {
				return true
			}
		}
	}
	return false
}

// kept adds up what is held at every point.
func (w *workload) kept(chosen []given) bool {
	for t := w.first; t < 30; t += w.step {
		held := int64(0)
		for _, f := range w.fixed {
			if f.Start <= int64(t) && int64(t) < f.End {
				held += f.Need
			}
		}
		used := false
		for k, g := range chosen {
			if d := &w.demands[k]; g.there && g.from-d.before <= t && t < g.to+d.length {
				held += d.need
				used = true
			}
		}
		if used && held > w.capacity {
			return false
		}
	}
	return true
}

// ask puts a workload to a solver, and checks its answer.
func (w *workload) ask(seed uint64, energetic bool) (satisfiable, kept bool) {
	s := core.New(seed)
	s.Check = true
	r := propagate.Resource{Capacity: w.capacity, First: w.first, Step: w.step, Fixed: w.fixed}
	for _, d := range w.demands {
		u := propagate.User{
			X: core.True, Need: d.need, Before: d.before, After: d.length - 1, Gap: d.gap,
			From: s.NewInt(d.from.Lo, d.from.Hi), FromSpan: d.from, ToSpan: d.to,
		}
		if !d.present {
			u.X = s.NewBool()
		}
		u.To = u.From
		if d.apart {
			u.To = s.NewInt(d.to.Lo, d.to.Hi)
			propagate.PostPrecedence(s, []core.View{u.From.Plus(d.gap)}, u.To)
		}
		r.Users = append(r.Users, u)
	}
	if propagate.PostTimeTable(s, r) && energetic && !w.demands[0].apart {
		propagate.PostEnergy(s, r)
	}
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false, true
	}
	var chosen []given
	for _, u := range r.Users {
		chosen = append(chosen, given{s.IsTrue(u.X), s.Lower(u.From), s.Lower(u.To)})
	}
	return true, w.kept(chosen)
}

// TestAmountsAgreeWithExhaustiveSearch: users that need up to three units each
// are placed exactly where that is possible.
func TestAmountsAgreeWithExhaustiveSearch(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		w := draw(rng)
		want := w.exists(nil)
		got, kept := w.ask(seed, seed%2 == 0)
		if got != want || !kept {
			t.Fatalf("seed %d, %+v: satisfiable %v, exhaustive search says %v; kept %v", seed, w, got, want, kept)
		}
		answers[got]++
	}
	if answers[true] < 300 || answers[false] < 300 {
		t.Errorf("answers %v are one-sided", answers)
	}
}

// TestWhereNothingIsShort: there is nothing to keep where all needs fit at once.
func TestWhereNothingIsShort(t *testing.T) {
	for _, c := range []struct{ capacity, fixed int64 }{{5, 0}, {6, 1}, {4, 0}, {5, 1}} {
		s := core.New(0)
		r := propagate.Resource{Capacity: c.capacity, Step: 1}
		for _, need := range []int64{2, 3} {
			span := propagate.Span{Lo: 0, Hi: 4}
			at := s.NewInt(0, 4)
			r.Users = append(r.Users, propagate.User{X: core.True, Need: need, From: at, To: at, FromSpan: span, ToSpan: span})
		}
		if c.fixed > 0 {
			r.Fixed = []propagate.Fixed{{Start: 1, End: 2, Need: c.fixed}}
		}
		if got, want := propagate.PostTimeTable(s, r), c.capacity < 5+c.fixed; got != want {
			t.Errorf("capacity %d, %d fixed: can be exceeded %v, not %v", c.capacity, c.fixed, got, want)
		}
	}
}
