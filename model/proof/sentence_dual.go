package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// Sentences says to people how multipliers refute due times, be it by branching.
func (b *Branching) Sentences(js *model.JobSet) []string {
	const cost = "at these prices the least that the jobs cost is more than all capacity before their deadlines is worth"
	n := b.Leaves()
	switch {
	case n > 1 && b.Proof() == model.LCGProof:
		return []string{fmt.Sprintf("in each of %d leaves of a branching on when stages end and where tasks run, dual prices refute it, or every way was ruled out by search", n)}
	case n > 1:
		return []string{fmt.Sprintf("in each of %d leaves of a branching on when stages end and where tasks run, dual prices refute it", n)}
	case b.Searched:
		return []string{"every way to place these jobs was ruled out by search"}
	}
	return []string{b.Bound.Sentence(js), cost}
}

// Sentence says how many dual prices there are, and on what most of all.
func (d *DualBound) Sentence(js *model.JobSet) string {
	rows := dearest(js, d)
	var words []string
	for _, g := range rows[:min(len(rows), mostNamed)] {
		words = append(words, fmt.Sprintf("%s of %s in [%d, %d)", g.noun(), js.Slaves[g.slave].Name, g.span.Start, g.span.End))
	}
	if len(words) == 0 {
		return "without any dual prices: some jobs are late even alone"
	}
	return fmt.Sprintf("with %d dual prices on cores, fetch lines and slots, the dearest being %s", len(d.Multipliers), strings.Join(words, ", "))
}

// mostNamed is the number of rows that a sentence names.
const mostNamed = 4

// row is a resource of a slave, from its first multiplier to its last.
type row struct {
	slave    model.SlaveID
	resource model.ResourceID
	split    bool
	span     model.Interval
	worth    int64
}

func (g *row) noun() string {
	switch {
	case g.resource == model.FetchLine:
		return "the fetch line"
	case g.resource == model.MapSlots && !g.split:
		return "the slots"
	default:
		return "the " + g.resource.String() + "s"
	}
}

// dearest lists rows, those first of which all together is worth most.
func dearest(js *model.JobSet, d *DualBound) []row {
	var rows []row
	for _, m := range d.Multipliers {
		n := len(rows)
		if n == 0 || rows[n-1].slave != m.Slave || rows[n-1].resource != m.Resource {
			rows = append(rows, row{
				slave: m.Slave, resource: m.Resource, split: js.Slaves[m.Slave].SplitSlots, span: m.Interval,
			})
			n++
		}
		g := &rows[n-1]
		g.span.End = m.Interval.End
		g.worth += m.Value * int64(m.Interval.Len()) * units(js, m)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.worth, a.worth) })
	return rows
}

// units is how many of the rows of a multiplier there are at a time.
func units(js *model.JobSet, m Multiplier) int64 {
	for _, supply := range js.Supplies(m.Slave) {
		if supply.Resource == m.Resource {
			return supply.Units
		}
	}
	return 0
}
