package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// maker holds what is needed while a job set is drawn.
type maker struct {
	Knobs
	rng *rand.Rand
	js  *model.JobSet
	// class is the number of each slave's class, speed its factor in percent.
	class, speed []int
}

func newMaker(k Knobs, seed uint64) *maker {
	return &maker{Knobs: k, rng: rand.New(rand.NewPCG(seed, 0)), js: &model.JobSet{}}
}

func (m *maker) chance(p float64) bool { return m.rng.Float64() < p }

// Random draws a job set. The schedule is valid and meets every hard deadline;
// it is nil if the deadlines were not cut from one or Slack can be negative.
// Random panics if the knobs describe no job set.
func Random(k Knobs, seed uint64) (*model.JobSet, model.Schedule) {
	m := newMaker(k, seed)
	m.js.Name = fmt.Sprintf("random-%d", seed)
	m.drawCluster()
	m.drawJobs()
	m.js.Objectives = m.Objectives[m.rng.IntN(len(m.Objectives))]
	m.assemble()
	m.drawReleases()
	return m.js, m.drawDeadlines()
}

// assemble panics where Assemble fails: the maker draws only valid sets, so a
// failure is a mistake in it or in the knobs.
func (m *maker) assemble() {
	if err := m.js.Assemble(); err != nil {
		panic("gen: " + err.Error())
	}
}

func (m *maker) drawCluster() {
	js := m.js
	js.Heartbeat = m.Heartbeat.time(m.rng)
	if m.chance(m.Concurrent) {
		js.Fetch = model.FetchConcurrent
	}
	js.FIFO = m.chance(m.FIFO)
	js.Slaves = make([]model.Slave, m.Slaves.draw(m.rng))
	m.class = make([]int, len(js.Slaves))
	m.speed = make([]int, len(js.Slaves))
	for i := range js.Slaves {
		if i > 0 && m.chance(m.EqualSlave) {
			js.Slaves[i] = js.Slaves[i-1]
			m.class[i], m.speed[i] = m.class[i-1], m.speed[i-1]
			continue
		}
		js.Slaves[i] = m.drawSlave()
		m.class[i] = i
		m.speed[i] = 100
		if m.Speeds != (Range{}) {
			m.speed[i] = m.Speeds.draw(m.rng)
		}
	}
	m.ensureSlots()
	m.drawOffers()
	m.nameSlaves()
}

func (m *maker) drawSlave() model.Slave {
	s := model.Slave{Cores: m.Cores.draw(m.rng)}
	slots := max(1, s.Cores+m.SpareSlots.draw(m.rng))
	if m.chance(m.SplitSlots) {
		s.SplitSlots = true
		s.MapSlots = m.rng.IntN(slots + 1)
		s.ReduceSlots = max(slots-s.MapSlots, m.rng.IntN(2))
	} else {
		s.Slots = slots
	}
	if m.chance(m.Stagger) {
		s.FirstBeat = model.Time(m.rng.IntN(2 * int(m.js.Heartbeat)))
	}
	if m.chance(m.Down) {
		for range 1 + max(0, m.rng.IntN(3)-1) {
			start := m.DownAt.time(m.rng)
			s.Down = append(s.Down, model.Interval{Start: start, End: start + m.DownFor.time(m.rng)})
		}
	}
	return s
}

// ensureSlots gives the first class a slot of each kind that no slave has.
func (m *maker) ensureSlots() {
	slaves := m.js.Slaves
	total := [2]int{}
	for i := range slaves {
		for _, k := range []model.SlotKind{model.MapSlot, model.ReduceSlot} {
			total[k] += slaves[i].PoolSize(slaves[i].Pool(k))
		}
	}
	for i := range slaves {
		if m.class[i] != 0 {
			break
		}
		if total[model.MapSlot] == 0 {
			slaves[i].MapSlots = 1
		}
		if total[model.ReduceSlot] == 0 {
			slaves[i].ReduceSlots = 1
		}
	}
}

// nameSlaves follows the rule of files: s1 alone, or s1-1, s1-2 of class s1.
func (m *maker) nameSlaves() {
	size := map[int]int{}
	for _, c := range m.class {
		size[c]++
	}
	for i := range m.js.Slaves {
		s := &m.js.Slaves[i]
		s.Class = fmt.Sprintf("s%d", m.class[i]+1)
		s.Name = s.Class
		if size[m.class[i]] > 1 {
			s.Name = fmt.Sprintf("%s-%d", s.Class, i-m.class[i]+1)
		}
	}
}

// drawJobs draws best-effort jobs; kinds and deadlines come later.
func (m *maker) drawJobs() {
	for left := m.Tasks.draw(m.rng); left > 0; {
		job := model.Job{Name: fmt.Sprintf("j%d", len(m.js.Jobs)+1), Weight: 1}
		for i, st := range m.drawShape() {
			count := m.LaterStage
			if i == 0 {
				count = m.FirstStage
			}
			n := min(left, count.draw(m.rng))
			if n == 0 {
				break
			}
			st.Groups = m.drawGroups(n, st.Slot)
			job.Stages = append(job.Stages, st)
			left -= n
		}
		m.drawGraph(&job)
		m.js.Jobs = append(m.js.Jobs, job)
	}
	m.drawAfter()
}

func (m *maker) drawShape() []model.Stage {
	mapStage := model.Stage{Name: "map", Slot: model.MapSlot}
	reduceStage := model.Stage{Name: "reduce", Slot: model.ReduceSlot}
	sum := 0
	for _, w := range m.Shapes {
		sum += w
	}
	pick := m.rng.IntN(sum)
	shape := Shape(0)
	for ; pick >= m.Shapes[shape]; shape++ {
		pick -= m.Shapes[shape]
	}
	switch shape {
	case MapOnly:
		return []model.Stage{mapStage}
	case ReduceOnly:
		return []model.Stage{reduceStage}
	case MapReduce:
		return []model.Stage{mapStage, reduceStage}
	}
	stages := make([]model.Stage, 3)
	for i := range stages {
		stages[i] = model.Stage{Name: fmt.Sprintf("step%d", i+1), Slot: model.SlotKind(m.rng.IntN(2))}
	}
	return stages
}

func (m *maker) drawGroups(tasks int, slot model.SlotKind) []model.Group {
	if m.chance(m.EqualTasks) {
		return []model.Group{{Count: tasks, Profile: m.drawProfile(slot, m.drawWCET())}}
	}
	groups := make([]model.Group, tasks)
	wcet := m.drawWCET()
	for i := range groups {
		if i > 0 && !m.StageWCET {
			wcet = m.drawWCET()
		}
		groups[i] = model.Group{Count: 1, Profile: m.drawProfile(slot, wcet)}
	}
	return groups
}

func (m *maker) drawWCET() []model.Time {
	row := m.drawFigures(m.WCET)
	for s := range row {
		row[s] = (row[s]*model.Time(m.speed[s]) + 99) / 100
	}
	return row
}

// drawProfile draws the rest of the figures of one group. At least one class
// that has a slot of the kind stays eligible.
func (m *maker) drawProfile(slot model.SlotKind, wcet []model.Time) *model.Profile {
	slaves := m.js.Slaves
	n := len(slaves)
	wcet = slices.Clone(wcet)
	transfer := m.drawFigures(m.Transfer)
	if m.chance(m.Local) {
		local := m.LocalTransfer.time(m.rng)
		for _, s := range m.rng.Perm(n)[:(n+2)/3] {
			transfer[s] = local
		}
	}
	keep := m.rng.IntN(n)
	for slaves[keep].PoolSize(slaves[keep].Pool(slot)) == 0 {
		keep = (keep + 1) % n
	}
	barred := false
	for s := range wcet {
		if s == 0 || m.class[s] != m.class[s-1] {
			barred = m.chance(m.Barred)
		}
		if barred && m.class[s] != m.class[keep] {
			wcet[s] = 0
		}
	}
	p := model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))
	return p.Needing(m.drawNeeds(model.SlaveID(keep)))
}

// drawFigures draws one figure per slave, equal within a class.
func (m *maker) drawFigures(r Range) []model.Time {
	uneven := m.chance(m.Uneven)
	row := make([]model.Time, len(m.class))
	for s := range row {
		switch {
		case s > 0 && (!uneven || m.class[s] == m.class[s-1]):
			row[s] = row[s-1]
		default:
			row[s] = r.time(m.rng)
		}
	}
	return row
}

func (m *maker) drawReleases() {
	span := m.Release
	if m.Load > 0 {
		work, cores := model.Time(0), 0
		for t := range m.js.Tasks {
			work += leastWCET(&m.js.Tasks[t], len(m.js.Slaves))
		}
		for i := range m.js.Slaves {
			cores += m.js.Slaves[i].Cores
		}
		span = Range{0, int(work) * 100 / (m.Load * cores)}
	}
	for i := range m.js.Jobs {
		m.js.Jobs[i].Release = span.time(m.rng)
	}
}

// leastWCET is the smallest WCET over the eligible slaves.
func leastWCET(t *model.Task, slaves int) model.Time {
	least := model.Never
	for s := range model.SlaveID(slaves) {
		if t.Eligible(s) {
			least = min(least, t.WCET(s))
		}
	}
	return least
}

// drawDeadlines draws kinds, weights and deadlines, and returns what Random
// does for a schedule.
func (m *maker) drawDeadlines() model.Schedule {
	js := m.js
	for i := range js.Jobs {
		job := &js.Jobs[i]
		switch x := m.rng.Float64(); {
		case x < m.Hard:
			job.Kind = model.Hard
		case x < m.Hard+m.BestEffort:
			job.Kind = model.BestEffort
		default:
			job.Kind = model.Soft
			job.Weight = int64(m.Weight.draw(m.rng))
		}
	}
	var witness model.Schedule
	var finishes []model.Time
	if m.chance(m.Witness) {
		witness = serial(js, m.hardFirst())
		finishes = js.Finishes(witness)
	}
	for i := range js.Jobs {
		job := &js.Jobs[i]
		need := alone(js, model.JobID(i)) - job.Release
		switch {
		case job.Kind == model.BestEffort:
		case job.Kind == model.Hard && witness != nil:
			job.Deadline = max(need, finishes[i]-job.Release+m.Slack.time(m.rng))
		default:
			job.Deadline = max(1, need*m.Tightness.time(m.rng)/100)
		}
	}
	if m.Slack.Lo < 0 {
		return nil
	}
	return witness
}
