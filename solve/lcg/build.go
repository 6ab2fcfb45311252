package lcg

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// task is one task of the question.
type task struct {
	id                   model.TaskID
	places               []place
	start, fetch, finish num
	on                   lit
}

// problem is a question inside a solver.
type problem struct {
	*query.Layout
	*solver
	on []lit  // per job: it is placed
	by []task // by TaskID; no places if left out
}

// lastTime bounds the times of a question: sums of a few of them stay within 32 bits.
const lastTime model.Time = 1 << 28

func build(q query.Question, opt *Options) (*problem, error) {
	js := q.JS
	if js.FIFO {
		return nil, ErrFIFO
	}
	p := &problem{
		Layout: query.NewLayout(q), solver: newSolver(opt.Seed),
		on: make([]lit, len(js.Jobs)), by: make([]task, len(js.Tasks)),
	}
	p.broken = p.Impossible >= 0
	if err := p.affordable(opt.MaxLiterals); err != nil {
		return nil, err
	}
	p.PlaceTasks()
	for _, i := range p.byDue() {
		p.addJob(i)
	}
	p.addResources()
	p.addObjectives()
	if !q.NoSymmetry {
		p.addSymmetry()
	}
	if opt.Like != nil {
		p.stayNear(opt.Like)
	}
	return p, nil
}

// stayNear makes the values to try first those of a plan.
func (p *problem) stayNear(plan model.Schedule) {
	for t := range p.by {
		tk, at := &p.by[t], plan[t]
		for k := range tk.places {
			pl := &tk.places[k]
			here := int8(-1)
			if at.Slave == model.SlaveID(pl.slave) {
				here = 1
				p.try(tk.start, int32(at.Start))
				p.try(tk.fetch, int32(at.Fetch))
				p.try(tk.finish, int32(at.Start)+pl.wcet)
			}
			if pl.x != tk.on {
				p.phase[pl.x.index()] = here
			}
		}
	}
	finishes := p.JS.Finishes(plan)
	for i, on := range p.on {
		if p.Role[i] == query.May && finishes[i] > p.Cap[i] {
			p.phase[on.index()] = -1
		}
	}
}

// try makes a value the first to be tried.
func (s *solver) try(v num, value int32) {
	x := &s.ints[v.x]
	for at := x.lo; at < x.hi; at++ {
		s.phase[x.first+uint32(at-x.lo)] = 1
		if at+v.shift < value {
			s.phase[x.first+uint32(at-x.lo)] = -1
		}
	}
}

// byDue lists the jobs that are not left out, the most urgent first.
func (p *problem) byDue() []model.JobID {
	var jobs []model.JobID
	for i, role := range p.Role {
		if role != query.Out {
			jobs = append(jobs, model.JobID(i))
		}
	}
	slices.SortStableFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(p.Cap[a], p.Cap[b]) })
	return jobs
}

// affordable bounds the literals, and the points of the time tables by an
// eighth of them, before any is made.
func (p *problem) affordable(limit int64) error {
	if limit == 0 {
		limit = DefaultMaxLiterals
	}
	need, first, last := int64(0), model.Never, model.Time(0)
	for _, i := range p.byDue() {
		job := &p.JS.Jobs[i]
		first = min(first, job.Release)
		last = max(last, p.Cap[i])
		for t := job.First; t < job.End; t++ {
			span := p.Windows.Tasks[t]
			need += 3 * int64(span.LastFinish-span.FirstAssign)
			need += int64(len(p.JS.Slaves))
		}
	}
	if need > 0 {
		need += int64(len(p.JS.Slaves)) * int64((last-first)/8)
	}
	if need > limit || last > lastTime {
		return &TooLarge{need, limit}
	}
	return nil
}

// addPlaces fills in where a task can run.
func (p *problem) addPlaces(t model.TaskID) {
	out := &p.by[t]
	out.id = t
	out.places = make([]place, len(p.Places[t]))
	for k := range out.places {
		at := &p.Places[t][k]
		out.places[k] = place{
			slave: int32(at.Slave), wcet: int32(at.WCET), transfer: int32(at.Transfer),
			firstFetch: int32(at.FirstFetch), lastStart: int32(at.LastStart),
			tied:      at.Tied,
			firstBeat: int32(p.JS.Slaves[at.Slave].FirstBeat), between: int32(p.JS.Heartbeat),
		}
	}
}

func (p *problem) addJob(i model.JobID) {
	job := &p.JS.Jobs[i]
	p.on[i] = yes
	if p.Role[i] == query.May {
		p.on[i] = p.newBool()
		p.phase[p.on[i].index()] = 1
	}
	var gate num
	for si := range job.Stages {
		stage := &job.Stages[si]
		for t := stage.First; t < stage.End; t++ {
			p.addTask(t, p.on[i])
		}
		for t := stage.First; t < stage.End; t++ {
			p.addTaskRule(t, si > 0, gate)
		}
		if si+1 < len(job.Stages) {
			gate = p.gateAfter(stage)
		}
	}
}

// gateAfter is the time at which all tasks of a stage have finished. If the job
// is not placed it can be anything that its tasks' finishes leave.
func (p *problem) gateAfter(stage *model.Stage) num {
	finishes := p.finishes(stage)
	if len(finishes) == 1 {
		return finishes[0]
	}
	var ends span
	for _, f := range finishes {
		ends.lo, ends.hi = max(ends.lo, p.lower(f)), max(ends.hi, p.upper(f))
	}
	gate := p.newInt(ends.lo, ends.hi)
	p.addOrder(finishes, gate)
	return gate
}

// finishes lists F of the tasks of a stage.
func (p *problem) finishes(stage *model.Stage) []num {
	var out []num
	for t := stage.First; t < stage.End; t++ {
		if len(p.by[t].places) > 0 {
			out = append(out, p.by[t].finish)
		}
	}
	return out
}

// addOrder keeps each of before at or below after.
func (p *problem) addOrder(before []num, after num) {
	id := p.addRule(&orderRule{before, after})
	for _, b := range before {
		p.onLower(b, id, no)
	}
	p.onUpper(after, id, no)
}

// addTask makes the variables of a task.
func (p *problem) addTask(t model.TaskID, on lit) {
	p.addPlaces(t)
	tk := &p.by[t]
	tk.on = on
	if len(tk.places) == 0 {
		p.addClause(on.not())
		return
	}
	p.chooseOne(tk.places, on)
	first := &tk.places[0]
	starts, fetches, finishes := span{far, -far}, span{far, -far}, span{far, -far}
	equalWCET, movesAlong := true, true
	for k := range tk.places {
		pl := &tk.places[k]
		starts.join(span{pl.firstStart(), pl.lastStart})
		fetches.join(span{pl.firstFetch, pl.lastFetch()})
		finishes.join(span{pl.firstStart() + pl.wcet, pl.lastStart + pl.wcet})
		equalWCET = equalWCET && pl.wcet == first.wcet
		movesAlong = movesAlong && pl.tied && pl.transfer == first.transfer
	}
	tk.start = p.newInt(starts.lo, starts.hi)
	if movesAlong {
		tk.fetch = tk.start.plus(-first.transfer)
	} else {
		tk.fetch = p.newInt(fetches.lo, fetches.hi)
	}
	if equalWCET {
		tk.finish = tk.start.plus(first.wcet)
	} else {
		tk.finish = p.newInt(finishes.lo, finishes.hi)
	}
}

// chooseOne makes the choice of a slave: one if on, none if not. To be tried
// first: where the task can finish first.
func (p *problem) chooseOne(places []place, on lit) {
	if len(places) == 1 {
		places[0].x = on
		return
	}
	best := slices.MinFunc(places, func(a, b place) int {
		return cmp.Compare(a.firstStart()+a.wcet, b.firstStart()+b.wcet)
	})
	some := []lit{on.not()}
	for k := range places {
		x := p.newBool()
		places[k].x = x
		p.phase[x.index()] = -1
		if places[k].slave == best.slave {
			p.phase[x.index()] = 1
		}
		p.addClause(x.not(), on)
		for _, other := range some[1:] {
			p.addClause(x.not(), other.not())
		}
		some = append(some, x)
	}
	p.addClause(some...)
}

func (p *problem) addTaskRule(t model.TaskID, gated bool, gate num) {
	tk := &p.by[t]
	if len(tk.places) == 0 {
		return
	}
	r := p.addRule(&taskRule{
		places: tk.places, start: tk.start, fetch: tk.fetch, finish: tk.finish, on: tk.on, gated: gated, gate: gate,
	})
	p.onChange(tk.start, r, no)
	if tk.fetch.x != tk.start.x {
		p.onChange(tk.fetch, r, no)
	}
	if tk.finish.x != tk.start.x {
		p.onChange(tk.finish, r, no)
	}
	if gated {
		p.onChange(gate, r, no)
	}
	p.onTrue(tk.on, r)
	for k := range tk.places {
		p.onTrue(tk.places[k].x, r)
		p.onTrue(tk.places[k].x.not(), r)
		p.addAbsences(tk, &tk.places[k])
	}
}

// addAbsences: handed out before an absence means finished by then.
func (p *problem) addAbsences(tk *task, pl *place) {
	s := model.SlaveID(pl.slave)
	for _, down := range p.JS.Slaves[s].Down {
		if model.Time(pl.firstFetch) >= down.End || model.Time(pl.lastStart+pl.wcet) <= down.Start {
			continue
		}
		_, back := p.JS.BeatAtOrAfter(s, down.End)
		p.addClause(pl.x.not(), p.ge(tk.fetch, int32(back)), p.le(tk.start, int32(down.Start)-pl.wcet))
	}
}

// decode reads the schedule from values of all literals.
func (p *problem) decode() model.Schedule {
	out := model.NewSchedule(len(p.JS.Tasks))
	for t := range p.by {
		tk := &p.by[t]
		for k := range tk.places {
			pl := &tk.places[k]
			if p.isTrue(pl.x) {
				at := model.Placement{
					Slave: model.SlaveID(pl.slave),
					Fetch: model.Time(p.lower(tk.fetch)), Start: model.Time(p.lower(tk.start)),
				}
				at.Beat, _ = p.JS.BeatAtOrBefore(at.Slave, at.Fetch)
				out[t] = at
			}
		}
	}
	return out
}
