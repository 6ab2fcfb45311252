package whatif

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"downbeat/internal/testkit"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

// Slaves are told apart as any two of them are.
func TestKinds(t *testing.T) {
	alike := 0
	for seed := range testkit.Sets[uint64](200, 2000) {
		js := gen.TodayTiny(seed)
		if seed%2 == 1 {
			js = gen.Small(seed, 20)
		}
		x := &search{js: js}
		got := x.kinds(t.Context())
		for s := range model.SlaveID(len(js.Slaves)) {
			isFirst := !slices.ContainsFunc(got[:min(len(got), int(s))], func(r model.SlaveID) bool { return r < s && same(x, r, s) })
			if slices.Contains(got, s) != isFirst {
				t.Fatalf("seed %d: slave %d of kinds %v: first of its kind is %v", seed, s, got, isFirst)
			}
			if !isFirst {
				alike++
			}
		}
	}
	if alike == 0 {
		t.Error("no two slaves were alike")
	}
}

// same tells whether two slaves are alike but for their names.
func same(x *search, r, s model.SlaveID) bool {
	a, b := x.js.Slaves[r], x.js.Slaves[s]
	a.Name, b.Name = "", ""
	return fmt.Sprint(a) == fmt.Sprint(b) && !slices.ContainsFunc(x.profiles(), func(p *model.Profile) bool {
		return p.WCET(r) != p.WCET(s) || p.Transfer(r) != p.Transfer(s)
	})
}

// What has no time left looks at nothing that grows with the job set, and says nothing.
func TestSearchHeedsItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	js := gen.Scale(1000, 1)
	x := &search{js: js}
	if kinds := x.kinds(ctx); kinds != nil {
		t.Errorf("%d kinds of slaves without time", len(kinds))
	}
	if job := &js.Jobs[0]; !fetches(t.Context(), js, job) || fetches(ctx, js, job) {
		t.Error("whether a job fetches is not asked of the context")
	}
	out, err := FindRepairs(ctx, js, &RepairOptions{
		Plan: func(context.Context, *model.JobSet) (model.Status, model.Schedule, error) {
			return model.Feasible, nil, nil
		},
		Conflicts: [][]model.JobID{{0, 1}},
	})
	if err != nil || len(out.Single)+len(out.Together)+len(out.Vain)+len(out.Refuted) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// What plans of parts show is not looked for: a planner that finds nothing out leaves open only what they do not show.
func TestKnownPlansAnswer(t *testing.T) {
	js, err := jobfile.Load("two", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: s}]}
jobs:
  - {name: a, hard: true, deadline: 5, map: {tasks: 1, wcet: 5}}
  - {name: b, hard: true, deadline: 6, map: {tasks: 1, wcet: 4}}
  - {name: c, map: {tasks: 1, wcet: 3}}
`))
	if err != nil {
		t.Fatal(err)
	}
	without := func(plans ...model.Schedule) (help []string) {
		out, err := FindRepairs(t.Context(), js, &RepairOptions{
			Plan: func(context.Context, *model.JobSet) (model.Status, model.Schedule, error) {
				return model.Unknown, nil, nil
			},
			Conflicts: [][]model.JobID{{0, 1}}, Plans: plans,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Single {
			help = append(help, fmt.Sprintf("%s %s %d %t", r.Changes[0].Name, r.Changes[0].Kind, r.Changes[0].At, r.Least[0]))
		}
		slices.Sort(help)
		return help
	}
	alone := model.NewSchedule(3)
	alone[0] = model.Placement{Slave: 0}
	if got := without(); got != nil {
		t.Errorf("nothing is known, and %v help", got)
	}
	if got, want := without(alone), []string{"b deadline 9 false", "b soften 0 true"}; !slices.Equal(got, want) {
		t.Errorf("%v help, want %v", got, want)
	}
}
