package encode

import (
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// A resource can be said by counting its users at every point at which more may
// meet than it has units for. A user is counted by a literal that is implied by
// "t holds the resource there".

// predictCounters bounds the clauses of one resource by counting: a clause per
// use and point, and a counter per point. It stops counting above stop.
func predictCounters(r *resource, form Form, stop int64) int64 {
	total := int64(0)
	r.sweep(func(span model.Interval, users []query.Candidate, needs []int64, left int64) {
		if total > stop {
			return
		}
		counter := linearSize(int64(len(needs)))
		if !form.Sums {
			counter = cnf.AtMostSumClauses(needs, left, stop)
		}
		total += product(int64(r.pointsIn(span)), int64(len(users))+counter)
	})
	return total
}

// pointAtOrAfter is the first counted point at t or later.
func (r *resource) pointAtOrAfter(t model.Time) model.Time {
	if t <= r.first {
		return r.first
	}
	return r.first + (t-r.first+r.step-1)/r.step*r.step
}

func (r *resource) pointsIn(span model.Interval) model.Time {
	from := r.pointAtOrAfter(span.Start)
	if from >= span.End {
		return 0
	}
	return (span.End-1-from)/r.step + 1
}

// buildCounters counts users at every point where too many can meet.
func buildCounters(e *Encoding, r *resource) {
	r.sweep(func(span model.Interval, users []query.Candidate, needs []int64, left int64) {
		lits := make([]z.Lit, len(users))
		for at := r.pointAtOrAfter(span.Start); at < span.End; at += r.step {
			for i, c := range users {
				begun, ended := e.heldAt(c, r.Hold, at)
				lits[i] = conjunction(e, e.placedOn(c), begun, ended.Not())
			}
			e.AtMostSum(lits, needs, left)
		}
	})
}

// conjunction is a literal implied by a ∧ b ∧ c: one of them where the others
// are True, else a new one.
func conjunction(e *Encoding, a, b, c z.Lit) z.Lit {
	switch {
	case a == cnf.False || b == cnf.False || c == cnf.False:
		return cnf.False
	case b == cnf.True && c == cnf.True:
		return a
	}
	m := e.Lit()
	e.Add(a.Not(), b.Not(), c.Not(), m)
	return m
}
