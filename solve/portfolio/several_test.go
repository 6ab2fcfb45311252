package portfolio_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/budget"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// crowd counts who is at a strategy at once, and how many runners were begun.
type crowd struct {
	mu                 sync.Mutex
	now, most, runners int
	runs               int
	seeds              []uint64
}

func (c *crowd) strategy(name string, sharing portfolio.Sharing, stop func()) *portfolio.Strategy {
	return &portfolio.Strategy{Name: name, Sharing: sharing, Begin: func(_ *portfolio.Work, seed uint64) portfolio.Runner {
		c.runners++
		c.seeds = append(c.seeds, seed)
		return visit{c, stop}
	}}
}

// visit is a runner of a crowd: it stays until everybody who can come has come.
type visit struct {
	*crowd
	stop func()
}

func (v visit) Run(context.Context, portfolio.Slice) portfolio.Outcome {
	v.mu.Lock()
	v.now++
	v.runs++
	v.most = max(v.most, v.now)
	if v.runs > 200 {
		v.stop()
	}
	v.mu.Unlock()
	time.Sleep(100 * time.Microsecond)
	v.mu.Lock()
	v.now--
	v.mu.Unlock()
	return portfolio.Open
}

func workOn(js *model.JobSet) *portfolio.Work {
	return &portfolio.Work{Incumbent: incumbent.New(js, []model.Objective{model.Makespan}, nil, nil, time.Now()), P: incumbent.AnyPlan}
}

// One worker at a time is at what is not shared; copies have runners and seeds of their own, and what is
// done together has one runner.
func TestSharing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w := workOn(gen.Tiny(1))
	w.Seed = 1<<40 + 7
	var single, copies, together crowd
	var list portfolio.List
	for _, s := range []*portfolio.Strategy{
		single.strategy("a", portfolio.Single, stop), copies.strategy("b", portfolio.Copies, stop), together.strategy("c", portfolio.Together, stop),
	} {
		list.Entries = append(list.Entries, portfolio.Entry{Begun: portfolio.Begin(w, s, w.Seed), Units: []int{1}})
	}
	portfolio.Run(ctx, w, list, 6)
	if single.most != 1 || single.runners != 1 {
		t.Errorf("%d workers at once, %d runners, of what is not shared", single.most, single.runners)
	}
	if copies.most < 2 || copies.runners < copies.most || copies.runners > 6 {
		t.Errorf("%d copies at once of %d", copies.most, copies.runners)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(copies.seeds))); len(distinct) != copies.runners || copies.seeds[0] != w.Seed {
		t.Errorf("seeds of copies: %v", copies.seeds)
	}
	for k, seed := range copies.seeds {
		if w.IsCopy(seed) != (k > 0) {
			t.Errorf("%d of the seeds %v is taken for the first one's, or for a copy's", k, copies.seeds)
		}
	}
	if together.most < 2 || together.runners != 1 {
		t.Errorf("%d workers together on %d runners", together.most, together.runners)
	}
}

// Workers that nothing is left for wait for those that are at something, and end with them.
func TestNothingLeftForMany(t *testing.T) {
	w := workOn(gen.Tiny(1))
	runs := 0
	s := &portfolio.Strategy{Name: "a", Begin: func(*portfolio.Work, uint64) portfolio.Runner {
		return runnerFunc(func() portfolio.Outcome {
			if runs++; runs < 5 {
				return portfolio.Open
			}
			return portfolio.Done
		})
	}}
	portfolio.Run(t.Context(), w, portfolio.List{Entries: []portfolio.Entry{{Begun: portfolio.Begin(w, s, 0), Units: []int{1}}}}, 4)
	if runs != 5 {
		t.Errorf("%d runs", runs)
	}
}

// No worker comes to a strategy while one is at that which it goes on from; all come after that.
func TestAfter(t *testing.T) {
	w := workOn(gen.Tiny(1))
	var mu sync.Mutex
	ended, runs := false, 0
	first := &portfolio.Strategy{Name: "a", Begin: func(*portfolio.Work, uint64) portfolio.Runner {
		return runnerFunc(func() portfolio.Outcome {
			time.Sleep(20 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			ended = true
			return portfolio.Open
		})
	}}
	second := &portfolio.Strategy{Name: "b", Sharing: portfolio.Together, After: first, Begin: func(*portfolio.Work, uint64) portfolio.Runner {
		return runnerFunc(func() portfolio.Outcome {
			mu.Lock()
			defer mu.Unlock()
			if runs++; !ended {
				t.Error("a worker came too early")
			}
			return portfolio.Done
		})
	}}
	portfolio.Run(t.Context(), w, portfolio.List{Entries: []portfolio.Entry{
		{Begun: portfolio.Begin(w, first, 0), Units: []int{1, 0}}, {Begun: portfolio.Begin(w, second, 0), Units: []int{1}},
	}}, 3)
	if runs == 0 {
		t.Error("nobody came")
	}
}

type runnerFunc func() portfolio.Outcome

func (f runnerFunc) Run(context.Context, portfolio.Slice) portfolio.Outcome { return f() }

// Of a refusal by one of several workers, the others have their slice, and all go over to the other list. The clock of
// a bubble stands until the refusal is noted: by that of the machine, the others may have many slices before.
func TestRefusalAmongMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := workOn(gen.Tiny(1))
		var mu sync.Mutex
		seen := map[string]int{}
		entry := func(name string, takes time.Duration, out ...portfolio.Outcome) portfolio.Entry {
			s := &portfolio.Strategy{Name: name, Begin: func(*portfolio.Work, uint64) portfolio.Runner {
				return runnerFunc(func() portfolio.Outcome {
					time.Sleep(takes)
					mu.Lock()
					defer mu.Unlock()
					seen[name]++
					return out[min(seen[name], len(out))-1]
				})
			}}
			return portfolio.Entry{Begun: portfolio.Begin(w, s, 0), Units: []int{1}}
		}
		portfolio.Run(t.Context(), w, portfolio.List{
			Entries:   []portfolio.Entry{entry("a", 0, portfolio.Refused), entry("b", time.Second, portfolio.Open)},
			Otherwise: []portfolio.Entry{entry("x", 0, portfolio.Open, portfolio.Done)},
		}, 3)
		if seen["a"] != 1 || seen["b"] != 1 || seen["x"] != 2 {
			t.Errorf("runs %v", seen)
		}
	})
}

// spender spends its budget unit by unit, for longer in each slice, and notes what it has seen of the bound; it raises
// the bound by its seed now and then.
type spender struct {
	w    *portfolio.Work
	seed uint64
	log  *[]int64
}

func (s *spender) Run(ctx context.Context, at portfolio.Slice) portfolio.Outcome {
	for range 40 * (at.Number + 1) {
		if ctx.Err() != nil {
			break
		}
		budget.Spend(ctx, 1+int(s.seed>>32))
		_, target := s.w.Start()
		bound := target[1] // behind that of hard misses
		*s.log = append(*s.log, bound)
		if len(*s.log)%50 == 0 {
			s.w.Raise(0, bound+1+int64(s.seed>>32), model.DualProof)
		}
	}
	return portfolio.Open
}

// What workers by epochs see of each other depends on their work alone: copies that spend at different paces
// see the same bounds in every run, and the budget is spent by all together.
func TestEpochsRepeat(t *testing.T) {
	run := func() (logs [3][]int64, least int64) {
		w := workOn(gen.Tiny(1))
		ctx, stop := budget.With(t.Context(), 20_000)
		defer stop()
		portfolio.RunByEpochs(ctx, w, func(w *portfolio.Work) portfolio.List {
			s := &portfolio.Strategy{Name: "a", Sharing: portfolio.Copies, Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
				return &spender{w, seed, &logs[w.Exact.Worker]}
			}}
			return portfolio.List{Entries: []portfolio.Entry{{Begun: portfolio.Begin(w, s, 0), Units: []int{1}}}}
		}, 3)
		_, target := w.Start()
		return logs, target[1]
	}
	first, least := run()
	total := 0
	for k, log := range first {
		if len(log) < 2 || !slices.IsSorted(log) || log[len(log)-1] == log[0] {
			t.Fatalf("worker %d saw the bounds %v", k, log)
		}
		total += len(log) * (1 + k)
	}
	if total < 19_000 || total > 21_000 {
		t.Errorf("%d units were spent of 20000", total)
	}
	for range 20 {
		again, bound := run()
		for k := range first {
			if !slices.Equal(first[k], again[k]) {
				t.Fatalf("worker %d saw other bounds in another run", k)
			}
		}
		if bound != least {
			t.Fatalf("bounds %d and %d", least, bound)
		}
	}
}

// keeper keeps contexts from slice to slice: its own, and the whole of those who join it.
type keeper struct {
	t    *testing.T
	mu   sync.Mutex
	kept []context.Context
	runs int
}

// Run implements portfolio.Runner.
func (k *keeper) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	k.mu.Lock()
	k.kept = append(k.kept, portfolio.Whole(ctx))
	k.runs++
	for _, kept := range k.kept {
		if kept.Err() != nil {
			k.t.Error("what was begun in an earlier slice is over")
		}
	}
	k.mu.Unlock()
	time.Sleep(time.Millisecond)
	if s.Number == 20 {
		return portfolio.Done
	}
	return portfolio.Open
}

// What a strategy begins in one slice lasts to the next ones, whether it was the first at it or joined.
func TestWhole(t *testing.T) {
	w := workOn(gen.Tiny(1))
	k := &keeper{t: t}
	s := &portfolio.Strategy{Name: "a", Sharing: portfolio.Together, Begin: func(*portfolio.Work, uint64) portfolio.Runner { return k }}
	portfolio.Run(t.Context(), w, portfolio.List{Entries: []portfolio.Entry{{Begun: portfolio.Begin(w, s, 0), Units: []int{1}}}}, 3)
	if k.runs <= 21 {
		t.Errorf("nobody joined in %d runs", k.runs)
	}
	for _, kept := range k.kept {
		if kept.Err() == nil {
			t.Fatal("a context outlives the whole")
		}
	}
}

// Where the first of those that are at a slice together finds nothing to do, the others go on with it, and
// nobody begins another slice until they are done.
func TestFirstLeavesItToOthers(t *testing.T) {
	w := workOn(gen.Tiny(1))
	r := &leaver{joined: make(chan struct{}), left: make(chan struct{})}
	s := &portfolio.Strategy{Name: "a", Sharing: portfolio.Together, Begin: func(*portfolio.Work, uint64) portfolio.Runner { return r }}
	rest := &portfolio.Strategy{Name: "b", Begin: func(*portfolio.Work, uint64) portfolio.Runner {
		return runnerFunc(func() portfolio.Outcome {
			r.once.Do(func() { close(r.left) }) // the first has come on to other work
			return portfolio.Open
		})
	}}
	portfolio.Run(t.Context(), w, portfolio.List{Entries: []portfolio.Entry{
		{Begun: portfolio.Begin(w, s, 0), Units: []int{1}}, {Begun: portfolio.Begin(w, rest, 0), Units: []int{1, 0}},
	}}, 2)
	if r.cut || r.slices != 2 {
		t.Errorf("%d slices; cut off: %v", r.slices, r.cut)
	}
}

// leaver has the first worker leave once another has joined, who stays longer.
type leaver struct {
	mu           sync.Mutex
	once         sync.Once
	joined, left chan struct{}
	runs, slices int
	cut          bool
}

func (r *leaver) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	r.mu.Lock()
	r.runs++
	run := r.runs
	r.slices = max(r.slices, s.Number+1)
	r.mu.Unlock()
	switch {
	case s.Number > 0:
		return portfolio.Done
	case run == 1:
		<-r.joined
		return portfolio.Open
	case run == 2:
		close(r.joined)
		<-r.left
		time.Sleep(5 * time.Millisecond)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.cut = ctx.Err() != nil
	}
	return portfolio.Open
}
