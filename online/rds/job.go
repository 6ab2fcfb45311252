package rds

import (
	"math"

	"downbeat/model"
	"downbeat/online"
)

// job is what the policy keeps of a job. Work is in ticks.
type job struct {
	*online.Job
	arrived model.Time
	running bool // in the running queue
	// fast puts a job on the fast path: it is due before the controller can do
	// anything more for it.
	fast  bool
	model *narx
	// total and done are work by kind of slot; seen is all that was done, tasks
	// under way in part, when it was last measured.
	total, done [kinds]float64
	seen        float64
	// held counts slots; area is slots times ticks since the last measurement,
	// up to since.
	held  [kinds]int
	area  [kinds]float64
	since model.Time
	// target has the slots, in resource units, that the controller gave; given
	// the tasks handed out since, for Options.OneWay, and start what was held.
	target [kinds]float64
	given  int
	start  int
}

// The ranks in which jobs are served.
const (
	fastPath = iota
	lacking
	waiting
)

func (j *job) rank() int {
	switch {
	case !j.running:
		return waiting
	case j.fast:
		return fastPath
	default:
		return lacking
	}
}

// newJob is a job that has just arrived.
func (p *Policy) newJob(v *online.View, j *online.Job) *job {
	out := &job{Job: j, arrived: v.Now(), since: v.Now()}
	stages := j.Spec().Stages
	for si := range stages {
		for _, g := range stages[si].Groups {
			out.total[stages[si].Slot] += float64(g.Count) * p.work(v, g.Profile)
		}
	}
	return out
}

// work is the transfer and execution time of a task, averaged over the slaves
// that it may run on.
func (p *Policy) work(v *online.View, profile *model.Profile) float64 {
	if w, ok := p.works[profile]; ok {
		return w
	}
	sum, n := model.Time(0), 0
	for s := range model.SlaveID(len(v.Slaves())) {
		if e := profile.WCET(s); e > 0 {
			sum += e + profile.Transfer(s)
			n++
		}
	}
	w := float64(sum) / float64(n)
	p.works[profile] = w
	return w
}

// hold accounts for a slot taken (+1) or freed (−1) now.
func (j *job) hold(now model.Time, kind model.SlotKind, by int) {
	j.account(now)
	j.held[kind] += by
}

func (j *job) account(now model.Time) {
	for k := range j.area {
		j.area[k] += float64(j.held[k]) * float64(now-j.since)
	}
	j.since = now
}

func (j *job) holds() int { return j.held[0] + j.held[1] }

func (j *job) work() float64 { return j.total[0] + j.total[1] }

// lack is the remaining Δu of Algorithm 1, in resource units.
func (p *Policy) lack(j *job) float64 {
	has := j.holds()
	if p.opts.OneWay { // tasks that have ended still count
		has = j.start + j.given
	}
	return j.target[0] + j.target[1] - float64(has)*p.slot
}

// partial is the work of tasks under way, by job and kind: the share of a task's
// transfer and declared execution that is over.
func (p *Policy) partial(v *online.View) map[model.JobID][kinds]float64 {
	out := map[model.JobID][kinds]float64{}
	for s := range model.SlaveID(len(v.Slaves())) {
		for _, h := range v.Held(s) {
			task := v.Task(h.Task)
			transfer, wcet := task.Transfer(s), task.WCET(s)
			over := model.Time(0)
			if h.Fetched <= v.Now() {
				over = transfer
			}
			if h.Started != model.Never {
				over += min(v.Now()-h.Started, wcet)
			}
			sum := out[task.Job]
			sum[task.Slot] += p.work(v, task.Profile) * float64(over) / float64(transfer+wcet)
			out[task.Job] = sum
		}
	}
	return out
}

// left is the work by kind that a job still has to do.
func (j *job) left(partial [kinds]float64) (left [kinds]float64) {
	for k := range left {
		left[k] = max(0, j.total[k]-j.done[k]-partial[k])
	}
	return left
}

// due is the absolute deadline for the controller: a job without one is always
// ten intervals from its own.
func (p *Policy) due(j *job, now model.Time) model.Time {
	if d := j.Spec().Due(); d != model.Never {
		return d
	}
	return now + 10*p.interval
}

// weight is ω of a job.
func (p *Policy) weight(j *job) float64 {
	switch spec := j.Spec(); spec.Kind {
	case model.Hard:
		return p.opts.HardWeight * float64(spec.Weight)
	case model.Soft:
		return float64(spec.Weight)
	default:
		return p.opts.FreeWeight
	}
}

// track is the controller's picture of a job.
func (p *Policy) track(v *online.View, j *job, partial [kinds]float64, capacity []float64) track {
	interval := float64(p.interval)
	t := track{size: j.work() / interval}
	for k := range kinds {
		t.before[k] = float64(j.held[k]) * p.slot
	}
	t.progress = j.model.predict(len(capacity), len(p.opts.P), t.before)
	left := j.left(partial)
	gain := j.model.gains(t.before)
	for k := range kinds {
		left[k] /= interval
		t.left[k] = left[k] / gain[k]
	}
	p.room(v, j, &t, capacity[0])

	togo := float64(p.due(j, v.Now())-v.Now())/interval - p.opts.Margin
	whole := float64(p.due(j, j.arrived)-j.arrived)/interval - p.opts.Margin
	t.ref = p.reference(work{t.size, whole}, work{left[0] + left[1], togo}, len(capacity))
	weight := p.weight(j)
	for i := range capacity {
		w := weight
		if j.Spec().Due() != model.Never && float64(i+1) >= togo {
			w *= 1 + p.opts.DueWeight
		}
		t.weight = append(t.weight, w)
	}
	return t
}

// work is an amount in slot-intervals, to be done in so many intervals.
type work struct{ amount, within float64 }

// reference is y^ref in so many intervals of a job by its whole work, from its arrival, and by
// what is left of it, from now.
func (p *Policy) reference(whole, left work, steps int) []float64 {
	ref := make([]float64, steps)
	if !p.opts.FixedReference {
		for i := range ref {
			ref[i] = left.amount * (share(i+1, left.within) - share(i, left.within))
		}
		return ref
	}
	pace := whole.amount * share(1, whole.within)
	for i := range ref {
		ref[i] = min(pace, left.amount)
		left.amount -= ref[i]
	}
	return ref
}

// share is the part of the work that is due after i intervals, if it is spread
// evenly over togo: at once, in the first, if there is no time left.
func share(i int, togo float64) float64 {
	switch {
	case i == 0:
		return 0
	case togo <= float64(i):
		return 1
	default:
		return float64(i) / togo
	}
}

// room sets how many slots of each kind a job can use, and from when: those of stages
// that are open now, others once what is left of the first kinds is done. Nothing runs
// while the job waits for others.
func (p *Policy) room(v *online.View, j *job, t *track, capacity float64) {
	var open, first [kinds]bool
	for k := range kinds {
		t.width[k] = float64(j.ReadyFor(model.SlotKind(k))+j.held[k]) * p.slot
	}
	stages := j.Spec().Stages
	for si := range stages {
		k := stages[si].Slot
		first[k] = first[k] || len(stages[si].After) == 0
		if j.Open(si) {
			open[k] = true
		} else if tasks := j.Left(si); tasks > 0 {
			t.width[k] = max(t.width[k], float64(tasks)*p.slot)
		}
	}
	if open == [kinds]bool{} {
		open = first
	}
	wait, ahead := float64(v.Wait(j.Job))/float64(p.interval), 0.0
	for k := range kinds {
		if open[k] {
			ahead = max(ahead, t.left[k]/max(min(t.width[k], capacity), minSlot))
		}
	}
	for k := range kinds {
		t.from[k] = int(math.Floor(wait))
		if !open[k] {
			t.from[k] = int(math.Floor(wait + ahead))
		}
	}
}

// minSlot keeps a division by the capacity sane while there is none.
const minSlot = 1e-6
