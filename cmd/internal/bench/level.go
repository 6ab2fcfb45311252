package bench

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"

	"downbeat/online/workload"
)

// Level is a group of records that stand at one point of the horizontal axis.
type Level struct {
	X       float64
	Records []*Record
}

// maxLevels is how many distinct values stand as they are; more are put into
// that many bins of equal width.
const maxLevels = 12

// Levels groups records by the parameter of their workload, or, where there is
// none, by their demand. Records that have neither are left out. axis says what
// x is.
func Levels(records []*Record) (out []Level, axis string) {
	x, axis := axisOf(records)
	if out = group(records, x); len(out) > maxLevels {
		out = bins(out)
	}
	return out, axis
}

// part is job sets of one workload, or of one folder of files, at one level of its parameter.
type part struct {
	workload string
	// level is not a number where the parameter has one value, or none.
	level   float64
	records []*Record
}

// parts groups records by their workloads and by the levels of their parameter, where there are
// several of either; parameter is empty where there are no levels. Of one workload at one level
// there are no parts.
func parts(records []*Record) (parameter string, several bool, out []part) {
	at, parameter := levelOf(records)
	var names []string
	byName := map[string][]*Record{}
	for _, rec := range records {
		if rec == nil {
			continue
		}
		name := rec.workload(parameter)
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], rec)
	}
	for _, name := range names {
		of := byName[name]
		if at == nil {
			out = append(out, part{name, math.NaN(), of})
			continue
		}
		for _, l := range group(of, at) {
			out = append(out, part{name, l.X, l.Records})
		}
		if left := slices.DeleteFunc(slices.Clone(of), func(rec *Record) bool { return !math.IsNaN(at(rec)) }); len(left) > 0 && len(names) > 1 {
			out = append(out, part{name, math.NaN(), left})
		}
	}
	if at == nil && len(names) < 2 {
		return "", false, nil
	}
	return parameter, len(names) > 1, out
}

// workload is what the job set is one of: the workload that it was drawn from, without its seed
// and without the parameter that has levels, if one has, or the folder that its file is in, or that
// the folders of its levels are in.
func (r *Record) workload(parameter string) string {
	source, seed := r.source()
	if seed == "" {
		folder := filepath.Dir(r.Set)
		if parameter != "" && r.Parameter == parameter {
			folder = filepath.Dir(folder) // of the folders of all levels
		}
		return folder + string(filepath.Separator)
	}
	return workload.Without(source, parameter)
}

// group puts records of equal x together, in ascending order; those without one are left out.
func group(records []*Record, x func(*Record) float64) (out []Level) {
	type placed struct {
		x   float64
		rec *Record
	}
	var all []placed
	for _, rec := range records {
		if rec != nil && !math.IsNaN(x(rec)) {
			all = append(all, placed{x(rec), rec})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.x, b.x) })
	for _, p := range all {
		if n := len(out); n == 0 || out[n-1].X != p.x {
			out = append(out, Level{X: p.x})
		}
		last := &out[len(out)-1]
		last.Records = append(last.Records, p.rec)
	}
	return out
}

// axisOf chooses what records are ordered by: a parameter that takes several
// values, else their demand. Not a number stands for none.
func axisOf(records []*Record) (x func(*Record) float64, axis string) {
	if at, name := levelOf(records); at != nil {
		return at, name
	}
	return func(rec *Record) float64 {
		if rec.Demand == 0 {
			return math.NaN()
		}
		return rec.Demand
	}, "demand (least work over the cores' time until the last deadline)"
}

// levelOf is the level of a record in the parameter that takes several values, nil if none
// does. Not a number stands for none.
func levelOf(records []*Record) (at func(*Record) float64, name string) {
	distinct, names := map[float64]bool{}, map[string]bool{}
	for _, rec := range records {
		if rec != nil && rec.Parameter != "" {
			name = rec.Parameter
			distinct[rec.Level], names[rec.Parameter] = true, true
		}
	}
	if len(distinct) < 2 || len(names) > 1 {
		return nil, ""
	}
	return func(rec *Record) float64 {
		if rec.Parameter != name {
			return math.NaN()
		}
		return rec.Level
	}, name
}

// bins puts levels into bins of equal width; x is the middle of a bin.
func bins(fine []Level) []Level {
	lo, hi := fine[0].X, fine[len(fine)-1].X
	width := (hi - lo) / maxLevels
	var out []Level
	for _, f := range fine {
		bin := min(maxLevels-1, math.Floor((f.X-lo)/width))
		x := lo + (bin+0.5)*width
		if n := len(out); n == 0 || out[n-1].X != x {
			out = append(out, Level{X: x})
		}
		last := &out[len(out)-1]
		last.Records = append(last.Records, f.Records...)
	}
	return out
}
