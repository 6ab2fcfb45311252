package strategy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/solve/fluid"
)

const (
	// patienceForGuides is the number of evaluations without a better plan from which on
	// guides are rounded in other ways as well; roundedPatience is squeakyPatience for such plans.
	patienceForGuides, roundedPatience = 2, 5
	// leastOut is the share that has to be out for a job to be let go at all, roundingNoise by
	// how much chance moves shares up or down.
	leastOut, roundingNoise = 0.02, 0.1
	// mostBelow is by how much less than the best plan costs a rounding may be asked to
	// cost, at most.
	mostBelow = 2
)

// round makes plans in the order of a guide that let go of less than the best plan does,
// so that one in which all other jobs are in time is better. A guide lets go of jobs of
// which more than half is out; where several are out in part there are other choices, and
// which of them leave room for the rest shows in a plan only. Nothing is learnt about
// capacity from what comes of it.
func (g *Guided) round(ctx context.Context, l *guideLine, guide *fluid.Guide) {
	values := g.squeaky.Values()
	if !l.by.rounds || l.idle < patienceForGuides || values[0] > 0 {
		return
	}
	below := 1 + g.rng.Int64N(mostBelow)
	g.construct(ctx, l, l.by.rounded(guide, values[1]-below, g.rng), roundedPatience)
}

// rounded is an aim by a guide in which the jobs let go cost no more than a limit, those
// that are late in every plan included: shares rounded with some chance, the greatest
// first.
func (t *guideTask) rounded(guide *fluid.Guide, limit int64, rng *rand.Rand) lns.Aim {
	type share struct {
		job model.JobID
		out float64
	}
	var shares []share
	for i, out := range guide.Out {
		job := model.JobID(i)
		switch {
		case t.js.Jobs[i].Kind != model.Soft:
		case t.squeaky.Hopeless(job):
			limit -= t.js.Jobs[i].Weight
		case out > leastOut:
			shares = append(shares, share{job, out + roundingNoise*(2*rng.Float64()-1)})
		}
	}
	slices.SortFunc(shares, func(a, b share) int {
		return cmp.Or(cmp.Compare(b.out, a.out), cmp.Compare(a.job, b.job))
	})
	aim := t.blank()
	aim.Key = guide.Start
	for _, s := range shares {
		if weight := t.js.Jobs[s.job].Weight; weight <= limit {
			limit -= weight
			aim.By[s.job], aim.Last[s.job] = model.Never, true
		}
	}
	return aim
}
