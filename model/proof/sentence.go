package proof

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/model"
)

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
	if o.Resource == SharedTicks {
		return o.sharedSentence(js, by, jobs+" "+verb)
	}
	if o.Resource == WeightTicks {
		return fmt.Sprintf("with weights of %d tasks, what %s can run at once %s weighs less, tick by tick, than all that %s %s to run",
			len(o.Weights), js.MachineNames(o.Slaves), by.Stretch(o.Interval), jobs, verbHave(singular))
	}
	of := strings.TrimSuffix(o.Resource.Name(js), "-ticks")
	need, have := o.sums(by, of)
	text := fmt.Sprintf("%s %s %s on %s %s; there are %s", jobs, verb, need, js.MachineNames(o.Slaves), by.Stretch(o.Interval), have)
	if average := o.average(js); average != "" {
		text += " (" + average + ")"
	}
	if o.Idle > 0 {
		text += ", of which " + by.Work(o.Idle, of) + " are idle until the first inputs are there"
	}
	return text
}

// verbHave is "have" of several.
func verbHave(singular bool) string {
	if singular {
		return "has"
	}
	return "have"
}

// sums are what is needed and what there is, with their unit at the former.
func (o *Overload) sums(by Clock, of string) (need, have string) {
	need = by.Work(o.Need, of)
	_, unit, _ := strings.Cut(need, " ")
	return need, strings.TrimSuffix(by.Work(o.Have, of), " "+unit)
}

// sharedSentence is that of a pool or a cap: what is short comes first.
func (o *Overload) sharedSentence(js *model.JobSet, by Clock, jobsNeed string) string {
	sh, of := &js.Shared()[o.Shared], "task"
	if sh.Pool >= 0 {
		of = js.Pools[sh.Pool].Name
	}
	need, have := o.sums(by, of)
	short := "too little"
	if wanted, there := o.atATime(o.Need), o.atATime(o.Have); wanted != there {
		short = fmt.Sprintf("%s wanted, %s there on average,", wanted, there)
	}
	return fmt.Sprintf("%s: %s %s (%s %s, and there are %s)", js.SharedName(o.Shared), short, by.Stretch(o.Interval), jobsNeed, need, have)
}

// atATime is so much per tick of the interval, rounded as people read it.
func (o *Overload) atATime(ticks int64) string {
	return strings.TrimSuffix(strconv.FormatFloat(float64(ticks)/float64(o.Interval.Len()), 'f', 1, 64), ".0")
}

// average says of a resource that the job set names how much is needed at a time, in
// which people know it better than in ticks; "" where this, rounded, would tell nothing.
func (o *Overload) average(js *model.JobSet) string {
	if o.Resource < Ticks(model.FirstNamed) || o.Interval.Len() == 0 {
		return ""
	}
	need, have := o.atATime(o.Need), o.atATime(o.Have)
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
	return "jobs " + model.Names(names), false
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
		words = append(words, g.noun(js)+" "+by.Stretch(g.span))
	}
	if len(words) == 0 {
		return "without any dual prices: some jobs are late even alone"
	}
	priced := append([]string{"cores", "fetch lines", "slots"}, js.Named...)
	for i := range js.Shared() {
		if js.Shared()[i].Pool < 0 {
			priced = append(priced, "caps")
			break
		}
		priced = append(priced, js.SharedName(model.SharedID(i)))
	}
	last := len(priced) - 1
	return fmt.Sprintf("with %d dual prices on %s and %s, the dearest being %s", len(d.Multipliers),
		strings.Join(priced[:last], ", "), priced[last], strings.Join(words, ", "))
}

// mostNamed is the number of rows that a sentence names.
const mostNamed = 4

// row is a resource of a slave, or a limit that all share, from its first multiplier to its last.
type row struct {
	Multiplier // the first
	span       model.Interval
	worth      int64
}

func (g *row) noun(js *model.JobSet) string {
	if g.Slave == model.NoSlave {
		return js.SharedName(g.Shared)
	}
	slave, name := &js.Slaves[g.Slave], js.ResourceName(g.Resource)
	switch {
	case g.Resource == model.FetchLine:
		name = "fetch line"
	case g.Resource == model.MapSlots && !slave.SplitSlots:
		name = "slots"
	case g.Resource < model.FirstNamed:
		name += "s"
	}
	return fmt.Sprintf("the %s of %s", name, slave.Name)
}

// dearest lists rows, those first of which all together is worth most.
func dearest(js *model.JobSet, d *DualBound) []row {
	var rows []row
	for _, m := range d.Multipliers {
		n := len(rows)
		if n == 0 || rows[n-1].Slave != m.Slave || rows[n-1].Resource != m.Resource || rows[n-1].Shared != m.Shared {
			rows = append(rows, row{Multiplier: m, span: m.Interval})
			n++
		}
		g := &rows[n-1]
		g.span.End = m.Interval.End
		g.worth += m.Value * unitTicks(js, m)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.worth, a.worth) })
	return rows
}

// unitTicks is how much there is of what has a price: units times the ticks of the interval.
func unitTicks(js *model.JobSet, m Multiplier) int64 {
	if m.Slave == model.NoSlave {
		return js.Shared()[m.Shared].Ticks(m.Interval)
	}
	for _, supply := range js.Supplies(m.Slave) {
		if supply.Resource == m.Resource {
			return supply.Units * int64(m.Interval.Len())
		}
	}
	return 0
}
