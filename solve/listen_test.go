package solve

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/event"
)

// Who listens changes nothing, and hears what the answer says: a start, plans that get better,
// bounds that rise, and an end with the values of the result and all that strategies counted.
func TestListening(t *testing.T) {
	strategies, steps := 0, int64(0)
	for _, name := range []string{"misses-30-1", "tiny-3", "infeasible-11"} {
		js, err := named(name)
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{Seed: 1, Budget: 900}
		want, err := Plan(t.Context(), js, opt)
		if err != nil {
			t.Fatal(err)
		}
		var heard []event.Event
		opt.Events, opt.Stats = func(e event.Event) { heard = append(heard, e) }, true
		got, err := Plan(t.Context(), js, opt)
		if err != nil {
			t.Fatal(err)
		}
		if want.Stats != nil || !slices.Equal(want.Schedule, got.Schedule) || want.Status != got.Status || want.Stop != got.Stop || !cmp.Equal(want.Objectives, got.Objectives) {
			t.Errorf("%s: %v %v heard, %v %v unheard", name, got.Status, got.Objectives, want.Status, want.Objectives)
		}
		checkEvents(t, name, heard, got)
		strategies += len(got.Stats.Strategies)
		steps += got.Stats.Steps
	}
	if strategies == 0 || steps == 0 {
		t.Errorf("%d strategies and %d steps were told of", strategies, steps)
	}
}

func checkEvents(t *testing.T, name string, heard []event.Event, r *Result) {
	t.Helper()
	last := len(heard) - 1
	if heard[0].Kind != event.Start || heard[last].Kind != event.End || heard[0].Begun.Workers != 1 {
		t.Fatalf("%s: from %v to %v", name, heard[0].Kind, heard[last].Kind)
	}
	var fold event.Stats
	var sum event.Counts
	var best []model.ObjectiveValue
	for i, e := range heard {
		fold.Take(e)
		if i > 0 && e.Elapsed < heard[i-1].Elapsed && e.Kind != event.End {
			t.Errorf("%s: event %d at %v, after one at %v", name, i, e.Elapsed, heard[i-1].Elapsed)
		}
		switch e.Kind {
		case event.Plan:
			if best != nil && !better(e.Objectives, best) {
				t.Errorf("%s: a plan with %v after one with %v", name, e.Objectives, best)
			}
			best = e.Objectives
		case event.Strategy:
			sum.Add(e.Slice.Counts)
		}
	}
	end := heard[last].Ended
	if end.Status != r.Status || end.Reason != r.Stop || sum.Conflicts > end.Conflicts || sum.Steps > end.Steps || sum.Constructions > end.Constructions {
		t.Errorf("%s: %+v at the end, %+v by strategies", name, end, sum)
	}
	if fold.Plans != r.Stats.Plans || fold.Counts != r.Stats.Counts || len(fold.Strategies) != len(r.Stats.Strategies) {
		t.Errorf("%s: statistics %+v, of events %+v", name, r.Stats, fold)
	}
}

func better(a, b []model.ObjectiveValue) bool {
	return slices.CompareFunc(a, b, func(x, y model.ObjectiveValue) int { return int(x.Value - y.Value) }) < 0
}

// named draws a set of a family.
func named(name string) (*model.JobSet, error) {
	i := len(name) - 1
	for name[i] != '-' {
		i--
	}
	seed := uint64(0)
	for _, c := range name[i+1:] {
		seed = 10*seed + uint64(c-'0')
	}
	js, _, err := gen.Family(name[:i], seed)
	return js, err
}

// The reason of a stop is the limit that was reached, or that none was.
func TestReasons(t *testing.T) {
	open, err := named("misses-80-1")
	if err != nil {
		t.Fatal(err)
	}
	small, err := named("tiny-3")
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		js   *model.JobSet
		opt  Options
		want event.Reason
	}{
		{t.Context(), open, Options{Budget: 20}, event.Budget},
		{t.Context(), open, Options{TimeLimit: 20 * time.Millisecond, Workers: 1}, event.TimeLimit},
		{t.Context(), open, Options{Memory: 1, Workers: 1}, event.Memory},
		{done, open, Options{Workers: 1}, event.Interrupted},
		{t.Context(), small, Options{Workers: 1}, event.Proved},
		{t.Context(), small, Options{Workers: 1, Objectives: []model.Objective{}}, event.Answered},
	} {
		r, err := Plan(c.ctx, c.js, c.opt)
		if err != nil || r.Stop != c.want {
			t.Errorf("%+v: %q, not %q, %v", c.opt, r.Stop, c.want, err)
		}
	}
}

// Whether the hard jobs can meet their deadlines is told once, as soon as it is settled: before why they
// cannot is looked for, and before any plan is made better. Where no job is hard there is nothing to tell.
func TestVerdictIsToldAtOnce(t *testing.T) {
	for name, want := range map[string]model.Status{"infeasible-20-1": model.Infeasible, "tight-20-1": model.Feasible, "misses-30-1": model.Unknown} {
		js, err := named(name)
		if err != nil {
			t.Fatal(err)
		}
		var told []event.Event
		after := 0
		v, err := Check(t.Context(), js, Options{Seed: 1, Workers: 1, Events: func(e event.Event) {
			switch {
			case e.Kind == event.Verdict:
				told = append(told, e)
			case len(told) > 0 && e.Kind == event.Phase:
				after++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if want == model.Unknown {
			if len(told) > 0 || v.Settled != 0 {
				t.Errorf("%s: told of %v, settled after %v, without a hard job", name, told, v.Settled)
			}
			continue
		}
		if len(told) != 1 || told[0].Settled.Status != want || v.Status != want || told[0].Elapsed != v.Settled || v.Settled > v.Elapsed {
			t.Errorf("%s: told of %v; the answer is %s after %v of %v", name, told, v.Status, v.Settled, v.Elapsed)
		}
		if want == model.Infeasible && after == 0 {
			t.Errorf("%s: nothing followed the verdict", name)
		}
	}
}
