package gantt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
)

// What a picture draws one by one; of more, equals are drawn as one.
const (
	maxLanesShown = 150  // of all slaves together
	useHeight     = 44.0 // of the cores that slaves of a class use together
	idleHeight    = 18.0
	maxIdleNamed  = 100
)

// limits are how many lanes and rows of jobs are drawn one by one.
type limits struct{ lanes, rows int }

// foldings are what pictures draw, the first of them if it fits into a height that is asked
// for, and so on.
var foldings = []limits{{maxLanesShown, 100}, {75, 50}, {40, 25}, {0, 25}, {0, 12}}

// strip is a part of the picture from top to bottom: a slave with its lanes, slaves that
// are idle, or the slaves of a class together.
type strip struct {
	slaves []model.SlaveID // ascending
	class  string
	y, h   float64
	idle   bool
}

// alone tells that the strip shows a slave with its lanes.
func (s *strip) alone() bool { return !s.idle && len(s.slaves) == 1 }

// strips are what is shown of the slaves. Where their lanes are too many, the idle slaves
// of a class share a line; where that is not enough, slaves of a class are drawn together.
func (l *layout) strips() []strip {
	var out []strip
	if l.Lanes() <= l.most.lanes {
		for i := range l.Slaves {
			out = append(out, strip{slaves: []model.SlaveID{model.SlaveID(i)}})
		}
		return out
	}
	idle := func(id model.SlaveID) bool { return l.Slaves[id].Held == 0 && len(l.Away[id]) == 0 }
	busyLanes := 0
	for i := range l.Slaves {
		if !idle(model.SlaveID(i)) {
			busyLanes += l.Slaves[i].LaneCount()
		}
	}
	for _, class := range classes(l.Summary) {
		var busy, free []model.SlaveID
		for _, id := range class {
			if idle(id) {
				free = append(free, id)
			} else {
				busy = append(busy, id)
			}
		}
		name := l.JS.Slaves[class[0]].Class
		if busyLanes > l.most.lanes && len(class) > 1 {
			out = append(out, strip{slaves: class, class: name})
			continue
		}
		for _, id := range busy {
			out = append(out, strip{slaves: []model.SlaveID{id}})
		}
		if len(free) > 0 {
			out = append(out, strip{slaves: free, class: name, idle: true})
		}
	}
	return out
}

// classes are the slaves of each class, in the order of their first ones.
func classes(s *summary.Summary) [][]model.SlaveID {
	var out [][]model.SlaveID
	at := map[string]int{}
	for i := range s.JS.Slaves {
		class := s.JS.Slaves[i].Class
		k, known := at[class]
		if !known {
			k = len(out)
			at[class] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], model.SlaveID(i))
	}
	return out
}

// placeStrips gives strips their places and answers with where the last one ends.
func (l *layout) placeStrips() float64 {
	y := l.slavesTop
	for i := range l.shown {
		s := &l.shown[i]
		s.y = y
		switch {
		case s.idle:
			s.h = idleHeight
		case s.alone():
			s.h = float64(l.Slaves[s.slaves[0]].LaneCount()) * l.laneH
		default:
			s.h = useHeight
		}
		y += s.h
	}
	return y
}

// lanesShown is the number of lanes of slaves that are drawn by themselves.
func (l *layout) lanesShown() int {
	n := 0
	for i := range l.shown {
		if s := &l.shown[i]; s.alone() {
			n += l.Slaves[s.slaves[0]].LaneCount()
		}
	}
	return n
}

// stripRows draws the slaves, those behind attempts first.
func (l *layout) stripRows() {
	for i := range l.shown {
		switch s := &l.shown[i]; {
		case s.idle:
			l.idleStrip(s)
		case s.alone():
			l.attempts(s)
		default:
			l.useStrip(s)
		}
	}
}

// attempts draws what a slave does.
func (l *layout) attempts(s *strip) {
	id := s.slaves[0]
	first, _ := slices.BinarySearchFunc(l.Attempts, id, func(a summary.Attempt, id model.SlaveID) int { return cmp.Compare(a.Slave, id) })
	for i := first; i < len(l.Attempts) && l.Attempts[i].Slave == id; i++ {
		l.attempt(&l.Attempts[i], s.y)
	}
}

// idleStrip names slaves that do nothing.
func (l *layout) idleStrip(s *strip) {
	var list []string
	for _, id := range s.slaves[:min(len(s.slaves), maxIdleNamed)] {
		list = append(list, table.Printable(l.JS.Slaves[id].Name))
	}
	names := strings.Join(list, ", ")
	if more := len(s.slaves) - len(list); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	add(&l.out, names, append(l.stripHead(s, fmt.Sprintf("%d idle", len(s.slaves)), ""),
		label{X: l.left + 6, Y: s.y + 13, Size: 11, Text: shorten(names, l.plot-12, 11, false), Fill: toned(toneMuted)})...)
}

// stripHead is what stands at the left of slaves that are drawn together.
func (l *layout) stripHead(s *strip, head, below string) []shape {
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
func (l *layout) useStrip(s *strip) {
	cores := 0
	for _, id := range s.slaves {
		cores += l.JS.Slaves[id].Cores
	}
	base, unit := s.y+s.h-3, (s.h-8)/float64(cores)
	points := []float64{l.left, base}
	used, last := int64(0), int64(0)
	for _, e := range l.coreEvents(s) {
		x := l.x(e.at)
		points = append(points, x, base-float64(last)*unit)
		used += e.change
		points = append(points, x, base-float64(used)*unit)
		last = used
	}
	points = append(points, l.x(l.End), base)
	head := fmt.Sprintf("%s ×%d", table.Printable(s.class), len(s.slaves))
	below := "use of " + wording.Count(cores, "core")
	add(&l.out, head+"\n"+below, append(l.stripHead(s, head, below),
		line{X1: l.left, Y1: base - float64(cores)*unit, X2: l.left + l.plot, Y2: base - float64(cores)*unit, Stroke: toned(toneGrid), Width: 1},
		polygon{Points: points, Fill: toned(toneMuted).faded(0.8)})...)
}

// coreEvent is a change of the cores in use.
type coreEvent struct {
	at     model.Time
	change int64
}

// coreEvents are ascending, one for each time.
func (l *layout) coreEvents(s *strip) []coreEvent {
	var events []coreEvent
	for i := range l.Attempts {
		a := &l.Attempts[i]
		if _, ours := slices.BinarySearch(s.slaves, a.Slave); ours && a.Finish > a.Start {
			n := l.JS.Tasks[a.Task].Cores()
			events = append(events, coreEvent{a.Start, n}, coreEvent{a.Finish, -n})
		}
	}
	slices.SortFunc(events, func(a, b coreEvent) int { return cmp.Compare(a.at, b.at) })
	out := events[:0]
	for _, e := range events {
		if n := len(out); n > 0 && out[n-1].at == e.at {
			out[n-1].change += e.change
		} else {
			out = append(out, e)
		}
	}
	return out
}

// foldJobs leaves rows out where they are too many, and answers with how many.
func (l *layout) foldJobs() int {
	keep := mostUrgent(l.Summary, l.rows, l.most.rows)
	rows := make([]summary.Family, 0, len(keep))
	for i := range l.rowOf {
		l.rowOf[i] = -1
	}
	for _, r := range keep {
		for _, id := range l.rows[r].Jobs {
			l.rowOf[id] = len(rows)
		}
		rows = append(rows, l.rows[r])
	}
	left := len(l.rows) - len(rows)
	l.rows = rows
	return left
}

// mostUrgent are so many rows of jobs at most, in their order: those that are late or rejected
// first, then those with the least slack, in the order of the file.
func mostUrgent(s *summary.Summary, rows []summary.Family, most int) []int {
	slack := make([]model.Time, len(rows))
	order := make([]int, len(rows))
	for r := range rows {
		order[r], slack[r] = r, model.Never
		for _, id := range rows[r].Jobs {
			switch line := &s.Jobs[id]; {
			case s.Special(id):
				slack[r] = -1
			case s.JS.Jobs[id].Kind != model.BestEffort:
				slack[r] = min(slack[r], line.Slack(s.JS))
			}
		}
	}
	if len(rows) <= most {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(slack[a], slack[b]) })
	keep := order[:most]
	slices.Sort(keep)
	return keep
}
