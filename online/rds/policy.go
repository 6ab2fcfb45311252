package rds

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Policy is RDS; see the package comment. A value serves one run.
type Policy struct {
	opts     Options
	interval model.Time // 0 before it is known
	next     model.Time // when the controller looks again
	jobs     map[model.JobID]*job
	works    map[*model.Profile]float64
	slot     float64 // r_slot, resources of one slot
	readings [1 + kinds][]float64
	split    bool // some slave tells map from reduce slots
	samples  []Sample
	accuracy Accuracy
	// predicted has by controls the capacity as read and predicted then.
	predicted [][]float64
	unsolved  int
	// forecasts and plans are those of the last controls.
	forecasts memo[[]float64]
	plans     memo[[][][kinds]float64]
	// ranking has the jobs in the order in which they are served.
	ranking *online.Ranking[place]
}

// ranked is a job in its place.
type ranked = online.Ranked[place]

var (
	_ online.Policy     = (*Policy)(nil)
	_ online.Watcher    = (*Policy)(nil)
	_ online.Controller = (*Policy)(nil)
)

// New is RDS for one run. It panics if the options fail their Check.
func New(o Options) *Policy {
	if err := o.Check(); err != nil {
		panic("rds: " + err.Error())
	}
	p := &Policy{
		opts: o, interval: o.Interval, slot: 1,
		jobs: map[model.JobID]*job{}, works: map[*model.Profile]float64{},
	}
	p.ranking = online.NewRanking(p.place, place.compare)
	return p
}

// Name implements online.Policy.
func (p *Policy) Name() string { return "rds" }

// Asks implements online.Policy. A slot left free for the controller's sake is
// asked about again when that has run.
func (p *Policy) Asks() online.Asking { return online.OnReady }

// Unsolved counts the control intervals in which the quadratic program was left
// unsolved for rounding, and the moves as they were.
func (p *Policy) Unsolved() int { return p.unsolved }

// Watch implements online.Watcher.
func (p *Policy) Watch(v *online.View, e online.Event) {
	switch e.Kind {
	case online.Arrived:
		p.arrive(v, e.Job)
	case online.Assigned:
		j := p.jobs[e.Job.ID()]
		j.running = true
		j.given++
		j.hold(v.Now(), v.Task(e.Task).Slot, 1)
	case online.Ended:
		j, task := p.jobs[e.Job.ID()], v.Task(e.Task)
		j.hold(v.Now(), task.Slot, -1)
		j.done[task.Slot] += p.work(v, task.Profile)
	case online.Lost:
		j, task := p.jobs[e.Job.ID()], v.Task(e.Task)
		if e.Undone {
			j.done[task.Slot] -= p.work(v, task.Profile)
			break
		}
		j.hold(v.Now(), task.Slot, -1)
	case online.Finished:
		delete(p.jobs, e.Job.ID())
	}
}

// arrive puts a job into the waiting queue, or on the fast path into the running
// queue.
func (p *Policy) arrive(v *online.View, arrived *online.Job) {
	j := p.newJob(v, arrived)
	p.jobs[j.ID()] = j
	if p.interval == 0 {
		p.interval = p.firstInterval(j.Spec(), v.Heartbeat())
	}
	j.model = newNARX(&p.opts, j.work()/float64(p.interval))
	if j.Spec().Due() <= p.next {
		j.fast, j.running = !p.opts.QueueOnly, true
	}
}

// firstInterval is the control interval where the options leave it open.
func (p *Policy) firstInterval(spec *model.Job, heartbeat model.Time) model.Time {
	if spec.Kind == model.BestEffort {
		return 200 * heartbeat
	}
	span := model.Time(p.opts.Steps+1) * heartbeat
	return (spec.Deadline + span - 1) / span * heartbeat
}

// Control implements online.Controller: it measures, predicts, and makes the
// first move.
func (p *Policy) Control(v *online.View) model.Time {
	if p.interval == 0 {
		p.next = v.Now() + v.Heartbeat()
		return p.next
	}
	p.read(v)
	partial := p.partial(v)
	for _, a := range v.Active() {
		p.measure(v, p.jobs[a.ID()], partial[a.ID()])
	}
	h := &horizon{p: p.opts.P, q: p.opts.Q, cumulative: !p.opts.PerInterval}
	h.capacity, h.pools = p.forecast(v)
	p.note(h.capacity, p.whole(v)[0])
	p.move(v, h, partial)
	for _, a := range v.Active() {
		p.ranking.Renew(v, a)
	}
	p.next = v.Now() + p.interval
	return p.next
}

// measure compares what a job has done since the last control with the slots
// that it had, and adapts its model.
func (p *Policy) measure(v *online.View, j *job, partial [kinds]float64) {
	j.account(v.Now())
	seen := j.done[0] + j.done[1] + partial[0] + partial[1]
	if j.area != [kinds]float64{} {
		interval := float64(p.interval)
		u := [kinds]float64{j.area[0] / interval * p.slot, j.area[1] / interval * p.slot}
		s, off := j.model.observe(max(0, seen-j.seen)/interval, u)
		p.samples, p.accuracy.Progress = append(p.samples, s), append(p.accuracy.Progress, off)
	}
	j.seen, j.area = seen, [kinds]float64{}
}

// move solves the horizon's problem for the most urgent jobs and sets their
// targets; jobs that get something leave the waiting queue.
func (p *Policy) move(v *online.View, h *horizon, partial map[model.JobID][kinds]float64) {
	jobs := p.urgent(v)
	if len(jobs) == 0 {
		return
	}
	for _, j := range jobs {
		h.tracks = append(h.tracks, p.track(v, j, partial[j.ID()], h.capacity))
	}
	h.ask(&p.plans)
	u := p.plans.answer(h.moves)
	if u == nil {
		p.unsolved++
		return
	}
	const something = 1e-6 // of a slot; less is rounding
	for i, j := range jobs {
		j.target = u[i][0]
		if !p.opts.Even {
			j.target = rush(j.target, &h.tracks[i])
		}
		j.start, j.given = j.holds(), 0
		due := j.Spec().Due()
		j.fast = !p.opts.QueueOnly && v.Now() < due && due <= v.Now()+p.interval
		if j.target[0]+j.target[1] > something {
			j.running = true
		}
	}
}

// rush turns mean slots over the interval into slots now. A job that the move
// lets finish a kind of stage in this interval may take the same slot time all
// at once: it is done sooner, and what it leaves is there for the others.
func rush(u [kinds]float64, t *track) [kinds]float64 {
	const rounding = 1e-6
	for k := range u {
		if t.left[k] > 0 && u[k] >= (1-rounding)*t.left[k] {
			u[k] = max(u[k], t.width[k])
		}
	}
	return u
}

// urgent lists the active jobs that take part in the problem, in the order of
// release: those with the earliest deadlines if there are too many.
func (p *Policy) urgent(v *online.View) []*job {
	var out []*job
	for _, a := range v.Active() {
		out = append(out, p.jobs[a.ID()])
	}
	if len(out) > p.opts.MaxJobs {
		slices.SortStableFunc(out, byDue)
		out = out[:p.opts.MaxJobs]
	}
	return out
}

func byDue(a, b *job) int { return cmp.Compare(a.Spec().Due(), b.Spec().Due()) }

// place is what jobs with tasks to hand out are ranked by: those on the fast path
// by deadline; the rest of the running queue by what they lack, largest first, then
// by deadline; the waiting ones by deadline.
type place struct {
	rank int
	lack float64 // 0 but for the rest of the running queue
	due  model.Time
}

func (p *Policy) place(_ *online.View, o *online.Job) place {
	j := p.jobs[o.ID()]
	at := place{rank: j.rank(), due: o.Spec().Due()}
	if at.rank == lacking {
		at.lack = p.lack(j)
	}
	return at
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.lack, a.lack), cmp.Compare(a.due, b.due))
}

// Heartbeat implements online.Policy: Algorithm 1 over the running queue, then
// the waiting queue unless that is to wait.
func (p *Policy) Heartbeat(v *online.View, o *online.Offer) {
	for !o.Full() && p.serve(v, o) {
	}
}

// serve hands out one task, if any job has one for the slave.
func (p *Policy) serve(v *online.View, o *online.Offer) bool {
	jobs := p.ranking.Jobs(v)
	for i, r := range jobs {
		if p.waits(r) {
			return false // as do all after it
		}
		b := o.Pick(r.Job)
		if b == nil {
			continue
		}
		if o.Tracing() {
			o.Consider(p.candidates(jobs[i:]))
		}
		o.Give(b)
		return true
	}
	return false
}

// waits reports whether a job is to wait for the controller.
func (p *Policy) waits(r *ranked) bool { return r.Key.rank == waiting && p.opts.KeepWaiting }

func (p *Policy) candidates(jobs []*ranked) []online.Candidate {
	var out []online.Candidate
	for _, r := range jobs {
		if p.waits(r) {
			break
		}
		key := [...]string{"fast path", fmt.Sprintf("Δu %.2f", r.Key.lack), "waiting"}[r.Key.rank]
		out = append(out, r.Job.Candidate(key))
	}
	return out
}
