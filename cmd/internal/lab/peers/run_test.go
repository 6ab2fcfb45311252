package peers

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// pair has two soft jobs due at 5, each one task of 4 ticks, on one core: the
// second to run ends at 8 or later, so misses are 1 at best. Tardiness is 3.
func pair(t *testing.T) *Set {
	t.Helper()
	js, err := jobfile.Load("pair.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 1, slots: 1}]}
jobs:
  - {name: i, deadline: 5, map: {tasks: 1, wcet: 4}}
  - {name: j, deadline: 5, map: {tasks: 1, wcet: 4}}
objective: [misses, tardiness]
`))
	if err != nil {
		t.Fatal(err)
	}
	return &Set{Name: "pair", JobSet: js}
}

// placed lays the two tasks from two beats on.
func placed(first, second int64) [][4]int64 {
	return [][4]int64{{0, first, first, first}, {0, second, second, second}}
}

func (l *listener) planned(t *testing.T, plan [][4]int64) {
	t.Helper()
	s, err := scheduleOf(l.run.Set.JobSet, plan)
	if err != nil {
		t.Fatal(err)
	}
	l.plan(s, l.now())
}

// TestListener: first and best plan are those that came first and that improved
// last; the values are recomputed.
func TestListener(t *testing.T) {
	l := listen(pair(t), "x", 0)
	l.planned(t, placed(5, 9)) // both late, by 8
	first := l.run.First
	time.Sleep(2 * time.Millisecond)
	l.planned(t, placed(0, 4))
	best := l.run.Best
	time.Sleep(2 * time.Millisecond)
	l.planned(t, placed(4, 0)) // no better
	r := l.close(claim{status: model.Optimal, bounds: []int64{1, 3}, search: time.Second}, nil)
	if r.Fault != "" || !slices.Equal(r.Values, []int64{1, 3}) || r.First != first || r.Best != best || best <= first || r.Total <= best {
		t.Errorf("%+v", r)
	}
	if r.Search != time.Second || r.Proof() != r.Total || !slices.Equal(r.Bounds, []int64{1, 3}) {
		t.Errorf("%+v", r)
	}
}

// TestListenerToldOfValues: a plan that comes at the end is dated by what was
// told of it, unless it is better than that.
func TestListenerToldOfValues(t *testing.T) {
	l := listen(pair(t), "x", 0)
	l.values([]int64{2, 8}, l.now())
	l.values([]int64{1, 3}, l.now())
	best := l.run.Best
	time.Sleep(2 * time.Millisecond)
	l.planned(t, placed(0, 4))
	if r := l.close(claim{status: model.Feasible}, nil); r.Best != best || r.Fault != "" || r.Proved() {
		t.Errorf("%+v", r)
	}
	l = listen(pair(t), "x", 0)
	l.values([]int64{2, 8}, l.now())
	early := l.run.Best
	time.Sleep(2 * time.Millisecond)
	l.planned(t, placed(0, 4))
	if r := l.close(claim{status: model.Feasible}, nil); r.Best == early || r.First != early {
		t.Errorf("%+v", r)
	}
}

// TestClaims: what a solver says counts as far as its plan bears it out.
func TestClaims(t *testing.T) {
	for name, test := range map[string]struct {
		plan  [][4]int64
		told  []int64
		claim claim
		err   error
		fault string
	}{
		"a plan that overlaps":          {plan: placed(0, 2), claim: claim{status: model.Feasible}, fault: "the plan is not valid"},
		"no plan, and a plan":           {plan: placed(0, 4), claim: claim{status: model.Infeasible}, fault: "it says that there is no plan"},
		"optimal without a plan":        {claim: claim{status: model.Optimal}, fault: "it says optimal without a plan"},
		"optimal below its own bound":   {plan: placed(0, 4), claim: claim{status: model.Optimal, bounds: []int64{1, 2}}, fault: "it says optimal with bounds [1 2]"},
		"told of a better one":          {plan: placed(5, 9), told: []int64{1, 3}, claim: claim{status: model.Feasible}, fault: "it told of a plan with [1 3]"},
		"failed":                        {plan: placed(0, 4), claim: claim{status: model.Feasible}, err: errors.New("oh"), fault: "oh"},
		"nothing known":                 {claim: claim{status: model.Unknown}},
		"infeasible, which is no fault": {claim: claim{status: model.Infeasible}},
	} {
		l := listen(pair(t), "x", 0)
		if test.told != nil {
			l.values(test.told, l.now())
		}
		if test.plan != nil {
			l.planned(t, test.plan)
		}
		r := l.close(test.claim, test.err)
		if !strings.HasPrefix(r.Fault, test.fault) || (r.Fault == "") != (test.fault == "") {
			t.Errorf("%s: fault %q", name, r.Fault)
		}
		if r.Fault != "" && (r.Status != model.Unknown || r.Proved() || r.Bounds != nil) {
			t.Errorf("%s: a faulty run claims %v, %v", name, r.Status, r.Bounds)
		}
	}
}

// TestHearer reads what a process says.
func TestHearer(t *testing.T) {
	const said = `{"values": [2, 8]}
{"plan": [[0, 0, 0, 0], [0, 4, 4, 4]]}

{"status": "optimal", "bounds": [1, 3], "search": 0.25}
`
	h := &hearer{l: listen(pair(t), "x", 0)}
	for line := range strings.SplitSeq(said, "\n") {
		h.hear([]byte(line))
	}
	c := h.claim
	if h.err != nil || !h.ended || c.status != model.Optimal || c.search != 250*time.Millisecond || !slices.Equal(c.bounds, []int64{1, 3}) {
		t.Errorf("%+v", h)
	}
	if r := h.l.close(c, nil); r.Fault != "" || !slices.Equal(r.Values, []int64{1, 3}) {
		t.Errorf("%+v", r)
	}
	for line, want := range map[string]string{
		`{"plan": [[0, 0, 0, 0]]}`:               "its plan has 1 tasks of 2",
		`{"plan": [[0, 0, 0, 0], [1, 4, 4, 4]]}`: "its plan names slave 1 of 1",
		`{"status": "splendid"}`:                 "unknown status",
		`plan`:                                   "its output: ",
	} {
		h := &hearer{l: listen(pair(t), "x", 0)}
		for line := range strings.SplitSeq(line+"\n"+said, "\n") {
			h.hear([]byte(line))
		}
		if h.err == nil || !strings.Contains(h.err.Error(), want) || h.ended {
			t.Errorf("%s: %v, ended %t", line, h.err, h.ended)
		}
	}
}

func TestContradictions(t *testing.T) {
	set, other := pair(t), pair(t)
	infeasible := &Run{Set: set, Peer: "no", Status: model.Infeasible}
	planned := &Run{Set: set, Peer: "plan", Planned: true, Values: []int64{1, 3}}
	for name, test := range map[string]struct {
		runs []*Run
		want string
	}{
		"agreed":             {[]*Run{planned, {Set: set, Peer: "bound", Bounds: []int64{1, 3}}}, ""},
		"no plan, and one":   {[]*Run{planned, infeasible}, "pair: no says infeasible, plan has a plan with [1 3]"},
		"not on other sets":  {[]*Run{{Set: other, Peer: "plan", Planned: true}, infeasible}, ""},
		"below the bound":    {[]*Run{planned, {Set: set, Peer: "bound", Bounds: []int64{2}}}, "pair: bound says at least [2], plan has a plan with [1 3]"},
		"below at the end":   {[]*Run{planned, {Set: set, Peer: "bound", Bounds: []int64{1, 4}}}, "pair: bound says at least [1 4], plan has a plan with [1 3]"},
		"a worse plan":       {[]*Run{{Set: set, Planned: true, Values: []int64{2, 0}}, {Set: set, Peer: "bound", Bounds: []int64{1, 3}}}, ""},
		"a bound of itself":  {[]*Run{{Set: set, Peer: "x", Planned: true, Values: []int64{1, 3}, Bounds: []int64{1, 1}}}, ""},
		"a fault of its own": {[]*Run{{Set: set, Peer: "x", Planned: true, Values: []int64{1, 3}, Bounds: []int64{2}}}, "pair: x says at least [2], x has a plan with [1 3]"},
	} {
		if got := strings.Join(Contradictions(test.runs), "; "); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
