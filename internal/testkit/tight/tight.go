// Package tight lays pools, caps and gangs around a plan, so that it just fits: a set with a plan that
// is known to be valid, whatever makes plans of such sets.
package tight

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"downbeat/model"
)

// Share is js with pools of which groups take, caps, gangs, and stages whose tasks are apart, as a plan of
// js obeys them: what there is of a pool is what the plan holds of it at most, for a few stretches of
// time each. Tasks keep their numbers, so that the plan is one of the new set.
func Share(t testing.TB, js *model.JobSet, plan model.Schedule, rng *rand.Rand) *model.JobSet {
	t.Helper()
	out := *js
	own := len(js.Pools)
	out.Pools = append([]model.Pool{}, js.Pools...)
	for range 1 + rng.IntN(2) {
		name := fmt.Sprintf("tight-%d", len(out.Pools))
		out.Pools = append(out.Pools, model.Pool{Name: name, Levels: []model.Level{{Amount: 1 << 20}}})
	}
	out.Tasks = nil
	out.Jobs = append([]model.Job{}, js.Jobs...)
	for i := range out.Jobs {
		take(&out.Jobs[i], own, len(out.Pools), rng)
	}
	assemble(t, &out)
	for i := own; i < len(out.Pools); i++ {
		out.Pools[i].Levels = levels(plan, &out, model.SharedID(i), rng)
	}
	for i := range out.Jobs {
		together(&out, plan, model.JobID(i), rng)
	}
	assemble(t, &out)
	return &out
}

func assemble(t testing.TB, js *model.JobSet) {
	t.Helper()
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
}

// take draws what groups of a job take of the pools from one number up to another.
func take(job *model.Job, from, to int, rng *rand.Rand) {
	job.Stages = append([]model.Stage{}, job.Stages...)
	for k := range job.Stages {
		st := &job.Stages[k]
		st.Groups = append([]model.Group{}, st.Groups...)
		for g := range st.Groups {
			profile := st.Groups[g].Declared()
			needs := profile.Needs()
			for i := from; i < to; i++ {
				if rng.IntN(2) == 0 {
					needs.TakePool(i, 1+rng.Int64N(3))
				}
			}
			st.Groups[g] = model.Group{Count: st.Groups[g].Count, Profile: profile.Needing(needs)}
		}
	}
}

// levels are the most that a plan holds of a pool, for a few stretches of time each.
func levels(plan model.Schedule, js *model.JobSet, id model.SharedID, rng *rand.Rand) []model.Level {
	end := model.Time(1)
	for t, p := range plan {
		end = max(end, js.Finish(model.TaskID(t), p))
	}
	out := []model.Level{{}}
	for at := model.Time(0); ; {
		if at += 1 + model.Time(rng.Int64N(int64(end))); at > end {
			break
		}
		out = append(out, model.Level{From: at})
	}
	for k := range out {
		for at := out[k].From; at <= end && (k+1 == len(out) || at < out[k+1].From); at++ {
			out[k].Amount = max(out[k].Amount, heldAt(plan, js, at, func(t model.TaskID) int64 { return js.Taken(t, id) }))
		}
	}
	return out
}

// heldAt is what a plan holds at a time, by what tasks take.
func heldAt(plan model.Schedule, js *model.JobSet, at model.Time, units func(model.TaskID) int64) int64 {
	sum := int64(0)
	for t, p := range plan {
		if js.Assigned(p) <= at && at < js.Finish(model.TaskID(t), p) {
			sum += units(model.TaskID(t))
		}
	}
	return sum
}

// together draws caps that a plan keeps to, and has stages be gangs or apart where it lets them.
func together(js *model.JobSet, plan model.Schedule, id model.JobID, rng *rand.Rand) {
	job := &js.Jobs[id]
	if rng.IntN(3) == 0 {
		job.AtMost = peak(plan, js, job.First, job.End)
	}
	for k := range job.Stages {
		st := &job.Stages[k]
		if rng.IntN(3) == 0 {
			st.AtMost = peak(plan, js, st.First, st.End)
		}
		st.Gang, st.Apart = true, true
		on := map[model.SlaveID]bool{}
		for t := st.First; t < st.End; t++ {
			st.Gang = st.Gang && plan[t].Start == plan[st.First].Start
			st.Apart = st.Apart && !on[plan[t].Slave]
			on[plan[t].Slave] = true
		}
	}
}

// peak is how many of some tasks a plan holds at once at most, at a heartbeat at which it hands one out.
func peak(plan model.Schedule, js *model.JobSet, from, to model.TaskID) int64 {
	most := int64(1)
	for t := from; t < to; t++ {
		most = max(most, heldAt(plan, js, js.Assigned(plan[t]), func(u model.TaskID) int64 {
			if from <= u && u < to {
				return 1
			}
			return 0
		}))
	}
	return most
}
