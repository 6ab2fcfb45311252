package propagate

import "downbeat/solve/lcg/core"

// Span is a closed range of times.
type Span struct{ Lo, Hi int32 }

// far is later than all times of a question.
const far = int32(1) << 30

// Nowhere is the empty span, to be joined with others.
var Nowhere = Span{far, -far}

// Join makes a the least span that holds a and b.
func (a *Span) Join(b Span) { a.Lo, a.Hi = min(a.Lo, b.Lo), max(a.Hi, b.Hi) }

// User may hold units of a resource: if X holds it does so at the points τ with
// From − Before ≤ τ ≤ To + After.
type User struct {
	X             core.Lit
	Need          int64
	From, To      core.View
	Before, After int32
	// To ≥ From + Gap.
	Gap int32
	// FromSpan and ToSpan are the windows of From and To, given X.
	FromSpan, ToSpan Span
}

// Fixed holds units of a resource in [Start, End), whatever is decided.
type Fixed struct{ Start, End, Need int64 }

// Resource has Capacity units at each of the points First, First + Step, ….
type Resource struct {
	Capacity    int64
	First, Step int32
	// Users are ordered by Need.
	Users []User
	Fixed []Fixed
}
