package gantt

import (
	"fmt"
	"math"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// Limits of a picture. Beyond them nobody could read it, or open it.
const (
	maxPictureHeight = 24000
	minPlotWidth     = 1080
	maxPlotWidth     = 2600
	leastPlotWidth   = 160  // of a picture whose width is asked for
	leastRow         = 9.0  // of rows and lanes where its height is
	leastOwnRow      = 14.0 // of rows and lanes where it is not
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
	minBeatGap  = 6.0  // between heartbeats, or none are drawn
)

// picture gives a layout a size, and makes a scene of it. What a pointer is told comes from
// the summary.
type picture struct {
	*summary.Summary
	plan           *Layout
	size           chart.Size // asked for
	most           limits
	out            scene
	left, plot     float64 // where time 0 is, and the width of the time shown
	until          model.Time
	rowH, laneH    float64
	rows           []int // of jobs, of plan.Rows
	marks          []wording.Mark
	shown          []strip // of the slaves
	top, slavesTop float64 // of the job rows and of the lanes
	bottom         float64
	entries        []legendEntry
}

// newScene draws a plan under two lines of heading, at a size that may be asked for. The
// error says that the plan is too large for a picture, or the picture too small for it.
func newScene(s *summary.Summary, plan *Layout, title, subtitle string, size chart.Size) (*scene, error) {
	l := &picture{Summary: s, plan: plan, until: plan.Shown, size: size}
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
	l.gangs()
	l.legend()
	return &l.out, nil
}

func add(s *scene, title string, shapes ...shape) {
	s.Groups = append(s.Groups, group{Title: title, Shapes: shapes})
}

// fit chooses what is drawn one by one: as much as the height allows that is asked for, or
// what suits.
func (l *picture) fit() error {
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
func (l *picture) stretch(want float64) bool {
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
func (l *picture) leastHeight() float64 {
	l.rowH, l.laneH = leastRow, leastRow
	l.place()
	return l.out.Height
}

func (l *picture) measure() {
	l.rows = mostUrgent(l.Summary, l.plan.Rows, l.most.rows)
	l.shown = append(l.strips(), l.sharedStrips()...)
	l.rowH = max(l.plan.RowHeights.of(len(l.rows)), leastOwnRow)
	l.laneH = max(l.plan.LaneHeights.of(l.lanesShown()), leastOwnRow)
	gutter := 60.0
	for i := range l.plan.Shared {
		gutter = max(gutter, textWidth(l.plan.Shared[i].Name, 12, true))
	}
	for i := range l.plan.Slaves {
		gutter = max(gutter, textWidth(l.plan.Slaves[i].Name, 12, true), textWidth(l.plan.Slaves[i].Has, 10, false))
	}
	right := margin + 20
	for _, r := range l.rows {
		row := &l.plan.Rows[r]
		gutter = max(gutter, textWidth(row.Name, l.rowFont(), false))
		if row.Trouble != "" {
			right = max(right, margin+textWidth(row.Trouble, 11, true))
		}
		if text := l.beyond(row); text != "" {
			right = max(right, margin+10+textWidth(text, 11, false))
		}
	}
	l.left = margin + min(gutter, maxGutter) + 10
	if l.plot = l.plotWidth(); l.size.Width > 0 {
		l.plot = math.Round(float64(l.size.Width/chart.Pixel)) - l.left - right
	}
	l.out.Width = math.Ceil(l.left + l.plot + right)
	l.marks = l.Clock.Axis(l.until, max(1, int(l.plot/90)))
	l.entries = l.legendEntries()
	l.place()
}

// foot is the height of what stands below the lanes.
func (l *picture) foot() float64 { return axisHeight + l.legendHeight() + margin }

// place gives rows and strips their places, and the picture its height.
func (l *picture) place() {
	l.top = margin + 50 + axisHeight
	l.slavesTop = l.top + float64(len(l.rows))*l.rowH + sectionGap
	if l.hidden() > 0 {
		l.slavesTop += idleHeight
	}
	l.bottom = l.placeStrips()
	l.out.Height = math.Ceil(l.bottom + l.foot())
}

// plotWidth gives the busiest lane room.
func (l *picture) plotWidth() float64 {
	type lane struct{ slave, lane int }
	n, busiest := map[lane]int{}, 0
	for i := range l.plan.Bars {
		k := lane{l.plan.Bars[i].Slave, l.plan.Bars[i].Lane}
		n[k]++
		busiest = max(busiest, n[k])
	}
	return min(max(minPlotWidth, float64(busiest)*attemptRoom), maxPlotWidth)
}

func (l *picture) x(t model.Time) float64 { return l.left + float64(t)/float64(l.until)*l.plot }

// rowFont is the size of job names, too small to read where rows are.
func (l *picture) rowFont() float64 { return min(12, l.rowH-3) }

func (l *picture) heading(title, subtitle string) {
	room := l.out.Width - 2*margin
	add(&l.out, "",
		label{X: margin, Y: margin + 12, Text: shorten(title, room, 18, true), Size: 18, Bold: true, Fill: toned(toneInk)},
		label{X: margin, Y: margin + 33, Text: shorten(subtitle, room, 13, false), Size: 13, Fill: toned(toneMuted)})
}

// grid draws panels, lines of time, and the axis above and below.
func (l *picture) grid() {
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

// What a picture draws one by one; of more, equals are drawn as one.
const (
	maxLanesShown = 150  // of all slaves together
	useHeight     = 44.0 // of the cores that slaves of a class use together
	idleHeight    = 18.0
	maxIdleNamed  = 100
)

// limits are how many lanes, rows of jobs, and pools and caps are drawn one by one.
type limits struct{ lanes, rows, shared int }

// foldings are what pictures draw, the first of them if it fits into a height that is asked
// for, and so on.
var foldings = []limits{{maxLanesShown, 100, mostShared}, {75, 50, 12}, {40, 25, 6}, {0, 25, 3}, {0, 12, 3}}

// strip is a part of the picture from top to bottom: a slave with its lanes, slaves that
// are idle, the slaves of a class together, or a pool or a cap.
type strip struct {
	slaves []int // of Layout.Slaves, ascending
	class  *Class
	shared *SharedTrack
	y, h   float64
	idle   bool
}

// alone tells that the strip shows a slave with its lanes.
func (s *strip) alone() bool { return !s.idle && len(s.slaves) == 1 }

// strips are what is shown of the slaves. Where their lanes are too many, the idle slaves
// of a class share a line; where that is not enough, slaves of a class are drawn together.
func (l *picture) strips() []strip {
	var out []strip
	each := func(slaves []int) {
		for _, i := range slaves {
			out = append(out, strip{slaves: []int{i}})
		}
	}
	if l.Lanes() <= l.most.lanes {
		for i := range l.plan.Slaves {
			each([]int{i})
		}
		return out
	}
	busyLanes := 0
	for k := range l.plan.Classes {
		for _, i := range l.plan.Classes[k].Busy {
			busyLanes += l.plan.Slaves[i].Lanes
		}
	}
	for k := range l.plan.Classes {
		c := &l.plan.Classes[k]
		all := c.all()
		if busyLanes > l.most.lanes && len(all) > 1 {
			out = append(out, strip{slaves: all, class: c})
			continue
		}
		each(c.Busy)
		if len(c.Idle) > 0 {
			out = append(out, strip{slaves: c.Idle, idle: true})
		}
	}
	return out
}

// sharedStrips are what is shown of pools and caps.
func (l *picture) sharedStrips() []strip {
	var out []strip
	for i := range l.plan.Shared[:min(len(l.plan.Shared), l.most.shared)] {
		out = append(out, strip{shared: &l.plan.Shared[i]})
	}
	return out
}

// hidden is the number of rows of jobs that are left out.
func (l *picture) hidden() int { return len(l.plan.Rows) - len(l.rows) }

// placeStrips gives strips their places and answers with where the last one ends.
func (l *picture) placeStrips() float64 {
	y := l.slavesTop
	for i := range l.shown {
		s := &l.shown[i]
		s.y = y
		switch {
		case s.idle:
			s.h = idleHeight
		case s.alone():
			s.h = float64(l.plan.Slaves[s.slaves[0]].Lanes) * l.laneH
		default:
			s.h = useHeight
		}
		y += s.h
	}
	return y
}

// lanesShown is the number of lanes of slaves that are drawn by themselves.
func (l *picture) lanesShown() int {
	n := 0
	for i := range l.shown {
		if s := &l.shown[i]; s.alone() {
			n += l.plan.Slaves[s.slaves[0]].Lanes
		}
	}
	return n
}
