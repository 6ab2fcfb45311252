package lagrange_test

import (
	"context"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/proof"
	"downbeat/model/query"
	"downbeat/model/verify"
	"downbeat/solve/lagrange"
	"fmt"
	"reflect"
	"testing"
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

// 18 is the least tardiness of this set: cases refute 17, which prices of the
// whole do not. An argument of which a part is missing or mixed up is refused.
func TestCasesAreChecked(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 1)
	if err != nil {
		t.Fatal(err)
	}
	due := lateBy(js, 17)
	if c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{}, nil); c != nil {
		t.Error("prices of the whole refute 17")
	}
	c, _ := lagrange.Refute(context.Background(), js, due, lagrange.Effort{Work: 500_000_000}, nil)
	if c == nil || c.Leaves() == 1 {
		t.Fatal("no cases")
	}
	if err := verify.Branching(js, due, c); err != nil {
		t.Fatal(err)
	}
	if err := verify.Branching(js, lateBy(js, 18), c); err == nil {
		t.Error("the cases refute what has a plan")
	}
	kept := *c
	for what, harm := range map[string]func(){
		"a missing case":       func() { c.Fails = nil },
		"cases exchanged":      func() { c.Holds, c.Fails = c.Fails, c.Holds },
		"a case without end":   func() { c.Holds = &proof.Branching{} },
		"another task":         func() { c.Split.Task = js.Jobs[len(js.Jobs)-1].First },
		"no task":              func() { c.Split.Task = -1 },
		"no kind":              func() { c.Split.Kind = 9 },
		"the end of a job":     func() { c.Split.Task = js.Jobs[0].End - 1 },
		"a slave out of range": func() { c.Split.Kind, c.Split.Slave = proof.OnSlave, 99 },
	} {
		harm()
		if verify.Branching(js, due, c) == nil {
			t.Errorf("%s passes", what)
		}
		*c = kept
	}
}

// A search that stops and goes on comes to the same argument as one that does not,
// and so does one that begins anew.
func TestRefutationGoesOn(t *testing.T) {
	js, _, err := gen.Family("tardiness-60", 3)
	if err != nil {
		t.Fatal(err)
	}
	due := lateBy(js, 2)
	for _, thorough := range []bool{false, true} {
		atOnce, _ := lagrange.Refute(t.Context(), js, due, lagrange.Effort{Work: 2_000_000_000, Thorough: thorough}, nil)
		if atOnce == nil {
			t.Fatal("not refuted")
		}
		r := lagrange.NewRefutation(t.Context(), js, due, thorough)
		runs := func() (c *proof.Branching, n int) {
			for ; c == nil && n < 10_000; n++ {
				c, _ = r.Run(5_000_000, nil)
			}
			return c, n
		}
		c, n := runs()
		if n < 4 || !reflect.DeepEqual(c, atOnce) {
			t.Errorf("thorough %t: another argument in %d runs", thorough, n)
		}
		if r.Size() < c.Leaves() {
			t.Errorf("%d ends held in %d tolls", c.Leaves(), r.Size())
		}
		r.Forget()
		if r.Size() != 0 {
			t.Error("it still holds what it was to forget")
		}
		if again, m := runs(); m != n || !reflect.DeepEqual(again, atOnce) {
			t.Errorf("thorough %t: another argument after %d runs, begun anew", thorough, m)
		}
	}
}

// BenchmarkCases refutes what prices of the whole do not.
func BenchmarkCases(b *testing.B) {
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
					proof, _ := lagrange.Refute(context.Background(), js, lateBy(js, c.late), e, nil)
					if proof == nil {
						b.Fatal("not refuted")
					}
					b.ReportMetric(float64(proof.Leaves()), "cases")
				}
			})
		}
	}
}
