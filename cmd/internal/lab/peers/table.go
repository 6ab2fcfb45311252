package peers

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"downbeat/model"
)

// row is what a peer made of a set over all rounds: the median run.
type row struct {
	*Run
	// base is the row of the first peer on the same set.
	base *row
}

// rows are the sets in their order, and of each the peers in theirs.
func rows(runs []*Run, peers []Peer) []*row {
	type cell struct {
		set  *Set
		peer string
	}
	var sets []*Set
	byCell := map[cell][]*Run{}
	for _, r := range runs {
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
		at := cell{r.Set, r.Peer}
		byCell[at] = append(byCell[at], r)
	}
	var out []*row
	for _, set := range sets {
		var base *row
		for i := range peers {
			if of := byCell[cell{set, peers[i].Name}]; len(of) > 0 {
				r := &row{Run: median(of), base: base}
				if i == 0 {
					base, r.base = r, r
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// median is the middle run: proved ones first, by time, then by values.
func median(runs []*Run) *Run {
	sorted := slices.Clone(runs)
	slices.SortStableFunc(sorted, func(a, b *Run) int {
		switch {
		case a.Proved() != b.Proved():
			if a.Proved() {
				return -1
			}
			return 1
		case a.Proved():
			return cmp.Compare(a.Total, b.Total)
		case a.Planned != b.Planned:
			if a.Planned {
				return -1
			}
			return 1
		}
		return slices.Compare(a.Values, b.Values)
	})
	return sorted[(len(sorted)-1)/2]
}

// Table writes the comparison for people: a line for each set and solver, then
// a summary. With several rounds a line shows the median run.
func Table(w io.Writer, runs []*Run, peers []Peer, opt Options) error {
	all := rows(runs, peers)
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "set\ttasks\tslaves\tsolver\tanswer\tvalue\tbound\tfirst\tbest\tproof\tsearch\tratio")
	var last *Set
	for _, r := range all {
		set := []string{"", "", ""}
		if r.Set != last {
			set = []string{r.Set.Name, strconv.Itoa(len(r.Set.JobSet.Tasks)), strconv.Itoa(len(r.Set.JobSet.Slaves))}
		}
		last = r.Set
		fmt.Fprintln(out, strings.Join(append(set, r.Peer, r.answer(), numbers(r.Values), numbers(r.Bounds),
			seconds(r.First), seconds(r.Best), seconds(r.Proof()), r.searched(), r.ratio(opt)), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := summary(w, all, peers); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
Times in seconds, from the start of the process. ratio: time to proof over that of %s.
search: what a solver says of its own time, without start-up and translation.
`, peers[0].Name)
	for _, r := range runs {
		if r.Fault != "" {
			_, err = fmt.Fprintf(w, "%s, %s: %s\n", r.Set.Name, r.Peer, r.Fault)
		}
	}
	return err
}

func (r *row) answer() string {
	switch {
	case r.Fault != "":
		return "failed"
	case r.Status == model.Feasible && !r.Proved():
		return "open"
	}
	return r.Status.String()
}

// searched is the solver's own time if the run is a proof.
func (r *row) searched() string {
	if !r.Proved() || r.Search == 0 {
		return "-"
	}
	return seconds(r.Search)
}

// ratio is the time to proof over the base's; where only one of the two proved
// anything, a bound on it.
func (r *row) ratio(opt Options) string {
	if r.base == nil || !r.Proved() && !r.base.Proved() {
		return "-"
	}
	mark, over, under := "", r.Total, r.base.Total
	if !r.Proved() {
		mark, over = ">", opt.Limit
	}
	if !r.base.Proved() {
		mark, under = "<", opt.Limit
	}
	return mark + strconv.FormatFloat(over.Seconds()/under.Seconds(), 'g', 3, 64)
}

// tally is a line of the summary.
type tally struct {
	sets, proved, plans, best int
	ratios, searches          []float64
}

// summary writes a line for each solver.
func summary(w io.Writer, all []*row, peers []Peer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "solver\tversion\tproved\twith plan\tbest value\tmedian ratio\tof search alone\tover sets")
	for i := range peers {
		t := tallyOf(all, peers[i].Name)
		fmt.Fprintf(out, "%s\t%s\t%d of %d\t%d\t%d\t%s\t%s\t%d\n", peers[i].Name, cmp.Or(peers[i].Version, "-"),
			t.proved, t.sets, t.plans, t.best, middle(t.ratios), middle(t.searches), len(t.ratios))
	}
	return out.Flush()
}

func tallyOf(all []*row, peer string) *tally {
	t := &tally{}
	for _, r := range all {
		if r.Peer != peer {
			continue
		}
		t.sets++
		if r.Planned {
			t.plans++
			if !slices.ContainsFunc(all, func(o *row) bool {
				return o.Set == r.Set && o.Planned && slices.Compare(o.Values, r.Values) < 0
			}) {
				t.best++
			}
		}
		if !r.Proved() {
			continue
		}
		t.proved++
		if r.base != nil && r.base.Proved() {
			t.ratios = append(t.ratios, r.Total.Seconds()/r.base.Total.Seconds())
			if r.Search > 0 {
				t.searches = append(t.searches, r.Search.Seconds()/r.base.Total.Seconds())
			}
		}
	}
	return t
}

func middle(values []float64) string {
	if len(values) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return strconv.FormatFloat((sorted[(n-1)/2]+sorted[n/2])/2, 'g', 3, 64)
}

func seconds(d time.Duration) string {
	if d == Never {
		return "-"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 2, 64)
}

func numbers(values []int64) string {
	if len(values) == 0 {
		return "-"
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatInt(v, 10)
	}
	return strings.Join(texts, ",")
}
