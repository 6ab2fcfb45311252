package portfolio_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// scripted notes its slices, and comes to outcomes in a row, the last for all after.
type scripted struct {
	name     string
	log      *[]string
	outcomes []portfolio.Outcome
	n        int
	stop     func()
}

func (s *scripted) Run(_ context.Context, at portfolio.Slice) portfolio.Outcome {
	*s.log = append(*s.log, fmt.Sprintf("%s%d:%d", s.name, at.Round, at.Units))
	s.n++
	if len(*s.log) >= 12 {
		s.stop()
	}
	return s.outcomes[min(s.n, len(s.outcomes))-1]
}

// logOf is what a worker does until it has taken twelve slices.
func logOf(t *testing.T, make func(add func(name string, units []int, outcomes ...portfolio.Outcome) portfolio.Entry) portfolio.List) []string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log []string
	worker := make(func(name string, units []int, outcomes ...portfolio.Outcome) portfolio.Entry {
		runner := &scripted{name: name, log: &log, outcomes: outcomes, stop: stop}
		return portfolio.Entry{Units: units, Begun: portfolio.Begin(&portfolio.Work{}, &portfolio.Strategy{
			Name: name, Begin: func(*portfolio.Work, uint64) portfolio.Runner { return runner },
		}, 0)}
	})
	js := gen.Tiny(1)
	w := &portfolio.Work{Incumbent: incumbent.New(js, []model.Objective{model.Makespan}, nil, nil, time.Now()), P: incumbent.AnyPlan}
	portfolio.Run(ctx, w, worker, 1)
	return log
}

type adder = func(name string, units []int, outcomes ...portfolio.Outcome) portfolio.Entry

// A worker goes over its table in rounds; who is done, or has no units left, is out.
func TestRounds(t *testing.T) {
	got := logOf(t, func(add adder) portfolio.List {
		return portfolio.List{Entries: []portfolio.Entry{
			add("a", []int{1, 0, 16, 0}, portfolio.Open),
			add("b", []int{0, 2}, portfolio.Open),
			add("c", nil, portfolio.Open, portfolio.Done),
		}}
	})
	want := []string{"a0:1", "c0:0", "b1:2", "c1:0", "a2:16", "b2:2", "b3:2", "b4:2", "b5:2", "b6:2", "b7:2", "b8:2"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Where a strategy refuses, others take the place of all; in the first round not
// before these have had a slice.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		first, second []portfolio.Outcome
		want          []string
	}{
		"in the first round": {[]portfolio.Outcome{portfolio.Refused}, []portfolio.Outcome{portfolio.Open}, []string{"a0:1", "b0:1", "x0:1", "x1:1"}},
		"later":              {[]portfolio.Outcome{portfolio.Open, portfolio.Refused}, []portfolio.Outcome{portfolio.Open}, []string{"a0:1", "b0:1", "a1:1", "x0:1"}},
		"by the last one":    {[]portfolio.Outcome{portfolio.Done}, []portfolio.Outcome{portfolio.Refused}, []string{"a0:1", "b0:1", "x0:1", "x1:1"}},
	} {
		got := logOf(t, func(add adder) portfolio.List {
			return portfolio.List{
				Entries:   []portfolio.Entry{add("a", []int{1}, c.first...), add("b", []int{1}, c.second...)},
				Otherwise: []portfolio.Entry{add("x", []int{1}, portfolio.Open)},
			}
		})
		if !slices.Equal(got[:4], c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// Without others a refusal only takes the strategy out, and a worker with nothing
// left ends.
func TestNothingLeft(t *testing.T) {
	got := logOf(t, func(add adder) portfolio.List {
		return portfolio.List{Entries: []portfolio.Entry{
			add("a", []int{1}, portfolio.Refused), add("b", []int{1}, portfolio.Open, portfolio.Done),
		}}
	})
	if want := []string{"a0:1", "b0:1", "b1:1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A strategy has the more units in each slice of its own, up to so many times the first, in
// whichever row of its worker it comes.
func TestGrowth(t *testing.T) {
	var log []string
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	runner := &scripted{name: "a", log: &log, outcomes: []portfolio.Outcome{portfolio.Open}, stop: stop}
	begun := portfolio.Begin(&portfolio.Work{}, &portfolio.Strategy{
		Name: "a", Grows: 2, Most: 8, Begin: func(*portfolio.Work, uint64) portfolio.Runner { return runner },
	}, 0)
	w := &portfolio.Work{Incumbent: incumbent.New(gen.Tiny(1), []model.Objective{model.Makespan}, nil, nil, time.Now()), P: incumbent.AnyPlan}
	portfolio.Run(ctx, w, portfolio.List{Entries: []portfolio.Entry{
		{Begun: begun, Units: []int{3}}, {Begun: begun, Units: []int{1, 0}},
	}}, 1)
	if want := []string{"a0:3", "a0:2", "a1:12", "a2:24", "a3:24"}; !slices.Equal(log[:5], want) {
		t.Errorf("got %v, want %v", log[:5], want)
	}
}
