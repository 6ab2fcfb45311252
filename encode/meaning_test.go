package encode

import (
	"fmt"
	"testing"

	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// meanings lists what every literal of the formula should be put into, made
// from the variables up. Variables left out are helpers.
func meanings(e *Encoding) map[z.Lit]string {
	want := map[z.Lit]string{}
	scaled := func(s *scale, sentence func(at model.Time) string) {
		for at := s.lo; at < s.hi; at++ {
			want[s.atMost(at)] = sentence(at)
		}
	}
	for _, t := range e.Included() {
		name := e.JS.TaskName(t)
		for k, x := range e.vars[t].x {
			if x != cnf.True {
				want[x] = name + " runs on " + e.JS.Slaves[e.tasks[t].slaves[k].slave].Name
			}
		}
		scaled(&e.vars[t].start, func(at model.Time) string { return fmt.Sprint(name, " starts by ", at) })
		if e.tasks[t].freeFetch {
			scaled(&e.vars[t].fetch, func(at model.Time) string { return fmt.Sprint(name, " fetches by ", at) })
		}
	}
	for i, on := range e.on {
		if on != cnf.True && on != cnf.False {
			// Also x of a task with one slave left.
			want[on] = e.JS.Jobs[i].Name + " is placed"
		}
	}
	return want
}

func TestMeaning(t *testing.T) {
	kindsSeen := map[string]int{}
	for seed := range uint64(150) {
		js := gen.Tiny(seed)
		e := buildWithout(ask(js, kinds[seed%10], newRand(seed)))
		want := meanings(e)
		sentences := map[string]bool{}
		for v := z.Var(1); int(v) <= e.Vars(); v++ {
			m := v.Pos()
			not := ""
			if want[m] != "" {
				not = "not(" + want[m] + ")"
			}
			if got := e.Meaning(m); got != want[m] {
				t.Fatalf("seed %d: variable %d means %q, want %q", seed, v, got, want[m])
			}
			if got := e.Meaning(m.Not()); got != not {
				t.Fatalf("seed %d: not %d means %q, want %q", seed, v, got, not)
			}
			if want[m] == "" {
				kindsSeen["helper"]++
				continue
			}
			if sentences[want[m]] {
				t.Fatalf("seed %d: two literals mean %q", seed, want[m])
			}
			sentences[want[m]] = true
			kindsSeen[kindOf(e, m)]++
		}
	}
	for _, kind := range []string{"on", "x", "start", "fetch", "helper"} {
		if kindsSeen[kind] == 0 {
			t.Errorf("no literal of kind %s", kind)
		}
	}
}

func kindOf(e *Encoding, m z.Lit) string {
	for _, on := range e.on {
		if on == m {
			return "on"
		}
	}
	for _, t := range e.Included() {
		if _, ok := e.vars[t].start.timeOf(m); ok {
			return "start"
		}
		if _, ok := e.vars[t].fetch.timeOf(m); ok {
			return "fetch"
		}
	}
	return "x"
}

// TestMeaningByHand pins the words.
func TestMeaningByHand(t *testing.T) {
	js := assemble(t, &model.JobSet{
		Heartbeat: 1,
		Slaves:    []model.Slave{{Cores: 1, Slots: 2}, {Cores: 1, Slots: 2}},
		Jobs:      []model.Job{hardJob(9, stage(1, 2, 3, 2)), hardJob(4, stage(1, 2, 3, 2)), {Stages: []model.Stage{stage(1, 2, 1, 0)}}},
	})
	q := ask(js, "feasible", newRand(0))
	q.Role[1] = query.May // it cannot make it, 3 + 2 > 4, so it is left out
	e, err := Build(q, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for m, want := range map[z.Lit]string{
		e.slaveLit(0, 1):       "j1/map/1 runs on s2",
		e.slaveLit(0, 1).Not(): "not(j1/map/1 runs on s2)",
		e.StartBy(0, 4):        "j1/map/1 starts by 4",
		e.fetchBy(0, 0, 3):     "j1/map/1 fetches by 3",
		cnf.True:               "",
		cnf.False:              "",
	} {
		if got := e.Meaning(m); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if e.On(0) != cnf.True || e.On(1) != cnf.False || e.On(2) != cnf.False {
		t.Errorf("jobs in the formula: %v", e.on)
	}
}

// TestStartsAndChoices: what a search that decides task by task sees.
func TestStartsAndChoices(t *testing.T) {
	p := model.NewProfile(model.DenseRow([]model.Time{5, 3, 4, 9, 2}), model.DenseRow([]model.Time{2, 4, 2, 0, 0}))
	js := &model.JobSet{Heartbeat: 1}
	for range 5 {
		js.Slaves = append(js.Slaves, model.Slave{Cores: 1, Slots: 1})
	}
	js.Slaves[4].FirstBeat = 7 // too late to be any use
	js.Jobs = []model.Job{hardJob(8, model.Stage{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}})}
	e, err := Build(ask(assemble(t, js), "feasible", newRand(0)), 1000)
	if err != nil {
		t.Fatal(err)
	}
	// Slave 4 needs 9 ticks. The others take 7, 7 and 6: quickest first, else in
	// the order of slaves.
	want := []Choice{
		{e.slaveLit(0, 2), 6}, {e.slaveLit(0, 0), 7}, {e.slaveLit(0, 1), 7},
	}
	got := e.Choices(0)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("choices %v, want %v", got, want)
	}
	// First after the shorter transfers, last for the shortest run.
	first, last := e.Starts(0)
	if first != 2 || last != 5 {
		t.Errorf("starts from %d to %d, want 2 to 5", first, last)
	}
	if e.StartBy(0, 1) != cnf.False || e.StartBy(0, 5) != cnf.True || e.slaveLit(0, 3) != cnf.False || e.slaveLit(0, 4) != cnf.False {
		t.Error("literals outside the window are not constant")
	}
	s := solver{f: e.Formula}
	for at := first - 1; at <= last; at++ {
		if got := s.ask(t, e.StartBy(0, at)); got != (at >= first) {
			t.Errorf("a start by %d: %v", at, got)
		}
		if got := s.ask(t, e.StartBy(0, at).Not()); got != (at < last) {
			t.Errorf("a start after %d: %v", at, got)
		}
	}
}
