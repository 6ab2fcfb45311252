package verify

import (
	"strings"
	"testing"

	"downbeat/model"
)

// workflow is a set on a big and a small slave: job etl has stages a, b and, after both,
// c; job report comes after it. Its plan fills the memory of the big slave.
func workflow(t *testing.T) (*model.JobSet, *model.Plan) {
	t.Helper()
	group := func(needs model.Needs) []model.Group {
		p := model.NewProfile(model.ConstRow(2, 5), model.ConstRow(2, 0))
		return []model.Group{{Count: 1, Profile: p.Needing(needs)}}
	}
	memory := func(units int64) (n model.Needs) { n.Units[0] = units; return n }
	js := &model.JobSet{
		Heartbeat: 1, Named: []string{"memory"},
		Slaves: []model.Slave{
			{Name: "big", Cores: 4, Slots: 8, Units: []int64{64}}, {Name: "small", Cores: 2, Slots: 2},
		},
		Jobs: []model.Job{
			{Name: "etl", Stages: []model.Stage{
				{Name: "c", After: []int32{1, 2}, Groups: group(model.Needs{Cores: 2})},
				{Name: "a", After: []int32{}, Groups: group(memory(40))},
				{Name: "b", After: []int32{}, Groups: group(memory(24))},
			}},
			{Name: "report", After: []model.JobID{0}, Stages: []model.Stage{{Name: "m", Groups: group(memory(1))}}},
			{Name: "other", Stages: []model.Stage{{Name: "m", Groups: group(model.Needs{Cores: 3})}}},
		},
	}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js, &model.Plan{Version: model.PlanVersion, Tasks: []model.TaskResult{
		{Job: "etl", Stage: "a", Task: 1, Slave: "big", Beat: 0, Assigned: 0, Fetch: 0, Start: 0, Finish: 5},
		{Job: "etl", Stage: "b", Task: 1, Slave: "big", Beat: 4, Assigned: 4, Fetch: 4, Start: 4, Finish: 9},
		{Job: "etl", Stage: "c", Task: 1, Slave: "small", Beat: 9, Assigned: 9, Fetch: 9, Start: 9, Finish: 14},
		{Job: "report", Stage: "m", Task: 1, Slave: "big", Beat: 14, Assigned: 14, Fetch: 14, Start: 14, Finish: 19},
		{Job: "other", Stage: "m", Task: 1, Slave: "big", Beat: 9, Assigned: 9, Fetch: 9, Start: 9, Finish: 14},
	}}
}

// TestTodayByHand breaks one rule of containers, stage graphs or jobs after jobs at a
// time.
func TestTodayByHand(t *testing.T) {
	move := func(r *model.TaskResult, at model.Time) {
		r.Beat, r.Assigned, r.Fetch, r.Start, r.Finish = at, at, at, at, at+5
	}
	executed := func(p *model.Plan, dropped string) {
		p.Kind, p.Rejected = model.KindExecuted, []string{dropped}
		var kept []model.TaskResult
		for _, r := range p.Tasks {
			if r.Job != dropped {
				kept = append(kept, r)
			}
		}
		p.Tasks = kept
	}
	for name, c := range map[string]struct {
		change func(js *model.JobSet, p *model.Plan)
		want   string
	}{
		"valid": {func(*model.JobSet, *model.Plan) {}, ""},
		"less memory": {func(js *model.JobSet, _ *model.Plan) { js.Slaves[0].Units = []int64{63} },
			"C9: slave big holds 2 tasks that need 64 memory at once in [4, 5), it offers 63: etl/a/1, etl/b/1"},
		"no memory": {func(_ *model.JobSet, p *model.Plan) { p.Tasks[3].Slave = "small" },
			"C0: report/m/1 needs 1 memory, slave small offers 0\n" +
				"C9: slave small holds 1 task that needs 1 memory at once in [14, 19), it offers 0: report/m/1"},
		"cores of one task": {func(_ *model.JobSet, p *model.Plan) { p.Tasks[4].Slave = "small"; move(&p.Tasks[4], 14) },
			"C0: other/m/1 needs 3 cores, slave small has 2\n" +
				"C4: slave small runs 1 task that needs 3 cores at once in [14, 19), it has 2 cores: other/m/1"},
		"cores of several": {func(_ *model.JobSet, p *model.Plan) { move(&p.Tasks[4], 3) },
			"C4: slave big runs 3 tasks that need 5 cores at once in [4, 5), it has 4 cores: etl/a/1, etl/b/1, other/m/1"},
		"a stage too early": {func(_ *model.JobSet, p *model.Plan) { move(&p.Tasks[2], 8) },
			"C7: etl/c/1 is assigned at 8, before etl/b/1 finishes at 9: stage c comes after stage b"},
		"a job too early": {func(_ *model.JobSet, p *model.Plan) { move(&p.Tasks[3], 13) },
			"C10: job report comes after job etl, whose etl/c/1 finishes at 14; assigned before, from 13 on: report/m/1"},
		"a job rejected with those after it": {func(_ *model.JobSet, p *model.Plan) { executed(p, "report") }, ""},
		"a job rejected alone": {func(_ *model.JobSet, p *model.Plan) { executed(p, "etl") },
			"rejected: job \"report\" is not rejected, but job \"etl\" is, which it comes after"},
		"a lost attempt holds what it held": {func(_ *model.JobSet, p *model.Plan) {
			p.Kind = model.KindExecuted
			p.Lost = []model.TaskResult{{Job: "etl", Stage: "b", Task: 1, Slave: "big", Beat: 1, Assigned: 1, Fetch: 1, Start: 1, Finish: 3}}
		}, ""},
		"a lost attempt holds too much": {func(_ *model.JobSet, p *model.Plan) {
			p.Kind = model.KindExecuted
			p.Lost = []model.TaskResult{{Job: "report", Stage: "m", Task: 1, Slave: "big", Beat: 4, Assigned: 4, Fetch: 4, Start: 4, Finish: 5}}
		}, "C9: slave big holds 3 tasks that need 65 memory at once in [4, 5), it offers 64: etl/a/1, etl/b/1, report/m/1 (lost)\n" +
			"C10: job report comes after job etl, whose etl/c/1 finishes at 14; assigned before, from 4 on: report/m/1 (lost)"},
	} {
		js, p := workflow(t)
		c.change(js, p)
		var got []string
		for _, v := range Plan(js, p).Violations {
			got = append(got, v.String())
		}
		if text := strings.Join(got, "\n"); text != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, text, c.want)
		}
	}
}
