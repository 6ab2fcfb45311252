package energy_test

import (
	"math/rand/v2"
	"testing"

	"downbeat/model"
	"downbeat/model/check"
	"downbeat/model/gen"
)

// knobs mix every feature at sizes beyond exhaustive search.
func knobs(tasks int) gen.Knobs {
	return gen.Knobs{
		Tasks: gen.Range{Lo: tasks, Hi: tasks}, FirstStage: gen.Range{Lo: 1, Hi: 5}, LaterStage: gen.Range{Lo: 1, Hi: 3},
		Shapes: [4]int{3, 1, 4, 1},
		Slaves: gen.Range{Lo: 1, Hi: 4}, Cores: gen.Range{Lo: 1, Hi: 3}, SpareSlots: gen.Range{Lo: -1, Hi: 2}, EqualSlave: 0.5,
		Heartbeat: gen.Range{Lo: 1, Hi: 5}, Stagger: 0.6, SplitSlots: 0.25, Concurrent: 0.2, FIFO: 0.2,
		Down: 0.3, DownAt: gen.Range{Lo: 0, Hi: 30}, DownFor: gen.Range{Lo: 1, Hi: 8},
		WCET: gen.Range{Lo: 1, Hi: 9}, Transfer: gen.Range{Lo: 0, Hi: 4}, EqualTasks: 0.5,
		Uneven: 0.4, Local: 0.4, LocalTransfer: gen.Range{Lo: 0, Hi: 1}, Barred: 0.2,
		Release: gen.Range{Lo: 0, Hi: 20}, Hard: 0.5, BestEffort: 0.1, Weight: gen.Range{Lo: 1, Hi: 3},
		Tightness: gen.Range{Lo: 90, Hi: 250}, Objectives: [][]model.Objective{nil},
	}
}

// witness is a valid schedule: tasks in random order within their stages, jobs
// in random order, each task at the first fit on a slave that is the best one
// or any one.
func witness(t *testing.T, js *model.JobSet, rng *rand.Rand) model.Schedule {
	t.Helper()
	b := board{js: js, used: make([]map[model.Time]ticks, len(js.Slaves)), lastBeat: make([]model.Time, len(js.Slaves)), lastStart: make([]model.Time, len(js.Slaves))}
	for s := range b.used {
		b.used[s] = map[model.Time]ticks{}
	}
	plan := model.NewSchedule(len(js.Tasks))
	careless := rng.Float64()
	placed := make([]bool, len(js.Jobs))
	finish := func(first, end model.TaskID) (last model.Time) {
		for id := first; id < end; id++ {
			last = max(last, js.Finish(id, plan[id]))
		}
		return last
	}
	var place func(model.JobID)
	place = func(i model.JobID) {
		if placed[i] {
			return
		}
		placed[i] = true
		job := &js.Jobs[i]
		begin := job.Release
		for _, before := range job.After {
			place(before)
			begin = max(begin, finish(js.Jobs[before].First, js.Jobs[before].End))
		}
		for _, at := range job.Order() {
			st, ready := &job.Stages[at], begin
			for _, before := range st.After {
				ready = max(ready, finish(job.Stages[before].First, job.Stages[before].End))
			}
			for _, k := range rng.Perm(int(st.End - st.First)) {
				id := st.First + model.TaskID(k)
				plan[id] = b.place(id, ready, rng, careless)
			}
		}
	}
	for _, i := range rng.Perm(len(js.Jobs)) {
		place(model.JobID(i))
	}
	if err := check.Schedule(js, plan, true).Err(); err != nil {
		t.Fatalf("the test's own witness is not valid: %v", err)
	}
	return plan
}

// board keeps what is used of each slave tick by tick.
type board struct {
	js   *model.JobSet
	used []map[model.Time]ticks
	// For FIFO: tasks are handed to a slave in the order of their starts.
	lastBeat, lastStart []model.Time
}

// ticks is what is used in one tick.
type ticks struct {
	cores, fetches int
	slots          [2]int
	units          [model.MaxNamed]int64
}

func (b *board) place(id model.TaskID, ready model.Time, rng *rand.Rand, careless float64) model.Placement {
	task := &b.js.Tasks[id]
	var best model.Placement
	finish := model.Never
	for _, s := range rng.Perm(len(b.js.Slaves)) {
		slave := model.SlaveID(s)
		if !task.Eligible(slave) {
			continue
		}
		p := b.firstFit(id, slave, ready)
		if f := b.js.Finish(id, p); f < finish {
			best, finish = p, f
		}
		if rng.Float64() < careless/2 {
			break
		}
	}
	b.take(id, best)
	return best
}

// firstFit tries beat by beat, fetch by fetch, start by start.
func (b *board) firstFit(id model.TaskID, s model.SlaveID, ready model.Time) model.Placement {
	task := &b.js.Tasks[id]
	if b.js.FIFO {
		ready = max(ready, b.lastBeat[s])
	}
	transfer, wcet := task.Transfer(s), task.WCET(s)
	gamma, beat := b.js.BeatAtOrAfter(s, ready)
	for ; ; gamma, beat = gamma+1, beat+b.js.Heartbeat {
		const patience = 12
		for fetch := beat; fetch < beat+patience; fetch++ {
			start := fetch + transfer
			if b.js.FIFO {
				start = max(start, b.lastStart[s])
			}
			for last := start + patience; start < last; start++ {
				p := model.Placement{Slave: s, Beat: gamma, Fetch: fetch, Start: start}
				if b.fits(id, p, beat, start+wcet) {
					return p
				}
			}
		}
	}
}

func (b *board) fits(id model.TaskID, p model.Placement, beat, finish model.Time) bool {
	slave := &b.js.Slaves[p.Slave]
	if !slave.Up(model.Interval{Start: beat, End: finish}) {
		return false
	}
	task := &b.js.Tasks[id]
	pool := slave.Pool(task.Slot)
	fetched := p.Fetch + task.Transfer(p.Slave)
	for now := beat; now < finish; now++ {
		u := b.used[p.Slave][now]
		for k, units := range task.Needs().Units {
			if u.units[k]+units > slave.Offers(k) {
				return false
			}
		}
		switch {
		case u.slots[pool] >= slave.PoolSize(pool),
			now >= p.Start && u.cores+int(task.Cores()) > slave.Cores,
			b.js.Fetch == model.FetchExclusive && now >= p.Fetch && now < fetched && u.fetches > 0:
			return false
		}
	}
	return true
}

func (b *board) take(id model.TaskID, p model.Placement) {
	task, used := &b.js.Tasks[id], b.used[p.Slave]
	beat, finish := b.js.Assigned(p), b.js.Finish(id, p)
	for now := beat; now < finish; now++ {
		u := used[now]
		u.slots[b.js.Slaves[p.Slave].Pool(task.Slot)]++
		for k, units := range task.Needs().Units {
			u.units[k] += units
		}
		if now >= p.Start {
			u.cores += int(task.Cores())
		}
		if now >= p.Fetch && now < p.Fetch+task.Transfer(p.Slave) {
			u.fetches++
		}
		used[now] = u
	}
	b.lastBeat[p.Slave] = max(b.lastBeat[p.Slave], beat)
	b.lastStart[p.Slave] = max(b.lastStart[p.Slave], p.Start)
}
