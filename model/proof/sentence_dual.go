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
	const cost = "what these jobs cannot do without costs more than everything there is to buy before their deadlines"
	n := b.Leaves()
	switch {
	case n > 1 && b.Proof() == model.SATProof:
		return []string{fmt.Sprintf("in each of %d cases of when stages end and where tasks run, either %s, or every way was ruled out by search", n, cost)}
	case n > 1:
		return []string{fmt.Sprintf("in each of %d cases of when stages end and where tasks run, %s", n, cost)}
	case b.Searched:
		return []string{"every way to place these jobs was ruled out by search"}
	}
	return []string{b.Bound.Sentence(js), cost}
}

// Sentence says how many prices there are, and on what most of all.
func (d *DualBound) Sentence(js *model.JobSet) string {
	goods := dearest(js, d)
	var words []string
	for _, g := range goods[:min(len(goods), mostNamed)] {
		words = append(words, fmt.Sprintf("%s of %s in [%d, %d)", g.noun(), js.Slaves[g.slave].Name, g.span.Start, g.span.End))
	}
	if len(words) == 0 {
		return "without any prices: some jobs are late even alone"
	}
	return fmt.Sprintf("with %d prices on cores, fetch lines and slots, the dearest being %s", len(d.Multipliers), strings.Join(words, ", "))
}

// mostNamed is the number of goods that a sentence names.
const mostNamed = 4

// good is a resource of a slave, from its first price to its last.
type good struct {
	slave    model.SlaveID
	resource model.ResourceID
	split    bool
	span     model.Interval
	worth    int64
}

func (g *good) noun() string {
	switch {
	case g.resource == model.FetchLine:
		return "the fetch line"
	case g.resource == model.MapSlots && !g.split:
		return "the slots"
	default:
		return "the " + g.resource.String() + "s"
	}
}

// dearest lists goods, those first of which all together is worth most.
func dearest(js *model.JobSet, d *DualBound) []good {
	var goods []good
	for _, m := range d.Multipliers {
		n := len(goods)
		if n == 0 || goods[n-1].slave != m.Slave || goods[n-1].resource != m.Resource {
			goods = append(goods, good{
				slave: m.Slave, resource: m.Resource, split: js.Slaves[m.Slave].SplitSlots, span: m.Interval,
			})
			n++
		}
		g := &goods[n-1]
		g.span.End = m.Interval.End
		g.worth += m.Value * int64(m.Interval.Len()) * units(js, m)
	}
	slices.SortStableFunc(goods, func(a, b good) int { return cmp.Compare(b.worth, a.worth) })
	return goods
}

// units is how many of the goods of a multiplier there are at a time.
func units(js *model.JobSet, m Multiplier) int64 {
	for _, supply := range js.Supplies(m.Slave) {
		if supply.Resource == m.Resource {
			return supply.Units
		}
	}
	return 0
}
