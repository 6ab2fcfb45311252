package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

// maxNames is how many names a sentence lists before it counts the rest.
const maxNames = 3

// Sentence says an overload to people, in ticks and in the names of the file. Where they
// have a clock, point writes points in time by it, and these are said too; else it is
// nil.
func (o *Overload) Sentence(js *model.JobSet, point func(model.Time) string) string {
	text := o.inTicks(js)
	var more []string
	switch {
	case point == nil:
	case o.Resource == CriticalPath:
		more = append(more, fmt.Sprintf("%s, %s", point(model.Time(o.Need)), point(model.Time(o.Have))))
	default:
		more = append(more, fmt.Sprintf("%s to %s", point(o.Interval.Start), point(o.Interval.End)))
	}
	if average := o.average(js); average != "" {
		more = append(more, average)
	}
	if len(more) == 0 {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(more, "; "))
}

// average says of a resource that the job set names how much is needed at a time, in
// which people know it better than in ticks; "" where this, rounded, would tell nothing.
func (o *Overload) average(js *model.JobSet) string {
	if o.Resource < Ticks(model.FirstNamed) || o.Interval.Len() == 0 {
		return ""
	}
	atATime := func(ticks int64) string {
		return strings.TrimSuffix(strconv.FormatFloat(float64(ticks)/float64(o.Interval.Len()), 'f', 1, 64), ".0")
	}
	need, have := atATime(o.Need), atATime(o.Have)
	if need == have {
		return ""
	}
	return fmt.Sprintf("on average %s %s of %s", need, js.ResourceName(model.ResourceID(o.Resource-tabled)), have)
}

func (o *Overload) inTicks(js *model.JobSet) string {
	jobs, singular := jobNames(js, o.Jobs)
	if o.Resource == CriticalPath {
		job := &js.Jobs[o.Jobs[0]]
		due := "it is to end by"
		if job.Kind != model.BestEffort && int64(job.Due()) == o.Have {
			due = "its deadline is"
		}
		return fmt.Sprintf("%s cannot finish before %d even alone on an empty cluster; %s %d", jobs, o.Need, due, o.Have)
	}
	verb := "need"
	if singular {
		verb = "needs"
	}
	return fmt.Sprintf("%s %s %d %s on %s in [%d, %d); there are %d",
		jobs, verb, o.Need, o.Resource.Name(js), slaveNames(js, o.Slaves), o.Interval.Start, o.Interval.End, o.Have)
}

// jobNames is "job a" or "jobs a, b, c and 5 more".
func jobNames(js *model.JobSet, ids []model.JobID) (phrase string, singular bool) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = js.Jobs[id].Name
	}
	if len(ids) == 1 {
		return "job " + names[0], true
	}
	return "jobs " + Names(names), false
}

// slaveNames is "all slaves", or classes as "fast-*" where all of several
// members are meant, and names.
func slaveNames(js *model.JobSet, ids []model.SlaveID) string {
	if len(ids) == len(js.Slaves) && len(ids) > 1 {
		return "all slaves"
	}
	size, meant := map[string]int{}, map[string]int{}
	for i := range js.Slaves {
		size[js.Slaves[i].Class]++
	}
	for _, id := range ids {
		meant[js.Slaves[id].Class]++
	}
	var names []string
	said := map[string]bool{}
	for _, id := range ids {
		s := &js.Slaves[id]
		switch {
		case meant[s.Class] < size[s.Class] || size[s.Class] == 1:
			names = append(names, s.Name)
		case !said[s.Class]:
			said[s.Class] = true
			names = append(names, s.Class+"-*")
		}
	}
	return Names(names)
}

// Names is "a", "a and b", "a, b and c", or "a, b, c and 5 more".
func Names(names []string) string {
	n := len(names)
	switch {
	case n == 0:
		return "nothing"
	case n == 1:
		return names[0]
	case n > maxNames+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

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
	priced := append([]string{"cores", "fetch lines", "slots"}, js.Named...)
	last := len(priced) - 1
	return fmt.Sprintf("with %d dual prices on %s and %s, the dearest being %s", len(d.Multipliers),
		strings.Join(priced[:last], ", "), priced[last], strings.Join(words, ", "))
}

// mostNamed is the number of rows that a sentence names.
const mostNamed = 4

// row is a resource of a slave, from its first multiplier to its last.
type row struct {
	slave    model.SlaveID
	resource model.ResourceID
	name     string
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
	case g.resource >= model.FirstNamed:
		return "the " + g.name
	default:
		return "the " + g.name + "s"
	}
}

// dearest lists rows, those first of which all together is worth most.
func dearest(js *model.JobSet, d *DualBound) []row {
	var rows []row
	for _, m := range d.Multipliers {
		n := len(rows)
		if n == 0 || rows[n-1].slave != m.Slave || rows[n-1].resource != m.Resource {
			rows = append(rows, row{
				slave: m.Slave, resource: m.Resource, name: js.ResourceName(m.Resource), split: js.Slaves[m.Slave].SplitSlots, span: m.Interval,
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
