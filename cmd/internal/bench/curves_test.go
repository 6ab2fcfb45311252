package bench

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"downbeat/online"
)

// ramp are four records at each of three loads: everything is met at the first, edf alone
// copes with the second, and of the third nothing is known.
func ramp() (*Config, []*Record) {
	c := &Config{Policies: []string{"edf", "fifo"}}
	var records []*Record
	for level, load := range []float64{0.25, 0.5, 0.75} {
		for n := range 4 {
			rec := &Record{
				Set: fmt.Sprint(load, n), Parameter: "load", Level: load, Jobs: 2, Demand: float64(n+1) / 10,
				Answer: [...]string{"feasible", "feasible", "unknown"}[level],
			}
			for i, p := range []string{"fifo", "edf"} {
				late := int64(0)
				if level > i || level == 0 && n == 0 {
					late = 1
				}
				rec.Cells = append(rec.Cells, Cell{Policy: p, Measures: online.Measures{Jobs: 2, Accepted: 2, Successful: int(2 - late), HardMisses: late}})
			}
			records = append(records, rec)
		}
	}
	return c, records
}

// The figures behind the curves, by hand.
func TestCurves(t *testing.T) {
	c, records := ramp()
	groups, axis := Levels(records)
	if axis != "load" || len(groups) != 3 {
		t.Fatalf("%d levels of %q", len(groups), axis)
	}
	text := func(curves []Curve) string {
		var out []string
		for _, k := range curves {
			for _, p := range k.Points {
				out = append(out, fmt.Sprintf("%s %.2f", k.Policy, p.Mean))
			}
		}
		return strings.Join(out, ", ")
	}
	met, err := c.Curves(groups, "hard-met")
	if got := text(met); err != nil || got != "edf 0.75, edf 1.00, edf 0.00, fifo 0.75, fifo 0.00, fifo 0.00" {
		t.Errorf("curves %s, %v", got, err)
	}
	if got := text(c.WeightedCurves(groups)); got != "edf 0.90, edf 1.00, edf 0.00, fifo 0.90, fifo 0.00, fifo 0.00" {
		t.Errorf("weighted curves %s", got) // of demands 1 to 4 the first is missed
	}
	if got := text(c.MissCurves(groups)); got != "edf 0.12, edf 0.00, edf 0.50, fifo 0.12, fifo 0.50, fifo 0.50" {
		t.Errorf("misses %s", got)
	}
	records[0].Answer = "infeasible"
	low, high := c.FeasibleShare(groups, false)
	if got := fmt.Sprint(low, high); got != "[0.75 1 0] [0.75 1 1]" {
		t.Errorf("feasible share %s", got)
	}
	if low, high := c.FeasibleShare(groups, true); fmt.Sprintf("%.2f %.2f", low, high) != "[0.90 1.00 0.00] [0.90 1.00 1.00]" {
		t.Errorf("feasible share by demand %v %v", low, high)
	}
	records[0].Answer = ""
	if low, _ := c.FeasibleShare(groups, false); low != nil {
		t.Error("a feasible share although the solver was not asked")
	}
	if _, err := c.Curves(groups, "nothing"); err == nil {
		t.Error("curves of nothing")
	}
	if _, _, err := MeasureTitle("nothing"); err == nil {
		t.Error("a title of nothing")
	}
	if title, share, err := MeasureTitle("locality"); title == "" || !share || err != nil {
		t.Errorf("%q, %t, %v", title, share, err)
	}
}

// Many levels are put into bins; every record is in one, near its own level.
func TestBins(t *testing.T) {
	var records []*Record
	for i := range 100 {
		records = append(records, &Record{Demand: float64(i+1) / 100})
	}
	groups, axis := Levels(append(records, nil, &Record{}))
	if !strings.HasPrefix(axis, "demand") || len(groups) != maxLevels {
		t.Fatalf("%d bins of %q", len(groups), axis)
	}
	n := 0
	for _, g := range groups {
		n += len(g.Records)
		for _, rec := range g.Records {
			if math.Abs(rec.Demand-g.X) > 0.99/maxLevels/2+1e-9 {
				t.Errorf("demand %v in the bin at %v", rec.Demand, g.X)
			}
		}
	}
	if n != 100 {
		t.Errorf("%d records in bins", n)
	}
}
