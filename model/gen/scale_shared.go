package gen

import (
	"fmt"

	"downbeat/model"
)

// Shared amounts of [ScaleShared] are such that what tasks take of them at the least, over the time
// of the releases, comes to so many percent.
const scaleLoad, scaleOverload = 75, 200

// ScaleShared is Scale with what tasks on all slaves share: half of the soft jobs take connections of
// a pool with their maps, a quarter of all jobs take licences with their reduces, of which there are
// fewer in the second half of the time; a quarter of the jobs has a cap on its maps, and an eighth
// a last stage that is a gang, every other one apart. Overloaded, there are so few connections
// that jobs must be late for want of them.
func ScaleShared(tasks int, seed uint64, overloaded bool) *model.JobSet {
	name, load := "scale-shared", model.Time(scaleLoad)
	if overloaded {
		name, load = "scale-overloaded", scaleOverload
	}
	s := newScaler(tasks, seed, fmt.Sprintf("%s-%d-%d", name, tasks, seed))
	s.shares = true
	return s.draw(tasks, func() { s.offerPools(load) })
}

// The pools of ScaleShared, by their places.
const connections, licences = 0, 1

// share adds to a job what ties its tasks to each other and to those of others; it returns how many
// tasks it has more, and how much longer it takes alone.
func (s *scaler) share(job *model.Job, run, reduce model.Time) (tasks int, alone model.Time) {
	if job.Kind == model.Soft && s.rng.IntN(2) == 0 {
		s.takePool(&job.Stages[0], connections, run+scaleLocal)
	}
	if len(job.Stages) > 1 && s.rng.IntN(4) == 0 {
		s.takePool(&job.Stages[1], licences, reduce+scaleShuffle)
	}
	if maps := len(job.Stages[0].Groups); maps >= 4 && s.rng.IntN(4) == 0 {
		job.Stages[0].AtMost = int64(maps / 2)
		alone += 2 * (run + scaleRemote + s.js.Heartbeat)
	}
	if s.rng.IntN(8) == 0 {
		tasks = Range{2, 4}.draw(s.rng)
		job.Stages = append(job.Stages, model.Stage{
			Name: "train", Slot: model.MapSlot, Gang: true, Apart: tasks <= s.slaves && s.rng.IntN(2) == 0,
			Groups: []model.Group{{Count: tasks, Profile: model.NewProfile(s.wcet(run), s.shuffle)}},
		})
		alone += run + scaleShuffle + s.js.Heartbeat
		s.work += model.Time(tasks) * run
	}
	return tasks, alone
}

// takePool has the tasks of a stage take one unit of a pool, each for so long at the least.
func (s *scaler) takePool(stage *model.Stage, pool int, held model.Time) {
	var needs model.Needs
	needs.Cores = 1
	needs.TakePool(pool, 1)
	for i := range stage.Groups {
		g := &stage.Groups[i]
		g.Profile = g.Profile.Needing(needs)
		s.taken[pool] += held * model.Time(g.Count)
	}
}

// offerPools says how much there is of the pools for tasks that come within the time of the releases.
func (s *scaler) offerPools(load model.Time) {
	span := model.Time(s.span().Hi)
	amount := func(pool int, percent model.Time) int64 { return max(1, int64(s.taken[pool]*100/(percent*span))) }
	day := amount(licences, scaleLoad)
	night := []model.Level{{From: 0, Amount: day + (day+1)/2}, {From: span / 2, Amount: day}}
	s.js.Pools = []model.Pool{
		{Name: "connections", Levels: []model.Level{{Amount: amount(connections, load)}}},
		{Name: "licences", Levels: night},
	}
}
