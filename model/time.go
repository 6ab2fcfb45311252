package model

// Time is a point on the clock or a duration, in ticks.
type Time int64

const (
	// MaxTime is the largest time that a job set may name, in ticks.
	MaxTime Time = 1_000_000_000

	// Never lies after every time that a schedule can reach. Sums of a few
	// Nevers do not overflow.
	Never Time = 1 << 60

	// Unsaid stands, in what a run tells, for a time that it does not tell and that follows
	// from the others.
	Unsaid Time = -1 << 63
)

// Interval is the half-open span [Start, End) in ticks.
type Interval struct {
	Start, End Time
}

// Len is the number of ticks in the interval, 0 if it is empty or reversed.
func (iv Interval) Len() Time { return max(0, iv.End-iv.Start) }

// Overlaps reports whether the two intervals share a tick.
// An empty interval overlaps nothing.
func (iv Interval) Overlaps(other Interval) bool {
	return max(iv.Start, other.Start) < min(iv.End, other.End)
}

// Intersect is the common part, possibly empty.
func (iv Interval) Intersect(other Interval) Interval {
	return Interval{max(iv.Start, other.Start), min(iv.End, other.End)}
}
