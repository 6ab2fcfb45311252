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
	"downbeat/heuristics"
	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/model/gen"
	"downbeat/solve"
)

// Growth is how downbeat fared on a set of [gen.Scale].
type Growth struct {
	*Run
	Seed uint64
	// FileSize of the set in bytes.
	FileSize int64
	// ByRules are the values of the best of the plans that priority rules alone give.
	ByRules []int64
	// Other is what another solver made of the set, nil if it was not asked.
	Other *Run
}

// growthTimes are when the values and bounds on the way are told.
var growthTimes = []time.Duration{time.Second, 10 * time.Second, 30 * time.Second}

// Scale plans sets of each size, given in tasks, in a process of its own for each.
// The sets are written to the folder. If another solver is named it is asked too, up
// to the first size at which it finds no plan.
func Scale(ctx context.Context, self []string, other *Peer, tasks []int, seeds []uint64, opt Options, dir string, tell func(*Growth)) ([]*Growth, error) {
	var all []*Growth
	for _, n := range tasks {
		for _, seed := range seeds {
			g, err := grow(ctx, self, other, gen.Scale(n, seed), opt, dir)
			if err != nil {
				return all, err
			}
			g.Seed = seed
			tell(g)
			all = append(all, g)
		}
		if last := all[len(all)-1].Other; last != nil && !last.Planned {
			other = nil
		}
	}
	return all, nil
}

func grow(ctx context.Context, self []string, other *Peer, js *model.JobSet, opt Options, dir string) (*Growth, error) {
	set := &Set{Name: js.Name, File: filepath.Join(dir, js.Name+".yaml"), JobSet: js}
	if err := writeSet(js, set.File); err != nil {
		return nil, err
	}
	info, err := os.Stat(set.File)
	if err != nil {
		return nil, err
	}
	peer := Peer{Name: Downbeat, solve: downbeat(self)}
	g := &Growth{Run: peer.ask(ctx, set, 0, opt), FileSize: info.Size()}
	if g.Fault != "" {
		return nil, fmt.Errorf("%s: %s", js.Name, g.Fault)
	}
	_, values := lns.Search(ctx, js, lns.Options{Objectives: js.Goal(), Seed: 1, Constructions: len(heuristics.Rules())})
	g.ByRules = values[1:] // after hard misses
	if other != nil {
		g.Other = other.ask(ctx, set, 0, opt)
	}
	return g, ctx.Err()
}

// at is the first figure of the last point that had come by a time.
func at(path []Point, t time.Duration) (figure int64, ok bool) {
	for _, p := range path {
		if p.At <= t && len(p.Values) > 0 {
			figure, ok = p.Values[0], true
		}
	}
	return figure, ok
}

// WriteScale writes a line for each set: times in seconds, sizes in MB (2^20
// bytes), values of the first objective and bounds on it at first, on the way and at
// the end, beside what rules alone and another solver came to. What did not happen is
// empty.
func WriteScale(w io.Writer, all []*Growth, opt Options) error {
	out := csv.NewWriter(w)
	head := []string{"tasks", "seed", "slaves", "jobs", "workers", "limit_s", "file_mb", "read_s", "first_plan_s", "rules_value", "first_value"}
	times := growthTimes[:0:0]
	for _, t := range growthTimes {
		if t < opt.Limit {
			times = append(times, t)
			head = append(head, fmt.Sprintf("value_%ds", int(t.Seconds())), fmt.Sprintf("bound_%ds", int(t.Seconds())))
		}
	}
	out.Write(append(head, "value", "bound", "other", "other_value", "other_bound", "total_s", "memory_mb")) // a csv.Writer keeps its first error
	for _, g := range all {
		js := g.Set.JobSet
		line := []string{
			strconv.Itoa(len(js.Tasks)), strconv.FormatUint(g.Seed, 10), strconv.Itoa(len(js.Slaves)), strconv.Itoa(len(js.Jobs)),
			strconv.Itoa(opt.Workers), exact(opt.Limit), megabytes(g.FileSize), exact(g.Read), exact(g.First),
			first(g.ByRules), textAt(g.Path, g.First),
		}
		for _, t := range times {
			line = append(line, textAt(g.Path, t), textAt(g.Rise, t))
		}
		line = append(line, first(g.Values), first(g.Bounds))
		if g.Other == nil {
			line = append(line, "", "", "")
		} else {
			line = append(line, g.Other.Peer, first(g.Other.Values), first(g.Other.Bounds))
		}
		out.Write(append(line, exact(g.Total), megabytes(g.Memory)))
	}
	out.Flush()
	return out.Error()
}

func textAt(path []Point, t time.Duration) string {
	if v, ok := at(path, t); ok {
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// first is the first of some values or bounds, if there is one.
func first(figures []int64) string { return list(figures[:min(1, len(figures))]) }

func megabytes(bytes int64) string { return strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64) }

// DrawScale draws, for the first seed of each size, seconds and memory against tasks, both axes logarithmic, next
// to lines of growth in proportion.
func DrawScale(w io.Writer, format string, all []*Growth) error {
	const firstPlan, read, memory, proportion = "first plan", "file read", "peak memory", "in proportion"
	panel := func(title, unit string, lines map[string]func(*Growth) float64, base string) *chart.Chart {
		c := &chart.Chart{Title: title, XLabel: "tasks, 100 to a slave", YLabel: unit, LogX: true, LogY: true}
		for _, name := range []string{firstPlan, read, memory, proportion} {
			s := chart.Series{Name: name, Bold: name == firstPlan}
			for _, g := range all {
				if g.Seed != all[0].Seed {
					continue
				}
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
		firstPlan: func(g *Growth) float64 { return g.First.Seconds() },
		read:      func(g *Growth) float64 { return g.Read.Seconds() },
	}
	sizes := map[string]func(*Growth) float64{memory: func(g *Growth) float64 { return float64(g.Memory) / (1 << 20) }}
	return chart.Panels(w, format, 2, []*chart.Chart{
		panel("Time from the start of the process", "seconds", times, firstPlan),
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
