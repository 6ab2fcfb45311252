package inference_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"downbeat/model"
	"downbeat/model/query"
)

// A prover refutes tiny questions by going through all places, fetches and starts of their
// tasks, one task after the other, and writes down why each cannot be: its proofs are long
// and plain, and made by no part of the solver. It does not know of fifo. With lies it goes on
// where there is a plan: it says something false.
type prover struct {
	*query.Layout
	rng    *rand.Rand
	lies   *lies // nil if it is honest
	text   strings.Builder
	steps  int
	order  []model.TaskID
	at     []chosen // by TaskID
	in     []bool   // by JobID
	before map[model.TaskID][]model.TaskID
	equal  map[model.SlaveID][]model.SlaveID // those before it in its group
}

// chosen is where a task is, and the literals that say otherwise.
type chosen struct {
	slave                model.SlaveID // NoSlave if it is nowhere yet
	assign, fetch, start model.Time
	otherwise            []string
}

// clause is a step whose literals are all false by what is chosen.
type clause struct {
	id       int
	literals []string
}

// mostSteps are enough for a proof.
const mostSteps = 3000

// refutation is a section of a proof file, empty if it is too large or the question has a plan, unless there are lies.
func refutation(q query.Question, rng *rand.Rand, lies *lies) string {
	p := &prover{Layout: query.NewLayout(q), rng: rng, lies: lies, at: make([]chosen, len(q.JS.Tasks)), in: make([]bool, len(q.JS.Jobs))}
	if p.Impossible >= 0 {
		return ""
	}
	p.PlaceTasks()
	for i := range p.at {
		p.at[i].slave = model.NoSlave
	}
	for _, st := range q.JS.StageOrder() {
		stage, i := q.JS.Stage(st)
		for t := stage.First; t < stage.End && p.Role[i] != query.Out; t++ {
			p.order = append(p.order, t)
		}
	}
	if lies != nil && len(p.order) == 0 {
		return "" // there is nothing to lie about
	}
	p.symmetries()
	fmt.Fprintf(&p.text, "%s\n", strings.Join(q.Lines(), "\n"))
	last, refuted := p.place(0)
	if !refuted || p.steps > mostSteps {
		return ""
	}
	return fmt.Sprintf("question 1\n%srefuted 1 %d\n", p.text.String(), last.id)
}

// symmetries finds what the proof may use, sometimes.
func (p *prover) symmetries() {
	p.before, p.equal = map[model.TaskID][]model.TaskID{}, map[model.SlaveID][]model.SlaveID{}
	if p.rng.IntN(2) == 0 {
		for t, u := range p.EqualPairs {
			p.before[u] = append(p.before[u], t)
		}
	}
	if p.rng.IntN(2) == 0 {
		for _, group := range p.EqualSlaves(p.Included) {
			for i, s := range group {
				p.equal[s] = group[:i]
			}
		}
	}
}

// c writes an inference.
func (p *prover) c(rule string, literals ...string) (clause, bool) {
	p.steps++
	fmt.Fprintf(&p.text, "c %d %s :%s\n", p.steps, rule, spaced(literals))
	return clause{p.steps, literals}, true
}

// n writes what follows from clauses, without the literals that they are resolved upon.
func (p *prover) n(of []clause, without func(string) bool) (clause, bool) {
	var literals []string
	hints := ""
	for _, c := range of {
		hints += fmt.Sprint(" ", c.id)
		for _, l := range c.literals {
			if !without(l) && !slices.Contains(literals, l) && !p.tells(lostLiterals) {
				literals = append(literals, l)
			}
		}
	}
	p.steps++
	fmt.Fprintf(&p.text, "n %d :%s :%s\n", p.steps, spaced(literals), hints)
	if p.rng.IntN(2) == 0 {
		fmt.Fprintf(&p.text, "d%s\n", hints)
	}
	return clause{p.steps, literals}, true
}

func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

func (c *clause) has(some func(string) bool) bool { return slices.ContainsFunc(c.literals, some) }

func begins(with string) func(string) bool {
	return func(l string) bool { return strings.HasPrefix(l, with) }
}

// place refutes what is chosen for the first k tasks; false if it finds a plan, or has
// enough.
func (p *prover) place(k int) (clause, bool) {
	switch {
	case p.steps > mostSteps:
		return clause{}, false
	case k == len(p.order):
		if c, refuted := p.overLimit(); refuted || p.lies == nil {
			return c, refuted
		}
		return p.lie()
	}
	t := p.order[k]
	i := p.JS.Tasks[t].Job
	if t != p.firstTask(i) {
		return p.placeTask(k)
	}
	p.in[i] = true
	in, refuted := p.placeTask(k)
	if e := fmt.Sprint("e", i, ">"); !refuted || p.Role[i] != query.May || !in.has(begins(e)) {
		return in, refuted
	}
	p.in[i] = false
	for k < len(p.order) && p.JS.Tasks[p.order[k]].Job == i {
		k++
	}
	out, refuted := p.place(k)
	if e := fmt.Sprint("e", i, "<="); !refuted || !out.has(begins(e)) {
		return out, refuted
	}
	return p.n([]clause{in, out}, begins(fmt.Sprint("e", i)))
}

// firstTask is the first one of a job in order.
func (p *prover) firstTask(i model.JobID) model.TaskID {
	return p.order[slices.IndexFunc(p.order, func(t model.TaskID) bool { return p.JS.Tasks[t].Job == i })]
}

func (p *prover) letGo(i model.JobID) string { return fmt.Sprintf("e%d>%d", i, p.Cap[i]) }
func (p *prover) isIn(i model.JobID) string  { return fmt.Sprintf("e%d<=%d", i, p.Cap[i]) }

// placeTask refutes all places of a task whose job is in.
func (p *prover) placeTask(k int) (clause, bool) {
	t := p.order[k]
	var all []clause
	var some []string
	if i := p.JS.Tasks[t].Job; p.Role[i] == query.May {
		some = append(some, p.letGo(i))
	}
	for n := range p.Places[t] {
		at := &p.Places[t][n]
		x := fmt.Sprintf("x%d.%d", t, at.Slave)
		c, refuted := p.fetches(k, at, x)
		p.at[t].slave = model.NoSlave
		if !refuted || !c.has(begins("-"+x)) {
			return c, refuted
		}
		all, some = append(all, c), append(some, x)
		if p.tells(passedPlaces) {
			break
		}
	}
	c, _ := p.c(fmt.Sprint("task ", t), some...)
	return p.n(append(all, c), func(l string) bool { return strings.HasPrefix(strings.TrimPrefix(l, "-"), fmt.Sprintf("x%d.", t)) })
}

// fetches refutes all times at which a task can be fetched at a place.
func (p *prover) fetches(k int, at *query.Place, x string) (clause, bool) {
	t := p.order[k]
	if p.tied(at) {
		return p.starts(k, at, x, at.FirstFetch, nil)
	}
	var all []clause
	for fetch := at.FirstFetch; fetch <= at.LastFetch(); fetch++ {
		bounds := []string{fmt.Sprintf("r%d>%d", t, fetch)}
		if fetch > at.FirstFetch {
			bounds = append(bounds, fmt.Sprintf("r%d<=%d", t, fetch-1))
		}
		c, refuted := p.starts(k, at, x, fetch, bounds)
		if !refuted || !c.has(begins(fmt.Sprint("r", t, ">"))) && !c.has(begins(fmt.Sprint("r", t, "<="))) {
			return c, refuted
		}
		all = append(all, c)
	}
	c, _ := p.c(fmt.Sprint("task ", t), "-"+x, fmt.Sprintf("r%d<=%d", t, at.LastFetch()))
	return p.n(append(all, c), func(l string) bool {
		return strings.HasPrefix(l, fmt.Sprint("r", t, ">")) || strings.HasPrefix(l, fmt.Sprint("r", t, "<="))
	})
}

func (p *prover) tied(at *query.Place) bool { return at.Tied && !p.JS.FIFO }

// starts refutes all times at which a task can start that is fetched from a time on, or
// just in time where it is tied.
func (p *prover) starts(k int, at *query.Place, x string, fetch model.Time, bounds []string) (clause, bool) {
	t := p.order[k]
	var all []clause
	first, last := fetch+at.Transfer, at.LastStart
	for start := first; start <= at.LastStart; start++ {
		if p.tied(at) {
			fetch = start - at.Transfer
		}
		lits := append([]string{"-" + x, fmt.Sprintf("s%d>%d", t, start)}, bounds...)
		if start > first {
			lits = append(lits, fmt.Sprintf("s%d<=%d", t, start-1))
		}
		_, assign := p.JS.BeatAtOrBefore(at.Slave, fetch)
		p.at[t] = chosen{at.Slave, assign, fetch, start, lits}
		c, refuted := p.conflict(t)
		if !refuted {
			c, refuted = p.place(k + 1)
		}
		if !refuted || !c.has(begins(fmt.Sprint("s", t, ">"))) && !c.has(begins(fmt.Sprint("s", t, "<="))) {
			return c, refuted
		}
		all, last = append(all, c), start
		if p.tells(passedStarts) {
			break
		}
	}
	c, _ := p.c(fmt.Sprint("task ", t), append([]string{"-" + x, fmt.Sprintf("s%d<=%d", t, last)}, bounds...)...)
	return p.n(append(all, c), func(l string) bool {
		return strings.HasPrefix(l, fmt.Sprint("s", t, ">")) || strings.HasPrefix(l, fmt.Sprint("s", t, "<="))
	})
}

// conflict is why a task cannot be where it was put last.
func (p *prover) conflict(t model.TaskID) (clause, bool) {
	of := &p.at[t]
	finish := p.finish(t)
	if !p.JS.Slaves[of.slave].Up(model.Interval{Start: of.assign, End: finish}) {
		return p.c(fmt.Sprint("task ", t), of.otherwise...)
	}
	for _, st := range p.Before(p.JS.StageOf(&p.JS.Tasks[t])) {
		stage, _ := p.JS.Stage(st)
		for b := stage.First; b < stage.End; b++ {
			if p.at[b].slave != model.NoSlave && p.finish(b) > of.assign {
				return p.c(fmt.Sprint("task ", t), p.otherwise(t, b)...)
			}
		}
	}
	if c, refuted := p.short(t); refuted {
		return c, refuted
	}
	if c, refuted := p.shortOfAll(t); refuted {
		return c, refuted
	}
	if c, refuted := p.tiedUp(t); refuted {
		return c, refuted
	}
	if c, refuted := p.outOfOrder(t); refuted {
		return c, refuted
	}
	if p.tells(falseConflicts) {
		return p.lie()
	}
	return clause{}, false
}

func (p *prover) finish(t model.TaskID) model.Time {
	return p.at[t].start + p.JS.Tasks[t].WCET(p.at[t].slave)
}

// otherwise says of some tasks that one of them is elsewhere.
func (p *prover) otherwise(tasks ...model.TaskID) []string {
	var out []string
	for _, t := range tasks {
		out = append(out, p.at[t].otherwise...)
	}
	return out
}

// short is a resource of its slave that is short at some point because of a task.
func (p *prover) short(t model.TaskID) (clause, bool) {
	s := p.at[t].slave
	for _, supply := range p.JS.Supplies(s) {
		held := p.held(t, supply)
		for point := held.Start; point < held.End; point++ {
			if beat, at := p.JS.BeatAtOrBefore(s, point); supply.Hold == model.HoldStay && (beat < 0 || at != point) {
				continue
			}
			var holders []model.TaskID
			total := int64(0)
			for _, u := range p.order {
				if p.at[u].slave != s {
					continue
				}
				if iv := p.held(u, supply); iv.Start <= point && point < iv.End {
					holders, total = append(holders, u), total+p.JS.Need(&p.JS.Tasks[u], s, supply.Resource)
				}
			}
			if total > supply.Units && len(holders) == 2 && p.rng.IntN(2) == 0 && p.inTurn(holders, supply) {
				return p.eitherOrder(holders, supply)
			}
			if total > supply.Units {
				return p.c(fmt.Sprintf("cap %d %d %d", s, supply.Resource, point), p.otherwise(holders...)...)
			}
		}
	}
	return clause{}, false
}

// inTurn reports whether neither of two tasks has held a resource for its length before the other begins to.
func (p *prover) inTurn(tasks []model.TaskID, supply model.Supply) bool {
	if supply.Hold == model.HoldFetch {
		return false // its order is not that of starts
	}
	begins := func(t, u model.TaskID) bool {
		of, task, begin := &p.at[t], &p.JS.Tasks[t], p.at[u].start
		if supply.Hold == model.HoldRun {
			return of.start+task.WCET(of.slave) <= begin
		}
		return of.fetch+task.Transfer(of.slave)+task.WCET(of.slave) <= p.at[u].fetch
	}
	return !begins(tasks[0], tasks[1]) && !begins(tasks[1], tasks[0])
}

// eitherOrder refutes that one of two tasks comes first, then that it does not.
func (p *prover) eitherOrder(tasks []model.TaskID, supply model.Supply) (clause, bool) {
	t, u := tasks[0], tasks[1]
	if p.rng.IntN(2) == 0 {
		t, u = u, t
	}
	order := fmt.Sprintf("b%d.%d", t, u)
	rule := fmt.Sprintf("disjunctive %d %d", p.at[t].slave, supply.Resource)
	first, _ := p.c(fmt.Sprint(rule, " ", t), append(p.otherwise(t, u), "-"+order)...)
	second, _ := p.c(fmt.Sprint(rule, " ", u), append(p.otherwise(t, u), order)...)
	return p.n([]clause{first, second}, func(l string) bool { return strings.TrimPrefix(l, "-") == order })
}

// shortOfAll is a limit that tasks on all slaves have in common, of which too much is held at some
// point because of a task.
func (p *prover) shortOfAll(t model.TaskID) (clause, bool) {
	for _, take := range p.JS.Takes(t) {
		sh := &p.JS.Shared()[take.Shared]
		for point := p.at[t].assign; point < p.finish(t); point++ {
			var holders []model.TaskID
			total := int64(0)
			for _, u := range sh.Tasks {
				if p.at[u].slave == model.NoSlave || p.at[u].assign > point || p.finish(u) <= point {
					continue
				}
				for _, other := range p.JS.Takes(u) {
					if other.Shared == take.Shared {
						holders, total = append(holders, u), total+other.Units
					}
				}
			}
			if total > sh.At(point) {
				return p.c(fmt.Sprintf("pool %d %d", p.number(sh), point), p.otherwise(holders...)...)
			}
		}
	}
	return clause{}, false
}

// number is that of a limit in proofs.
func (p *prover) number(sh *model.Shared) int {
	switch {
	case sh.Pool >= 0:
		return int(sh.Pool)
	case sh.Stage < 0:
		return len(p.JS.Pools) + int(sh.Job)
	}
	return len(p.JS.Pools) + len(p.JS.Jobs) + int(p.JS.Jobs[sh.Job].FirstStage) + int(sh.Stage)
}

// tiedUp is another task of the stage, with which a task should start together, or be apart.
func (p *prover) tiedUp(t model.TaskID) (clause, bool) {
	task := &p.JS.Tasks[t]
	stage := &p.JS.Jobs[task.Job].Stages[task.Stage]
	for u := stage.First; u < stage.End; u++ {
		switch other := &p.at[u]; {
		case u == t || other.slave == model.NoSlave:
		case stage.Gang && other.start != p.at[t].start:
			later := t // its input may be why
			if other.start > p.at[t].start {
				later = u
			}
			return p.c(fmt.Sprint("task ", later), p.otherwise(t, u)...)
		case stage.Apart && other.slave == p.at[t].slave:
			return p.c(fmt.Sprint("apart ", p.JS.StageOf(task)), p.at[t].otherwise[0], other.otherwise[0])
		}
	}
	return clause{}, false
}

func (p *prover) held(t model.TaskID, supply model.Supply) model.Interval {
	of, task := &p.at[t], &p.JS.Tasks[t]
	switch supply.Hold {
	case model.HoldRun:
		return model.Interval{Start: of.start, End: p.finish(t)}
	case model.HoldFetch:
		return model.Interval{Start: of.fetch, End: of.fetch + task.Transfer(of.slave)}
	default:
		return model.Interval{Start: of.assign, End: p.finish(t)}
	}
}

// outOfOrder is an equal task, or slave, that should have been taken.
func (p *prover) outOfOrder(t model.TaskID) (clause, bool) {
	for _, u := range p.order {
		for _, pair := range [][2]model.TaskID{{u, t}, {t, u}} {
			first, second := pair[0], pair[1]
			if p.at[u].slave != model.NoSlave && slices.Contains(p.before[second], first) && p.at[first].fetch > p.at[second].fetch {
				return p.c(fmt.Sprintf("order %d %d", first, second), p.otherwise(first, second)...)
			}
		}
	}
	for _, s := range p.equal[p.at[t].slave] {
		if literals, unused := p.unused(t, s); unused {
			return p.c(fmt.Sprintf("first %d %d %d", t, s, p.at[t].slave), append(literals, p.at[t].otherwise[0])...)
		}
	}
	return clause{}, false
}

// unused tells that no task below t is on a slave, and why.
func (p *prover) unused(t model.TaskID, s model.SlaveID) (literals []string, sure bool) {
	for _, u := range p.Included {
		if u >= t || !slices.ContainsFunc(p.Places[u], func(at query.Place) bool { return at.Slave == s }) {
			continue
		}
		switch i := p.JS.Tasks[u].Job; {
		case p.at[u].slave == s, p.at[u].slave == model.NoSlave && (p.Role[i] != query.May || p.in[i] || p.firstTaskLater(i, t)):
			return nil, false
		case p.at[u].slave == model.NoSlave:
			literals = append(literals, p.isIn(i))
		default:
			literals = append(literals, p.at[u].otherwise[0])
		}
	}
	return literals, true
}

// firstTaskLater tells that a may job has not been decided on when t is placed.
func (p *prover) firstTaskLater(i model.JobID, t model.TaskID) bool {
	return slices.Index(p.order, p.firstTask(i)) > slices.Index(p.order, t)
}

// overLimit refutes a plan of all tasks by a limit that it exceeds.
func (p *prover) overLimit() (clause, bool) {
	for _, limit := range p.Limits {
		rule, shape, total := limit.Objective.InProofs(), limit.Objective.Shape(), int64(0)
		var literals []string
		for i := range p.JS.Jobs {
			amount, why := p.counts(model.JobID(i), shape)
			if shape.Jobs.Has(p.JS.Jobs[i].Kind) && amount > 0 {
				total, literals = total+amount, append(literals, why...)
			}
		}
		if total > limit.Most {
			return p.c(rule, literals...)
		}
	}
	return clause{}, false
}

// counts is what a job adds to a limit, and what says otherwise.
func (p *prover) counts(i model.JobID, of model.Shape) (amount int64, otherwise []string) {
	job := &p.JS.Jobs[i]
	asked, delays := p.Question.Role[i], !of.Counts()
	switch {
	case p.Role[i] == query.Out && (p.late(i) == 0 || delays):
		return 0, nil
	case p.Role[i] == query.Out:
		return of.Weight(job), nil
	case asked == query.May && !p.in[i] && !delays && p.Cap[i] >= job.Due():
		return of.Weight(job), []string{p.isIn(i)}
	case asked == query.May && !p.in[i]:
		return 0, nil
	}
	last := job.First
	for t := job.First; t < job.End; t++ {
		if p.finish(t) > p.finish(last) {
			last = t
		}
	}
	late := int64(max(0, p.finish(last)-of.From(job)))
	switch {
	case late == 0, delays && (asked != query.Must || p.IsLater(i)):
		return 0, nil
	case delays:
		return of.Weight(job) * late, p.at[last].otherwise
	default:
		return of.Weight(job), p.at[last].otherwise
	}
}

// late is what a job that is out counts as missed: 1 if it was asked for, and is due by then.
func (p *prover) late(i model.JobID) int64 {
	if p.Windows.IsLate(i) && p.Cap[i] >= p.JS.Jobs[i].Due() && p.Cap[i] < model.Never {
		return 1
	}
	return 0
}
