package gantt

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/model"
)

// jobLetters tell the jobs of a text chart apart, instances of a recurring job by one.
const jobLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// Marks of a text chart, from what matters least.
const (
	markIdle  = '·'
	markAway  = '×'
	markHeld  = '─'
	markFetch = '░'
	markLost  = '▒'
)

// Text is a chart of a row per slot and columns of equal time.
type Text struct {
	s *summary.Summary
	// A column is num/den ticks; one of the two is 1.
	num, den model.Time
	columns  int
	gutter   int
	width    int // of the page
}

// dueLabel heads the line of deadlines.
const dueLabel = "due"

// minColumns is the least room for which a chart is worth printing.
const minColumns = 30

// NewText fits a chart to the page; fits is false if there are too many
// lanes, jobs or ticks.
func NewText(s *summary.Summary, page table.Page) (g *Text, fits bool) {
	g = &Text{s: s, num: 1, den: 1, gutter: len(dueLabel), width: page.Width}
	for i := range s.JS.Slaves {
		g.gutter = max(g.gutter, min(table.DisplayWidth(s.JS.Slaves[i].Name), 16))
	}
	for i := range g.shared() {
		g.gutter = max(g.gutter, min(table.DisplayWidth(s.Shared[i].Name), 16))
	}
	room := page.Width - g.gutter - 1
	end := g.end()
	if room < minColumns || len(s.Families) > len(jobLetters) || s.Lanes() > maxTextLanes {
		return nil, false
	}
	if end <= model.Time(room) {
		g.den = min(model.Time(room)/end, 4)
	} else {
		g.num = roundUp((end + model.Time(room) - 1) / model.Time(room))
	}
	g.columns = int((end*g.den + g.num - 1) / g.num)
	lines := s.Lanes() + len(g.shared()) + 5 + len(g.legend())
	return g, page.Height == 0 || lines <= page.Height
}

// maxTextLanes keeps a chart to what a person can take in as characters.
const maxTextLanes = 100

// end is what the chart must show: the plan, and deadlines not far behind it.
func (g *Text) end() model.Time { return summary.ChartEnd(g.s) }

// roundUp is the least of 1, 2, 5, 10, 20, … that is n or more.
func roundUp(n model.Time) model.Time {
	for step := model.Time(1); ; step *= 10 {
		for _, f := range []model.Time{1, 2, 5} {
			if step*f >= n {
				return step * f
			}
		}
	}
}

// column is where a point in time lies.
func (g *Text) column(t model.Time) int { return int(t * g.den / g.num) }

// glyph is a character of the chart with its job, or none (-1). Where several
// share a column the one that weighs most is shown.
type glyph struct {
	r      rune
	job    model.JobID
	weight model.Time
}

// Write prints the chart, its axis, deadlines, slaves, pools and caps, and legend.
func (g *Text) Write(w io.Writer, color bool) {
	g.writeAxis(w, color)
	g.writeDeadlines(w, color)
	next := 0
	for i := range g.s.Slaves {
		line := &g.s.Slaves[i]
		first := next
		for next < len(g.s.Attempts) && g.s.Attempts[next].Slave == line.ID {
			next++
		}
		lanes := g.lanes(line, g.s.Attempts[first:next])
		name := table.Truncate(table.Printable(g.s.JS.Slaves[i].Name), g.gutter)
		for _, lane := range lanes {
			pad := strings.Repeat(" ", g.gutter-table.DisplayWidth(name))
			fmt.Fprintf(w, "%s%s %s\n", name, pad, g.render(lane, color))
			name = ""
		}
	}
	for i := range g.shared() {
		line := &g.s.Shared[i]
		name := table.Truncate(table.Printable(line.Name), g.gutter)
		pad := strings.Repeat(" ", g.gutter-table.DisplayWidth(name))
		fmt.Fprintf(w, "%s%s %s\n", name, pad, g.render(g.heldRow(line), color))
	}
	for _, line := range g.legend() {
		fmt.Fprintln(w, line)
	}
}

// mostSharedRows is how many pools and caps have a row.
const mostSharedRows = 8

// shared are the pools and caps that have a row.
func (g *Text) shared() []summary.SharedLine {
	return g.s.Shared[:min(len(g.s.Shared), mostSharedRows)]
}

// heldMarks say how much is held of a pool or a cap: up to an eighth of what there is, up to two, and
// so on, and last more than there is.
const heldMarks = "▁▂▃▄▅▆▇█!"

// heldRow is what is held of a pool or a cap, in each column the most of what there is at the same time.
func (g *Text) heldRow(line *summary.SharedLine) []glyph {
	row := make([]glyph, g.columns)
	for c := range row {
		row[c] = glyph{markIdle, -1, 0}
	}
	marks := []rune(heldMarks)
	for i, step := range line.Steps {
		end := g.end()
		if i+1 < len(line.Steps) {
			end = line.Steps[i+1].From
		}
		for k, level := range line.Levels {
			during := model.Interval{Start: level.From, End: end}
			if k+1 < len(line.Levels) {
				during.End = min(during.End, line.Levels[k+1].From)
			}
			if during = during.Intersect(model.Interval{Start: step.From, End: end}); during.Len() == 0 || step.Amount == 0 {
				continue
			}
			eighths := len(marks)
			if step.Amount <= level.Amount {
				eighths = int((8*step.Amount + level.Amount - 1) / level.Amount)
			}
			for c := g.column(during.Start); c < len(row) && model.Time(c)*g.num < during.End*g.den; c++ {
				if model.Time(eighths) > row[c].weight {
					row[c] = glyph{marks[eighths-1], -1, model.Time(eighths)}
				}
			}
		}
	}
	return row
}

// lanes draws a slave's rows: first what matters least, runs last.
func (g *Text) lanes(line *summary.SlaveLine, attempts []summary.Attempt) [][]glyph {
	rows := make([][]glyph, line.LaneCount())
	for i := range rows {
		rows[i] = make([]glyph, g.columns)
		for c := range rows[i] {
			rows[i][c] = glyph{markIdle, -1, 0}
		}
		for _, away := range g.s.Away[line.ID] {
			g.fill(rows[i], away, glyph{markAway, -1, 1})
		}
	}
	for i := range attempts {
		a := &attempts[i]
		job := g.s.JS.Tasks[a.Task].Job
		row := rows[a.Lane]
		g.fill(row, model.Interval{Start: a.Assigned, End: a.Fetch}, glyph{markHeld, job, 1})
		g.fill(row, model.Interval{Start: a.Fetch, End: a.Fetched}, glyph{markFetch, job, 2})
		g.fill(row, model.Interval{Start: a.Fetched, End: a.Start}, glyph{markHeld, job, 1})
		mark := g.letter(job)
		if a.Lost {
			mark = markLost
		}
		g.fill(row, model.Interval{Start: a.Start, End: a.Finish}, glyph{mark, job, 3})
	}
	return rows
}

// fill draws an interval into the columns that it meets, except where what is
// there weighs more: the time shared with the column counts by with.weight.
func (g *Text) fill(row []glyph, iv model.Interval, with glyph) {
	from, to := iv.Start*g.den, iv.End*g.den
	for c := from / g.num; c*g.num < to && int(c) < len(row); c++ {
		share := min(to, (c+1)*g.num) - max(from, c*g.num)
		if weight := share * with.weight; weight > row[c].weight {
			row[c] = glyph{with.r, with.job, weight}
		}
	}
}

func (g *Text) letter(job model.JobID) rune { return rune(jobLetters[g.s.FamilyOf[job]]) }

// render is a row as text; late jobs stand out.
func (g *Text) render(row []glyph, color bool) string {
	var b strings.Builder
	for i := 0; i < len(row); {
		j := i
		for j < len(row) && row[j].r == row[i].r && row[j].job == row[i].job {
			j++
		}
		b.WriteString(g.style(row[i]).Paint(strings.Repeat(string(row[i].r), j-i), color))
		i = j
	}
	return b.String()
}

// textColors tell neighbouring jobs apart on a terminal.
var textColors = []table.Style{"34", "32", "35", "36", "33", "94", "92", "95", "96", "93"}

func (g *Text) style(c glyph) table.Style {
	switch {
	case c.job < 0:
		return table.Faint
	case g.s.Jobs[c.job].Late > 0 && c.r != markHeld && c.r != markFetch && c.r != markLost:
		return table.Bad
	default:
		return textColors[g.s.FamilyOf[c.job]%len(textColors)]
	}
}

// writeAxis prints the marks of time above the columns they begin at.
func (g *Text) writeAxis(w io.Writer, color bool) {
	line := make([]rune, 0, g.columns)
	for _, m := range g.s.Clock.Axis(g.end(), max(1, g.columns/10)) {
		at := int(m.At * float64(g.den) / float64(g.num))
		if at < len(line) || at+len(m.Label) > g.columns+6 {
			continue
		}
		line = append(line, []rune(strings.Repeat(" ", at-len(line)))...)
		line = append(line, []rune("|"+m.Label+" ")...)
	}
	text := strings.TrimRight(string(line), " ")
	fmt.Fprintf(w, "%*s%s\n", g.gutter+1, "", table.Faint.Paint(text, color))
}

// writeDeadlines prints each job's letter just before its deadline; jobs that
// share a column go to further lines.
func (g *Text) writeDeadlines(w io.Writer, color bool) {
	var rows [][]glyph
	for i := range g.s.JS.Jobs {
		job := &g.s.JS.Jobs[i]
		if job.Due() > g.end() {
			continue
		}
		at := max(0, g.column(job.Due()-1))
		id := model.JobID(i)
		row := 0
		for row < len(rows) && rows[row][at].job >= 0 {
			row++
		}
		if row == len(rows) {
			blank := slices.Repeat([]glyph{{' ', -1, 0}}, g.columns)
			rows = append(rows, blank)
		}
		rows[row][at] = glyph{g.letter(id), id, 0}
	}
	for i, row := range rows {
		label := ""
		if i == 0 {
			label = dueLabel
		}
		fmt.Fprintf(w, "%-*s %s\n", g.gutter, label, strings.TrimRight(g.render(row, color), " "))
	}
}

// legend explains letters and marks, wrapped at the page's width.
func (g *Text) legend() []string {
	entries := []string{
		fmt.Sprintf("%c fetch", markFetch), fmt.Sprintf("%c wait", markHeld), fmt.Sprintf("%c free", markIdle),
	}
	if g.s.HasAway() {
		entries = append(entries, fmt.Sprintf("%c away", markAway))
	}
	if g.s.HasLost() {
		entries = append(entries, fmt.Sprintf("%c lost", markLost))
	}
	if len(g.shared()) > 0 {
		entries = append(entries, "▁▄█ held of a pool or cap: little, half, all")
	}
	switch {
	case g.num > 1:
		entries = append(entries, "a column is "+g.s.Clock.Length(g.num))
	case g.den > 1:
		entries = append(entries, fmt.Sprintf("%d columns are %s", g.den, g.s.Clock.Length(1)))
	}
	for f := range g.s.Families {
		family := &g.s.Families[f]
		entry := fmt.Sprintf("%c %s", jobLetters[f], table.Truncate(table.Printable(family.Title()), 20))
		if notes := g.s.FamilyNotes(family); notes != "" {
			entry += " (" + notes + ")"
		}
		entries = append(entries, entry)
	}
	var lines []string
	for _, e := range entries {
		last := len(lines) - 1
		if last >= 0 && table.DisplayWidth(lines[last])+3+table.DisplayWidth(e) <= g.width {
			lines[last] += "   " + e
		} else {
			lines = append(lines, e)
		}
	}
	return lines
}
