package gantt

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
func (l *picture) legendEntries() []legendEntry {
	c := jobPaint(0)
	bar := func(r rect) func(x, y float64) []shape {
		return func(x, y float64) []shape { r.X, r.Y, r.W, r.H = x, y-7, 26, 14; return []shape{r} }
	}
	stroke := func(tone tone, width float64) func(x, y float64) []shape {
		return func(x, y float64) []shape {
			return []shape{line{X1: x + 1.5, Y1: y - 7, X2: x + 1.5, Y2: y + 7, Stroke: toned(tone), Width: width}}
		}
	}
	out := []legendEntry{
		{"running", 26, bar(rect{Fill: c})},
		{"running past its deadline", 26, bar(rect{Fill: c, Stroke: toned(toneLate), StrokeWidth: 2.5})},
		{"hard deadline", 3, stroke(toneInk, 3)},
		{"soft deadline", 3, stroke(toneMuted, 1.5)},
	}
	if l.lanesShown() > 0 {
		out = l.laneEntries(c, out, bar)
	}
	if len(l.sharedStrips()) > 0 {
		out = append(out, legendEntry{"held of a pool or cap, and what there is", 26, func(x, y float64) []shape {
			return []shape{
				rect{X: x, Y: y - 2, W: 26, H: 9, Fill: toned(toneMuted).faded(0.8)},
				line{X1: x, Y1: y - 6, X2: x + 26, Y2: y - 6, Stroke: toned(toneInk), Width: 1.25},
			}
		}})
	}
	if text := l.Clock.Legend(); text != "" {
		out = append(out, legendEntry{text: text, width: -6})
	}
	return out
}

// laneEntries add to those of jobs what is to be seen in lanes only.
func (l *picture) laneEntries(c paint, jobs []legendEntry, bar func(rect) func(x, y float64) []shape) []legendEntry {
	out := append([]legendEntry{
		{"slot held, waiting", 26, func(x, y float64) []shape {
			return []shape{rect{X: x, Y: y - 1, W: 26, H: 2, Fill: c.faded(0.7)}}
		}},
		{"fetching", 26, func(x, y float64) []shape {
			return []shape{rect{X: x, Y: y - 4, W: 26, H: 8, Fill: c.faded(0.35), Stroke: c, Hatched: true}}
		}},
	}, jobs...)
	if l.HasLost() {
		out = append(out, legendEntry{"lost", 26, bar(rect{Fill: c.faded(0.2), Stroke: toned(toneLate), Hatched: true})})
	}
	if len(l.GangStarts()) > 0 {
		out = append(out, legendEntry{"a gang starts together", 8, func(x, y float64) []shape { return gangLine(x+4, y-7, y+7) }})
	}
	if l.HasAway() {
		out = append(out, legendEntry{"machine away", 26, bar(rect{Fill: toned(toneAway).faded(0.25), Stroke: toned(toneAway), Hatched: true})})
	}
	if len(l.beats(0)) > 0 {
		out = append(out, legendEntry{"heartbeats", 17, func(x, y float64) []shape {
			return []shape{ticks{Xs: []float64{x + 1, x + 8, x + 15}, Y1: y - 2, Y2: y + 3, Stroke: toned(toneAway), Width: 1}}
		}})
	}
	return out
}

// legendPlaces are the entries' places from the top left of the legend, in as many rows as
// the width needs.
func (l *picture) legendPlaces() (xs, ys []float64) {
	x, y := margin, 0.0
	for i := range l.entries {
		room := l.entries[i].room()
		if x > margin && x+room-22 > l.out.Width-margin {
			x, y = margin, y+legendRow
		}
		xs, ys = append(xs, x), append(ys, y)
		x += room
	}
	return xs, ys
}

func (l *picture) legendHeight() float64 {
	_, ys := l.legendPlaces()
	return ys[len(ys)-1] + legendRow
}

func (l *picture) legend() {
	xs, ys := l.legendPlaces()
	top := l.bottom + axisHeight + legendRow/2 + 4
	var shapes []shape
	for i := range l.entries {
		e, x, y := &l.entries[i], xs[i], top+ys[i]
		if e.sample != nil {
			shapes = append(shapes, e.sample(x, y)...)
		}
		shapes = append(shapes, label{X: x + e.width + 6, Y: y + 4, Text: e.text, Size: 11, Fill: toned(toneMuted)})
	}
	add(&l.out, "", shapes...)
}
