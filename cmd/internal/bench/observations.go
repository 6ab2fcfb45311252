package bench

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/stats"
)

// played is a run of a policy, with that of another on the same job set and seed where two are
// compared.
type played struct {
	rec      *Record
	cell, of *Cell
}

// runsOf lists the runs of a policy.
func runsOf(records []*Record, policy string) []played {
	var out []played
	for _, rec := range records {
		if rec == nil {
			continue
		}
		for i := range rec.Cells {
			if rec.Cells[i].Policy == policy {
				out = append(out, played{rec: rec, cell: &rec.Cells[i]})
			}
		}
	}
	return out
}

// twins pairs the runs of two policies by job set and seed; runs without a counterpart are left out.
func twins(records []*Record, a, b string) []played {
	out := runsOf(records, a)
	type key struct {
		rec  *Record
		seed uint64
	}
	others := map[key]*Cell{}
	for _, r := range runsOf(records, b) {
		others[key{r.rec, r.cell.Seed}] = r.cell
	}
	for i := range out {
		out[i].of = others[key{out[i].rec, out[i].cell.Seed}]
	}
	return slices.DeleteFunc(out, func(r played) bool { return r.of == nil })
}

// observations says which runs are one observation of what a bench is to find out: how
// a policy does on job sets like these.
//
//   - Job sets that are equal are one. Where all of them are, runs are what is observed: each seed
//     is an observation, or all are one if they come out alike.
//   - Sets that are drawn with the same seed at several levels of a sweep, or from several
//     workloads, have draws in common. So they are one observation. So are files of one name in the
//     folders of several levels.
//
// Nil stands for runs that are observations each by itself.
func observations(runs []played) stats.Units {
	digests := map[string]bool{}
	for _, r := range runs {
		digests[r.rec.set()] = true
	}
	of := components{map[string]string{}, map[string]int{}}
	units := make(stats.Units, len(runs))
	switch {
	case len(digests) == 1 && alike(runs):
		return oneByOne(units) // all are 0
	case len(digests) == 1:
		for i, r := range runs {
			units[i] = of.number(r.seed())
		}
		return oneByOne(units)
	}
	seeds := map[string]map[uint64]bool{}
	for _, r := range runs {
		if seeds[r.rec.set()] == nil {
			seeds[r.rec.set()] = map[uint64]bool{}
		}
		seeds[r.rec.set()][r.cell.Seed] = true
	}
	for _, r := range runs {
		if r.drawn() && len(seeds[r.rec.set()]) == 1 { // else the set does not depend on its seed
			of.join(r.rec.set(), r.seed())
		}
		if name := r.rec.namesake(); name != "" {
			of.join(r.rec.set(), name)
		}
	}
	for i, r := range runs {
		units[i] = of.number(r.rec.set())
	}
	return oneByOne(units)
}

// oneByOne is nil where no number comes twice.
func oneByOne(units stats.Units) stats.Units {
	seen := map[int]bool{}
	for _, u := range units {
		if seen[u] {
			return units
		}
		seen[u] = true
	}
	return nil
}

// seed names the seed of the run.
func (r *played) seed() string { return "seed " + strconv.FormatUint(r.cell.Seed, 10) }

// drawn reports whether the job set was drawn from a workload with the seed of the run.
func (r *played) drawn() bool {
	_, seed := r.rec.source()
	return seed == strconv.FormatUint(r.cell.Seed, 10)
}

// set names what the job set means: equal sets have one name.
func (r *Record) set() string { return "set " + cmp.Or(r.Digest, r.Set) }

// namesake names what a job set from a file has in common with those of its name, or of the seed that ends its
// name, at other levels; empty where it stands at none.
func (r *Record) namesake() string {
	if _, seed := r.source(); seed != "" || r.Parameter == "" {
		return ""
	}
	name := filepath.Base(r.Set)
	if i := strings.LastIndex(name, "seed="); i >= 0 {
		name = name[i:]
	}
	return "file " + r.workload(r.Parameter) + name
}

// source is the workload that the job set was drawn from, with the seed; one that was not drawn
// has no seed and is its own source.
func (r *Record) source() (workload, seed string) {
	i := strings.LastIndexAny(r.Set, ":,")
	seed, drawn := strings.CutPrefix(r.Set[i+1:], "seed=")
	if _, err := strconv.ParseUint(seed, 10, 64); i < 0 || !drawn || err != nil { // a file may be called after a seed
		return r.Set, ""
	}
	return r.Set[:i], seed
}

// alike reports whether all runs came out the same.
func alike(runs []played) bool {
	for _, r := range runs[1:] {
		if !reflect.DeepEqual(r.cell.Measures, runs[0].cell.Measures) {
			return false
		}
		if r.of != nil && !reflect.DeepEqual(r.of.Measures, runs[0].of.Measures) {
			return false
		}
	}
	return true
}

// components are sets of names that were joined, numbered in the order in which they are asked for.
type components struct {
	up      map[string]string
	numbers map[string]int
}

func (c *components) root(name string) string {
	for {
		up, known := c.up[name]
		if !known {
			return name
		}
		if higher, known := c.up[up]; known {
			c.up[name] = higher // paths stay short
		}
		name = up
	}
}

func (c *components) join(a, b string) {
	if a, b = c.root(a), c.root(b); a != b {
		c.up[a] = b
	}
}

func (c *components) number(name string) int {
	root := c.root(name)
	n, known := c.numbers[root]
	if !known {
		n = len(c.numbers)
		c.numbers[root] = n
	}
	return n
}
