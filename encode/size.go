package encode

import "fmt"

// huge is a number of clauses that no limit allows; sums of many do not overflow.
const huge = int64(1) << 48

// product is a·b for counts, or huge if it is more.
func product(a, b int64) int64 {
	if b > 0 && a > huge/b {
		return huge
	}
	return a * b
}

// linearSize is the size of a sum of so many terms that is kept as it is, in clauses of
// three literals.
func linearSize(terms int64) int64 { return 1 + terms }

// ClauseBytes is about what a clause takes in memory.
const ClauseBytes = 16

// Size is a prediction of a formula's size.
type Size struct {
	Clauses int64
	// Largest names the family with the most clauses.
	Largest string
}

// TooLarge says that a formula was not built.
type TooLarge struct {
	Size
	Limit int64
}

// Error is a sentence for people.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("the formula would have at least %d clauses (most of them for %s), more than the limit of %d",
		e.Clauses, e.Largest, e.Limit)
}
