package inference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
)

// MostCells bounds the tasks × ticks of a kind of cores, mostGiven what may be left before cases of which others are to come, in
// groups × tasks.
const (
	MostCells = 1 << 22
	mostGiven = 1 << 26
)

// assigning is the relaxation in which each task is for a core alone, and only which core does which counts.
type assigning struct {
	*state
	// tasks are those whose jobs are in.
	tasks []int32
	kinds []coreKind
	// after has, by number of tasks looked at and by when a core is free, the most that these are worth, ahead that of
	// the others.
	after, ahead [][]int64
	// open are cases of which others are to come.
	open  []cases
	given int
	// late tells that the context was done.
	late bool
}

// coreKind has cores that are alike: how long each task takes, 0 where it has no place, and by when it has ended, both from when the
// core begins. If time runs backward that is its end. In order are the tasks as a core does them.
type coreKind struct {
	length, by []model.Time
	room       model.Time
	cores      int64
	order      []int
}

// group has cores of a kind, with the tasks that they may do.
type group struct {
	*coreKind
	cores int64
	may   []bool
}

// cases are those that one of the groups does a task, from the k-th on.
type cases struct {
	left   []group
	task   int
	groups []int
	k      int
}

// unassigned: whatever core does which task, some are not done.
func (st *state) unassigned(a []int64) error {
	m := st.multipliers[a[0]]
	if m == nil || len(m.assigned) == 0 {
		return fmt.Errorf("there are no rewards for tasks in line %d", a[0])
	}
	s := &assigning{state: st}
	if err := s.read(); err != nil {
		return err
	}
	left, done := s.everything(), false
	for n := range m.assigned {
		pass := &m.assigned[n]
		var err error
		if done != pass.next {
			return errors.New("a case is left open, or is another")
		}
		if pass.next {
			if left, err = s.next(); err != nil {
				return err
			}
		}
		for _, id := range pass.give {
			if left, err = s.first(left, slices.Index(s.tasks, id)); err != nil {
				return err
			}
		}
		if done = s.rule(pass.rewards, left); s.late {
			return errors.New("there was no time for it")
		}
		if done && len(s.open) == 0 {
			return nil
		}
	}
	return errors.New("an assignment may be left")
}

// read collects tasks, and cores by kind. Time runs backward unless all tasks of a slave can start at one time, on each.
func (s *assigning) read() error {
	for t := range s.state.tasks {
		if s.in(s.state.tasks[t].job) {
			s.tasks = append(s.tasks, int32(t))
		}
	}
	type window struct{ from, to, run model.Time }
	windows, together := make([][]window, len(s.js.Slaves)), true
	for slave := range windows {
		windows[slave] = make([]window, len(s.tasks))
		first := model.Time(-1)
		for n, t := range s.tasks {
			at := s.placeOn(t, model.SlaveID(slave))
			if at < 0 || s.on(at) == no {
				continue
			}
			p := &s.places[at]
			if here, some := s.fit(p, s.among(p)); some {
				windows[slave][n] = window{here.start.first, here.start.last + p.run, p.run}
				together = together && (first < 0 || first == here.start.first)
				first = here.start.first
			}
		}
	}
	for slave, of := range windows {
		k := coreKind{length: make([]model.Time, len(s.tasks)), by: make([]model.Time, len(s.tasks))}
		begin, end := model.Time(model.Never), model.Time(0)
		for _, w := range of {
			if w.run > 0 {
				begin, end = min(begin, w.from), max(end, w.to)
			}
		}
		for n, w := range of {
			if w.run == 0 {
				continue
			}
			if k.length[n], k.by[n] = w.run, w.to-begin; !together {
				k.by[n] = end - w.from
			}
			k.room = max(k.room, k.by[n])
		}
		for _, has := range s.js.Supplies(model.SlaveID(slave)) {
			if has.Resource == model.Cores {
				k.cores = has.Units
			}
		}
		if int64(k.room) >= MostCells/int64(1+len(s.tasks)) {
			return errors.New("there are too many tasks and ticks")
		}
		s.add(k)
	}
	return nil
}

// add adds cores, to others that are like them.
func (s *assigning) add(k coreKind) {
	if k.room == 0 {
		return
	}
	for n := range s.kinds {
		if o := &s.kinds[n]; slices.Equal(o.length, k.length) && slices.Equal(o.by, k.by) {
			o.cores += k.cores
			return
		}
	}
	for n := range s.tasks {
		k.order = append(k.order, n)
	}
	slices.SortStableFunc(k.order, func(n, m int) int { return cmp.Compare(k.by[n], k.by[m]) })
	s.kinds = append(s.kinds, k)
}

// everything is that each task may be done wherever it has a place.
func (s *assigning) everything() (out []group) {
	for k := range s.kinds {
		g := group{coreKind: &s.kinds[k], cores: s.kinds[k].cores}
		for _, length := range g.length {
			g.may = append(g.may, length > 0)
		}
		out = append(out, g)
	}
	return out
}

// doers lists the groups that may do a task.
func doers(left []group, n int) (out []int) {
	for g := range left {
		if left[g].may[n] {
			out = append(out, g)
		}
	}
	return out
}

// first begins cases about a task with that of the first group.
func (s *assigning) first(left []group, n int) ([]group, error) {
	if n < 0 || len(doers(left, n)) == 0 {
		return nil, errors.New("cases about a task that nothing is left to")
	}
	if s.given += len(left) * len(s.tasks); s.given > mostGiven {
		return nil, errors.New("too much is left before cases")
	}
	s.open = append(s.open, cases{left: left, task: n, groups: doers(left, n)})
	return s.next()
}

// next is what is left in the next of the latest cases.
func (s *assigning) next() ([]group, error) {
	last := len(s.open) - 1
	if last < 0 {
		return nil, errors.New("there is no other case")
	}
	c := &s.open[last]
	out := s.give(c)
	if c.k++; c.k == len(c.groups) {
		s.given -= len(c.left) * len(s.tasks)
		s.open = s.open[:last]
	}
	return out, nil
}

// give is what is left if a group does a task, and no group before it does one like that.
func (s *assigning) give(c *cases) []group {
	to, out := c.groups[c.k], slices.Clone(c.left)
	for g := range out {
		out[g].may = slices.Clone(c.left[g].may)
	}
	for n := range s.tasks {
		if n == c.task || !s.alike(n, c.task) || settled(c.left, n) || !slices.Equal(doers(c.left, n), c.groups) {
			continue
		}
		for _, g := range c.groups[:c.k] {
			out[g].may[n] = false
		}
	}
	if out[to].cores > 1 {
		out[to].cores--
		one := out[to]
		one.cores, one.may = 1, slices.Clone(one.may)
		out, to = append(out, one), len(out)
	}
	for g := range out {
		out[g].may[c.task] = g == to
	}
	return out
}

// alike reports whether two tasks have the same lengths and ends on all cores.
func (s *assigning) alike(n, m int) bool {
	return !slices.ContainsFunc(s.kinds, func(k coreKind) bool { return k.length[n] != k.length[m] || k.by[n] != k.by[m] })
}

// settled reports whether one core alone may do a task.
func settled(left []group, n int) bool {
	groups := doers(left, n)
	return len(groups) == 1 && left[groups[0]].cores == 1
}

// rule takes tasks from groups by rewards. It reports whether nothing is left, or rewards are for more than cores can do.
func (s *assigning) rule(rewards map[int32]int64, left []group) bool {
	over, of, is := int64(0), make([]int64, len(s.tasks)), make([]bool, len(s.tasks))
	for n, t := range s.tasks {
		if is[n] = settled(left, n); !is[n] {
			of[n] = rewards[t]
			over = plus(over, of[n])
		}
	}
	most, all := make([]chosen, len(left)), int64(0)
	for g := range left {
		most[g] = s.most(&left[g], of, is)
		if most[g].whatever < 0 {
			return true
		}
		all = plus(all, times(left[g].cores, most[g].whatever))
	}
	if all >= largest {
		return false
	}
	if over -= all; over > 0 {
		return true
	}
	for n := range s.tasks {
		if is[n] {
			continue
		}
		lost := int64(0) // by all cores, if none does the task
		for g := range left {
			lost = plus(lost, times(left[g].cores, most[g].whatever-most[g].without[n]))
		}
		groups := doers(left, n)
		for _, g := range groups {
			// One core of the group does it after all.
			left[g].may[n] = most[g].with[n] >= 0 && over+lost+most[g].without[n]-most[g].with[n] <= 0
		}
		if !slices.ContainsFunc(groups, func(g int) bool { return left[g].may[n] }) {
			return true
		}
	}
	return false
}

// chosen is the most that what a core does is worth: whatever it is, with a task, and without it. It is
// less than 0 where what it has to do does not fit.
type chosen struct {
	whatever      int64
	with, without []int64
}

// most works out what a core of a group does, which has to do the tasks that are settled.
func (s *assigning) most(of *group, rewards []int64, settled []bool) chosen {
	var can []int
	for _, n := range of.order {
		if of.may[n] {
			can = append(can, n)
		}
	}
	ticks := int(of.room) + 1
	out := chosen{with: make([]int64, len(s.tasks)), without: make([]int64, len(s.tasks))}
	if s.late = s.late || s.stoppedAfter(4*ticks*(1+len(can))); s.late {
		return out
	}
	after, ahead := rows(&s.after, len(can), ticks), rows(&s.ahead, len(can), ticks)
	for free := range ticks {
		after[0][free], ahead[len(can)][free] = misfit, 0
	}
	after[0][0] = 0
	for k, n := range can {
		length, last := int(of.length[n]), int(of.by[n]-of.length[n])
		for free, worth := range after[k] {
			if settled[n] {
				worth = misfit
			}
			if before := free - length; before >= 0 && before <= last && after[k][before] >= 0 {
				worth = max(worth, after[k][before]+rewards[n])
			}
			after[k+1][free] = worth
		}
	}
	out.whatever = slices.Max(after[len(can)])
	for n := range s.tasks {
		out.with[n], out.without[n] = misfit, out.whatever
	}
	for k, n := range slices.Backward(can) {
		length, last := int(of.length[n]), int(of.by[n]-of.length[n])
		out.without[n] = misfit
		for free, worth := range after[k] {
			with, without := int64(misfit), ahead[k+1][free]
			if free <= last && ahead[k+1][free+length] >= 0 {
				with = ahead[k+1][free+length] + rewards[n]
			}
			if worth >= 0 && with >= 0 {
				out.with[n] = max(out.with[n], worth+with)
			}
			if worth >= 0 && without >= 0 {
				out.without[n] = max(out.without[n], worth+without)
			}
			if settled[n] {
				without = misfit
			}
			ahead[k][free] = max(with, without)
		}
	}
	return out
}

// misfit is less than any worth.
const misfit = -1

// rows is a table for so many tasks and one more row, with so many ticks.
func rows(table *[][]int64, tasks, ticks int) [][]int64 {
	for len(*table) <= tasks {
		*table = append(*table, nil)
	}
	for n := range tasks + 1 {
		if cap((*table)[n]) < ticks {
			(*table)[n] = make([]int64, ticks)
		}
		(*table)[n] = (*table)[n][:ticks]
	}
	return *table
}
