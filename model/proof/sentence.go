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

// Clock is how people read the times of a job set; clock.Of makes one.
type Clock interface {
	// Point writes a point in time.
	Point(model.Time) string
	// Stretch says when a stretch of time is, with its preposition.
	Stretch(model.Interval) string
	// Work writes so many ticks of a resource.
	Work(ticks int64, of string) string
}

// Sentence says an overload to people, by their clock and in the names of the file.
func (o *Overload) Sentence(js *model.JobSet, by Clock) string {
	jobs, singular := jobNames(js, o.Jobs)
	if o.Resource == CriticalPath {
		job := &js.Jobs[o.Jobs[0]]
		due := "it is to end by"
		if job.Kind != model.BestEffort && int64(job.Due()) == o.Have {
			due = "its deadline is"
		}
		return fmt.Sprintf("%s cannot finish before %s even alone on an empty cluster; %s %s", jobs, by.Point(model.Time(o.Need)), due, by.Point(model.Time(o.Have)))
	}
	verb := "need"
	if singular {
		verb = "needs"
	}
	of := strings.TrimSuffix(o.Resource.Name(js), "-ticks")
	need := by.Work(o.Need, of)
	_, unit, _ := strings.Cut(need, " ")
	have := strings.TrimSuffix(by.Work(o.Have, of), " "+unit)
	text := fmt.Sprintf("%s %s %s on %s %s; there are %s", jobs, verb, need, machineNames(js, o.Slaves), by.Stretch(o.Interval), have)
	if average := o.average(js); average != "" {
		text += " (" + average + ")"
	}
	return text
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

// machineNames is "all machines", or classes as "fast-*" where all of several
// members are meant, and names.
func machineNames(js *model.JobSet, ids []model.SlaveID) string {
	if len(ids) == len(js.Slaves) && len(ids) > 1 {
		return "all machines"
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

// Sentences says to people, by their clock, how multipliers refute due times, be it by branching.
func (b *Branching) Sentences(js *model.JobSet, by Clock) []string {
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
	return []string{b.Bound.Sentence(js, by), cost}
}

// Sentence says how many dual prices there are, and on what most of all.
func (d *DualBound) Sentence(js *model.JobSet, by Clock) string {
	rows := dearest(js, d)
	var words []string
	for _, g := range rows[:min(len(rows), mostNamed)] {
		words = append(words, fmt.Sprintf("%s of %s %s", g.noun(), js.Slaves[g.slave].Name, by.Stretch(g.span)))
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
