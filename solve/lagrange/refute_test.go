package lagrange_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/check/inference"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/solve/lagrange"
)

// lateBy are the due times of a set whose soft jobs may be late by as much.
func lateBy(js *model.JobSet, late model.Time) []model.Time {
	due := query.AtMost(js, model.Misses, 0)
	for i := range due {
		if js.Jobs[i].Kind == model.Soft {
			due[i] += late
		}
	}
	return due
}

// 18 is the least tardiness of this set: branching refutes 17, which multipliers of
// the whole do not. An argument of which a part is missing or mixed up is refused.
func TestBranchingIsChecked(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 1)
	if err != nil {
		t.Fatal(err)
	}
	due := lateBy(js, 17)
	if c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{}, nil); c != nil {
		t.Error("multipliers of the whole refute 17")
	}
	c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{Work: 500_000_000}, nil)
	if c == nil || c.Leaves() == 1 {
		t.Fatal("no branching")
	}
	if err := inference.Branching(t.Context(), js, due, c); err != nil {
		t.Fatal(err)
	}
	if err := inference.Branching(t.Context(), js, lateBy(js, 18), c); err == nil {
		t.Error("it refutes what has a plan")
	}
	kept := *c
	for what, harm := range map[string]func(){
		"a missing part":       func() { c.Fails = nil },
		"parts exchanged":      func() { c.Holds, c.Fails = c.Fails, c.Holds },
		"a leaf without bound": func() { c.Holds = &proof.Branching{} },
		"another task":         func() { c.Split.Task = js.Jobs[len(js.Jobs)-1].First },
		"no task":              func() { c.Split.Task = -1 },
		"no kind":              func() { c.Split.Kind = 9 },
		"the end of a job":     func() { c.Split.Task = js.Jobs[0].End - 1 },
		"a slave out of range": func() { c.Split.Kind, c.Split.Slave = proof.OnSlave, 99 },
	} {
		harm()
		if inference.Branching(t.Context(), js, due, c) == nil {
			t.Errorf("%s passes", what)
		}
		*c = kept
	}
}

// A search that stops and goes on comes to the same argument as one that does not,
// and so does one that begins anew.
func TestRefutationGoesOn(t *testing.T) {
	for _, c := range []struct {
		seed     uint64
		late     model.Time
		stretch  int // of work
		thorough bool
	}{{1, 17, 1_000_000, true}, {1, 17, 1_000_000, false}, {3, 2, 5_000_000, true}}[:testkit.Sets(1, 3)] {
		js, _, err := gen.Family("tardiness-60", c.seed)
		if err != nil {
			t.Fatal(err)
		}
		goesOn(t, js, lateBy(js, c.late), c.stretch, c.thorough)
	}
}

func goesOn(t *testing.T, js *model.JobSet, due []model.Time, stretch int, thorough bool) {
	t.Helper()
	atOnce, _ := lagrange.Refute(t.Context(), js, due, lagrange.Effort{Work: 2_000_000_000, Thorough: thorough}, nil)
	if atOnce == nil {
		t.Fatal("not refuted")
	}
	r := lagrange.NewRefutation(t.Context(), js, due, thorough)
	runs := func() (c *proof.Branching, n int) {
		for ; c == nil && n < 10_000; n++ {
			c, _ = r.Run(stretch, nil)
		}
		return c, n
	}
	c, n := runs()
	if n < 4 || !reflect.DeepEqual(c, atOnce) {
		t.Errorf("thorough %t: another argument in %d runs", thorough, n)
	}
	if r.Size() < c.Leaves() {
		t.Errorf("%d leaves held in %d multipliers", c.Leaves(), r.Size())
	}
	r.Forget()
	if r.Size() != 0 {
		t.Error("it still holds what it was to forget")
	}
	if again, m := runs(); m != n || !reflect.DeepEqual(again, atOnce) {
		t.Errorf("thorough %t: another argument after %d runs, begun anew", thorough, m)
	}
}

// The squeezed set halts at every point where a search can, and comes to the same
// argument; with two ticks more for b and one for d there is a plan, and no argument. Where the
// caller answers for what is left, its word stands at a leaf, or ends the search.
func TestSqueezed(t *testing.T) {
	js := load(squeezed)
	due := query.HardDues(js)
	for _, thorough := range []bool{false, true} {
		e := lagrange.Effort{Work: 1_000_000, Thorough: thorough}
		atOnce, steps := lagrange.Refute(t.Context(), js, due, e, nil)
		r := lagrange.NewRefutation(t.Context(), js, due, thorough)
		var c *proof.Branching
		runs, taken := 0, 0
		for ; c == nil && runs < 1000; runs++ {
			var more int
			c, more = r.Run(1, nil)
			taken += more
		}
		if runs < 10 || taken != steps || !reflect.DeepEqual(c, atOnce) {
			t.Errorf("thorough %t: another argument in %d runs of %d steps, not %d", thorough, runs, taken, steps)
		}
		if c, more := r.Run(1_000_000, nil); c != nil || more != 0 || r.Size() != 0 {
			t.Errorf("thorough %t: it goes on for %d steps after the end", thorough, more)
		}
	}
	due[1] += 2
	due[3]++
	if c, _ := lagrange.Refute(t.Context(), js, due, lagrange.Effort{Work: 10_000_000}, nil); c != nil {
		t.Error("refuted, and there is a plan")
	}
	for _, planned := range []bool{false, true} {
		asked := 0
		ask := func(restrict []query.Restriction, last bool) (bool, bool) { asked++; return !planned, planned }
		r := lagrange.NewRefutation(t.Context(), js, due, false)
		c, _ := r.Run(10_000_000, ask)
		if asked == 0 || planned != (c == nil) || c != nil && !searched(c) {
			t.Errorf("planned %t: asked %d times, argument %v", planned, asked, c)
		}
	}
}

// searched reports whether some leaf rests on the word of the caller.
func searched(b *proof.Branching) bool {
	return b.Searched || b.Holds != nil && (searched(b.Holds) || searched(b.Fails))
}

// BenchmarkBranching refutes what multipliers of the whole do not.
func BenchmarkBranching(b *testing.B) {
	for _, c := range []struct {
		family string
		seed   uint64
		late   model.Time
	}{{"tardiness-60", 1, 17}, {"tardiness-60", 3, 2}, {"tardiness-80", 2, 8}} {
		js, _, err := gen.Family(c.family, c.seed)
		if err != nil {
			b.Fatal(err)
		}
		for _, thorough := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/thorough=%t", js.Name, thorough), func(b *testing.B) {
				for b.Loop() {
					e := lagrange.Effort{Work: 2_000_000_000, Thorough: thorough}
					tree, _ := lagrange.Refute(context.Background(), js, lateBy(js, c.late), e, nil)
					if tree == nil {
						b.Fatal("not refuted")
					}
					b.ReportMetric(float64(tree.Leaves()), "leaves")
				}
			})
		}
	}
}
