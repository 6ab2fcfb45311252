package report

import (
	"bytes"
	"fmt"
	"slices"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve"
)

// soft says what soft deadlines come to where none is hard.
func (v *textView) soft(b *bytes.Buffer, js *model.JobSet, verdict *solve.Verdict) {
	late := missed(js, verdict.Schedule)
	title := softSentence(js, verdict.Soft, len(late))
	if len(late) > 0 {
		title += ":"
	}
	v.page.Title(b, title)
	clock, finishes := wording.ClockOf(js), js.Finishes(verdict.Schedule)
	for _, i := range late[:min(len(late), wording.MostListed)] {
		job := &js.Jobs[i]
		how := "is left out, as it cannot run any more"
		if finishes[i] < model.Never {
			how = "finishes " + clock.Length(job.Late(finishes[i])) + " late"
		}
		fmt.Fprintf(b, "  %s, due %s, %s\n", table.Bad.Paint(table.Printable(job.Name), v.page.Color), clock.Point(job.Due()), how)
	}
	if more := len(late) - wording.MostListed; more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// missed are the soft jobs that a plan has late or leaves out, the latest first.
func missed(js *model.JobSet, plan model.Schedule) []model.JobID {
	finishes := js.Finishes(plan)
	var out []model.JobID
	for i := range js.Jobs {
		if job := &js.Jobs[i]; job.Kind == model.Soft && job.Late(finishes[i]) > 0 {
			out = append(out, model.JobID(i))
		}
	}
	slices.SortStableFunc(out, func(a, b model.JobID) int {
		return int(js.Jobs[b].Late(finishes[b]) - js.Jobs[a].Late(finishes[a]))
	})
	return out
}

// softSentence says how many soft deadlines the best plan found misses, and whether another may
// miss fewer.
func softSentence(js *model.JobSet, s *solve.SoftAnswer, late int) string {
	weighted := slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Soft && j.Weight > 1 })
	bound := int64(0)
	if s.Misses.Bound != nil {
		bound = *s.Misses.Bound
	}
	switch {
	case s.Jobs == 0:
		return "There are no deadlines at all"
	case late == 0 && s.Jobs == 1:
		return "The best plan found meets the one soft deadline"
	case late == 0:
		return fmt.Sprintf("The best plan found meets all %d soft deadlines", s.Jobs)
	case bound == s.Misses.Value && weighted:
		return fmt.Sprintf("The best plan found misses %d of %s; no plan misses less by weight", late, wording.Count(s.Jobs, "soft deadline"))
	case bound == s.Misses.Value:
		return fmt.Sprintf("The best plan found misses %d of %s; no plan misses fewer", late, wording.Count(s.Jobs, "soft deadline"))
	case bound > 0 && !weighted:
		return fmt.Sprintf("The best plan found misses %d of %s; every plan misses %d at least", late, wording.Count(s.Jobs, "soft deadline"), bound)
	default:
		return fmt.Sprintf("The best plan found misses %d of %s; whether another misses fewer is not settled", late, wording.Count(s.Jobs, "soft deadline"))
	}
}

// noneHard reports whether there is no hard job, so that nothing has to be met.
func noneHard(js *model.JobSet) bool {
	return !slices.ContainsFunc(js.Jobs, func(j model.Job) bool { return j.Kind == model.Hard })
}

// softJSON is what soft deadlines come to.
type softJSON struct {
	Jobs     int                   `json:"jobs"`
	Misses   *model.ObjectiveValue `json:"misses,omitempty"`
	Late     []string              `json:"late"`
	Sentence string                `json:"sentence"`
}

// newSoftJSON is nil where jobs are hard.
func newSoftJSON(js *model.JobSet, v *solve.Verdict) *softJSON {
	if v.Soft == nil {
		return nil
	}
	late := missed(js, v.Schedule)
	out := &softJSON{Jobs: v.Soft.Jobs, Late: wording.NamesOfJobs(js, late), Sentence: softSentence(js, v.Soft, len(late))}
	if v.Soft.Jobs > 0 {
		out.Misses = &v.Soft.Misses
	}
	return out
}
