package mixed

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// drawer draws a set: each feature with a chance, whatever else was drawn.
type drawer struct {
	*rand.Rand
	set Set
	// unit is what all times are multiples of. alike is the chance that figures are those drawn
	// before, resources are the names of those that slaves offer.
	unit      int64
	alike     float64
	resources []string
	// crowded sets have equal jobs with one deadline.
	crowded bool
	// recent are figures that may be drawn again.
	recent []Group
}

func (d *drawer) chance(p float64) bool { return d.Float64() < p }

// within is a number from lo to hi.
func (d *drawer) within(lo, hi int64) int64 { return lo + d.Int64N(hi-lo+1) }

// time is a time from lo to hi units.
func (d *drawer) time(lo, hi int64) int64 { return d.unit * d.within(lo, hi) }

// divisor is a heartbeat that comes more often than all other times are multiples of, or as often.
func (d *drawer) divisor() int64 {
	for {
		if h := d.within(1, d.unit); d.unit%h == 0 {
			return h
		}
	}
}

// drawSet draws a set that can be read, of up to so many tasks, and reads it; tight ones seldom fit.
func drawSet(rng *rand.Rand, most int, tight bool) (*Set, *model.JobSet) {
	for {
		d := &drawer{Rand: rng, unit: 1, alike: 0.6}
		if d.chance(0.3) {
			d.unit = []int64{2, 2, 5, 5, 5, 60}[d.IntN(6)]
		}
		if d.chance(0.3) {
			d.alike = 0.95
		}
		d.draw(tight)
		if n := d.set.tasks(); n > most || n < 1 {
			continue
		}
		d.deadlines(tight)
		if js, err := d.set.load(); err == nil {
			return &d.set, js
		}
	}
}

func (d *drawer) draw(tight bool) {
	d.set = Set{Version: 1, Cluster: Cluster{Heartbeat: d.time(1, 3), FIFO: d.chance(0.15)}}
	if d.unit > 1 && d.chance(0.5) {
		d.set.Cluster.Heartbeat = d.divisor()
	}
	if d.chance(0.25) {
		d.set.Cluster.Fetch = "concurrent"
	}
	d.resources = []string{"memory", "vcores"}[:max(0, d.IntN(5)-2)]
	d.slaves()
	d.pools()
	for i := range 1 + d.IntN(4) {
		d.set.Jobs = append(d.set.Jobs, d.job(i))
	}
	d.jobsAfter()
	if d.chance(0.05) || tight && d.chance(0.3) {
		d.crowd()
	}
	d.objectives()
}

// crowd has several jobs like the first, and no other.
func (d *drawer) crowd() {
	one := &Set{Jobs: d.set.Jobs[:1]}
	one.Jobs[0].After, one.Jobs[0].Repeat = nil, nil
	d.set.Jobs = nil
	for i := range 3 + d.IntN(2) {
		job := one.copied().Jobs[0]
		job.Name = fmt.Sprint("j", i+1)
		d.set.Jobs = append(d.set.Jobs, job)
	}
	d.crowded = true
}

func (d *drawer) slaves() {
	split, away, gone := d.chance(0.3), d.chance(0.35), d.chance(0.15)
	for i := range 1 + d.IntN(2) {
		c := Class{Name: string(rune('a' + i)), Cores: d.within(1, 2), Down: map[string][]Absence{}}
		if d.chance(0.7) {
			c.Count = 1 + d.IntN(2)
		}
		if one := d.within(1, 3); !split || d.chance(0.3) {
			c.Slots = &one
		} else {
			m, r := d.within(0, 2), d.within(0, 2)
			c.MapSlots, c.ReduceSlots = &m, &r
		}
		if d.chance(0.4) {
			for range c.members() {
				c.Beats = append(c.Beats, d.time(0, 2))
			}
		}
		for _, name := range d.resources {
			if c.Resources == nil {
				c.Resources = map[string]int64{}
			}
			c.Resources[name] = d.within(1, 4)
		}
		for _, name := range append(c.members(), c.Name)[:min(len(c.members())+1, 2+c.Count)] {
			if away && d.chance(0.4) {
				from := d.time(0, 12)
				c.Down[name] = append(c.Down[name], Absence{from, from + d.time(1, 5)})
			}
			if gone && d.chance(0.4) {
				c.Down[name] = append(c.Down[name], Absence{d.time(0, 14), never})
			}
		}
		d.set.Cluster.Slaves = append(d.set.Cluster.Slaves, c)
	}
}

func (d *drawer) pools() {
	if !d.chance(0.3) {
		return
	}
	d.set.Cluster.Pools = map[string][]Level{}
	for _, name := range []string{"db", "licence"}[:1+d.IntN(2)] {
		levels := []Level{{Amount: d.within(1, 4)}}
		for d.chance(0.3) {
			levels = append(levels, Level{levels[len(levels)-1].From + d.time(1, 8), d.within(0, 4)})
		}
		if last := len(levels) - 1; d.chance(0.8) {
			levels[last].Amount += 2
		}
		d.set.Cluster.Pools[name] = levels
	}
}

func (d *drawer) job(i int) Job {
	job := Job{Name: fmt.Sprint("j", i+1)}
	if d.chance(0.5) {
		job.Release = d.time(0, 6)
	}
	if d.chance(0.12) {
		job.AtMost = d.within(1, 2)
	}
	if d.chance(0.1) {
		job.Repeat = &Repeat{d.time(1, 8), 2}
	}
	switch d.IntN(3) {
	case 0:
		if st := d.stage(); d.chance(0.7) {
			job.Map = &st
		} else {
			job.Reduce = &st
		}
		if st := d.stage(); job.Reduce == nil && d.chance(0.5) {
			job.Reduce = &st
		}
	default:
		d.graph(&job)
	}
	return job
}

// graph draws stages in a row, or after each other in any order of the list.
func (d *drawer) graph(job *Job) {
	order := d.Perm(1 + d.IntN(3))
	row := d.chance(0.5)
	for k := range order {
		st := d.stage()
		st.Name = fmt.Sprint("s", k+1)
		if d.chance(0.4) {
			st.Slot = "reduce"
		}
		if !row {
			after := []string{}
			for _, k2 := range order[:slices.Index(order, k)] {
				if d.chance(0.5) {
					after = append(after, fmt.Sprint("s", k2+1))
				}
			}
			st.After = &after
		}
		job.Stages = append(job.Stages, st)
	}
}

func (d *drawer) stage() Stage {
	st := Stage{Groups: []Group{d.group()}, Gang: d.chance(0.12), Apart: d.chance(0.1)}
	if d.chance(0.2) {
		st.Groups = append(st.Groups, d.group())
	}
	if d.chance(0.1) {
		st.AtMost = d.within(1, 2)
	}
	if st.Gang {
		st.Groups[0].Count++
	}
	return st
}

func (d *drawer) group() (g Group) {
	count := 1 + d.IntN(3)/2
	if len(d.recent) > 0 && d.chance(d.alike) {
		g = d.recent[d.IntN(len(d.recent))]
	} else {
		g.WCET, g.Data, g.Transfer = d.table(1, 5, 0.15), nil, nil
		switch {
		case d.chance(0.3):
			g.Transfer = d.table(0, 3, 0)
		case d.chance(0.3):
			g.Data = d.some()
			g.Transfer = map[string]int64{"local": d.time(0, 1), "remote": d.time(0, 3)}
		}
		if d.chance(0.2) {
			g.Cores = 2
		}
		for _, name := range d.resources {
			if d.chance(0.6) {
				if g.Resources == nil {
					g.Resources = map[string]int64{}
				}
				g.Resources[name] = d.within(0, 3)
			}
		}
		for _, name := range []string{"db", "licence"} {
			if d.set.Cluster.Pools[name] != nil && d.chance(0.5) {
				if g.Pools == nil {
					g.Pools = map[string]int64{}
				}
				g.Pools[name] = d.within(1, 2)
			}
		}
		d.recent = append(d.recent, g)
	}
	g.Count = count
	return g
}

// table is one figure for all, or one by class and for some members. A class may have none.
func (d *drawer) table(lo, hi int64, barred float64) map[string]int64 {
	if d.chance(0.4) {
		return map[string]int64{"default": d.time(lo, hi)}
	}
	out := map[string]int64{}
	for i := range d.set.Cluster.Slaves {
		c := &d.set.Cluster.Slaves[i]
		if !d.chance(barred) {
			out[c.Name] = d.time(lo, hi)
		}
		for _, name := range c.members() {
			if c.Count > 0 && d.chance(0.15) {
				out[name] = d.time(lo, hi)
			}
		}
	}
	if len(out) == 0 || d.chance(0.1) || barred == 0 {
		out["default"] = d.time(lo, hi)
	}
	return out
}

// some are slaves, one at least.
func (d *drawer) some() (out []string) {
	var all []string
	for i := range d.set.Cluster.Slaves {
		all = append(all, d.set.Cluster.Slaves[i].members()...)
	}
	for _, i := range d.Perm(len(all))[:1+d.IntN(len(all))] {
		out = append(out, all[i])
	}
	return out
}

func (d *drawer) jobsAfter() {
	if !d.chance(0.35) {
		return
	}
	order := d.Perm(len(d.set.Jobs))
	for at, i := range order {
		for _, k := range order[:at] {
			if d.chance(0.4) {
				d.set.Jobs[i].After = append(d.set.Jobs[i].After, d.set.Jobs[k].Name)
			}
		}
	}
}

func (d *drawer) objectives() {
	all := []string{"misses", "tardiness", "weighted-tardiness", "makespan"}
	switch d.IntN(6) {
	case 0: // what is asked for by default
	case 1, 2, 3:
		d.set.Objective = []string{all[d.IntN(4)]}
	default:
		for _, k := range d.Perm(4)[:2+d.IntN(3)] {
			d.set.Objective = append(d.set.Objective, all[k])
		}
	}
}

// deadlines are drawn around the ends of jobs in some plan, so that some are missed.
func (d *drawer) deadlines(tight bool) {
	js, err := d.set.load()
	if err != nil {
		return
	}
	ends := map[string]int64{}
	plan := heuristics.Repair(js, model.NewSchedule(len(js.Tasks)))
	for i := range js.Jobs {
		for t := js.Jobs[i].First; t < js.Jobs[i].End; t++ {
			if plan[t].Slave != model.NoSlave {
				name := js.Jobs[i].Name
				if s := js.Jobs[i].Series; s != "" {
					name = s
				}
				ends[name] = max(ends[name], int64(js.Finish(t, plan[t])-js.Jobs[i].Release))
			}
		}
	}
	hard, heavy, late := []float64{0, 0.4, 0.9}[d.IntN(3)], d.chance(0.15), int64(2)
	if tight {
		hard, late = max(hard, 0.5), -1
	}
	for i := range d.set.Jobs {
		job := &d.set.Jobs[i]
		if d.chance(0.15) {
			continue
		}
		job.Deadline = max(1, ends[job.Name]+d.time(-4, late)+d.within(-1, 1)*int64(d.IntN(2)))
		switch {
		case d.chance(hard):
			job.Hard = true
		case heavy:
			job.Weight = []int64{1_000_000, 124_848, 999_999, 65_536, 700_001}[d.IntN(5)]
		case d.chance(0.5):
			job.Weight = d.within(1, 5)
		}
	}
	if one := d.set.Jobs[d.IntN(len(d.set.Jobs))]; d.crowded && one.Deadline > 0 {
		for i := range d.set.Jobs {
			d.set.Jobs[i].Deadline, d.set.Jobs[i].Hard = one.Deadline, true
		}
	}
}

// drawChanges draws changes as the command line takes them, counts first; now and then those that
// only plan files name.
func drawChanges(rng *rand.Rand, s *Set) (out []model.Change) {
	d := &drawer{Rand: rng, unit: 1}
	if d.set = *s; !d.chance(0.45) {
		return nil
	}
	for range 1 + d.IntN(2) {
		if c := d.change(); c.Kind != "" {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b model.Change) int { return rank(a) - rank(b) })
	return out
}

func rank(c model.Change) int {
	if c.Kind == model.ChangeCount {
		return 0
	}
	return 1
}

func (d *drawer) change() model.Change {
	class := &d.set.Cluster.Slaves[d.IntN(len(d.set.Cluster.Slaves))]
	job := &d.set.Jobs[d.IntN(len(d.set.Jobs))]
	slave := append(class.members(), class.Name)[d.IntN(len(class.members())+1)]
	switch k := d.IntN(16); {
	case k < 2:
		return model.Change{Kind: model.ChangeWithout, Name: slave}
	case k < 4:
		return model.Change{Kind: model.ChangeWithout, Name: slave, At: model.Time(d.within(1, 14))}
	case k < 7:
		return model.Change{Kind: model.ChangeCount, Name: class.Name, N: d.within(0, 3)}
	case k == 7 && d.set.Cluster.Pools != nil:
		return model.Change{Kind: model.ChangePool, Name: "db", N: d.within(0, 4)}
	case k < 9 && job.Deadline > 0:
		return model.Change{Kind: model.ChangeDeadline, Name: job.Name, At: model.Time(max(1, job.Deadline+d.within(-3, 3)))}
	case k == 9:
		return model.Change{Kind: model.ChangeDrop, Name: job.Name}
	case k == 10 && job.Hard:
		return model.Change{Kind: model.ChangeSoften, Name: job.Name}
	case k == 11:
		return model.Change{Kind: model.ChangeMargin, N: d.within(1, 60)}
	case k == 12:
		return model.Change{Kind: model.ChangeMargin, Name: job.Name, N: d.within(1, 60)}
	case k == 13:
		return model.Change{Kind: model.ChangeFetch, Name: job.Name, N: d.within(0, 80)}
	case k == 14:
		return model.Change{Kind: []model.ChangeKind{model.ChangeCores, model.ChangeSlots}[d.IntN(2)], Name: slave, N: 1}
	case k == 15 && job.Release > 0 && job.Repeat == nil:
		return model.Change{Kind: model.ChangeRelease, Name: job.Name, At: model.Time(d.Int64N(job.Release))}
	}
	return model.Change{}
}
