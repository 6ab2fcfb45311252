package lagrange

import (
	"slices"

	"downbeat/model"
	"downbeat/model/proof"
)

// raised are due times up to which an argument against some holds as well, each as late as steps that double from
// one tick on come to, and the argument as it is then: its splits are the same, multipliers at its leaves may not
// be. It is the argument and the due times that were given where nothing can be raised; once halted tells so it is what
// they have come to.
func (d *dueTimes) raised(c *proof.Branching, due []model.Time, halted func() bool) (*proof.Branching, []model.Time) {
	raised := slices.Clone(due)
	stuck := make([]bool, len(due))
	for step := model.Time(1); slices.Contains(stuck, false); step *= 2 {
		for j := range raised {
			if stuck[j] {
				continue
			}
			if halted() {
				return c, raised
			}
			was := raised[j]
			raised[j] = min(was+step, d.last(j))
			var further *proof.Branching
			if raised[j] > was {
				further = d.upTo(c, raised)
			}
			if further == nil {
				raised[j], stuck[j] = was, true
				continue
			}
			c = further
		}
	}
	return c, raised
}

// upTo is an argument against due times with the splits of another one, nil if it finds none.
func (d *dueTimes) upTo(c *proof.Branching, due []model.Time) *proof.Branching {
	defer d.narrow(due)()
	return d.rest(c)
}

// rest is that against what the domains leave.
func (d *dueTimes) rest(c *proof.Branching) *proof.Branching {
	switch {
	case c.Searched:
		return nil
	case c.Holds == nil && c.Fails == nil:
		return d.atLeaf(c)
	}
	holds := d.ofSide(&c.Split, true, c.Holds)
	if holds == nil {
		return nil
	}
	fails := d.ofSide(&c.Split, false, c.Fails)
	switch {
	case fails == nil:
		return nil
	case holds == c.Holds && fails == c.Fails:
		return c
	}
	return &proof.Branching{Split: c.Split, Holds: holds, Fails: fails}
}

// ofSide is that against one side of a split.
func (d *dueTimes) ofSide(split *proof.Split, holds bool, c *proof.Branching) *proof.Branching {
	defer d.p.undo(d.p.mark())
	if !d.p.narrow(split, holds) {
		return c // without placements any multipliers will do
	}
	return d.rest(c)
}

// stepsOfLeaf are those for multipliers of a leaf that no longer refute it. Of weighted tardiness of 40 tasks leaves of
// ends were settled in 0.58 of the steps with 120 (wt-40-4 ≤ 212, wt-40-1 ≤ 190), in 0.70 with 60, in 0.72 with 20.
const stepsOfLeaf = 120

// atLeaf is that of a leaf: its multipliers, or others near them.
func (d *dueTimes) atLeaf(c *proof.Branching) *proof.Branching {
	d.p.unlist(c.Bound.Multipliers)
	d.p.spent += 1 + d.size()
	d.p.steps++
	d.p.base = c.Bound.Base
	value := d.p.Value()
	d.p.base = nil
	switch {
	case value > 0 && c.Bound.Base == nil && d.p.tables != nil: // found without lanes, and refutes in lanes
		return &proof.Branching{Bound: d.p.dualBound(slices.Clone(d.p.Multipliers))}
	case value > 0:
		return c
	}
	if len(c.Bound.Multipliers) == 0 {
		return nil // a task had no placement left, and has one now
	}
	best, value := d.p.ascend(slices.Clone(d.p.Multipliers), stepsOfLeaf, warmFactor, 0, 1)
	if value <= 0 {
		return nil
	}
	return &proof.Branching{Bound: d.p.dualBound(best)}
}
