package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"downbeat/model"
	"downbeat/online/performance"
	"downbeat/solve"
)

// PictureFormats lists the formats of Draw, which are also file extensions.
func PictureFormats() []string { return []string{"svg", "png", "html"} }

// Draw writes a Gantt chart of the answer's plan in one of PictureFormats. The
// answer must have a plan. An error says that w failed or that the plan is too
// large for a picture.
func Draw(w io.Writer, format string, js *model.JobSet, res *solve.Result) error {
	d := drawing{Summary: Summarize(js, res.Schedule), headline: Headline(res), notes: res.Notes}
	if n := js.Value(model.HardMisses, js.Finishes(res.Schedule)); n > 0 {
		d.notes = append([]string{fmt.Sprintf("This plan misses %s.", count(int(n), "hard deadline"))}, d.notes...)
	}
	return d.write(w, format)
}

// DrawRun is Draw for an online run in which something ran.
func DrawRun(w io.Writer, format string, sim *Simulation, run *Run) error {
	d := drawing{Summary: SummarizeRun(run.Outcome), headline: RunLine(run), chance: sim.chance()}
	if n := performance.Of(run.Outcome).HardMisses; n > 0 {
		d.notes = []string{fmt.Sprintf("This run misses %s.", count(int(n), "hard deadline"))}
	}
	return d.write(w, format)
}

// drawing is a chart with the words around it.
type drawing struct {
	*Summary
	headline string
	notes    []string
	// chance tells of the durations and failures of a run.
	chance string
}

func (d *drawing) write(w io.Writer, format string) error {
	if !slices.Contains(PictureFormats(), format) {
		panic("unknown picture format " + format)
	}
	title := d.JS.Name
	if title == "" {
		title = "Plan"
	}
	scene, err := newScene(d.Summary, Printable(title), d.headline)
	if err != nil {
		return err
	}
	if format == "png" {
		return scene.writePNG(w)
	}
	var svg bytes.Buffer
	scene.writeSVG(&svg)
	if format == "svg" {
		_, err = w.Write(svg.Bytes())
		return err
	}
	return d.writePage(w, title, template.HTML(svg.String()))
}

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// page is what the template shows: texts as people read them.
type page struct {
	Title, Headline, Set string
	Notes                []string
	Chart                template.HTML
	// Linked tells that jobs come after others.
	Linked bool
	Jobs   []pageJob
	// Series has a line for each recurring job whose instances share one.
	Series []string
	// Named are the resources that slaves offer beside cores and slots.
	Named  []string
	Slaves []pageSlave
}

type pageJob struct {
	Color string
	jobTexts
}

type pageSlave struct {
	Name, Capacity, Busy, Held, Fetching string
	Tasks                                int
	Units                                []string // of Named
}

// writePage writes a page that needs nothing from elsewhere. The chart is
// taken as it is: its writer escapes all text.
func (d *drawing) writePage(w io.Writer, title string, chart template.HTML) error {
	s := d.Summary
	p := page{Title: Printable(title), Headline: d.headline, Set: setLine(s.JS), Chart: chart, Notes: d.notes, Linked: s.JS.JobsLinked()}
	if d.chance != "" {
		p.Set += "; " + d.chance
	}
	rows := s.jobRows()
	for _, row := range rows {
		texts := s.jobTexts(row)
		texts.Name, texts.After, texts.Uses = Printable(texts.Name), Printable(texts.After), Printable(texts.Uses)
		p.Jobs = append(p.Jobs, pageJob{hex(jobColor(s.FamilyOf[row[0]])), texts})
	}
	for _, line := range s.seriesLines(rows) {
		p.Series = append(p.Series, Printable(line))
	}
	for _, name := range s.JS.Named {
		p.Named = append(p.Named, Printable(name))
	}
	for i := range s.Slaves {
		line, slave := &s.Slaves[i], &s.JS.Slaves[i]
		busy, held, fetching := line.shares(slave)
		row := pageSlave{Name: Printable(slave.Name), Capacity: capacityText(s.JS, slave), Busy: busy, Held: held, Fetching: fetching, Tasks: line.Tasks}
		for k := range s.JS.Named {
			row.Units = append(row.Units, line.unitsShare(slave, k))
		}
		p.Slaves = append(p.Slaves, row)
	}
	return pageTemplate.Execute(w, p)
}
