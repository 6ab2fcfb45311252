package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/conflict"
)

// refutation says why there is no plan, and what would help.
type refutation struct {
	js    *model.JobSet
	clock wording.Clock
	// first is the clash found first; the others stand in analysis, which may be nil, as
	// may repairs.
	first    *solve.Conflict
	analysis *solve.Analysis
	repairs  *solve.Repairs
}

// newRefutation is for a clash of js; analysis and repairs may be nil.
func newRefutation(js *model.JobSet, first *solve.Conflict, a *solve.Analysis, r *solve.Repairs) *refutation {
	return &refutation{js: js, clock: wording.ClockOf(js), first: first, analysis: a, repairs: r}
}

// mostClashes is how many clashes are told at length.
const mostClashes = 6

// write tells all of it to people.
func (n *refutation) write(page table.Page, b *bytes.Buffer) {
	clashes := []*solve.Conflict{n.first}
	if n.analysis != nil {
		clashes = slices.DeleteFunc(slices.Clone(n.analysis.Conflicts), n.toldAlone)
		n.writeAlone(page, b)
	}
	told := n.writeClashes(page, b, clashes)
	if more := len(clashes) - told; more > 0 {
		fmt.Fprintf(b, "\n%d more of such clashes are in the answer for programs (--format json).\n", more)
	}
	if n.analysis != nil && n.hard() > 1 {
		n.writeOut(page, b)
	}
	if n.repairs != nil {
		n.writeRepairs(page, b)
	}
}

// writeClashes tells clashes, of each group the first, and says how many it told.
func (n *refutation) writeClashes(page table.Page, b *bytes.Buffer, clashes []*solve.Conflict) (told int) {
	seen := map[int]bool{}
	titles := 0
	for _, a := range n.clashesTogether(clashes) {
		g := n.groupOf(a.clash)
		if titles == mostClashes || g >= 0 && seen[g] {
			continue
		}
		seen[g] = true
		n.writeClash(page, b, &a)
		titles++
		told += 1 + len(a.more)
	}
	return told
}

// groupOf is the number of the group that a clash is part of, -1 if it is of none.
func (n *refutation) groupOf(c *solve.Conflict) int {
	if n.analysis == nil {
		return -1
	}
	return slices.IndexFunc(n.analysis.Groups, func(g conflict.Group) bool {
		return !slices.ContainsFunc(c.Jobs, func(i model.JobID) bool {
			return n.js.Jobs[i].Kind == model.Hard && !slices.Contains(g.Jobs, i)
		})
	})
}

// toldAlone reports whether a clash is a job alone, or with jobs that it comes after, of which
// all is said already.
func (n *refutation) toldAlone(c *solve.Conflict) bool {
	return slices.ContainsFunc(n.analysis.Alone, func(a conflict.Alone) bool { return isOf(c, &a) })
}

// isOf reports whether a clash is that of a job which is late alone: no other reason than its
// own, and that of the jobs it comes after, is needed.
func isOf(c *solve.Conflict, a *conflict.Alone) bool {
	return !slices.ContainsFunc(append([]model.JobID{a.Job}, a.After...), func(i model.JobID) bool { return !slices.Contains(c.Jobs, i) })
}

// pathSaysAll reports whether the critical path explains when a job ends.
func pathSaysAll(a *conflict.Alone) bool { return a.Path[len(a.Path)-1].Ends == a.Earliest }

func (n *refutation) writeAlone(page table.Page, b *bytes.Buffer) {
	a := n.analysis
	stories := n.aloneTogether()
	switch {
	case len(a.Alone) == 0:
		return
	case len(a.Alone) == 1:
		page.Title(b, "This job cannot meet its deadline, even alone:")
	case len(stories) == 1:
		page.Title(b, "This recurring job cannot meet its deadline, even alone:")
	default:
		page.Title(b, fmt.Sprintf("These %d jobs cannot meet their deadlines, even alone:", len(a.Alone)))
	}
	for _, same := range stories {
		sentence := n.aloneSentence(same[0])
		if len(same) > 1 {
			sentence = n.togetherSentence(same)
		}
		fmt.Fprintln(b, " ", sentence)
		for _, line := range n.whyAlone(same[0], len(same) > 1) {
			fmt.Fprintln(b, "   ", table.Printable(line))
		}
	}
	if !a.AllTried {
		fmt.Fprintf(b, "  %s for others\n", wording.LimitEnded)
	}
}

// whyAlone is the critical path of a job where that says when it ends, else the argument that
// it is late; an instance may stand for others.
func (n *refutation) whyAlone(a *conflict.Alone, together bool) []string {
	if pathSaysAll(a) {
		return []string{n.pathSentence(a, together)}
	}
	for _, c := range n.analysis.Conflicts {
		if isOf(c, a) {
			return n.why(c)
		}
	}
	return nil
}

// aloneSentence says what a job lacks.
func (n *refutation) aloneSentence(a *conflict.Alone) string {
	job := &n.js.Jobs[a.Job]
	text := table.Printable(job.Name)
	if len(a.After) > 0 {
		text += ", after " + n.names(a.After) + ","
	}
	if a.Earliest >= model.Never {
		return text + " cannot finish at all"
	}
	text += fmt.Sprintf(" cannot finish before %s, its deadline is %s: %s more", n.clock.Point(a.Earliest), n.clock.Point(job.Due()), n.clock.Length(a.Earliest-job.Due()))
	if !a.Exact {
		text += " at least"
	}
	return text
}

// pathSentence names the stages of a critical path; of an instance that stands for others with
// times from its release on.
func (n *refutation) pathSentence(a *conflict.Alone, together bool) string {
	var parts []string
	for _, s := range a.Path {
		job := &n.js.Jobs[s.Job]
		name, at := job.Name, "by "+n.clock.Point(s.Ends)
		if together {
			name, at = n.name(s.Job), n.clock.Length(s.Ends-n.js.Jobs[a.Job].Release)+" after the release"
		}
		if s.Ends >= model.Never {
			parts = append(parts, fmt.Sprintf("%s/%s never", name, job.Stages[s.Stage].Name))
			break // nor do those behind it
		}
		parts = append(parts, fmt.Sprintf("%s/%s %s", name, job.Stages[s.Stage].Name, at))
	}
	return "critical path: " + strings.Join(parts, ", ")
}

// writeClash says which jobs clash, and why.
func (n *refutation) writeClash(page table.Page, b *bytes.Buffer, a *alike) {
	c := a.clash
	page.Title(b, n.clashTitle(c))
	t := table.Table{Align: "<<>>>"}
	t.Add("", table.Head("job"), table.Head("release"), table.Head("deadline"), table.Head("tasks"))
	for _, id := range c.Jobs[:min(len(c.Jobs), mostRows)] {
		j := &n.js.Jobs[id]
		due := "-"
		if j.Kind != model.BestEffort {
			due = n.clock.Point(j.Due())
		}
		t.Add("", table.Bold.Cell(j.Name), n.clock.Point(j.Release), due, int(j.End-j.First))
	}
	t.Write(b, page)
	if more := len(c.Jobs) - mostRows; more > 0 {
		fmt.Fprintf(b, "  and %s more; --format json lists them\n", wording.Count(more, "job"))
	}
	if len(a.more) > 0 {
		fmt.Fprintln(b, " ", n.likewise(a.more))
	}
	page.Title(b, "Why (proved by "+wording.ProofWord(c.Proof)+"):")
	for _, line := range n.why(c) {
		fmt.Fprintln(b, " ", table.Printable(line))
	}
}

// why is the argument that jobs clash.
func (n *refutation) why(c *solve.Conflict) []string {
	var lines []string
	if c.Branching != nil {
		lines = c.Branching.Sentences(n.js, n.clock)
	}
	for i := range c.Overloads {
		lines = append(lines, c.Overloads[i].Sentence(n.js, n.clock))
	}
	if lines == nil && c.ByCores != nil {
		return []string{c.ByCores.Sentence}
	}
	if lines == nil {
		what := append([]string{"cores", "slots", "fetches"}, n.js.Named...)
		for i := range n.js.Pools {
			what = append(what, "pool "+n.js.Pools[i].Name)
		}
		counted := wording.Listed(what, "or")
		lines = append(n.noRoom(c), "no count of "+counted+" shows it; every way to place these jobs was ruled out")
	}
	return lines
}

// noRoom says of jobs that clash which of them has a gang, or tasks that take of a pool, that do not fit
// in once machines or amounts have gone for good.
func (n *refutation) noRoom(c *solve.Conflict) []string {
	confined := n.js.Confined()
	if confined == nil {
		return nil
	}
	var out []string
	for _, i := range c.Jobs {
		if m := n.js.Misfit(i); confined[i] && m != nil {
			job := &n.js.Jobs[i]
			out = append(out, fmt.Sprintf("in the end stage %s of %s %s", job.Stages[m.Stage].Name, job.Name, m.Problem))
		}
	}
	return out
}

// clashTitle says that jobs clash, and of what was tried without one of them what was found.
func (n *refutation) clashTitle(c *solve.Conflict) string {
	after := func(i model.JobID) bool { return len(n.js.Jobs[i].After) > 0 }
	without := ""
	if slices.ContainsFunc(c.Jobs, after) {
		without = " if jobs that are left out count as finished"
	}
	switch {
	case len(c.Jobs) == 1:
		return "This job cannot meet its deadline, even alone:"
	case c.Irreducible && len(c.Jobs) == 2:
		return fmt.Sprintf("These 2 jobs clash; either fits without the other%s:", without)
	case c.Irreducible:
		return fmt.Sprintf("These %d jobs clash; any %d of them fit by themselves%s:", len(c.Jobs), len(c.Jobs)-1, without)
	default:
		return fmt.Sprintf("These %d jobs clash; fewer of them may clash already (%s):", len(c.Jobs), wording.LimitEnded)
	}
}

// writeOut says how many jobs have to be left out.
func (n *refutation) writeOut(page table.Page, b *bytes.Buffer) {
	page.Title(b, "To leave out:")
	for i := range n.analysis.Groups {
		fmt.Fprintln(b, " ", n.groupSentence(&n.analysis.Groups[i]))
	}
	fmt.Fprintln(b, " ", n.outSentence())
	if n.js.JobsLinked() {
		fmt.Fprintln(b, "  (a job that is left out counts as finished for those after it, once those before it have)")
	}
}

// outSentence says how many hard jobs have to be left out, and which will do.
func (n *refutation) outSentence() string {
	o := &n.analysis.Out
	text := fmt.Sprintf("at least %d of the %s", o.Least, wording.Count(n.hard(), "hard job"))
	some, rest := n.some(o.Jobs), "the other hard jobs fit"
	if len(o.Jobs) == n.hard() {
		rest = "there is no hard job left"
	}
	switch {
	case o.Jobs == nil:
		return text + "; how many are enough is not known"
	case o.Closed():
		return fmt.Sprintf("%s, and that is enough: without %s %s", text, some, rest)
	default:
		return fmt.Sprintf("%s; %d are enough, fewer may be: without %s %s", text, len(o.Jobs), some, rest)
	}
}

func (n *refutation) hard() int { return len(wording.JobsOf(n.js, model.Hard)) }

// groupSentence says how many jobs of a group fit.
func (n *refutation) groupSentence(g *conflict.Group) string {
	text := fmt.Sprintf("of %s at least %d", n.some(g.Jobs), g.Least)
	if g.Any > 1 && len(g.Jobs) <= wording.MostListed {
		text += fmt.Sprintf("; any %d of them fit by themselves", g.Any)
	}
	return text
}
