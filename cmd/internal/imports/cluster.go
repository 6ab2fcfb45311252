package imports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"downbeat/cmd/internal/usage"
	"downbeat/model"
	"downbeat/model/files/document"
	"downbeat/model/files/jobfile"
	"downbeat/model/files/trace"
)

// memoryName is the resource that memory is.
const memoryName = "memory"

// cluster makes the slaves, and the head of the job set.
func (m *maker) cluster() error {
	m.js = &model.JobSet{Name: trace.Name(m.Name), TimeUnit: time.Duration(m.tick) * time.Millisecond, Fetch: model.FetchConcurrent}
	if m.js.Heartbeat = model.Time((m.Heartbeat.Milliseconds() + m.tick - 1) / m.tick); m.js.Heartbeat < 1 {
		m.js.Heartbeat = 1
	}
	m.origin()
	var err error
	switch {
	case m.Cluster.Of != nil:
		m.fromFile()
	case m.Cluster.nodes > 0:
		m.grid(&m.Cluster)
		m.made = fmt.Sprintf("%s: %d machines with %d cores each", m.Cluster.text, m.Cluster.nodes, m.Cluster.cores)
	default:
		err = m.fromTrace()
	}
	for i := range m.js.Slaves {
		m.slaves[m.js.Slaves[i].Name] = model.SlaveID(i)
	}
	return err
}

// origin makes tick 0 a point in time, where that is known.
func (m *maker) origin() {
	switch {
	case m.t.Epoch:
		m.js.Origin = time.UnixMilli(m.base).In(m.zone())
	case !m.Rules.Origin.IsZero():
		m.js.Origin = m.Rules.Origin.In(m.zone())
	default:
		return
	}
	if m.Zone != nil && m.Zone != time.UTC {
		m.js.Zone = m.Zone.String()
	}
}

// fromFile takes the cluster of a job set. Absences move where both have a clock.
func (m *maker) fromFile() {
	of := m.Cluster.Of
	m.js.Slaves = slices.Clone(of.Slaves)
	m.js.Heartbeat, m.js.Fetch, m.js.FIFO = of.Heartbeat, of.Fetch, of.FIFO
	m.made = fmt.Sprintf("%s: %d machines", m.Cluster.File, len(of.Slaves))
	m.offer(func(name string) bool { return slices.Contains(of.Named, name) },
		func(i int, name string) int64 { return of.Slaves[i].Offers(slices.Index(of.Named, name)) })
	for i := range m.js.Slaves {
		s := &m.js.Slaves[i]
		if !of.Origin.IsZero() && !m.js.Origin.IsZero() {
			s.Down = moved(s.Down, model.Time(of.Origin.Sub(m.js.Origin).Milliseconds()/m.tick))
		}
	}
}

// moved are absences by another origin, without what is before it or too far behind.
func moved(down []model.Interval, by model.Time) []model.Interval {
	var out []model.Interval
	for _, d := range down {
		d.Start, d.End = max(0, d.Start+by), min(d.End+by, model.MaxTime)
		if d.Start < d.End {
			out = append(out, d)
		}
	}
	return out
}

// needsMemory reports whether a stage says how much memory its tasks hold.
func (m *maker) needsMemory() bool {
	return slices.ContainsFunc(m.picked, func(p picked) bool {
		return slices.ContainsFunc(p.run.Stages, func(st trace.Stage) bool { return st.Memory > 0 })
	})
}

// grid makes equal slaves.
func (m *maker) grid(of *Cluster) {
	for i := range of.nodes {
		m.js.Slaves = append(m.js.Slaves, model.Slave{Name: fmt.Sprintf("node-%d", i+1), Class: "node", Cores: of.cores, Slots: of.cores})
	}
	m.offer(func(name string) bool { return name == memoryName && of.memory > 0 },
		func(int, string) int64 { return of.memory / m.Memory })
}

// fromTrace makes slaves of the machines that the source describes, and of those that
// tasks ran on.
func (m *maker) fromTrace() error {
	machines := slices.Clone(m.t.Machines)
	index := map[string]int{}
	for i := range machines {
		index[machines[i].Name] = i
	}
	seen := m.peaks()
	for _, p := range seen {
		i, described := index[p.name]
		if !described {
			machines = append(machines, trace.Machine{Name: p.name, Cores: p.cores, Memory: p.memory})
		} else if machines[i].Cores == trace.Unknown {
			machines[i].Cores = p.cores
		}
	}
	machines = slices.DeleteFunc(machines, func(x trace.Machine) bool { return x.Cores <= 0 })
	switch {
	case len(machines) == 0:
		var of Cluster
		if err := of.Set(m.kind.fallback); err != nil {
			return err
		}
		m.grid(&of)
		m.made = fmt.Sprintf("the source tells of no machine: %d machines with %d cores each, as with --cluster %s, stand in", of.nodes, of.cores, m.kind.fallback)
		return nil
	case len(machines) > mostSlaves:
		return usage.Errorf("the trace has %d machines, and a job set at most %d; give --cluster", len(machines), mostSlaves)
	}
	taken := map[string]bool{}
	for _, word := range jobfile.ReservedNames {
		taken[word] = true
	}
	for _, x := range machines {
		s := model.Slave{Name: unique(taken, x.Name, "slave"), Cores: int(min(x.Cores, int64(model.MaxTime)))}
		s.Slots, s.Class = s.Cores, x.Class
		m.js.Slaves = append(m.js.Slaves, s)
	}
	m.offer(func(name string) bool {
		if name == memoryName {
			return !slices.ContainsFunc(machines, func(x trace.Machine) bool { return x.Memory <= 0 })
		}
		return slices.ContainsFunc(machines, func(x trace.Machine) bool { return amountOf(x.Resources, name).Units > 0 })
	}, func(i int, name string) int64 {
		if name == memoryName {
			return machines[i].Memory / m.Memory
		}
		units, _ := m.amount(amountOf(machines[i].Resources, name), false)
		return units
	})
	m.classes()
	m.made = fmt.Sprintf("%s: the %s of the trace; where it does not say what one has, the most cores (and memory) that tasks were seen to hold there at once", FromTrace, document.Plural(len(machines), "machine"))
	return nil
}

// classes keeps the class of slaves that are all there is of one, named CLASS-1 to CLASS-n, and alike.
func (m *maker) classes() {
	for i, n := 0, 0; i < len(m.js.Slaves); i += n {
		first := &m.js.Slaves[i]
		whole := first.Class != ""
		for n = 0; i+n < len(m.js.Slaves) && m.js.Slaves[i+n].Class == first.Class; n++ {
			s := &m.js.Slaves[i+n]
			whole = whole && s.Name == fmt.Sprintf("%s-%d", s.Class, n+1) && s.Cores == first.Cores && slices.Equal(s.Units, first.Units)
		}
		for k := range n {
			if s := &m.js.Slaves[i+k]; !whole {
				s.Class = ""
			}
		}
	}
}

// mostSlaves is the largest number of slaves of a job set.
const mostSlaves = 100_000

// peak is the most that was held on a machine at once.
type peak struct {
	name          string
	cores, memory int64
}

// change is that a task begins or ends to hold something.
type change struct {
	host          trace.Host
	at            int64
	cores, memory int64
}

// peaks are those of all machines that tasks ran on, in the order of their names.
func (m *maker) peaks() []peak {
	var out []peak
	for first, counts := 0, m.ran(); first < len(counts); {
		end, n := first, 0
		for end < len(counts) && (end == first || n+counts[end] <= changesAtOnce) {
			n += counts[end]
			end++
		}
		changes := make([]change, 0, 2*n)
		out = append(out, m.sweep(m.changes(changes, trace.Host(first), trace.Host(end)))...)
		first = end
	}
	slices.SortFunc(out, func(a, b peak) int { return naturally(a.name, b.name) })
	return out
}

// changesAtOnce bounds, but for a single machine, the tasks that are sorted at once: those of
// all machines of a large trace would take more than its tasks.
const changesAtOnce = 100_000

// ran counts the tasks that ran on each machine.
func (m *maker) ran() []int {
	var counts []int
	for i := range m.t.Jobs {
		for _, st := range m.t.Jobs[i].Stages {
			for t := range st.Tasks {
				host := int(st.Tasks[t].Host)
				for len(counts) <= host {
					counts = append(counts, 0)
				}
				if host >= 0 {
					counts[host]++
				}
			}
		}
	}
	return counts
}

// changes appends those on machines from first to before end, in the order in which they are
// swept. What a task holds of memory is rounded up, as what it needs is.
func (m *maker) changes(changes []change, first, end trace.Host) []change {
	for i := range m.t.Jobs {
		j := &m.t.Jobs[i]
		for k := range j.Stages {
			st := &j.Stages[k]
			cores, memory := max(1, st.Cores), max(0, st.Memory)
			if m.Memory > 0 {
				memory = (memory + m.Memory - 1) / m.Memory * m.Memory
			}
			for t := range st.Tasks {
				tk := &st.Tasks[t]
				if tk.Host < first || tk.Host >= end {
					continue
				}
				n, cores := int64(tk.Count), cores
				if tk.Cores > 0 {
					cores = int64(tk.Cores)
				}
				from, until := int64(0), int64(0)
				if tk.Start != trace.Unknown && tk.Time != trace.Unknown {
					from, until = tk.Start, tk.Start+tk.Time
					if !m.t.Planned {
						until += tk.Fetch
					}
				} else {
					n, memory = 1, 0 // all that is known is that it fits there
				}
				changes = append(changes, change{tk.Host, from, n * cores, n * memory}, change{tk.Host, max(until, from), -n * cores, -n * memory})
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.host, b.host), cmp.Compare(a.at, b.at), cmp.Compare(a.cores, b.cores))
	})
	return changes
}

// sweep goes through changes by machine and time: those that end come first.
func (m *maker) sweep(changes []change) []peak {
	var out []peak
	for len(changes) > 0 {
		host := changes[0].host
		p := peak{name: m.t.HostName(host), memory: trace.Unknown}
		held := change{}
		for len(changes) > 0 && changes[0].host == host {
			held.cores += changes[0].cores
			held.memory += changes[0].memory
			// a task of no length is there all the same
			p.cores = max(p.cores, held.cores, changes[0].cores)
			if most := max(held.memory, changes[0].memory); most > 0 {
				p.memory = max(p.memory, most)
			}
			changes = changes[1:]
		}
		out = append(out, p)
	}
	return out
}
