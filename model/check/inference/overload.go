package inference

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// Overload recomputes a counting argument: see [Overloads.Check].
//
// A proof file says it by prices of 1, which costs.go checks. Here the figures are those that
// people are told, and the shares of jobs those of cuts: each is worked out by itself, and not
// whether all is too much alone. By prices that would take 0.5 ms in place of 0.03 on 1,000
// tasks, for each of what may be thousands of overloads.
func Overload(js *model.JobSet, due []model.Time, sh *proof.Overload) error {
	return NewOverloads(js).Check(due, sh)
}

// Overloads recomputes counting arguments about a job set, of which there may be thousands.
// What they have in common is worked out once: when jobs can be done at the earliest.
type Overloads struct {
	js    *model.JobSet
	heads *heads
	// stopped reports whether there is no time for so many steps more.
	stopped func(steps int) bool
}

// NewOverloads works nothing out yet.
func NewOverloads(js *model.JobSet) *Overloads {
	return &Overloads{js, newHeads(js), func(int) bool { return false }}
}

// Check recomputes a counting argument (see [proof.Overload]): the jobs
// sh.Jobs, if job i has to finish by due[i] (absolute, model.Never for no due
// time), need at least sh.Need of the resource on sh.Slaves inside
// sh.Interval, where there is exactly sh.Have, which is less. The error says
// what does not hold. The cost is tasks × slaves.
func (o *Overloads) Check(due []model.Time, sh *proof.Overload) error {
	js := o.js
	if err := wellFormed(js, due, sh); err != nil {
		return err
	}
	if sh.Idle < 0 || sh.Idle > sh.Have || sh.Need <= sh.Have-sh.Idle {
		return fmt.Errorf("a need of %d is no more than the %d there are, of which %d are idle", sh.Need, sh.Have, sh.Idle)
	}
	if sh.Resource == proof.CriticalPath {
		return o.criticalPath(due, sh)
	}
	need, err := o.need(due, sh)
	if err != nil {
		return err
	}
	if need.Cmp(big.NewInt(sh.Need)) < 0 {
		return fmt.Errorf("the jobs need %v %s in %s, not %d", need, sh.Resource, intervalText(sh.Interval), sh.Need)
	}
	have, err := o.have(sh)
	if err != nil {
		return err
	}
	if have.Cmp(big.NewInt(sh.Have)) != 0 {
		return fmt.Errorf("the machines have %v %s in %s, not %d", have, sh.Resource, intervalText(sh.Interval), sh.Have)
	}
	if sh.Idle == 0 {
		return nil
	}
	if idle := o.idle(sh); idle != sh.Idle {
		return fmt.Errorf("%d %s are idle in %s for the first fetches, not %d", idle, sh.Resource, intervalText(sh.Interval), sh.Idle)
	}
	return nil
}

// need is what the jobs need together, as far as that is charged where there are charges.
func (o *Overloads) need(due []model.Time, sh *proof.Overload) (*big.Int, error) {
	if len(sh.Charges) > 0 {
		return o.charges(due, sh)
	}
	needs, err := o.jobNeeds(due, sh, true)
	need := new(big.Int)
	for _, n := range needs {
		need.Add(need, n)
	}
	return need, err
}

// have is what there is of the resource on the slaves inside the interval, or of the limit.
func (o *Overloads) have(sh *proof.Overload) (*big.Int, error) {
	have := new(big.Int)
	add := func(units int64, ticks model.Time) {
		have.Add(have, new(big.Int).Mul(big.NewInt(units), big.NewInt(int64(ticks))))
	}
	if sh.Resource == proof.SharedTicks {
		levels := o.js.Shared()[sh.Shared].Levels
		for k, level := range levels {
			from, until := max(level.From, sh.Interval.Start), sh.Interval.End
			if k+1 < len(levels) {
				until = min(until, levels[k+1].From)
			}
			if from < until && level.Amount > 0 {
				add(level.Amount, until-from)
			}
		}
	}
	for _, s := range sh.Slaves {
		units := int64(0)
		if sh.Resource == proof.WeightTicks {
			var err error
			if units, err = heaviest(o.js, s, weightsOf(sh.Weights), o.stopped); err != nil {
				return nil, err
			}
		} else {
			units = sh.Resource.Units(o.js, s)
		}
		add(units, openTicks(o.js, &o.js.Slaves[s], sh))
	}
	return have, nil
}

// Needs tells how much each of sh.Jobs must occupy of sh.Resource on sh.Slaves
// inside sh.Interval if it finishes by its due time, in the order of sh.Jobs, whatever the others do; or what is charged to it.
// The sum is what [Overloads.Check] compares with Need, where none of them comes after another; a job that is let off its due
// time relieves the overload by its share. For CriticalPath the one job counts
// 1 more than Have: let off, it relieves.
func (o *Overloads) Needs(due []model.Time, sh *proof.Overload) ([]int64, error) {
	if err := wellFormed(o.js, due, sh); err != nil {
		return nil, err
	}
	if sh.Resource == proof.CriticalPath {
		return []int64{sh.Have + 1}, o.criticalPath(due, sh)
	}
	needs := make([]int64, len(sh.Jobs))
	for _, c := range sh.Charges {
		needs[slices.Index(sh.Jobs, c.To)] += c.Ticks
	}
	if len(sh.Charges) > 0 {
		return needs, nil
	}
	found, err := o.jobNeeds(due, sh, false)
	if err != nil {
		return nil, err
	}
	for k, n := range found {
		if !n.IsInt64() {
			return nil, errors.New("a need beyond 64 bits")
		}
		needs[k] = n.Int64()
	}
	return needs, nil
}

// Cut reads an overload that holds as a cut on late jobs: those that are let off their due
// times make up for Need − Have.
func (o *Overloads) Cut(due []model.Time, sh *proof.Overload) (proof.Cut, error) {
	needs, err := o.Needs(due, sh)
	if err != nil {
		return proof.Cut{}, err
	}
	r := proof.Cut{RHS: sh.Idle - sh.Have, Overload: sh}
	for n, i := range sh.Jobs {
		r.RHS += needs[n]
		if o.js.Jobs[i].Kind == model.Soft && needs[n] > 0 {
			r.Jobs = append(r.Jobs, i)
			r.Coefficients = append(r.Coefficients, needs[n])
		}
	}
	return r, nil
}

// wellFormed checks that the argument speaks of things that there are, and of
// each once: a job counted twice would need twice as much.
func wellFormed(js *model.JobSet, due []model.Time, sh *proof.Overload) error {
	if len(due) != len(js.Jobs) {
		return fmt.Errorf("%d due times for %d jobs", len(due), len(js.Jobs))
	}
	if len(sh.Jobs) == 0 {
		return errors.New("no jobs")
	}
	jobs := map[model.JobID]bool{}
	for _, id := range sh.Jobs {
		if id < 0 || int(id) >= len(js.Jobs) || jobs[id] {
			return fmt.Errorf("job %d is not there or given twice", id)
		}
		jobs[id] = true
	}
	for _, c := range sh.Charges {
		if !jobs[c.Job] || !jobs[c.To] {
			return fmt.Errorf("a charge of job %d to job %d, of which one is not there", c.Job, c.To)
		}
	}
	if err := weighed(js, jobs, sh.Weights); err != nil {
		return err
	}
	slaves := map[model.SlaveID]bool{}
	for _, s := range sh.Slaves {
		if s < 0 || int(s) >= len(js.Slaves) || slaves[s] {
			return fmt.Errorf("slave %d is not there or given twice", s)
		}
		slaves[s] = true
	}
	iv := sh.Interval
	switch {
	case sh.Resource == proof.SharedTicks && (sh.Shared < 0 || int(sh.Shared) >= len(js.Shared())):
		return fmt.Errorf("there is no pool or cap %d", sh.Shared)
	case sh.Resource == proof.SharedTicks && len(sh.Slaves) > 0:
		return errors.New("a pool or a cap is not that of some slaves")
	case sh.Resource != proof.WeightTicks && len(sh.Weights) > 0 || sh.Resource == proof.WeightTicks && sh.Idle != 0:
		return errors.New("weights where nothing is weighed, or what is weighed is idle")
	case sh.Resource > proof.WeightTicks:
		return fmt.Errorf("unknown resource %d", sh.Resource)
	case sh.Resource == proof.CriticalPath:
		return nil
	case sh.Resource == proof.FetchTicks && js.Fetch == model.FetchConcurrent:
		return errors.New("fetches cannot run short where they are concurrent")
	case !sane(iv.Start) || !sane(iv.End) || iv.Start >= iv.End:
		return fmt.Errorf("the interval %s is none", intervalText(iv))
	}
	return nil
}

// criticalPath checks the argument that one job alone is too long.
func (o *Overloads) criticalPath(due []model.Time, sh *proof.Overload) error {
	if len(sh.Jobs) != 1 {
		return fmt.Errorf("a critical path of %d jobs", len(sh.Jobs))
	}
	if sh.Idle != 0 {
		return errors.New("nothing is idle where a job is alone")
	}
	id, js := sh.Jobs[0], o.js
	if finish := o.heads.finish(id); int64(finish) != sh.Need {
		return fmt.Errorf("job %s alone finishes at %d at the earliest, not %d", js.Jobs[id].Name, finish, sh.Need)
	}
	if int64(due[id]) != sh.Have {
		return fmt.Errorf("job %s is due at %d, not %d", js.Jobs[id].Name, due[id], sh.Have)
	}
	return nil
}

// holdTime is C + E, the least time that a task holds a slot, 0 where it is barred.
func holdTime(task *model.Task, s model.SlaveID) model.Time {
	if task.WCET(s) == 0 {
		return 0
	}
	return task.Transfer(s) + task.WCET(s)
}

// placing is where a task can be on a slave: its heartbeat between the first
// and the last, its finish at the latest; both Never where it has no due time.
type placing struct{ first, last, finish model.Time }

// place finds the placing of a task that is assigned at ready or later and
// finishes by limit; ok is false if there is none.
func (o *Overloads) place(t model.TaskID, s model.SlaveID, ready, limit model.Time) (p placing, ok bool) {
	hold := holdTime(&o.js.Tasks[t], s)
	if hold == 0 {
		return placing{}, false
	}
	if limit >= model.Never {
		return placing{o.heads.earliest(s, ready, hold), model.Never, model.Never}, true
	}
	p.first, p.last, p.finish = o.heads.stays(s, hold, ready, limit)
	return p, p.last >= 0
}

// slavesOf marks the slaves on which what tasks occupy counts: all, of what all share.
func slavesOf(js *model.JobSet, sh *proof.Overload) []bool {
	if sh.Resource == proof.SharedTicks {
		return slices.Repeat([]bool{true}, len(js.Slaves))
	}
	inside := make([]bool, len(js.Slaves))
	for _, s := range sh.Slaves {
		inside[s] = true
	}
	return inside
}

// jobNeeds are those of sh.Jobs, in their order. Together, a job that others of them come after has to be done when the tasks of
// these are handed out at the latest (C10); otherwise its own due time is all there is.
func (o *Overloads) jobNeeds(due []model.Time, sh *proof.Overload, together bool) ([]*big.Int, error) {
	inside, followers := slavesOf(o.js, sh), map[model.JobID][]model.JobID{}
	for _, id := range sh.Jobs {
		for _, before := range o.js.Jobs[id].After {
			if together {
				followers[before] = append(followers[before], id)
			}
		}
	}
	needs, handed := map[model.JobID]*big.Int{}, map[model.JobID]model.Time{}
	var find func(id model.JobID) error
	find = func(id model.JobID) (err error) {
		limit := due[id]
		for _, next := range followers[id] {
			if needs[next] == nil {
				if err := find(next); err != nil {
					return err
				}
			}
			limit = min(limit, handed[next])
		}
		needs[id], handed[id], err = o.jobNeed(id, limit, inside, sh)
		return err
	}
	out := make([]*big.Int, len(sh.Jobs))
	for k, id := range sh.Jobs {
		if needs[id] == nil {
			if err := find(id); err != nil {
				return nil, err
			}
		}
		out[k] = needs[id]
	}
	return out, nil
}

// jobNeed is what a job's tasks must occupy of the resource on the slaves
// inside, within the argument's interval, if the job finishes by due, and by when all of them are assigned at the latest.
func (o *Overloads) jobNeed(id model.JobID, due model.Time, inside []bool, sh *proof.Overload) (need *big.Int, first model.Time, err error) {
	stages := o.js.Jobs[id].Stages
	need, first = new(big.Int), model.Never
	limits := slices.Repeat([]model.Time{due}, len(stages))
	for _, k := range lastFirst(stages) {
		handed, err := o.stageNeed(&stages[k], o.heads.ready(id, int(k)), limits[k], inside, sh, need)
		if err != nil {
			return nil, 0, fmt.Errorf("job %s %w", o.js.Jobs[id].Name, err)
		}
		first = min(first, handed)
		// All tasks of a stage are assigned after the stages before it have finished.
		for _, before := range stages[k].After {
			limits[before] = min(limits[before], handed)
		}
	}
	return need, first, nil
}

// lastFirst lists stages so that each stands before those that it comes after.
func lastFirst(stages []model.Stage) []int32 {
	followers := make([]int, len(stages))
	for k := range stages {
		for _, before := range stages[k].After {
			followers[before]++
		}
	}
	var order []int32
	for k := len(stages) - 1; k >= 0; k-- {
		if followers[k] == 0 {
			order = append(order, int32(k))
		}
	}
	for at := 0; at < len(order); at++ {
		for _, before := range stages[order[at]].After {
			if followers[before]--; followers[before] == 0 {
				order = append(order, before)
			}
		}
	}
	return order
}

// stageNeed adds what the tasks of a stage must occupy if they are assigned at ready or
// later and finish by limit, and tells by when all of them are assigned at the latest.
func (o *Overloads) stageNeed(st *model.Stage, ready, limit model.Time, inside []bool, sh *proof.Overload, need *big.Int) (handed model.Time, err error) {
	js := o.js
	handed = model.Never
	latest, least := model.Time(-1), model.Never
	for t := st.First; t < st.End; t++ {
		if t > st.First && js.Tasks[t].Profile == js.Tasks[t-1].Profile && sh.Resource != proof.WeightTicks {
			need.Add(need, big.NewInt(int64(least))) // as the task before
			continue
		}
		latest, least = model.Time(-1), model.Never
		for s := range model.SlaveID(len(js.Slaves)) {
			p, ok := o.place(t, s, ready, limit)
			if !ok {
				continue
			}
			latest = max(latest, p.last)
			if inside[s] {
				least = min(least, leastOccupied(js, t, s, p, sh))
			} else {
				least = 0
			}
		}
		if latest < 0 {
			return 0, errors.New("is late alone, so it needs nothing in time")
		}
		need.Add(need, big.NewInt(int64(least)))
		handed = min(handed, latest)
	}
	return handed, nil
}

// leastOccupied is the least number of ticks of the interval that a task
// occupies on slave s wherever it is placed, times the units that it needs. What it
// occupies has a fixed length, so the overlap first grows and then shrinks as it
// moves to the right, and is least at one of the ends.
func leastOccupied(js *model.JobSet, t model.TaskID, s model.SlaveID, p placing, sh *proof.Overload) model.Time {
	task := &js.Tasks[t]
	need := unitsOf(js, t, s, sh)
	if need == 0 {
		return 0
	}
	transfer, wcet := task.Transfer(s), task.WCET(s)
	var left, right, length model.Time
	switch hold := sh.Resource.Hold(); {
	case sh.Resource == proof.SharedTicks:
		left, right, length = p.first, p.last, transfer+wcet
	case hold == model.HoldRun:
		left, right, length = p.first+transfer, p.finish-wcet, wcet
	case hold == model.HoldFetch:
		left, right, length = p.first, p.finish-wcet-transfer, transfer
	default:
		beats := (transfer + wcet + js.Heartbeat - 1) / js.Heartbeat
		left, right, length = p.first, p.last, beats*js.Heartbeat
	}
	return model.Time(need) * min(
		sh.Interval.Intersect(model.Interval{Start: left, End: left + length}).Len(),
		sh.Interval.Intersect(model.Interval{Start: right, End: right + length}).Len())
}

// unitsOf is how much a task holds of what is counted, on slave s.
func unitsOf(js *model.JobSet, t model.TaskID, s model.SlaveID, sh *proof.Overload) int64 {
	switch sh.Resource {
	case proof.SharedTicks:
		return js.Taken(t, sh.Shared)
	case proof.WeightTicks:
		return weightOf(sh.Weights, t)
	}
	return sh.Resource.Need(js, &js.Tasks[t], s)
}

// openTicks counts the ticks of the interval at which the slave offers the
// resource: while it is there, and of what is held for whole stays in the heartbeat
// intervals that start with a heartbeat outside its absences.
func openTicks(js *model.JobSet, slave *model.Slave, sh *proof.Overload) model.Time {
	iv, h := sh.Interval, js.Heartbeat
	fromBeats := sh.Resource.Hold() == model.HoldStay
	if fromBeats {
		iv.Start = max(iv.Start, slave.FirstBeat)
	}
	open := iv.Len()
	for _, d := range slave.Down {
		if fromBeats { // from the first heartbeat that falls into it to the first after it
			d.Start = slave.FirstBeat + roundUp(d.Start-slave.FirstBeat, h)
			d.End = slave.FirstBeat + roundUp(d.End-slave.FirstBeat, h)
		}
		open -= iv.Intersect(d).Len()
	}
	return open
}

// roundUp is the least multiple of h, not below 0, that is at least t.
func roundUp(t, h model.Time) model.Time {
	if t <= 0 {
		return 0
	}
	return (t + h - 1) / h * h
}

// sane reports whether a time is one that a plan can have.
func sane(t model.Time) bool { return 0 <= t && t < model.Never }

func intervalText(iv model.Interval) string { return fmt.Sprintf("[%d, %d)", iv.Start, iv.End) }
