package remedy

import (
	"context"
	"slices"

	"downbeat/model"
	"downbeat/model/change"
	"downbeat/solve/budget"
)

const (
	// mostTogether is how many remedies of several changes are given.
	mostTogether = 5
	// mostPaired is how many levers are tried in pairs.
	mostPaired = 60
)

// together looks for several changes that help: pairs, and the later deadlines that the
// least bad plan known comes to.
func (x *search) together(ctx context.Context) {
	x.pairs(budget.Part(ctx, 2))
	if len(x.out.Together) == 0 {
		x.asLate(ctx)
	}
}

// pairs tries each two levers: those of jobs that between them are in all clashes.
func (x *search) pairs(ctx context.Context) {
	levers := x.levers(x.inAny())
	levers = levers[:min(len(levers), mostPaired)]
	for b := range levers {
		for a := range b {
			if len(x.out.Together) == mostTogether || ctx.Err() != nil || x.err != nil {
				return
			}
			pair := []*lever{&levers[a], &levers[b]}
			if x.mayHelp(pair) {
				x.several(budget.Part(ctx, 4), pair)
			}
		}
	}
}

// inAny are the jobs of the clashes, late ones first, then ascending.
func (x *search) inAny() []model.JobID {
	all := slices.Concat(x.opt.Clashes...)
	slices.Sort(all)
	all = slices.Compact(all)
	late := func(i model.JobID) int {
		if _, is := slices.BinarySearch(x.opt.Late, i); is {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b model.JobID) int { return late(a) - late(b) })
	return all
}

// mayHelp reports whether a pair is worth a trial: each clash has a job that is changed, or
// slaves are. Soft deadlines are not, where later ones help in the same cases.
func (x *search) mayHelp(pair []*lever) bool {
	if pair[0].kind == change.Soften || pair[1].kind == change.Soften {
		return false
	}
	if pair[0].job < 0 || pair[1].job < 0 {
		return true
	}
	return !slices.ContainsFunc(x.opt.Clashes, func(c []model.JobID) bool {
		return !slices.Contains(c, pair[0].job) && !slices.Contains(c, pair[1].job)
	})
}

// several tries levers together, and makes each as small as it can while the others stay.
func (x *search) several(ctx context.Context, levers []*lever) {
	var utmost []change.Change
	for _, l := range levers {
		utmost = append(utmost, l.utmost())
	}
	t := x.try(ctx, utmost...)
	if t.fit != Yes {
		return
	}
	steps := make([]int64, len(levers))
	for k, l := range levers {
		steps[k] = x.steps(l, t)
	}
	x.shrink(ctx, levers, steps)
}

// shrink makes steps that do together as small as it can one after the other, and keeps the
// remedy. A lever without which the others do is left out.
func (x *search) shrink(ctx context.Context, levers []*lever, steps []int64) {
	others := func(k int) []change.Change {
		var out []change.Change
		for n, l := range levers {
			if n != k && steps[n] > 0 {
				out = append(out, l.of(steps[n]))
			}
		}
		return out
	}
	least := make([]bool, len(levers))
	for range 2 { // the second time the later ones have become smaller
		for k, l := range levers {
			part := budget.Part(ctx, len(levers)-k+1)
			switch rest := others(k); {
			case steps[k] == 0:
			case len(rest) > 0 && x.try(part, rest...).fit == Yes:
				steps[k] = 0
			default:
				steps[k], least[k] = x.least(part, l, steps[k], rest)
			}
		}
	}
	var r Remedy
	for k, l := range levers {
		if steps[k] > 0 {
			r.Changes, r.Least = append(r.Changes, l.of(steps[k])), append(r.Least, least[k])
		}
	}
	if x.try(ctx, r.Changes...).fit == Yes {
		x.out.Together = append(x.out.Together, r)
	}
}

// asLate gives each job that the least bad plan has late a later deadline.
func (x *search) asLate(ctx context.Context) {
	if len(x.opt.Late) < 2 {
		return
	}
	var levers []*lever
	for _, i := range x.opt.Late {
		l := x.ofJob(i)[0]
		levers = append(levers, &l)
	}
	x.several(ctx, levers)
}
