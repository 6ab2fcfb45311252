package imports

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
	"downbeat/model/files/trace"
)

// PoolSizes is a flag that may be repeated: NAME=N, how much there is of a pool.
type PoolSizes map[string]int64

// String implements pflag.Value.
func (v PoolSizes) String() string {
	var parts []string
	for name, n := range v {
		parts = append(parts, fmt.Sprintf("%s=%d", name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// Type implements pflag.Value.
func (PoolSizes) Type() string { return "NAME=N" }

// Set implements pflag.Value.
func (v PoolSizes) Set(text string) error {
	name, amount, _ := strings.Cut(text, "=")
	n, err := strconv.ParseInt(amount, 10, 64)
	if trace.Name(name) == "" || err != nil || n < 0 || n > int64(model.MaxTime) {
		return fmt.Errorf("%q is no pool with its size; write NAME=N, like db=4", text)
	}
	v[trace.Name(name)] = n
	return nil
}

// share makes the pools that tasks take of: as large as a flag says, else the file of the cluster,
// else the source, else as much as was held at once.
func (m *maker) share() {
	m.pools = map[string]int{}
	var names []string
	for _, p := range m.picked {
		for k := range p.run.Stages {
			for _, take := range p.run.Stages[k].Takes {
				if _, known := m.pools[take.Pool]; !known && !(m.inBytes(take.Pool) && m.Memory == 0) {
					m.pools[take.Pool] = 0
					names = append(names, take.Pool)
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	slices.SortFunc(names, naturally)
	held := m.held()
	m.poolsFrom = map[string]string{}
	for i, name := range names {
		m.pools[name] = i
		pool := model.Pool{Name: name, Levels: []model.Level{{}}}
		from := "by --pool"
		of := slices.IndexFunc(m.t.Pools, func(p trace.Pool) bool { return p.Name == name })
		if n, given := m.PoolSizes[name]; given {
			pool.Levels[0].Amount = n
		} else if levels := m.declared(name); levels != nil {
			pool.Levels, from = levels, "by "+m.Cluster.File
		} else if of >= 0 {
			pool.Levels[0].Amount, _ = m.amount(trace.Amount{Units: m.t.Pools[of].Amount, Bytes: m.t.Pools[of].Bytes}, false)
			from = "by the source"
		} else {
			pool.Levels[0].Amount, from = held[name], "the most that tasks were seen to hold at once"
		}
		m.poolsFrom[name] = from
		m.js.Pools = append(m.js.Pools, pool)
	}
}

// declared are the levels of a pool in the file of the cluster, by the clock of the trace; nil
// where it has none of that name.
func (m *maker) declared(name string) []model.Level {
	of := m.Cluster.Of
	if of == nil {
		return nil
	}
	i := slices.IndexFunc(of.Pools, func(p model.Pool) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	by := model.Time(0)
	if !of.Origin.IsZero() && !m.js.Origin.IsZero() {
		by = model.Time(of.Origin.Sub(m.js.Origin).Milliseconds() / m.tick)
	}
	var out []model.Level
	for _, l := range of.Pools[i].Levels {
		l.From = min(max(0, l.From+by), model.MaxTime)
		if n := len(out); n > 0 && out[n-1].From == l.From {
			out = out[:n-1]
		}
		out = append(out, l)
	}
	out[0].From = 0
	return out
}

// held is the most that tasks of the trace held of each pool at once; of tasks of which it is not
// known when they ran, what one takes.
func (m *maker) held() map[string]int64 {
	type step struct{ at, units int64 }
	steps, most := map[string][]step{}, map[string]int64{}
	for i := range m.t.Jobs {
		for _, st := range m.t.Jobs[i].Stages {
			for _, take := range st.Takes {
				most[take.Pool] = max(most[take.Pool], take.Units)
				for _, tk := range st.Tasks {
					if tk.Start != trace.Unknown && tk.Time > 0 {
						n := take.Units * int64(tk.Count)
						steps[take.Pool] = append(steps[take.Pool], step{tk.Start, n}, step{tk.Start + tk.Time, -n})
					}
				}
			}
		}
	}
	for name, all := range steps {
		slices.SortFunc(all, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.units, b.units)) })
		now := int64(0)
		for _, s := range all {
			now += s.units
			most[name] = max(most[name], now)
		}
	}
	return most
}

// take has tasks of a stage take of pools; short says what there is too little of, or that they
// are too many.
func (m *maker) take(st *trace.Stage, needs *model.Needs) (short string) {
	for _, take := range st.Takes {
		i, known := m.pools[take.Pool]
		if !known {
			continue // one of bytes, where memory is left out
		}
		units, _ := m.amount(trace.Amount{Units: take.Units, Bytes: m.inBytes(take.Pool)}, true)
		there := int64(0)
		for _, l := range m.js.Pools[i].Levels {
			there = max(there, l.Amount)
		}
		switch {
		case units > there:
			return fmt.Sprintf("takes %d of pool %s, of which there are %d", units, take.Pool, there)
		case !needs.TakePool(i, units):
			return fmt.Sprintf("takes of more than %d pools", model.MaxTakes)
		}
	}
	return ""
}

// inBytes reports whether a pool is one of bytes.
func (m *maker) inBytes(name string) bool {
	return slices.ContainsFunc(m.t.Pools, func(p trace.Pool) bool { return p.Name == name && p.Bytes })
}

// poolRule says how large the pools are, and why; empty where there are none.
func (m *maker) poolRule() string {
	if len(m.js.Pools) == 0 {
		return ""
	}
	var parts []string
	for i := range min(len(m.js.Pools), mostNamedPools) {
		p := &m.js.Pools[i]
		parts = append(parts, fmt.Sprintf("%s=%d (%s)", p.Name, p.Levels[0].Amount, m.poolsFrom[p.Name]))
	}
	if more := len(m.js.Pools) - mostNamedPools; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "pool NAME=N: " + strings.Join(parts, ", ") + "."
}

// mostNamedPools bounds the pools that the head of a job set names.
const mostNamedPools = 20
