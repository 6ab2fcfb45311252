package lcg

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"downbeat/model"
	"downbeat/solve/lcg/core"
)

// demand is what a task of a drawn resource can be given: it holds need units at
// the points from − before ≤ τ < to + length.
type demand struct {
	present        bool // in any case
	from, to       span
	need           int64
	before, length int32
	apart          bool // to is not from, only to ≥ from + gap
	gap            int32
}

// workload is a resource and up to five tasks with windows of a few ticks.
type workload struct {
	capacity    int64
	first, step int32
	fixed       []fixedTask
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
			from: span{lo: lo, hi: lo + rng.Int32N(5)},
		}
		d.to = d.from
		if stay {
			d.apart, d.before, d.gap = true, w.step-1, rng.Int32N(3)
			d.to = span{lo: d.from.lo + d.gap, hi: d.from.hi + d.gap + rng.Int32N(2)}
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
		w.fixed = []fixedTask{{start: start, end: start + 1 + rng.Int64N(3), need: 1 + rng.Int64N(w.capacity)}}
	}
	return w
}

// given is a choice for a task.
type given struct {
	there    bool
	from, to int32
}

// exists reports whether choices for all tasks from the k-th on keep the capacity.
func (w *workload) exists(chosen []given) bool {
	k := len(chosen)
	if k == len(w.demands) {
		return w.kept(chosen)
	}
	d := &w.demands[k]
	if !d.present && w.exists(append(chosen, given{})) {
		return true
	}
	for from := d.from.lo; from <= d.from.hi; from++ {
		last := d.to.hi
		if !d.apart {
			last = from
		}
		for to := max(d.to.lo, from+d.gap); to <= last; to++ {
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
			if f.start <= int64(t) && int64(t) < f.end {
				held += f.need
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

// resource is that of a workload in a solver.
func (w *workload) resource(s *core.Solver) resource {
	r := resource{capacity: w.capacity, first: w.first, step: w.step, given: w.fixed}
	for _, d := range w.demands {
		u := optionalTask{
			x: core.True, need: d.need, before: d.before, after: d.length - 1, gap: d.gap,
			from: s.NewInt(d.from.lo, d.from.hi), fromSpan: d.from, toSpan: d.to,
		}
		if !d.present {
			u.x = s.NewBool()
		}
		u.to = u.from
		if d.apart {
			u.to = s.NewInt(d.to.lo, d.to.hi)
			postPrecedence(s, []core.View{u.from.Plus(d.gap)}, u.to)
		}
		r.tasks = append(r.tasks, u)
	}
	return r
}

// ask puts a workload to a solver, and checks its answer.
func (w *workload) ask(seed uint64) (satisfiable, kept bool) {
	s := core.New(seed)
	s.Check = true
	r := w.resource(s)
	if postTimeTable(s, r) && !w.demands[0].apart {
		switch seed % 3 {
		case 1:
			postEnergy(s, r, nil)
		case 2:
			postTableEdges(s, r)
		}
		if seed%4 > 1 {
			p := problem{Solver: s, orders: map[[2]core.View]core.Lit{}, turns: map[holding]*turns{}}
			p.postPairs(&r, 0, model.Cores)
		}
	}
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return false, true
	}
	var chosen []given
	for _, u := range r.tasks {
		chosen = append(chosen, given{s.IsTrue(u.x), s.Lower(u.from), s.Lower(u.to)})
	}
	return true, w.kept(chosen)
}

// TestAmountsAgreeWithExhaustiveSearch: tasks that need up to three units each
// are placed exactly where that is possible.
func TestAmountsAgreeWithExhaustiveSearch(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 12))
		w := draw(rng)
		want := w.exists(nil)
		got, kept := w.ask(seed)
		if got != want || !kept {
			t.Fatalf("seed %d, %+v: satisfiable %v, exhaustive search says %v; kept %v", seed, w, got, want, kept)
		}
		answers[got]++
	}
	if answers[true] < 300 || answers[false] < 300 {
		t.Errorf("answers %v are one-sided", answers)
	}
}

// afresh looks at a resource with a time table that knows nothing of looks before, once another one has nothing more to do.
type afresh struct {
	timeTable
	looks, found int
}

func (r *afresh) Priority() int { return 2 }

func (r *afresh) Propagate(s *core.Solver) bool {
	var before, after []known
	for k := range r.tasks {
		before = append(before, r.tasks[k].known(s))
	}
	r.profile = profile{fixed: r.fixed}
	r.forTasks(len(r.tasks))
	r.now, r.seen, r.settled = make([]known, len(r.tasks)), make([]known, len(r.tasks)), false
	ok := r.timeTable.Propagate(s)
	for k := range r.tasks {
		after = append(after, r.tasks[k].known(s))
	}
	r.looks++
	if !ok || !slices.Equal(before, after) {
		r.found++
	}
	return ok
}

// TestLookingAtWhatChanged: a time table that looks at what is new since the look before finds all that one finds which
// looks at everything.
func TestLookingAtWhatChanged(t *testing.T) {
	looks := 0
	for seed := range uint64(600) {
		w := draw(rand.New(rand.NewPCG(seed, 13)))
		s := core.New(seed)
		r := w.resource(s)
		if !postTimeTable(s, r) {
			continue
		}
		a := &afresh{timeTable: timeTable{resource: r}}
		a.tabulateFixed(s)
		id := s.Add(a)
		for k := range r.tasks {
			s.OnTrue(r.tasks[k].x, id)
			s.OnChange(r.tasks[k].from, id, core.False)
			s.OnChange(r.tasks[k].to, id, core.False)
		}
		s.Search(context.Background(), func() bool { return false })
		if a.found > 0 {
			t.Fatalf("seed %d, %+v: of %d looks %d find what was overlooked", seed, w, a.looks, a.found)
		}
		looks += a.looks
	}
	if looks < 1000 {
		t.Errorf("%d looks are too few", looks)
	}
}

// TestWhereNothingIsShort: there is nothing to keep where all needs fit at once.
func TestWhereNothingIsShort(t *testing.T) {
	for _, c := range []struct{ capacity, fixed int64 }{{5, 0}, {6, 1}, {4, 0}, {5, 1}} {
		s := core.New(0)
		r := resource{capacity: c.capacity, step: 1}
		for _, need := range []int64{2, 3} {
			span := span{lo: 0, hi: 4}
			at := s.NewInt(0, 4)
			r.tasks = append(r.tasks, optionalTask{x: core.True, need: need, from: at, to: at, fromSpan: span, toSpan: span})
		}
		if c.fixed > 0 {
			r.given = []fixedTask{{start: 1, end: 2, need: c.fixed}}
		}
		if got, want := postTimeTable(s, r), c.capacity < 5+c.fixed; got != want {
			t.Errorf("capacity %d, %d fixed: can be exceeded %v, not %v", c.capacity, c.fixed, got, want)
		}
	}
}

// TestTableEdges: without any decision, and without a time table, there is too much to do between two times, some of
// it held for sure; or so much that a task which has the time for it alone starts later, or earlier. Of four units.
func TestTableEdges(t *testing.T) {
	type task struct {
		lo, hi int32
		need   int64
		length int32
	}
	for _, c := range []struct {
		name  string
		tasks []task
		want  core.Answer
		last  span // starts of the last task
	}{
		{"overload", []task{{0, 3, 2, 4}, {0, 4, 2, 3}, {0, 4, 3, 3}, {0, 3, 2, 4}}, core.Unsatisfiable, nowhere},
		{"held for sure", []task{{-9, -1, 1, 10}, {0, 4, 2, 3}, {0, 4, 2, 3}, {0, 3, 4, 4}}, core.Unsatisfiable, nowhere},
		{"as much as there is", []task{{-10, -2, 1, 10}, {0, 4, 2, 3}, {0, 4, 2, 3}, {0, 3, 4, 4}}, core.Satisfiable, span{0, 3}},
		{"later", []task{{0, 1, 2, 3}, {0, 1, 1, 3}, {0, 1, 1, 3}, {0, 9, 2, 6}}, core.Satisfiable, span{2, 9}},
		{"earlier", []task{{2, 3, 2, 3}, {2, 3, 1, 3}, {2, 3, 1, 3}, {-8, 0, 2, 6}}, core.Satisfiable, span{-8, -2}},
	} {
		s := core.New(0)
		s.Check = true
		r := resource{capacity: 4, step: 1}
		for _, u := range c.tasks {
			at := span{u.lo, u.hi}
			start := s.NewInt(u.lo, u.hi)
			r.tasks = append(r.tasks, optionalTask{x: core.True, need: u.need, from: start, to: start, after: u.length - 1, fromSpan: at, toSpan: at})
		}
		postTableEdges(s, r)
		if a := s.Search(context.Background(), func() bool { return false }); a != c.want || a == core.Unsatisfiable && s.Conflicts() > 0 {
			t.Errorf("%s: answer %d after %d conflicts", c.name, a, s.Conflicts())
		}
		s.Assume() // back to what holds without decisions
		if start := r.tasks[3].from; c.want == core.Satisfiable && (span{s.Lower(start), s.Upper(start)}) != c.last {
			t.Errorf("%s: the last starts from %d to %d", c.name, s.Lower(start), s.Upper(start))
		}
	}
}
