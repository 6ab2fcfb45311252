package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/model/clock"
)

// Family is a job that does not recur, or all instances of one that does.
type Family struct {
	Name string
	// Jobs are ascending.
	Jobs []model.JobID
}

// Title is the name, and how many instances there are.
func (f *Family) Title() string {
	if len(f.Jobs) == 1 {
		return f.Name
	}
	return fmt.Sprintf("%s ×%d", f.Name, len(f.Jobs))
}

// families lists those of a job set in the order of their first jobs, and of which
// family each job is.
func families(js *model.JobSet) (list []Family, of []int) {
	known := map[string]int{}
	of = make([]int, len(js.Jobs))
	for i := range js.Jobs {
		job := &js.Jobs[i]
		f, found := known[job.Series]
		switch {
		case job.Series == "":
			f = len(list)
			list = append(list, Family{Name: job.Name})
		case !found:
			f = len(list)
			known[job.Series] = f
			list = append(list, Family{Name: job.Series})
		}
		of[i] = f
		list[f].Jobs = append(list[f].Jobs, model.JobID(i))
	}
	for f := range list {
		if only := list[f].Jobs; len(only) == 1 {
			list[f].Name = js.Jobs[only[0]].Name
		}
	}
	return list, of
}

// minFolded is the least number of instances of a recurring job that share a line.
const minFolded = 3

// JobRow is a line of the table of jobs: a job, or instances of a recurring job about
// which there is nothing special to say.
type JobRow []model.JobID

// Special tells that a job has to be looked at by itself.
func (s *Summary) Special(id model.JobID) bool { return s.Jobs[id].Late > 0 || s.Jobs[id].Out() != "" }

// JobRows are the lines of the table of jobs: a line each for those that do not recur
// and for instances that are late, or that there is nothing of; the other instances share one.
func (s *Summary) JobRows() []JobRow {
	ordinary := make([]JobRow, len(s.Families))
	for i, f := range s.FamilyOf {
		if id := model.JobID(i); !s.Special(id) {
			ordinary[f] = append(ordinary[f], id)
		}
	}
	var rows []JobRow
	for i, f := range s.FamilyOf {
		switch id := model.JobID(i); {
		case s.Special(id), len(ordinary[f]) < minFolded:
			rows = append(rows, JobRow{id})
		case ordinary[f][0] == id:
			rows = append(rows, ordinary[f])
		}
	}
	return rows
}

// JobTexts is a line of the table of jobs as people read it.
type JobTexts struct {
	Name, Kind, After, Release, Deadline, Finish, Slack, Late, Uses string
	IsLate, IsOut                                                   bool
}

// JobTexts tell of one job, or of instances together.
func (s *Summary) JobTexts(row JobRow) JobTexts {
	if len(row) > 1 {
		return s.foldedTexts(row)
	}
	line, j := &s.Jobs[row[0]], &s.JS.Jobs[row[0]]
	t := JobTexts{Name: j.Name, Kind: wording.Kind(j), After: s.After(row), Release: s.Clock.Point(j.Release),
		Finish: s.finishText(line), Uses: Uses(s.JS, line.Uses), IsLate: line.Late > 0, IsOut: line.Out() != ""}
	t.Deadline, t.Slack, t.Late = s.deadlineTexts(line)
	return t
}

// foldedTexts count times from the release of each instance, and have the longest until
// it finishes and the least slack.
func (s *Summary) foldedTexts(row JobRow) JobTexts {
	first := &s.JS.Jobs[row[0]]
	longest, slack := model.Time(0), model.Never
	shortest, widest := first.Deadline, first.Deadline
	var used []Use
	for _, id := range row {
		line, j := &s.Jobs[id], &s.JS.Jobs[id]
		longest, slack = max(longest, line.Finish-j.Release), min(slack, line.Slack(s.JS))
		shortest, widest = min(shortest, j.Deadline), max(widest, j.Deadline)
		used = append(used, line.Uses...)
	}
	family := &s.Families[s.FamilyOf[row[0]]]
	t := JobTexts{Name: fmt.Sprintf("%s ×%d", family.Name, len(row)), Kind: wording.Kind(first), After: s.After(row), Release: s.every(family),
		Deadline: "-", Finish: "in ≤ " + s.Clock.Span(longest), Slack: "-", Late: "-", Uses: Uses(s.JS, addUses(used))}
	if first.Kind != model.BestEffort {
		t.Slack, t.Deadline = "≥ "+s.Clock.Span(slack), "in "+s.Clock.Span(shortest)
		if shortest < widest {
			t.Deadline += "–" + s.Clock.Span(widest)
		}
	}
	return t
}

// addUses adds up tasks by slave, most first.
func addUses(list []Use) []Use {
	slices.SortFunc(list, func(a, b Use) int { return cmp.Compare(a.Slave, b.Slave) })
	var out []Use
	for _, u := range list {
		if n := len(out); n > 0 && out[n-1].Slave == u.Slave {
			out[n-1].Tasks += u.Tasks
		} else {
			out = append(out, u)
		}
	}
	sortUses(out)
	return out
}

// sortUses puts first where most tasks are.
func sortUses(list []Use) {
	slices.SortStableFunc(list, func(a, b Use) int { return cmp.Compare(b.Tasks, a.Tasks) })
}

// every says how often a recurring job is released: after how long, or after how many
// days at the same time of day where changes of clocks make these differ.
func (s *Summary) every(f *Family) string {
	release := func(i int) model.Time { return s.JS.Jobs[f.Jobs[i]].Release }
	step, even := release(1)-release(0), true
	days, daily := s.daysBetween(release(0), release(1))
	for i := 1; i < len(f.Jobs); i++ {
		even = even && release(i)-release(i-1) == step
		n, same := s.daysBetween(release(i-1), release(i))
		daily = daily && same && n == days
	}
	switch {
	case even:
		return "every " + s.Clock.Span(step)
	case daily:
		return fmt.Sprintf("every %dd", days)
	default:
		return "now and then"
	}
}

// daysBetween counts the days between two points in time; same tells that clocks show
// the same time of day at both.
func (s *Summary) daysBetween(a, b model.Time) (days int, same bool) {
	from, ok := s.Clock.At(a)
	to, also := s.Clock.At(b)
	if !ok || !also {
		return 0, false
	}
	const timeOfDay = "15:04:05.999999999"
	return clock.Days(from, to), from.Format(timeOfDay) == to.Format(timeOfDay)
}

// After names the jobs that those of a line come after: a recurring one by its own name
// where each instance comes after its own, and as "etl ×24" where one job comes after all.
func (s *Summary) After(row JobRow) string {
	var ids []model.JobID
	for _, id := range row {
		ids = append(ids, s.JS.Jobs[id].After...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	among := map[int]int{} // by family
	for _, k := range ids {
		among[s.FamilyOf[k]]++
	}
	var names []string
	for _, k := range ids {
		f := &s.Families[s.FamilyOf[k]]
		switch n := among[s.FamilyOf[k]]; {
		case len(row) > 1 && n > 1:
			names = append(names, f.Name)
		case n > 1 && n == len(f.Jobs):
			names = append(names, f.Title())
		default:
			names = append(names, s.JS.Jobs[k].Name)
		}
	}
	return FirstFew(slices.Compact(names))
}

// SeriesLines tell of each recurring job whose instances share a line how many there are,
// when, and which of them do not: "etl ×24, released 22:00 to +1d 21:00, 2 late: etl-7, etl-19".
func (s *Summary) SeriesLines(rows []JobRow) []string {
	var out []string
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		f := &s.Families[s.FamilyOf[row[0]]]
		var late, rejected, without []string
		for _, id := range f.Jobs {
			name := s.JS.Jobs[id].Name
			switch line := &s.Jobs[id]; {
			case line.Rejected:
				rejected = append(rejected, name)
			case line.Unplanned:
				without = append(without, name)
			case line.Late > 0:
				late = append(late, name)
			}
		}
		first, last := &s.JS.Jobs[f.Jobs[0]], &s.JS.Jobs[f.Jobs[len(f.Jobs)-1]]
		out = append(out, fmt.Sprintf("%s, released %s to %s%s%s%s", f.Title(), s.Clock.Point(first.Release), s.Clock.Point(last.Release),
			ofThese("late", late), ofThese("rejected", rejected), ofThese("without tasks", without)))
	}
	return out
}

func ofThese(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s: %s", len(names), what, FirstFew(names))
}

// FamilyNotes say what a chart does not show: how late jobs are, that a task, which has one lane,
// runs on several cores, and which tasks start together.
func (s *Summary) FamilyNotes(f *Family) string {
	var notes []string
	if text := s.Troubles(f); text != "" {
		notes = append(notes, text)
	}
	if few, many := s.coresOf(f); many > 1 {
		if few < many {
			notes = append(notes, fmt.Sprintf("a task is on %d to %d cores", few, many))
		} else {
			notes = append(notes, fmt.Sprintf("a task is on %d cores", many))
		}
	}
	return strings.Join(append(notes, s.gangNotes(f)...), ", ")
}

// gangNotes say of the gangs of a family how many tasks start together.
func (s *Summary) gangNotes(f *Family) []string {
	var notes []string
	job := &s.JS.Jobs[f.Jobs[0]] // instances are alike
	for k := range job.Stages {
		st := &job.Stages[k]
		if !st.IsGang() {
			continue
		}
		of := ""
		if len(job.Stages) > 1 {
			of = " of " + st.Name
		}
		notes = append(notes, fmt.Sprintf("%d tasks%s start together", st.End-st.First, of))
	}
	return notes
}

// Trouble says what is wrong with a job, "" for nothing.
func (s *Summary) Trouble(line *JobLine) string {
	if line.Late > 0 && !line.Rejected {
		return "late by " + s.Clock.Span(line.Late)
	}
	return line.Out()
}

// Troubles says what is wrong with the jobs of a family or of a row, "" for nothing.
func (s *Summary) Troubles(f *Family) string {
	if len(f.Jobs) == 1 {
		return s.Trouble(&s.Jobs[f.Jobs[0]])
	}
	late, rejected, without := 0, 0, 0
	for _, id := range f.Jobs {
		switch {
		case s.Jobs[id].Rejected:
			rejected++
		case s.Jobs[id].Unplanned:
			without++
		case s.Jobs[id].Late > 0:
			late++
		}
	}
	var parts []string
	if late > 0 {
		parts = append(parts, fmt.Sprintf("%d late", late))
	}
	if rejected > 0 {
		parts = append(parts, fmt.Sprintf("%d rejected", rejected))
	}
	if without > 0 {
		parts = append(parts, fmt.Sprintf("%d without tasks", without))
	}
	return strings.Join(parts, ", ")
}

// coresOf are the least and the greatest number of cores that tasks of a family run on.
func (s *Summary) coresOf(f *Family) (few, many int64) {
	job := &s.JS.Jobs[f.Jobs[0]] // instances are alike
	few = s.JS.Tasks[job.First].Cores()
	for t := job.First; t < job.End; t++ {
		cores := s.JS.Tasks[t].Cores()
		few, many = min(few, cores), max(many, cores)
	}
	return few, many
}

// maxNames bounds the slaves and jobs that are named in a line.
const maxNames = 3

// FirstFew names some and counts the rest, which is not one alone that takes no more room.
func FirstFew(names []string) string {
	const more = ", +1 more"
	if n := len(names); n > maxNames && (n > maxNames+1 || table.DisplayWidth(names[maxNames]) > len(more)) {
		return fmt.Sprintf("%s, +%d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	}
	return strings.Join(names, ", ")
}

// Uses names the slaves that run most of a job: "fast-1 ×6, slow ×4".
func Uses(js *model.JobSet, list []Use) string {
	names := make([]string, len(list))
	for i, u := range list {
		names[i] = fmt.Sprintf("%s ×%d", js.Slaves[u.Slave].Name, u.Tasks)
	}
	return FirstFew(names)
}
