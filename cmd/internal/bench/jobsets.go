// Jobsets gathers the job sets of a bench: files, folders, and named
// workloads with a sweep and seeds.

package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"downbeat/cmd/internal/files"
	"downbeat/model"
	"downbeat/online/workload"
)

// Set is one job set of a bench.
type Set struct {
	// ID names it: a path, or a workload's text with its seed.
	ID string
	// Source is what it comes from: a path, or a workload's text as it was named.
	Source string
	// Parameter and Level say where the set stands in a sweep, or how loaded
	// its workload is; Parameter is empty if nothing is known.
	Parameter string
	Level     float64
	// Seeds of the runs, at least one: each policy runs once with each.
	Seeds []uint64
	// Make loads or generates the set; the same every time. Programs that make sets end with ctx.
	Make func(ctx context.Context) (*model.JobSet, error)
}

// maxSets keeps a slip of the finger from running for ever.
const maxSets = 1_000_000

// FromFiles are job sets from files, and from the .yaml, .yml and .json files in
// folders, in alphabetical order within a folder: those right in it, or, where there are none,
// those of the folders in it. Each is loaded at once. Every policy runs on it once with each seed.
func FromFiles(paths []string, seeds []uint64, load func(path string) (*model.JobSet, error)) ([]Set, error) {
	var out []Set
	for _, path := range paths {
		found, err := files.JobSets(path)
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			js, err := load(file)
			if err != nil {
				return nil, err
			}
			set := fromFile(file, seeds)
			set.Make = func(context.Context) (*model.JobSet, error) { return js, nil }
			out = append(out, set)
		}
	}
	return out, nil
}

// fromFile is the job set of a file, but for how it is made. In a folder called PARAMETER=NUMBER it stands at
// that level.
func fromFile(file string, seeds []uint64) Set {
	set := Set{ID: file, Source: file, Seeds: seeds}
	name, value, found := strings.Cut(filepath.Base(filepath.Dir(file)), "=")
	if x, err := strconv.ParseFloat(value, 64); found && name != "" && err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		set.Parameter, set.Level = name, x
	}
	return set
}

// Sweep is a parameter that takes several values; none if Parameter is empty.
type Sweep struct {
	Parameter string
	// Values as a workload's text has them.
	Values []string
}

// ParseSweep reads "PARAMETER=A,B,C" or "PARAMETER=LO..HI/N", N values evenly
// from LO to HI.
func ParseSweep(text string) (Sweep, error) {
	name, list, found := strings.Cut(text, "=")
	s := Sweep{Parameter: strings.TrimSpace(name)}
	if !found || s.Parameter == "" || list == "" {
		return Sweep{}, fmt.Errorf("%q is no sweep: write PARAMETER=A,B,C or PARAMETER=LO..HI/N", text)
	}
	ends, count, even := strings.Cut(list, "/")
	if !even {
		s.Values = strings.Split(list, ",")
		return s, nil
	}
	first, last, _ := strings.Cut(ends, "..")
	lo, err1 := strconv.ParseFloat(first, 64)
	hi, err2 := strconv.ParseFloat(last, 64)
	n, err3 := strconv.Atoi(count)
	if err := errors.Join(err1, err2, err3); err != nil || n < 2 || n > 1000 || !(lo < hi) {
		return Sweep{}, fmt.Errorf("%q is no sweep: write PARAMETER=LO..HI/N with LO below HI and N from 2 to 1000, e.g. utilisation=0.1..0.9/9", text)
	}
	for i := range n {
		v := lo + (hi-lo)*float64(i)/float64(n-1)
		s.Values = append(s.Values, strconv.FormatFloat(v, 'g', 6, 64))
	}
	return s, nil
}

// Grid is what several sweeps of workloads come to: each workload with every value of all sweeps
// but the last, which is left to vary. A parameter may be swept once.
func Grid(workloads []string, sweeps []Sweep) ([]string, Sweep, error) {
	if len(sweeps) == 0 {
		return workloads, Sweep{}, nil
	}
	last := len(sweeps) - 1
	for i, s := range sweeps {
		if slices.ContainsFunc(sweeps[:i], func(o Sweep) bool { return o.Parameter == s.Parameter }) {
			return nil, Sweep{}, fmt.Errorf("%s is swept twice; name all of its values in one sweep", s.Parameter)
		}
		if i == last {
			break
		}
		var wider []string
		for _, text := range workloads {
			for _, v := range s.Values {
				wider = append(wider, workload.With(text, s.Parameter, v))
			}
		}
		workloads = wider
	}
	return workloads, sweeps[last], nil
}

// over is a workload with each value of the sweep, or as it is.
func (s *Sweep) over(text string) []string {
	if s.Parameter == "" {
		return []string{text}
	}
	var out []string
	for _, v := range s.Values {
		out = append(out, workload.With(text, s.Parameter, v))
	}
	return out
}

// Sources are what workloads, with each value of the sweep, depend on beside their texts, with digests (see
// [workload.Sources]).
func Sources(ctx context.Context, texts []string, sweep Sweep) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range texts {
		for _, full := range sweep.over(text) {
			more, err := workload.Sources(ctx, full)
			if err != nil {
				return nil, err
			}
			maps.Copy(out, more)
		}
	}
	return out, nil
}

// loadParameters are what workloads call their load, most telling first.
var loadParameters = []string{"utilisation", "load"}

// FromWorkloads are the job sets of named workloads: of each text, with each
// value of the sweep, with each seed. A set's seed is also that of its runs.
// Programs of workloads run as programs says, nil as they do by default.
func FromWorkloads(texts []string, sweep Sweep, seeds []uint64, programs *workload.Programs) ([]Set, error) {
	var out []Set
	for _, text := range texts {
		for _, full := range sweep.over(text) {
			w, err := workload.Parse(full)
			if err != nil {
				return nil, err
			}
			if _, err := workload.Parse(workload.With(full, "seed", "1")); err != nil {
				return nil, fmt.Errorf("workload %s names a seed; name the seeds of a bench apart", full)
			}
			if len(out)+len(seeds) > maxSets {
				return nil, fmt.Errorf("more than %d job sets", maxSets)
			}
			parameter, at := jobsetsLevelOf(w, sweep.Parameter)
			for _, seed := range seeds {
				out = append(out, Set{
					ID: workload.With(workload.Shown(full), "seed", strconv.FormatUint(seed, 10)), Source: workload.Shown(text),
					Parameter: parameter, Level: at, Seeds: []uint64{seed}, Make: func(ctx context.Context) (*model.JobSet, error) { return w.GenerateContext(ctx, seed, programs) },
				})
			}
		}
	}
	return out, nil
}

// jobsetsLevelOf is the load that a workload is at: the swept parameter if it is a
// number, else one that workloads call their load.
func jobsetsLevelOf(w workload.Workload, swept string) (parameter string, level float64) {
	wanted := loadParameters
	if swept != "" {
		wanted = []string{swept}
	}
	for _, name := range wanted {
		for _, p := range w.Parameters() {
			if v, err := strconv.ParseFloat(p.Value, 64); p.Name == name && err == nil {
				return name, v
			}
		}
	}
	return "", 0
}

// CheckSets tells sets of the same name.
func CheckSets(sets []Set) error {
	seen := map[string]bool{}
	for _, s := range sets {
		if seen[s.ID] {
			return fmt.Errorf("job set %s is named twice", s.ID)
		}
		seen[s.ID] = true
	}
	return nil
}

// ParseSeeds reads numbers and ranges with commas between them: "1-100",
// "3", "1-5,9". None may come twice.
func ParseSeeds(text string) ([]uint64, error) {
	wrong := fmt.Errorf("%q is no list of seeds: write 1-100, or 3,7,10-19; each seed once, at most %d", text, maxSets)
	var out []uint64
	seen := map[uint64]bool{}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			last = first
		}
		lo, err1 := strconv.ParseUint(first, 10, 64)
		hi, err2 := strconv.ParseUint(last, 10, 64)
		if err1 != nil || err2 != nil || hi < lo || hi-lo >= maxSets {
			return nil, wrong
		}
		for n := range hi - lo + 1 {
			if seed := lo + n; !seen[seed] {
				seen[seed] = true
				out = append(out, seed)
			} else {
				return nil, wrong
			}
		}
	}
	if len(out) > maxSets {
		return nil, wrong
	}
	return out, nil
}
