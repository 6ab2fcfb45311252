package fluid

import (
	"math"
	"math/bits"

	"downbeat/model"
)

// drafts sums up the tasks of a stage by the pools that they may run on.
type drafts struct {
	js    *model.JobSet
	pools [][]model.SlaveID
	some  [][]model.SlaveID // of each pool
	byKey map[partKey]int
	list  []draft
	// one is the profile that is being looked at.
	one draft
	// near is the least time to fetch of the stage's first profile, wherever.
	near float64
}

// draft is a part in the making: sums over its tasks.
type draft struct {
	pools uint64 // a bit for each
	first model.TaskID
	count float64
	// fetch and run are sums of ticks, by pool.
	fetch, run []float64
}

func newDrafts(js *model.JobSet, pools [][]model.SlaveID) *drafts {
	n := len(pools)
	d := &drafts{js: js, pools: pools, byKey: map[partKey]int{}, one: newDraft(n)}
	for _, members := range pools {
		d.some = append(d.some, sample(members))
	}
	return d
}

// partKey tells the parts of a stage apart.
type partKey struct {
	pools uint64
	needs model.Needs
}

func newDraft(pools int) draft {
	return draft{fetch: make([]float64, pools), run: make([]float64, pools)}
}

// of makes the parts of a level: some stages of a job.
func (d *drafts) of(job *model.Job, level []int32) []draft {
	clear(d.byKey)
	d.list = nil
	for _, k := range level {
		d.near = math.Inf(1)
		d.add(&job.Stages[k])
	}
	return d.list
}

// levels groups the stages of a job by the number of stages that they wait for, one
// after the other, at most: those of one level are taken for a single stage.
func levels(job *model.Job) [][]int32 {
	var out [][]int32
	depth := make([]int, len(job.Stages))
	for _, k := range job.Order() {
		for _, before := range job.Stages[k].After {
			depth[k] = max(depth[k], depth[before]+1)
		}
		if depth[k] == len(out) {
			out = append(out, nil)
		}
		out[depth[k]] = append(out[depth[k]], k)
	}
	return out
}

// add adds the tasks of a stage to the parts.
func (d *drafts) add(st *model.Stage) {
	for t := st.First; t < st.End; {
		end := t + 1
		for end < st.End && d.js.Tasks[end].Profile == d.js.Tasks[t].Profile {
			end++
		}
		d.average(d.js.Tasks[t].Profile, d.some)
		if d.one.pools == 0 {
			d.average(d.js.Tasks[t].Profile, d.pools)
		}
		d.join(t, float64(end-t))
		t = end
	}
}

// average works out the means of a profile over slaves of each pool. Of slaves that are
// alike but for the input those with it are preferred: half of the tasks get there.
func (d *drafts) average(p *model.Profile, slaves [][]model.SlaveID) {
	d.one.pools = 0
	for pool, members := range slaves {
		fetch, run, n, least := 0.0, 0.0, 0.0, math.Inf(1)
		for _, s := range members {
			if e := p.WCET(s); e > 0 {
				run += float64(e)
				fetch += float64(p.Transfer(s))
				least = min(least, float64(p.Transfer(s)))
				n++
			}
		}
		if n > 0 {
			if len(members) < len(d.pools[pool]) {
				least = min(least, d.nearest(p))
			}
			d.one.pools |= 1 << pool
			d.one.fetch[pool], d.one.run[pool] = (fetch/n+least)/2, run/n
		}
	}
}

// nearest is the least time to fetch, where a sample of slaves may have missed those
// that hold the input: the tasks of a stage are taken for alike in this.
func (d *drafts) nearest(p *model.Profile) float64 {
	if !math.IsInf(d.near, 1) {
		return d.near
	}
	for s := range model.SlaveID(len(d.js.Slaves)) {
		if p.Eligible(s) {
			d.near = min(d.near, float64(p.Transfer(s)))
		}
	}
	return d.near
}

// join adds so many tasks of the profile that was looked at, the first of them given.
func (d *drafts) join(first model.TaskID, count float64) {
	key := partKey{d.one.pools, d.js.Tasks[first].Needs()}
	i, seen := d.byKey[key]
	if !seen {
		i = len(d.list)
		d.byKey[key] = i
		d.list = append(d.list, newDraft(len(d.some)))
		d.list[i].pools, d.list[i].first = d.one.pools, first
	}
	to := &d.list[i]
	to.count += count
	for left := d.one.pools; left != 0; left &= left - 1 {
		pool := bits.TrailingZeros64(left)
		to.fetch[pool] += count * d.one.fetch[pool]
		to.run[pool] += count * d.one.run[pool]
	}
}

// each yields the pools of a part with the mean times of its tasks there, in ticks.
func (d *draft) each(yield func(pool int, fetch, run float64)) {
	for left := d.pools; left != 0; left &= left - 1 {
		pool := bits.TrailingZeros64(left)
		yield(pool, d.fetch[pool]/d.count, d.run[pool]/d.count)
	}
}
