package slotted

// pandas is the priority algorithm of Xie and Lu: a queue for each machine, which a task
// joins if it is the shortest of its local ones, and idle machines without tasks of their
// own take from the longest.
type pandas struct {
	*engine
	queues  []queue
	waiting int32    // in all queues
	rivals  []uint16 // scratch: idle machines with nothing of their own
}

func newPandas(e *engine) *pandas {
	return &pandas{engine: e, queues: make([]queue, e.config.System.Machines)}
}

// open does nothing: decisions rest on the present only.
func (p *pandas) open() {}

// length of a queue counts what its machine is doing.
func (p *pandas) length(m uint16) int32 {
	n := p.queues[m].tasks
	if p.machines[m].doing != idle {
		n++
	}
	return n
}

// arrive routes the tasks of a job, one after the other; ties are drawn as for maxWeight.
func (p *pandas) arrive(job int32, where stream) {
	for range p.jobs.all[job].size {
		places := p.placer.draw(&where)
		p.queues[p.route(&places)].put(job)
		p.waiting++
	}
}

func (p *pandas) route(places *places) uint16 {
	best, ties := places.at[0], 1
	for _, m := range places.at[1:places.n] {
		switch l, shortest := p.length(m), p.length(best); {
		case l < shortest:
			best, ties = m, 1
		case l == shortest:
			ties++
			if p.order.below(ties) == 0 {
				best = m
			}
		}
	}
	return best
}

// dispatch has machines serve their own queues, and then the others, in random order, the
// longest one.
func (p *pandas) dispatch() {
	p.rivals = p.rivals[:0]
	for i := 0; i < len(p.idle); {
		if m := p.idle[i]; p.queues[m].tasks > 0 {
			p.serve(int(m), m, local) // another idle machine moves to place i
			continue
		}
		p.rivals = append(p.rivals, p.idle[i])
		i++
	}
	for n := len(p.rivals); n > 0 && p.waiting > 0; n-- {
		k := p.order.below(n)
		m := p.rivals[k]
		p.rivals[k] = p.rivals[n-1]
		p.serve(p.longest(), m, remote)
	}
}

// longest is the first of the queues with the most tasks that wait.
func (p *pandas) longest() int {
	best := 0
	for q := range p.queues {
		if p.queues[q].tasks > p.queues[best].tasks {
			best = q
		}
	}
	return best
}

func (p *pandas) serve(q int, m uint16, as service) {
	job := p.queues[q].take(p.pick(&p.queues[q], p.config.Reading.FIFO))
	p.waiting--
	p.claim(m, job)
	p.begin(m, as)
}

func (p *pandas) ended(int32, uint16, service) {}

// balanced is Balanced-Pandas with two levels of locality: a machine has a queue of local
// tasks and one of remote ones, and its work is what they take at their rates, with what it is
// doing. A task joins the machine with the least work for the rate at which it would be
// served there; among equals a local one.
type balanced struct {
	*engine
	alpha, gamma  float64
	local, remote []queue
	counts        [][remote + 1]int32 // by machine and where: tasks that wait or are served
	work          tournament
}

func newBalanced(e *engine) *balanced {
	n := e.config.System.Machines
	return &balanced{
		engine: e, alpha: e.config.System.Alpha, gamma: e.config.System.Gamma,
		local: make([]queue, n), remote: make([]queue, n), counts: make([][remote + 1]int32, n), work: newTournament(n),
	}
}

// open does nothing: decisions rest on the present only.
func (p *balanced) open() {}

// count notes tasks that came to a machine, or left it.
func (p *balanced) count(m uint16, as service, tasks int32) {
	c := &p.counts[m]
	c[as] += tasks
	p.work.set(int(m), float64(c[local])/p.alpha+float64(c[remote])/p.gamma)
}

// arrive routes the tasks of a job, one after the other.
func (p *balanced) arrive(job int32, where stream) {
	for range p.jobs.all[job].size {
		places := p.placer.draw(&where)
		m, as := p.route(&places)
		if as == local {
			p.local[m].put(job)
		} else {
			p.remote[m].put(job)
		}
		p.count(m, as, 1)
	}
}

func (p *balanced) route(places *places) (uint16, service) {
	best, ties := places.at[0], 1
	for _, m := range places.at[1:places.n] {
		switch w, least := p.work.of(int(m)), p.work.of(int(best)); {
		case w < least:
			best, ties = m, 1
		case w == least:
			ties++
			if p.order.below(ties) == 0 {
				best = m
			}
		}
	}
	// A machine that is local and has the least work of all is never worse than itself.
	if far := p.work.first(&p.order); p.work.of(far)/p.gamma < p.work.of(int(best))/p.alpha {
		return uint16(far), remote
	}
	return best, local
}

// dispatch has each idle machine serve its own queues, the local one first.
func (p *balanced) dispatch() {
	for i := 0; i < len(p.idle); {
		m, q, as := p.idle[i], (*queue)(nil), local
		if q = &p.local[m]; q.tasks == 0 {
			q, as = &p.remote[m], remote
		}
		if q.tasks == 0 {
			i++
			continue
		}
		p.claim(m, q.take(p.pick(q, p.config.Reading.FIFO))) // another idle machine moves to place i
		p.begin(m, as)
	}
}

// ended takes a finished task out of its machine's work.
func (p *balanced) ended(_ int32, by uint16, was service) { p.count(by, was, -1) }
