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
	js     *model.JobSet
	tick   model.Time // in ticks of the file
	slaves []slave
	jobOf  []int32 // by JobID: its index in the question under way, or -1
}

type slave struct {
	*model.Slave
	absent bool // taken not to be there
	ample  bool // its slots do not let so many tasks run that cores are short
}

// measure states the job set in ticks of the proof, which have to divide all of its times.
func (c *checker) measure(tick model.Time) error {
	c.tick, c.jobOf, c.slaves = tick, make([]int32, len(c.js.Jobs)), make([]slave, len(c.js.Slaves))
	if err := c.scale(tick); err != nil {
		return err
	}
	most := int64(1)
	for i := range c.js.Tasks {
		most = max(most, c.js.Tasks[i].Cores())
	}
	for i := range c.slaves {
		s := &c.js.Slaves[i]
		c.slaves[i] = slave{Slave: s, ample: len(s.Taken) == 0 && times(int64(s.TotalSlots()), most) <= int64(s.Cores)}
	}
	return nil
}

// scale divides all times by tick.
func (c *checker) scale(tick model.Time) error {
	if tick == 1 {
		return nil
	}
	js, odd := *c.js, model.Time(0)
	divide := func(times ...*model.Time) {
		for _, t := range times {
			if *t%tick != 0 {
				odd = *t
			}
			*t /= tick
		}
	}
	js.Slaves, js.Jobs, js.Tasks = slices.Clone(js.Slaves), slices.Clone(js.Jobs), slices.Clone(js.Tasks)
	divide(&js.Heartbeat)
	for i := range js.Slaves {
		s := &js.Slaves[i]
		s.Down, s.Taken = slices.Clone(s.Down), slices.Clone(s.Taken)
		divide(&s.FirstBeat)
		for k := range s.Down {
			divide(&s.Down[k].Start, &s.Down[k].End)
		}
		for k := range s.Taken {
			divide(&s.Taken[k].Start, &s.Taken[k].End)
		}
	}
	for i := range js.Jobs {
		divide(&js.Jobs[i].Release, &js.Jobs[i].Deadline)
	}
	part := func(t model.Time) model.Time { return t / tick }
	divided, seen := model.NewMapper(part, part), map[*model.Profile]bool{}
	for t := range js.Tasks {
		p := js.Tasks[t].Profile
		if !seen[p] {
			seen[p] = true
			p.EachRun(func(wcet, transfer model.Time, _ model.SlaveID) { divide(&wcet, &transfer) })
		}
		js.Tasks[t].Profile = divided.Profile(p)
	}
	c.js = &js
	if odd != 0 {
		return fmt.Errorf("a tick of %d does not divide all times of the job set: %d", tick, odd)
	}
	return nil
}

// lengths are E and C of a task on a slave; 0 for the former where it cannot run.
func (g *figures) lengths(t model.TaskID, s model.SlaveID) (run, fetch model.Time) {
	task := &g.js.Tasks[t]
	if g.slaves[s].absent || !task.Eligible(s) {
		return 0, 0
	}
	return task.WCET(s), task.Transfer(s)
}

// beatFrom is the first heartbeat of a slave at t or later.
func (g *figures) beatFrom(s *slave, t model.Time) model.Time {
	if t <= s.FirstBeat {
		return s.FirstBeat
	}
	return s.FirstBeat + (t-s.FirstBeat+g.js.Heartbeat-1)/g.js.Heartbeat*g.js.Heartbeat
}

// firstStay is the first heartbeat of a slave at ready or later from which it is there
// for a time.
func (g *figures) firstStay(s *slave, ready, stay model.Time) model.Time {
	at := g.beatFrom(s, ready)
	for i := sort.Search(len(s.Down), func(i int) bool { return s.Down[i].End > at }); i < len(s.Down) && s.Down[i].Start < at+stay; i++ {
		at = max(at, g.beatFrom(s, s.Down[i].End))
	}
	return at
}

// lastStay is the last stay for a time on a slave that is over by limit: its latest
// heartbeat and its latest end; -1 if there is none.
func (g *figures) lastStay(s *slave, limit, stay model.Time) (beat, end model.Time) {
	for end = limit; end-stay >= s.FirstBeat; {
		beat = end - stay - (end-stay-s.FirstBeat)%g.js.Heartbeat
		i := sort.Search(len(s.Down), func(i int) bool { return s.Down[i].Start >= end })
		if i == 0 || s.Down[i-1].End <= beat {
			return beat, end
		}
		end = s.Down[i-1].Start
	}
	return -1, -1
}

// firstFinish is when a task that is handed out at ready or later can finish.
func (g *figures) firstFinish(t model.TaskID, ready model.Time) model.Time {
	end := model.Never
	for s := range g.slaves {
		if run, fetch := g.lengths(t, model.SlaveID(s)); run > 0 {
			end = min(end, g.firstStay(&g.slaves[s], ready, fetch+run)+fetch+run)
		}
	}
	return end
}

// units are those that a slave has of a resource; false if it has no such resource.
func (g *figures) units(s model.SlaveID, r model.ResourceID) (int64, bool) {
	for _, p := range g.js.Supplies(s) {
		if p.Resource == r {
			return p.Units, true
		}
	}
	return 0, false
}

// largest stands for all numbers that are too large.
const largest = math.MaxInt64

// plus and times are sums and products of numbers ≥ 0, the largest number if they are
// larger: a sum that is seen to be greater than another is.
func plus(a, b int64) int64 {
	if a > largest-b {
		return largest
	}
	return a + b
}

func times(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low <= largest {
		return int64(low)
	}
	return largest
}
