package encode

import (
	"cmp"
	"slices"

	"github.com/irifrance/gini/z"

	"downbeat/model"
)

// A resource of one unit can be said by order in place of counting. For tasks
// t, u that may meet on it there is a literal p, "t is done before u begins",
// and ¬p says that u is done before t begins:
//
//	x[t,k] ∧ x[u,k] ∧ p ∧ [u begins by τ] → [t ends by τ]         for every τ
//	x[t,k] ∧ x[u,k] ∧ ¬p ∧ [t begins by τ] → [u ends by τ]
//
// Where every task is bound to its slave this is the job shop as Tamura et al.
// (CP 2006) put it. It needs few variables besides the order literals, and
// what is learnt speaks of orders and not of ticks: there it pays even if it
// takes more clauses (BenchmarkRefuteJobShop: 14 times as fast). Where tasks
// have a choice of slaves a larger formula brought nothing.

// worthPairing is the number of clauses by order, in those by counting, up to
// which a resource is put by order if all its users are bound to one slave.
const worthPairing = 4

// byOrder reports whether a resource that counting takes so many clauses for is
// said by order, and in how many.
func byOrder(l *layout, r *resource, counted int64) (int64, bool) {
	if r.Units != 1 || r.step != 1 || r.anyNeedAbove(1) {
		return 0, false
	}
	most := counted
	if l.bound(r) {
		most = product(counted, worthPairing)
	}
	n := predictPairs(r, most)
	return n, n <= most
}

func (r *resource) anyNeedAbove(units int64) bool {
	return slices.ContainsFunc(r.uses, func(u use) bool { return u.need > units })
}

// bound reports whether no user of r has a choice of slaves.
func (l *layout) bound(r *resource) bool {
	return !slices.ContainsFunc(r.uses, func(u use) bool { return len(l.Places[u.Task]) > 1 })
}

// predictPairs bounds the clauses that say r by order; it stops counting above
// stop.
func predictPairs(r *resource, stop int64) int64 {
	total := int64(0)
	for t, u := range r.meetings {
		total += t.pointsBefore(u) + u.pointsBefore(t)
		if total > stop {
			break
		}
	}
	r.obstacles(func(*use, model.Interval) { total++ })
	return total
}

// meetings yields the pairs of users whose spans overlap.
func (r *resource) meetings(yield func(t, u *use) bool) {
	byStart := slices.Clone(r.uses)
	slices.SortStableFunc(byStart, func(t, u use) int { return cmp.Compare(t.span.Start, u.span.Start) })
	for i := range byStart {
		t := &byStart[i]
		for k := i + 1; k < len(byStart) && byStart[k].span.Start < t.span.End; k++ {
			if !yield(t, &byStart[k]) {
				return
			}
		}
	}
}

// obstacles calls yield for the users that may meet a fixed task, with its interval.
func (r *resource) obstacles(yield func(u *use, fixed model.Interval)) {
	for _, fixed := range r.fixed {
		for i := range r.uses {
			if u := &r.uses[i]; u.span.Start < fixed.End && fixed.Start < u.span.End {
				yield(u, fixed)
			}
		}
	}
}

// before is the range of points at which "t is done before u begins" must be
// said: at earlier ones t cannot have ended, which the first says as well, and
// at later ones u has begun, which the last says.
func (t *use) before(u *use) (first, last model.Time) {
	first = max(u.span.Start, t.span.Start+t.length-1)
	return first, max(first, min(u.span.End-u.length, t.span.End-1))
}

func (t *use) pointsBefore(u *use) int64 {
	first, last := t.before(u)
	return int64(last-first) + 1
}

// buildPairs says a resource of one unit by order.
func buildPairs(e *Encoding, r *resource) {
	off := func(u *use) z.Lit { return e.placedOn(u.Candidate).Not() }
	order := func(t, u *use, p z.Lit) {
		for at, last := t.before(u); at <= last; at++ {
			begun, _ := e.heldAt(u.Candidate, r.Hold, at)
			_, ended := e.heldAt(t.Candidate, r.Hold, at)
			e.Add(off(t), off(u), p.Not(), begun.Not(), ended)
		}
	}
	for t, u := range r.meetings {
		p := e.Lit()
		order(t, u, p)
		order(u, t, p.Not())
	}
	r.obstacles(func(u *use, fixed model.Interval) {
		begun, _ := e.heldAt(u.Candidate, r.Hold, fixed.End-1)
		_, ended := e.heldAt(u.Candidate, r.Hold, fixed.Start)
		e.Add(off(u), begun.Not(), ended)
	})
}
