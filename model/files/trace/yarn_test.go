package trace

import (
	"testing"
)

// The last of the stages is the reduces, whatever the order; a job may be there often.
func TestJobs(t *testing.T) {
	tr := ReadForTest(t, ReadFunc(SLS), `{"job.id":"a","job.count":3,"job.tasks":[{"duration.ms":5,"container.type":"reduce"},{"duration.ms":7,"count":4},{"count":2},3]} {"rack":"r","nodes":[{"node":"/r/n","vcores":2}]} {"job.id":"none"}`)
	if len(tr.Jobs) != 3 || tr.Jobs[2].ID != "a_3" || tr.Jobs[2].Name != "a" || len(tr.Machines) != 1 || tr.Machines[0].Name != "n" || tr.Machines[0].Memory != defaultMemory {
		t.Fatalf("%+v, %+v", tr.Jobs, tr.Machines)
	}
	if s := tr.Jobs[0].Stages; len(s) != 2 || s[0].Name != "map" || s[0].Tasks[0].Count != 4 || !s[1].Reduce || s[1].Memory != containerMemory {
		t.Errorf("%+v", s)
	}
	if tr.Unusable.Count() != 3 { // a task without a length, one that is a number, a job without tasks
		t.Errorf("%+v", tr.Unusable)
	}
}

// Both forms of a class of synthetic jobs draw the same, near their means.
func TestSynthetic(t *testing.T) {
	old := `{"num_jobs":400,"rand_seed":3,"workloads":[{"workload_weight":1,"job_classes":[{"class_weight":1,"mtasks_avg":5,"mtasks_stddev":1,"mtime_avg":10,"mtime_stddev":2,"dur_avg":60,"chance_of_reservation":0.5,"deadline_factor_avg":2}]}]}`
	later := `{"num_jobs":400,"rand_seed":3,"workloads":[{"workload_weight":1,"job_classes":[{"class_weight":1,"duration":{"val":60},"reservation":{"val":0.5},"deadline_factor":{"val":2},"tasks":[{"type":"map","count":{"val":5,"std":1},"time":{"val":10,"std":2}},{"type":"reduce","count":{"val":0},"time":{"val":0}}]}]}]}`
	a, b := ReadForTest(t, ReadFunc(SLS), old), ReadForTest(t, ReadFunc(SLS), later)
	tasks, sum, due := 0, int64(0), 0
	for i := range a.Jobs {
		if a.Jobs[i].Deadline == 120_000 {
			due++
		}
		for k, tk := range a.Jobs[i].Stages[0].Tasks {
			tasks, sum = tasks+1, sum+tk.Time
			if tk.Time != b.Jobs[i].Stages[0].Tasks[k].Time {
				t.Fatalf("job %d, task %d: %d and %d", i, k, tk.Time, b.Jobs[i].Stages[0].Tasks[k].Time)
			}
		}
	}
	if mean := sum / int64(tasks); len(a.Jobs) != 400 || tasks < 1900 || tasks > 2100 || mean < 9800 || mean > 10200 || due < 160 || due > 240 {
		t.Errorf("%d jobs, %d tasks, mean %d ms, %d with a deadline", len(a.Jobs), tasks, mean, due)
	}
	if few := ReadForTest(t, ReadFunc(SLS), `{"num_jobs":2,"workloads":[{"workload_weight":0}]}{"workloads":[]}`); few.Unusable.Count() != 3 {
		t.Errorf("%+v", few.Unusable)
	}
}

// Requests that run side by side have no order; of those of which any will do the first
// is taken.
func TestReservations(t *testing.T) {
	text := func(how string) string {
		return `{"reservation-definition":{"arrival":1000,"deadline":9000,"reservation-name":"r","reservation-requests":{"reservation-request-interpreter":` + how +
			`,"reservation-request":[{"duration":5,"num-containers":2},{"duration":6,"num-containers":3,"min-concurrency":3},{"num-containers":1}]}}}`
	}
	for how, stages := range map[string]int{"0": 1, "1": 2, "2": 2, "3": 2} {
		tr := ReadForTest(t, ReadFunc(Reservation), text(how))
		if len(tr.Jobs) != 1 || len(tr.Jobs[0].Stages) != stages || !tr.Jobs[0].Hard || tr.Jobs[0].Due != 9000 {
			t.Fatalf("%s: %+v", how, tr.Jobs)
		}
		if side := tr.Jobs[0].Stages[stages-1].After != nil; side != (how == "1") {
			t.Errorf("%s: after %v", how, tr.Jobs[0].Stages[stages-1].After)
		}
	}
}
