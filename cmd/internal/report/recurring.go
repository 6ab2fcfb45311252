package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve"
	"downbeat/solve/conflict"
)

// A recurring job is one line of a file. What is wrong with several of its instances for the
// same reason is told once.

// name is what jobs that differ by their instance alone have in common.
func (n *refutation) name(i model.JobID) string {
	job := &n.js.Jobs[i]
	return cmp.Or(job.Series, job.Name)
}

// names lists jobs: a, b and c, with all instances of a recurring one as one.
func (n *refutation) names(jobs []model.JobID) string {
	return table.Printable(wording.Listed(wording.NamesTogether(n.js, jobs), "and"))
}

// some names the first of many jobs, and counts the others.
func (n *refutation) some(jobs []model.JobID) string {
	return some(wording.NamesTogether(n.js, jobs))
}

// aloneTogether are jobs that are late alone, in order, with instances that are so in the same
// way, but for the time when they are released, together.
func (n *refutation) aloneTogether() [][]*conflict.Alone {
	var out [][]*conflict.Alone
	at := map[string]int{}
	for k := range n.analysis.Alone {
		a := &n.analysis.Alone[k]
		story := n.storyAlone(a)
		if g, known := at[story]; known && story != "" {
			out[g] = append(out[g], a)
			continue
		}
		at[story], out = len(out), append(out, []*conflict.Alone{a})
	}
	return out
}

// storyAlone is what instances that are late alone in the same way have in common, also those of
// jobs that they come after; "" of a job that does not recur.
func (n *refutation) storyAlone(a *conflict.Alone) string {
	job := &n.js.Jobs[a.Job]
	if job.Series == "" {
		return ""
	}
	text := fmt.Sprintf("%q %d %d %t", job.Series, job.Deadline, a.Earliest-job.Release, a.Exact)
	for _, i := range a.After {
		text += fmt.Sprintf(" %q %d", n.name(i), n.js.Jobs[i].Release-job.Release)
	}
	for _, s := range a.Path {
		text += fmt.Sprintf(" %q %d %d", n.name(s.Job), s.Stage, s.Ends-job.Release)
	}
	return text
}

// togetherSentence says what instances lack that are late alone in the same way.
func (n *refutation) togetherSentence(same []*conflict.Alone) string {
	var jobs []model.JobID
	for _, a := range same {
		jobs = append(jobs, a.Job)
	}
	first := same[0]
	job := &n.js.Jobs[first.Job]
	text := n.names(jobs)
	if len(first.After) > 0 {
		var names []string
		for _, i := range first.After {
			names = append(names, n.name(i))
		}
		text += ", after " + table.Printable(wording.Listed(slices.Compact(names), "and")) + ","
	}
	text += fmt.Sprintf(" cannot finish sooner than %s after the release, the deadline is %s: %s more",
		n.clock.Length(first.Earliest-job.Release), n.clock.Length(job.Deadline), n.clock.Length(first.Earliest-job.Due()))
	if !first.Exact {
		text += " at least"
	}
	return text
}

// alike is a clash, and others of instances in its place that are as far apart.
type alike struct {
	clash *solve.Conflict
	more  []*solve.Conflict
}

// clashesTogether puts clashes together that differ by instances alone.
func (n *refutation) clashesTogether(clashes []*solve.Conflict) []alike {
	var out []alike
	at := map[string]int{}
	for _, c := range clashes {
		story := n.storyOf(c)
		if k, known := at[story]; known {
			out[k].more = append(out[k].more, c)
			continue
		}
		at[story], out = len(out), append(out, alike{clash: c})
	}
	return out
}

// storyOf is what clashes have in common that differ by instances alone.
func (n *refutation) storyOf(c *solve.Conflict) string {
	from := model.Never
	for _, i := range c.Jobs {
		from = min(from, n.js.Jobs[i].Release)
	}
	var text strings.Builder // of thousands of jobs
	fmt.Fprint(&text, c.Irreducible)
	for _, i := range c.Jobs {
		job := &n.js.Jobs[i]
		fmt.Fprintf(&text, " %q %d %d", n.name(i), job.Release-from, job.Deadline)
	}
	return text.String()
}

// likewise says of which instances a clash is told as well.
func (n *refutation) likewise(more []*solve.Conflict) string {
	var names []string
	for _, c := range more[:min(len(more), wording.MostListed)] {
		names = append(names, n.names(c.Jobs))
	}
	text := "So do " + wording.Listed(names, "as well as")
	if rest := len(more) - wording.MostListed; rest > 0 {
		text += fmt.Sprintf(", and %d more such", rest)
	}
	return text + "."
}
