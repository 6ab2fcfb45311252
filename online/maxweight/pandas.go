package maxweight

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"downbeat/model"
	"downbeat/online"
)

// PandasParams are the figures of Pandas and Balanced-Pandas.
type PandasParams struct {
	// Balanced asks for Balanced-Pandas.
	Balanced bool
	// Alpha and Gamma are the rates of local and remote service, both positive; both 0:
	// inverse mean times. Pandas itself needs none.
	Alpha, Gamma float64
	// Seed of the ties.
	Seed uint64
}

// pandas is the priority algorithm of Xie and Lu and its successor; see the package comment.
type pandas struct {
	params PandasParams
	ties   *rand.Rand
	slaves []lines
	// joined has of tasks that slaves hold whether they came from a remote queue.
	joined map[model.TaskID]bool
	news   []arrival
	rates  rates
	seen   model.Time
}

// lines are a slave's queues of tasks by where their inputs are; of Pandas the first only.
// Tasks that the slave holds count in the length of the line that they came from.
type lines struct{ local, remote queue }

// NewPandas makes Pandas or Balanced-Pandas.
func NewPandas(params PandasParams) online.Policy {
	return &pandas{
		params: params, ties: online.Stream(params.Seed, "pandas: ties"),
		joined: map[model.TaskID]bool{}, rates: rates{times: map[*model.Profile]times{}}, seen: -1,
	}
}

// Name implements online.Policy.
func (p *pandas) Name() string {
	if p.params.Balanced {
		return "balanced-pandas"
	}
	return "pandas"
}

// Asks implements online.Policy: a slave that goes leaves tasks to others.
func (p *pandas) Asks() online.Asking { return online.OnChange }

// Start implements online.Starter.
func (p *pandas) Start(v *online.View) { p.slaves = make([]lines, len(v.Slaves())) }

// Watch implements online.Watcher.
func (p *pandas) Watch(_ *online.View, e online.Event) {
	switch e.Kind {
	case online.Opened:
		p.news = append(p.news, arrival{e.Job, e.Stage, -1})
	case online.Assigned:
		if gangOfMaps(e) {
			p.slaves[e.Slave].local.length++
			p.joined[e.Task] = false
		}
	case online.Ended:
		p.leave(e.Task, e.Slave)
	case online.Lost:
		p.leave(e.Task, e.Slave)
		p.news = append(p.news, arrival{e.Job, e.Stage, e.Task})
	}
}

// leave takes a task out of the length that it counts in.
func (p *pandas) leave(t model.TaskID, s model.SlaveID) {
	remote, ok := p.joined[t]
	switch {
	case !ok:
		return
	case remote:
		p.slaves[s].remote.length--
	default:
		p.slaves[s].local.length--
	}
	delete(p.joined, t)
}

// Heartbeat implements online.Policy.
func (p *pandas) Heartbeat(v *online.View, o *online.Offer) {
	p.clear(v)
	for _, a := range p.news {
		for _, g := range a.ready(v) {
			p.join(v, g, p.rates.note(v, a, g))
		}
	}
	p.news = p.news[:0]
	for p.serve(o) {
	}
	serveReduce(v, o)
}

// clear has what waits for slaves that are gone join anew.
func (p *pandas) clear(v *online.View) {
	if p.seen == v.Now() {
		return
	}
	p.seen = v.Now()
	for s := range p.slaves {
		if v.Up(model.SlaveID(s)) {
			continue
		}
		for _, q := range []*queue{&p.slaves[s].local, &p.slaves[s].remote} {
			waits := q.waits
			q.waits = nil
			for _, w := range waits {
				q.length -= w.tasks
				for range w.tasks {
					p.join(v, w.group, p.rates.of(v, w.group.Profile()).local)
				}
			}
		}
	}
	if v.Coupled() {
		p.part(v)
	}
}

// part has tasks join anew that have to be apart from what their slaves have had.
func (p *pandas) part(v *online.View) {
	for s := range p.slaves {
		for _, q := range []*queue{&p.slaves[s].local, &p.slaves[s].remote} {
			for _, w := range q.part(v, model.SlaveID(s)) {
				for range w.tasks {
					p.join(v, w.group, p.rates.of(v, w.group.Profile()).local)
				}
			}
		}
	}
}

// join puts a task in a queue: of Pandas the shortest of the slaves that hold its input, or
// of all if none does; of Balanced-Pandas that of the slave with the least work for the rate
// at which it would serve the task. Slaves that are gone count where all are.
func (p *pandas) join(v *online.View, g *online.Group, local []model.SlaveID) {
	if v.Coupled() {
		local = slices.DeleteFunc(slices.Clone(local), func(s model.SlaveID) bool { return v.Apart(s, g) })
	}
	s := p.route(v, g, local, true)
	if s == model.NoSlave {
		s = p.route(v, g, local, false)
	}
	if q := &p.slaves[s]; p.params.Balanced && len(local) > 0 && !slices.Contains(local, s) {
		q.remote.put(g, 1)
	} else {
		q.local.put(g, 1)
	}
}

// route is the slave whose queue a task joins, NoSlave if none will do. Of equals it is one
// that would serve the task at the higher rate; further ties are drawn as in
// [policy.shortest].
func (p *pandas) route(v *online.View, g *online.Group, local []model.SlaveID, up bool) model.SlaveID {
	best, ties, least, fastest := model.NoSlave, 0, 0.0, 0.0
	consider := func(s model.SlaveID, work, rate float64) {
		load := work / rate
		switch {
		case !g.Profile().Eligible(s) || up && !v.Up(s) || v.Apart(s, g):
		case best == model.NoSlave || load < least || load == least && rate > fastest:
			best, ties, least, fastest = s, 1, load, rate
		case load == least && rate == fastest:
			ties++
			if p.ties.IntN(ties) == 0 {
				best = s
			}
		}
	}
	if !p.params.Balanced && slices.ContainsFunc(local, v.Up) {
		for _, s := range local {
			consider(s, float64(p.slaves[s].local.length), 1)
		}
		return best
	}
	alpha, gamma := p.params.Alpha, p.params.Gamma
	if alpha == 0 {
		alpha, gamma = p.rates.inverse()
	}
	for s := range model.SlaveID(len(p.slaves)) {
		q := &p.slaves[s]
		switch work := float64(q.local.length)/alpha + float64(q.remote.length)/gamma; {
		case !p.params.Balanced:
			consider(s, float64(q.local.length), 1)
		case len(local) == 0 || slices.Contains(local, s):
			consider(s, work, alpha)
		default:
			consider(s, work, gamma)
		}
	}
	return best
}

// serve hands out a map task, if there is one for the slave: of its own queues, the local
// one first, or of Pandas else of the longest queue that has one.
func (p *pandas) serve(o *online.Offer) bool {
	if o.Free(model.MapSlot) == 0 {
		return false
	}
	own := &p.slaves[o.Slave()]
	if at := own.local.pick(o, true); at >= 0 {
		p.give(o, &own.local, at, false, "own queue")
		return true
	}
	if p.params.Balanced {
		at := own.remote.pick(o, true)
		if at < 0 {
			return false
		}
		p.give(o, &own.remote, at, true, "remote queue")
		return true
	}
	from, place := -1, -1
	for s := range p.slaves {
		if q := &p.slaves[s].local; len(q.waits) > 0 && (from < 0 || q.length > p.slaves[from].local.length) {
			if at := q.pick(o, true); at >= 0 {
				from, place = s, at
			}
		}
	}
	if from < 0 {
		return false
	}
	q := &p.slaves[from].local
	p.give(o, q, place, false, fmt.Sprintf("longest queue, %d", q.length))
	return true
}

// give hands out the task at a place of a queue; it counts in that of the slave.
func (p *pandas) give(o *online.Offer, q *queue, at int, remote bool, why string) {
	if o.Tracing() {
		o.Consider(q.candidates(at, why))
	}
	g := q.take(at)
	q.length--
	if g.Gang() {
		for s := range p.slaves {
			p.slaves[s].local.drop(g)
			p.slaves[s].remote.drop(g)
		}
		o.Give(g)
		return
	}
	t := o.Give(g)
	if own := &p.slaves[o.Slave()]; remote {
		own.remote.length++
	} else {
		own.local.length++
	}
	p.joined[t] = remote
}
