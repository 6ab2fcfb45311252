package report

import (
	"bytes"
	"fmt"
	"io"

	"downbeat/cmd/internal/chart"
	"downbeat/cmd/internal/report/table"
	"downbeat/cmd/internal/report/wording"
	"downbeat/model"
	"downbeat/solve/capacity"
	"downbeat/solve/whatif"
)

// Frontier prints which sizes of two classes, or pools, will do together.
func (v *textView) Frontier(js *model.JobSet, r *capacity.FrontierAnswer, limit *capacity.Limit) error {
	var b bytes.Buffer
	st := table.Good
	switch {
	case r.Never():
		st = table.Bad
	case !r.Exact():
		st = table.Doubt
	}
	v.head(&b, js, st, frontierLine(js, r, limit), r.Elapsed.Seconds())
	if at, bound, ok := r.Cheapest(); ok && r.A.Cost+r.B.Cost > 0 {
		fmt.Fprintln(&b, cheapestLine(r, at, bound))
	}
	fmt.Fprintln(&b)
	t := table.Table{Align: ">><"}
	a, _ := supplyName(&r.A)
	least, _ := supplyName(&r.B)
	t.Add(table.Head(a), table.Head("least "+least), table.Head(map[bool]string{true: "less is", false: "fewer are"}[r.B.Pool]+" refuted by"))
	for k := range r.Columns {
		t.Add(r.A.Least+int64(k), leastText(r, &r.Columns[k]), columnProof(r, &r.Columns[k]))
	}
	t.Write(&b, v.page)
	return v.flush(&b)
}

// frontierLine is the answer in a line.
func frontierLine(js *model.JobSet, r *capacity.FrontierAnswer, limit *capacity.Limit) string {
	grid := fmt.Sprintf("%d to %s and %d to %s", r.A.Least, table.Printable(r.A.Size(r.A.Most)), r.B.Least, table.Printable(r.B.Size(r.B.Most)))
	aim, corners := aimText(js, limit), r.Corners()
	switch {
	case r.Never():
		return fmt.Sprintf("none: of %s no pair will do for %s", grid, aim)
	case len(corners) == 0:
		return fmt.Sprintf("unknown: of %s no pair is known to do for %s; %s", grid, aim, wording.LimitEnded)
	}
	text := fmt.Sprintf("frontier: of %s, for %s, it takes", grid, aim)
	for i, c := range corners {
		sign := ","
		if i == 0 {
			sign = ""
		} else if i == len(corners)-1 {
			sign = " or"
		}
		text += fmt.Sprintf("%s %d and %d", sign, c.A, c.B)
	}
	if !r.Exact() {
		text += ", or fewer: " + wording.LimitEnded
	}
	return text
}

func cheapestLine(r *capacity.FrontierAnswer, at capacity.Corner, bound int64) string {
	text := fmt.Sprintf("cost %d for %s and %s", r.Cost(at), table.Printable(r.A.Size(at.A)), table.Printable(r.B.Size(at.B)))
	if bound == r.Cost(at) {
		return text + ", the least of all that will do"
	}
	return fmt.Sprintf("%s; none that will do costs less than %d", text, bound)
}

// leastText is the edge of a column: a size, between which two it lies, or none.
func leastText(r *capacity.FrontierAnswer, e *whatif.Edge) string {
	switch {
	case e.Fails == r.B.Most:
		return "none"
	case e.Exact():
		return fmt.Sprint(e.Fits)
	case e.Fits > r.B.Most:
		return fmt.Sprintf("%d or more", e.Fails+1)
	default:
		return fmt.Sprintf("%d to %d", e.Fails+1, e.Fits)
	}
}

func columnProof(r *capacity.FrontierAnswer, e *whatif.Edge) string {
	if e.Fails < r.B.Least {
		return "-"
	}
	return wording.ProofWord(e.Proof)
}

// frontierJSON is the answer of size for two classes.
type frontierJSON struct {
	answerJSON
	AtMost  *atMostJSON  `json:"at_most,omitempty"`
	Classes [2]classJSON `json:"classes"`
	Never   bool         `json:"never"`
	Exact   bool         `json:"exact"`
	Corners []cornerJSON `json:"frontier"`
	Columns []columnJSON `json:"columns"`
}

// columnJSON is the least size of the second class for one of the first.
type columnJSON struct {
	Size  int64    `json:"size"`
	Least edgeJSON `json:"least"`
}

// cornerJSON is a pair of sizes of which neither can be less.
type cornerJSON struct {
	Sizes [2]int64 `json:"sizes"`
	Cost  int64    `json:"cost"`
}

// Frontier prints the same as an object.
func (v *jsonView) Frontier(js *model.JobSet, r *capacity.FrontierAnswer, limit *capacity.Limit) error {
	columns := []columnJSON{}
	for k, e := range r.Columns {
		least := newEdgeJSON(e)
		if e.Fits > r.B.Most {
			least.Fits, least.Exact = nil, false
		}
		columns = append(columns, columnJSON{r.A.Least + int64(k), least})
	}
	corners := []cornerJSON{}
	for _, c := range r.Corners() {
		corners = append(corners, cornerJSON{[2]int64{c.A, c.B}, r.Cost(c)})
	}
	return v.write(frontierJSON{
		newAnswerJSON(js, r.Notes, r.Elapsed.Seconds()), newAtMostJSON(limit),
		[2]classJSON{newClassJSON(r.A), newClassJSON(r.B)}, r.Never(), r.Exact(), corners, columns,
	})
}

// axisLabel says what an axis counts.
func axisLabel(c *capacity.Supply) string {
	name, _ := supplyName(c)
	if c.Pool {
		return "amount of " + name
	}
	return "number of " + name
}

// DrawFrontier draws the edge of the grid in one of chart.Formats: what will do lies on the
// first line and above it. Where a limit ended the search the second line is the greatest
// that was refuted; what lies between is not known.
func DrawFrontier(w io.Writer, format string, js *model.JobSet, r *capacity.FrontierAnswer, limit *capacity.Limit) error {
	does := chart.Series{Name: "will do", Bold: true}
	refuted := chart.Series{Name: "refuted"}
	for k, e := range r.Columns {
		x := float64(r.A.Least) + float64(k)
		for _, at := range []float64{x, x + 1} { // a stair goes on until the next size
			if e.Fits <= r.B.Most {
				does.X, does.Y = append(does.X, at), append(does.Y, float64(e.Fits))
			}
			if e.Fails >= r.B.Least {
				refuted.X, refuted.Y = append(refuted.X, at), append(refuted.Y, float64(e.Fails))
			}
		}
	}
	c := chart.Chart{
		Title:  "Sizes that will do for " + aimText(js, limit),
		XLabel: axisLabel(&r.A), YLabel: axisLabel(&r.B),
		Series: []chart.Series{does, refuted},
		XMin:   float64(r.A.Least), XMax: float64(r.A.Most + 1), YMin: float64(r.B.Least), YMax: float64(r.B.Most + 1),
	}
	return c.Draw(w, format)
}
