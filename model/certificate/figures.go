package certificate

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"downbeat/model"
)

// figures are those of the job set, in ticks of the proof.
type figures struct {
	tick, beat model.Time // the latter is the interval between heartbeats
	slaves     []slave
	rank       []int   // by JobID: behind the jobs that it comes after
	jobOf      []int32 // by JobID: its index in the question under way, or -1
}

type slave struct {
	absent bool       // taken not to be there
	first  model.Time // heartbeat
	down   []model.Interval
	taken  []model.Taken
	ample  bool // its slots do not let so many tasks run that cores are short
}

// measure finds the figures; all times of the set have to be multiples of the tick.
func (c *checker) measure(tick model.Time) error {
	for _, t := range c.times() {
		if t%tick != 0 {
			return fmt.Errorf("a tick of %d does not divide all times of the job set: %d", tick, t)
		}
	}
	g := &figures{tick: tick, beat: c.js.Heartbeat / tick, slaves: make([]slave, len(c.js.Slaves)), rank: make([]int, len(c.js.Jobs)), jobOf: make([]int32, len(c.js.Jobs))}
	most := int64(1)
	for i := range c.js.Tasks {
		most = max(most, c.js.Tasks[i].Cores())
	}
	for i := range c.js.Slaves {
		s := &c.js.Slaves[i]
		of := slave{first: s.FirstBeat / tick, down: slices.Clone(s.Down), taken: slices.Clone(s.Taken)}
		of.ample = len(s.Taken) == 0 && times(int64(s.TotalSlots()), most) <= int64(s.Cores)
		for k := range of.down {
			of.down[k].Start, of.down[k].End = of.down[k].Start/tick, of.down[k].End/tick
		}
		for k := range of.taken {
			of.taken[k].Start, of.taken[k].End = of.taken[k].Start/tick, of.taken[k].End/tick
		}
		g.slaves[i] = of
	}
	for at, i := range c.js.JobOrder() {
		g.rank[i] = at
	}
	c.figures = g
	return nil
}

// times lists all times of the job set, some more than once.
func (c *checker) times() []model.Time {
	js := c.js
	all := []model.Time{js.Heartbeat}
	for i := range js.Slaves {
		all = append(all, js.Slaves[i].FirstBeat)
		for _, d := range js.Slaves[i].Down {
			all = append(all, d.Start, d.End)
		}
		for _, k := range js.Slaves[i].Taken {
			all = append(all, k.Start, k.End)
		}
	}
	for i := range js.Jobs {
		all = append(all, js.Jobs[i].Release, js.Jobs[i].Deadline)
	}
	seen := map[*model.Profile]bool{}
	for t := range js.Tasks {
		if p := js.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			p.EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { all = append(all, wcet, transfer) })
		}
	}
	return all
}

// due is the deadline of a job, model.Never for best-effort ones.
func (c *checker) due(i model.JobID) model.Time {
	if job := &c.js.Jobs[i]; job.Kind != model.BestEffort {
		return job.Release/c.tick + job.Deadline/c.tick
	}
	return model.Never
}

// lengths are E and C of a task on a slave; 0 for the former where it cannot run.
func (c *checker) lengths(t model.TaskID, s model.SlaveID) (run, fetch model.Time) {
	task := &c.js.Tasks[t]
	if c.slaves[s].absent || !task.Eligible(s) {
		return 0, 0
	}
	return task.WCET(s) / c.tick, task.Transfer(s) / c.tick
}

// beatFrom is the first heartbeat of a slave at t or later.
func (g *figures) beatFrom(s *slave, t model.Time) model.Time {
	if t <= s.first {
		return s.first
	}
	return s.first + (t-s.first+g.beat-1)/g.beat*g.beat
}

// firstStay is the first heartbeat of a slave at ready or later from which it is there
// for a time.
func (g *figures) firstStay(s *slave, ready, stay model.Time) model.Time {
	at := g.beatFrom(s, ready)
	for i := sort.Search(len(s.down), func(i int) bool { return s.down[i].End > at }); i < len(s.down) && s.down[i].Start < at+stay; i++ {
		at = max(at, g.beatFrom(s, s.down[i].End))
	}
	return at
}

// lastStay is the last stay for a time on a slave that is over by limit: its latest
// heartbeat and its latest end; -1 if there is none.
func (g *figures) lastStay(s *slave, limit, stay model.Time) (beat, end model.Time) {
	for end = limit; end-stay >= s.first; {
		beat = s.first + (end-stay-s.first)/g.beat*g.beat
		i := sort.Search(len(s.down), func(i int) bool { return s.down[i].Start >= end })
		if i == 0 || s.down[i-1].End <= beat {
			return beat, end
		}
		end = s.down[i-1].Start
	}
	return -1, -1
}

// units are those that a slave has of a resource; false if it has no such resource.
func (c *checker) units(s model.SlaveID, r model.ResourceID) (int64, bool) {
	slave := &c.js.Slaves[s]
	switch r {
	case model.Cores:
		return int64(slave.Cores), true
	case model.FetchLine:
		return 1, c.js.Fetch != model.FetchConcurrent
	case model.MapSlots, model.ReduceSlots:
		pool := int(r - model.MapSlots)
		return int64(slave.PoolSize(pool)), pool < slave.Pools()
	default:
		return slave.Offers(int(r - model.FirstNamed)), true
	}
}

// largest stands for all numbers that are too large.
const largest = math.MaxInt64

// plus and times are sums and products of numbers ≥ 0, the largest number if they are
// larger: a sum that is seen to be greater than another is.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return largest
	}
	return a + b
}

func times(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low <= math.MaxInt64 {
		return int64(low)
	}
	return largest
}
