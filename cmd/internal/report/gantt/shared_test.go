package gantt

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/cmd/internal/report/table"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
)

// Pools and caps have rows below the slaves, in which a line for what there is rises when there is
// more, and the starts of a gang are joined by a line over its lanes.
func TestPictureOfPoolsAndGangs(t *testing.T) {
	for name, want := range map[string]struct{ shared, gangs int }{"licences.yaml": {3, 0}, "training.yaml": {0, 1}} {
		js := example(t, name)
		s := summary.Summarize(js, reporttest.ListPlan(t, js))
		plan := LayOut(s)
		picture := &picture{Summary: s, plan: plan, until: plan.Shown}
		if err := picture.fit(); err != nil {
			t.Fatal(err)
		}
		scene, err := newScene(s, plan, name, "", chart.Size{})
		if err != nil {
			t.Fatal(err)
		}
		strips := picture.shown[len(s.Slaves):]
		if len(strips) != want.shared || len(plan.Shared) != want.shared {
			t.Fatalf("%s: %d rows of pools and caps, not %d", name, len(strips), want.shared)
		}
		for i := range strips {
			strip := &strips[i]
			g := slices.IndexFunc(scene.Groups, func(g group) bool { return strings.HasPrefix(g.Title, strip.shared.Name+"\n") })
			if g < 0 {
				t.Fatalf("%s: nothing says %s", name, strip.shared.Name)
			}
			checkAmounts(t, picture, strip, scene.Groups[g].Shapes)
		}
		gangs := 0
		for _, g := range scene.Groups {
			if strings.HasPrefix(g.Title, "gang of train/fit, 4 tasks: start together at ") {
				gangs++
				if l := g.Shapes[0].(line); l.X1 != l.X2 || l.X1 != picture.x(s.GangStarts()[0].Start) || l.Y2 <= l.Y1 {
					t.Errorf("%s: the line of a gang is %+v", name, l)
				}
			}
		}
		if gangs != want.gangs {
			t.Errorf("%s: %d lines of gangs", name, gangs)
		}
	}
}

// checkAmounts holds the shapes of a pool against what is held of it and what there is.
func checkAmounts(t *testing.T, p *picture, s *strip, shapes []shape) {
	t.Helper()
	unit := (s.h - 10) / float64(s.shared.most(p.until))
	height := func(y float64) float64 { return math.Round((s.y+s.h-3-y)/unit*1e6) / 1e6 }
	var there []float64
	held := 0.0
	for _, sh := range shapes {
		switch sh := sh.(type) {
		case line:
			if sh.Y1 == sh.Y2 && sh.X2 > sh.X1 && sh.Y1 > s.y {
				there = append(there, height(sh.Y1))
			}
		case polygon:
			for k := 1; k < len(sh.Points); k += 2 {
				held = max(held, height(sh.Points[k]))
			}
		}
	}
	var want []float64
	for _, l := range s.shared.Levels {
		if l[0] < int64(p.until) {
			want = append(want, float64(l[1]))
		}
	}
	most := 0.0
	for _, step := range s.shared.Steps {
		most = max(most, float64(step[1]))
	}
	if !slices.Equal(there, want) || held != most {
		t.Errorf("%s: lines at %v and %v held at most, not %v and %v", s.shared.Name, there, held, want, most)
	}
}

// The text chart has a row for each pool and cap: full where all is held, "!" where a plan takes more.
func TestTextChartOfPools(t *testing.T) {
	js := example(t, "licence-short.yaml")
	plan := model.NewSchedule(len(js.Tasks))
	for k := range plan { // all at once
		plan[k] = model.Placement{Slave: 0, Fetch: 0, Start: 0}
		if js.Jobs[js.Tasks[k].Job].Name == "noise" {
			plan[k] = model.Placement{Slave: 0, Beat: 6, Fetch: 30, Start: 30}
		}
	}
	var b bytes.Buffer
	g, fits := NewText(summary.Summarize(js, plan), table.Page{Width: 100})
	if !fits {
		t.Fatal("the chart does not fit")
	}
	g.Write(&b, false)
	at := strings.Index(b.String(), "pool licence ")
	row, _, _ := strings.Cut(b.String()[at:], "\n")
	if want := "pool licence " + strings.Repeat("!", 55) + "·····"; row != want {
		t.Errorf("%q, not %q", row, want)
	}
	plan[0].Beat, plan[0].Fetch, plan[0].Start = 12, 60, 60 // two of crash stay, and one of noise is alone
	plan[1].Beat, plan[1].Fetch, plan[1].Start = 12, 60, 60
	plan[4].Beat, plan[4].Fetch, plan[4].Start = 6, 30, 30
	plan[5].Beat, plan[5].Fetch, plan[5].Start = 18, 90, 90
	plan[6].Beat, plan[6].Fetch, plan[6].Start = 18, 90, 90
	b.Reset()
	g, _ = NewText(summary.Summarize(js, plan), table.Page{Width: 200})
	g.Write(&b, false)
	at = strings.Index(b.String(), "pool licence ")
	row, _, _ = strings.Cut(b.String()[at:], "\n")
	runs := slices.Compact([]rune(strings.TrimPrefix(row, "pool licence ")))
	if want := "█▄·█"; string(runs) != want {
		t.Errorf("%q is %q in short, not %q", row, string(runs), want)
	}
}
