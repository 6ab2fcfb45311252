// Package maxweight has the scheduler of Wang, Zhu, Ying, Tan and Zhang, "Map
// Task Scheduling in MapReduce with Data Locality" (INFOCOM 2013), join the
// shortest queue with MaxWeight, its opponent there, naive fair sharing with
// locality, and its successors Pandas and Balanced-Pandas, as policies of the
// platform simulator. The paper's own slotted model is package cmd/internal/lab/slotted.
//
// # From the paper to the platform
//
// Each slave has a queue of tasks whose input it holds, and there is one common
// queue. A map task joins, when it becomes ready, the shortest of its local
// queues and the common one, ties at random (§II-B). A slave with a free slot
// serves its own queue if α·Q_m ≥ γ·Q̄, else the common one. As the paper has
// it, a task counts in the length of its queue until it ends, and of a queue a
// task of the job with the fewest running tasks goes first (§V); [Params] has
// the other readings. Lengths are those of the moment.
//
// What the paper does not know is settled thus:
//   - Local queues are those of the first three slaves with the least transfer
//     time. A task whose slaves are all alike joins the common queue.
//   - If the chosen queue has nothing that fits, the slave serves the other: a
//     task may be barred from the slave or have no room before an absence.
//   - A slave that is away or has failed is no choice for a task, and what waits
//     in its queue when it goes moves to the common one. A lost task joins a
//     queue anew.
//   - α and γ, unless given, are the inverse mean times, transfer and execution,
//     of the map tasks released so far: on the slaves of their local queues, and
//     on all others that may run them.
//   - Of a gang all tasks leave their queues with the first that is served. Each counts in the
//     queue of the slave that it is handed out to until it ends.
//   - Stages that use reduce slots are no map tasks. They get a slot when no map
//     task does, first come first served.
//
// # Pandas and Balanced-Pandas
//
// Pandas is the priority algorithm of Xie and Lu, "Priority Algorithm for Near-Data
// Scheduling: Throughput and Heavy-Traffic Optimality" (INFOCOM 2015): there is no common
// queue. A task joins the shortest of its local queues, and a slave whose own queue is empty
// takes a task of the longest one.
//
// Balanced-Pandas (Xie, Yekkehkhany and Lu, "Scheduling with Multi-Level Data Locality:
// Throughput and Heavy-Traffic Optimality", INFOCOM 2016), here with two levels, gives each
// slave a queue of local and one of remote tasks. A task joins the slave with the least
// W_m/rate, where W_m = Q_local/α + Q_remote/γ and the rate is that at which the slave would
// serve the task; a slave serves its local queue before its remote one, and no other.
//
// What is settled above holds for them too, but that what waits for a slave that goes joins
// a queue anew; a task whose slaves are all alike joins the shortest queue of all, or the
// slave with the least work. Among slaves with as little a local one goes first. Queues are served in order of arrival. A task counts in the
// length of its queue until it is handed out, and then in that of the slave that runs it,
// until it ends.
package maxweight

import (
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// Params are the policy's figures and readings.
type Params struct {
	// Alpha and Gamma are the rates of local and remote service, both positive;
	// both 0: inverse mean times.
	Alpha, Gamma float64
	// Waiting counts only tasks that wait in the length of a queue.
	Waiting bool
	// FIFO serves each queue in order of arrival instead of the job with the
	// fewest running tasks.
	FIFO bool
	// Seed of the ties.
	Seed uint64
}

// policy is JSQ with MaxWeight.
type policy struct {
	params Params
	ties   *rand.Rand
	// queues are the slaves' and then the common one.
	queues []queue
	joined map[model.TaskID]int // of tasks that slaves hold: the queue they count in
	// news is what has become ready and has not joined a queue.
	news  []arrival
	rates rates
	// seen is the tick at which it was last looked for slaves that are gone.
	seen model.Time
}

// arrival is a stage of a job that opens, or one task of it that was lost.
type arrival struct {
	job   *online.Job
	stage int
	task  model.TaskID // -1 for the stage
}

// New makes JSQ with MaxWeight.
func New(params Params) online.Policy {
	return &policy{
		params: params, ties: online.Stream(params.Seed, "maxweight: ties"),
		joined: map[model.TaskID]int{}, rates: rates{times: map[*model.Profile]times{}}, seen: -1,
	}
}

// Name implements online.Policy.
func (p *policy) Name() string { return "maxweight" }

// Asks implements online.Policy: a slave that goes leaves tasks to others.
func (p *policy) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (p *policy) Start(v *online.View) { p.queues = make([]queue, len(v.Slaves())+1) }

// Watch implements online.Watcher.
func (p *policy) Watch(_ *online.View, e online.Event) {
	switch e.Kind {
	case online.Opened:
		p.news = append(p.news, arrival{e.Job, e.Stage, -1})
	case online.Assigned:
		if gangOfMaps(e) && !p.params.Waiting {
			p.queues[e.Slave].length++
			p.joined[e.Task] = int(e.Slave)
		}
	case online.Ended:
		p.leave(e.Task)
	case online.Lost:
		p.leave(e.Task)
		p.news = append(p.news, arrival{e.Job, e.Stage, e.Task})
	}
}

// gangOfMaps reports whether an event is of a map task whose gang is handed out as a whole: it
// counts in the queue of its slave.
func gangOfMaps(e online.Event) bool {
	st := &e.Job.Spec().Stages[e.Stage]
	return st.IsGang() && st.Slot == model.MapSlot
}

// leave takes a task out of the length that it counts in.
func (p *policy) leave(t model.TaskID) {
	if q, ok := p.joined[t]; ok {
		p.queues[q].length--
		delete(p.joined, t)
	}
}

// Heartbeat implements online.Policy.
func (p *policy) Heartbeat(v *online.View, o *online.Offer) {
	p.clear(v)
	for _, a := range p.news {
		p.arrive(v, a)
	}
	p.news = p.news[:0]
	for p.serveMap(o) {
	}
	serveReduce(v, o)
}

// common is the place of the common queue.
func (p *policy) common() int { return len(p.queues) - 1 }

// clear moves what waits for slaves that are gone to the common queue, and for slaves that have had
// another task of a stage whose tasks are apart. Slaves go before heartbeats, so that once a tick is
// enough.
func (p *policy) clear(v *online.View) {
	if p.seen == v.Now() {
		return
	}
	p.seen = v.Now()
	for s := range p.common() {
		if q := &p.queues[s]; len(q.waits) > 0 && !v.Up(model.SlaveID(s)) {
			for _, w := range q.waits {
				q.length -= w.tasks
				p.queues[p.common()].put(w.group, w.tasks)
			}
			q.waits = nil
		}
	}
	if v.Coupled() {
		p.part(v)
	}
}

// part moves tasks that have to be apart from what their slaves have had.
func (p *policy) part(v *online.View) {
	for s := range p.common() {
		for _, w := range p.queues[s].part(v, model.SlaveID(s)) {
			p.queues[p.common()].put(w.group, w.tasks)
		}
	}
}

// arrive lets what has become ready join queues, in the file's order.
func (p *policy) arrive(v *online.View, a arrival) {
	for _, g := range a.ready(v) {
		p.queues[p.shortest(v, p.rates.note(v, a, g))].put(g, 1)
	}
}

// ready has, for each map task that has become ready, its group, in the file's order.
func (a arrival) ready(v *online.View) []*online.Group {
	stages := a.job.Spec().Stages
	if stages[a.stage].Slot == model.ReduceSlot {
		return nil
	}
	groups := map[*model.Profile]*online.Group{}
	for _, b := range a.job.Groups() {
		if b.Stage() == a.stage {
			groups[b.Profile()] = b
		}
	}
	first, end := a.task, a.task+1
	if a.task < 0 {
		first, end = stages[a.stage].First, stages[a.stage].End
	}
	out := make([]*online.Group, 0, end-first)
	for t := first; t < end; t++ {
		if g := groups[v.Task(t).Profile]; g != nil && g.Len() > 0 { // none is left of a job that was given up
			out = append(out, g)
		}
	}
	return out
}

// shortest is the queue that a task joins. The k-th of several that are equally
// short replaces the choice so far with probability 1/k, which makes all of them
// equally likely.
func (p *policy) shortest(v *online.View, local []model.SlaveID) int {
	best, ties := p.common(), 1
	for _, s := range local {
		q := int(s)
		switch length := p.queues[q].length; {
		case !v.Up(s):
		case length < p.queues[best].length:
			best, ties = q, 1
		case length == p.queues[best].length:
			ties++
			if p.ties.IntN(ties) == 0 {
				best = q
			}
		}
	}
	return best
}

// serveMap hands out a map task, if there is one for the slave.
func (p *policy) serveMap(o *online.Offer) bool {
	if o.Free(model.MapSlot) == 0 {
		return false
	}
	c := p.compare(int(o.Slave()))
	q, other := int(o.Slave()), p.common()
	if !c.local() {
		q, other = other, q
	}
	at := p.queues[q].pick(o, p.params.FIFO)
	if at < 0 {
		q = other
		if at = p.queues[q].pick(o, p.params.FIFO); at < 0 {
			return false
		}
	}
	if o.Tracing() {
		o.Consider(p.queues[q].candidates(at, c.words(q == p.common())))
	}
	g := p.queues[q].take(at)
	if g.Gang() {
		p.queues[q].length--
		for i := range p.queues {
			p.queues[i].drop(g)
		}
	}
	switch t := o.Give(g); {
	case g.Gang(): // see Watch
	case p.params.Waiting:
		p.queues[q].length--
	default:
		p.joined[t] = q
	}
	return true
}

// compare weighs the queues of a slave.
func (p *policy) compare(own int) comparison {
	alpha, gamma := p.params.Alpha, p.params.Gamma
	if alpha == 0 {
		alpha, gamma = p.rates.inverse()
	}
	return comparison{alpha * float64(p.queues[own].length), gamma * float64(p.queues[p.common()].length)}
}

// serveReduce hands out tasks that are none of MapSlot, by release.
func serveReduce(v *online.View, o *online.Offer) {
	for i := 0; i < len(v.Ready()) && !o.Full(); {
		j := v.Ready()[i]
		b := o.PickFor(j, model.ReduceSlot)
		if b == nil {
			i++
			continue
		}
		if o.Tracing() {
			o.Consider(reduceCandidates(v.Ready()[i:]))
		}
		o.Give(b) // which takes j off the list with its last task
	}
}

// replicas is how many slaves with a task's input count.
const replicas = 3

// rates keeps mean times of local and remote placement over released map tasks.
type rates struct {
	times           map[*model.Profile]times
	local, remote   float64 // sums of the tasks' means, in ticks
	locals, remotes int
}

// times are a task's local slaves and its mean times, transfer and execution,
// on them and on the others that may run it, 0 if there are none.
type times struct {
	local              []model.SlaveID
	onLocal, elsewhere float64
}

// of computes the times of a profile once.
func (r *rates) of(v *online.View, p *model.Profile) times {
	t, ok := r.times[p]
	if ok {
		return t
	}
	t.local = p.Nearest()
	t.local = t.local[:min(replicas, len(t.local))]
	var sums [2]float64
	var counts [2]int
	for s := range model.SlaveID(len(v.Slaves())) {
		if !p.Eligible(s) {
			continue
		}
		i := 1
		if slices.Contains(t.local, s) {
			i = 0
		}
		sums[i] += float64(p.Transfer(s) + p.WCET(s))
		counts[i]++
	}
	t.onLocal, t.elsewhere = sums[0]/float64(max(1, counts[0])), sums[1]/float64(max(1, counts[1]))
	r.times[p] = t
	return t
}

// note counts a task that became ready, unless it had been lost, and tells its local slaves.
func (r *rates) note(v *online.View, a arrival, g *online.Group) []model.SlaveID {
	t := r.of(v, g.Profile())
	if a.task < 0 {
		r.add(t)
	}
	return t.local
}

// add counts a task.
func (r *rates) add(t times) {
	if t.onLocal > 0 {
		r.local += t.onLocal
		r.locals++
	}
	if t.elsewhere > 0 {
		r.remote += t.elsewhere
		r.remotes++
	}
}

// inverse are the rates: one over the mean times. As long as one kind of
// placement is unknown both are taken to be alike.
func (r *rates) inverse() (alpha, gamma float64) {
	if r.locals == 0 || r.remotes == 0 {
		return 1, 1
	}
	return float64(r.locals) / r.local, float64(r.remotes) / r.remote
}
