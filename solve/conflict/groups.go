package conflict

import (
	"context"
	"slices"

	"downbeat/model"
)

const (
	// mostChoices bounds how many choices of jobs are tried to show that any of that size
	// fits.
	mostChoices = 500
	// largestGroup is the number of jobs beyond which no choices are tried.
	largestGroup = 20
)

// groups finds jobs of conflicts that meet, and how many of them fit whichever they are.
func (x *analyst) groups(ctx context.Context) {
	all := minimal(x.sets)
	for _, jobs := range components(all) {
		sets := slices.DeleteFunc(slices.Clone(all), func(c []model.JobID) bool { return !contains(jobs, c) })
		if len(sets) < 2 {
			continue
		}
		_, least := hittingSet(ctx, sets)
		g := Group{Jobs: jobs, Least: least}
		for n := len(jobs) - least; n > 1 && len(jobs) <= largestGroup && ctx.Err() == nil; n-- {
			if x.any(ctx, jobs, n) {
				g.Any = n
				break
			}
		}
		x.out.Groups = append(x.out.Groups, g)
	}
}

// minimal are the sets that hold no other: conflicts that rest on jobs that are not hard may
// have sets one of which holds the other.
func minimal(sets [][]model.JobID) [][]model.JobID {
	var out [][]model.JobID
	for k, c := range sets {
		if !slices.ContainsFunc(sets, func(d []model.JobID) bool { return len(d) < len(c) && contains(c, d) }) &&
			!slices.ContainsFunc(sets[:k], func(d []model.JobID) bool { return slices.Equal(c, d) }) {
			out = append(out, c)
		}
	}
	return out
}

// any reports whether each choice of n jobs was seen to fit.
func (x *analyst) any(ctx context.Context, jobs []model.JobID, n int) bool {
	for _, c := range x.sets {
		if len(c) <= n && contains(jobs, c) {
			return false
		}
	}
	all := choices(jobs, n, mostChoices+1)
	fits := 0
	x.inTurn(ctx, len(all), func(k int) []model.JobID { return all[k] }, func(k int) bool {
		if k == mostChoices || x.ask(ctx, all[k]) != fit {
			return false
		}
		fits++
		return true
	})
	return fits == len(all)
}

// choices lists the choices of n jobs, so many of them at most.
func choices(jobs []model.JobID, n, most int) [][]model.JobID {
	var out [][]model.JobID
	var from func(some, rest []model.JobID)
	from = func(some, rest []model.JobID) {
		if len(some) == n {
			out = append(out, slices.Clone(some))
			return
		}
		for k := range rest {
			if len(out) < most {
				from(append(slices.Clone(some), rest[k]), rest[k+1:])
			}
		}
	}
	from(nil, jobs)
	return out
}

// components are the unions, ascending, of sets of several jobs that are linked by jobs
// in common.
func components(sets [][]model.JobID) [][]model.JobID {
	var out [][]model.JobID
	for _, c := range sets {
		if len(c) < 2 {
			continue
		}
		union := slices.Clone(c)
		out = slices.DeleteFunc(out, func(jobs []model.JobID) bool {
			if !isHit(jobs, c) {
				return false
			}
			union = append(union, jobs...)
			return true
		})
		slices.Sort(union)
		out = append(out, slices.Compact(union))
	}
	return out
}
