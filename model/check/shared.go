package check

import (
	"fmt"
	"slices"

	"downbeat/model"
)

// limit is an amount that tasks on all slaves have in common (C11): a pool, or a cap.
type limit struct {
	// name is what people call it, and word what is done with it: wanted of a pool, held under a cap.
	name, word string
	levels     []model.Level
	reserved   []model.SharedHold
	// units is what an attempt holds of it.
	units func(*model.Task) int64
}

// shared checks C11: of nothing that slaves share more is held at any time than there is then.
func (c *checker) shared() {
	for i := range c.js.Pools {
		p := &c.js.Pools[i]
		c.limit(limit{"pool " + p.Name, "wanted", p.Levels, p.Reserved, func(t *model.Task) int64 {
			needs := t.Needs()
			return needs.Pooled(i)
		}}, c.all())
	}
	var byJob [][]int32
	if c.capped() {
		byJob = c.attemptsOf()
	}
	one := func(*model.Task) int64 { return 1 }
	for i := range c.js.Jobs {
		job := &c.js.Jobs[i]
		if job.AtMost > 0 {
			c.limit(limit{"cap of " + job.Name, "held", []model.Level{{Amount: job.AtMost}}, job.Reserved, one}, byJob[i])
		}
		for k := range job.Stages {
			st := &job.Stages[k]
			if st.AtMost == 0 {
				continue
			}
			c.limit(limit{fmt.Sprintf("cap of %s/%s", job.Name, st.Name), "held", []model.Level{{Amount: st.AtMost}}, st.Reserved, one},
				c.attemptsIn(byJob[i], k))
		}
	}
}

// capped reports whether there is a cap.
func (c *checker) capped() bool {
	return slices.ContainsFunc(c.js.Jobs, func(j model.Job) bool {
		return j.AtMost > 0 || slices.ContainsFunc(j.Stages, func(st model.Stage) bool { return st.AtMost > 0 })
	})
}

// all lists all attempts, by index.
func (c *checker) all() []int32 {
	all := make([]int32, len(c.attempts))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// attemptsOf lists attempts, by index, of each job.
func (c *checker) attemptsOf() [][]int32 {
	of := make([][]int32, len(c.js.Jobs))
	for i := range c.attempts {
		job := c.js.Tasks[c.attempts[i].task].Job
		of[job] = append(of[job], int32(i))
	}
	return of
}

// attemptsIn are those of a stage among those of its job.
func (c *checker) attemptsIn(ofJob []int32, stage int) (in []int32) {
	for _, i := range ofJob {
		if c.js.Tasks[c.attempts[i].task].Stage == int32(stage) {
			in = append(in, i)
		}
	}
	return in
}

// limit checks one limit against attempts. Where there is less than at other times, the rest counts
// as held by others.
func (c *checker) limit(l limit, attempts []int32) {
	most := int64(0)
	for _, level := range l.levels {
		most = max(most, level.Amount)
	}
	var uses []Use
	for _, i := range attempts {
		a := &c.attempts[i]
		if units := l.units(&c.js.Tasks[a.task]); units > 0 {
			uses = append(uses, Use{Interval: a.hold(), Units: units, Owner: i})
		}
	}
	wanted := len(uses) // those before are of the plan
	if wanted == 0 {
		return
	}
	for _, r := range l.reserved {
		uses = append(uses, Use{Interval: r.Interval, Units: r.Units, Owner: reserved})
	}
	for k, level := range l.levels {
		end := model.Never
		if k+1 < len(l.levels) {
			end = l.levels[k+1].From
		}
		if gap := most - level.Amount; gap > 0 {
			uses = append(uses, Use{Interval: model.Interval{Start: level.From, End: end}, Units: gap, Owner: reserved})
		}
	}
	for _, e := range Excesses(uses, most, maxTasks+len(uses)-wanted) {
		c.addShort(&l, most, e)
	}
}

// addShort records that more of a limit is held than there is. Gaps of a limit make Excesses give
// stretches in which only others hold something, which are none of the plan's.
func (c *checker) addShort(l *limit, most int64, e Excess) {
	there := l.at(e.PeakAt)
	wanted := e.Peak - (most - there)
	v := Violation{Rule: "C11", At: e.Interval, More: e.More}
	slices.Sort(e.Owners)
	for _, i := range e.Owners {
		switch {
		case i == reserved:
		case len(v.Tasks) < maxTasks:
			v.Tasks = append(v.Tasks, c.name(&c.attempts[i]))
		default:
			v.More++
		}
	}
	if len(v.Tasks) == 0 {
		return // nothing of the plan's
	}
	upTo, at := "", ""
	if e.Changes {
		upTo, at = "up to ", fmt.Sprintf("at %d ", e.PeakAt)
	}
	v.Message = fmt.Sprintf("%s: %s%d %s in %s, %d there: %s%s",
		l.name, upTo, wanted, l.word, span(e.Interval), there, at, listNames(v.Tasks, v.More))
	c.add(v)
}

// at is the amount at a time.
func (l *limit) at(t model.Time) int64 {
	amount := l.levels[0].Amount
	for _, level := range l.levels {
		if level.From <= t {
			amount = level.Amount
		}
	}
	return amount
}

// together checks C12: tasks of a gang start at the same time, and those that are apart are on
// different slaves.
func (c *checker) together() {
	var byJob [][]int32
	for i := range c.js.Jobs {
		for k := range c.js.Jobs[i].Stages {
			st := &c.js.Jobs[i].Stages[k]
			if !st.Gang && !st.Apart {
				continue
			}
			if byJob == nil {
				byJob = c.attemptsOf()
			}
			of := c.attemptsIn(byJob[i], k)
			if st.Gang {
				c.gang(st, of)
			}
			if st.Apart {
				c.apart(of)
			}
		}
	}
}

// gang checks that attempts of a gang start together: those that count, at StartAt if others were
// handed out before, and those that were lost at the same time. A loss ends a gang, so
// that what counts is handed out after all losses.
func (c *checker) gang(st *model.Stage, of []int32) {
	var first *attempt // of those that count
	lastLoss := model.Time(-1)
	lost := map[model.Time]*attempt{} // the first to be lost at a time that had started
	for _, i := range of {
		a := &c.attempts[i]
		switch {
		case !a.lost && first == nil:
			first = a
			if st.StartAt > 0 && a.start != st.StartAt {
				c.addAttempt("C12", a, point(a.start), "starts at %d, and others of its gang at %d", a.start, st.StartAt)
			}
		case !a.lost:
			c.sameStart(first, a)
		default:
			lastLoss = max(lastLoss, a.finish)
			if !a.started() {
				continue
			}
			if other := lost[a.finish]; other != nil {
				c.sameStart(other, a)
			} else {
				lost[a.finish] = a
			}
		}
	}
	for _, i := range of {
		if a := &c.attempts[i]; !a.lost && a.assigned < lastLoss {
			c.addAttempt("C12", a, model.Interval{Start: a.assigned, End: lastLoss},
				"is assigned at %d, before an attempt of its gang is lost at %d: a gang runs again as a whole", a.assigned, lastLoss)
		}
	}
}

// sameStart checks that an attempt starts with another one of its gang.
func (c *checker) sameStart(with, a *attempt) {
	if a.start != with.start {
		c.addAttempt("C12", a, model.Interval{Start: min(a.start, with.start), End: max(a.start, with.start)},
			"starts at %d, and %s of the same gang at %d", a.start, c.name(with), with.start)
	}
}

// apart checks that no two attempts of different tasks are on the same slave that both count, or that
// it holds at the same time.
func (c *checker) apart(of []int32) {
	on := map[model.SlaveID][]int32{}
	for _, i := range of {
		a := &c.attempts[i]
		for _, k := range on[a.slave] {
			b := &c.attempts[k]
			if a.task == b.task || (a.lost || b.lost) && !a.hold().Overlaps(b.hold()) {
				continue
			}
			c.add(Violation{
				Rule: "C12", Tasks: []string{c.name(b), c.name(a)}, Slave: c.js.Slaves[a.slave].Name,
				Message: fmt.Sprintf("%s and %s are both on machine %s, and their stage is apart", c.name(b), c.name(a), c.js.Slaves[a.slave].Name),
			})
			break
		}
		on[a.slave] = append(on[a.slave], i)
	}
}
