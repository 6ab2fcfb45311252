package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"downbeat/cmd/internal/ontime"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// aboutIntervals explains what intervals prints.
const aboutIntervals = "\nstart, finish: at most one run in ten is before the first of the two times, at most one in ten after the second\n"

// intervals prints when each job starts and finishes over the runs, and how likely it is in time.
func (v *textView) intervals(b *bytes.Buffer, js *model.JobSet, t *ontime.Tally, title string) {
	by := wording.ClockOf(js)
	fmt.Fprintf(b, "\n%s\n", table.Bold.Paint(title, v.page.Color))
	lines := table.Table{Align: "<<>>>>"}
	lines.Add(table.Head("job"), table.Head("kind"), table.Head("start"), table.Head("finish"), table.Head("deadline"), table.Head("in time"))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		deadline, likely := "-", "-"
		if job.Kind != model.BestEffort {
			deadline, likely = by.Point(job.Due()), chance(t.Share(t.InTime[i]))
		}
		lines.Add(table.Bold.Cell(job.Name), job.Kind.String(), spanOf(by, ontime.IntervalOf(t.Starts[i])), spanOf(by, ontime.IntervalOf(t.Finishes[i])), deadline, likely)
	}
	lines.Write(b, v.page)
}

// spanOf writes an interval for people.
func spanOf(by wording.Clock, iv ontime.Interval) string {
	low, high := pointOrNever(by, iv.Low), pointOrNever(by, iv.High)
	if low == high {
		return low
	}
	return low + " to " + high
}

func pointOrNever(by wording.Clock, t model.Time) string {
	if t == model.Never {
		return "never"
	}
	return by.Point(t)
}

// intervalsJSON is when a job starts and finishes over many runs.
type intervalsJSON struct {
	Job    string       `json:"job"`
	Start  intervalJSON `json:"start"`
	Finish intervalJSON `json:"finish"`
	// InTime is of jobs with a deadline.
	InTime *chanceJSON `json:"in_time,omitempty"`
}

type intervalJSON struct {
	P10      *model.Time `json:"p10"`
	P10Clock string      `json:"p10_clock,omitempty"`
	P50      *model.Time `json:"p50"`
	P50Clock string      `json:"p50_clock,omitempty"`
	P90      *model.Time `json:"p90"`
	P90Clock string      `json:"p90_clock,omitempty"`
}

func newIntervalsJSON(js *model.JobSet, t *ontime.Tally) []intervalsJSON {
	by := wording.ClockOf(js)
	interval := func(times []model.Time) (out intervalJSON) {
		iv := ontime.IntervalOf(times)
		set := func(at model.Time, to **model.Time, stamp *string) {
			if at < model.Never {
				*to, *stamp = &at, by.Stamp(at)
			}
		}
		set(iv.Low, &out.P10, &out.P10Clock)
		set(iv.Median, &out.P50, &out.P50Clock)
		set(iv.High, &out.P90, &out.P90Clock)
		return out
	}
	out := []intervalsJSON{}
	for i := range js.Jobs {
		line := intervalsJSON{Job: js.Jobs[i].Name, Start: interval(t.Starts[i]), Finish: interval(t.Finishes[i])}
		if js.Jobs[i].Kind != model.BestEffort {
			share := t.Share(t.InTime[i])
			line.InTime = &chanceJSON{t.InTime[i], share.Mean, share.Low, share.High}
		}
		out = append(out, line)
	}
	return out
}

// IntervalsCSV writes when jobs start and finish over the runs of each policy, a line for each job. Where
// the set has an origin clock times stand beside the ticks; what never comes is empty.
func IntervalsCSV(w io.Writer, js *model.JobSet, tallies []ontime.Tally) error {
	by := wording.ClockOf(js)
	out := csv.NewWriter(w)
	header := []string{"policy", "job", "kind", "deadline", "runs", "in_time"}
	for _, name := range []string{"start", "finish"} {
		for _, p := range []string{"p10", "p50", "p90"} {
			header = append(header, name+"_"+p)
			if !by.Origin.IsZero() {
				header = append(header, name+"_"+p+"_clock")
			}
		}
	}
	lines := [][]string{header}
	for k := range tallies {
		t := &tallies[k]
		for i := range js.Jobs {
			job := &js.Jobs[i]
			line := []string{t.Policy, job.Name, job.Kind.String(), "", strconv.Itoa(t.Runs), ""}
			if job.Kind != model.BestEffort {
				line[3], line[5] = strconv.FormatInt(int64(job.Due()), 10), strconv.Itoa(t.InTime[i])
			}
			for _, times := range [][]model.Time{t.Starts[i], t.Finishes[i]} {
				iv := ontime.IntervalOf(times)
				for _, at := range []model.Time{iv.Low, iv.Median, iv.High} {
					text, stamp := "", ""
					if at < model.Never {
						text, stamp = strconv.FormatInt(int64(at), 10), by.Stamp(at)
					}
					if line = append(line, text); !by.Origin.IsZero() {
						line = append(line, stamp)
					}
				}
			}
			lines = append(lines, line)
		}
	}
	return out.WriteAll(lines)
}
