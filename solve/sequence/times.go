package sequence

// times are the walks of a graph that know of the job before no more than that it is not the same: two of
// each point are enough to find the cheapest.
type times struct {
	*line
	graph graph
	unit  int64
	steps int
	came  [][2]arrival // by point: the cheapest, and the cheapest with another job
	rests [][2]arrival
}

// arrival is the cheapest walk up to a point with a last job, or from it with a first one; which of the two of
// the point before or after it goes on with.
type arrival struct {
	cost   int64
	job    int32
	from   int32
	second bool
}

func (l *line) timesOf(g graph, unit int64) *times {
	t := &times{line: l, graph: g, unit: unit, came: make([][2]arrival, len(g)), rests: make([][2]arrival, len(g))}
	for k := range g {
		t.steps += len(g[k].steps)
	}
	return t
}

func (t *times) size() int { return t.steps }

// offer takes a walk into account.
func offer(of *[2]arrival, a arrival) {
	switch {
	case a.cost < of[0].cost:
		if of[0].job != a.job {
			of[1] = of[0]
		}
		of[0] = a
	case a.cost < of[1].cost && a.job != of[0].job:
		of[1] = a
	}
}

// besides is the cheaper of two that has not a job.
func besides(of *[2]arrival, job int32) (a *arrival, second bool) {
	if of[0].job == job && job != wait {
		return &of[1], true
	}
	return &of[0], false
}

var none = [2]arrival{{cost: unreached, job: wait}, {cost: unreached, job: wait}}

// own is what a step costs from a point.
func (t *times) own(k int, s step, rewards []int64) int64 {
	if s.job == wait {
		return 0
	}
	return t.unit*t.cost(s.job, t.graph[k].time) - rewards[s.job]
}

func (t *times) forward(rewards []int64) (least int64, runs []run) {
	for k := range t.came {
		t.came[k] = none
	}
	t.came[0][0].cost = 0
	least, at := int64(unreached), -1
	for k := range t.graph {
		for _, s := range t.graph[k].steps {
			if a, second := besides(&t.came[k], s.job); a.cost < unreached {
				offer(&t.came[s.to], arrival{a.cost + t.own(k, s, rewards), s.job, int32(k), second})
			}
		}
		if t.line.ends(t.graph[k].instant, 0) && t.came[k][0].cost < least {
			least, at = t.came[k][0].cost, k
		}
	}
	for second := false; at > 0; {
		a := &t.came[at][0]
		if second {
			a = &t.came[at][1]
		}
		if a.job != wait {
			runs = append(runs, run{a.job, t.graph[a.from].time})
		}
		at, second = int(a.from), a.second
	}
	return least, runs
}

func (t *times) left(rewards []int64, most int64) graph {
	t.forward(rewards)
	g := make(graph, len(t.graph))
	for k := len(t.graph) - 1; k >= 0; k-- {
		t.rests[k] = none
		g[k].instant = t.graph[k].instant
		if t.line.ends(t.graph[k].instant, 0) {
			t.rests[k][0].cost = 0
		}
		for _, s := range t.graph[k].steps {
			before, _ := besides(&t.came[k], s.job)
			after, _ := besides(&t.rests[s.to], s.job)
			own := t.own(k, s, rewards)
			if after.cost < unreached {
				offer(&t.rests[k], arrival{cost: after.cost + own, job: s.job})
			}
			if before.cost < unreached && after.cost < unreached && before.cost+own+after.cost <= most {
				g[k].steps = append(g[k].steps, s)
			}
		}
	}
	return g
}
