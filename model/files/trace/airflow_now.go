package trace

import (
	"cmp"
	"fmt"
	"slices"
)

// airflowStates are the states of task instances, by what an attempt of such a task is. One that is up for a
// retry has failed, and waits; a sensor that looks again later waits.
var airflowStates = map[string]AttemptState{
	"": Waiting, "none": Waiting, "no_status": Waiting, "scheduled": Waiting, "queued": Waiting, "up_for_reschedule": Waiting, "awaiting_input": Waiting,
	"running": Running, "deferred": Running, "restarting": Running, "shutdown": Running,
	"success": Finished,
	"failed":  Failed, "up_for_retry": Failed,
	"upstream_failed": Waiting,
}

// now keeps what a task instance is doing.
func (a *Airflow) now(run *airflowRun, dag string, r *airflowRow, state string, index int, start, end int64, fault func(message, advice string) *Fault) *Fault {
	is, known := airflowStates[state]
	name := fmt.Sprintf("%s of %s", r.Task, dag)
	switch {
	case !known:
		return fault(fmt.Sprintf("%s has the state %q, which is none of Airflow's", name, state), "")
	case is == Finished && r.Host == "" && end <= start:
		a.t.Remarks.Add("tasks that succeeded without work, which are passed over", *fault(name, ""))
		return nil
	case state == "upstream_failed":
		a.t.Remarks.Add("tasks that Airflow does not begin since one before them failed, each taken to wait", *fault(name, "airflow tasks clear, or plan --drop "+dag))
	case state == "failed":
		a.t.Remarks.Add("tasks that failed for good, each to be run again", *fault(name, "airflow tasks clear, or plan --drop "+dag))
	case state == "deferred":
		a.t.Remarks.Add("tasks that are deferred, each taken to run on", *fault(name, ""))
	}
	one := Attempt{Job: dag, Stage: Name(string(r.Task)), Task: max(index, 0) + 1, Host: Name(string(r.Host)), State: is, Start: start, Finish: end, At: fault("", "").Place}
	if is == Running {
		one.Finish = Unknown
	}
	run.attempts = append(run.attempts, one)
	return nil
}

// attempts keeps those of the last run of each DAG.
func (a *Airflow) attempts() {
	began := func(r *airflowRun) int64 { return max(r.submit, r.queued, r.logical) }
	for _, d := range a.order {
		with := slices.DeleteFunc(slices.Clone(d.order), func(r *airflowRun) bool { return len(r.attempts) == 0 })
		if len(with) == 0 {
			continue
		}
		last := slices.MaxFunc(with, func(x, y *airflowRun) int { return cmp.Compare(began(x), began(y)) })
		for _, r := range with {
			if r != last {
				a.t.Remarks.Add("runs that are not the last of their DAG, which are passed over", Fault{Place: r.at, Message: fmt.Sprintf("%s %s", d.id, r.id)})
			}
		}
		for _, one := range last.attempts {
			a.t.AddAttempt(one)
		}
	}
	a.dags, a.order = nil, nil
}
