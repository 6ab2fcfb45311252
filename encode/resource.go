package encode

import (
	"slices"
	"sort"

	"github.com/irifrance/gini/z"

	"downbeat/model"
	"downbeat/model/query"
)

// resource is a supply of one slave, with the tasks that may hold of it.
type resource struct {
	model.Supply
	// step is the distance of the points in time that must be counted; they
	// are congruent to first.
	first, step model.Time
	uses        []use
	// fixed are the times at which fixed tasks hold fixedNeeds of it.
	fixed      []model.Interval
	fixedNeeds []int64
}

// use is the span of time in which a candidate may hold need units of a
// resource, for length ticks or more.
type use struct {
	query.Candidate
	need   int64
	span   model.Interval
	length model.Time
}

// eachResource calls yield for the supplies that tasks hold in the way of h and
// may run short of, slave by slave.
func (l *layout) eachResource(h model.Hold, yield func(r *resource)) {
	for s := range model.SlaveID(len(l.JS.Slaves)) {
		for _, supply := range l.Supplies[s] {
			if supply.Hold == h {
				yield(l.resource(s, supply))
			}
		}
	}
}

func (l *layout) resource(s model.SlaveID, supply model.Supply) *resource {
	r := &resource{Supply: supply, step: 1}
	if supply.Hold == model.HoldStay {
		r.first, r.step = l.JS.Slaves[s].FirstBeat, l.JS.Heartbeat
	}
	for _, c := range l.BySlave[s] {
		need := l.JS.Need(&l.JS.Tasks[c.Task], s, supply.Resource)
		if need > 0 {
			span, length := heldWithin(&l.Places[c.Task][c.Index], supply.Hold)
			r.uses = append(r.uses, use{c, need, span, length})
		}
	}
	r.fixed, r.fixedNeeds = l.FixedOn(s, supply)
	return r
}

// heldWithin is the span in which a task may hold what is held in the way of h,
// and for how long it does at least.
func heldWithin(p *query.Place, h model.Hold) (span model.Interval, length model.Time) {
	switch h {
	case model.HoldRun:
		return model.Interval{Start: p.FirstStart(), End: p.LastFinish()}, p.WCET
	case model.HoldFetch:
		return model.Interval{Start: p.FirstFetch, End: p.LastStart}, p.Transfer
	default:
		return model.Interval{Start: p.FirstFetch, End: p.LastFinish()}, p.Transfer + p.WCET
	}
}

// heldAt gives the two literals that together (with x) mean that a candidate
// holds at a point what is held in the way of h: it has begun to and not ended.
//
//	run    [S ≤ τ] and not [F ≤ τ]      at every tick τ
//	fetch  [R ≤ τ] and not [R ≤ τ−C]    at every tick τ
//	stay   [A ≤ β] and not [F ≤ β]      at every heartbeat β
func (e *Encoding) heldAt(c query.Candidate, h model.Hold, at model.Time) (begun, ended z.Lit) {
	switch h {
	case model.HoldRun:
		return e.StartBy(c.Task, at), e.finishBy(c.Task, c.Index, at)
	case model.HoldFetch:
		transfer := e.Places[c.Task][c.Index].Transfer
		return e.fetchBy(c.Task, c.Index, at), e.fetchBy(c.Task, c.Index, at-transfer)
	default:
		return e.assignBy(c.Task, c.Index, at), e.finishBy(c.Task, c.Index, at)
	}
}

// placedOn is x[t,k] of a candidate.
func (e *Encoding) placedOn(c query.Candidate) z.Lit { return e.vars[c.Task].x[c.Index] }

// sweep calls yield for every maximal span of time with the same users, if they
// need more than what fixed tasks leave of the resource. Users come in the order
// of uses; they and their needs are valid during the call.
func (r *resource) sweep(yield func(span model.Interval, users []query.Candidate, needs []int64, left int64)) {
	if r.allNeeds() <= r.Units {
		return
	}
	var times []model.Time
	for i := range r.uses {
		times = append(times, r.uses[i].span.Start, r.uses[i].span.End)
	}
	taken := map[model.Time]int64{} // change in what fixed tasks hold
	for i, iv := range r.fixed {
		times = append(times, iv.Start, iv.End)
		taken[iv.Start] += r.fixedNeeds[i]
		taken[iv.End] -= r.fixedNeeds[i]
	}
	times = sortedUnique(times)
	byStart := make([]int, len(r.uses))
	for i := range byStart {
		byStart[i] = i
	}
	sort.SliceStable(byStart, func(a, b int) bool {
		return r.uses[byStart[a]].span.Start < r.uses[byStart[b]].span.Start
	})
	var active []int // indexes into uses, ascending
	next, needed, left := 0, int64(0), r.Units
	var users []query.Candidate
	var needs []int64
	for ti := 0; ti+1 < len(times); ti++ {
		at := times[ti]
		left -= taken[at]
		active = slices.DeleteFunc(active, func(i int) bool {
			over := r.uses[i].span.End <= at
			if over {
				needed -= r.uses[i].need
			}
			return over
		})
		for ; next < len(byStart) && r.uses[byStart[next]].span.Start == at; next++ {
			i, _ := slices.BinarySearch(active, byStart[next])
			active = slices.Insert(active, i, byStart[next])
			needed += r.uses[byStart[next]].need
		}
		if needed <= left {
			continue
		}
		users, needs = users[:0], needs[:0]
		for _, i := range active {
			users, needs = append(users, r.uses[i].Candidate), append(needs, r.uses[i].need)
		}
		yield(model.Interval{Start: at, End: times[ti+1]}, users, needs, left)
	}
}

// allNeeds is what all tasks and the fixed ones need, were they to meet.
func (r *resource) allNeeds() int64 {
	total := int64(0)
	for i := range r.uses {
		total += r.uses[i].need
	}
	for _, need := range r.fixedNeeds {
		total += need
	}
	return total
}
