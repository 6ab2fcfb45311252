package inference

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// Series is a job set in which each job is a sequence of stages and comes after none,
// with at least the plans of js: it is js itself where that is so already. Jobs, tasks
// and slaves keep their numbers.
//
// Neighbouring stages become one where they do not wait for each other, one and all: a
// cut between two stages of the list stays if each stage behind it waits, by way of
// others or not, for each before. A job is released when those that it comes after
// can have finished at the earliest, but before its due time. What tasks take of pools and
// caps stays what it is, and limits keep their numbers; several stages that have become one are
// no gang, nor apart.
func Series(js *model.JobSet) *model.JobSet {
	sequences, linked := true, false
	for i := range js.Jobs {
		linked = linked || len(js.Jobs[i].After) > 0
		sequences = sequences && isSequence(&js.Jobs[i])
	}
	if sequences && !linked {
		return js
	}
	out := *js
	out.Jobs, out.Tasks = slices.Clone(js.Jobs), slices.Clone(js.Tasks)
	heads := newHeads(js)
	for i := range out.Jobs {
		job := &out.Jobs[i]
		for _, before := range js.Jobs[i].After {
			job.Release = max(job.Release, heads.finish(before))
		}
		if job.Kind != model.BestEffort {
			due := js.Jobs[i].Release + js.Jobs[i].Deadline
			job.Release = min(job.Release, due-1)
			job.Deadline = due - job.Release
		}
		job.After = nil
		job.Stages = merged(&js.Jobs[i])
		for k := range job.Stages {
			for t := job.Stages[k].First; t < job.Stages[k].End; t++ {
				out.Tasks[t].Stage = int32(k)
			}
		}
	}
	if err := out.Link(); err != nil {
		panic(fmt.Sprintf("precedence: a sequence has a cycle: %v", err))
	}
	out.ShareAs(js) // a stage that was several has no cap of its own
	return &out
}

func isSequence(job *model.Job) bool {
	for k := range job.Stages {
		if after := job.Stages[k].After; len(after) != min(k, 1) || k > 0 && after[0] != int32(k-1) {
			return false
		}
	}
	return true
}

// mostStages bounds the stages of a job of which it is worth finding out which wait for
// which, by way of others or not; those of a job with more become one.
const mostStages = 1000

// merged are the stages of a job with those made one between which there is no cut.
func merged(job *model.Job) []model.Stage {
	out := []model.Stage{alone(job.Stages[0])}
	cuts := cutsOf(job)
	for k, st := range job.Stages[1:] {
		if cuts[k+1] {
			out = append(out, alone(st))
			continue
		}
		last := &out[len(out)-1]
		last.Name += "+" + st.Name
		last.Groups = append(last.Groups, st.Groups...)
		last.End = st.End
		last.Gang, last.Apart, last.StartAt = false, false, 0
	}
	return out
}

// alone is a stage that shares nothing with the one it was, to come after the one before.
func alone(st model.Stage) model.Stage {
	st.After, st.Groups = nil, slices.Clone(st.Groups)
	return st
}

// cutsOf tells for each stage of a job whether it and all behind it in the list wait
// for all before it.
func cutsOf(job *model.Job) []bool {
	n := len(job.Stages)
	cuts := make([]bool, n)
	if n > mostStages {
		return cuts
	}
	waits := make([][]bool, n) // for which others
	var reach func(k int) []bool
	reach = func(k int) []bool {
		if waits[k] == nil {
			waits[k] = make([]bool, n)
			for _, before := range job.Stages[k].After {
				waits[k][before] = true
				for i, also := range reach(int(before)) {
					waits[k][i] = waits[k][i] || also
				}
			}
		}
		return waits[k]
	}
	all := n // stages 0 to all-1 are waited for by each from k on
	for k := n - 1; k >= 0; k-- {
		if first := slices.Index(reach(k), false); first >= 0 {
			all = min(all, first)
		}
		cuts[k] = all >= k
	}
	return cuts
}
