package gantt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/gen"
)

// A plan of 3,000 tasks is a picture of two screens or so, in which every bar that has room
// for a name has one.
func TestPictureOf3000Tasks(t *testing.T) {
	s := summary.Summarize(gen.Scale(3000, 1), reporttest.ListPlan(t, gen.Scale(3000, 1)))
	pic, err := sceneOf(s, "title", "subtitle", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	if pic.Height > 4000 || pic.Width > 3000 {
		t.Errorf("a picture of %v × %v", pic.Width, pic.Height)
	}
	wide, named := 0, 0
	for _, g := range pic.Groups {
		var bar, name bool
		for _, sh := range g.Shapes {
			switch sh := sh.(type) {
			case rect:
				bar = bar || sh.W > 40 && !sh.Hatched && sh.H > 8 && sh.X > 0
			case label:
				name = true
			}
		}
		if bar && len(g.Title) > 0 {
			wide++
			if name {
				named++
			}
		}
	}
	if wide < 20 || named < wide*9/10 {
		t.Errorf("%d of %d bars have names", named, wide)
	}
	within(t, "3,000 tasks", pic)
}

// Of 200 slaves with work for a few the others are a line, in pictures and on pages, which
// stay small.
func TestPictureOf200Slaves(t *testing.T) {
	const slaves, tasks = 200, 30
	js := &model.JobSet{Name: "many", Heartbeat: 1}
	for i := range slaves {
		class := [...]string{"big", "small"}[i%2]
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprintf("%s-%d", class, i), Class: class, Cores: 4, Slots: 4})
	}
	profile := model.NewProfile(model.ConstRow(slaves, 3), model.ConstRow(slaves, 0))
	js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: tasks, Profile: profile}}}}}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	plan := model.NewSchedule(tasks)
	for i := range plan {
		at := model.Time(3 * (i / 10))
		plan[i] = model.Placement{Slave: model.SlaveID(i % 10), Beat: at, Fetch: at, Start: at}
	}
	var b bytes.Buffer
	if err := draw(&b, Picture{Format: "svg"}, js, plan); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 200_000 {
		t.Errorf("%d bytes", b.Len())
	}
	if bytes.Count(b.Bytes(), []byte(">95 idle<")) != 2 {
		t.Error("the idle slaves of a class are not a line")
	}
	data, err := json.Marshal(LayOut(summary.Summarize(js, plan)))
	if err != nil || len(data) > 50_000 {
		t.Errorf("%d bytes for a page, %v", len(data), err)
	}
	pic, err := sceneOf(summary.Summarize(js, plan), "title", "subtitle", chart.Size{})
	if err != nil || pic.Height > 1200 {
		t.Errorf("a picture %v high, %v", pic.Height, err)
	}
}

// Of a slave that is away very often no more is drawn than can be seen: what is one stretch
// to the eye is one, and a presence of some width is left open.
func TestPictureOfManyAbsences(t *testing.T) {
	slave := model.Slave{Name: "s", Cores: 1, Slots: 1}
	for at := model.Time(0); at < 400_000; at += 20 {
		if at < 200_000 || at >= 240_000 {
			slave.Down = append(slave.Down, model.Interval{Start: at + 3, End: at + 20})
		}
	}
	profile := model.NewProfile(model.ConstRow(1, 5), model.ConstRow(1, 0))
	js := &model.JobSet{Name: "away", Heartbeat: 1, Slaves: []model.Slave{slave}, Jobs: []model.Job{
		{Name: "j", Release: 399_999, Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}},
	}}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	pic, err := sceneOf(summary.Summarize(js, reporttest.ListPlan(t, js)), "title", "subtitle", chart.Size{})
	if err != nil {
		t.Fatal(err)
	}
	var away []rect
	for _, g := range pic.Groups {
		for _, sh := range g.Shapes {
			if r, ok := sh.(rect); ok && r.Hatched && r.H > 10 {
				away = append(away, r)
			}
		}
	}
	if len(away) != 3 { // the last one explains the hatch
		t.Fatalf("%d stretches of absence are drawn", len(away))
	}
	gap, stretch := away[1].X-away[0].X-away[0].W, away[0].W
	if gap < stretch*0.19 || gap > stretch*0.21 {
		t.Errorf("%.1f pixels are left open after %.1f", gap, stretch)
	}
	within(t, "many absences", pic)
}
