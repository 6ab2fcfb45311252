package inference

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"downbeat/model"
)

// Bounds that keep sums within an int64, and checks within bounds.
const (
	mostReward = 1 << 32
	mostDelay  = 1 << 32 // what a job that is later pays
	mostPasses = 1 << 10
	mostLines  = 1 << 8
	mostWalked = 1 << 21 // nodes of a pass
	unreached  = 1 << 62
)

// Words that rewards, and jobs that are counted from a pass on, begin with.
const (
	RewardWord  = "job"
	CountedWord = "once"
)

// pass has what a job earns by running, by JobID, as in the pass before if nothing is said, and the jobs that are
// counted from it on.
type pass struct {
	reward  map[model.JobID]int64
	counted []model.JobID
}

// passOf is a pass by the next field, the last one or one more.
func (st *state) passOf(m *multipliers) *pass {
	n := st.number(max(0, int64(len(m.passes))-1), min(mostPasses, int64(len(m.passes))))
	if int(n) == len(m.passes) {
		m.passes = append(m.passes, pass{reward: map[model.JobID]int64{}})
	}
	return &m.passes[n]
}

// readReward reads job.P.J.V, readCounted once.P.J.
func (st *state) readReward(m *multipliers) {
	p, k := st.passOf(m), st.readArg('J')
	if v := st.number(1, mostReward); st.err == nil {
		id := st.jobs[k].job
		if p.reward[id] += v; p.reward[id] > mostReward {
			st.fail("too high a reward")
		}
	}
}

func (st *state) readCounted(m *multipliers) {
	if p, k := st.passOf(m), st.readArg('J'); st.err == nil {
		p.counted = append(p.counted, st.jobs[k].job)
	}
}

// sequencing is the relaxation in which slaves are as many walks through time as they run tasks at a time: a
// job may be run any number of times, for a reward, or never, but for those that are counted.
type sequencing struct {
	*state
	pieces   []piece
	machines []machine
	// unit is the price of a unit of the weighted lateness, and most that of all that is allowed.
	unit, most int64
	// tight tells that jobs begin as early as their order lets them, and neighbours are in order.
	tight bool
	// only tells that there is one walk.
	only bool
	bits []uint64 // by piece: of those that are counted
	// walked counts the nodes of a pass.
	walked int
}

// piece is a job of one task; weight is 0 where lateness costs nothing.
type piece struct {
	job         int32
	weight, due int64
}

// machine is a slave on which there are so many walks, which begin at from and end from least to most.
type machine struct {
	slave             model.SlaveID
	lines             int64
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
	s.bits = make([]uint64, len(s.pieces))
	walks := make([]*network, len(s.machines))
	for k := range m.passes {
		p := &m.passes[k]
		if len(p.reward) == 0 && k > 0 {
			p.reward = m.passes[k-1].reward
		}
		if err := s.count(p.counted); err != nil {
			return err
		}
		total := int64(0)
		for _, piece := range s.pieces {
			total += p.reward[s.jobs[piece.job].job]
		}
		s.walked = 0
		for i := range walks {
			if walks[i], err = s.walk(&s.machines[i], p, walks[i]); err != nil {
				return err
			}
			if walks[i].least() == unreached {
				return nil
			}
			total += s.machines[i].lines * walks[i].least()
		}
		if total > s.most {
			return nil
		}
		for _, w := range walks {
			w.leave(s.most - (total - w.least()))
		}
	}
	return errors.New("a walk through time may cost no more than what is allowed")
}

// count has more jobs be counted.
func (s *sequencing) count(jobs []model.JobID) error {
	for _, id := range jobs {
		k := slices.IndexFunc(s.pieces, func(p piece) bool { return s.jobs[p.job].job == id })
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

// sequencing collects the jobs of one task that are in, and the slaves that they may run on.
func (st *state) sequencing(m *multipliers) (*sequencing, error) {
	s := &sequencing{state: st, unit: m.ofLimits[model.WeightedTardiness]}
	if s.unit > 0 {
		if s.most = times(s.unit, st.q.limits[model.WeightedTardiness]); s.most >= mostWorth {
			return nil, errors.New("too much is allowed")
		}
	}
	shape := model.WeightedTardiness.Shape()
	for k := range st.jobs {
		j := &st.jobs[k]
		if j.last != j.task+1 || !st.in(int32(k)) {
			continue
		}
		spec := &st.js.Jobs[j.job]
		p := piece{job: int32(k)}
		if shape.Jobs.Has(spec.Kind) && j.role == must {
			p.weight, p.due = shape.Weight(spec), int64(shape.From(spec))
		}
		s.pieces = append(s.pieces, p)
	}
	if len(s.pieces) == 0 || len(s.pieces) > mostTicks {
		return nil, errors.New("no jobs, or too many, are in that have one task")
	}
	for slave := range st.onSlave {
		s.addMachine(model.SlaveID(slave))
	}
	s.only = len(s.machines) == 1 && s.machines[0].lines == 1
	if s.tight = s.isTight(); s.tight {
		s.tighten()
	}
	lines, ticks := int64(0), model.Time(0)
	for k := range s.machines {
		m := &s.machines[k]
		m.measure(s.only, s.tight)
		if lines, ticks = lines+m.lines, ticks+m.most-m.from; lines > mostLines || ticks > mostTicks {
			return nil, errors.New("too many tasks can run at a time, or there is too much time")
		}
	}
	return s, nil
}

// addMachine adds a slave, if any piece may run there.
func (s *sequencing) addMachine(slave model.SlaveID) {
	m, some := machine{slave: slave, options: make([]option, len(s.pieces))}, false
	for k := range s.pieces {
		t := s.jobs[s.pieces[k].job].task
		at := s.placeOn(t, slave)
		if at < 0 || s.on(at) == no {
			continue
		}
		p, o := &s.places[at], &m.options[k]
		o.length, o.run = p.run, p.run
		for here := range s.during(p, s.among(p)) {
			o.starts, some = append(o.starts, here.start), true
		}
	}
	if some {
		m.lines = min(s.atATime(&m, model.HoldRun), s.atATime(&m, model.HoldStay))
		s.machines = append(s.machines, m)
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

// roomForAll reports whether all tasks may stay on a machine at a time.
func (s *sequencing) roomForAll(m *machine) bool {
	tasks := s.tasks(m)
	return !slices.ContainsFunc(s.js.Supplies(m.slave), func(has model.Supply) bool {
		sum := int64(0)
		for _, t := range tasks {
			sum = plus(sum, s.js.Need(t, m.slave, has.Resource))
		}
		return has.Hold == model.HoldStay && sum > has.Units
	})
}

// isTight reports whether of all plans that are asked for, if there are any, one in which jobs begin as
// early as their order lets them has the least weighted lateness, and of these the least order:
// nothing has been supposed, and only the order of jobs on one slave is to be found. There one task stays at a time,
// or there is nothing to fetch and tasks can be handed out before they start, or are at every tick.
func (s *sequencing) isTight() bool {
	st, limits := s.state, s.q.limits
	limits[model.WeightedTardiness] = noLimit
	if len(st.clause) > 0 || st.kept || !s.only || len(s.pieces) != len(st.jobs) || limits != unlimited {
		return false
	}
	m := &s.machines[0]
	slave := &st.js.Slaves[m.slave]
	if len(slave.Down) > 0 || len(slave.Reservations) > 0 {
		return false
	}
	fetches := false
	for k := range st.jobs {
		j := &st.jobs[k]
		of := &st.tasks[j.task]
		if j.role != must || of.end != of.place+1 || len(st.stages[of.stage].before) > 0 || st.stages[of.stage].IsGang() || len(st.js.Takes(of.id)) > 0 {
			return false
		}
		fetches = fetches || st.places[of.place].fetch > 0
	}
	return s.atATime(m, model.HoldStay) == 1 || !fetches && (st.js.Heartbeat == 1 || s.roomForAll(m))
}

// tighten has tasks begin when they are handed out, where one stays at a time, and the next at a heartbeat.
func (s *sequencing) tighten() {
	m := &s.machines[0]
	if s.atATime(m, model.HoldStay) > 1 {
		return
	}
	for k := range m.options {
		p := &s.places[s.state.tasks[s.jobs[s.pieces[k].job].task].place]
		beat := s.js.Heartbeat
		m.options[k] = option{length: (p.fetch + p.run + beat - 1) / beat * beat, run: p.fetch + p.run, starts: []span{{p.first, p.last - p.fetch}}}
	}
}

// measure works out when walks begin and end. Where there is only one all jobs run on it, and where they begin as early as
// they can it is not idle once all are there.
func (m *machine) measure(only, tight bool) {
	m.from = model.Never
	all := model.Time(0)
	for k := range m.options {
		o := &m.options[k]
		all += o.length
		for _, in := range o.starts {
			m.from, m.most, m.lastRelease = min(m.from, in.first), max(m.most, in.last+o.length), max(m.lastRelease, in.first)
		}
	}
	if m.least = m.from; only {
		m.least += all
	}
	if tight {
		m.most = min(m.most, m.lastRelease+all)
	}
}

// pays is what a piece pays that ends at a time.
func (s *sequencing) pays(k int32, end model.Time) int64 {
	p := &s.pieces[k]
	return min(mostDelay, times(s.unit, times(p.weight, max(0, int64(end)-p.due))))
}

// wait stands for a tick without any job.
const wait = -1

// follows reports whether a piece, or a tick without any, may come right after another at a time.
func (s *sequencing) follows(m *machine, before, k int32, at model.Time) bool {
	switch {
	case k == wait:
		return true
	case before == wait:
		return !s.tight || at == m.options[k].starts[0].first
	case before == k:
		return false
	case !s.tight:
		return true
	}
	i, j := &m.options[before], &m.options[k]
	from := at - i.length
	if from < j.starts[0].first || from+j.length > i.starts[0].last {
		return true
	}
	is := s.pays(before, from+i.run) + s.pays(k, at+j.run)
	other := s.pays(k, from+j.run) + s.pays(before, from+j.length+i.run)
	return is < other || is == other && before < k
}

// network has all walks of a pass on a machine that are left by those before.
type network struct {
	*sequencing
	m      *machine
	p      *pass
	before *network // nil for the first pass
	mask   uint64   // of those that were counted before
	all    uint64   // of those that are counted now
	points []point
	nodes  []node
	at     map[instant]int32
	byTime [][]int32
}

// instant is a time at which nothing runs, with which of the counted jobs are done.
type instant struct {
	time model.Time
	done uint64
}

// point is an instant: the nodes that end in it, and that begin there.
type point struct {
	instant
	under      int32 // the point of the pass before
	ends, next []int32
	left       []int32 // pieces that begin here on walks that cost no more than what is allowed
}

// node is a piece, or a tick, from one point to another: the least cost up to its end, and of the rest.
type node struct {
	piece, to  int32
	cost, rest int64
}

// walk works out all walks of a pass.
func (s *sequencing) walk(m *machine, p *pass, before *network) (*network, error) {
	w := &network{sequencing: s, m: m, p: p, before: before, at: map[instant]int32{}, byTime: make([][]int32, m.most-m.from+1)}
	for _, b := range s.bits {
		w.all |= b
	}
	if before != nil {
		w.mask = before.all
		before.before = nil
	}
	w.nodes = []node{{piece: wait, to: w.point(instant{time: m.from})}}
	w.points[0].ends = []int32{0}
	for _, here := range w.byTime {
		for _, at := range here {
			if w.onward(at); s.walked+len(w.nodes) > mostWalked {
				return nil, errors.New("there are too many walks")
			}
		}
		if s.stopped() {
			return w, nil
		}
	}
	s.walked += len(w.nodes)
	w.backward()
	return w, nil
}

// point is the one of an instant.
func (w *network) point(at instant) int32 {
	k, ok := w.at[at]
	if !ok {
		k = int32(len(w.points))
		of := point{instant: at}
		if w.before != nil {
			of.under = w.before.at[instant{at.time, at.done & w.mask}]
		}
		w.points, w.at[at] = append(w.points, of), k
		w.byTime[at.time-w.m.from] = append(w.byTime[at.time-w.m.from], k)
	}
	return k
}

// onward adds all nodes that begin at a point.
func (w *network) onward(at int32) {
	time := w.points[at].time
	if w.before != nil {
		for _, k := range w.before.points[w.points[at].under].left {
			w.add(at, k)
		}
		return
	}
	for k := range w.m.options {
		if o := &w.m.options[k]; o.may(time) && time+o.length <= w.m.most {
			w.add(at, int32(k))
		}
	}
	if time < w.m.most && (!w.tight || time < w.m.lastRelease) {
		w.add(at, wait)
	}
}

// add adds a node, if it may follow any that ends where it begins.
func (w *network) add(at, k int32) {
	p, least := &w.points[at], int64(unreached)
	end := instant{p.time + 1, p.done}
	if k != wait {
		if w.bits[k]&p.done != 0 {
			return
		}
		end = instant{p.time + w.m.options[k].length, p.done | w.bits[k]}
	}
	w.stoppedAfter(len(p.ends))
	for _, n := range p.ends {
		if before := &w.nodes[n]; before.cost < least && w.follows(w.m, before.piece, k, p.time) {
			least = before.cost
		}
	}
	if least == unreached {
		return
	}
	to, n := w.point(end), int32(len(w.nodes))
	w.nodes = append(w.nodes, node{piece: k, to: to, cost: least + w.cost(k, p.time)})
	w.points[at].next = append(w.points[at].next, n)
	w.points[to].ends = append(w.points[to].ends, n)
}

// cost is that of a piece that starts at a time, less its reward.
func (w *network) cost(k int32, start model.Time) int64 {
	if k == wait {
		return 0
	}
	return w.pays(k, start+w.m.options[k].run) - w.p.reward[w.jobs[w.pieces[k].job].job]
}

// backward works out what the rest of a walk costs after each node.
func (w *network) backward() {
	for _, here := range slices.Backward(w.byTime) {
		for _, at := range here {
			p := &w.points[at]
			end := int64(unreached)
			if !w.only || p.time >= w.m.least && p.done == w.all {
				end = 0
			}
			w.stoppedAfter(len(p.ends) * len(p.next))
			for _, u := range p.ends {
				w.nodes[u].rest = end
			}
			for _, v := range p.next {
				next := &w.nodes[v]
				if next.rest == unreached {
					continue
				}
				rest := next.rest + w.cost(next.piece, p.time)
				for _, u := range p.ends {
					if n := &w.nodes[u]; rest < n.rest && w.follows(w.m, n.piece, next.piece, p.time) {
						n.rest = rest
					}
				}
			}
		}
	}
}

// least is the least cost of a walk.
func (w *network) least() int64 { return w.nodes[0].rest }

// leave leaves the nodes that are on a walk which costs at most so much.
func (w *network) leave(most int64) {
	for at := range w.points {
		p := &w.points[at]
		for _, v := range p.next {
			if n := &w.nodes[v]; n.rest < unreached && n.cost+n.rest <= most {
				p.left = append(p.left, n.piece)
			}
		}
		p.ends, p.next = nil, nil
	}
	w.nodes = w.nodes[:1]
	w.byTime = nil
}
