package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/version"
	"downbeat/model"
)

// MaxBars is how many bars a chart in Mermaid has at most: pages that draw it become slow,
// and nobody reads more.
const MaxBars = 200

// TooManyBars says that a plan has more jobs than a chart has bars.
type TooManyBars struct{ Jobs int }

// Error is a sentence for people.
func (e *TooManyBars) Error() string {
	return fmt.Sprintf("a chart of %d jobs would have more than %d bars", e.Jobs, MaxBars)
}

// Mermaid writes a plan as a Gantt chart in Mermaid's language: a section for each job, in
// which a bar is a task, or a stage where there are more than [MaxBars] tasks, or all of the
// job where there are as many stages. Jobs that are late are marked as critical. The error
// is a [*TooManyBars], or one of w.
func Mermaid(w io.Writer, s *summary.Summary) error {
	if len(s.Jobs) > MaxBars {
		return &TooManyBars{len(s.Jobs)}
	}
	m := newMermaid(w, s)
	m.head()
	for i := range s.Jobs {
		m.job(model.JobID(i))
	}
	return m.out.Flush()
}

// mermaid writes charts.
type mermaid struct {
	*summary.Summary
	out *bufio.Writer
	// bars are those of each job.
	bars [][]bar
	// layout writes times; where it is empty they are numbers of ticks.
	layout string
}

// bar is a task, a stage or a job.
type bar struct {
	name string
	model.Interval
}

func newMermaid(w io.Writer, s *summary.Summary) *mermaid {
	m := &mermaid{Summary: s, out: bufio.NewWriter(w), bars: barsOf(s)}
	if _, fits := s.Clock.Duration(max(s.End, 1)); fits {
		m.layout = "2006-01-02T15:04:05"
		if s.Clock.Unit%time.Second != 0 || s.Clock.Origin.Nanosecond() != 0 {
			m.layout += ".000"
		}
	}
	return m
}

// barsOf are the bars of each job, as fine as they may be.
func barsOf(s *summary.Summary) [][]bar {
	for _, name := range []func(t *model.Task) string{
		nil, // a bar for each attempt
		func(t *model.Task) string { return s.JS.Jobs[t.Job].Stages[t.Stage].Name + "/all" },
		func(*model.Task) string { return "all" },
	} {
		bars, n := make([][]bar, len(s.Jobs)), 0
		for i := range s.Attempts {
			a := &s.Attempts[i]
			task := &s.JS.Tasks[a.Task]
			all := &bars[task.Job]
			iv := model.Interval{Start: a.Assigned, End: a.Finish}
			if name == nil {
				text := fmt.Sprintf("%s/%d on %s", s.JS.Jobs[task.Job].Stages[task.Stage].Name, task.Number, s.JS.Slaves[a.Slave].Name)
				if _, gang := s.JS.GangOf(a.Task); gang {
					text += " (gang)"
				}
				*all, n = append(*all, bar{text, iv}), n+1
			} else if joinBar(all, name(task), iv) {
				n++
			}
		}
		if n <= MaxBars || name != nil && n == len(s.Jobs) {
			return bars
		}
	}
	return nil
}

// joinBar makes the bar of that name longer; it tells whether it is a new one.
func joinBar(bars *[]bar, name string, iv model.Interval) (isNew bool) {
	for i := range *bars {
		if b := &(*bars)[i]; b.name == name {
			b.Start, b.End = min(b.Start, iv.Start), max(b.End, iv.End)
			return false
		}
	}
	*bars = append(*bars, bar{name, iv})
	return true
}

func (m *mermaid) head() {
	dates, axis := "x", "%Q" // milliseconds, and how many
	if m.layout != "" {
		dates, axis = "YYYY-MM-DDTHH:mm:ss", "%H:%M"
		if strings.HasSuffix(m.layout, ".000") {
			dates, axis = dates+".SSS", "%H:%M:%S.%L"
		}
	}
	fmt.Fprintf(m.out, "gantt\n    %%%% made by %s\n    title %s\n    dateFormat %s\n    axisFormat %s\n    todayMarker off\n",
		version.Made(), plainName(m.JS.Name), dates, axis)
	m.changes()
}

// changes says where the chart goes over a change of clocks: Mermaid knows no zones, and has
// what clocks show.
func (m *mermaid) changes() {
	end, ok := m.Clock.At(m.last())
	if m.layout == "" || !ok {
		return
	}
	for at := m.Clock.Origin; ; {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.After(end) {
			return
		}
		_, before := at.Zone()
		_, after := next.Zone()
		was := next.UTC().Add(time.Duration(before) * time.Second).Format("15:04")
		switch day, is := next.Format("2006-01-02"), next.Format("15:04"); {
		case after < before:
			fmt.Fprintf(m.out, "    %%%% on %s clocks are put back from %s to %s: what lies in between comes twice there, and is drawn at the same place\n", day, was, is)
		case after > before:
			fmt.Fprintf(m.out, "    %%%% on %s clocks are put forward from %s to %s: bars across that look longer by as much\n", day, was, is)
		}
		at = next
	}
}

// last is the latest point in time of the chart.
func (m *mermaid) last() model.Time {
	last := m.End
	for i := range m.JS.Jobs {
		if job := &m.JS.Jobs[i]; job.Kind != model.BestEffort {
			if _, fits := m.Clock.Duration(job.Due()); fits {
				last = max(last, job.Due())
			}
		}
	}
	return last
}

func (m *mermaid) job(id model.JobID) {
	job, line := &m.JS.Jobs[id], &m.Jobs[id]
	fmt.Fprintf(m.out, "    section %s\n", plainName(job.Name))
	tag := ""
	if line.Late > 0 {
		tag = "crit, "
	}
	for _, b := range m.bars[id] {
		fmt.Fprintf(m.out, "    %s :%s%s, %s\n", plainName(b.name), tag, m.at(b.Start), m.end(b.Interval))
	}
	if _, fits := m.Clock.Duration(job.Due()); job.Kind != model.BestEffort && (fits || m.layout == "") {
		fmt.Fprintf(m.out, "    deadline :%smilestone, %s, 0d\n", tag, m.at(job.Due()))
	}
}

// at writes a point in time.
func (m *mermaid) at(t model.Time) string {
	if m.layout == "" {
		return fmt.Sprint(int64(t))
	}
	return m.shown(t).Format(m.layout)
}

// end writes where a bar ends: as long after its start as it is, where clocks are put back so
// far meanwhile that they show no later time.
func (m *mermaid) end(iv model.Interval) string {
	if m.layout == "" || iv.Len() == 0 || m.shown(iv.End).After(m.shown(iv.Start)) {
		return m.at(iv.End)
	}
	length, _ := m.Clock.Duration(iv.Len())
	return m.shown(iv.Start).Add(length).Format(m.layout)
}

// shown is what clocks of the plan's zone show, as if it were UTC: readers' browsers show times
// as they are written, whatever their zone. Without an origin it is the time since a midnight.
func (m *mermaid) shown(t model.Time) time.Time {
	d, _ := m.Clock.Duration(t) // it fits, up to the end and for deadlines that are shown
	at, ok := m.Clock.At(t)
	if !ok {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d)
	}
	_, offset := at.Zone()
	return at.UTC().Add(time.Duration(offset) * time.Second)
}

// plainName leaves out what would end a name, begin a remark, or be taken for more lines. A
// name that is followed by a slash is no keyword.
func plainName(name string) string {
	if name == "" {
		return "plan"
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(":;#,%{}<>\"", r) {
			return '_'
		}
		return r
	}, table.Printable(name))
}
