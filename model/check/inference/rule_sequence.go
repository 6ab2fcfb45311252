package inference

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"downbeat/model"
)

// Bounds that keep sums within an int64, and checks within bounds. MostPasses are the passes of a line of multipliers, MostParted the
// points and steps of walks that may be left before splits of which the other part is to come.
const (
	mostReward = 1 << 32
	mostDelay  = 1 << 32 // what a job that is later pays
	MostPasses = 1 << 14
	mostLines  = 1 << 8
	mostWalked = 1 << 21 // nodes of a pass
	MostParted = 1 << 22
	unreached  = 1 << 62
)

// sequencing is the relaxation in which slaves are as many walks through time as they run tasks at a time: a
// job may be run any number of times, for a reward, or never, but for those that are counted.
type sequencing struct {
	*state
	pieces   []piece
	machines []machine
	// unit is the price of a unit of the weighted lateness, and most that of all that is allowed to those that are not apart.
	unit, most int64
	// tight tells that jobs begin as early as their order lets them, and neighbours are in order.
	tight bool
	// only tells that there is one walk.
	only bool
	left
	// open are splits of which the other part is to come, impossible tells that the part that is looked at is, and passed counts the
	// splits in it that are passed over.
	open       []open
	impossible bool
	passed     int
	// parted is what is left before open splits.
	parted int
	// walked counts the nodes of a pass.
	walked int
}

// piece is a job of one task; weight is 0 where lateness costs nothing, letGo what it pays that is let go, 0 if it is in. It is on no walk if it is apart.
type piece struct {
	job                int32
	weight, due, letGo int64
	apart              bool
}

// machine is a slave on which there are so many walks, which begin at from and end from least to most. Its lines are there from some times on;
// turns tells that tasks may take turns on them.
type machine struct {
	slave             model.SlaveID
	lines             int64
	there             []model.Time
	turns             bool
	from, least, most model.Time
	options           []option // by piece
	lastRelease       model.Time
}

// option is when a piece may start, how long nothing else may after that, and when it has ended; nowhere if starts is
// empty.
type option struct {
	length, run model.Time
	starts      []span
}

func (o *option) may(start model.Time) bool {
	return slices.ContainsFunc(o.starts, func(in span) bool { return in.first <= start && start <= in.last })
}

// outOfSequence: whatever the order of tasks, jobs are too late.
func (st *state) outOfSequence(a []int64) error {
	m := st.multipliers[a[0]]
	if m == nil || len(m.passes) == 0 {
		return fmt.Errorf("there are no rewards for jobs in line %d", a[0])
	}
	s, err := st.sequencing(m)
	if err != nil {
		return err
	}
	for k := range m.passes {
		p := &m.passes[k]
		if len(p.reward) == 0 && k > 0 {
			p.reward = m.passes[k-1].reward
		}
		if err := s.part(p); err != nil {
			return err
		}
		if !s.impossible {
			if err := s.pass(p); err != nil {
				return err
			}
		}
		if s.impossible && len(s.open) == 0 {
			return nil
		}
	}
	return errors.New("a walk through time may cost no more than what is allowed")
}

// pass goes through all walks once.
func (s *sequencing) pass(p *pass) (err error) {
	if err := s.count(p.counted); err != nil {
		return err
	}
	total := int64(0)
	for k := range s.pieces {
		total += s.paid(k, p)
	}
	s.walked = 0
	walks := make([]*network, len(s.machines))
	for i := range walks {
		if walks[i], err = s.walk(&s.machines[i], p, s.walks[i]); err != nil {
			return err
		}
		if walks[i].least() == unreached {
			s.impossible = true
			return nil
		}
		total += s.machines[i].lines * walks[i].least()
	}
	if s.impossible = total > s.most; !s.impossible {
		for k := range s.pieces {
			s.must[k] = s.must[k] || total-s.paid(k, p)+s.pieces[k].letGo > s.most
		}
		for _, w := range walks {
			w.leave(s.most - (total - w.least()))
		}
		s.walks = walks
	}
	return nil
}

// paid is what is paid of the reward of a piece whether it is on a walk or not: no more than for letting it go, unless it has to run.
func (s *sequencing) paid(k int, p *pass) int64 {
	piece := &s.pieces[k]
	reward := p.reward[s.jobs[piece.job].job]
	switch {
	case piece.apart:
		return 0
	case s.must[k]:
		return reward
	}
	return min(reward, piece.letGo)
}

// left is what is left in a part: the walks of the pass before, between which times each piece starts, which are counted, and which have to run.
type left struct {
	walks []*network // by machine, nil before the first pass
	from  []model.Time
	to    []model.Time
	bits  []uint64 // by piece: of those that are counted
	must  []bool
}

// open is the other part of a split, and what was left before it.
type open struct {
	left
	piece  int
	by     model.Time
	parted int
}

// part splits what is left, or goes on with the other part of the latest split, where a pass says so. In a part that is
// impossible splits are passed over, with both of their parts.
func (s *sequencing) part(p *pass) error {
	switch n := len(s.open) - 1; {
	case !p.other:
	case s.passed > 0:
		s.passed--
	case n < 0 || !s.impossible:
		return errors.New("the first part of a split may be possible, or there is no split")
	default:
		of := s.open[n]
		s.left, s.open, s.impossible, s.parted = of.left, s.open[:n], false, of.parted
		s.from[of.piece], s.must[of.piece] = max(s.from[of.piece], of.by+1), true
	}
	switch {
	case p.split == nil:
	case s.impossible:
		s.passed++
	default:
		k := slices.IndexFunc(s.pieces, func(of piece) bool { return s.jobs[of.job].job == p.split.job && !of.apart })
		if k < 0 {
			return fmt.Errorf("job %d has not one task", p.split.job)
		}
		before := left{s.walks, slices.Clone(s.from), slices.Clone(s.to), slices.Clone(s.bits), slices.Clone(s.must)}
		s.open = append(s.open, open{before, k, p.split.by, s.parted})
		for _, w := range s.walks {
			if w != nil {
				s.parted += w.stepsLeft
			}
		}
		if s.parted > MostParted {
			return errors.New("too much is left before splits")
		}
		s.to[k] = min(s.to[k], p.split.by)
	}
	return nil
}

// count has more jobs be counted.
func (s *sequencing) count(jobs []model.JobID) error {
	for _, id := range jobs {
		k := slices.IndexFunc(s.pieces, func(p piece) bool { return s.jobs[p.job].job == id && !p.apart })
		used := 0
		for _, b := range s.bits {
			used += bits.OnesCount64(b)
		}
		if k < 0 || s.bits[k] != 0 || used == 64 {
			return fmt.Errorf("job %d cannot be counted", id)
		}
		s.bits[k] = 1 << used
	}
	return nil
}

// sequencing collects the jobs of one task that are in, or pay if they are let go, and the slaves that they may run on.
func (st *state) sequencing(m *multipliers) (*sequencing, error) {
	s := &sequencing{state: st, unit: m.ofLimits[model.WeightedTardiness]}
	for _, o := range limited {
		if price := m.ofLimits[o]; price > 0 {
			s.most = plus(s.most, times(price, st.q.limits[o]))
		}
	}
	if s.most >= mostWorth {
		return nil, errors.New("too much is allowed")
	}
	shape := model.WeightedTardiness.Shape()
	for k := range st.jobs {
		j := &st.jobs[k]
		_, letGo := st.missed(m, int32(k))
		letGo = min(letGo, mostDelay)
		if st.letGo(int32(k)) {
			s.most -= letGo
			continue
		}
		if j.last != j.task+1 || !st.in(int32(k)) && letGo == 0 {
			continue
		}
		spec := &st.js.Jobs[j.job]
		p := piece{job: int32(k)}
		if !st.in(int32(k)) {
			p.letGo = letGo
		}
		if shape.Jobs.Has(spec.Kind) && j.role == must {
			p.weight, p.due = shape.Weight(spec), int64(shape.From(spec))
		}
		s.pieces = append(s.pieces, p)
	}
	n := len(s.pieces)
	if n == 0 || n > mostTicks {
		return nil, errors.New("no jobs, or too many, are in that have one task")
	}
	for slave := range st.onSlave {
		s.addMachine(model.SlaveID(slave))
	}
	if s.tight = s.isTight(); s.tight {
		s.tighten()
	}
	s.merge()
	s.only = len(s.machines) == 1 && s.machines[0].lines == 1
	s.left = left{make([]*network, len(s.machines)), make([]model.Time, n), slices.Repeat([]model.Time{model.Never}, n), make([]uint64, n), make([]bool, n)}
	for k := range s.pieces {
		s.must[k] = s.pieces[k].letGo == 0
	}
	lines, ticks := int64(0), model.Time(0)
	for k := range s.machines {
		m := &s.machines[k]
		s.measure(m)
		if lines, ticks = lines+m.lines, ticks+m.most-m.from; lines > mostLines || ticks > mostTicks {
			return nil, errors.New("too many tasks can run at a time, or there is too much time")
		}
	}
	return s, nil
}

// addMachine adds a slave, if any piece may run there. Where it takes all of them at once, and none may run on another, they are apart: on no walk, and each pays no
// less than it does if it begins as early as it can.
func (s *sequencing) addMachine(slave model.SlaveID) {
	m, apart := machine{slave: slave, options: make([]option, len(s.pieces))}, len(s.js.Slaves[slave].Reservations) == 0
	first := map[int]model.Time{} // by piece, when it can end
	for k := range s.pieces {
		t := s.jobs[s.pieces[k].job].task
		at := s.placeOn(t, slave)
		if at < 0 || s.on(at) == no {
			continue
		}
		p, o := &s.places[at], &m.options[k]
		o.length, o.run = p.run, p.run
		for here := range s.during(p, s.among(p)) {
			o.starts = append(o.starts, here.start)
			first[k] = o.starts[0].first + p.run
		}
		apart = apart && len(o.starts) > 0 && s.state.tasks[t].end-s.state.tasks[t].place == 1
	}
	if len(first) == 0 {
		return
	}
	m.lines = min(s.atATime(&m, model.HoldRun), s.atATime(&m, model.HoldStay))
	if m.there, m.turns = s.takeTurns(&m); !apart || !m.turns || m.lines < int64(len(first)) {
		s.machines = append(s.machines, m)
		return
	}
	for k, end := range first {
		s.pieces[k].apart, s.most = true, s.most-s.pays(int32(k), end)
	}
}

// tasks are those that may run on a machine.
func (s *sequencing) tasks(m *machine) (tasks []*model.Task) {
	for k := range m.options {
		if m.options[k].run > 0 {
			tasks = append(tasks, &s.js.Tasks[s.state.tasks[s.jobs[s.pieces[k].job].task].id])
		}
	}
	return tasks
}

// atATime is how many tasks there may be on a machine at a time, by what they hold in a way: as many as would fit that
// each need what one needs at least, or one where every two need more than there is.
func (s *sequencing) atATime(m *machine, hold model.Hold) int64 {
	tasks := s.tasks(m)
	most := int64(len(tasks))
	for _, has := range s.js.Supplies(m.slave) {
		if has.Hold != hold {
			continue
		}
		least, next := int64(largest), int64(largest)
		for _, t := range tasks {
			need := s.js.Need(t, m.slave, has.Resource)
			least, next = min(least, need), min(next, max(least, need))
		}
		if plus(least, next) > has.Units {
			return 1
		}
		if least > 0 {
			most = min(most, has.Units/least)
		}
	}
	return most
}

// merge parts machines by line, on which no task starts, or is handed out, before it is there, and makes one of lines that are alike.
func (s *sequencing) merge() {
	var merged []machine
	for _, m := range s.machines {
		for _, at := range m.there[:min(len(m.there), mostLines+1)] {
			line := machine{slave: m.slave, lines: 1, options: slices.Clone(m.options)}
			for k := range line.options {
				o, starts := &line.options[k], []span(nil)
				for _, in := range o.starts {
					if in.first = max(in.first, at); !in.empty() {
						starts = append(starts, in)
					}
				}
				if o.starts = starts; len(starts) == 0 {
					*o = option{}
				}
			}
			alike := func(of machine) bool { return slices.EqualFunc(of.options, line.options, option.equal) }
			if n := slices.IndexFunc(merged, alike); n < 0 {
				merged = append(merged, line)
			} else {
				merged[n].lines++
			}
		}
	}
	s.machines = slices.DeleteFunc(merged, func(m machine) bool { return len(s.tasks(&m)) == 0 })
}

func (o option) equal(other option) bool {
	return o.length == other.length && o.run == other.run && slices.Equal(o.starts, other.starts)
}

// isTight reports whether of all plans that are asked for, if there are any, one in which jobs begin as
// early as their order lets them has the least weighted lateness, and of these the least order:
// nothing has been supposed, and only the orders of jobs on machines are to be found.
func (s *sequencing) isTight() bool {
	st := s.state
	if len(st.clause) > 0 || st.kept || !s.oneLimit() {
		return false
	}
	pieces := 0
	for k := range st.jobs {
		if !st.letGo(int32(k)) {
			pieces++
		}
	}
	if pieces != len(s.pieces) {
		return false
	}
	for _, p := range s.pieces {
		j := &st.jobs[p.job]
		of := &st.tasks[j.task]
		if j.role != must && p.letGo == 0 || len(st.stages[of.stage].before) > 0 || st.stages[of.stage].IsGang() || len(st.js.Takes(of.id)) > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(s.machines, func(m machine) bool { return !m.turns })
}

// oneLimit reports whether one objective is limited, at most: the weighted tardiness, or a count of late jobs of which all that are in are in time.
func (s *sequencing) oneLimit() bool {
	some := false
	for _, o := range limited {
		if s.q.limits[o] == noLimit {
			continue
		}
		if shape := o.Shape(); some || !shape.Sums() && !shape.Counts() || shape.Counts() && slices.ContainsFunc(s.state.jobs, func(j job) bool {
			spec := &s.js.Jobs[j.job]
			return shape.Jobs.Has(spec.Kind) && j.by > spec.Due()
		}) {
			return false
		}
		some = true
	}
	return true
}

// takeTurns tells when each line of a machine is there: once as many tasks fit that need the least of what they hold while they run or stay, with what is reserved; where
// one stays at a time, at the first heartbeat with what it needs for the stay. Until then no schedule has as many there. turns tells that tasks which take turns
// on lines that are there keep to all that the machine has, which is always there: one task stays
// there at a time, or there is nothing to fetch and tasks can be handed out before they start, or are at every tick; and any so many fit.
func (s *sequencing) takeTurns(m *machine) (from []model.Time, turns bool) {
	slave, tasks, one := &s.js.Slaves[m.slave], s.tasks(m), s.atATime(m, model.HoldStay) == 1
	turns = len(slave.Down) == 0 && (one || !slices.ContainsFunc(tasks, func(t *model.Task) bool { return t.Transfer(m.slave) > 0 }))
	changes := []model.Time{0}
	for _, k := range slave.Reservations {
		changes = append(changes, k.Start, k.End)
	}
	slices.Sort(changes)
	for k := 0; k < len(changes) && !s.stoppedAfter(len(tasks)+len(changes)); k++ {
		fit, anySo := m.lines, m.lines
		for _, has := range s.js.Supplies(m.slave) {
			sum, least, greatest, left := int64(0), int64(largest), int64(0), s.unreserved(m.slave, &has, changes[k])
			for _, t := range tasks {
				need := s.js.Need(t, m.slave, has.Resource)
				sum, least, greatest = plus(sum, need), min(least, need), max(greatest, need)
			}
			if least > 0 && (has.Hold == model.HoldStay || has.Hold == model.HoldRun && !one) {
				fit = min(fit, left/least)
			}
			if free := one || has.Hold == model.HoldRun || s.js.Heartbeat == 1; sum > left && free && (m.lines == 1 || least == greatest) {
				anySo = min(anySo, left/greatest)
			} else if sum > left {
				anySo = 0
			}
		}
		for int64(len(from)) < fit {
			if from = append(from, changes[k]); one {
				from[0] = s.beatFrom(m.slave, changes[k])
			}
		}
		turns = turns && anySo >= int64(len(from))
	}
	return from, turns
}

// tighten has tasks begin when they are handed out, where one stays at a time, and the next at a heartbeat.
func (s *sequencing) tighten() {
	for n := range s.machines {
		m := &s.machines[n]
		if s.atATime(m, model.HoldStay) > 1 {
			continue
		}
		for k := range m.options {
			if len(m.options[k].starts) > 0 {
				p := &s.places[s.placeOn(s.jobs[s.pieces[k].job].task, m.slave)]
				beat := s.js.Heartbeat
				m.options[k] = option{length: (p.fetch + p.run + beat - 1) / beat * beat, run: p.fetch + p.run, starts: []span{{p.first, p.last - p.fetch}}}
			}
		}
	}
}

// measure works out when walks begin and end. Where there is only one all jobs run on it. Where they begin as early as
// they can it is not idle once all are there, and if all lines are alike no job begins after another line ends then.
func (s *sequencing) measure(m *machine) {
	alone := len(s.machines) == 1
	m.from = model.Never
	all, needed, longest := model.Time(0), model.Time(0), model.Time(0)
	for k := range m.options {
		o := &m.options[k]
		if all, longest = all+o.length, max(longest, o.length); s.pieces[k].letGo == 0 {
			needed += o.length
		}
		for _, in := range o.starts {
			m.from, m.most, m.lastRelease = min(m.from, in.first), max(m.most, in.last+o.length), max(m.lastRelease, in.first)
		}
	}
	lines := model.Time(m.lines)
	m.least = m.from
	if alone && (lines == 1 || s.tight && m.from == m.lastRelease) {
		m.least += max(0, (needed-(lines-1)*longest+lines-1)/lines)
	}
	switch {
	case s.tight && alone:
		m.most = min(m.most, m.lastRelease+(all+(lines-1)*longest)/lines)
	case s.tight:
		m.most = min(m.most, m.lastRelease+all)
	}
}

// pays is what a piece pays that ends at a time.
func (s *sequencing) pays(k int32, end model.Time) int64 {
	p := &s.pieces[k]
	return min(mostDelay, times(s.unit, times(p.weight, max(0, int64(end)-p.due))))
}
