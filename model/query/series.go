package query

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/window"
)

// Series is the relaxation of a job set in which each job is a sequence of stages and
// comes after no other: js itself where that is so already. Jobs, tasks and slaves keep
// their numbers. Arguments that go stage by stage are made about it; package
// model/check/inference says what it keeps, and makes it anew to check them.
func Series(js *model.JobSet) *model.JobSet {
	if !js.JobsLinked() && !slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return !j.Chain() }) {
		return js
	}
	out := *js
	out.Jobs, out.Tasks = slices.Clone(js.Jobs), slices.Clone(js.Tasks)
	paths := window.CriticalPaths(context.Background(), js)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		release := job.Release
		for _, before := range job.After {
			release = max(release, paths[before])
		}
		if job.Kind != model.BestEffort {
			release = min(release, job.Due()-1)
			job.Deadline -= release - job.Release
		}
		job.Release, job.After = release, nil
		job.Stages = inSeries(job)
		for k := range job.Stages {
			for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
				out.Tasks[t].Stage = int32(k)
			}
		}
	}
	if err := out.Link(); err != nil {
		panic("query: sequences of stages: " + err.Error()) // they have no cycle
	}
	out.ShareAs(js)
	return &out
}

// mostInSeries bounds the stages of a job of which pairs are looked at.
const mostInSeries = 1000

// inSeries are the stages of a job with neighbours joined until each of them comes
// after all before it.
func inSeries(job *model.Job) []model.Stage {
	n := len(job.Stages)
	behind := make([]int, n) // how many stages, from the first on, come before it and all after it in the list
	if n <= mostInSeries {
		before := make([][]bool, n)
		for _, k := range job.Order() {
			before[k] = make([]bool, n)
			for _, b := range job.Stages[k].After {
				before[k][b] = true
				for i := range n {
					before[k][i] = before[k][i] || before[b][i]
				}
			}
			for behind[k] < n && before[k][behind[k]] {
				behind[k]++
			}
		}
	}
	for k := n - 2; k >= 0; k-- {
		behind[k] = min(behind[k], behind[k+1])
	}
	var out []model.Stage
	for k, st := range job.Stages {
		st.After = nil
		if k == 0 || behind[k] >= k {
			st.Groups = slices.Clone(st.Groups)
			out = append(out, st)
			continue
		}
		last := &out[len(out)-1]
		last.Name, last.End = last.Name+"+"+st.Name, st.End
		last.Groups = append(last.Groups, st.Groups...)
		last.Gang, last.Apart, last.StartAt = false, false, 0 // not of all its tasks
	}
	return out
}
