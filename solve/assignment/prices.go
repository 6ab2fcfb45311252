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

// look works out the bound of a state, and by item how often it is not done.
func (s *Search) look(st *state, reward []int64, missing []float64) bound {
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
	best := s.look(st, reward, missing)
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
		latest = s.look(st, trying, missing)
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
			latest = s.look(st, trying, missing)
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
	return s.look(st, reward, missing)
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

// patience is the number of steps that bring nothing before they get shorter, down to leastFactor.
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
	p, pairs := s.p, st.pairs()
	price, load := make([]float64, len(st.groups)), make([]float64, len(st.groups))
	total := 0.0
	for g := range st.groups {
		total += float64(st.groups[g].cores) * float64(p.kinds[st.groups[g].kind].capacity)
	}
	for g := range price {
		price[g] = 1 / total
	}
	best, bestPrice, factor, failures := 0.0, slices.Clone(price), 1.0, 0
	at, least := make([]int, len(p.tasks)), make([]float64, len(p.tasks))
	for range linearSteps {
		if s.priced += cellsPerPair * pairs; ctx.Err() != nil {
			break // any rewards will do
		}
		clear(load)
		for i := range least {
			least[i] = math.Inf(1)
		}
		for g := range st.groups {
			k := &p.kinds[st.groups[g].kind]
			for _, e := range st.groups[g].items {
				if cost := price[g] * float64(k.length[e.item]); cost < least[e.item] {
					least[e.item], at[e.item] = cost, g
				}
			}
		}
		value := 0.0
		for i, g := range at {
			load[g] += float64(p.kinds[st.groups[g].kind].length[i]) / float64(st.groups[g].cores)
			value += least[i]
		}
		if value > best*(1+1e-6) {
			best, failures = value, 0
			copy(bestPrice, price)
		} else if failures++; failures > 20 {
			failures = 0
			factor *= 0.7
			copy(price, bestPrice)
			continue
		}
		// Where all of a group's ticks are used the linear relaxation is worth 1: loads over capacity are about that.
		norm := 0.0
		for g := range load {
			load[g] = load[g]/float64(p.kinds[st.groups[g].kind].capacity) - value
			norm += load[g] * load[g]
		}
		if norm == 0 {
			break
		}
		length := factor * 0.01 * value / norm
		sum := 0.0
		for g := range price {
			price[g] = max(0, price[g]+length*load[g]/total)
			sum += price[g] * float64(st.groups[g].cores) * float64(p.kinds[st.groups[g].kind].capacity)
		}
		if sum == 0 {
			break
		}
		for g := range price {
			price[g] /= sum
		}
	}
	for i := range least {
		least[i] = math.Inf(1)
	}
	for g := range st.groups {
		k := &p.kinds[st.groups[g].kind]
		for _, e := range st.groups[g].items {
			least[e.item] = min(least[e.item], bestPrice[g]*float64(k.length[e.item]))
		}
	}
	reward := make([]int64, len(p.tasks))
	for i := range reward {
		reward[i] = int64(worth * min(1, least[i]))
	}
	return reward
}

// linearSteps is the number of steps of prices of cores. For each place of a task they take about as long as so many cells.
const linearSteps, cellsPerPair = 3000, 2
