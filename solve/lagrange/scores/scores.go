// Package scores has branching scores of splits.
package scores

import (
	"cmp"

	"downbeat/model"
	"downbeat/model/proof"
)

// Choice is the best of splits; Some tells that there was one.
type Choice struct {
	Split proof.Split
	Score Score
	Some  bool
}

// Weigh keeps the split with the best score.
func (c *Choice) Weigh(split proof.Split, sc Score) {
	if !c.Some || sc.Above(c.Score) {
		*c = Choice{split, sc, true}
	}
}

// Score is the branching score: the lesser and the greater gain of its sides, and
// the width of the window, in ticks, or in slaves.
type Score struct {
	Least, Most float64
	Width       model.Time
	// Rising tells that there is no less gain in the side where it fails.
	Rising bool
}

// Above reports whether a split is better than another.
func (a Score) Above(b Score) bool {
	return cmp.Or(cmp.Compare(a.Least, b.Least), cmp.Compare(a.Most, b.Most), cmp.Compare(a.Width, b.Width)) > 0
}
