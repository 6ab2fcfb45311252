package inference

import (
	"sort"

	"downbeat/model"
)

// calendar tells when slaves are there. What is asked twice is worked out once; it is not for
// several goroutines at once.
type calendar struct {
	js *model.JobSet
	// away has the absences of slaves, where they were in the way.
	away map[model.SlaveID]*absences
}

func newCalendar(js *model.JobSet) calendar {
	return calendar{js: js, away: map[model.SlaveID]*absences{}}
}

// stays are the first and the last heartbeat at which a slave can take a task for a time,
// at ready or later such that it is over by a limit; and the latest end of such a stay.
// The first does not mind the limit; the latter two are -1 if there is none.
func (c *calendar) stays(s model.SlaveID, stay, ready, limit model.Time) (first, last, end model.Time) {
	first = c.earliest(s, ready, stay)
	last, ok := c.latest(s, limit, stay)
	if !ok || last < first {
		return first, -1, -1
	}
	// From the last heartbeat on the slave is there until its next absence. An
	// earlier heartbeat allows no later end: that presence would hold the last one too.
	down := c.js.Slaves[s].Down
	if k := sort.Search(len(down), func(i int) bool { return down[i].Start > last }); k < len(down) {
		limit = min(limit, down[k].Start)
	}
	return first, last, limit
}

// firstFinish is when a task that is handed out at ready or later can finish.
func (c *calendar) firstFinish(t model.TaskID, ready model.Time) model.Time {
	task, best := &c.js.Tasks[t], model.Never
	for s := range model.SlaveID(len(c.js.Slaves)) {
		if run := task.WCET(s); run > 0 {
			stay := task.Transfer(s) + run
			best = min(best, c.earliest(s, ready, stay)+stay)
		}
	}
	return best
}

// absences has what is known of a slave that is away: for each absence but the last the
// next one that a longer presence follows, and for each the last such one before it, -1
// where there is none. By such steps one comes to the first presence of some length without
// looking at most of those that are too short.
type absences struct{ next, before []int32 }

// earliest is the first heartbeat of slave s at ready or later from which the
// slave is there for hold ticks.
func (c *calendar) earliest(s model.SlaveID, ready, hold model.Time) model.Time {
	down := c.js.Slaves[s].Down
	beat := c.beatFrom(s, ready)
	k := sort.Search(len(down), func(i int) bool { return down[i].End > beat })
	if k == len(down) || down[k].Start >= beat+hold {
		return beat
	}
	for of := c.absences(s); c.presence(s, k) < hold; {
		k = int(of.next[k])
	}
	return c.beatFrom(s, down[k].End)
}

// latest is the last heartbeat of slave s from which it is there for hold ticks that end at
// limit or earlier; false if there is none.
func (c *calendar) latest(s model.SlaveID, limit, hold model.Time) (model.Time, bool) {
	down := c.js.Slaves[s].Down
	beat, ok := c.beatUntil(s, limit-hold)
	k := sort.Search(len(down), func(i int) bool { return down[i].Start >= beat+hold }) - 1
	if !ok || k < 0 || down[k].End <= beat {
		return beat, ok
	}
	k-- // a stay until then begins before this absence, and ends before it
	for of := c.absences(s); k >= 0 && c.presence(s, k) < hold; {
		k = int(of.before[k])
	}
	return c.beatUntil(s, down[k+1].Start-hold)
}

// beatFrom is the first heartbeat at t or later.
func (c *calendar) beatFrom(s model.SlaveID, t model.Time) model.Time {
	return c.js.Slaves[s].FirstBeat + beats(c.js, s, t)*c.js.Heartbeat
}

// beatUntil is the last heartbeat at t or earlier; false if there is none.
func (c *calendar) beatUntil(s model.SlaveID, t model.Time) (model.Time, bool) {
	first := c.js.Slaves[s].FirstBeat
	if t < first {
		return 0, false
	}
	return first + (t-first)/c.js.Heartbeat*c.js.Heartbeat, true
}

// presence is the time from the first heartbeat after absence k until the next absence:
// Never after the last, not above 0 where there is no heartbeat.
func (c *calendar) presence(s model.SlaveID, k int) model.Time {
	down := c.js.Slaves[s].Down
	if k == len(down)-1 {
		return model.Never
	}
	return down[k+1].Start - c.beatFrom(s, down[k].End)
}

// absences works out those of a slave, once.
func (c *calendar) absences(s model.SlaveID) *absences {
	if of := c.away[s]; of != nil {
		return of
	}
	n := len(c.js.Slaves[s].Down)
	of := &absences{make([]int32, n), make([]int32, n)}
	for k := n - 2; k >= 0; k-- {
		next := k + 1
		for length := c.presence(s, k); c.presence(s, next) <= length; {
			next = int(of.next[next])
		}
		of.next[k] = int32(next)
	}
	for k := range n {
		before := k - 1
		for length := c.presence(s, k); before >= 0 && c.presence(s, before) <= length; {
			before = int(of.before[before])
		}
		of.before[k] = int32(before)
	}
	c.away[s] = of
	return of
}
