package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve/whatif"
)

// writeRepairs says what would help, and what would not.
func (n *refutation) writeRepairs(page table.Page, b *bytes.Buffer) {
	r := n.repairs
	switch {
	case len(r.Single) > 0:
		page.Title(b, "Any one of these makes the whole set feasible:")
	case len(r.Together) > 0:
		order := "cheapest first"
		if slices.ContainsFunc(r.Together, func(r whatif.Repair) bool { return !r.Settled() }) {
			order += ", last what is not settled"
		}
		page.Title(b, "No single change was found to help. Each of these does, all of it together ("+order+"):")
	default:
		page.Title(b, "What would help was not found.")
	}
	n.writeSingle(b)
	for i := range r.Together {
		fmt.Fprintln(b, " ", n.repairSentence(&r.Together[i]))
	}
	n.writeVain(page, b)
	n.writeTried(page, b)
}

// writeSingle says which changes help alone: of each kind a line each for the first ones, the others are counted.
func (n *refutation) writeSingle(b *bytes.Buffer) {
	var soft []string
	all, told := map[change.Kind]int{}, map[change.Kind]int{}
	for _, r := range n.repairs.Single {
		all[r.Changes[0].Kind]++
	}
	for i := range n.repairs.Single {
		c := n.repairs.Single[i].Changes[0]
		if c.Kind == change.Soften {
			soft = append(soft, n.jobName(c.Name))
			continue
		}
		switch told[c.Kind]++; {
		case told[c.Kind] <= wording.MostListed:
			fmt.Fprintln(b, " ", n.repairSentence(&n.repairs.Single[i]))
		case told[c.Kind] == wording.MostListed+1:
			fmt.Fprintf(b, "  and %d more such; --format json lists them\n", all[c.Kind]-wording.MostListed)
		}
	}
	if soft != nil {
		fmt.Fprintf(b, "  let the deadline of %s be soft\n", wording.Listed(wording.AtMost(soft, wording.MostListed), "or"))
	}
}

// repairSentence says what is to be changed.
func (n *refutation) repairSentence(r *whatif.Repair) string {
	var parts, enough []string
	steps := 0
	for k, c := range r.Changes {
		if c.Kind == change.Soften || c.Kind == change.Stay {
			parts = append(parts, n.changeSentence(c, n.amount(c, r.Changes), r.Changes))
			continue
		}
		steps++
		most, least := n.amount(c, r.Changes), n.amount(r.AtLeast[k], r.Changes)
		if r.Least[k] {
			if n.isPoint(c, r.Changes) {
				most = "at " + most
			}
			parts = append(parts, n.changeSentence(c, most, r.Changes))
			continue
		}
		between := []string{least, most}
		if c.Kind == change.Release || c.Kind == change.Fetch { // less of them is a larger number
			slices.Reverse(between)
		}
		parts = append(parts, n.changeSentence(c, "between "+between[0]+" and "+between[1], r.Changes))
		enough = append(enough, most)
	}
	text := wording.Listed(parts, "and")
	switch {
	case steps == 0:
		return text
	case enough == nil && !r.Settled():
		return text + " (whether all of it is needed is not settled)"
	case enough != nil:
		return text + fmt.Sprintf(" (%s will do, whether less does is not settled)", wording.Listed(enough, "and"))
	case len(parts) == 1:
		return text + " (the least that helps)"
	default:
		return text + " (less of any one does not help)"
	}
}

// amount is how much of a change there is, one of several, in the form that the file uses;
// "" of one that is made or not.
func (n *refutation) amount(c model.Change, of []model.Change) string {
	switch c.Kind {
	case change.Deadline:
		if job := n.job(c.Name); n.byDue(c, of) {
			return n.clock.Point(job.Release + c.At)
		}
		return n.clock.Span(c.At)
	case change.Release:
		return n.clock.Point(c.At)
	case change.Soften, change.Stay:
		return ""
	default:
		return strconv.FormatInt(c.N, 10)
	}
}

// isPoint reports whether the amount of a change, one of several, is a point in time.
func (n *refutation) isPoint(c model.Change, of []model.Change) bool {
	return c.Kind == change.Release || c.Kind == change.Deadline && n.byDue(c, of)
}

// byDue reports whether a later deadline, one of several changes, is told by when the job is
// due: where the file does, or the release is changed too. Of a recurring job it is so for all
// instances, unless clocks are changed between the two times for one of them.
func (n *refutation) byDue(c model.Change, of []model.Change) bool {
	if slices.ContainsFunc(of, func(o model.Change) bool { return o.Kind == change.Release && o.Name == c.Name }) {
		return true
	}
	offset := func(t model.Time) int {
		at, _ := n.clock.At(t)
		_, seconds := at.Zone()
		return seconds
	}
	jobs := n.jobs(c.Name)
	return jobs[0].ByDue && (len(jobs) == 1 || !slices.ContainsFunc(jobs, func(j *model.Job) bool {
		return offset(j.Due()) != offset(j.Release+c.At)
	}))
}

// changeSentence says a change, one of several, as something to do; amount is how much of it, "at" or
// "between" included where it is a point in time.
func (n *refutation) changeSentence(c model.Change, amount string, of []model.Change) string {
	switch c.Kind {
	case change.Deadline:
		job, name := n.job(c.Name), n.jobName(c.Name)
		if !n.byDue(c, of) {
			return fmt.Sprintf("give %s a deadline of %s after its release instead of %s", name, amount, n.clock.Span(job.Deadline))
		}
		if job.Name != c.Name {
			return fmt.Sprintf("let %s be due first %s instead of %s", name, amount, n.clock.Point(job.Due()))
		}
		return fmt.Sprintf("let %s be due %s instead of %s", name, amount, n.clock.Point(job.Due()))
	case change.Release:
		job := n.job(c.Name)
		text := fmt.Sprintf("release %s %s instead of %s", table.Printable(c.Name), amount, n.clock.Point(job.Release))
		if job.Kind != model.BestEffort && !slices.ContainsFunc(of, func(o model.Change) bool { return o.Kind == change.Deadline && o.Name == c.Name }) {
			text += ", due as before"
		}
		return text
	case change.Soften:
		return fmt.Sprintf("let the deadline of %s be soft", n.jobName(c.Name))
	case change.Fetch:
		return fmt.Sprintf("let the input of %s take %s %% of its time to fetch", n.jobName(c.Name), amount)
	case change.Count:
		return fmt.Sprintf("have %s machines of class %s instead of %d", amount, table.Printable(c.Name), n.members(c.Name))
	case change.Pool:
		return fmt.Sprintf("have %s of pool %s instead of %s", amount, table.Printable(c.Name), n.poolAmount(c.Name))
	case change.Stay:
		return fmt.Sprintf("have %s stay at %s", table.Printable(c.Name), n.clock.Point(c.At))
	case change.Units:
		return fmt.Sprintf("have %s more %s on %s", amount, table.Printable(c.Resource), n.place(c.Name))
	case change.Cores:
		return fmt.Sprintf("have %s on %s", more(amount, "core"), n.place(c.Name))
	case change.Slots:
		return fmt.Sprintf("have %s on %s", more(amount, "slot"), n.place(c.Name))
	default:
		return table.Printable(change.Sentence(n.js, c))
	}
}

// place is a slave, or each one of a class.
func (n *refutation) place(name string) string {
	if slices.ContainsFunc(n.js.Slaves, func(s model.Slave) bool { return s.Name == name }) {
		return table.Printable(name)
	}
	return "each machine of class " + table.Printable(name)
}

// more is "1 more core", "2 more cores".
func more(amount, noun string) string {
	if amount != "1" {
		noun += "s"
	}
	return amount + " more " + noun
}

// jobs are the job of that name, or the instances of the recurring one.
func (n *refutation) jobs(name string) []*model.Job {
	var out []*model.Job
	for i := range n.js.Jobs {
		switch job := &n.js.Jobs[i]; name {
		case job.Name:
			return []*model.Job{job}
		case job.Series:
			out = append(out, job)
		}
	}
	return out
}

// job is the first of those.
func (n *refutation) job(name string) *model.Job { return n.jobs(name)[0] }

// jobName is a job for people, who are told of a recurring one that it is such.
func (n *refutation) jobName(name string) string {
	if jobs := n.jobs(name); jobs[0].Name != name {
		name = wording.AllInstances(name, len(jobs))
	}
	return table.Printable(name)
}

func (n *refutation) members(class string) int {
	members := 0
	for i := range n.js.Slaves {
		if n.js.Slaves[i].Class == class {
			members++
		}
	}
	return members
}

// poolAmount is how much of a pool there is: 4, or 2 to 8 where that differs over time.
func (n *refutation) poolAmount(name string) string {
	least, most := n.poolRange(name)
	if least < most {
		return fmt.Sprintf("%d to %d", least, most)
	}
	return strconv.FormatInt(most, 10)
}

// poolRange is the least and the most that there is of a pool at any time.
func (n *refutation) poolRange(name string) (least, most int64) {
	at := slices.IndexFunc(n.js.Pools, func(p model.Pool) bool { return p.Name == name })
	levels := n.js.Pools[at].Levels
	byAmount := func(a, b model.Level) int { return cmp.Compare(a.Amount, b.Amount) }
	return slices.MinFunc(levels, byAmount).Amount, slices.MaxFunc(levels, byAmount).Amount
}

// writeVain says what was tried in vain, and what of it is not settled.
func (n *refutation) writeVain(page table.Page, b *bytes.Buffer) {
	r := n.repairs
	if len(r.Vain) > 0 {
		var changes []model.Change
		for _, vain := range r.Vain {
			changes = append(changes, vain.Change)
		}
		page.Title(b, "Tried alone, and proved not to help:")
		n.writeKinds(b, changes, func(k int) bool { return r.Vain[k].All })
	}
	if clashes := n.analysis; clashes != nil && len(r.Jobs)+len(r.Series) == 0 {
		fmt.Fprintln(b, "\nNo change to a single job can help: none is in all of the clashes above.")
	}
	if len(r.Open) > 0 {
		page.Title(b, "Not settled within "+n.effort()+":")
		n.writeKinds(b, r.Open, func(int) bool { return true })
	}
}

// effort is what ended the search for repairs before all was settled: the limit of the solve, or
// that repairs are given some seconds of work.
func (n *refutation) effort() string {
	if n.repairs.Limited {
		return "the limit"
	}
	return "the few seconds of work that remedies are given"
}

// writeKinds lists what was tried, a line for each kind; all tells that any amount was.
func (n *refutation) writeKinds(b *bytes.Buffer, changes []model.Change, all func(k int) bool) {
	var kinds []string
	of := map[string][]string{}
	for k, c := range changes {
		kind, name := n.tried(c, all(k))
		if of[kind] == nil {
			kinds = append(kinds, kind)
		}
		of[kind] = append(of[kind], name)
	}
	for _, kind := range kinds {
		fmt.Fprintf(b, "  %s %s\n", kind, table.Printable(wording.Listed(wording.AtMost(of[kind], wording.MostListed), "or")))
	}
}

// tried is the kind of a change, in any amount or up to its own, and of what it is one.
func (n *refutation) tried(c model.Change, all bool) (kind, name string) {
	upTo := func(what string, most int64) string {
		if all {
			return "more " + what
		}
		return fmt.Sprintf("up to %d more %s", most, what)
	}
	switch c.Kind {
	case change.Deadline:
		return "a later deadline of", c.Name
	case change.Release:
		return "an earlier release of", c.Name
	case change.Soften:
		return "a soft deadline of", c.Name
	case change.Fetch:
		return "less to fetch for", c.Name
	case change.Count:
		return upTo("machines of class", c.N-int64(n.members(c.Name))), c.Name
	case change.Pool:
		return "more of pool", c.Name
	case change.Stay:
		return "an absence less:", fmt.Sprintf("that of %s at %s", c.Name, n.clock.Point(c.At))
	case change.Units:
		return upTo(table.Printable(c.Resource)+" on", c.N), n.place(c.Name)
	default:
		return upTo(string(c.Kind)+" on", c.N), n.place(c.Name)
	}
}

// writeTried says what came of several changes together.
func (n *refutation) writeTried(page table.Page, b *bytes.Buffer) {
	for i := range n.repairs.Tried {
		if i == 0 {
			page.Title(b, "Tried together:")
		}
		fmt.Fprintln(b, " ", n.triedSentence(&n.repairs.Tried[i]))
	}
}

// triedSentence says what came of choices of so many changes.
func (n *refutation) triedSentence(t *whatif.Together) string {
	text := fmt.Sprintf("%d of %s at a time: ", t.Changes, wording.Count(len(t.Of), "change"))
	if t.Vain == t.Choices {
		return text + fmt.Sprintf("all %d choices were proved not to help", t.Choices)
	}
	parts := []string{fmt.Sprintf("of %s %d were found to help", wording.Count(t.Choices, "choice"), t.Helped)}
	for _, p := range []struct {
		n    int
		what string
	}{
		{t.Vain, "were proved not to"}, {t.Dearer, "would cost more than those above"},
		{t.Choices - t.Helped - t.Vain - t.Dearer, "are not settled within " + n.effort()},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return text + strings.Join(parts, ", ")
}
