package imports

import (
	"fmt"
	"maps"
	"slices"

	"downbeat/model"
	"downbeat/model/files/trace"
)

// amountOf is the amount of that name, none of it where there is no such.
func amountOf(list []trace.Amount, name string) trace.Amount {
	for _, a := range list {
		if a.Name == name {
			return a
		}
	}
	return trace.Amount{Name: name}
}

// amount is the units of one in a job set, bytes in units of memory: rounded up where it is
// needed, down where it is there. ok is false where memory is left out.
func (m *maker) amount(a trace.Amount, needed bool) (units int64, ok bool) {
	units = a.Units
	if a.Bytes {
		switch {
		case m.Memory == 0:
			return 0, false
		case needed:
			units += m.Memory - 1
		}
		units /= m.Memory
	}
	return min(units, int64(model.MaxTime)), true
}

// needed are the resources that tasks hold, with a place where one does.
func (m *maker) needed() map[string]trace.Place {
	names := map[string]trace.Place{}
	note := func(name string, p picked) {
		if _, known := names[name]; !known {
			names[name] = p.run.At
		}
	}
	for _, p := range m.picked {
		for k := range p.run.Stages {
			st := &p.run.Stages[k]
			if st.Memory > 0 && m.Memory > 0 {
				note(memoryName, p)
			}
			for _, a := range st.Resources {
				if units, ok := m.amount(a, true); ok && units > 0 {
					note(a.Name, p)
				}
			}
		}
	}
	return names
}

// offer gives the slaves what tasks need and the cluster tells of, as known says; of is how much of
// it slave i has.
func (m *maker) offer(known func(name string) bool, of func(i int, name string) int64) {
	needed := m.needed()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		switch {
		case known(name):
			names = append(names, name)
		case name != memoryName: // of which a rule tells
			m.t.Remarks.Add("resources of which the cluster does not say what it has, which are left out",
				trace.Fault{Place: needed[name], Message: "tasks need " + name})
		}
	}
	if i := slices.Index(names, memoryName); i >= 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, memoryName) // never left out
	}
	for _, name := range names[min(len(names), model.MaxNamed):] {
		m.t.Remarks.Add(fmt.Sprintf("resources beyond %d, which are left out", model.MaxNamed),
			trace.Fault{Place: needed[name], Message: "tasks need " + name})
	}
	m.js.Named = slices.Sorted(slices.Values(names[:min(len(names), model.MaxNamed)]))
	m.resource = map[string]int{}
	for i, name := range m.js.Named {
		m.resource[name] = i
	}
	_, m.memory = m.resource[memoryName]
	for i := range m.js.Slaves {
		var units []int64
		for _, name := range m.js.Named {
			units = append(units, min(of(i, name), int64(model.MaxTime)))
		}
		m.js.Slaves[i].Units = units
	}
}

// needs are what a task of the stage holds; short says of which pool there is too little.
func (m *maker) needs(st *trace.Stage) (needs model.Needs, short string) {
	needs.Cores = max(1, st.Cores)
	if i, known := m.resource[memoryName]; known && st.Memory > 0 {
		needs.Units[i], _ = m.amount(trace.Amount{Units: st.Memory, Bytes: true}, true)
	}
	for _, a := range st.Resources {
		if i, known := m.resource[a.Name]; known {
			needs.Units[i], _ = m.amount(a, true)
		}
	}
	return needs, m.take(st, &needs)
}
