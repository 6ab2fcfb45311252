package peers

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"downbeat/cmd/internal/chart"
)

// Curve is what solvers settled of sets of growing size, from files of runs.
type Curve struct {
	// Traits in the order of the files, Solvers in that of their names, with
	// downbeat first.
	Traits, Solvers []string
	proofs          map[cell][]time.Duration
}

// cell is where a curve has a point.
type cell struct {
	trait, solver string
	size          int
}

// ReadCurve takes the runs on sets of families with a size in their name, such
// as tight-40-3, and leaves others out.
func ReadCurve(paths ...string) (*Curve, error) {
	c := &Curve{proofs: map[cell][]time.Duration{}}
	for _, path := range paths {
		if err := c.read(path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(c.proofs) == 0 {
		return nil, fmt.Errorf("no run is on a set of a family with a size in its name, such as tight-40-1")
	}
	slices.SortFunc(c.Solvers, downbeatFirst)
	return c, nil
}

func (c *Curve) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines, err := readLines(bytes.NewReader(text), columns)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := c.add(line); err != nil {
			return err
		}
	}
	return nil
}

func downbeatFirst(a, b string) int {
	rank := func(solver string) int {
		if solver == Downbeat {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

func (c *Curve) add(l line) error {
	trait, size := traitOf(l["jobset"])
	if size == 0 {
		return nil
	}
	run, err := l.run()
	if err != nil {
		return err
	}
	proof := Never
	if l["proved"] == strconv.FormatBool(true) {
		proof = run.Total
	}
	if !slices.Contains(c.Traits, trait) {
		c.Traits = append(c.Traits, trait)
	}
	if !slices.Contains(c.Solvers, run.Peer) {
		c.Solvers = append(c.Solvers, run.Peer)
	}
	at := cell{trait, run.Peer, size}
	c.proofs[at] = append(c.proofs[at], proof)
	return nil
}

// sizes are those of a trait, in ascending order.
func (c *Curve) sizes(trait string) []int {
	found := map[int]bool{}
	for at := range c.proofs {
		if at.trait == trait {
			found[at.size] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// largest is the largest size of all: panels have one axis.
func (c *Curve) largest() int {
	largest := 0
	for at := range c.proofs {
		largest = max(largest, at.size)
	}
	return largest
}

// share is how much of the runs were settled by the given time, and of how many.
// A solver that was not asked any more has settled nothing.
func (c *Curve) share(at cell, by time.Duration) (share float64, settled, runs int) {
	proofs := c.proofs[at]
	for _, p := range proofs {
		if p != Never && p <= by {
			settled++
		}
	}
	if len(proofs) == 0 {
		return 0, 0, 0
	}
	return float64(settled) / float64(len(proofs)), settled, len(proofs)
}

// reach is the largest size up to which at least half of the runs of every size
// were settled, 0 if there is none.
func (c *Curve) reach(trait, solver string, by time.Duration) int {
	reach := 0
	for _, n := range c.sizes(trait) {
		if share, _, _ := c.share(cell{trait, solver, n}, by); share < 0.5 {
			break
		}
		reach = n
	}
	return reach
}

// Table writes the shares for people: for each trait, size and solver what was
// settled by each of the times, and how far each solver gets.
func (c *Curve) Table(w io.Writer, by []time.Duration) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { fmt.Fprintln(out, strings.Join(append(cells, times(by)...), "\t")) }
	row("settled of", "tasks", "solver", "runs")
	for _, trait := range c.Traits {
		for _, n := range c.sizes(trait) {
			for _, solver := range c.Solvers {
				at := cell{trait, solver, n}
				if len(c.proofs[at]) == 0 {
					continue
				}
				cells := []string{trait, strconv.Itoa(n), solver, strconv.Itoa(len(c.proofs[at]))}
				for _, t := range by {
					_, settled, _ := c.share(at, t)
					cells = append(cells, strconv.Itoa(settled))
				}
				fmt.Fprintln(out, strings.Join(cells, "\t"))
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nLargest size up to which at least half are settled at every size:")
	row("trait", "solver")
	for _, trait := range c.Traits {
		for _, solver := range c.Solvers {
			cells := []string{trait, solver}
			for _, t := range by {
				cells = append(cells, strconv.Itoa(c.reach(trait, solver, t)))
			}
			fmt.Fprintln(out, strings.Join(cells, "\t"))
		}
	}
	return out.Flush()
}

// times are the heads of the columns for the times.
func times(by []time.Duration) []string {
	var heads []string
	for _, t := range by {
		heads = append(heads, "by "+short(t))
	}
	return heads
}

// short writes whole seconds and minutes without parts that are 0.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if rest, ok := strings.CutSuffix(text, zero); ok {
			text = rest + zero[:1]
		}
	}
	return text
}

// Draw draws the share settled against the number of tasks, a line per solver, as
// "svg" or "png": a row of panels for each trait if there are several times,
// otherwise two traits side by side.
func (c *Curve) Draw(w io.Writer, format string, by []time.Duration) error {
	columns := len(by)
	if columns == 1 {
		columns = min(2, len(c.Traits))
	}
	var panels []*chart.Chart
	for _, trait := range c.Traits {
		for _, t := range by {
			panels = append(panels, c.panel(trait, t))
		}
	}
	return chart.Panels(w, format, columns, panels)
}

func (c *Curve) panel(trait string, by time.Duration) *chart.Chart {
	p := &chart.Chart{
		Title: trait + ", " + short(by), XLabel: "tasks", YLabel: "share settled",
		XMax: float64(c.largest()), YMin: -0.02, YMax: 1.02,
	}
	sizes := c.sizes(trait)
	for i, solver := range c.Solvers {
		s := chart.Series{Name: solver, Bold: i == 0}
		for _, n := range sizes {
			share, _, runs := c.share(cell{trait, solver, n}, by)
			if runs == 0 {
				share = math.NaN()
			}
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, share)
		}
		p.Series = append(p.Series, s)
	}
	return p
}
