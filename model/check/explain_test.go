package check

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"downbeat/model"
	"downbeat/model/files/jobfile"
)

// Lists of jobs are whole or not there, objectives that a list leaves out are named, and
// what has one cause is told once: a slave, or a job with its result, that is not there.
func TestListsLeftOut(t *testing.T) {
	js, err := jobfile.Load("set.yaml", []byte(`version: 1
cluster: {heartbeat: 1, slaves: [{name: a, cores: 4}]}
jobs:
  - {name: j, deadline: 9, map: {tasks: 2, wcet: 3}}
  - {name: k, map: {tasks: 1, wcet: 3}}
objective: [misses, tardiness]
`))
	if err != nil {
		t.Fatal(err)
	}
	good := model.NewPlan(js)
	good.FillTasks(js, model.Schedule{{}, {}, {}})
	good.Objectives = []model.ObjectiveValue{{Name: "misses"}, {Name: "tardiness"}}
	for _, c := range []struct {
		name      string
		alter     func(p *model.Plan)
		want      []string
		unclaimed []model.Objective
	}{
		{"whole", func(*model.Plan) {}, nil, nil},
		{"no list of jobs", func(p *model.Plan) { p.Jobs = nil }, nil, nil},
		{"a job left out", func(p *model.Plan) { p.Jobs = p.Jobs[:1] }, []string{"claim: the plan's list of jobs leaves out 1 of 2 jobs: k"}, nil},
		{"an objective left out", func(p *model.Plan) { p.Objectives = p.Objectives[1:] }, nil, []model.Objective{model.Misses}},
		{"no objectives", func(p *model.Plan) { p.Objectives = nil }, nil, nil},
		{"a slave not there", func(p *model.Plan) { p.Tasks[0].Slave, p.Tasks[1].Slave, p.Tasks[2].Slave = "b", "b", "b" },
			[]string{`name: there is no machine "b" in the cluster: j/map/1, j/map/2, k/map/1`}, nil},
		{"a job not there", func(p *model.Plan) {
			p.Tasks = append(p.Tasks, p.Tasks[0])
			p.Tasks[3].Job = "l"
			p.Jobs = append(p.Jobs, model.JobResult{Job: "l"})
		}, []string{`name: there is no job "l" in the job set: l/map/1`}, nil},
		{"a result for a job not there", func(p *model.Plan) { p.Jobs = append(p.Jobs, model.JobResult{Job: "l"}) },
			[]string{`name: there is no job "l" in the job set, the plan has a result for it`}, nil},
	} {
		p := *good
		p.Jobs, p.Tasks = slices.Clone(p.Jobs), slices.Clone(p.Tasks)
		c.alter(&p)
		found := Plan(js, &p)
		var got []string
		for _, v := range found.Violations {
			got = append(got, v.String())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.unclaimed, found.Unclaimed); diff != "" {
			t.Errorf("%s: unclaimed (-want +got):\n%s", c.name, diff)
		}
	}
}
