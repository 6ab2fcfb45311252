package report

import (
	"bytes"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
	"downbeat/solve/capacity"
)

// Whatever the answer about sets with pools, caps and gangs is, it is told to people and to programs: a plan
// says what it takes of each limit, a no that rests on one names it, and the answer for programs is as
// the schema says.
func TestAnswersAboutCoupledSets(t *testing.T) {
	valid := under(t, "")
	plans, short, confined := 0, 0, 0
	for seed := range testkit.Tiny(t, 120, 300) {
		js := gen.Coupled(gen.TodayTiny(seed), seed, seed%2 == 0)
		opt := solve.Options{Seed: seed, Workers: 1, Budget: 200}
		res, err := solve.Plan(t.Context(), js, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		lost, err := capacity.SingleFailures(t.Context(), js, 0, nil, opt)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var text, program bytes.Buffer
		both := []View{NewText(&text, table.Page{Width: 100}, false), NewJSON(&program)}
		for _, v := range both {
			if err := v.Plan(js, res); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := valid(program.Bytes()); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, program.Bytes())
		}
		program.Reset()
		for _, v := range both {
			if err := v.SingleFailures(js, 0, lost, false); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		if err := valid(program.Bytes()); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, program.Bytes())
		}
		told := func(what string) bool { return strings.Contains(text.String(), what) }
		for id := range js.Shared() {
			if name := js.SharedName(model.SharedID(id)); res.Schedule != nil && len(res.LeftOut) < len(js.Jobs) && !told("\n"+name+" ") {
				t.Errorf("seed %d: the plan does not say what it takes of %s:\n%s", seed, name, &text)
			}
			plans++
		}
		if c := res.Conflict; c != nil {
			for i := range c.Overloads {
				if o := &c.Overloads[i]; strings.HasPrefix(o.Of(js), "pool ") || strings.HasPrefix(o.Of(js), "cap of ") {
					short++
					if !told(o.Of(js) + ": ") {
						t.Errorf("seed %d: %s is short, and is not named:\n%s", seed, o.Of(js), &text)
					}
				}
			}
		}
		for _, i := range res.LeftOut {
			if m := js.Misfit(i); m != nil && js.Confined()[i] {
				confined++
				if !told("cannot run: "+js.Jobs[i].Name+" ") && !told("comes after") {
					t.Errorf("seed %d: %s is left out without a word:\n%s", seed, js.Jobs[i].Name, &text)
				}
			}
		}
	}
	if t.Logf("%d limits, of which %d are short, %d jobs left out", plans, short, confined); plans == 0 || short == 0 || confined == 0 {
		t.Error("too few")
	}
}
