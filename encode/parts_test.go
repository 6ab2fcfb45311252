package encode

import (
	"testing"

	"downbeat/internal/testkit"
	"downbeat/internal/testkit/oracle"
	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
	"downbeat/model/query"
)

// TestPartsOfPlans: a job of a plan whose other jobs keep their places has a place, for it had one, and
// those that are found go with what keeps its own. Sets have pools, caps and gangs.
func TestPartsOfPlans(t *testing.T) {
	asked, moved := 0, 0
	for seed := range testkit.Tiny(t, 200, 400) {
		js := gen.TodayTiny(seed)
		if seed%2 == 0 {
			js = gen.Tiny(seed)
		}
		js = gen.Coupled(js, seed, false)
		if js.FIFO || js.JobsLinked() || len(js.Jobs) < 2 || !js.Coupled() {
			continue
		}
		a, err := oracle.SolveFor(js, nil, true)
		if err != nil || !a.Schedule.Complete() {
			t.Fatalf("seed %d: %v", seed, err)
		}
		finishes := js.Finishes(a.Schedule)
		for i := range model.JobID(len(js.Jobs)) {
			q := part(js, a.Schedule, i, finishes[i]+2)
			asked++
			job := &js.Jobs[i]
			if !eachModel(t, buildWithout(q), &q, newRand(seed), 5, func(part answered) {
				whole := append(model.Schedule{}, a.Schedule...)
				copy(whole[job.First:job.End], part.plan)
				if whole[job.First] != a.Schedule[job.First] {
					moved++
				}
				if err := check.Schedule(js, whole, true).Err(); err != nil {
					t.Errorf("seed %d, job %d: %v", seed, i, err)
				}
			}) {
				t.Errorf("seed %d, job %d: no model, though a schedule is known", seed, i)
			}
		}
	}
	if asked < 100 || moved < asked {
		t.Errorf("%d parts, of which the first task moved %d times", asked, moved)
	}
}

// part asks for a place of one job, by a time, among the tasks of all others.
func part(js *model.JobSet, plan model.Schedule, job model.JobID, by model.Time) query.Question {
	sub := js.Subset([]model.JobID{job})
	q := query.Question{
		JS: sub, Role: []query.Role{query.Must}, Cap: []model.Time{by},
		Restrict: make([]query.Restriction, len(sub.Tasks)),
	}
	for t := range q.Restrict {
		q.Restrict[t].To = model.Never
	}
	for t := range js.Tasks {
		if task := &js.Tasks[t]; task.Job != job {
			q.Fixed = append(q.Fixed, query.Fixed{Task: task, Placement: plan[t]})
		}
	}
	return q
}
