package present

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"downbeat/cmd/internal/bench"
	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/stats"
	"downbeat/online"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

// drawn are records at three loads: everything is met at the first, edf alone
// copes with the second, and of the third nothing is known.
func drawn() (*bench.Config, []*bench.Record) {
	c := &bench.Config{Policies: []string{"edf", "fifo"}}
	var records []*bench.Record
	for level, load := range []float64{0.25, 0.5, 0.75} {
		for n := range 4 {
			rec := &bench.Record{
				Set: fmt.Sprint(load, n), Parameter: "load", Level: load, Jobs: 2, Demand: load,
				Answer: [...]string{"feasible", "feasible", "unknown"}[level],
			}
			if level < 2 {
				rec.Best = []bench.Best{{Objective: "weighted-tardiness", Value: 3, Bound: 3}}
			}
			for i, p := range []string{"fifo", "edf"} {
				late := int64(0)
				if level > i {
					late = 1
				}
				rec.Cells = append(rec.Cells, bench.Cell{Policy: p, Measures: online.Measures{
					Jobs: 2, Accepted: 2, HardMisses: late, WeightedTardiness: int64(3 + n*(i+1)), Makespan: int64(10*level + n), Locality: 0.5,
				}})
			}
			records = append(records, rec)
		}
	}
	return c, records
}

// Every figure comes in all formats, the same each time, in one picture and in panels.
func TestDraw(t *testing.T) {
	c, records := drawn()
	for _, name := range Names() {
		for _, style := range []Style{{}, {Form: Panels, Given: true}} {
			formats := chart.Formats()
			if !slices.Contains([]string{schedulability, pareto}, name) {
				formats = formats[:1] // bitmaps take their time
			}
			for _, format := range formats {
				var first, second bytes.Buffer
				for _, w := range []*bytes.Buffer{&first, &second} {
					if err := Draw(w, c, name, format, records, style); err != nil {
						t.Fatalf("%s as %s: %v", name, format, err)
					}
				}
				if !bytes.Equal(first.Bytes(), second.Bytes()) {
					t.Errorf("%s: two drawings as %s differ", name, format)
				}
				switch format {
				case "svg":
					for _, p := range c.Policies {
						if !strings.Contains(first.String(), p) {
							t.Errorf("%s: nothing of %s", name, p)
						}
					}
				case "png":
					if _, err := png.Decode(&first); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				case "pdf":
					if !bytes.HasPrefix(first.Bytes(), []byte("%PDF-")) || bytes.Contains(first.Bytes(), []byte("CreationDate (D:2")) {
						t.Errorf("%s is no PDF, or knows when it was made", name)
					}
				}
			}
		}
	}
	if err := Draw(&bytes.Buffer{}, c, "nothing", "svg", records, Style{}); err == nil {
		t.Error("a figure that there is not was drawn")
	}
}

// The curves and the boxes look as they did. Look at the pictures before -update.
func TestPictures(t *testing.T) {
	c, records := drawn()
	for _, name := range []string{schedulability, gaps, pareto} {
		var got bytes.Buffer
		if err := Draw(&got, c, name, "svg", records, Style{}); err != nil {
			t.Fatal(err)
		}
		path := "testdata/" + name + ".svg"
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s looks different", name)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	c, records := drawn()
	for _, rec := range records {
		rec.Parameter, rec.Demand, rec.Best = "", 0, nil
	}
	for _, name := range []string{schedulability, weighted, gaps, "makespan"} {
		if err := Draw(&bytes.Buffer{}, c, name, "svg", append(records, nil), Style{}); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Draw(&bytes.Buffer{}, c, pareto, "svg", []*bench.Record{nil}, Style{}); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}

// Lines that are equal are one, with all their names; how many runs stand behind a point is
// told, and the vertical axis begins at zero.
func TestWhatFiguresSay(t *testing.T) {
	c, records := drawn()
	c.Policies = append(c.Policies, "twin")
	for _, rec := range records {
		twin := rec.Cells[1]
		twin.Policy = "twin"
		rec.Cells = append(rec.Cells, twin)
	}
	draw := func(name string, style Style) string {
		var w strings.Builder
		if err := Draw(&w, c, name, "svg", records, style); err != nil {
			t.Fatal(err)
		}
		return w.String()
	}
	for _, c := range []struct {
		name  string
		style Style
		want  []string
	}{
		{schedulability, Style{}, []string{">= twin<", "(n = 4 at each point)", ">0.25<", ">Job sets without a hard miss<"}},
		{schedulability, Style{Form: Panels}, []string{">edf (= 1 more)<", ">edf = twin<"}},
		{schedulability, Style{Title: "Mine"}, []string{">Mine<"}},
		{gaps, Style{}, []string{">edf = twin (8)<"}},
		{pareto, Style{}, []string{">= twin<"}},
		{"makespan", Style{}, []string{">0<", ">Mean makespan against load<"}},
	} {
		picture := draw(c.name, c.style)
		for _, want := range c.want {
			if !strings.Contains(picture, want) {
				t.Errorf("%s, %+v: no %s", c.name, c.style, want)
			}
		}
	}
	if strings.Contains(draw(schedulability, Style{Untitled: true}), "Job sets") {
		t.Error("a title although none was wanted")
	}
	records[0] = nil
	if picture := draw(schedulability, Style{}); !strings.Contains(picture, ">n=3<") || !strings.Contains(picture, "(n = 3 to 4 at a point)") {
		t.Error("points of few runs are not told from others")
	}
}

// More lines than can be told apart become panels, and have no bands in one picture.
func TestManyPolicies(t *testing.T) {
	c, records := drawn()
	for i := range 21 {
		name := fmt.Sprintf("p%d", i)
		c.Policies = append(c.Policies, name)
		for n, rec := range records {
			cell := rec.Cells[0]
			cell.Policy, cell.HardMisses = name, truth((n+i)%(i%7+2) == 0)
			rec.Cells = append(rec.Cells, cell)
		}
	}
	var panels, one strings.Builder
	for w, form := range map[*strings.Builder]Form{&panels: Auto, &one: One} {
		if err := Draw(w, c, schedulability, "svg", records, Style{Form: form}); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(panels.String(), ">0.5<"); n < 10 {
		t.Errorf("%d axes", n)
	}
	if n := strings.Count(one.String(), ">0.5<"); n != 1 {
		t.Errorf("%d axes in one picture", n)
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Between two policies of which each is better in one thing both are in front; one that is
// worse in both is behind.
func TestFront(t *testing.T) {
	at := func(x, y float64) place { return place{"", 1, stats.Sample{Mean: x}, stats.Sample{Mean: y}} }
	got := front([]place{at(0.5, 0.1), at(0.9, 0.3), at(0.4, 0.2), at(0.9, 0.4), at(0.5, 0.1)})
	if fmt.Sprint(got) != "[{0.5 0.1} {0.5 0.1} {0.9 0.3}]" {
		t.Errorf("front %v", got)
	}
}

// A policy keeps its look over all figures of a bench, whatever their order; intervals are bands, bars
// or nothing; and what has no place on the axis is counted.
func TestLookOfPolicies(t *testing.T) {
	c, records := drawn()
	lone := *records[0]
	lone.Parameter = ""
	records = append(records, &lone)
	f := &figure{c: c, records: records}
	levels, _ := bench.Levels(records)
	for _, name := range bench.MeasureNames() {
		curves, err := c.Curves(levels, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.merge(f.ordered(curves), make([]float64, len(levels))) {
			policy, _, _ := strings.Cut(s.Name, "\n")
			if want := 1 + slices.Index(c.Policies, policy); s.Number != want {
				t.Errorf("%s: %s looks like number %d, not %d", name, policy, s.Number, want)
			}
		}
	}
	drawings := map[string]bool{}
	for _, style := range []Style{{}, {Bars: true}, {Bare: true}} {
		var b bytes.Buffer
		if err := Draw(&b, c, schedulability, "svg", records, style); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("1 of %d job sets have none", len(records)); !strings.Contains(b.String(), want) {
			t.Errorf("nothing says that %s", want)
		}
		drawings[b.String()] = true
	}
	if len(drawings) != 3 {
		t.Errorf("%d of 3 drawings differ", len(drawings))
	}
}
