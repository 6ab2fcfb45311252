package setups

import "math/bits"

// weights are what jobs count, once they are placed, as if so much more stood idle (see shares): all jobs weigh the same in each order, so that it can be shared out with
// what stands idle. First jobs and last ones that leave little idle are often the same ones, which are scarce then: as they weigh more, fewer
// beginnings and fewer ends stay within their shares that cannot be of one order. They are multipliers of the condition that each job is placed once (Held and Karp, 1971).
type weights struct {
	// weigh has what each job weighs, in parts of a tick; none weighs less than nothing, so that what is shared out grows from one cut to the next.
	weigh [MostSearched]int
	// exact has the same with fractions.
	exact [MostSearched]float64
	// learnt is how often they were changed of those for the time at hand.
	learnt int
	// again: searches have begun again with the first shares.
	again bool
	// borders are those of searches for an order, and backward, as they were last.
	borders [2]border
}

// border counts steps with which searches would go past their share, by jobs that are placed then. It is told of some nodes alone.
type border struct {
	steps int
	with  [MostSearched]int
}

const (
	// partsOfIdle are those of a tick in which idle time is shared out.
	partsOfIdle = 4
	// sampledNodes is of how many nodes the border is told of one.
	sampledNodes = 8
	// timesLearnt is how often weights are changed, while searches take so many nodes; with more they begin again once.
	timesLearnt, leastLearnt, mostLearnt, mostLearntAgain = 8, 1 << 13, 1 << 16, 1 << 18
	// heavier is by how many ticks a job gets heavier for each of its share of both borders above balance.
	heavier, balance = 0.5, 0.8
)

// wholeTicks are those of so many parts, below zero where these are.
func wholeTicks(parts int) int {
	if parts < 0 {
		return -1
	}
	return parts / partsOfIdle
}

// weighed is what some jobs weigh.
func (w *weights) weighed(jobs uint64) (sum int) {
	for ; jobs != 0; jobs &= jobs - 1 {
		sum += w.weigh[bits.TrailingZeros64(jobs)]
	}
	return sum
}

// samples reports whether the border is told of the node at hand.
func (s *part) samples() bool { return s.tried%sampledNodes == 0 && !s.free() }

// add counts steps to each of some jobs, after those that are placed.
func (b *border) add(placed, next uint64) {
	n := bits.OnesCount64(next)
	b.steps += n
	for ; n > 0 && placed != 0; placed &= placed - 1 {
		b.with[bits.TrailingZeros64(placed)] += n
	}
	for ; next != 0; next &= next - 1 {
		b.with[bits.TrailingZeros64(next)]++
	}
}

// seen takes over what a part has seen of the border of the search at hand.
func (s *Search) seen(b *border) {
	of := s.borderAt(s.backward)
	of.steps += b.steps
	for k, n := range b.with[:len(s.p.jobs)] {
		of.with[k] += n
	}
	*b = border{}
}

// borderAt is that of searches in a direction.
func (s *Search) borderAt(backward bool) *border {
	if backward {
		return &s.borders[1]
	}
	return &s.borders[0]
}

// learns reports whether jobs have yet to weigh what they should, and searches for an order no longer go on freely, and take so many nodes at the least and fewer than so many: they are made once more with the
// same shares then, where they are long enough to tell of weights, and not long yet, and from the first shares on where they are long already.
func (s *Search) learns(least, below int) bool {
	nodes := s.first.nodes + s.last.nodes
	return !s.SeeksOnly && s.p.walks == nil && (s.listedOnly || s.first.before >= s.freelyNodes) && s.learnt < timesLearnt && nodes >= least && nodes < below
}

// reweigh has jobs weigh more that are at both borders more often than in balance, others less, and shares such that searches come to about as many nodes as before, where that leaves something to
// share out. Sets have to be listed again after it.
func (s *Search) reweigh(left int) {
	first, last := s.borderAt(false), s.borderAt(true)
	if first.steps == 0 || last.steps == 0 {
		return
	}
	next, sum, grown := s.weights, 0, [2]float64{}
	for k := range s.p.jobs {
		at := [2]float64{first.share(s.p.alikeTo(k)), last.share(s.p.alikeTo(k))}
		next.exact[k] = max(0, next.exact[k]+float64(heavier*partsOfIdle*(at[0]+at[1]-balance)))
		next.weigh[k] = int(next.exact[k])
		more := next.weigh[k] - s.weigh[k]
		sum += more
		for d := range at {
			grown[d] += float64(float64(more) * at[d])
		}
	}
	if int(grown[0])+int(grown[1])-sum >= left {
		return
	}
	next.borders = [2]border{}
	s.weights = next
	s.total, s.first.idle, s.last.idle = s.total+sum, s.first.idle+int(grown[0]), s.last.idle+int(grown[1])
}

// share is that of steps with which one of some jobs is placed, on average over these.
func (b *border) share(jobs uint64) float64 {
	with, n := 0, bits.OnesCount64(jobs)
	for ; jobs != 0; jobs &= jobs - 1 {
		with += b.with[bits.TrailingZeros64(jobs)]
	}
	return float64(with) / float64(b.steps*n)
}

// alikeTo are the jobs with the same times as one of them.
func (p *Problem) alikeTo(job int) uint64 {
	for _, alike := range p.alike {
		if alike>>job&1 != 0 {
			return alike
		}
	}
	return 1 << job
}
