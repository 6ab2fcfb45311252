package gantt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// jobRows draws each job's window from release to deadline, the time it takes,
// and by how much it is late.
func (l *picture) jobRows() {
	for k, r := range l.rows {
		row, y := &l.plan.Rows[r], l.top+float64(k)*l.rowH
		back := l.jobRowBack(row, y)
		if len(row.Jobs) > 1 {
			add(&l.out, "", back...)
			back = nil
		}
		for _, j := range row.Jobs {
			add(&l.out, l.jobTitle(&l.Jobs[j]), l.job(row, j, y, back)...)
		}
	}
	if n := l.hidden(); n > 0 {
		add(&l.out, "", label{X: l.left + 6, Y: l.slavesTop - sectionGap - 5, Size: 11, Fill: toned(toneMuted),
			Text: fmt.Sprintf("and %s with more slack", wording.Count(n, "row"))})
	}
}

// jobRowBack draws what the jobs of a row have in common.
func (l *picture) jobRowBack(row *Row, y float64) []shape {
	shapes := []shape{rect{X: margin, Y: y, W: l.out.Width - 2*margin, H: l.rowH, Fill: toned(tonePaper).faded(0.01)}}
	if mid := y + l.rowH/2; l.rowH > 6 {
		shapes = append(shapes, label{X: l.left - 10, Y: mid + l.rowFont()*0.36, Size: l.rowFont(), Anchor: anchorEnd,
			Text: shorten(row.Name, maxGutter, l.rowFont(), false), Fill: toned(toneInk)})
		if row.Trouble != "" && len(row.Jobs) > 1 {
			shapes = append(shapes, label{X: l.left + l.plot + 8, Y: mid + 4, Text: row.Trouble, Size: min(11, l.rowFont()), Bold: true, Fill: toned(toneLate)})
		}
	}
	return shapes
}

// job draws a job upon shapes that lie behind it.
func (l *picture) job(row *Row, j int, y float64, shapes []shape) []shape {
	job := &l.plan.Jobs[j]
	c := jobPaint(job.Color)
	mid, thin, thick := y+l.rowH/2, max(1, l.rowH*0.2), max(2, l.rowH*0.55)
	windowEnd := l.until
	if job.Due >= 0 {
		windowEnd = min(job.Due, l.until)
	}
	shapes = append(shapes, l.band(min(job.Release, l.until), windowEnd, mid, thin, c.faded(0.45)))
	if job.Late > 0 {
		shapes = append(shapes, l.band(job.Due, job.Finish, mid, thin, toned(toneLate)))
	}
	if job.Out == "" {
		shapes = append(shapes, l.band(job.First, job.Finish, mid, thick, c))
	}
	if job.Late > 0 {
		past := l.band(max(job.Due, job.First), job.Finish, mid, thick, c)
		past.Stroke, past.StrokeWidth = toned(toneLate), min(2.5, thick/5)
		shapes = append(shapes, past)
	}
	if row.Trouble != "" && l.rowH > 6 && len(row.Jobs) == 1 {
		x := l.x(job.Finish) + 5
		if job.Out != "" {
			x = l.x(windowEnd) + 14 // clear of the mark of the deadline
		}
		shapes = append(shapes, label{X: x, Y: mid + 4, Text: row.Trouble,
			Size: min(11, l.rowFont()), Bold: true, Fill: toned(toneLate)})
	}
	if job.Due >= 0 {
		shapes = append(shapes, l.dueMark(job, y))
	}
	if text := l.beyond(row); text != "" && l.rowH > 6 {
		shapes = append(shapes, label{X: l.left + l.plot + 12, Y: mid + 4, Text: text, Size: min(11, l.rowFont()), Fill: toned(toneMuted)})
	}
	return shapes
}

// beyond tells the slack of a job alone in its row that is due later than the chart ends, ""
// if the chart shows it.
func (l *picture) beyond(row *Row) string {
	if l.plan.Jobs[row.Jobs[0]].Due <= l.until {
		return ""
	}
	return row.Slack
}

// band is a horizontal bar around a middle line.
func (l *picture) band(from, to model.Time, mid, height float64, fill paint) rect {
	return rect{X: l.x(from), Y: mid - height/2, W: max(0, l.x(to)-l.x(from)), H: height, Fill: fill}
}

// dueMark is a stroke at the deadline, or an arrow where it lies off the chart.
func (l *picture) dueMark(job *Job, y float64) shape {
	tone, width := toneMuted, 1.5
	if job.Kind == hard {
		tone, width = toneInk, 3
	}
	if job.Due > l.until {
		x, mid, h := l.left+l.plot+2, y+l.rowH/2, min(4, l.rowH/2)
		return polygon{Points: []float64{x, mid - h, x + 1.5*h, mid, x, mid + h}, Fill: toned(tone)}
	}
	x := l.x(job.Due)
	return line{X1: x, Y1: y + l.rowH*0.1, X2: x, Y2: y + l.rowH*0.9, Stroke: toned(tone), Width: width}
}

func (l *picture) jobTitle(line *summary.JobLine) string {
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

// needs says what a task holds of cores, named resources and pools; "" if it is one core.
func needs(js *model.JobSet, t model.TaskID) string {
	var parts []string
	task := &js.Tasks[t]
	for k, name := range js.Named {
		if units := task.Units(k); units > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", units, name))
		}
	}
	parts = append(parts, summary.TakesTexts(js, t)...)
	if cores := int(task.Cores()); cores > 1 || len(parts) > 0 {
		parts = append([]string{wording.Count(cores, "core")}, parts...)
	}
	return strings.Join(parts, ", ")
}

// slaveBacks draws what lies behind the attempts of the slaves.
func (l *picture) slaveBacks() {
	for i := range l.shown {
		if s := &l.shown[i]; s.alone() {
			add(&l.out, l.slaveTitle(&l.Slaves[s.slaves[0]]), l.slaveBack(s)...)
		}
	}
}

// slaveBack draws a slave's name, absences and heartbeats.
func (l *picture) slaveBack(s *strip) []shape {
	id, y, height := s.slaves[0], s.y, s.h
	slave := &l.plan.Slaves[id]
	end := l.left + l.plot
	shapes := []shape{line{X1: margin, Y1: y, X2: end, Y2: y, Stroke: toned(toneGrid), Width: 1}}
	size := min(12, height-2)
	if size >= 6 {
		shapes = append(shapes, label{X: margin, Y: y + size + 2, Size: size, Bold: true,
			Text: shorten(slave.Name, maxGutter, size, true), Fill: toned(toneInk)})
	}
	if height >= 30 {
		shapes = append(shapes, label{X: margin, Y: y + 27, Size: 10, Text: shorten(slave.Has, maxGutter, 10, false), Fill: toned(toneMuted)})
	}
	for _, iv := range l.absences(slave) {
		shapes = append(shapes, rect{X: l.x(iv.Start), Y: y + 1, W: l.x(iv.End) - l.x(iv.Start), H: height - 1,
			Fill: toned(toneAway).faded(0.25), Stroke: toned(toneAway), Hatched: true})
	}
	if xs := l.beats(id); len(xs) > 0 {
		shapes = append(shapes, ticks{Xs: xs, Y1: y + height - min(4, l.laneH/4), Y2: y + height, Stroke: toned(toneAway), Width: 1})
	}
	return shapes
}

// leastPresence is the width in pixels below which a slave's presence between two absences
// is not drawn: thousands of them would take long and show nothing.
const leastPresence = 0.25

// absences are those of a slave that are drawn.
func (l *picture) absences(slave *Slave) []model.Interval {
	var out []model.Interval
	for _, away := range slave.Away {
		iv := model.Interval{Start: away[0], End: away[1]}.Intersect(model.Interval{Start: 0, End: l.until})
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

func (l *picture) slaveTitle(row *summary.SlaveLine) string {
	slave := &l.JS.Slaves[row.ID]
	busy, held, fetching := row.Shares(slave)
	text := fmt.Sprintf("%s\n%s\n%s\ncores busy %s, slots held %s, fetching %s",
		slave.Name, l.plan.Slaves[row.ID].Has, wording.Count(row.Tasks, "task"), busy, held, fetching)
	for k, name := range l.JS.Named {
		if slave.Offers(k) > 0 {
			text += fmt.Sprintf("\n%s held %s", name, row.UnitsShare(slave, k))
		}
	}
	return text
}

// beats are the places of a slave's heartbeats, nil where they would crowd.
func (l *picture) beats(id int) []float64 {
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

// bar draws an attempt: a line while its slot is held, a low hatched bar
// while it fetches, a full bar while it runs, a pale one with a red edge if what
// it did was lost.
func (l *picture) bar(i int, slaveY float64) []shape {
	b := &l.plan.Bars[i]
	color := l.plan.Jobs[b.Job].Color
	c := jobPaint(color)
	pad := min(2, l.laneH/8)
	y, h := slaveY+float64(b.Lane)*l.laneH+pad, l.laneH-2*pad
	mid := y + h/2
	run := rect{X: l.x(b.Start), Y: y, W: l.width(b.Start, b.Finish), H: h, Fill: c}
	switch b.Edge {
	case lostEdge:
		run.Fill, run.Stroke, run.Hatched = c.faded(0.2), toned(toneLate), true
	case changedEdge:
		run.Stroke, run.StrokeWidth = toned(toneInk), min(2.5, h/7)
	case lateEdge:
		run.Stroke, run.StrokeWidth = toned(toneLate), min(2.5, h/7)
	}
	thin := min(2, h/2)
	shapes := []shape{
		l.band(b.Assigned, b.Fetch, mid, thin, c.faded(0.7)),
		l.band(b.Fetched, b.Start, mid, thin, c.faded(0.7)),
	}
	if b.Fetched > b.Fetch {
		shapes = append(shapes, rect{X: l.x(b.Fetch), Y: mid - h*0.3, W: l.width(b.Fetch, b.Fetched), H: h * 0.6,
			Fill: c.faded(0.35), Stroke: c, Hatched: true})
	}
	if b.Finish > b.Start {
		shapes = append(shapes, run)
	}
	if text, size := l.barText(l.Attempts[i].Task, run.W-6); text != "" && b.Edge != lostEdge {
		shapes = append(shapes, label{X: run.X + run.W/2, Y: mid + size*0.36, Text: text, Size: size, Anchor: anchorMiddle, Fill: inkOnJob(color)})
	}
	return shapes
}

// width leaves a gap before whatever follows, as long as the bar stays visible.
func (l *picture) width(from, to model.Time) float64 {
	w := l.x(to) - l.x(from)
	return max(w-1, min(w, 1))
}

// barText is the longest name of a task that fits its bar, "" if none does. A
// number without its stage would name two tasks of a job with several stages.
func (l *picture) barText(id model.TaskID, room float64) (text string, size float64) {
	size = min(11, l.laneH-5)
	if size < 8 {
		return "", 0
	}
	task := &l.JS.Tasks[id]
	job := &l.JS.Jobs[task.Job]
	names := []string{l.JS.TaskName(id), job.Name}
	if cores := int(task.Cores()); cores > 1 { // which has one lane all the same
		names = slices.Insert(names, 0, fmt.Sprintf("%s · %s", l.JS.TaskName(id), wording.Count(cores, "core")))
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

func (l *picture) attemptTitle(a *summary.Attempt) string {
	job := &l.JS.Jobs[l.JS.Tasks[a.Task].Job]
	lines := []string{
		l.JS.TaskName(a.Task) + " on " + l.JS.Slaves[a.Slave].Name,
		"assigned " + l.Clock.Point(a.Assigned),
	}
	if text := needs(l.JS, a.Task); text != "" {
		lines = append(lines, "holds "+text)
	}
	if a.Fetched > a.Fetch {
		lines = append(lines, fmt.Sprintf("fetches %s to %s", l.Clock.Point(a.Fetch), l.Clock.Point(a.Fetched)))
	}
	if a.Finish > a.Start {
		lines = append(lines, fmt.Sprintf("runs %s to %s", l.Clock.Point(a.Start), l.Clock.Point(a.Finish)))
	}
	if st, gang := l.JS.GangOf(a.Task); gang {
		lines = append(lines, fmt.Sprintf("starts together with its gang, %s of %s/%s", wording.Count(int(st.End-st.First), "task"), job.Name, st.Name))
	}
	if a.Lost {
		which := "the machine"
		if _, gang := l.JS.GangOf(a.Task); gang {
			which = "a machine of its gang"
		}
		lines = append(lines, "lost at "+l.Clock.Point(a.Finish)+", as "+which+" failed")
	}
	if job.Kind != model.BestEffort {
		lines = append(lines, fmt.Sprintf("%s deadline %s", job.Kind, l.Clock.Point(job.Due())))
	}
	return strings.Join(lines, "\n")
}

// deadlines marks each deadline at the head of the lanes and, where there are
// few, through them.
func (l *picture) deadlines() {
	for j := range l.plan.Jobs {
		job := &l.plan.Jobs[j]
		if job.Due < 0 || job.Due > l.until {
			continue
		}
		x, c := l.x(job.Due), jobPaint(job.Color)
		shapes := []shape{polygon{Points: []float64{x - 4, l.slavesTop - 9, x + 4, l.slavesTop - 9, x, l.slavesTop - 1}, Fill: c}}
		if l.plan.DueLines {
			shapes = append(shapes, line{X1: x, Y1: l.slavesTop, X2: x, Y2: l.bottom, Stroke: c, Width: 1.25, Dashed: true})
		}
		of := &l.JS.Jobs[j]
		add(&l.out, fmt.Sprintf("%s deadline of %s: %s", of.Kind, of.Name, l.Clock.Point(job.Due)), shapes...)
	}
}

// stripRows draws the slaves, those behind attempts first.
func (l *picture) stripRows() {
	for i := range l.shown {
		switch s := &l.shown[i]; {
		case s.idle:
			l.idleStrip(s)
		case s.shared != nil:
			l.sharedStrip(s)
		case s.alone():
			l.attempts(s)
		default:
			l.useStrip(s)
		}
	}
}

// attempts draws what a slave does.
func (l *picture) attempts(s *strip) {
	id := s.slaves[0]
	first, _ := slices.BinarySearchFunc(l.plan.Bars, id, func(b Bar, id int) int { return cmp.Compare(b.Slave, id) })
	for i := first; i < len(l.plan.Bars) && l.plan.Bars[i].Slave == id; i++ {
		add(&l.out, l.attemptTitle(&l.Attempts[i]), l.bar(i, s.y)...)
	}
}

// idleStrip names slaves that do nothing.
func (l *picture) idleStrip(s *strip) {
	var list []string
	for _, id := range s.slaves[:min(len(s.slaves), maxIdleNamed)] {
		list = append(list, l.plan.Slaves[id].Name)
	}
	names := strings.Join(list, ", ")
	if more := len(s.slaves) - len(list); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	add(&l.out, names, append(l.stripHead(s, fmt.Sprintf("%d idle", len(s.slaves)), ""),
		label{X: l.left + 6, Y: s.y + 13, Size: 11, Text: shorten(names, l.plot-12, 11, false), Fill: toned(toneMuted)})...)
}

// stripHead is what stands at the left of slaves that are drawn together.
func (l *picture) stripHead(s *strip, head, below string) []shape {
	shapes := []shape{
		line{X1: margin, Y1: s.y, X2: l.left + l.plot, Y2: s.y, Stroke: toned(toneGrid), Width: 1},
		label{X: margin, Y: s.y + 13, Size: 12, Bold: true, Text: shorten(head, maxGutter, 12, true), Fill: toned(toneInk)},
	}
	if below != "" {
		shapes = append(shapes, label{X: margin, Y: s.y + 27, Size: 10, Text: shorten(below, maxGutter, 10, false), Fill: toned(toneMuted)})
	}
	return shapes
}

// useStrip draws how many cores the slaves of a class use over time.
func (l *picture) useStrip(s *strip) {
	cores := s.class.Cores
	base, unit := s.y+s.h-3, (s.h-8)/float64(cores)
	points := []float64{l.left, base}
	used, last := int64(0), int64(0)
	for _, e := range l.plan.coresInUse(s.slaves) {
		x := l.x(e.at)
		points = append(points, x, base-float64(last)*unit)
		used += e.by
		points = append(points, x, base-float64(used)*unit)
		last = used
	}
	points = append(points, l.x(l.End), base)
	head := fmt.Sprintf("%s ×%d", s.class.Name, len(s.slaves))
	below := "use of " + wording.Count(cores, "core")
	add(&l.out, head+"\n"+below, append(l.stripHead(s, head, below),
		line{X1: l.left, Y1: base - float64(cores)*unit, X2: l.left + l.plot, Y2: base - float64(cores)*unit, Stroke: toned(toneGrid), Width: 1},
		polygon{Points: points, Fill: toned(toneMuted).faded(0.8)})...)
}

// sharedStrip draws what is held of a pool or a cap over time, and above it a line for what there is.
func (l *picture) sharedStrip(s *strip) {
	t := s.shared
	base := s.y + s.h - 3
	unit := (s.h - 10) / float64(t.most(l.until))
	shapes := l.stripHead(s, t.Name, t.There)
	held := l.stairs(t.Steps, 0, base, unit)
	shapes = append(shapes, polygon{Points: append(append([]float64{l.left, base}, held...), l.left+l.plot, base), Fill: toned(toneMuted).faded(0.8)})
	there := l.stairs(t.Levels, 0, base, unit)
	for k := 2; k < len(there); k += 2 {
		shapes = append(shapes, line{X1: there[k-2], Y1: there[k-1], X2: there[k], Y2: there[k+1], Stroke: toned(toneInk), Width: 1.25})
	}
	add(&l.out, t.Name+"\n"+t.There, shapes...)
}

// stairs are the corners of a line over amounts, each from a time on, from left to right.
func (l *picture) stairs(steps [][2]int64, last int64, base, unit float64) []float64 {
	points := []float64{}
	at := func(x float64) { points = append(points, x, base-float64(last)*unit) }
	if len(steps) == 0 || steps[0][0] > 0 {
		at(l.left)
	}
	for _, step := range steps {
		if step[0] >= int64(l.until) {
			break
		}
		x := l.x(model.Time(step[0]))
		if step[0] > 0 {
			at(x)
		}
		last = step[1]
		at(x)
	}
	at(l.left + l.plot)
	return points
}

// gangs leads a line through the starts of tasks that start together.
func (l *picture) gangs() {
	top := map[int]float64{} // by slave that is drawn with its lanes
	for i := range l.shown {
		if s := &l.shown[i]; s.alone() {
			top[s.slaves[0]] = s.y
		}
	}
	for _, g := range l.GangStarts() {
		first, last := math.Inf(1), math.Inf(-1)
		for _, i := range g.Attempts {
			b := &l.plan.Bars[i]
			if y, drawn := top[b.Slave]; drawn {
				mid := y + (float64(b.Lane)+0.5)*l.laneH
				first, last = min(first, mid), max(last, mid)
			}
		}
		if first >= last {
			continue
		}
		add(&l.out, fmt.Sprintf("gang of %s, %s: start together at %s", g.Name(l.JS), wording.Count(len(g.Attempts), "task"), l.Clock.Point(g.Start)),
			gangLine(l.x(g.Start), first, last)...)
	}
}

// gangLine joins the starts of a gang from top to bottom.
func gangLine(x, y1, y2 float64) []shape {
	return []shape{
		line{X1: x, Y1: y1, X2: x, Y2: y2, Stroke: toned(toneInk), Width: 1.5},
		line{X1: x - 3, Y1: y1, X2: x + 3, Y2: y1, Stroke: toned(toneInk), Width: 1.5},
		line{X1: x - 3, Y1: y2, X2: x + 3, Y2: y2, Stroke: toned(toneInk), Width: 1.5},
	}
}
