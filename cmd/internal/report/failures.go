package report

import (
	"bytes"
	"fmt"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/capacity"
)

// SingleFailures prints what the loss of each single slave from a time on does; certified tells that a checker has
// agreed wherever something breaks.
func (v *textView) SingleFailures(js *model.JobSet, at model.Time, all []capacity.SingleFailure, certified bool) error {
	var b bytes.Buffer
	broken, open := countFailures(all)
	when := " from the start on"
	if at > 0 {
		when = " from " + wording.ClockOf(js).Point(at) + " on"
	}
	st, line := table.Good, fmt.Sprintf("kept: with any single machine lost%s the hard jobs meet their deadlines", when)
	switch {
	case broken > 0:
		st, line = table.Bad, "broken: losing "+brokenBy(js, all)+when+" breaks a hard deadline"
		if open > 0 {
			line += fmt.Sprintf("; for %d of %s %s", open, wording.Count(len(all), "machine"), wording.LimitEnded)
		}
	case noneHard(js):
		line = "kept: no deadline is hard, so that no loss breaks one"
	case open > 0:
		st, line = table.Doubt, fmt.Sprintf("unknown: for %d of %s, each lost alone%s, %s", open, wording.Count(len(all), "machine"), when, wording.LimitEnded)
	}
	word, rest, _ := strings.Cut(line, " ")
	fmt.Fprintln(&b, st.Paint(word, v.page.Color), rest)
	fmt.Fprintln(&b, wording.SetLine(js))
	v.certifiedAll(&b, certified && broken > 0)
	fmt.Fprintln(&b)
	reason := "at least one of these is late"
	if broken > 0 {
		reason += " (one reason each; there may be others)"
	}
	t := table.Table{Align: "<<<"}
	t.Add(table.Head("without"), table.Head("hard deadlines"), table.Head(reason))
	for i := range all {
		l := &all[i]
		answer := table.Good.Cell("kept")
		switch l.Status {
		case model.Infeasible:
			answer = table.Bad.Cell("broken")
		case model.Unknown:
			answer = table.Doubt.Cell("unknown")
		}
		t.Add(js.Slaves[l.Slave].Name, answer, lossText(js, l))
	}
	t.Write(&b, v.page)
	return v.flush(&b)
}

// mostLost is how many machines the first line names: of more it tells the number.
const mostLost = 3

// brokenBy says which machines may not be lost, each by itself: at least one.
func brokenBy(js *model.JobSet, all []capacity.SingleFailure) string {
	var names []string
	for i := range all {
		if all[i].Status == model.Infeasible {
			names = append(names, table.Printable(js.Slaves[all[i].Slave].Name)+" alone")
		}
	}
	switch n := len(names); {
	case n == len(all) && n > 1:
		return fmt.Sprintf("any single one of the %d machines", n)
	case n <= mostLost:
		return wording.Listed(names, "or")
	default:
		return fmt.Sprintf("any single one of %d of the %d machines", n, len(all))
	}
}

// lossText names the jobs that a loss breaks.
func lossText(js *model.JobSet, l *capacity.SingleFailure) string {
	firstOf := func(jobs []model.JobID) string {
		return strings.Join(wording.AtMost(wording.NamesOfJobs(js, jobs), wording.MostListed), ", ")
	}
	if l.Stranded >= 0 {
		if l.Why != "" {
			return js.Jobs[l.Stranded].Name + ": " + l.Why
		}
		return js.Jobs[l.Stranded].Name + ", which can run nowhere else"
	}
	if len(l.LeftOut) > 0 && l.Status == model.Feasible {
		return "none; left out: " + firstOf(l.LeftOut)
	}
	return firstOf(l.Jobs)
}

func countFailures(all []capacity.SingleFailure) (broken, open int) {
	for i := range all {
		switch all[i].Status {
		case model.Infeasible:
			broken++
		case model.Unknown:
			open++
		}
	}
	return broken, open
}

// failuresJSON is the answer of check --losses.
type failuresJSON struct {
	aboutJSON
	From      model.Time    `json:"from"`
	Certified bool          `json:"certified,omitempty"`
	Failures  []failureJSON `json:"losses"`
}

type failureJSON struct {
	Slave  string   `json:"slave"`
	Status string   `json:"status"`
	Proof  string   `json:"proof"`
	Jobs   []string `json:"jobs"`
	// Why says what a gang, or tasks that are apart, have too few of.
	Why string `json:"why,omitempty"`
	// LeftOut can run nowhere any more.
	LeftOut []string `json:"left_out,omitempty"`
}

// SingleFailures prints the same as an object.
func (v *jsonView) SingleFailures(js *model.JobSet, at model.Time, all []capacity.SingleFailure, certified bool) error {
	answer := failuresJSON{newAboutJSON(js), at, certified, []failureJSON{}}
	for i := range all {
		l := &all[i]
		one := failureJSON{js.Slaves[l.Slave].Name, l.Status.String(), l.Proof.String(), wording.NamesOfJobs(js, l.Jobs), l.Why, wording.NamesOfJobs(js, l.LeftOut)}
		answer.Failures = append(answer.Failures, one)
	}
	return v.write(answer)
}
