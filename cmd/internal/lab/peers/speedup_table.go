package peers

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"downbeat/cmd/internal/chart"
)

// What one worker proves within soon, by processor time, many are to prove within late.
const soon, late = time.Minute, 2 * time.Minute

// measurement is what a number of workers made of a set, over all seeds.
type measurement struct {
	set     *Set
	workers int
	trials  []*Trial // by seed
	// base is that of the first number of workers on the same set.
	base *measurement
}

// measurements are the sets in their order, and of each the numbers of workers in theirs.
func measurements(trials []*Trial) []*measurement {
	var all []*measurement
	for _, t := range trials {
		n := len(all)
		if n == 0 || all[n-1].set != t.Set || all[n-1].workers != t.Workers {
			next := &measurement{set: t.Set, workers: t.Workers}
			next.base = next
			if n > 0 && all[n-1].set == t.Set {
				next.base = all[n-1].base
			}
			all = append(all, next)
			n++
		}
		all[n-1].trials = append(all[n-1].trials, t)
	}
	return all
}

// seconds to the proof, by seed: infinite where there was none.
func (t *measurement) seconds() []float64 {
	var s []float64
	for _, trial := range t.trials {
		if trial.Proved() {
			s = append(s, trial.Processor.Seconds())
		} else {
			s = append(s, math.Inf(1))
		}
	}
	return s
}

// mean of a figure over the trials.
func (t *measurement) mean(figure func(*Trial) float64) float64 {
	sum := 0.0
	for _, trial := range t.trials {
		sum += figure(trial)
	}
	return sum / float64(len(t.trials))
}

// ratio is the median processor time over that of the base: infinite where most trials proved
// nothing, NaN where those of the base did not.
func (t *measurement) ratio() float64 {
	base := medianOf(t.base.seconds())
	if math.IsInf(base, 1) {
		return math.NaN()
	}
	return medianOf(t.seconds()) / base
}

// projected is the speed-up if all workers were busy all the time, each on a processor of its own;
// with idle time it is what workers have left idle taken off.
func (t *measurement) projected() float64 {
	return float64(t.workers) / float64(t.base.workers) / t.ratio()
}

func (t *measurement) withIdleTime() float64 {
	busy := func(t *Trial) float64 { return t.Busy }
	return t.mean(busy) / t.base.mean(busy) / t.ratio()
}

// wall is how many times faster this machine is by the clock.
func (t *measurement) wall() float64 {
	clock := func(t *measurement) float64 {
		var s []float64
		for _, trial := range t.trials {
			if trial.Proved() {
				s = append(s, trial.Wall.Seconds())
			} else {
				s = append(s, math.Inf(1))
			}
		}
		return medianOf(s)
	}
	if math.IsInf(clock(t.base), 1) {
		return math.NaN()
	}
	return clock(t.base) / clock(t)
}

// medianOf is the middle, or between the two in the middle; NaN of none.
func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// SpeedupTable writes for people what workers took to the proof: a line for each set and number of workers,
// then the medians over sets. What was not proved within the limit is open, and never a time: it makes
// a median, a ratio or a speed-up as bad as can be.
func SpeedupTable(w io.Writer, trials []*Trial) error {
	all := measurements(trials)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttasks\tworkers\tproved\tprocessor seconds by seed\tmedian\tratio\tspeed-up\twith idle time\tby the clock\tMB")
	for _, t := range all {
		set := []string{"", ""}
		if t == t.base {
			set = []string{t.set.Name, strconv.Itoa(len(t.set.JobSet.Tasks))}
		}
		proved, by := 0, []string{}
		for _, s := range t.seconds() {
			if !math.IsInf(s, 1) {
				proved++
			}
			by = append(by, figure(s, 1))
		}
		fmt.Fprintln(out, strings.Join(append(set, strconv.Itoa(t.workers), fmt.Sprintf("%d of %d", proved, len(t.trials)), strings.Join(by, " "),
			figure(medianOf(t.seconds()), 1), figure(t.ratio(), 2), figure(t.projected(), 2), figure(t.withIdleTime(), 2), figure(t.wall(), 2),
			figure(t.mean(func(t *Trial) float64 { return float64(t.Memory) / (1 << 20) }), 0)), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(out, "workers\tsets\tmedian speed-up\twith idle time\tby the clock\tgreatest ratio")
	for _, s := range overSets(all) {
		fmt.Fprintf(out, "%d\t%d\t%s\t%s\t%s\t%s %s\n", s.workers, len(s.of), figure(s.median((*measurement).projected), 2),
			figure(s.median((*measurement).withIdleTime), 2), figure(s.median((*measurement).wall), 2), figure(s.worst.ratio(), 2), s.worst.set.Name)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return lost(w, all)
}

// medians is what a number of workers made of all sets that the first number proved.
type medians struct {
	workers int
	of      []*measurement
	// worst has the greatest ratio.
	worst *measurement
}

func overSets(all []*measurement) []*medians {
	var sums []*medians
	for _, t := range all {
		if t == t.base || math.IsNaN(t.ratio()) {
			continue
		}
		i := slices.IndexFunc(sums, func(s *medians) bool { return s.workers == t.workers })
		if i < 0 {
			i = len(sums)
			sums = append(sums, &medians{workers: t.workers, worst: t})
		}
		s := sums[i]
		if s.of = append(s.of, t); t.ratio() > s.worst.ratio() {
			s.worst = t
		}
	}
	return sums
}

func (s *medians) median(of func(*measurement) float64) float64 {
	var values []float64
	for _, t := range s.of {
		values = append(values, of(t))
	}
	return medianOf(values)
}

// lost names what few workers prove soon, and many do not within the time they have.
func lost(w io.Writer, all []*measurement) error {
	var names []string
	for _, t := range all {
		for i, trial := range t.trials {
			if i < len(t.base.trials) && t.base.seconds()[i] <= soon.Seconds() && t.seconds()[i] > late.Seconds() {
				names = append(names, fmt.Sprintf("%s by %d, seed %d", t.set.Name, t.workers, trial.Seed))
			}
		}
	}
	if names == nil {
		names = []string{"none"}
	}
	_, err := fmt.Fprintf(w, "\nproved by %d within %v of processor time, and not by others within %v: %s\n", all[0].workers, soon, late, strings.Join(names, "; "))
	return err
}

// figure writes a number with some places; infinite is open.
func figure(x float64, places int) string {
	switch {
	case math.IsNaN(x):
		return "-"
	case math.IsInf(x, 1):
		return "open"
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

// ValueTable writes for people what workers came to in the same time: a line for each set and number of
// workers with the values by seed, the middle one and whether it is worse than that of the first number of
// workers, then how many sets are.
func ValueTable(w io.Writer, trials []*Trial) error {
	all := measurements(trials)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttasks\tworkers\tvalue by seed\tmedian\tbound by seed\tthan the first")
	worse := map[int]int{}
	var counts []int
	for _, t := range all {
		set := []string{"", ""}
		if t == t.base {
			set = []string{t.set.Name, strconv.Itoa(len(t.set.JobSet.Tasks))}
		} else if !slices.Contains(counts, t.workers) {
			counts = append(counts, t.workers)
		}
		var by, bounds []string
		for _, trial := range t.trials {
			by, bounds = append(by, numbers(trial.Values)), append(bounds, numbers(trial.Bounds))
		}
		than := [...]string{"better", "equal", "worse"}[1+compareValues(t.middle(), t.base.middle())]
		if than == "worse" {
			worse[t.workers]++
		}
		fmt.Fprintln(out, strings.Join(append(set, strconv.Itoa(t.workers), strings.Join(by, " "), numbers(t.middle()), strings.Join(bounds, " "), than), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, n := range counts {
		if _, err := fmt.Fprintf(w, "%d workers: worse in the median of seeds on %d sets\n", n, worse[n]); err != nil {
			return err
		}
	}
	return nil
}

// middle are the values in the middle over the seeds, the worse ones of two.
func (t *measurement) middle() []int64 {
	var all [][]int64
	for _, trial := range t.trials {
		all = append(all, trial.Values)
	}
	slices.SortFunc(all, compareValues)
	return all[len(all)/2]
}

// compareValues orders values, none at all last.
func compareValues(a, b []int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return slices.Compare(a, b)
}

// DrawSpeedup draws the projected speed-up against the number of workers: a line for each set in the background,
// the median over sets, and the median with idle time.
func DrawSpeedup(w io.Writer, format string, trials []*Trial) error {
	all := measurements(trials)
	c := &chart.Chart{
		Title: "Speed-up to the proof", XLabel: "workers", YLabel: "workers × processor time of the first / processor time", FromZero: true,
	}
	bySet := map[*Set]*chart.Series{}
	var order []*Set
	for _, t := range all {
		if t == t.base {
			bySet[t.set] = &chart.Series{Name: t.set.Name, Ghost: true}
			order = append(order, t.set)
		}
		y := t.projected()
		if math.IsInf(y, 1) {
			y = math.NaN()
		}
		s := bySet[t.set]
		s.X, s.Y = append(s.X, float64(t.workers)), append(s.Y, y)
	}
	for _, set := range order {
		c.Series = append(c.Series, *bySet[set])
	}
	base := float64(all[0].workers)
	median := chart.Series{Name: "median of sets", Bold: true, X: []float64{base}, Y: []float64{1}}
	idle := chart.Series{Name: "with idle time", X: []float64{base}, Y: []float64{1}}
	linear := chart.Series{Name: "in proportion", X: []float64{base}, Y: []float64{1}}
	for _, s := range overSets(all) {
		x := float64(s.workers)
		median.X, median.Y = append(median.X, x), append(median.Y, s.median((*measurement).projected))
		idle.X, idle.Y = append(idle.X, x), append(idle.Y, s.median((*measurement).withIdleTime))
		linear.X, linear.Y = append(linear.X, x), append(linear.Y, x/base)
	}
	c.Series = append(c.Series, median, idle, linear)
	return c.Draw(w, format)
}
