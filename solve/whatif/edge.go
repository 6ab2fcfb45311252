package whatif

import (
	"cmp"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
)

// Edge is where a set stops fitting, as far as that is known: it fits at Fits, a plan
// shows it, and does not at Fails, as Proof says. What lies between is not known. Which
// of the two is greater depends on what is measured.
type Edge struct {
	Fits, Fails int64
	// Proof refutes Fails; NoProof where that is a value that was not to be tried.
	Proof model.Proof
}

// Exact reports whether nothing lies between, so that Fits is the last value that fits.
func (e *Edge) Exact() bool { return e.Fits-e.Fails == 1 || e.Fails-e.Fits == 1 }

// Reply is what is known about one value.
type Reply struct {
	Status model.Status // Feasible, Infeasible or Unknown
	Proof  model.Proof
	// Reach is a value at least as near to the edge at which the plan found holds too.
	Reach int64
}

// Take moves the end that a reply about v moves.
func (e *Edge) Take(v int64, r Reply) {
	switch r.Status {
	case model.Feasible:
		e.Fits = r.Reach
	case model.Infeasible:
		e.Fails, e.Proof = v, r.Proof
	}
}

// Narrow brings the ends as near to each other as ask can tell: first the one that fits,
// what is not answered taken as a no, then the one that fails, what is not answered taken
// as a yes.
func (e *Edge) Narrow(ask func(v int64) (Reply, error)) error {
	open := e.Fails // no value from here to Fails is known to fit
	for e.Fits-open > 1 || open-e.Fits > 1 {
		v := open + (e.Fits-open)/2
		r, err := ask(v)
		if err != nil {
			return err
		}
		switch e.Take(v, r); {
		case r.Status != model.Feasible:
			open = v
		case cmp.Compare(open, e.Fits) != cmp.Compare(e.Fails, e.Fits): // the plan goes as far as what was not answered, or further
			open = e.Fails
		}
	}
	for open-e.Fails > 1 || e.Fails-open > 1 {
		v := e.Fails + (open-e.Fails)/2
		r, err := ask(v)
		if err != nil {
			return err
		}
		switch e.Take(v, r); r.Status {
		case model.Feasible:
			open = e.Fits
		case model.Unknown:
			open = v
		}
	}
	return nil
}

// Refute moves the end that fails alone, by an argument that takes no time to find.
func (e *Edge) Refute(by model.Proof, refuted func(v int64) bool) {
	open := e.Fits
	for open-e.Fails > 1 || e.Fails-open > 1 {
		v := e.Fails + (open-e.Fails)/2
		if refuted(v) {
			e.Fails, e.Proof = v, by
		} else {
			open = v
		}
	}
}

// Used is how much of what a change sets the size of a plan needs: of a class its first slaves, as
// [usedSlaves] counts them, of a pool what is held of it at most at once. Jobs that the plan leaves out
// need none.
func Used(js *model.JobSet, plan model.Schedule, c change.Change) int64 {
	if c.Kind == change.Pool {
		return usedPool(js, plan, c.Name)
	}
	return usedSlaves(js, plan, c.Name)
}

// usedSlaves is, of the last slave of a class that has a task, its place in the class.
func usedSlaves(js *model.JobSet, plan model.Schedule, class string) int64 {
	place, n := make([]int64, len(js.Slaves)), int64(0)
	for s := range js.Slaves {
		if js.Slaves[s].Class == class {
			n++
			place[s] = n
		}
	}
	most := int64(0)
	for _, p := range plan {
		if p.Slave != model.NoSlave {
			most = max(most, place[p.Slave])
		}
	}
	return most
}

// usedPool is what is held at most at once of a pool, with what was handed out before.
func usedPool(js *model.JobSet, plan model.Schedule, name string) int64 {
	type step struct {
		at model.Time
		by int64
	}
	var steps []step
	hold := func(iv model.Interval, units int64) {
		if units > 0 {
			steps = append(steps, step{iv.Start, units}, step{iv.End, -units})
		}
	}
	pool := poolIndex(js, name)
	for _, r := range js.Pools[pool].Reserved {
		hold(r.Interval, r.Units)
	}
	for t, p := range plan {
		if p.Slave != model.NoSlave {
			hold(model.Interval{Start: js.Assigned(p), End: js.Finish(model.TaskID(t), p)}, units(&js.Tasks[t], pool))
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	held, most := int64(0), int64(0)
	for _, s := range steps {
		held += s.by
		most = max(most, held)
	}
	return most
}

// Wanted is what all tasks take of a pool together, with what was handed out before: more than
// that never helps.
func Wanted(js *model.JobSet, name string) int64 {
	sum, pool := int64(0), poolIndex(js, name)
	for _, r := range js.Pools[pool].Reserved {
		sum += r.Units
	}
	for t := range js.Tasks {
		sum += units(&js.Tasks[t], pool)
	}
	return sum
}

// poolIndex is the place in JobSet.Pools of a pool that is there.
func poolIndex(js *model.JobSet, name string) int {
	return slices.IndexFunc(js.Pools, func(p model.Pool) bool { return p.Name == name })
}

// units is what a task takes of a pool.
func units(t *model.Task, pool int) int64 {
	for _, n := range t.Needs().Pools {
		if n.Pool == int32(pool)+1 {
			return int64(n.Units)
		}
	}
	return 0
}
