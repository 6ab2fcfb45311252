package inference

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"downbeat/model"
)

// rule shows that what a step assumes contradicts the rules of the job set; otherwise its
// error says what is left.
type rule struct {
	args   string // see Arguments
	points bool
	check  func(st *state, a []int64) error
}

// rules by name; those of limits have the names of these.
var rules = withLimits(map[string]rule{
	"task":        {"T", false, (*state).noPlace}, // C0 to C3, C7, C10, absences
	"stage":       {"K", false, (*state).stageLate},
	"job":         {"J", false, (*state).jobLate},
	"cap":         {"SRP", false, (*state).overfull}, // C4 to C6, C9
	"push":        {"TSR", true, (*state).pushedOut},
	"energy":      {"SRPP", false, (*state).overloaded},
	"disjunctive": {"SRT", false, (*state).outOfTurn},

	"pool":        {"QP", false, (*state).exhausted}, // C11
	"pool-push":   {"TQ", true, (*state).pushedOutOfPool},
	"pool-energy": {"QPP", false, (*state).overdrawn},
	"apart":       {"K", false, (*state).crowded}, // C12

	"order":  {"TT", false, (*state).outOfOrder}, // symmetry
	"first":  {"TSS", false, (*state).notFirst},
	"used":   {"TS", false, (*state).unused},
	"cut":    {"N", false, (*state).refutedBefore},
	"prices": {"N", false, (*state).overpaid},

	"sequence": {"N", false, (*state).outOfSequence}, // C4, C5, C9 of slaves that run one task at a time
})

func withLimits(rules map[string]rule) map[string]rule {
	for _, o := range limited {
		rules[o.InProofs()] = rule{"", false, func(st *state, _ []int64) error { return st.exceeded(o) }}
	}
	return rules
}

// Arguments says what the arguments of a rule are, in their order: T(ask), K (stage), J(ob),
// S(lave), R(esource), Q (a limit that tasks on all slaves have in common: pools come first, then the
// caps of all jobs, then those of all stages), P(oint in time) and N(umber), and whether any number of points may
// follow. A rule that there is not has none.
func Arguments(name string) (kinds string, points bool) { return rules[name].args, rules[name].points }

// readArgs reads the arguments of a rule up to a colon.
func (st *state) readArgs(r *rule) []int64 {
	st.args = st.args[:0]
	for _, kind := range []byte(r.args) {
		st.args = append(st.args, st.readArg(kind))
	}
	for r.points && st.more() && !st.atColon() {
		st.args = append(st.args, st.readArg('P'))
	}
	return st.args
}

// readArg reads an argument of a kind. Tasks, stages and jobs become those of the question.
func (st *state) readArg(kind byte) int64 {
	switch kind {
	case 'S':
		return st.number(0, int64(len(st.js.Slaves))-1)
	case 'R':
		return st.number(0, int64(model.NumResources)-1)
	case 'Q':
		return st.number(0, int64(len(st.limits))-1)
	case 'P':
		return st.number(0, latest)
	case 'N':
		return st.number(0, idLimit)
	}
	n := st.number(0, idLimit)
	at := numbered(st.local[kind], n)
	if at < 0 {
		st.fail("the question knows nothing of %d", n)
	}
	return int64(at)
}

func (st *state) noPlace(a []int64) error { return st.homeless(int32(a[0]), int32(a[0])+1) }

func (st *state) stageLate(a []int64) error {
	return st.homeless(st.stages[a[0]].task, st.stages[a[0]].end)
}

func (st *state) jobLate(a []int64) error { return st.homeless(st.jobs[a[0]].task, st.jobs[a[0]].last) }

// homeless fails unless the job of tasks from first to before last is in, and one of these
// has no place left.
func (st *state) homeless(first, last int32) error {
	if k := st.tasks[first].job; !st.in(k) {
		return fmt.Errorf("job %d need not be in", st.jobs[k].job)
	}
	var err error
	for t := first; t < last && !st.stopped(); t++ {
		_, finish := st.open(t, st.among)
		if finish.empty() {
			return nil
		}
		err = fmt.Errorf("task %d can still finish from %d to %d", st.tasks[t].id, finish.first, finish.last)
	}
	return err
}

// supply is what a slave has of a resource at a point: less reservations, and at
// heartbeats only if it is held for stays. A negative point stands for no point.
func (st *state) supply(s model.SlaveID, r model.ResourceID, at model.Time) (int64, error) {
	supplies := st.js.Supplies(s)
	k := slices.IndexFunc(supplies, func(p model.Supply) bool { return p.Resource == r })
	switch {
	case k < 0:
		return 0, fmt.Errorf("slave %d has no resource %d", s, r)
	case r.Hold() == model.HoldStay && at >= 0 && st.beatFrom(s, at) != at:
		return 0, fmt.Errorf("%d is no heartbeat of slave %d", at, s)
	}
	units := supplies[k].Units
	for _, k := range st.js.Slaves[s].Reservations {
		if k.Resource == r && k.Start <= at && at < k.End {
			units = max(0, units-k.Units)
		}
	}
	return units, nil
}

// sure gives the tasks that are known to be on a slave, but one, with what is left to them
// there. If one has nowhere to go the state is dead.
func (st *state) sure(s model.SlaveID, but int32) iter.Seq2[*place, reach] {
	return func(yield func(*place, reach) bool) {
		for _, k := range st.onSlave[s] {
			p := &st.places[k]
			if p.task == but || st.on(k) != yes || st.stopped() {
				continue
			}
			left, ok := st.fit(p, st.among(p))
			if st.dead = st.dead || !ok; st.dead || !yield(p, left) {
				return
			}
		}
	}
}

// use is when a task at a place begins to hold a resource, for how long at the least, and
// until when at the least, begun at its first.
func (p *place) use(h model.Hold, r *reach) (begin *span, length, until model.Time) {
	switch h {
	case model.HoldRun:
		return &r.start, p.run, r.start.first + p.run
	case model.HoldFetch:
		return &r.fetch, p.fetch, r.fetch.first + p.fetch
	default: // from R on at the least
		return &r.fetch, p.fetch + p.run, r.start.first + p.run
	}
}

// step is the time between points at which a resource can be short. What begins before the
// next one is held at a point: handed out at the heartbeat, if for a stay.
func (st *state) step(h model.Hold) model.Time {
	if h == model.HoldStay {
		return st.js.Heartbeat
	}
	return 1
}

// need is what the task of a place holds of a resource.
func (st *state) need(p *place, r model.ResourceID) int64 {
	return st.js.Need(&st.js.Tasks[st.tasks[p.task].id], p.slave, r)
}

// held is what tasks surely hold on a slave at a point, whatever they do within reach.
func (st *state) held(s model.SlaveID, r model.ResourceID, at model.Time, but int32) (sum int64) {
	for p, left := range st.sure(s, but) {
		if begin, _, until := p.use(r.Hold(), &left); begin.last < at+st.step(r.Hold()) && at < until {
			sum = plus(sum, st.need(p, r))
		}
	}
	return sum
}

func (st *state) overfull(a []int64) error {
	s, r, at := model.SlaveID(a[0]), model.ResourceID(a[1]), model.Time(a[2])
	units, err := st.supply(s, r, at)
	if err != nil {
		return err
	}
	if sum := st.held(s, r, at, -1); sum <= units {
		return fmt.Errorf("%d units of resource %d of slave %d are surely held at %d, of %d", sum, r, s, at, units)
	}
	return nil
}

func (st *state) pushedOut(a []int64) error {
	t, s, r := int32(a[0]), model.SlaveID(a[1]), model.ResourceID(a[2])
	k := st.placeOn(t, s)
	if k < 0 || st.on(k) != yes {
		return fmt.Errorf("task %d need not be on slave %d", st.tasks[t].id, s)
	}
	p := &st.places[k]
	left, ok := st.fit(p, st.among(p))
	for _, n := range a[3:] {
		at := model.Time(n)
		units, err := st.supply(s, r, at)
		need := st.need(p, r)
		begin, _, until := p.use(r.Hold(), &left)
		switch {
		case err != nil || !ok:
			return err
		case need == 0 || plus(st.held(s, r, at, t), need) <= units:
			return fmt.Errorf("there is enough of resource %d on slave %d at %d for task %d", r, s, at, st.tasks[t].id)
		case until <= at:
			return fmt.Errorf("task %d may be over by %d", st.tasks[t].id, at)
		}
		begin.first = max(begin.first, at+st.step(r.Hold()))
		left, ok = st.fit(p, left)
	}
	if ok {
		return fmt.Errorf("task %d still fits on slave %d, starting from %d to %d", st.tasks[t].id, s, left.start.first, left.start.last)
	}
	return nil
}

func (st *state) overloaded(a []int64) error {
	s, r, from, to := model.SlaveID(a[0]), model.ResourceID(a[1]), model.Time(a[2]), model.Time(a[3])
	units, err := st.supply(s, r, -1)
	if err != nil {
		return err
	}
	sum := int64(0)
	for p, left := range st.sure(s, -1) {
		begin, length, _ := p.use(r.Hold(), &left)
		within := max(0, min(length, to-from, begin.first+length-from, to-begin.last))
		sum = plus(sum, times(st.need(p, r), int64(within)))
	}
	if have := times(units, int64(max(0, to-from))); sum <= have {
		return fmt.Errorf("resource %d of slave %d is surely held for %d from %d to %d, of %d", r, s, sum, from, to, have)
	}
	return nil
}

// outOfTurn fails unless a task, of those that cannot overlap, has to begin after others when it cannot any more, or
// to end before others when it cannot yet.
func (st *state) outOfTurn(a []int64) error {
	s, r, t := model.SlaveID(a[0]), model.ResourceID(a[1]), int32(a[2])
	units, err := st.supply(s, r, -1)
	if err != nil {
		return err
	}
	var all []held
	for p, left := range st.sure(s, -1) {
		if begin, length, _ := p.use(r.Hold(), &left); length > 0 && 2*st.need(p, r) > units {
			all = append(all, held{*begin, length, p.task == t})
		}
	}
	for range 2 {
		if late(all) {
			return nil
		}
		for k, h := range all { // time runs backwards
			all[k].begin = span{-h.begin.last - h.length, -h.begin.first - h.length}
		}
	}
	return fmt.Errorf("task %d need not come too late or too early among those on slave %d that hold more than half of resource %d", st.tasks[t].id, s, r)
}

// held is when a task can begin to hold a resource, for how long it does at the least, and whether it is asked about.
type held struct {
	begin  span
	length model.Time
	asked  bool
}

// late tells that the task that is asked about begins, after all that it cannot come before, later than it can.
func late(all []held) bool {
	k := slices.IndexFunc(all, func(h held) bool { return h.asked })
	if k < 0 {
		return false
	}
	this, end := all[k], model.Time(-latest)
	slices.SortFunc(all, func(a, b held) int { return int(a.begin.first - b.begin.first) })
	for _, h := range all {
		if !h.asked && this.begin.first+this.length > h.begin.last {
			end = max(end, h.begin.first) + h.length
		}
	}
	return end > this.begin.last
}

// exceeded fails unless jobs that end too late are more than a limit allows.
func (st *state) exceeded(o model.Objective) error {
	shape, sum, most := o.Shape(), int64(0), st.q.limits[o]
	for k := range st.jobs {
		j := &st.jobs[k]
		spec := &st.js.Jobs[j.job]
		late := int64(st.is[j.end].first - shape.From(spec))
		switch {
		case late <= 0 || !shape.Jobs.Has(spec.Kind):
		case shape.Counts():
			sum = plus(sum, shape.Weight(spec))
		case j.role == must:
			sum = plus(sum, times(shape.Weight(spec), late))
		}
	}
	if sum <= most {
		return fmt.Errorf("%s may be %d, of at most %d", o.InProofs(), sum, most)
	}
	return nil
}

func (st *state) refutedBefore(a []int64) error {
	if a[0] < 1 || a[0] > int64(len(st.refuted)) {
		return fmt.Errorf("question %d has not been refuted", a[0])
	}
	q := st.refuted[a[0]-1]
	if q.limits != unlimited {
		return errors.New("that question has limits")
	}
	for _, a := range q.jobs {
		k := st.local['J'][a.job]
		switch {
		case a.role == may:
			return errors.New("that question has jobs that may be let go")
		case k < 0 || !st.in(k):
			return fmt.Errorf("job %d need not be in", a.job)
		case a.role == must && st.is[st.jobs[k].end].last > a.by:
			return fmt.Errorf("job %d may end at %d, after %d", a.job, st.is[st.jobs[k].end].last, a.by)
		}
	}
	return nil
}
