package assignment

import (
	"context"
	"math"
	"slices"
)

// worth is what all items are worth together at first.
const worth = 1 << 30

// bound is a state looked at with rewards.
type bound struct {
	// value is what all items that are not settled are worth beyond the most that cores can do: if it is
	// more than 0 there is no assignment. It is never where what a core has to do does not fit.
	value int64
	// most is that of a core, by group, and all that of all cores.
	most []int64
	all  int64
}

// tightness is the value by what all cores can do: multiples of rewards say the same.
func (b *bound) tightness() float64 { return float64(b.value) / float64(1+b.all) }

// refuted reports whether the state has no assignment.
func (b *bound) refuted() bool { return b.value > 0 }

// evaluate works out the bound of a state, and by item how often it is not done.
func (s *Search) evaluate(st *state, reward []int64, missing []float64) bound {
	b := bound{most: make([]int64, len(st.groups))}
	for i := range reward {
		missing[i] = 0
		if st.open(int32(i)) {
			b.value += reward[i]
			missing[i] = 1
		} else {
			reward[i] = 0
		}
	}
	for g := range st.groups {
		of := &st.groups[g]
		k := &s.p.kinds[of.kind]
		b.most[g], s.does[g] = s.table.best(k, of, reward, s.p.common, s.did[g], s.does[g][:0])
		if b.most[g] < 0 {
			return bound{value: worth}
		}
		b.value -= of.cores * b.most[g]
		b.all += of.cores * b.most[g]
		for _, item := range s.does[g] {
			missing[item] -= float64(of.cores)
		}
		s.did[g], s.does[g] = s.does[g], s.did[g]
	}
	return b
}

// forget that anything was done: another state is looked at.
func (s *Search) forget(st *state) {
	for len(s.did) < len(st.groups) {
		s.did, s.does = append(s.did, nil), append(s.does, nil)
	}
	for g := range s.did {
		s.did[g] = s.did[g][:0]
	}
}

// ascend improves rewards by Polyak's steps, whose factor falls with failures, until they refute the state or
// so many are taken.
func (s *Search) ascend(ctx context.Context, st *state, reward []int64, steps int, factor float64) bound {
	missing, at := make([]float64, len(reward)), make([]float64, len(reward))
	s.forget(st)
	best := s.evaluate(st, reward, missing)
	for i := range at {
		at[i] = float64(reward[i])
	}
	bestReward, trying := slices.Clone(reward), slices.Clone(reward)
	latest, failures := best, 0
	for range steps {
		if s.spend(ctx); best.refuted() || ctx.Err() != nil {
			break
		}
		norm := 0.0
		for i, m := range missing {
			if !st.open(int32(i)) || m < 0 && at[i] == 0 {
				missing[i] = 0
			}
			norm += missing[i] * missing[i]
		}
		if norm == 0 {
			break
		}
		length := factor * (s.aim(st, &latest) - float64(latest.value)) / norm
		for i, m := range missing {
			at[i] = min(worth, max(0, at[i]+float64(length*m)))
			trying[i] = int64(math.Round(at[i]))
		}
		latest = s.evaluate(st, trying, missing)
		if latest.tightness() > best.tightness() {
			best, failures = latest, 0
			copy(bestReward, trying)
			continue
		}
		if failures++; failures > patience {
			failures = 0
			if factor *= 0.6; factor < leastFactor {
				break
			}
			copy(trying, bestReward)
			latest = s.evaluate(st, trying, missing)
			for i := range at {
				at[i] = float64(trying[i])
			}
		}
	}
	if best.refuted() || !scale(bestReward) {
		copy(reward, bestReward)
		return best
	}
	copy(reward, bestReward)
	return s.evaluate(st, reward, missing)
}

// scale has rewards add up to about worth again where they have become many times less or more.
func scale(reward []int64) bool {
	sum := int64(0)
	for _, r := range reward {
		sum += r
	}
	if sum == 0 || sum > worth/4 && sum < worth*4 {
		return false
	}
	by := float64(worth) / float64(sum)
	for i, r := range reward {
		reward[i] = int64(float64(r) * by)
	}
	return true
}

// patience is the number of steps that bring nothing before they get shorter, down to leastFactor. With 6 and 24, and with 0.1 and 0.005, 16 draws of
// unrelated-60x10 to -150x15 are proved as well, in 7.2, 6.9, 8.1 and 8.5 s of processor time together, with these in 8.3.
const (
	patience    = 12
	leastFactor = 0.02
)

// aim is what steps aim at: half a tick of each core.
func (s *Search) aim(st *state, b *bound) float64 {
	sum := 0.0
	for g := range st.groups {
		sum += float64(st.groups[g].cores*b.most[g]) / float64(1+s.p.kinds[st.groups[g].kind].capacity)
	}
	return sum/2 + 1
}

// narrow takes items from groups where the bound would be more than 0 if they did them. It returns by group and
// place of those that are left how much nearer to that it would be, and reports how many it took, -1 if nothing is left to some.
func (s *Search) narrow(st *state, reward []int64, b *bound) (losses [][]int64, took int) {
	losses = make([][]int64, len(st.groups))
	without := make([]int64, len(reward)) // what all groups lose that do without an item
	outs := make([][]int64, len(st.groups))
	for g := range st.groups {
		of := &st.groups[g]
		k := &s.p.kinds[of.kind]
		s.table.most(k, of, reward)
		s.table.back(k, of, reward)
		losses[g], outs[g] = make([]int64, len(of.items)), make([]int64, len(of.items))
		for n, e := range of.items {
			if e.must {
				continue
			}
			in, out := s.table.choice(k, of, n, reward)
			losses[g][n] = of.cores*b.most[g] - max(in, never) - (of.cores-1)*out
			outs[g][n] = of.cores * (b.most[g] - out)
			without[e.item] += outs[g][n]
		}
	}
	left := make([][]int64, len(st.groups))
	some := st.bar(func(g, n int) bool {
		e := st.groups[g].items[n]
		if e.must {
			left[g] = append(left[g], 0)
			return false
		}
		loss := losses[g][n] + without[e.item] - outs[g][n]
		if b.value+loss > 0 {
			took++
			return true
		}
		left[g] = append(left[g], loss)
		return false
	})
	if !some {
		took = -1
	}
	return left, took
}

// first are rewards of the linear relaxation: what a task takes of the core where that is worth least, at
// a price of each core's ticks that is raised where there is too much to do.
func (s *Search) first(ctx context.Context, st *state) []int64 {
	t, pairs := newTickPrices(s.p, st), st.pairs()
	best, prices, factor, failures := 0.0, slices.Clone(t.price), 1.0, 0
	for range linearSteps {
		if s.priced += cellsPerPair * pairs; ctx.Err() != nil {
			break // any rewards will do
		}
		value := t.cheapest()
		if value > best*(1+leastRise) {
			best, failures = value, 0
			copy(prices, t.price)
		} else if failures++; failures > linearPatience {
			failures = 0
			factor *= 0.7
			copy(t.price, prices)
			continue
		}
		if !t.step(firstLength*factor, value) {
			break
		}
	}
	copy(t.price, prices)
	t.cheapest()
	reward := make([]int64, len(t.least))
	for i, least := range t.least {
		reward[i] = int64(worth * min(1, least))
	}
	return reward
}

// tickPrices are prices of the ticks of cores, by group; all ticks together cost 1.
type tickPrices struct {
	p     *Problem
	st    *state
	price []float64
	// least is what each task costs in the group at where that is least, load what is to be done there, by core.
	least []float64
	at    []int
	load  []float64
	// ticks are those of all cores.
	ticks float64
}

// newTickPrices has all ticks cost the same.
func newTickPrices(p *Problem, st *state) *tickPrices {
	t := &tickPrices{p: p, st: st, least: make([]float64, len(p.tasks)), at: make([]int, len(p.tasks)), load: make([]float64, len(st.groups))}
	for g := range st.groups {
		t.ticks += t.of(g)
	}
	t.price = slices.Repeat([]float64{1 / t.ticks}, len(st.groups))
	return t
}

// of are the ticks of a group.
func (t *tickPrices) of(g int) float64 {
	return float64(t.st.groups[g].cores) * float64(t.p.kinds[t.st.groups[g].kind].capacity)
}

// cheapest has each task go where it costs least, and is what all cost then.
func (t *tickPrices) cheapest() (value float64) {
	for i := range t.least {
		t.least[i] = math.Inf(1)
	}
	for g := range t.st.groups {
		k := &t.p.kinds[t.st.groups[g].kind]
		for _, e := range t.st.groups[g].items {
			if cost := t.price[g] * float64(k.length[e.item]); cost < t.least[e.item] {
				t.least[e.item], t.at[e.item] = cost, g
			}
		}
	}
	for _, cost := range t.least {
		value += cost
	}
	return value
}

// step raises prices where there is more to do than elsewhere, by so much of what all tasks cost; false where there is nothing to raise.
func (t *tickPrices) step(length, value float64) bool {
	clear(t.load)
	for i, g := range t.at {
		t.load[g] += float64(t.p.kinds[t.st.groups[g].kind].length[i]) / float64(t.st.groups[g].cores)
	}
	// Where all of a group's ticks are used the linear relaxation is worth 1: loads over capacity are about that.
	norm := 0.0
	for g := range t.load {
		t.load[g] = t.load[g]/float64(t.p.kinds[t.st.groups[g].kind].capacity) - value
		norm += t.load[g] * t.load[g]
	}
	if norm == 0 {
		return false
	}
	sum := 0.0
	for g := range t.price {
		t.price[g] = max(0, t.price[g]+length*value/norm*t.load[g]/t.ticks)
		sum += t.price[g] * t.of(g)
	}
	if sum == 0 {
		return false
	}
	for g := range t.price {
		t.price[g] /= sum
	}
	return true
}

// linearSteps is the number of steps of prices of cores, the first of which are firstLength of Polyak's; so many in a row that raise all costs by less
// than leastRise have them get shorter. For each place of a task they take about as long as cellsPerPair cells.
const (
	linearSteps, linearPatience, cellsPerPair = 3000, 20, 2
	firstLength, leastRise                    = 0.01, 1e-6
)
