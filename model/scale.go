package model

import "slices"

// CommonTick is the greatest time that divides every time of the job set. If
// all figures are minutes written in milliseconds, it is 60,000.
//
// Planning in such coarse ticks loses nothing: in a valid schedule, round every
// fetch and start down to a multiple of the common tick. Bounds between them
// are multiples, so all of C1–C8 and the absences still hold, two tasks that
// meet after rounding met before it (at the last tick of the multiple), and no
// task ends later.
func (js *JobSet) CommonTick() Time {
	g := js.Heartbeat
	take := func(t Time) {
		for t != 0 {
			g, t = t, g%t
		}
	}
	for i := range js.Slaves {
		take(js.Slaves[i].FirstBeat)
		for _, d := range js.Slaves[i].Down {
			take(d.Start)
			take(d.End)
		}
	}
	for i := range js.Jobs {
		take(js.Jobs[i].Release)
		take(js.Jobs[i].Deadline)
	}
	seen := map[*Profile]bool{}
	for t := range js.Tasks {
		if p := js.Tasks[t].Profile; g > 1 && !seen[p] {
			seen[p] = true
			p.eachRun(func(wcet, transfer Time, _ SlaveID) {
				take(wcet)
				take(transfer)
			})
		}
	}
	return g
}

// InTicksOf is the job set with all times divided by unit, which must divide
// them all (see CommonTick). Slaves, jobs, tasks and heartbeats keep their
// numbers.
func (js *JobSet) InTicksOf(unit Time) *JobSet {
	out := *js
	out.Heartbeat /= unit
	out.Slaves = slices.Clone(js.Slaves)
	for i := range out.Slaves {
		s := &out.Slaves[i]
		s.FirstBeat /= unit
		s.Down = slices.Clone(s.Down)
		for k := range s.Down {
			s.Down[k].Start /= unit
			s.Down[k].End /= unit
		}
	}
	out.Jobs = slices.Clone(js.Jobs)
	for i := range out.Jobs {
		out.Jobs[i].Release /= unit
		out.Jobs[i].Deadline /= unit
	}
	out.Tasks = slices.Clone(js.Tasks)
	by := divider{unit: int32(unit), bases: map[*int32][]int32{}}
	divided := map[*Profile]*Profile{}
	for t := range out.Tasks {
		p := out.Tasks[t].Profile
		if divided[p] == nil {
			divided[p] = p.With(by.row(p.wcet), by.row(p.transfer))
		}
		out.Tasks[t].Profile = divided[p]
	}
	return &out
}

// divider divides rows by a unit. Rows that share a base share one afterwards too, which
// is found by its first figure.
type divider struct {
	unit  int32
	bases map[*int32][]int32
}

func (d *divider) row(r Row) Row {
	base, known := d.bases[&r.base[0]]
	if !known {
		base = slices.Clone(r.base)
		for i := range base {
			base[i] /= d.unit
		}
		d.bases[&r.base[0]] = base
	}
	except := slices.Clone(r.except)
	for i := range except {
		except[i].value /= d.unit
	}
	return Row{base: base, except: except}
}
