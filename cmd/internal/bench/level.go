package bench

import (
	"cmp"
	"math"
	"slices"
)

// level is a group of records that stand at one point of the horizontal axis.
type level struct {
	x       float64
	records []*Record
}

// maxLevels is how many distinct values stand as they are; more are put into
// that many bins of equal width.
const maxLevels = 12

// levels groups records by the parameter of their workload, or, where there is
// none, by their demand. Records that have neither are left out. axis says what
// x is.
func levels(records []*Record) (out []level, axis string) {
	x, axis := axisOf(records)
	if out = group(records, x); len(out) > maxLevels {
		out = bins(out)
	}
	return out, axis
}

// sweptLevels groups records by the parameter of their workload, none if it has one value.
func sweptLevels(records []*Record) (parameter string, out []level) {
	at, name := levelOf(records)
	if at == nil {
		return "", nil
	}
	return name, group(records, at)
}

// group puts records of equal x together, in ascending order; those without one are left out.
func group(records []*Record, x func(*Record) float64) (out []level) {
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
		if n := len(out); n == 0 || out[n-1].x != p.x {
			out = append(out, level{x: p.x})
		}
		last := &out[len(out)-1]
		last.records = append(last.records, p.rec)
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
	distinct := map[float64]bool{}
	for _, rec := range records {
		if rec != nil && rec.Parameter != "" {
			name = rec.Parameter
			distinct[rec.Level] = true
		}
	}
	if len(distinct) < 2 {
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
func bins(fine []level) []level {
	lo, hi := fine[0].x, fine[len(fine)-1].x
	width := (hi - lo) / maxLevels
	var out []level
	for _, f := range fine {
		bin := min(maxLevels-1, math.Floor((f.x-lo)/width))
		x := lo + (bin+0.5)*width
		if n := len(out); n == 0 || out[n-1].x != x {
			out = append(out, level{x: x})
		}
		last := &out[len(out)-1]
		last.records = append(last.records, f.records...)
	}
	return out
}
