package bench

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"downbeat/online/performance"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

// drawn are records at three loads: everything is met at the first, edf alone
// copes with the second, and of the third nothing is known.
func drawn() (*Config, []*Record) {
	c := &Config{Policies: []string{"edf", "fifo"}}
	var records []*Record
	for level, load := range []float64{0.25, 0.5, 0.75} {
		for n := range 4 {
			rec := &Record{
				Set: fmt.Sprint(load, n), Parameter: "load", Level: load, Jobs: 2,
				Answer: [...]string{"feasible", "feasible", "unknown"}[level],
			}
			if level < 2 {
				rec.Best = []Best{{"weighted-tardiness", 3, 3}}
			}
			for i, p := range []string{"fifo", "edf"} {
				late := int64(0)
				if level > i {
					late = 1
				}
				rec.Cells = append(rec.Cells, Cell{Policy: p, Measures: performance.Measures{
					Jobs: 2, Accepted: 2, HardMisses: late, WeightedTardiness: int64(3 + n*(i+1)), Makespan: int64(10*level + n), Locality: 0.5,
				}})
			}
			records = append(records, rec)
		}
	}
	return c, records
}

// Every plot comes in both formats, the same each time.
func TestPlots(t *testing.T) {
	c, records := drawn()
	for _, name := range PlotNames() {
		var first, second, bitmap bytes.Buffer
		for _, w := range []*bytes.Buffer{&first, &second} {
			if err := c.Plot(w, name, "svg", records); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two drawings differ", name)
		}
		for _, p := range c.Policies {
			if !strings.Contains(first.String(), ">"+p) {
				t.Errorf("%s: no line for %s", name, p)
			}
		}
		if err := c.Plot(&bitmap, name, "png", records); err != nil {
			t.Fatal(err)
		}
		if _, err := png.Decode(&bitmap); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schedulability curve and the boxes look as they did. Look at the picture
// before -update.
func TestPictures(t *testing.T) {
	c, records := drawn()
	for _, name := range []string{"schedulability", "gaps"} {
		var got bytes.Buffer
		if err := c.Plot(&got, name, "svg", records); err != nil {
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

func TestNothingToPlot(t *testing.T) {
	c, records := drawn()
	for _, rec := range records {
		rec.Parameter, rec.Best = "", nil
	}
	for _, name := range []string{"schedulability", "gaps", "makespan"} {
		if err := c.Plot(&bytes.Buffer{}, name, "svg", append(records, nil)); !errors.Is(err, ErrNothingToPlot) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The figures behind the schedulability curve, by hand.
func TestCurves(t *testing.T) {
	c, records := drawn()
	groups, axis := levels(records)
	if axis != "load" || len(groups) != 3 {
		t.Fatalf("%d levels of %q", len(groups), axis)
	}
	met, err := measureNamed("hard-met")
	if err != nil {
		t.Fatal(err)
	}
	lines := c.lines(groups, met)
	if got := fmt.Sprint(lines[0].Name, lines[0].Y, lines[1].Name, lines[1].Y); got != "edf[1 1 0]fifo[1 0 0]" {
		t.Errorf("lines are %s", got)
	}
	top, ok := c.feasibleShare(groups)
	if got := fmt.Sprint(top.Lo, top.Hi, ok); got != "[1 1 0] [1 1 1] true" {
		t.Errorf("feasible share from %s", got)
	}
	records[0].Answer = ""
	if _, ok := c.feasibleShare(groups); ok {
		t.Error("a feasible share although the solver was not asked")
	}
}

// Many levels are put into bins; every record is in one, near its own level.
func TestBins(t *testing.T) {
	var records []*Record
	for i := range 100 {
		records = append(records, &Record{Demand: float64(i+1) / 100})
	}
	groups, axis := levels(append(records, nil, &Record{}))
	if !strings.HasPrefix(axis, "demand") || len(groups) != maxLevels {
		t.Fatalf("%d bins of %q", len(groups), axis)
	}
	n := 0
	for _, g := range groups {
		n += len(g.records)
		for _, rec := range g.records {
			if math.Abs(rec.Demand-g.x) > 0.99/maxLevels/2+1e-9 {
				t.Errorf("demand %v in the bin at %v", rec.Demand, g.x)
			}
		}
	}
	if n != 100 {
		t.Errorf("%d records in bins", n)
	}
}
