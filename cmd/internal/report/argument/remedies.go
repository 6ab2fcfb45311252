package argument

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve/remedy"
)

// writeRemedies says what would help, and what would not.
func (n *No) writeRemedies(page table.Page, b *bytes.Buffer) {
	r := n.remedies
	switch {
	case len(r.Single) > 0:
		page.Title(b, "Any one of these makes the whole set feasible:")
	case len(r.Together) > 0:
		page.Title(b, "No single change was found to help. Each of these does, all of it together (cheapest first):")
	default:
		page.Title(b, "What would help was not found.")
	}
	var soft []string
	for i := range r.Single {
		if c := r.Single[i].Changes[0]; c.Kind == change.Soften {
			soft = append(soft, c.Name)
		} else {
			fmt.Fprintln(b, " ", n.remedySentence(&r.Single[i]))
		}
	}
	if soft != nil {
		fmt.Fprintf(b, "  let the deadline of %s be soft\n", table.Printable(wording.Listed(soft, "or")))
	}
	for i := range r.Together {
		fmt.Fprintln(b, " ", n.remedySentence(&r.Together[i]))
	}
	n.writeVain(page, b)
	n.writeTried(page, b)
}

// remedySentence says what is to be changed.
func (n *No) remedySentence(r *remedy.Remedy) string {
	var parts []string
	steps, least := 0, 0
	for k, c := range r.Changes {
		parts = append(parts, n.changeSentence(c, r.Changes))
		if c.Kind != change.Soften && c.Kind != change.Stay {
			steps++
			if r.Least[k] {
				least++
			}
		}
	}
	text := wording.Listed(parts, "and")
	switch {
	case steps == 0:
		return text
	case least == steps && len(parts) == 1:
		return text + " (the least that helps)"
	case least == steps:
		return text + " (less of any one does not help)"
	default:
		return text + " (less may do)"
	}
}

// changeSentence says a change, one of several, as something to do.
func (n *No) changeSentence(c model.Change, of []model.Change) string {
	name := table.Printable(c.Name)
	switch c.Kind {
	case change.Deadline:
		job := n.job(c.Name)
		if slices.ContainsFunc(of, func(o model.Change) bool { return o.Kind == change.Release && o.Name == c.Name }) {
			return fmt.Sprintf("let %s be due at %s instead of %s", name, n.clock.Point(job.Release+c.At), n.clock.Point(job.Due()))
		}
		was := job.Deadline
		return fmt.Sprintf("give %s a deadline of %s after its release instead of %s", name, n.clock.Span(c.At), n.clock.Span(was))
	case change.Release:
		text := fmt.Sprintf("release %s at %s instead of %s", name, n.clock.Point(c.At), n.clock.Point(n.job(c.Name).Release))
		if !slices.ContainsFunc(of, func(o model.Change) bool { return o.Kind == change.Deadline && o.Name == c.Name }) {
			text += ", due as before"
		}
		return text
	case change.Soften:
		return fmt.Sprintf("let the deadline of %s be soft", name)
	case change.Fetch:
		return fmt.Sprintf("let the input of %s take %d %% of its time to fetch", name, c.N)
	case change.Count:
		return fmt.Sprintf("have %d machines of class %s instead of %d", c.N, name, n.members(c.Name))
	case change.Stay:
		return fmt.Sprintf("have %s stay at %s", name, n.clock.Point(c.At))
	case change.Units:
		return fmt.Sprintf("have %d more %s on %s", c.N, table.Printable(c.Resource), n.place(c.Name))
	case change.Cores:
		return fmt.Sprintf("have %s on %s", more(c.N, "core"), n.place(c.Name))
	case change.Slots:
		return fmt.Sprintf("have %s on %s", more(c.N, "slot"), n.place(c.Name))
	default:
		return table.Printable(change.Sentence(n.js, c))
	}
}

// place is a slave, or each one of a class.
func (n *No) place(name string) string {
	if slices.ContainsFunc(n.js.Slaves, func(s model.Slave) bool { return s.Name == name }) {
		return table.Printable(name)
	}
	return "each machine of class " + table.Printable(name)
}

// more is "1 more core", "2 more cores".
func more(n int64, noun string) string { return wording.Count(int(n), "more "+noun) }

func (n *No) job(name string) *model.Job {
	return &n.js.Jobs[slices.IndexFunc(n.js.Jobs, func(j model.Job) bool { return j.Name == name })]
}

func (n *No) members(class string) int {
	members := 0
	for i := range n.js.Slaves {
		if n.js.Slaves[i].Class == class {
			members++
		}
	}
	return members
}

// writeVain says what was tried in vain, and what of it is not settled.
func (n *No) writeVain(page table.Page, b *bytes.Buffer) {
	r := n.remedies
	if len(r.Vain) > 0 {
		var changes []model.Change
		for _, vain := range r.Vain {
			changes = append(changes, vain.Change)
		}
		page.Title(b, "Tried alone, and proved not to help:")
		n.writeKinds(b, changes, func(k int) bool { return r.Vain[k].All })
	}
	if clashes := n.analysis; clashes != nil && len(r.Jobs) == 0 {
		fmt.Fprintln(b, "\nNo change to a single job can help: none is in all of the clashes above.")
	}
	if len(r.Open) > 0 {
		page.Title(b, "Not settled within the limit:")
		n.writeKinds(b, r.Open, func(int) bool { return true })
	}
}

// writeKinds lists what was tried, a line for each kind; all tells that any amount was.
func (n *No) writeKinds(b *bytes.Buffer, changes []model.Change, all func(k int) bool) {
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
		fmt.Fprintf(b, "  %s %s\n", kind, table.Printable(wording.Listed(of[kind], "or")))
	}
}

// tried is the kind of a change, in any amount or up to its own, and of what it is one.
func (n *No) tried(c model.Change, all bool) (kind, name string) {
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
	case change.Stay:
		return "an absence less:", fmt.Sprintf("that of %s at %s", c.Name, n.clock.Point(c.At))
	case change.Units:
		return upTo(table.Printable(c.Resource)+" on", c.N), n.place(c.Name)
	default:
		return upTo(string(c.Kind)+" on", c.N), n.place(c.Name)
	}
}

// writeTried says what came of several changes together.
func (n *No) writeTried(page table.Page, b *bytes.Buffer) {
	for i := range n.remedies.Tried {
		if i == 0 {
			page.Title(b, "Tried together:")
		}
		fmt.Fprintln(b, " ", triedSentence(&n.remedies.Tried[i]))
	}
}

// triedSentence says what came of choices of so many changes.
func triedSentence(t *remedy.Together) string {
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
		{t.Choices - t.Helped - t.Vain - t.Dearer, "are not settled within the limit"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	return text + strings.Join(parts, ", ")
}
