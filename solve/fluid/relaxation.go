package fluid

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"downbeat/model"
	"downbeat/solve/memory"
	"downbeat/solve/relaxation"
)

// Options say what a relaxation is about.
type Options struct {
	Pooling Pooling
	// Due is by when each job is to finish, in ticks on the clock; Never leaves it out.
	Due []model.Time
	// Drop is what it costs to leave a job out of the plan, +Inf where that is not
	// allowed; Slope what it costs that a job finishes a tick after it is due, 0 where
	// that is not allowed.
	Drop, Slope []float64
	// LateSpan is for how long after it is due a job with a slope may finish, over the
	// time before.
	LateSpan model.Time
	// Seed fixes the order in which jobs are looked at.
	Seed uint64
}

// Relaxation is a fluid relaxation in the making. Not safe for concurrent use.
type Relaxation struct {
	*rows
	js     *model.JobSet
	jobs   []job
	rng    *rand.Rand
	order  []int
	search search
	// Looked counts the placements of stages that were looked at: the measure of work.
	Looked int64
}

// builder makes a relaxation.
type builder struct {
	js    *model.JobSet
	opt   Options
	pools [][]model.SlaveID
	// stages are the parts of each level of the jobs that are in, one after the other;
	// depth is the number of levels of each.
	in     []model.JobID
	depth  []int
	stages [][]draft
	kept   [mostPools][model.NumResources]bool
	// shared are what tasks on all slaves take of that may be short. Caps are not looked at.
	shared []model.SharedID
	// work and count are the sum of the least run times and the number of tasks.
	work, count float64
}

// New prepares a relaxation; nothing is counted on before [Relaxation.Scale]. It gives
// nil if ctx ends first. Steps are longer where that is too much for the memory that there
// is; what is left then is less than the job set itself takes.
func New(ctx context.Context, js *model.JobSet, opt Options) *Relaxation {
	b := &builder{js: js, opt: opt, pools: newPools(js, opt.Pooling)}
	if !b.draft(ctx) {
		return nil
	}
	b.keepShort()
	r := &Relaxation{js: js, rng: rand.New(rand.NewPCG(opt.Seed, 3))}
	step := b.affordable(ctx, b.step())
	r.jobs = b.jobs(step)
	horizon := model.Time(0)
	for i := range r.jobs {
		horizon = max(horizon, r.jobs[i].clock(r.jobs[i].length))
	}
	r.rows = newRows(js, b.pools, func(pool int, res model.ResourceID) bool { return b.kept[pool][res] }, b.shared, step, horizon)
	b.require(r)
	r.search = newSearch(len(r.Supplies), len(r.Capacity))
	for i := range r.jobs {
		r.order = append(r.order, i)
	}
	r.penalty = firstPenalty * b.typicalPrice()
	return r
}

// draft makes the parts of all stages that are in; false if ctx ends first.
func (b *builder) draft(ctx context.Context) bool {
	d := newDrafts(b.js, b.pools)
	for i := range b.js.Jobs {
		if b.opt.Due[i] == model.Never {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		job := &b.js.Jobs[i]
		levels := levels(job)
		b.in, b.depth = append(b.in, model.JobID(i)), append(b.depth, len(levels))
		for _, level := range levels {
			parts := d.of(job, level)
			for p := range parts {
				b.work += parts[p].leastRun() * parts[p].count
				b.count += parts[p].count
			}
			b.stages = append(b.stages, parts)
		}
	}
	return true
}

// leastRun is the mean run time where it is least, in ticks.
func (d *draft) leastRun() float64 {
	least := math.Inf(1)
	d.each(func(_ int, _, run float64) { least = min(least, run) })
	return least
}

// shortShare is how busy a resource is at least that gets a row beside cores, if these
// are 1: others are not what is short.
const shortShare = 0.85

// keepShort finds the resources of each pool that may be short, if tasks were dealt
// out evenly to the cores that they can run on.
func (b *builder) keepShort() {
	var there, load [mostPools][model.NumResources]float64
	for pool, members := range b.pools {
		for _, s := range members {
			for _, supply := range b.js.Supplies(s) {
				there[pool][supply.Resource] += float64(supply.Units)
			}
		}
	}
	for _, parts := range b.stages {
		for i := range parts {
			d, cores := &parts[i], 0.0
			d.each(func(pool int, _, _ float64) { cores += there[pool][model.Cores] })
			d.each(func(pool int, fetch, run float64) {
				share := d.count * there[pool][model.Cores] / cores
				for res := range model.NumResources {
					load[pool][res] += share * b.units(d, pool, res) * holdTicks(res.Hold(), fetch, run)
				}
			})
		}
	}
	for pool := range b.pools {
		busy := load[pool][model.Cores] / there[pool][model.Cores]
		for res := range model.NumResources {
			b.kept[pool][res] = res == model.Cores || load[pool][res] >= shortShare*busy*there[pool][res]
		}
	}
	if b.js.Coupled() {
		work, cores := 0.0, 0.0
		for pool := range b.pools {
			work, cores = work+load[pool][model.Cores], cores+there[pool][model.Cores]
		}
		b.keepShared(work / cores)
	}
}

// keepShared finds which of what tasks on all slaves take of may be short, if cores are so busy:
// tasks hold it where they are soonest over.
func (b *builder) keepShared(busy float64) {
	load, end := make([]float64, len(b.js.Shared())), model.Time(1)
	for _, parts := range b.stages {
		for i := range parts {
			d, least := &parts[i], math.Inf(1)
			d.each(func(_ int, fetch, run float64) { least = min(least, holdTicks(model.HoldStay, fetch, run)) })
			for _, take := range b.js.Takes(d.first) {
				load[take.Shared] += d.count * least * float64(take.Units)
			}
		}
	}
	for _, i := range b.in {
		end = max(end, b.deadline(i))
	}
	for id := range b.js.Shared() {
		sh := &b.js.Shared()[id]
		mean := float64(sh.Ticks(model.Interval{End: end})) / float64(end)
		if sh.Pool >= 0 && load[id] > 0 && load[id] >= shortShare*busy*mean && len(b.shared) < mostShared {
			b.shared = append(b.shared, model.SharedID(id))
		}
	}
}

// mostShared bounds what has rows of that.
const mostShared = 8

// units is what a task of a part needs of a resource. Where it needs no fetch line it
// fetches for no time.
func (b *builder) units(d *draft, pool int, res model.ResourceID) float64 {
	if res == model.FetchLine {
		return 1
	}
	return float64(b.js.Need(&b.js.Tasks[d.first], b.pools[pool][0], res))
}

// holdTicks is for how long a task holds what it holds in the way of h.
func holdTicks(h model.Hold, fetch, run float64) float64 {
	switch h {
	case model.HoldFetch:
		return fetch
	case model.HoldRun:
		return run
	default:
		return fetch + run
	}
}

const (
	// finest is the number of steps that a task takes in the mean where sets are small.
	finest = 6
	// pointsPerStep is the number of grid points in a step.
	pointsPerStep = 3
	// mostPoints and mostStarts bound the grid points of a job and the hand-outs of a
	// stage that are looked at, mostSteps the steps in all.
	mostPoints, mostStarts, mostSteps = 256, 64, 4096
	// mostPass is the number of grid points and hand-outs looked at in a pass up to
	// which steps are as fine as can be; coarsest is the length of a step at most, in
	// mean tasks, if that is not to be had.
	mostPass, coarsest = 2_000_000, 1.0
)

// step chooses the length of steps: a part of a task's, more where the set is large.
func (b *builder) step() model.Time {
	task := b.work / max(1, b.count)
	end := model.Time(0)
	for _, i := range b.in {
		end = max(end, b.deadline(i))
	}
	for step := max(1, model.Time(task/finest), end/mostSteps); ; step += max(1, step/4) {
		if float64(step) >= coarsest*task || b.passCost(step) <= mostPass {
			return step
		}
	}
}

// What a step of a row, a mode of a part, and a job take in memory, in bytes.
const stepBytes, modeBytes, jobBytes = 53, 200, 500

// fewestSteps is the number of steps below which a relaxation tells nothing of times.
const fewestSteps = 64

// affordable is a length of steps, or the shortest of its doubles with which the
// relaxation fits the memory that there is.
func (b *builder) affordable(ctx context.Context, step model.Time) model.Time {
	rows, modes, end := int64(len(b.shared)), int64(0), model.Time(0)
	for pool := range b.pools {
		for _, kept := range b.kept[pool] {
			if kept {
				rows++
			}
		}
	}
	for _, parts := range b.stages {
		for p := range parts {
			modes += int64(bits.OnesCount64(parts[p].pools))
		}
	}
	for _, i := range b.in {
		end = max(end, b.deadline(i))
	}
	fixed := modeBytes*modes + jobBytes*int64(len(b.in))
	for end/step > fewestSteps && !memory.Allows(ctx, "short steps of the fluid relaxation", fixed+stepBytes*rows*int64(end/step)) {
		step *= 2
	}
	return step
}

// passCost is about how much is looked at in a pass with such steps.
func (b *builder) passCost(step model.Time) int {
	unit := max(1, step/pointsPerStep)
	cost, at := 0, 0
	for n, i := range b.in {
		points := min(mostPoints, int((b.deadline(i)-b.js.Jobs[i].Release)/unit))
		starts := min(mostStarts, points*int(unit)/int(step))
		for range b.depth[n] {
			cost += points
			for p := range b.stages[at] {
				cost += starts * bits.OnesCount64(b.stages[at][p].pools)
			}
			at++
		}
		cost += points * len(b.pools)
	}
	return cost
}

// deadline is the last time at which a job may finish.
func (b *builder) deadline(i model.JobID) model.Time {
	if b.opt.Slope[i] > 0 {
		return b.opt.Due[i] + b.opt.LateSpan*(b.opt.Due[i]-b.js.Jobs[i].Release)
	}
	return b.opt.Due[i]
}

// jobs makes the jobs, but for what their parts need.
func (b *builder) jobs(step model.Time) []job {
	out := make([]job, 0, len(b.in))
	at := 0
	for n, i := range b.in {
		out = append(out, b.job(i, step, b.stages[at:at+b.depth[n]]))
		at += b.depth[n]
	}
	return out
}

// job lays out the grid of a job and the windows of its stages. One whose means leave
// no room ends later than it may: means are no proof.
func (b *builder) job(i model.JobID, step model.Time, stages [][]draft) job {
	release := b.js.Jobs[i].Release
	window := max(1, b.deadline(i)-release)
	j := job{
		id: i, release: release, drop: b.opt.Drop[i],
		unit: max(1, step/pointsPerStep, (window+mostPoints-1)/mostPoints),
	}
	j.slope = b.opt.Slope[i] * float64(j.unit)
	j.due = int((b.opt.Due[i] - release) / j.unit)
	j.length = int(window / j.unit)
	wait := j.inUnits(float64(b.js.Heartbeat-1) / 2)
	at := 0
	for _, parts := range stages {
		st := stage{first: at + wait}
		for p := range parts {
			st.parts = append(st.parts, part{count: parts[p].count, modes: j.modes(&parts[p])})
		}
		at = st.first + st.shortest()
		j.stages = append(j.stages, st)
	}
	if at > j.length {
		j.length, j.due = at, max(at, j.due)
	}
	end := j.length
	for k := len(j.stages) - 1; k >= 0; k-- {
		j.stages[k].last = end
		end -= j.stages[k].shortest() + wait
	}
	j.stride = max(1, int(step/j.unit), (j.length+mostStarts-1)/mostStarts)
	return j
}

// modes are the ways in which a part can run.
func (j *job) modes(d *draft) []mode {
	var out []mode
	d.each(func(pool int, fetch, run float64) {
		out = append(out, mode{pool: pool, fetch: j.inUnits(fetch), run: max(1, j.inUnits(run))})
	})
	return out
}

// shortest is the least time from hand-out to finish.
func (st *stage) shortest() int {
	longest := 0
	for p := range st.parts {
		least := math.MaxInt
		for _, m := range st.parts[p].modes {
			least = min(least, m.fetch+m.run)
		}
		longest = max(longest, least)
	}
	return longest
}

// clock is a grid point in ticks.
func (j *job) clock(at int) model.Time { return j.release + model.Time(at)*j.unit }

// require lists what each mode holds of which rows.
func (b *builder) require(r *Relaxation) {
	var byPool [mostPools][]int
	shared := map[model.SharedID]int{}
	for i, row := range r.Supplies {
		if row.Place == relaxation.Everywhere {
			shared[row.Shared] = i
		} else {
			byPool[row.Place] = append(byPool[row.Place], i)
		}
	}
	at := 0
	for i := range r.jobs {
		for k := range r.jobs[i].stages {
			for p := range r.jobs[i].stages[k].parts {
				part := &r.jobs[i].stages[k].parts[p]
				for m := range part.modes {
					mode := &part.modes[m]
					for _, index := range byPool[mode.pool] {
						row := &r.Supplies[index]
						if units := b.units(&b.stages[at][p], mode.pool, row.Resource); units > 0 {
							mode.needs = append(mode.needs, need{index, row.Hold, part.count * units})
						}
					}
					for _, take := range b.js.Takes(b.stages[at][p].first) {
						if index, has := shared[take.Shared]; has {
							mode.needs = append(mode.needs, need{index, model.HoldStay, part.count * float64(take.Units)})
						}
					}
				}
			}
			at++
		}
	}
}

// lateShare is the part of what it costs to leave a job out that others cost in the
// mean which may be late at a price.
const lateShare = 0.2

// typicalPrice is what a unit-tick may cost in the mean: what it costs to leave jobs
// out, over their work.
func (b *builder) typicalPrice() float64 {
	cost, work, at := 0.0, 0.0, 0
	for n, i := range b.in {
		stages := b.stages[at : at+b.depth[n]]
		at += len(stages)
		drop := b.opt.Drop[i]
		if math.IsInf(drop, 1) {
			continue
		}
		if b.opt.Slope[i] > 0 {
			drop *= lateShare
		}
		cost, work = cost+drop, work+workOf(stages)
	}
	if cost == 0 {
		return float64(len(b.in)) / max(1, b.work)
	}
	return cost / work
}

// workOf is the sum of the least run times of all tasks of some stages, in ticks.
func workOf(stages [][]draft) float64 {
	work := 0.0
	for _, parts := range stages {
		for p := range parts {
			work += parts[p].count * parts[p].leastRun()
		}
	}
	return work
}
