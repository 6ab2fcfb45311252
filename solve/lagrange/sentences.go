package lagrange

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/model"
)

// Sentences says to people how prices refute due times, be it by cases.
func Sentences(js *model.JobSet, c *model.Cases) []string {
	const cost = "what these jobs cannot do without costs more than everything there is to buy before their deadlines"
	n := Ends(c)
	switch {
	case n > 1 && c.Proof() == model.SATProof:
		return []string{fmt.Sprintf("in each of %d cases of when stages end and where tasks run, either %s, or every way was ruled out by search", n, cost)}
	case n > 1:
		return []string{fmt.Sprintf("in each of %d cases of when stages end and where tasks run, %s", n, cost)}
	case c.Searched:
		return []string{"every way to place these jobs was ruled out by search"}
	}
	return []string{Dearest(js, c.Tariff), cost}
}

// Dearest says how many prices there are, and on what most of all.
func Dearest(js *model.JobSet, tf *model.Tariff) string {
	goods := dearest(js, tf)
	var words []string
	for _, g := range goods[:min(len(goods), mostNamed)] {
		words = append(words, fmt.Sprintf("%s of %s in [%d, %d)", g.noun(), js.Slaves[g.slave].Name, g.span.Start, g.span.End))
	}
	if len(words) == 0 {
		return "without any prices: some jobs are late even alone"
	}
	return fmt.Sprintf("with %d prices on cores, fetch lines and slots, the dearest being %s", len(tf.Tolls), strings.Join(words, ", "))
}

// mostNamed is the number of goods that a sentence names.
const mostNamed = 4

// good is a resource of a slave, from its first price to its last.
type good struct {
	slave    model.SlaveID
	resource model.Resource
	split    bool
	span     model.Interval
	worth    int64
}

func (g *good) noun() string {
	switch {
	case g.resource == model.CoreTicks:
		return "the cores"
	case g.resource == model.FetchTicks:
		return "the fetch line"
	case !g.split:
		return "the slots"
	case g.resource == model.MapSlotTicks:
		return "the map slots"
	default:
		return "the reduce slots"
	}
}

// dearest lists goods, those first of which all together is worth most.
func dearest(js *model.JobSet, tf *model.Tariff) []good {
	var goods []good
	for _, toll := range tf.Tolls {
		n := len(goods)
		if n == 0 || goods[n-1].slave != toll.Slave || goods[n-1].resource != toll.Resource {
			goods = append(goods, good{
				slave: toll.Slave, resource: toll.Resource, split: js.Slaves[toll.Slave].SplitSlots, span: toll.Interval,
			})
			n++
		}
		g := &goods[n-1]
		g.span.End = toll.Interval.End
		g.worth += toll.Price * int64(toll.Interval.Len()) * units(js, toll)
	}
	slices.SortStableFunc(goods, func(a, b good) int { return cmp.Compare(b.worth, a.worth) })
	return goods
}

// units is how many of the goods of a toll there are at a time.
func units(js *model.JobSet, toll model.Toll) int64 {
	slave := &js.Slaves[toll.Slave]
	switch toll.Resource {
	case model.CoreTicks:
		return int64(slave.Cores)
	case model.FetchTicks:
		return 1
	case model.ReduceSlotTicks:
		return int64(slave.PoolSize(1))
	default:
		return int64(slave.PoolSize(0))
	}
}
