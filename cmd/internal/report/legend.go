package report

// legendEntry is a mark of the chart with what it means. sample draws it at a place; the
// clock's has none.
type legendEntry struct {
	text   string
	width  float64
	sample func(x, y float64) []shape
}

// room is the width of an entry, with the gap before the next.
func (e *legendEntry) room() float64 { return e.width + 6 + textWidth(e.text, 11, false) + 22 }

// legendEntries explain the marks that the chart uses.
func (l *layout) legendEntries() []legendEntry {
	c := colored(jobColors[0])
	bar := func(r rect) func(x, y float64) []shape {
		return func(x, y float64) []shape { r.x, r.y, r.w, r.h = x, y-7, 26, 14; return []shape{r} }
	}
	stroke := func(tone tone, width float64) func(x, y float64) []shape {
		return func(x, y float64) []shape {
			return []shape{line{x1: x + 1.5, y1: y - 7, x2: x + 1.5, y2: y + 7, stroke: toned(tone), width: width}}
		}
	}
	out := []legendEntry{
		{"running", 26, bar(rect{fill: c})},
		{"running past its deadline", 26, bar(rect{fill: c, stroke: toned(toneLate), strokeWidth: 2.5})},
		{"hard deadline", 3, stroke(toneInk, 3)},
		{"soft deadline", 3, stroke(toneMuted, 1.5)},
	}
	if l.lanesShown() > 0 {
		out = l.laneEntries(c, out, bar)
	}
	if text := l.Clock.Legend(); text != "" {
		out = append(out, legendEntry{text: text, width: -6})
	}
	return out
}

// laneEntries add to those of jobs what is to be seen in lanes only.
func (l *layout) laneEntries(c paint, jobs []legendEntry, bar func(rect) func(x, y float64) []shape) []legendEntry {
	out := append([]legendEntry{
		{"slot held, waiting", 26, func(x, y float64) []shape {
			return []shape{rect{x: x, y: y - 1, w: 26, h: 2, fill: c.faded(0.7)}}
		}},
		{"fetching", 26, func(x, y float64) []shape {
			return []shape{rect{x: x, y: y - 4, w: 26, h: 8, fill: c.faded(0.35), stroke: c, hatched: true}}
		}},
	}, jobs...)
	if l.hasLost() {
		out = append(out, legendEntry{"lost", 26, bar(rect{fill: c.faded(0.2), stroke: toned(toneLate), hatched: true})})
	}
	if l.hasAway() {
		out = append(out, legendEntry{"slave away", 26, bar(rect{fill: toned(toneAway).faded(0.25), stroke: toned(toneAway), hatched: true})})
	}
	if len(l.beats(0)) > 0 {
		out = append(out, legendEntry{"heartbeats", 17, func(x, y float64) []shape {
			return []shape{ticks{xs: []float64{x + 1, x + 8, x + 15}, y1: y - 2, y2: y + 3, stroke: toned(toneAway), width: 1}}
		}})
	}
	return out
}

// legendPlaces are the entries' places from the top left of the legend, in as many rows as
// the width needs.
func (l *layout) legendPlaces() (xs, ys []float64) {
	x, y := margin, 0.0
	for i := range l.entries {
		room := l.entries[i].room()
		if x > margin && x+room-22 > l.out.width-margin {
			x, y = margin, y+legendRow
		}
		xs, ys = append(xs, x), append(ys, y)
		x += room
	}
	return xs, ys
}

func (l *layout) legendHeight() float64 {
	_, ys := l.legendPlaces()
	return ys[len(ys)-1] + legendRow
}

func (l *layout) legend() {
	xs, ys := l.legendPlaces()
	top := l.bottom + axisHeight + legendRow/2 + 4
	var shapes []shape
	for i := range l.entries {
		e, x, y := &l.entries[i], xs[i], top+ys[i]
		if e.sample != nil {
			shapes = append(shapes, e.sample(x, y)...)
		}
		shapes = append(shapes, label{x: x + e.width + 6, y: y + 4, text: e.text, size: 11, fill: toned(toneMuted)})
	}
	l.out.add("", shapes...)
}
