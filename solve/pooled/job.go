package pooled

import (
	"encoding/binary"
	"slices"

	"downbeat/model"
)

// job is one that plays a part, with what its windows leave of its tasks.
type job struct {
	id model.JobID
	// penalty is what it costs at most; perTick what it costs for each tick after due.
	penalty, perTick int64
	due              model.Time
	// first and last are the steps between which its tasks are handed out and finish.
	first, last int
	stages      []stage
}

// stage is a stage with equal tasks together. The first group is the one that is tied
// to the stage before task by task; it is the one with the most work.
type stage struct{ groups []group }

// group is a number of equal tasks.
type group struct {
	count   int64
	domains []domain
}

// work is that of all tasks, each where its group may be first, in ticks.
func (b *job) work() int64 {
	work := int64(0)
	for _, st := range b.stages {
		for i := range st.groups {
			work += st.groups[i].count * int64(st.groups[i].domains[0].wcet)
		}
	}
	return work
}

// domain is what placements the tasks of a group have in a pool.
type domain struct {
	figures
	pool int32
	// firstAssign is the first time at which they can be handed out, lastStart the last
	// at which they can start to run.
	firstAssign, lastStart model.Time
	// held and run index the tables of costs up to the end of the fetch and from there.
	held, run int32
	// least is the least cost at the multipliers last looked at.
	least int64
}

// figures of equal tasks in a pool: the least of any of them on any slave.
type figures struct {
	wcet, transfer model.Time // wcet is 0 where they cannot run
	needs          [model.Resources]int64
}

// or is the least of both.
func (f figures) or(other figures) figures {
	switch {
	case f.wcet == 0:
		return other
	case other.wcet == 0:
		return f
	}
	f.wcet, f.transfer = min(f.wcet, other.wcet), min(f.transfer, other.transfer)
	for r := range f.needs {
		f.needs[r] = min(f.needs[r], other.needs[r])
	}
	return f
}

// condenser makes groups of the tasks of stages.
type condenser struct {
	js    *model.JobSet
	pools []pool
	// apart tells to keep tasks apart that do not fetch equally long.
	apart bool
	key   []byte
	of    []figures
}

// condensed is a group of tasks before windows are laid.
type condensed struct {
	count int64
	of    []figures // by pool
}

// condense takes equal tasks of a stage together, those with the most work first.
func (c *condenser) condense(st *model.Stage) []condensed {
	var out []condensed
	at := map[string]int{}
	k := 0
	for t := st.First; t < st.End; t++ {
		task := &c.js.Tasks[t]
		if t > st.First && task.Alike(&c.js.Tasks[t-1]) {
			out[k].count++
			continue
		}
		c.figure(task)
		seen := false
		if k, seen = at[string(c.key)]; !seen {
			k = len(out)
			at[string(c.key)] = k
			out = append(out, condensed{of: slices.Clone(c.of)})
		}
		out[k].count++
		for p := range c.of {
			out[k].of[p] = out[k].of[p].or(c.of[p])
		}
	}
	most := 0
	for k := range out {
		if out[k].work() > out[most].work() {
			most = k
		}
	}
	out[0], out[most] = out[most], out[0]
	return out
}

// work is that of a group where it runs fastest.
func (g *condensed) work() int64 {
	least := model.Never
	for _, f := range g.of {
		if f.wcet > 0 {
			least = min(least, f.wcet)
		}
	}
	return g.count * int64(least)
}

// figure sets of to the figures of a task by pool, and key to what equal tasks have
// in common.
func (c *condenser) figure(task *model.Task) {
	c.of, c.key = c.of[:0], c.key[:0]
	for p := range c.pools {
		var f figures
		for _, s := range c.pools[p].slaves {
			one := figures{wcet: task.WCET(s)}
			if one.wcet == 0 {
				continue
			}
			one.transfer = task.Transfer(s)
			for r := range one.needs {
				one.needs[r] = c.js.Need(task, s, model.ResourceID(r))
			}
			f = f.or(one)
		}
		c.of = append(c.of, f)
		c.key = binary.AppendVarint(c.key, int64(f.wcet))
		if c.apart {
			c.key = binary.AppendVarint(c.key, int64(f.transfer))
		}
	}
}

// newJob lays windows for a job to finish by limit; false where it cannot, even alone.
func (c *condenser) newJob(id model.JobID, limit model.Time, shift uint) (job, bool) {
	from := &c.js.Jobs[id]
	b := job{id: id, due: from.Due(), first: int(from.Release >> shift), last: int(limit >> shift)}
	ready := from.Release
	for k := range from.Stages {
		var st stage
		end := ready
		for _, g := range c.condense(&from.Stages[k]) {
			st.groups = append(st.groups, group{count: g.count})
			earliest := model.Never
			for p, f := range g.of {
				if f.wcet == 0 {
					continue
				}
				at := c.pools[p].nextBeat(ready)
				earliest = min(earliest, at+f.transfer+f.wcet)
				own := &st.groups[len(st.groups)-1]
				own.domains = append(own.domains, domain{figures: f, pool: int32(p), firstAssign: at})
			}
			end = max(end, earliest)
		}
		b.stages = append(b.stages, st)
		ready = end
	}
	return b, ready <= limit && c.narrow(&b, limit)
}

// narrow cuts off what is too late for the job to finish by limit.
func (c *condenser) narrow(b *job, limit model.Time) bool {
	for k := len(b.stages) - 1; k >= 0; k-- {
		latest := model.Never
		for i := range b.stages[k].groups {
			g := &b.stages[k].groups[i]
			last := model.Time(-1)
			kept := g.domains[:0]
			for _, d := range g.domains {
				d.lastStart = limit - d.wcet
				assign := c.pools[d.pool].lastBeat(d.lastStart - d.transfer)
				if assign >= d.firstAssign {
					last = max(last, assign)
					kept = append(kept, d)
				}
			}
			g.domains = kept
			latest = min(latest, last)
		}
		if latest < 0 {
			return false
		}
		limit = latest
	}
	return true
}
