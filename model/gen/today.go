package gen

import (
	"slices"

	"downbeat/model"
)

// Today are the knobs for what clusters of today have: containers, stage graphs,
// jobs after jobs. The zero value switches all of it off, and draws nothing.
type Today struct {
	// Named is the number of named resources that slaves offer, at most
	// model.MaxNamed; a class offers Offer of each.
	Named, Offer Range
	// Needy is the chance that a group needs units of a resource, Units is how many,
	// cut to what some slave has. Multicore is the chance that it needs more than one
	// core: up to all of some slave.
	Needy, Multicore float64
	Units            Range
	// Graph is the chance that a job's stages come after others of it drawn at random,
	// in no order of the list.
	Graph float64
	// AfterJob is the chance that a job comes after one or two others.
	AfterJob float64
}

// TodayKnobs are TinyKnobs with containers, stage graphs and jobs after jobs mixed in.
func TodayKnobs() Knobs {
	k := TinyKnobs()
	k.Shapes = [shapes]int{MapOnly: 2, MapReduce: 2, ThreeStages: 3}
	k.Cores = Range{1, 3}
	k.Today = Today{
		Named: Range{0, 2}, Offer: Range{0, 4}, Needy: 0.6, Units: Range{0, 3}, Multicore: 0.3,
		Graph: 0.5, AfterJob: 0.35,
	}
	return k
}

// TodayTiny is Tiny with containers, stage graphs and jobs after jobs mixed in.
func TodayTiny(seed uint64) *model.JobSet {
	js, _ := Random(TodayKnobs(), seed)
	return js
}

// TodaySmall is Small with containers, stage graphs and jobs after jobs mixed in.
func TodaySmall(seed uint64, tasks int) *model.JobSet {
	k := TodayKnobs()
	k.small(tasks)
	js, _ := Random(k, seed)
	return js
}

// drawOffers gives each class what it offers of the named resources.
func (m *maker) drawOffers() {
	if m.Named.Hi == 0 {
		return
	}
	for i := range m.Named.draw(m.rng) {
		m.js.Named = append(m.js.Named, []string{"disk", "gpu", "memory", "net", "ram", "ssd", "tape", "tpu"}[i])
	}
	for i := range m.js.Slaves {
		s := &m.js.Slaves[i]
		if i > 0 && m.class[i] == m.class[i-1] {
			s.Units = m.js.Slaves[i-1].Units
			continue
		}
		s.Units = make([]int64, len(m.js.Named))
		for k := range s.Units {
			s.Units[k] = int64(m.Offer.draw(m.rng))
		}
	}
}

// drawNeeds draws the needs of a group that has to fit on the given slave.
func (m *maker) drawNeeds(keep model.SlaveID) model.Needs {
	slave := &m.js.Slaves[keep]
	needs := model.Needs{Cores: 1}
	if m.Multicore > 0 && m.chance(m.Multicore) {
		needs.Cores = 1 + int64(m.rng.IntN(slave.Cores))
	}
	for k := range m.js.Named {
		if m.chance(m.Needy) {
			needs.Units[k] = min(slave.Offers(k), int64(m.Units.draw(m.rng)))
		}
	}
	return needs
}

// drawGraph draws which stages of a job come after which.
func (m *maker) drawGraph(job *model.Job) {
	if m.Graph == 0 || len(job.Stages) < 2 || job.Stages[0].Name == "map" || !m.chance(m.Graph) {
		return
	}
	order := m.rng.Perm(len(job.Stages))
	for at, k := range order {
		job.Stages[k].After = []int32{}
		for _, before := range order[:at] {
			if m.chance(0.6) {
				job.Stages[k].After = append(job.Stages[k].After, int32(before))
			}
		}
		slices.Sort(job.Stages[k].After)
	}
}

// drawAfter draws which jobs come after which.
func (m *maker) drawAfter() {
	if m.AfterJob == 0 {
		return
	}
	order := m.rng.Perm(len(m.js.Jobs))
	for at, i := range order {
		if at == 0 || !m.chance(m.AfterJob) {
			continue
		}
		job := &m.js.Jobs[i]
		for range 1 + m.rng.IntN(2) {
			job.After = append(job.After, model.JobID(order[m.rng.IntN(at)]))
		}
		slices.Sort(job.After)
		job.After = slices.Compact(job.After)
	}
}
