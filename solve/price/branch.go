package price

import (
	"context"
	"slices"

	"downbeat/model"
)

// LateByCases looks for an argument by cases that jobs of weight at least want do
// not finish by due, where prices alone prove less: a job of which the relaxation
// is a part late and a part in time is looked at both ways, and so on with prices
// that start from those before. weight and due are as in [Late]; must marks jobs
// that are in time in every plan. nil means that it found none within its work.
func LateByCases(ctx context.Context, js *model.JobSet, due []model.Time, weight []int64, must []bool, want int64) *model.Branch {
	refusal := Refusals(weight)
	if slices.Max(weight) > maxWeight || !fits(js, due, refusal) {
		return nil
	}
	m, _ := newMarket(js, due, slices.Clone(refusal))
	b := brancher{ctx: ctx, m: m, refusal: refusal, total: (want-1)*unit + 1, left: maxWork / 2}
	for i, mu := range must {
		if mu && refusal[i] > 0 {
			m.refusal[i] = want * unit
		}
	}
	b.decided = slices.Clone(must)
	m.dearest = want * unit
	root := b.branch(m.price, 0, rootSteps)
	if b.failed {
		return nil
	}
	return root
}

// Refusals are what jobs of given weights pay at most, in units of price.
func Refusals(weight []int64) []int64 {
	refusal := make([]int64, len(weight))
	for i, w := range weight {
		refusal[i] = w * unit
	}
	return refusal
}

// Total is what refusals add up to, at least, where jobs of a weight are late and
// weights are whole.
func Total(weight int64) int64 { return (weight-1)*unit + 1 }

// Cases counts the ends of an argument by cases.
func Cases(b *model.Branch) int {
	if b.Late == nil && b.InTime == nil {
		return 1
	}
	return Cases(b.Late) + Cases(b.InTime)
}

const (
	// rootSteps are for the first prices, caseSteps for those of each case.
	rootSteps, caseSteps = 1000, 250
	// maxDepth bounds the number of choices above a case.
	maxDepth = 14
)

// brancher looks at cases, depth first.
type brancher struct {
	ctx     context.Context
	m       *market
	refusal []int64
	// decided marks jobs that are late or in time by choice.
	decided []bool
	total   int64
	// left is the work that may still be done.
	left   int
	failed bool
}

// branch proves the case at hand, in which jobs that are late by choice have paid
// already; it starts from prices that were good for the case before.
func (b *brancher) branch(prices []int64, paid int64, steps int) *model.Branch {
	if paid >= b.total {
		return &model.Branch{}
	}
	copy(b.m.price, prices)
	a := newAscent(b.m, steps)
	if steps == caseSteps {
		a.factor = caseFactor
	}
	alone := b.alone()
	a.run(b.ctx, steps, b.total-paid-alone, b.total-paid-alone+unit/4)
	b.left -= steps * (1 + b.m.size)
	if paid+alone+a.value >= b.total {
		return &model.Branch{Tariff: b.tariff(a.best)}
	}
	job, torn := b.torn(a)
	if !torn || b.left <= 0 || b.ctx.Err() != nil || b.depth() > maxDepth {
		b.failed = true
		return nil
	}
	return b.split(job, a.best, paid)
}

// caseFactor is the first factor of steps from prices that are good already.
const caseFactor = 0.2

// alone is the price of the jobs that are late whatever the prices, and not by
// choice.
func (b *brancher) alone() (sum int64) {
	bought := make([]bool, len(b.refusal))
	for i := range b.m.jobs {
		bought[b.m.jobs[i].id] = true
	}
	for i, r := range b.m.refusal {
		if !bought[i] {
			sum += r
		}
	}
	return sum
}

func (b *brancher) tariff(prices []int64) *model.Tariff {
	tf := b.m.tariff(prices)
	tf.Refusal = slices.Clone(tf.Refusal)
	return tf
}

func (b *brancher) depth() (n int) {
	for i, r := range b.m.refusal {
		if r != b.refusal[i] {
			n++
		}
	}
	return n
}

// torn is the job that the relaxation is least decided about.
func (b *brancher) torn(a *ascent) (job model.JobID, ok bool) {
	best := -1.0
	for k := range b.m.jobs {
		id := b.m.jobs[k].id
		if b.decided[id] || b.refusal[id] == 0 {
			continue
		}
		if share := min(a.bought[k], 1-a.bought[k]); share > best {
			best, job, ok = share, id, true
		}
	}
	return job, ok
}

// split looks at both cases of a job.
func (b *brancher) split(job model.JobID, prices []int64, paid int64) *model.Branch {
	b.decided[job] = true
	defer func() {
		b.decided[job] = false
		b.m.refusal[job] = b.refusal[job]
	}()
	out := &model.Branch{Job: job}
	b.m.refusal[job] = b.m.dearest
	if out.InTime = b.branch(prices, paid, caseSteps); b.failed {
		return nil
	}
	b.m.refusal[job] = 0
	out.Late = b.branch(prices, paid+b.refusal[job], caseSteps)
	return out
}
