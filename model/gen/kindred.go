package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// KindredTiny is a set of 2 to 5 tasks by Kindred with a goal, or only to be feasible.
func KindredTiny(seed uint64) *model.JobSet {
	rng := rand.New(rand.NewPCG(seed, 99))
	js := Kindred(rng, 2+rng.IntN(4))
	goals := [][]model.Objective{nil, {model.Misses}, {model.Tardiness}, {model.WeightedTardiness}, {model.Makespan},
		{model.Misses, model.Tardiness}, {model.Misses, model.WeightedTardiness}}
	js.Objectives = goals[rng.IntN(len(goals))]
	if err := js.Assemble(); err != nil {
		panic(err) // what Kindred draws can be assembled
	}
	return js
}

// Kindred draws a set of so many tasks, 1 or more, in which much is equal that stands side by
// side: slaves, slots of each kind, figures of tasks in stages that do not wait for each other,
// jobs. It is not assembled yet.
func Kindred(rng *rand.Rand, tasks int) *model.JobSet {
	chance := func(n int) bool { return rng.IntN(n) == 0 }
	js := &model.JobSet{Heartbeat: 1 + timeBelow(rng, 3), FIFO: chance(8)}
	if chance(6) {
		js.Fetch = model.FetchConcurrent
	}
	for n := range rng.IntN(3) {
		js.Named = append(js.Named, fmt.Sprint("n", n))
	}
	for k := range 1 + rng.IntN(2) {
		s := kindredSlave(rng, len(js.Named))
		if k > 0 && !chance(3) {
			s = js.Slaves[0]
		}
		s.Name = fmt.Sprint("s", k)
		js.Slaves = append(js.Slaves, s)
	}
	profiles := []*model.Profile{kindredProfile(rng, js), kindredProfile(rng, js)}
	for tasks > 0 {
		if n := len(js.Jobs); n > 0 && chance(3) { // again
			twin := js.Jobs[n-1]
			twin.Name, twin.Stages = fmt.Sprint("j", n), slices.Clone(twin.Stages)
			if twin.Kind != model.BestEffort && chance(3) {
				twin.Deadline++
			}
			for _, st := range twin.Stages {
				tasks -= st.Groups[0].Count
			}
			js.Jobs = append(js.Jobs, twin)
			continue
		}
		j := model.Job{Name: fmt.Sprint("j", len(js.Jobs)), Kind: model.JobKind(rng.IntN(3)), Weight: 1 + rng.Int64N(3)}
		if j.Kind != model.BestEffort {
			j.Deadline = 1 + timeBelow(rng, 7)
		}
		if chance(4) {
			j.Release = 1
		}
		if n := len(js.Jobs); n > 0 && chance(4) {
			j.After = []model.JobID{model.JobID(rng.IntN(n))}
		}
		for k := int32(0); tasks > 0 && k < 1+rng.Int32N(3); k++ {
			count := 1 + rng.IntN(min(2, tasks))
			tasks -= count
			j.Stages = append(j.Stages, model.Stage{
				Name: fmt.Sprint("t", k), Slot: model.SlotKind(rng.IntN(2)),
				After:  [][]int32{nil, {}, {}, {max(0, k-1)}, {0}}[rng.IntN(2+min(3, 2*int(k)))],
				Groups: []model.Group{{Count: count, Profile: profiles[rng.IntN(2)]}},
			})
		}
		js.Jobs = append(js.Jobs, j)
	}
	return js
}

// kindredSlave has enough for every task.
func kindredSlave(rng *rand.Rand, named int) model.Slave {
	s := model.Slave{Cores: 2 + rng.IntN(2), Slots: 1 + rng.IntN(3)}
	if rng.IntN(3) == 0 {
		s.SplitSlots, s.Slots, s.MapSlots, s.ReduceSlots = true, 0, 1+rng.IntN(2), 1+rng.IntN(2)
	}
	if rng.IntN(3) == 0 {
		s.FirstBeat = timeBelow(rng, 3)
	}
	if rng.IntN(3) == 0 {
		at := timeBelow(rng, 7)
		s.Down = []model.Interval{{Start: at, End: at + 1 + timeBelow(rng, 2)}}
	}
	for range named {
		s.Units = append(s.Units, 2+rng.Int64N(2))
	}
	return s
}

// kindredProfile is the same on all slaves, most often.
func kindredProfile(rng *rand.Rand, js *model.JobSet) *model.Profile {
	var run, fetch []model.Time
	for s := range js.Slaves {
		run, fetch = append(run, 1+timeBelow(rng, 3)), append(fetch, timeBelow(rng, 3)*timeBelow(rng, 2))
		if rng.IntN(4) > 0 {
			run[s], fetch[s] = run[0], fetch[0]
		}
	}
	needs := model.Needs{Cores: 1 + rng.Int64N(3)/2}
	for n := range js.Named {
		needs.Units[n] = rng.Int64N(3)
	}
	return model.NewProfile(model.DenseRow(run), model.DenseRow(fetch)).Needing(needs)
}

// timeBelow is a time in [0, n).
func timeBelow(rng *rand.Rand, n model.Time) model.Time { return model.Time(rng.Int64N(int64(n))) }
