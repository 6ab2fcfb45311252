package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"downbeat/cmd/internal/report/gantt"
	"downbeat/cmd/internal/report/summary"
	"downbeat/internal/testkit/reporttest"
	"downbeat/model"
	"downbeat/model/files/jobfile"
	"downbeat/model/gen"
)

// Names cannot break out of where they stand.
func TestWriteEscapes(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>`
	p := content{Title: evil, Headline: evil, Set: evil, Notes: []string{evil}, Named: []string{evil},
		Jobs: []jobRow{{Name: evil, Uses: evil}}, Slaves: []slaveRow{{Name: evil}},
		Plan: &gantt.Layout{Until: 1, Named: []string{evil}, Jobs: []gantt.Job{{Name: evil, Stages: []string{evil}}}, Slaves: []gantt.Slave{{Name: evil}}}}
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "<img") || strings.Count(b.String(), "</script>") != 2 {
		t.Errorf("a name gets through:\n%s", b.String())
	}
	if strings.Contains(b.String(), "http") {
		t.Error("the page names something elsewhere")
	}
}

// Names of all kinds are text in a page, with what does not show replaced, wherever they stand.
func TestHostileNames(t *testing.T) {
	js, err := jobfile.Load("jobs.json", []byte(`{"version": 1, "name": "<b>\u202eset", "cluster": {"heartbeat": 1, "slaves": [{"name": "<i>\u202eslave"}]},
"jobs": [{"name": "<script>\u202ejob", "deadline": 90, "map": {"tasks": 1, "wcet": 60}, "reduce": {"tasks": 1, "wcet": 9}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text := string(pageOf(t, js))
	for _, bad := range []string{"\u202e", "<b>", "<i>", "<script>\uFFFD"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if want := "&lt;script&gt;\uFFFDjob/map/1"; !strings.Contains(text, want) {
		t.Errorf("the page lacks %q", want)
	}
}

// Tables have as many rows as browsers are quick with, all that are late among them, and say
// what they leave out; recurring jobs are told in a line of their own.
func TestTables(t *testing.T) {
	const many = maxRows + 10
	js := &model.JobSet{Name: "many", Heartbeat: 1}
	profile := model.NewProfile(model.ConstRow(many, 3), model.ConstRow(many, 0))
	plan := model.NewSchedule(many)
	for i := range many {
		js.Slaves = append(js.Slaves, model.Slave{Name: fmt.Sprint("s", i), Cores: 1, Slots: 1})
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Kind: model.Soft, Weight: 1, Deadline: 10,
			Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: profile}}}}})
		plan[i].Slave = model.SlaveID(i)
	}
	js.Jobs[many-1].Deadline = 2
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	pageWith := func(js *model.JobSet, plan model.Schedule) string {
		var b bytes.Buffer
		if err := Write(&b, &gantt.Drawing{Summary: summary.Summarize(js, plan), Chance: "by chance"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := pageWith(js, plan)
	for _, want := range []string{">9 jobs in time are left out here", ">10 machines are left out here", fmt.Sprintf(`">j%d<`, many-1), "by chance"} {
		if !strings.Contains(strings.ReplaceAll(text, "; ", ">"), want) {
			t.Errorf("the page of %d jobs lacks %q", many, want)
		}
	}
	if text := pageWith(reporttest.SeriesPlan(t, nil)); !strings.Contains(text, "etl ×5, released 22:00 to &#43;1d 02:00") {
		t.Error("nothing is told of a recurring job")
	}
}

// Words, figures and runs of a bench stand in its page, and cannot break out of it.
func TestWriteBench(t *testing.T) {
	evil := `</script><img src=y>`
	js := gen.Small(1, 10)
	layout := gantt.LayOut(summary.Summarize(js, reporttest.ListPlan(t, js)))
	b := Bench{Title: evil, Lines: []string{evil}, Notes: []string{evil}, Words: []Word{{evil, evil}},
		Figures: []Figure{{SVG: []byte("<svg/>"), About: evil}},
		Plays:   []Play{{Set: evil, Runs: []Drawn{{Name: evil, Plan: layout}}, Best: Drawn{Name: "none", Headline: evil}}}}
	var out bytes.Buffer
	if err := WriteBench(&out, &b); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Contains(text, "<img src=y") || !strings.Contains(text, `src="data:image/svg&#43;xml;base64,PHN2Zy8&#43;"`) {
		t.Errorf("a bench of evil words:\n%s", text)
	}
}
