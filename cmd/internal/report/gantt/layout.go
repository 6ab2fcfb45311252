// Package gantt draws plans: as shapes for pictures, as pages for browsers, and as text.
// layout.go puts the rows of a summary into the shapes of shapes.go, fold.go says which
// rows share a line, text.go draws with characters.
package gantt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// Limits of a picture. Beyond them nobody could read it, or open it.
const (
	maxPictureHeight = 24000
	minPlotWidth     = 1080
	maxPlotWidth     = 2600
	leastPlotWidth   = 160 // of a picture whose width is asked for
	leastRow         = 9.0 // of rows and lanes where its height is
	mostRow          = 60.0
)

// Measures of a picture in pixels.
const (
	margin      = 20.0
	axisHeight  = 22.0
	sectionGap  = 16.0
	legendRow   = 24.0
	maxGutter   = 190.0
	attemptRoom = 24.0 // that an attempt should have on average in the busiest lane
	maxDueLines = 12   // deadlines drawn through the lanes; more would hide the bars
	minBeatGap  = 6.0  // between heartbeats, or none are drawn
)

// layout turns a summary into a scene.
type layout struct {
	*summary.Summary
	size           chart.Size // asked for
	most           limits
	out            scene
	left, plot     float64 // where time 0 is, and the width of the time shown
	until          model.Time
	rowH, laneH    float64
	rows           []summary.Family // of jobs
	rowOf          []int
	marks          []wording.Mark
	shown          []strip // of the slaves
	hidden         int     // rows of jobs that are left out
	top, slavesTop float64 // of the job rows and of the lanes
	bottom         float64
	entries        []legendEntry
}

// newScene draws a plan under two lines of heading, at a size that may be asked for. The
// error says that the plan is too large for a picture, or the picture too small for it.
func newScene(s *summary.Summary, title, subtitle string, size chart.Size) (*scene, error) {
	l := &layout{Summary: s, until: summary.ChartEnd(s), size: size}
	if err := l.fit(); err != nil {
		return nil, err
	}
	if l.bottom > maxPictureHeight {
		return nil, fmt.Errorf("the chart would need %s and %s, too much for a picture",
			wording.Count(len(l.rows), "job row"), wording.Count(l.lanesShown(), "lane"))
	}
	l.out.Sized, l.out.About = size != chart.Size{}, fmt.Sprintf("Gantt chart of %s: %s", title, subtitle)
	add(&l.out, "", rect{W: l.out.Width, H: l.out.Height, Fill: toned(tonePaper)})
	l.heading(title, subtitle)
	l.grid()
	l.jobRows()
	l.slaveBacks()
	l.deadlines()
	l.stripRows()
	l.legend()
	return &l.out, nil
}

func add(s *scene, title string, shapes ...shape) {
	s.Groups = append(s.Groups, group{Title: title, Shapes: shapes})
}

// step is the height of a row when there are n of them.
func step(n int, few int, heights ...float64) float64 {
	for _, h := range heights {
		if n <= few {
			return h
		}
		few *= 3
	}
	return heights[len(heights)-1]
}

// fit chooses what is drawn one by one: as much as the height allows that is asked for, or
// what suits.
func (l *layout) fit() error {
	want := math.Round(float64(l.size.Height / chart.Pixel))
	for _, l.most = range foldings {
		if l.measure(); l.plot < leastPlotWidth {
			return fmt.Errorf("the picture would be too narrow: this plan needs a width of %.0fpx at least", math.Ceil(l.out.Width-l.plot+leastPlotWidth))
		}
		if want == 0 || l.stretch(want) {
			return nil
		}
	}
	return fmt.Errorf("the picture would be too low: this plan needs a height of %.0fpx at least", l.leastHeight())
}

// stretch gives rows and lanes the height that is left for them, unless that is too little.
func (l *layout) stretch(want float64) bool {
	lanes := float64(l.lanesShown())
	flexible := float64(len(l.rows))*l.rowH + lanes*l.laneH
	by := 1 + (want-l.out.Height)/max(1, flexible)
	rowH, laneH := min(l.rowH*by, mostRow), min(l.laneH*by, mostRow)
	if rowH < leastRow || lanes > 0 && laneH < leastRow {
		return false
	}
	l.rowH, l.laneH = rowH, laneH
	l.place()
	l.out.Height = want
	return l.bottom+l.foot() <= want+1
}

// leastHeight is that of the picture with the lowest rows and lanes.
func (l *layout) leastHeight() float64 {
	l.rowH, l.laneH = leastRow, leastRow
	l.place()
	return l.out.Height
}

func (l *layout) measure() {
	l.rows, l.rowOf = chartRows(l.Summary)
	l.hidden = l.foldJobs()
	l.shown = l.strips()
	l.rowH = step(len(l.rows), 40, 20, 14)
	l.laneH = step(l.lanesShown(), 60, 20, 14)
	gutter := 60.0
	for i := range l.JS.Slaves {
		gutter = max(gutter, textWidth(table.Printable(l.JS.Slaves[i].Name), 12, true), textWidth(capacityText(l.JS, &l.JS.Slaves[i]), 10, false))
	}
	for i := range l.rows {
		gutter = max(gutter, textWidth(table.Printable(l.rows[i].Title()), l.rowFont(), false))
	}
	l.left = margin + min(gutter, maxGutter) + 10
	right := margin + 20
	for i := range l.rows {
		if text := l.Troubles(&l.rows[i]); text != "" {
			right = max(right, margin+textWidth(text, 11, true))
		}
		if text := l.beyond(&l.rows[i]); text != "" {
			right = max(right, margin+10+textWidth(text, 11, false))
		}
	}
	if l.plot = l.plotWidth(); l.size.Width > 0 {
		l.plot = math.Round(float64(l.size.Width/chart.Pixel)) - l.left - right
	}
	l.out.Width = math.Ceil(l.left + l.plot + right)
	l.marks = l.Clock.Axis(l.until, max(1, int(l.plot/90)))
	l.entries = l.legendEntries()
	l.place()
}

// foot is the height of what stands below the lanes.
func (l *layout) foot() float64 { return axisHeight + l.legendHeight() + margin }

// place gives rows and strips their places, and the picture its height.
func (l *layout) place() {
	l.top = margin + 50 + axisHeight
	l.slavesTop = l.top + float64(len(l.rows))*l.rowH + sectionGap
	if l.hidden > 0 {
		l.slavesTop += idleHeight
	}
	l.bottom = l.placeStrips()
	l.out.Height = math.Ceil(l.bottom + l.foot())
}

// plotWidth gives the busiest lane room.
func (l *layout) plotWidth() float64 {
	type lane struct {
		slave model.SlaveID
		lane  int
	}
	n, busiest := map[lane]int{}, 0
	for i := range l.Attempts {
		k := lane{l.Attempts[i].Slave, l.Attempts[i].Lane}
		n[k]++
		busiest = max(busiest, n[k])
	}
	return min(max(minPlotWidth, float64(busiest)*attemptRoom), maxPlotWidth)
}

func (l *layout) x(t model.Time) float64 { return l.left + float64(t)/float64(l.until)*l.plot }

// rowFont is the size of job names, too small to read where rows are.
func (l *layout) rowFont() float64 { return min(12, l.rowH-3) }

func (l *layout) heading(title, subtitle string) {
	room := l.out.Width - 2*margin
	add(&l.out, "",
		label{X: margin, Y: margin + 12, Text: shorten(title, room, 18, true), Size: 18, Bold: true, Fill: toned(toneInk)},
		label{X: margin, Y: margin + 33, Text: shorten(subtitle, room, 13, false), Size: 13, Fill: toned(toneMuted)})
}

// grid draws panels, lines of time, and the axis above and below.
func (l *layout) grid() {
	jobsHeight := l.slavesTop - sectionGap - l.top
	xs := make([]float64, len(l.marks))
	shapes := []shape{
		rect{X: l.left, Y: l.top, W: l.plot, H: jobsHeight, Fill: toned(tonePanel)},
		rect{X: l.left, Y: l.slavesTop, W: l.plot, H: l.bottom - l.slavesTop, Fill: toned(tonePanel)},
	}
	for i, m := range l.marks {
		xs[i] = l.left + m.At/float64(l.until)*l.plot
		for _, y := range []float64{l.top - 7, l.bottom + 15} {
			shapes = append(shapes, label{X: xs[i], Y: y, Text: m.Label, Size: 11, Anchor: anchorMiddle, Fill: toned(toneMuted)})
		}
	}
	shapes = append(shapes, ticks{Xs: xs, Y1: l.top - 4, Y2: l.bottom + 4, Stroke: toned(toneGrid), Width: 1})
	add(&l.out, "", shapes...)
}

// chartRows are the rows of jobs, and the row of each: instances of a recurring job
// share one if each has ended, and is due, before the next is released.
func chartRows(s *summary.Summary) (rows []summary.Family, of []int) {
	of = make([]int, len(s.Jobs))
	rowOf := make([]int, len(s.Families)) // plus 1, of those that share one
	for i, f := range s.FamilyOf {
		id := model.JobID(i)
		if rowOf[f] == 0 {
			rows = append(rows, summary.Family{Name: s.JS.Jobs[i].Name})
			if apart(s, &s.Families[f]) {
				rowOf[f] = len(rows)
				rows[len(rows)-1].Name = s.Families[f].Name
			}
		}
		of[i] = len(rows) - 1
		if rowOf[f] > 0 {
			of[i] = rowOf[f] - 1
		}
		rows[of[i]].Jobs = append(rows[of[i]].Jobs, id)
	}
	return rows, of
}

// apart tells that each job of a family has ended, and is due, before the next is released.
func apart(s *summary.Summary, f *summary.Family) bool {
	until := model.Time(0)
	for _, id := range f.Jobs {
		job := &s.JS.Jobs[id]
		if job.Release < until {
			return false
		}
		until = s.Jobs[id].Finish
		if job.Kind != model.BestEffort {
			until = max(until, job.Due())
		}
	}
	return true
}

// jobRows draws each job's window from release to deadline, the time it takes,
// and by how much it is late.
func (l *layout) jobRows() {
	for r := range l.rows {
		row, y := &l.rows[r], l.top+float64(r)*l.rowH
		back := l.jobRowBack(row, y)
		if len(row.Jobs) > 1 {
			add(&l.out, "", back...)
			back = nil
		}
		for _, id := range row.Jobs {
			l.jobRow(&l.Jobs[id], y, back)
		}
	}
	if l.hidden > 0 {
		add(&l.out, "", label{X: l.left + 6, Y: l.slavesTop - sectionGap - 5, Size: 11, Fill: toned(toneMuted),
			Text: fmt.Sprintf("and %s with more slack", wording.Count(l.hidden, "row"))})
	}
}

// jobRowBack draws what the jobs of a row have in common.
func (l *layout) jobRowBack(row *summary.Family, y float64) []shape {
	shapes := []shape{rect{X: margin, Y: y, W: l.out.Width - 2*margin, H: l.rowH, Fill: toned(tonePaper).faded(0.01)}}
	if mid := y + l.rowH/2; l.rowH > 6 {
		shapes = append(shapes, label{X: l.left - 10, Y: mid + l.rowFont()*0.36, Size: l.rowFont(), Anchor: anchorEnd,
			Text: shorten(table.Printable(row.Title()), maxGutter, l.rowFont(), false), Fill: toned(toneInk)})
		if text := l.Troubles(row); text != "" && len(row.Jobs) > 1 {
			shapes = append(shapes, label{X: l.left + l.plot + 8, Y: mid + 4, Text: text, Size: min(11, l.rowFont()), Bold: true, Fill: toned(toneLate)})
		}
	}
	return shapes
}

// jobRow draws a job upon shapes that lie behind it.
func (l *layout) jobRow(line *summary.JobLine, y float64, shapes []shape) {
	job, c := &l.JS.Jobs[line.ID], jobPaint(l.FamilyOf[line.ID])
	mid, thin, thick := y+l.rowH/2, max(1, l.rowH*0.2), max(2, l.rowH*0.55)
	windowEnd := min(job.Due(), l.until)
	shapes = append(shapes, l.band(min(job.Release, l.until), windowEnd, mid, thin, c.faded(0.45)))
	if line.Late > 0 {
		shapes = append(shapes, l.band(job.Due(), line.Finish, mid, thin, toned(toneLate)))
	}
	if line.Out() == "" {
		shapes = append(shapes, l.band(line.First, line.Finish, mid, thick, c))
	}
	if line.Late > 0 {
		past := l.band(max(job.Due(), line.First), line.Finish, mid, thick, c)
		past.Stroke, past.StrokeWidth = toned(toneLate), min(2.5, thick/5)
		shapes = append(shapes, past)
	}
	if text := l.Trouble(line); text != "" && l.rowH > 6 && len(l.rows[l.rowOf[line.ID]].Jobs) == 1 {
		x := l.x(line.Finish) + 5
		if line.Out() != "" {
			x = l.x(windowEnd) + 14 // clear of the mark of the deadline
		}
		shapes = append(shapes, label{X: x, Y: mid + 4, Text: text,
			Size: min(11, l.rowFont()), Bold: true, Fill: toned(toneLate)})
	}
	if job.Kind != model.BestEffort {
		shapes = append(shapes, l.dueMark(job, y))
	}
	if text := l.beyond(&l.rows[l.rowOf[line.ID]]); text != "" && l.rowH > 6 {
		shapes = append(shapes, label{X: l.left + l.plot + 12, Y: mid + 4, Text: text, Size: min(11, l.rowFont()), Fill: toned(toneMuted)})
	}
	add(&l.out, l.jobTitle(line), shapes...)
}

// beyond tells the slack of a job alone in its row that is due later than the chart ends, ""
// if the chart shows it.
func (l *layout) beyond(row *summary.Family) string {
	line := &l.Jobs[row.Jobs[0]]
	job := &l.JS.Jobs[line.ID]
	if len(row.Jobs) > 1 || job.Kind == model.BestEffort || job.Due() <= l.until || line.Out() != "" {
		return ""
	}
	return "slack " + l.Clock.Span(line.Slack(l.JS))
}

// band is a horizontal bar around a middle line.
func (l *layout) band(from, to model.Time, mid, height float64, fill paint) rect {
	return rect{X: l.x(from), Y: mid - height/2, W: max(0, l.x(to)-l.x(from)), H: height, Fill: fill}
}

// dueMark is a stroke at the deadline, or an arrow where it lies off the chart.
func (l *layout) dueMark(job *model.Job, y float64) shape {
	tone, width := toneMuted, 1.5
	if job.Kind == model.Hard {
		tone, width = toneInk, 3
	}
	if job.Due() > l.until {
		x, mid, h := l.left+l.plot+2, y+l.rowH/2, min(4, l.rowH/2)
		return polygon{Points: []float64{x, mid - h, x + 1.5*h, mid, x, mid + h}, Fill: toned(tone)}
	}
	x := l.x(job.Due())
	return line{X1: x, Y1: y + l.rowH*0.1, X2: x, Y2: y + l.rowH*0.9, Stroke: toned(tone), Width: width}
}

func (l *layout) jobTitle(line *summary.JobLine) string {
	job := &l.JS.Jobs[line.ID]
	text := fmt.Sprintf("%s (%s)\nrelease %s", job.Name, wording.Kind(job), l.Clock.Point(job.Release))
	if len(job.After) > 0 {
		text += "\nafter " + l.After(summary.JobRow{line.ID})
	}
	if !job.Chain() {
		text += "\n" + strings.Join(stageGraph(job), "\n")
	}
	if job.Kind != model.BestEffort {
		text += "\ndeadline " + l.Clock.Point(job.Due())
	}
	if out := line.Out(); out != "" {
		return text + "\n" + out
	}
	text += "\nfinish " + l.Clock.Point(line.Finish)
	switch {
	case line.Late > 0:
		text += "\n" + l.Trouble(line)
	case job.Kind != model.BestEffort:
		text += "\nslack " + l.Clock.Span(line.Slack(l.JS))
	}
	return text + "\n" + summary.Uses(l.JS, line.Uses)
}

// stageGraph says of each stage of a job which ones it comes after.
func stageGraph(job *model.Job) []string {
	var out []string
	for k := range job.Stages {
		st := &job.Stages[k]
		var names []string
		for _, before := range st.After {
			names = append(names, job.Stages[before].Name)
		}
		text := "stage " + st.Name
		if len(names) > 0 {
			text += " after " + summary.FirstFew(names)
		}
		out = append(out, text)
	}
	return out
}

// capacityText says what a slave has.
func capacityText(js *model.JobSet, s *model.Slave) string {
	slots := wording.Count(s.Slots, "slot")
	if s.SplitSlots {
		slots = fmt.Sprintf("%d+%d slots", s.MapSlots, s.ReduceSlots)
	}
	parts := []string{wording.Count(s.Cores, "core"), slots}
	for k, name := range js.Named {
		if units := s.Offers(k); units > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", units, name))
		}
	}
	return table.Printable(strings.Join(parts, ", "))
}

// needs says what a task holds of cores and named resources; "" if it is one core.
func needs(js *model.JobSet, task *model.Task) string {
	var parts []string
	for k, name := range js.Named {
		if units := task.Units(k); units > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", units, name))
		}
	}
	if cores := int(task.Cores()); cores > 1 || len(parts) > 0 {
		parts = append([]string{wording.Count(cores, "core")}, parts...)
	}
	return strings.Join(parts, ", ")
}

// slaveBacks draws what lies behind the attempts of the slaves.
func (l *layout) slaveBacks() {
	for i := range l.shown {
		if s := &l.shown[i]; s.alone() {
			l.slaveBack(&l.Slaves[s.slaves[0]], s.y, s.h)
		}
	}
}

// slaveBack draws a slave's name, absences and heartbeats.
func (l *layout) slaveBack(row *summary.SlaveLine, y, height float64) {
	slave := &l.JS.Slaves[row.ID]
	end := l.left + l.plot
	shapes := []shape{line{X1: margin, Y1: y, X2: end, Y2: y, Stroke: toned(toneGrid), Width: 1}}
	size := min(12, height-2)
	if size >= 6 {
		shapes = append(shapes, label{X: margin, Y: y + size + 2, Size: size, Bold: true,
			Text: shorten(table.Printable(slave.Name), maxGutter, size, true), Fill: toned(toneInk)})
	}
	if height >= 30 {
		shapes = append(shapes, label{X: margin, Y: y + 27, Size: 10, Text: shorten(capacityText(l.JS, slave), maxGutter, 10, false), Fill: toned(toneMuted)})
	}
	for _, iv := range l.absences(row.ID) {
		shapes = append(shapes, rect{X: l.x(iv.Start), Y: y + 1, W: l.x(iv.End) - l.x(iv.Start), H: height - 1,
			Fill: toned(toneAway).faded(0.25), Stroke: toned(toneAway), Hatched: true})
	}
	if xs := l.beats(row.ID); len(xs) > 0 {
		shapes = append(shapes, ticks{Xs: xs, Y1: y + height - min(4, l.laneH/4), Y2: y + height, Stroke: toned(toneAway), Width: 1})
	}
	add(&l.out, l.slaveTitle(row, slave), shapes...)
}

// leastPresence is the width in pixels below which a slave's presence between two absences
// is not drawn: thousands of them would take long and show nothing.
const leastPresence = 0.25

// absences are those of a slave that are drawn.
func (l *layout) absences(id model.SlaveID) []model.Interval {
	var out []model.Interval
	for _, away := range l.Away[id] {
		iv := away.Intersect(model.Interval{Start: 0, End: l.until})
		switch n := len(out); {
		case iv.Len() == 0:
		case n > 0 && l.x(iv.Start)-l.x(out[n-1].End) < leastPresence:
			out[n-1].End = iv.End
		default:
			out = append(out, iv)
		}
	}
	return out
}

func (l *layout) slaveTitle(row *summary.SlaveLine, slave *model.Slave) string {
	busy, held, fetching := row.Shares(slave)
	text := fmt.Sprintf("%s\n%s\n%s\ncores busy %s, slots held %s, fetching %s",
		slave.Name, capacityText(l.JS, slave), wording.Count(row.Tasks, "task"), busy, held, fetching)
	for k, name := range l.JS.Named {
		if slave.Offers(k) > 0 {
			text += fmt.Sprintf("\n%s held %s", name, row.UnitsShare(slave, k))
		}
	}
	return text
}

// beats are the places of a slave's heartbeats, nil where they would crowd.
func (l *layout) beats(id model.SlaveID) []float64 {
	if float64(l.JS.Heartbeat)/float64(l.until)*l.plot < minBeatGap {
		return nil
	}
	var xs []float64
	slave := &l.JS.Slaves[id]
	for t := slave.FirstBeat; t <= l.until; t += l.JS.Heartbeat {
		if slave.Up(model.Interval{Start: t, End: t + 1}) {
			xs = append(xs, l.x(t))
		}
	}
	return xs
}

// attempt draws one task: a line while its slot is held, a low hatched bar
// while it fetches, a full bar while it runs, a pale one with a red edge if what
// it did was lost.
func (l *layout) attempt(a *summary.Attempt, slaveY float64) {
	id := l.JS.Tasks[a.Task].Job
	c := jobPaint(l.FamilyOf[id])
	pad := min(2, l.laneH/8)
	y, h := slaveY+float64(a.Lane)*l.laneH+pad, l.laneH-2*pad
	mid := y + h/2
	run := rect{X: l.x(a.Start), Y: y, W: l.width(a.Start, a.Finish), H: h, Fill: c}
	switch {
	case a.Lost:
		run.Fill, run.Stroke, run.Hatched = c.faded(0.2), toned(toneLate), true
	case a.Changed:
		run.Stroke, run.StrokeWidth = toned(toneInk), min(2.5, h/7)
	case a.Finish > l.JS.Jobs[id].Due():
		run.Stroke, run.StrokeWidth = toned(toneLate), min(2.5, h/7)
	}
	thin := min(2, h/2)
	shapes := []shape{
		l.band(a.Assigned, a.Fetch, mid, thin, c.faded(0.7)),
		l.band(a.Fetched, a.Start, mid, thin, c.faded(0.7)),
	}
	if a.Fetched > a.Fetch {
		shapes = append(shapes, rect{X: l.x(a.Fetch), Y: mid - h*0.3, W: l.width(a.Fetch, a.Fetched), H: h * 0.6,
			Fill: c.faded(0.35), Stroke: c, Hatched: true})
	}
	if a.Finish > a.Start {
		shapes = append(shapes, run)
	}
	if text, size := l.barText(a, run.W-6); text != "" && !a.Lost {
		shapes = append(shapes, label{X: run.X + run.W/2, Y: mid + size*0.36, Text: text, Size: size, Anchor: anchorMiddle, Fill: inkOnJob(l.FamilyOf[id])})
	}
	add(&l.out, l.attemptTitle(a), shapes...)
}

// width leaves a gap before whatever follows, as long as the bar stays visible.
func (l *layout) width(from, to model.Time) float64 {
	w := l.x(to) - l.x(from)
	return max(w-1, min(w, 1))
}

// barText is the longest name of a task that fits its bar, "" if none does. A
// number without its stage would name two tasks of a job with several stages.
func (l *layout) barText(a *summary.Attempt, room float64) (text string, size float64) {
	size = min(11, l.laneH-5)
	if size < 8 {
		return "", 0
	}
	task := &l.JS.Tasks[a.Task]
	job := &l.JS.Jobs[task.Job]
	names := []string{l.JS.TaskName(a.Task), job.Name}
	if cores := int(task.Cores()); cores > 1 { // which has one lane all the same
		names = slices.Insert(names, 0, fmt.Sprintf("%s · %s", l.JS.TaskName(a.Task), wording.Count(cores, "core")))
	}
	if len(job.Stages) == 1 {
		names = slices.Insert(names, len(names)-1, fmt.Sprintf("%s/%d", job.Name, task.Number))
	}
	for _, name := range names {
		if text := table.Printable(name); textWidth(text, size, false) <= room {
			return text, size
		}
	}
	return "", 0
}

func (l *layout) attemptTitle(a *summary.Attempt) string {
	job := &l.JS.Jobs[l.JS.Tasks[a.Task].Job]
	lines := []string{
		l.JS.TaskName(a.Task) + " on " + l.JS.Slaves[a.Slave].Name,
		"assigned " + l.Clock.Point(a.Assigned),
	}
	if text := needs(l.JS, &l.JS.Tasks[a.Task]); text != "" {
		lines = append(lines, "holds "+text)
	}
	if a.Fetched > a.Fetch {
		lines = append(lines, fmt.Sprintf("fetches %s to %s", l.Clock.Point(a.Fetch), l.Clock.Point(a.Fetched)))
	}
	if a.Finish > a.Start {
		lines = append(lines, fmt.Sprintf("runs %s to %s", l.Clock.Point(a.Start), l.Clock.Point(a.Finish)))
	}
	if a.Lost {
		lines = append(lines, "lost at "+l.Clock.Point(a.Finish)+", as the machine failed")
	}
	if job.Kind != model.BestEffort {
		lines = append(lines, fmt.Sprintf("%s deadline %s", job.Kind, l.Clock.Point(job.Due())))
	}
	return strings.Join(lines, "\n")
}

// deadlines marks each deadline at the head of the lanes and, where there are
// few, through them.
func (l *layout) deadlines() {
	for i := range l.JS.Jobs {
		job := &l.JS.Jobs[i]
		if job.Due() > l.until {
			continue
		}
		x, c := l.x(job.Due()), jobPaint(l.FamilyOf[i])
		shapes := []shape{polygon{Points: []float64{x - 4, l.slavesTop - 9, x + 4, l.slavesTop - 9, x, l.slavesTop - 1}, Fill: c}}
		if len(l.Jobs) <= maxDueLines {
			shapes = append(shapes, line{X1: x, Y1: l.slavesTop, X2: x, Y2: l.bottom, Stroke: c, Width: 1.25, Dashed: true})
		}
		add(&l.out, fmt.Sprintf("%s deadline of %s: %s", job.Kind, job.Name, l.Clock.Point(job.Due())), shapes...)
	}
}
