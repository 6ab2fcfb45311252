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
// to the stage before task by task; it is the one with the most work. Groups that differ
// in one pool are often alike in another: domains are those of all groups.
type stage struct {
	groups  []group
	domains []domain
}

// group is a number of equal tasks.
type group struct {
	count   int64
	domains []int32 // of the stage, one for each pool where they may run
}

// work is that of all tasks, each where its group may be first, in ticks.
func (b *job) work() int64 {
	work := int64(0)
	for _, st := range b.stages {
		for i := range st.groups {
			work += st.groups[i].count * int64(st.domains[st.groups[i].domains[0]].wcet)
		}
	}
	return work
}

// domain is what placements tasks of some figures have in a pool.
type domain struct {
	figures
	pool int32
	// firstAssign is the first time at which they can be handed out, lastStart the last
	// at which they can start to run.
	firstAssign, lastStart model.Time
	// held and run index the tables of costs up to the end of the fetch and from there.
	held, run int32
	span
	// fetched is scratch, the least cost of the part up to the end of the fetch in the steps
	// looked at so far, least that of the whole.
	fetched, least int64
}

// figures of equal tasks in a pool: the least of any of them on any slave.
type figures struct {
	wcet, transfer model.Time // wcet is 0 where they cannot run
	needs          [model.NumResources]int64
	takes          int32 // what they take of what all pools share, as an index of takings
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
	seen  map[place]int32 // the domains of a stage
	*takings
}

// place is what tells the domains of a stage apart.
type place struct {
	pool int32
	figures
}

// condensed is a group of tasks before windows are laid.
type condensed struct {
	count int64
	takes int32
	of    []figures // by pool
}

// condense takes equal tasks of a stage together, those with the most work first.
func (c *condenser) condense(st *model.Stage) []condensed {
	var out []condensed
	at := map[string]int{}
	k := 0
	for t := st.First; t < st.End; t++ {
		if t > st.First && c.js.Alike(t, t-1) {
			out[k].count++
			continue
		}
		c.figure(&c.js.Tasks[t])
		seen := false
		if k, seen = at[string(c.key)]; !seen {
			k = len(out)
			at[string(c.key)] = k
			out = append(out, condensed{of: slices.Clone(c.of), takes: c.takings.of(t)})
		}
		out[k].count++
		out[k].takes = c.least(out[k].takes, c.takings.of(t))
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
		clear(c.seen)
		for _, g := range c.condense(&from.Stages[k]) {
			own := group{count: g.count}
			earliest := model.Never
			for p, f := range g.of {
				if f.wcet == 0 {
					continue
				}
				f.takes = g.takes
				at := c.pools[p].nextBeat(ready)
				earliest = min(earliest, at+f.transfer+f.wcet)
				own.domains = append(own.domains, c.domain(&st, domain{figures: f, pool: int32(p), firstAssign: at}))
			}
			st.groups = append(st.groups, own)
			end = max(end, earliest)
		}
		b.stages = append(b.stages, st)
		ready = end
	}
	return b, ready <= limit && c.narrow(&b, limit)
}

// domain finds or adds a domain of a stage.
func (c *condenser) domain(st *stage, d domain) int32 {
	key := place{d.pool, d.figures}
	k, seen := c.seen[key]
	if !seen {
		k = int32(len(st.domains))
		c.seen[key] = k
		st.domains = append(st.domains, d)
	}
	return k
}

// narrow cuts off what is too late for the job to finish by limit.
func (c *condenser) narrow(b *job, limit model.Time) bool {
	for k := len(b.stages) - 1; k >= 0; k-- {
		if limit = c.narrowStage(&b.stages[k], limit); limit < 0 {
			return false
		}
	}
	return true
}

// narrowStage has a stage finish by limit. It gives the last time at which a task of each
// group can be handed out, -1 if there is none.
func (c *condenser) narrowStage(st *stage, limit model.Time) model.Time {
	kept, at := st.domains[:0], make([]int32, len(st.domains))
	for i, d := range st.domains {
		at[i] = -1
		d.lastStart = limit - d.wcet
		if c.lastAssign(&d) >= d.firstAssign {
			at[i] = int32(len(kept))
			kept = append(kept, d)
		}
	}
	st.domains = kept
	latest := model.Never
	for i := range st.groups {
		g := &st.groups[i]
		last, own := model.Time(-1), g.domains[:0]
		for _, k := range g.domains {
			if at[k] >= 0 {
				own = append(own, at[k])
				last = max(last, c.lastAssign(&kept[at[k]]))
			}
		}
		g.domains = own
		latest = min(latest, last)
	}
	return latest
}

// lastAssign is the last time at which a task can be handed out.
func (c *condenser) lastAssign(d *domain) model.Time {
	return c.pools[d.pool].lastBeat(d.lastStart - d.transfer)
}
