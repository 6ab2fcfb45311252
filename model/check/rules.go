package check

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"downbeat/model"
)

// The stretches of time that an attempt takes. A reversed interval, of an
// attempt that is wrong anyway, counts as empty.

// hold is [A, F): a slot, and what the job set names.
func (a *attempt) hold() model.Interval { return model.Interval{Start: a.assigned, End: a.finish} }

// run is [S, F): a core.
func (a *attempt) run() model.Interval { return model.Interval{Start: a.start, End: a.finish} }

// fetching is [R, R+C): the slave's fetch line, until the loss of a lost attempt.
func (c *checker) fetching(a *attempt) model.Interval {
	end := a.fetch + c.transfer(a)
	if a.lost {
		end = min(end, a.finish)
	}
	return model.Interval{Start: a.fetch, End: end}
}

// held is the stretch in which an attempt holds what is held in the way of h.
func (c *checker) held(a *attempt, h model.Hold) model.Interval {
	switch h {
	case model.HoldRun:
		return a.run()
	case model.HoldFetch:
		return c.fetching(a)
	default:
		return a.hold()
	}
}

// transfer is C, 0 where the task is barred and C has no meaning. Of an input that had begun to
// come before the now of a plan made during the night, it is no longer than until the task
// started, or until the next one began where they come one at a time, if that was before now.
func (c *checker) transfer(a *attempt) model.Time {
	task := &c.js.Tasks[a.task]
	if task.WCET(a.slave) == 0 {
		return 0
	}
	longest := task.Transfer(a.slave)
	if a.fetch >= c.now {
		return longest
	}
	if a.start < c.now && a.start >= a.fetch {
		longest = min(longest, a.start-a.fetch)
	}
	begun := c.begun[a.slave]
	next := sort.Search(len(begun), func(i int) bool { return begun[i] > a.fetch })
	if next < len(begun) && c.js.Fetch == model.FetchExclusive {
		longest = min(longest, begun[next]-a.fetch)
	}
	return longest
}

// beginnings lists by slave, ascending, when inputs began to come before now.
func (c *checker) beginnings() {
	c.begun = make([][]model.Time, len(c.js.Slaves))
	for i := range c.attempts {
		if a := &c.attempts[i]; a.fetch < c.now {
			c.begun[a.slave] = append(c.begun[a.slave], a.fetch)
		}
	}
	for _, times := range c.begun {
		slices.Sort(times)
	}
}

// started tells whether the attempt ever ran.
func (a *attempt) started() bool { return !a.lost || a.start < a.finish }

// attemptRules checks what concerns one attempt alone: beat, C0–C3, down.
func (c *checker) attemptRules(a *attempt) {
	task, slave := &c.js.Tasks[a.task], &c.js.Slaves[a.slave]
	h := c.js.Heartbeat
	if since := a.assigned - slave.FirstBeat; since < 0 || since%h != 0 || since/h != a.beat {
		c.addAttempt("beat", a, point(a.assigned),
			"is assigned at %d by beat %d, but machine %s has its heartbeats at %d + %d·beat, from beat 0",
			a.assigned, a.beat, slave.Name, slave.FirstBeat, h)
	}
	if short := c.tooSmall(a); short != "" {
		c.addAttempt("C0", a, a.hold(), "needs %s", short)
	} else if task.WCET(a.slave) == 0 {
		c.addAttempt("C0", a, a.hold(), "is on machine %s, which it may not run on", slave.Name)
	}
	if task.WCET(a.slave) > 0 {
		c.duration(a)
	}
	if ready := a.fetch + c.transfer(a); a.started() && a.start < ready {
		c.addAttempt("C2", a, model.Interval{Start: a.start, End: ready},
			"starts at %d, before its input is there at %d (fetch %d, transfer %d)",
			a.start, ready, a.fetch, c.transfer(a))
	}
	if a.fetch < a.assigned {
		c.addAttempt("C3", a, model.Interval{Start: a.fetch, End: a.assigned},
			"fetches from %d, before it is assigned at %d", a.fetch, a.assigned)
	}
	if release := c.js.Jobs[task.Job].Release; a.assigned < release {
		c.addAttempt("C3", a, model.Interval{Start: a.assigned, End: release},
			"is assigned at %d, before its job is released at %d", a.assigned, release)
	}
	c.away(a)
}

// tooSmall says what the attempt's slave has too little of even for the task alone,
// empty if it has enough of all.
func (c *checker) tooSmall(a *attempt) string {
	task, slave := &c.js.Tasks[a.task], &c.js.Slaves[a.slave]
	if cores := task.Cores(); cores > int64(slave.Cores) {
		return fmt.Sprintf("%s, machine %s has %d", count(int(cores), "core"), slave.Name, slave.Cores)
	}
	for i, name := range c.js.Named {
		if units := task.Units(i); units > slave.Offers(i) {
			return fmt.Sprintf("%d %s, machine %s offers %d", units, name, slave.Name, slave.Offers(i))
		}
	}
	return ""
}

// duration checks C1: F = S + E, or what runs and losses leave of it.
func (c *checker) duration(a *attempt) {
	wcet, timed := c.js.Tasks[a.task].WCET(a.slave), (c.executed || a.assigned < c.now) && a.duration > 0
	if timed {
		wcet = a.duration
	}
	latest := a.start + wcet
	switch {
	case a.lost:
		if a.finish < a.assigned {
			c.addAttempt("lost", a, model.Interval{Start: a.finish, End: a.assigned},
				"is lost at %d, before it is assigned at %d", a.finish, a.assigned)
		}
		if a.finish > latest {
			c.addAttempt("C1", a, model.Interval{Start: latest, End: a.finish},
				"is lost at %d, after it must have finished at %d (start %d, execution time %d)", a.finish, latest, a.start, wcet)
		}
	case c.executed && !timed:
		if a.finish <= a.start || a.finish > latest {
			c.addAttempt("C1", a, a.run(),
				"finishes at %d, which must be after its start %d and not after %d (execution time at most %d)",
				a.finish, a.start, latest, wcet)
		}
	case a.finish != latest:
		c.addAttempt("C1", a, a.run(),
			"finishes at %d, it must be %d (start %d, execution time %d on %s)",
			a.finish, latest, a.start, wcet, c.js.Slaves[a.slave].Name)
	}
}

func point(t model.Time) model.Interval { return model.Interval{Start: t, End: t + 1} }

// away checks that nothing of the attempt falls into an absence of its slave.
// One violation tells all: the first absence that the first part meets.
func (c *checker) away(a *attempt) {
	slave := &c.js.Slaves[a.slave]
	for _, part := range []struct {
		iv   model.Interval
		text string
	}{
		{point(a.assigned), "is assigned at %[1]d"},
		{a.hold(), "holds a slot in [%d, %d)"},
		{c.fetching(a), "fetches in [%d, %d)"},
		{a.run(), "runs in [%d, %d)"},
	} {
		absence, meets := firstAbsence(slave, part.iv)
		if !meets {
			continue
		}
		c.addAttempt("down", a, absence, "%s, but machine %s is away in %s",
			fmt.Sprintf(part.text, part.iv.Start, part.iv.End), slave.Name, span(absence))
		return
	}
}

// firstAbsence is the first absence of the slave that overlaps iv.
func firstAbsence(slave *model.Slave, iv model.Interval) (model.Interval, bool) {
	i := sort.Search(len(slave.Down), func(i int) bool { return slave.Down[i].End > iv.Start })
	if i == len(slave.Down) || !slave.Down[i].Overlaps(iv) {
		return model.Interval{}, false
	}
	return slave.Down[i], true
}

// fifo checks that tasks of a slave start in the order of their heartbeats.
func (c *checker) fifo(s model.SlaveID) {
	if !c.js.FIFO {
		return
	}
	var order []*attempt
	for _, i := range c.bySlave[s] {
		if a := &c.attempts[i]; a.started() {
			order = append(order, a)
		}
	}
	slices.SortStableFunc(order, func(a, b *attempt) int { return cmp.Compare(a.beat, b.beat) })
	var latest *attempt // of all earlier heartbeats, the one that starts last
	for i := 0; i < len(order); {
		end := i
		for ; end < len(order) && order[end].beat == order[i].beat; end++ {
			if a := order[end]; latest != nil && a.start < latest.start {
				c.add(Violation{
					Rule: "fifo", Tasks: []string{c.name(a), c.name(latest)},
					Slave: c.js.Slaves[s].Name, At: model.Interval{Start: a.start, End: latest.start},
					Message: fmt.Sprintf("%s starts at %d, before %s of an earlier heartbeat of machine %s, which starts at %d",
						c.name(a), a.start, c.name(latest), c.js.Slaves[s].Name, latest.start),
				})
			}
		}
		for ; i < end; i++ {
			if latest == nil || order[i].start > latest.start {
				latest = order[i]
			}
		}
	}
}

// deadlines checks C8: every task of a hard job finishes by the deadline.
func (c *checker) deadlines() {
	late := map[model.JobID]*Violation{}
	for i := range c.attempts {
		a := &c.attempts[i]
		id := c.js.Tasks[a.task].Job
		job := &c.js.Jobs[id]
		due := job.Release + job.Deadline
		if a.lost || job.Kind != model.Hard || a.finish <= due {
			continue
		}
		v := late[id]
		if v == nil {
			v = &Violation{Rule: "C8", At: model.Interval{Start: due, End: due}}
			late[id] = v
			c.hardLate = append(c.hardLate, id) // attempts come in order of jobs
		}
		v.At.End = max(v.At.End, a.finish)
		if len(v.Tasks) < maxTasks {
			v.Tasks = append(v.Tasks, c.name(a))
		} else {
			v.More++
		}
	}
	if c.relaxed || c.executed {
		return
	}
	for _, id := range c.hardLate {
		v := late[id]
		v.Message = fmt.Sprintf("hard job %s finishes at %d, its deadline is %d; late: %s",
			c.js.Jobs[id].Name, v.At.End, v.At.Start, listNames(v.Tasks, v.More))
		c.add(*v)
	}
}

// retries checks that the attempts of a task follow each other, the one that
// counts last.
func (c *checker) retries() {
	if len(c.attempts) == 0 || !c.executed {
		return
	}
	order := make([]*attempt, len(c.attempts))
	for i := range c.attempts {
		order[i] = &c.attempts[i]
	}
	slices.SortStableFunc(order, func(a, b *attempt) int {
		switch {
		case a.task != b.task:
			return int(a.task) - int(b.task)
		case a.assigned != b.assigned:
			return cmp.Compare(a.assigned, b.assigned)
		case a.lost && !b.lost: // an attempt lost at once comes first
			return -1
		case b.lost && !a.lost:
			return 1
		}
		return cmp.Compare(a.finish, b.finish)
	})
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		if a.task != b.task {
			continue
		}
		switch {
		case !a.lost:
			c.addAttempt("lost", b, b.hold(), "is assigned at %d, although the attempt that counts was assigned at %d already",
				b.assigned, a.assigned)
		case b.assigned < a.finish:
			c.addAttempt("lost", b, model.Interval{Start: b.assigned, End: a.finish},
				"is assigned at %d, before an earlier attempt of it is lost at %d", b.assigned, a.finish)
		}
	}
}
