// Package wording has what all reports say in the same words: answers, names, counts, and
// times by the clock of a job set.
package wording

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"downbeat/cmd/internal/report/table"
	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve"
	"downbeat/solve/event"
)

// Headline is the answer in a line as the solver has it: the status, each objective with what
// is proved about it, and how. [Answer] says it to people.
func Headline(js *model.JobSet, res *solve.Result) string {
	switch {
	case res.Relaxed && res.Status == model.Unknown:
		return "relaxed (no plan meets every hard deadline as far as is known; " + objectives(js, res.Objectives, res.Proof) + ")"
	case res.Relaxed:
		return fmt.Sprintf("infeasible%s; relaxed (%s)", howProved(res.Conflict), objectives(js, res.Objectives, res.Proof))
	case res.Status == model.Infeasible:
		if res.Conflict == nil { // nobody has looked for a clash, as in an answer put together of cubes
			return "infeasible" + provedBy(res.Proof)
		}
		return "infeasible" + howProved(res.Conflict)
	case res.Status == model.Unknown:
		return UnknownLine
	case len(res.Objectives) == 0:
		return res.Status.String() + " (every hard deadline is met)"
	default:
		return fmt.Sprintf("%s (%s)", res.Status, objectives(js, res.Objectives, res.Proof))
	}
}

// UnknownLine is the answer where nothing was found out.
const UnknownLine = "unknown (a limit was reached with neither a plan nor a proof that there is none)"

// VerdictLine is the answer of a feasibility question in a line.
func VerdictLine(v *solve.Verdict) string {
	switch v.Status {
	case model.Infeasible:
		return "infeasible" + howProved(v.Conflict)
	case model.Unknown:
		return UnknownLine
	default:
		if v.Soft != nil {
			return "feasible (no deadline is hard)"
		}
		return "feasible (a plan that meets every hard deadline was found and checked)"
	}
}

// SettledLine says while the rest of an answer is sought what is settled of hard deadlines, and since when.
func SettledLine(how *event.Settled, after time.Duration) string {
	rest := "what follows is how tight it is"
	if how.Status == model.Infeasible {
		rest = "what follows is why, and what would help"
	}
	return fmt.Sprintf("%s%s after %.1fs; %s", how.Status, provedBy(how.Proof), after.Seconds(), rest)
}

// howProved says in brackets what backs an infeasibility.
func howProved(c *solve.Conflict) string {
	if c == nil {
		return ""
	}
	return provedBy(c.Proof)
}

func provedBy(p model.Proof) string {
	if p == model.NoProof {
		return ""
	}
	return " (proved by " + ProofWord(p) + ")"
}

// ProofWord is what something was proved by.
func ProofWord(p model.Proof) string {
	return [...]string{
		model.NoProof: "nothing", model.WitnessProof: "a plan", model.EnergyProof: "energy", model.DualProof: "dual prices",
		model.BoundProof: "energy or dual prices", model.RelaxationProof: "a relaxation", model.BranchingProof: "branching",
		model.LCGProof: "clause learning", model.SATProof: "SAT", model.EnumerationProof: "enumeration",
	}[p]
}

// objectives lists values and bounds: "misses 1 = bound 1, tardiness 7, bound
// 4; proved by SAT".
func objectives(js *model.JobSet, values []model.ObjectiveValue, proof model.Proof) string {
	var parts []string
	clock, proved := ClockOf(js), false
	for _, v := range values {
		sign := ">"
		if closed(v) {
			sign, proved = "=", true
		}
		part := v.Name + " " + clock.Value(v.Name, v.Value)
		if v.Bound != nil {
			part += fmt.Sprintf(" %s bound %s", sign, clock.Value(v.Name, *v.Bound))
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, ", ")
	if proved && proof != model.NoProof {
		text += ", proved by " + ProofWord(proof)
	}
	return text
}

// SetLine says what was planned.
func SetLine(js *model.JobSet) string {
	text := fmt.Sprintf("%s, %s, %s", Count(len(js.Jobs), "job"), Count(len(js.Tasks), "task"), Count(len(js.Slaves), "machine"))
	if js.Name != "" {
		text = table.Printable(js.Name) + ": " + text
	}
	if legend := ClockOf(js).Legend(); legend != "" {
		text += "; " + legend
	}
	if len(js.Changes) > 0 {
		text += "\nchanged: " + strings.Join(changes(js), "; ")
	}
	return text
}

// changes says by what the job set differs from its file.
func changes(js *model.JobSet) []string {
	out := make([]string, len(js.Changes))
	for i, c := range js.Changes {
		out[i] = table.Printable(change.Sentence(js, c))
	}
	return out
}

// Count is "1 job", "2 jobs".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Kind is a job's kind with its weight where that is not 1.
func Kind(j *model.Job) string {
	if j.Kind == model.Soft && j.Weight != 1 {
		return fmt.Sprintf("%s ×%d", j.Kind, j.Weight)
	}
	return j.Kind.String()
}

// Percent is part of whole for people; "-" of nothing.
func Percent(part, whole model.Time) string {
	if whole <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(whole))
}

// NamesOfSlaves has the names of slaves.
func NamesOfSlaves(js *model.JobSet, slaves []model.SlaveID) []string {
	names := make([]string, len(slaves))
	for i, id := range slaves {
		names[i] = js.Slaves[id].Name
	}
	return names
}

// NamesOfShared has what people call pools and caps: pool db, cap of etl.
func NamesOfShared(js *model.JobSet, ids []model.SharedID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = js.SharedName(id)
	}
	return names
}

// NamesOfJobs has the names of jobs, [] of none.
func NamesOfJobs(js *model.JobSet, ids []model.JobID) []string {
	out := []string{}
	for _, id := range ids {
		out = append(out, js.Jobs[id].Name)
	}
	return out
}

// Listed is a, b and c.
func Listed(words []string, and string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + and + " " + words[last]
}

// MostListed is how many names a sentence has.
const MostListed = 12

// AtMost cuts a list of names for a sentence: the first ones, as many as most, then, as the last, "5 more". One
// name takes no more than "1 more", so a list with one too many is whole.
func AtMost(names []string, most int) []string {
	if more := len(names) - most; more > 1 {
		return append(slices.Clone(names[:most]), fmt.Sprintf("%d more", more))
	}
	return names
}

// JobsOf are the jobs of a kind, ascending.
func JobsOf(js *model.JobSet, kind model.JobKind) []model.JobID {
	var out []model.JobID
	for i := range js.Jobs {
		if js.Jobs[i].Kind == kind {
			out = append(out, model.JobID(i))
		}
	}
	return out
}
