package peers

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"downbeat/cmd/internal/chart"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Growth is how downbeat fared on a set of [gen.Scale].
type Growth struct {
	*Run
	// FileSize of the set in bytes.
	FileSize int64
}

// growthStep is how far the values on the way lie apart.
const growthStep = 10 * time.Second

// Scale plans a set of each size, given in tasks, in a process of its own. The
// sets are written to the folder.
func Scale(ctx context.Context, self []string, tasks []int, seed uint64, opt Options, dir string, tell func(*Growth)) ([]*Growth, error) {
	var all []*Growth
	for _, n := range tasks {
		js := gen.Scale(n, seed)
		set := &Set{Name: js.Name, File: filepath.Join(dir, js.Name+".yaml"), JobSet: js}
		if err := writeSet(js, set.File); err != nil {
			return all, err
		}
		info, err := os.Stat(set.File)
		if err != nil {
			return all, err
		}
		peer := Peer{Name: downbeatName, solve: downbeat(self)}
		g := &Growth{peer.ask(ctx, set, 0, opt), info.Size()}
		if err := ctx.Err(); err != nil {
			return all, err
		}
		tell(g)
		if g.Fault != "" {
			return all, fmt.Errorf("%s: %s", js.Name, g.Fault)
		}
		all = append(all, g)
	}
	return all, nil
}

// ValueAt is the first objective of the best plan that had come by a time, and
// whether one had.
func (g *Growth) ValueAt(t time.Duration) (int64, bool) {
	value, ok := int64(0), false
	for _, p := range g.Path {
		if p.At <= t && len(p.Values) > 0 {
			value, ok = p.Values[0], true
		}
	}
	return value, ok
}

// WriteScale writes a line for each set: times in seconds, sizes in MB (2^20
// bytes), values of the first objective at first, every ten seconds and at the
// end. What did not happen is empty.
func WriteScale(w io.Writer, all []*Growth, opt Options) error {
	out := csv.NewWriter(w)
	head := []string{"tasks", "slaves", "jobs", "workers", "limit_s", "file_mb", "read_s", "first_plan_s", "first_value"}
	for t := growthStep; t < opt.Limit; t += growthStep {
		head = append(head, fmt.Sprintf("value_%ds", int(t.Seconds())))
	}
	out.Write(append(head, "value", "bound", "total_s", "memory_mb")) // a csv.Writer keeps its first error
	for _, g := range all {
		js := g.Set.JobSet
		line := []string{
			strconv.Itoa(len(js.Tasks)), strconv.Itoa(len(js.Slaves)), strconv.Itoa(len(js.Jobs)),
			strconv.Itoa(opt.Workers), exact(opt.Limit), megabytes(g.FileSize), exact(g.Read), exact(g.First), g.valueAt(g.First),
		}
		for t := growthStep; t < opt.Limit; t += growthStep {
			line = append(line, g.valueAt(t))
		}
		out.Write(append(line, list(g.Values[:min(1, len(g.Values))]), list(g.Bounds[:min(1, len(g.Bounds))]),
			exact(g.Total), megabytes(g.Memory)))
	}
	out.Flush()
	return out.Error()
}

func (g *Growth) valueAt(t time.Duration) string {
	if v, ok := g.ValueAt(t); ok {
		return strconv.FormatInt(v, 10)
	}
	return ""
}

func megabytes(bytes int64) string { return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) }

// DrawScale draws seconds and memory against tasks, both axes logarithmic, next
// to lines of growth in proportion.
func DrawScale(w io.Writer, format string, all []*Growth) error {
	const first, read, memory, proportion = "first plan", "file read", "peak memory", "in proportion"
	panel := func(title, unit string, lines map[string]func(*Growth) float64, base string) *chart.Chart {
		c := &chart.Chart{Title: title, XLabel: "tasks, 100 to a slave", YLabel: unit, LogX: true, LogY: true}
		for _, name := range []string{first, read, memory, proportion} {
			s := chart.Series{Name: name, Bold: name == first}
			for _, g := range all {
				tasks := float64(len(g.Set.JobSet.Tasks))
				y := math.NaN()
				if of := lines[name]; of != nil {
					y = positive(of(g))
				} else if name == proportion {
					last := all[len(all)-1]
					y = positive(lines[base](last)) * tasks / float64(len(last.Set.JobSet.Tasks))
				}
				s.X, s.Y = append(s.X, tasks), append(s.Y, y)
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	times := map[string]func(*Growth) float64{
		first: func(g *Growth) float64 { return g.First.Seconds() },
		read:  func(g *Growth) float64 { return g.Read.Seconds() },
	}
	sizes := map[string]func(*Growth) float64{memory: func(g *Growth) float64 { return float64(g.Memory) / (1 << 20) }}
	return chart.Panels(w, format, 2, []*chart.Chart{
		panel("Time from the start of the process", "seconds", times, first),
		panel("Memory of the process", "MB", sizes, memory),
	})
}

// positive leaves out what has no place on a logarithmic axis: what did not
// happen, and what no one could measure.
func positive(y float64) float64 {
	if y <= 0 {
		return math.NaN()
	}
	return y
}

// SortedSizes are numbers of tasks in ascending order, each at least 100.
func SortedSizes(sizes []int) ([]int, error) {
	sorted := slices.Sorted(slices.Values(sizes))
	if len(sorted) == 0 || sorted[0] < 100 {
		return nil, fmt.Errorf("sizes are numbers of tasks, 100 at least")
	}
	return sorted, nil
}

// Budgets plans every set with each budget of counted work and writes what came
// out, a line each. All but the times are the same on every machine.
func Budgets(ctx context.Context, w io.Writer, sets []Set, budgets []int64) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttasks\tbudget\tanswer\tvalue\tbound\tseconds")
	for i := range sets {
		js := sets[i].JobSet
		set := []string{sets[i].Name, strconv.Itoa(len(js.Tasks))}
		for _, budget := range budgets {
			r, err := solve.Plan(ctx, js, solve.Options{Budget: budget, Seed: 1, NoConflict: true})
			if err != nil {
				return fmt.Errorf("%s with budget %d: %w", sets[i].Name, budget, err)
			}
			if err := ctx.Err(); err != nil {
				out.Flush()
				return err
			}
			values, bounds := split(r.Objectives)
			if r.Schedule == nil {
				values = nil
			}
			fmt.Fprintln(out, strings.Join(append(set, strconv.FormatInt(budget, 10), r.Status.String(),
				numbers(values), numbers(bounds), seconds(r.Elapsed)), "\t"))
			set = []string{"", ""}
		}
	}
	return out.Flush()
}
