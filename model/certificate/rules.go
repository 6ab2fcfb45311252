package certificate

import (
	"errors"
	"fmt"

	"downbeat/model"
)

// rule shows that what a step assumes contradicts the rules of the job set; otherwise its
// error says what is left.
type rule struct {
	args  int  // how many it has
	more  bool // or more
	check func(st *state, args []int64) error
}

// rules by name. C0 to C10 are those of the model.
var rules = map[string]rule{
	"task":        {1, false, (*state).noPlace},       // C0–C3, C7, C10, absences: t has nowhere to go
	"stage":       {1, false, (*state).stageLate},     // the same of a task of st
	"job":         {1, false, (*state).jobLate},       // the same of a task of i
	"cap":         {3, false, (*state).overfull},      // C4–C6, C9: s r p
	"push":        {4, true, (*state).pushedOut},      // C4–C6, C9: t s r p1 … pn
	"energy":      {4, false, (*state).overloaded},    // C4, C6: s r a b
	"misses":      {0, false, sum(misses)},            // limits of the question
	"hard-misses": {0, false, sum(hardMisses)},        //
	"weighted":    {0, false, (*state).tooLate},       //
	"order":       {2, false, (*state).outOfOrder},    // t u: equal tasks, or the first of equal jobs
	"first":       {3, false, (*state).notFirst},      // t s s2: equal slaves in order of first use
	"used":        {2, false, (*state).unused},        // t s: none of the tasks up to t is on s
	"cut":         {1, false, (*state).refutedBefore}, // q: no plan has all of these jobs in time
	"prices":      {1, false, prices},                 // m
}

// task is the argument of a rule as a task of the question.
func (st *state) task(n int64) (int32, error) {
	if t := st.taskOf(n); t >= 0 {
		return t, nil
	}
	return 0, fmt.Errorf("task %d is not in the question", n)
}

// slave is the argument of a rule as a slave.
func (st *state) slave(n int64) (model.SlaveID, error) {
	if n >= int64(len(st.slaves)) {
		return 0, fmt.Errorf("there is no slave %d", n)
	}
	return model.SlaveID(n), nil
}

func (st *state) noPlace(args []int64) error {
	t, err := st.task(args[0])
	if err != nil {
		return err
	}
	if !st.in(st.tasks[t].job) {
		return fmt.Errorf("job %d need not be in", st.jobs[st.tasks[t].job].job)
	}
	return st.homeless(t)
}

// homeless fails if a task whose job is in has a place left.
func (st *state) homeless(t int32) error {
	of := &st.tasks[t]
	for at := of.place; at < of.end; at++ {
		if st.on(at) == no {
			continue
		}
		p := &st.places[at]
		if r, ok := st.reach(p); ok {
			return fmt.Errorf("task %d still fits on slave %d, starting from %d to %d", of.id, p.slave, r.start.first, r.start.last)
		}
	}
	return nil
}

func (st *state) stageLate(args []int64) error {
	k := st.stageOf(args[0])
	if k < 0 {
		return fmt.Errorf("stage %d is not in the question", args[0])
	}
	return st.someHomeless(st.stages[k].job, st.stages[k].task, st.stages[k].end)
}

func (st *state) jobLate(args []int64) error {
	v := st.variable('e', args[0])
	if v < 0 {
		return fmt.Errorf("job %d is not in the question", args[0])
	}
	k := v - st.end(0)
	end := int32(len(st.tasks))
	if int(k)+1 < len(st.jobs) {
		end = st.jobs[k+1].task
	}
	return st.someHomeless(k, st.jobs[k].task, end)
}

// someHomeless fails if all of some tasks of a job have places left.
func (st *state) someHomeless(k, first, end int32) error {
	if !st.in(k) {
		return fmt.Errorf("job %d need not be in", st.jobs[k].job)
	}
	var err error
	for t := first; t < end && !st.stopped(); t++ {
		if err = st.homeless(t); err == nil {
			return nil
		}
	}
	return err
}

// supply is what slave s has of resource r less what is taken at p; pass a negative p to
// have all.
func (st *state) supply(s model.SlaveID, n int64, p model.Time) (r model.ResourceID, units int64, err error) {
	r = model.ResourceID(min(n, int64(model.Resources)))
	ok := n < int64(int(model.FirstNamed)+len(st.js.Named))
	if ok {
		units, ok = st.units(s, r)
	}
	if !ok {
		return r, 0, fmt.Errorf("slave %d has no resource %d", s, n)
	}
	for _, k := range st.slaves[s].taken {
		if k.Resource == r && k.Start <= p && p < k.End {
			units = max(units-k.Units, 0)
		}
	}
	return r, units, nil
}

// point fails if p is not a point at which a resource can be short: what is held for stays
// is at heartbeats only.
func (st *state) point(s model.SlaveID, r model.ResourceID, p model.Time) error {
	if first := st.slaves[s].first; r.Hold() == model.HoldStay && (p < first || (p-first)%st.beat != 0) {
		return fmt.Errorf("%d is no heartbeat of slave %d", p, s)
	}
	return nil
}

// holds reports whether a task at a place surely holds a resource at a point: whatever it
// does there, within reach.
func (st *state) holds(p *place, r reach, h model.Hold, at model.Time) bool {
	switch h {
	case model.HoldRun:
		return r.start.last <= at && at < r.start.first+p.run
	case model.HoldFetch:
		return r.fetch.last <= at && at < r.fetch.first+p.fetch
	default:
		return r.fetch.last < at+st.beat && at < r.start.first+p.run
	}
}

// held is what the tasks that are known to be on a slave surely hold there at a point, all
// but one; the largest number if one of them has nowhere to go.
func (st *state) held(s model.SlaveID, r model.ResourceID, at model.Time, but int32) int64 {
	sum := int64(0)
	for _, k := range st.onSlave[s] {
		p := &st.places[k]
		if p.task == but || st.stopped() || st.on(k) != yes {
			continue
		}
		of, ok := st.reach(p)
		if !ok {
			return largest
		}
		if st.holds(p, of, r.Hold(), at) {
			sum = plus(sum, st.js.Need(&st.js.Tasks[st.tasks[p.task].id], s, r))
		}
	}
	return sum
}

func (st *state) overfull(args []int64) error {
	s, err := st.slave(args[0])
	if err != nil {
		return err
	}
	at := model.Time(min(args[2], latest))
	r, units, err := st.supply(s, args[1], at)
	if err == nil {
		err = st.point(s, r, at)
	}
	if err != nil {
		return err
	}
	if sum := st.held(s, r, at, -1); sum <= units {
		return fmt.Errorf("%d units of resource %d of slave %d are surely held at %d, of %d", sum, r, s, at, units)
	}
	return nil
}

func (st *state) pushedOut(args []int64) error {
	t, err := st.task(args[0])
	if err != nil {
		return err
	}
	s, err := st.slave(args[1])
	if err != nil {
		return err
	}
	k := st.placeOn(t, s)
	if k < 0 || st.on(k) != yes {
		return fmt.Errorf("task %d need not be on slave %d", args[0], s)
	}
	p := &st.places[k]
	left, ok := st.reach(p)
	for _, n := range args[3:] {
		if !ok {
			return nil
		}
		if err := st.push(p, &left, args[2], model.Time(min(n, latest))); err != nil {
			return err
		}
		left, ok = st.fit(p, left.start, left.fetch)
	}
	if ok {
		return fmt.Errorf("task %d is only pushed to %d on slave %d, and may start until %d", args[0], left.start.first, s, left.start.last)
	}
	return nil
}

// push has a task at a place begin to hold a resource after a point, where there is too
// little for it.
func (st *state) push(p *place, left *reach, resource int64, at model.Time) error {
	r, units, err := st.supply(p.slave, resource, at)
	if err == nil {
		err = st.point(p.slave, r, at)
	}
	if err != nil {
		return err
	}
	id := st.tasks[p.task].id
	need := st.js.Need(&st.js.Tasks[id], p.slave, r)
	if need == 0 || plus(st.held(p.slave, r, at, p.task), need) <= units {
		return fmt.Errorf("there is enough of resource %d on slave %d at %d for task %d", r, p.slave, at, id)
	}
	over := left.start.first + p.run
	if r.Hold() == model.HoldFetch {
		over = left.fetch.first + p.fetch
	}
	switch {
	case over <= at:
		return fmt.Errorf("task %d may be over by %d", id, at)
	case r.Hold() == model.HoldRun:
		left.start.first = max(left.start.first, at+1)
	case r.Hold() == model.HoldFetch:
		left.fetch.first = max(left.fetch.first, at+1)
	default:
		left.fetch.first = max(left.fetch.first, at+st.beat)
	}
	return nil
}

func (st *state) overloaded(args []int64) error {
	s, err := st.slave(args[0])
	if err != nil {
		return err
	}
	r, units, err := st.supply(s, args[1], -1)
	if err != nil {
		return err
	}
	a, b := model.Time(min(args[2], latest)), model.Time(min(args[3], latest))
	sum := int64(0)
	for _, k := range st.onSlave[s] {
		p := &st.places[k]
		if st.stopped() || st.on(k) != yes {
			continue
		}
		of, ok := st.reach(p)
		if !ok {
			return nil
		}
		begin, length := of.start, p.run
		switch r.Hold() {
		case model.HoldFetch:
			begin, length = of.fetch, p.fetch
		case model.HoldStay: // from R on at the least
			begin, length = of.fetch, p.fetch+p.run
		}
		within := max(0, min(length, b-a, begin.first+length-a, b-begin.last))
		sum = plus(sum, times(st.js.Need(&st.js.Tasks[st.tasks[p.task].id], s, r), int64(within)))
	}
	if have := times(units, int64(max(0, b-a))); sum <= have {
		return fmt.Errorf("resource %d of slave %d is surely held for %d from %d to %d, of %d", r, s, sum, a, b, have)
	}
	return nil
}

// sum is the rule of a limit on the weight of the jobs of a kind that are late.
func sum(limit int) func(st *state, args []int64) error {
	return func(st *state, _ []int64) error {
		sum := int64(0)
		for k := range st.jobs {
			i := st.jobs[k].job
			job := &st.js.Jobs[i]
			switch late := st.lo[st.end(int32(k))] > st.due(i); {
			case late && job.Kind == model.Soft && limit == misses:
				sum = plus(sum, job.Weight)
			case late && job.Kind == model.Hard && limit == hardMisses:
				sum++
			}
		}
		return st.exceeds(sum, limit)
	}
}

func (st *state) tooLate([]int64) error {
	sum := int64(0)
	for k := range st.jobs {
		j := &st.jobs[k]
		job := &st.js.Jobs[j.job]
		if late := st.lo[st.end(int32(k))] - st.due(j.job); j.role == must && job.Kind == model.Soft && late > 0 {
			sum = plus(sum, times(job.Weight, int64(late)))
		}
	}
	return st.exceeds(sum, weighted)
}

// exceeds fails if a sum is within a limit of the question.
func (st *state) exceeds(sum int64, limit int) error {
	switch most := st.q.limits[limit]; {
	case most == noLimit:
		return fmt.Errorf("the question has no limit on %s", limitWords[limit])
	case sum <= most:
		return fmt.Errorf("%s may be %d, of at most %d", limitWords[limit], sum, most)
	}
	return nil
}

func (st *state) refutedBefore(args []int64) error {
	if args[0] < 1 || args[0] > int64(len(st.refuted)) {
		return fmt.Errorf("question %d has not been refuted", args[0])
	}
	q := st.refuted[args[0]-1]
	if q.limits != [limits]int64{noLimit, noLimit, noLimit} {
		return errors.New("that question has limits")
	}
	for _, a := range q.jobs {
		k := st.jobOf[a.job]
		switch {
		case a.role == may:
			return errors.New("that question has jobs that may be let go")
		case k < 0 || !st.in(k):
			return fmt.Errorf("job %d need not be in", a.job)
		case a.role == must && st.hi[st.end(k)] > a.by:
			return fmt.Errorf("job %d may end at %d, after %d", a.job, st.hi[st.end(k)], a.by)
		}
	}
	return nil
}
