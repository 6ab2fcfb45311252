package report

import (
	"bytes"
	"fmt"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/losses"
)

// Losses prints what the loss of each single slave from a time on does.
func (v *textView) Losses(js *model.JobSet, at model.Time, all []losses.Loss) error {
	var b bytes.Buffer
	broken, open := countLosses(all)
	when := ""
	if at > 0 {
		when = " from " + wording.ClockOf(js).Point(at) + " on"
	}
	st, line := table.Good, fmt.Sprintf("kept: with any single machine lost%s the hard jobs meet their deadlines", when)
	switch {
	case broken > 0:
		st, line = table.Bad, fmt.Sprintf("broken: the loss of %d of %s%s breaks hard deadlines", broken, wording.Count(len(all), "machine"), when)
	case noneHard(js):
		line = "kept: no deadline is hard, so that no loss breaks one"
	case open > 0:
		st, line = table.Doubt, fmt.Sprintf("unknown: for %d of %s%s a limit ended the search", open, wording.Count(len(all), "machine"), when)
	}
	word, rest, _ := strings.Cut(line, " ")
	fmt.Fprintln(&b, st.Paint(word, v.page.Color), rest)
	fmt.Fprintln(&b, wording.SetLine(js))
	fmt.Fprintln(&b)
	t := table.Table{Align: "<<<"}
	t.Add(table.Head("without"), table.Head("hard deadlines"), table.Head("jobs that clash"))
	for i := range all {
		l := &all[i]
		answer := table.Good.Cell("kept")
		switch l.Status() {
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

// lossText names the jobs that a loss breaks.
func lossText(js *model.JobSet, l *losses.Loss) string {
	if l.Stranded >= 0 {
		return js.Jobs[l.Stranded].Name + ", which can run nowhere else"
	}
	if len(l.LeftOut) > 0 && l.Status() == model.Feasible {
		return "none; left out: " + strings.Join(wording.NamesOfJobs(js, l.LeftOut), ", ")
	}
	return strings.Join(wording.NamesOfJobs(js, l.Jobs()), ", ")
}

func countLosses(all []losses.Loss) (broken, open int) {
	for i := range all {
		switch all[i].Status() {
		case model.Infeasible:
			broken++
		case model.Unknown:
			open++
		}
	}
	return broken, open
}

// Losses prints the same as an object.
func (v *jsonView) Losses(js *model.JobSet, at model.Time, all []losses.Loss) error {
	type loss struct {
		Slave  string   `json:"slave"`
		Status string   `json:"status"`
		Proof  string   `json:"proof"`
		Jobs   []string `json:"jobs"`
		// LeftOut can run nowhere any more.
		LeftOut []string `json:"left_out,omitempty"`
	}
	answer := struct {
		aboutJSON
		From   model.Time `json:"from"`
		Losses []loss     `json:"losses"`
	}{newAboutJSON(js), at, []loss{}}
	for i := range all {
		l := &all[i]
		one := loss{js.Slaves[l.Slave].Name, l.Status().String(), model.RelaxationProof.String(), wording.NamesOfJobs(js, l.Jobs()), wording.NamesOfJobs(js, l.LeftOut)}
		if l.Verdict != nil {
			one.Proof = l.Verdict.Proof.String()
		}
		answer.Losses = append(answer.Losses, one)
	}
	return v.write(answer)
}
