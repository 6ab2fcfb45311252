package lagrange

import (
	"downbeat/model"
	"downbeat/model/proof"
)

// keptBox is what is kept of a box of ends from one run to the next: for other values it is split as it was, and not tried again where
// multipliers did not refute it.
type keptBox struct {
	// box is what refuted is an argument against for a value, and for all below; nil if there is none.
	box
	value   int64
	refuted *proof.Branching
	// cut is that of multipliers at which jobs pay for lateness, ends when they end near those; nil if none were tried.
	cut  *cut
	ends []meanEnd
	// open tells that these refuted it neither for the value failed nor for those above.
	open   bool
	failed int64
	// sides are those where a job ends by a time, and later; nil if it was not split.
	sides *[2]keptBox
	job   int
	at    model.Time
}

// refutes tells that a box is part of what is refuted for a value.
func (k *keptBox) refutes(value int64, b box) bool {
	return k.refuted != nil && value <= k.value && within(b.last, k.last) && within(k.from, b.from)
}

// recall narrows the box by the multipliers that were found before.
func (n *endsNode) recall() {
	c := n.of.cut
	n.start, n.ends = n.dues.listed(c.argument.Bound.Multipliers), n.of.ends
	n.missing = float64(c.slack(n.box, n.paid.allowed)) / float64(max(1, n.paid.allowed))
	if n.byCut(c) && n.rest == nil {
		n.tighten()
	}
}
