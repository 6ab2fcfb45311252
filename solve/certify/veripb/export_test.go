package veripb

import (
	"maps"
	"slices"
)

// Ask has an outline say the refutation as that of another question.
func (o *Outline) Ask(change func(*Question)) {
	q := *o.question
	q.Jobs, q.Limits = slices.Clone(q.Jobs), maps.Clone(q.Limits)
	change(&q)
	o.question = &q
}
