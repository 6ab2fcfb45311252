package bound

import (
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/verify"
)

// maxStates bounds the memory of leastHit.
const maxStates = 1 << 20

// Recheck recomputes a certificate with code that took no part in finding it:
// each shortage by verify.Shortage against the due times that Due gives, and
// how they add up to Value as the comment of Certificate says. nil means that
// Value is proved, provided that all hard jobs are to be in time.
func Recheck(js *model.JobSet, c *Certificate) error {
	if c.Value < 0 || len(c.Grace) != len(c.Shortages) {
		return errors.New("the certificate does not hang together")
	}
	for k := range c.Shortages {
		if c.Grace[k] < 0 || c.Objective == model.Misses && c.Grace[k] != 0 {
			return fmt.Errorf("argument %d: a grace of %d", k+1, c.Grace[k])
		}
		if err := verify.Shortage(js, c.Due(js, k), &c.Shortages[k]); err != nil {
			return fmt.Errorf("argument %d: %w", k+1, err)
		}
		if c.Objective != model.Makespan && len(softOf(js, c.Shortages[k].Jobs)) == 0 {
			return fmt.Errorf("argument %d: names no soft job", k+1)
		}
	}
	proved, err := c.proved(js)
	if err != nil {
		return err
	}
	if proved < c.Value {
		return fmt.Errorf("the arguments prove %s of at least %d, not %d", c.Objective, proved, c.Value)
	}
	return nil
}

// proved is what the shortages add up to if each of them holds.
func (c *Certificate) proved(js *model.JobSet) (int64, error) {
	switch c.Objective {
	case model.Misses:
		return c.leastHit(js)
	case model.WeightedTardiness:
		return c.sum(js)
	case model.Makespan:
		if len(c.Shortages) > 0 {
			return c.Value, nil // Due has Value in it
		}
		return 0, nil
	case model.Tardiness:
		most := int64(0)
		for _, grace := range c.Grace {
			most = max(most, int64(grace)+1)
		}
		return most, nil
	default:
		return 0, fmt.Errorf("no bound is known on %s", c.Objective)
	}
}

// sum is the weighted tardiness that floors and, on top of them, disjoint
// wider shortages prove.
func (c *Certificate) sum(js *model.JobSet) (int64, error) {
	total := int64(0)
	for i, floor := range c.Floors(js) {
		total += js.Jobs[i].Weight * int64(floor)
	}
	used := map[model.JobID]bool{}
	for k := range c.Shortages {
		soft := softOf(js, c.Shortages[k].Jobs)
		if len(soft) == 1 {
			continue
		}
		least := js.Jobs[soft[0]].Weight
		for _, i := range soft {
			if used[i] {
				return 0, fmt.Errorf("argument %d: job %q has paid already", k+1, js.Jobs[i].Name)
			}
			used[i] = true
			least = min(least, js.Jobs[i].Weight)
		}
		total += least * int64(c.Grace[k]+1)
	}
	return total, nil
}

// leastHit is the least weight of a set of soft jobs that hits each shortage,
// at most Value. It goes through the jobs one by one, keeping for every family
// of shortages hit so far the least weight that it takes; families that can no
// longer hit a shortage all of whose jobs have gone by are dropped. (The
// search in cheapest branches and bounds instead.)
func (c *Certificate) leastHit(js *model.JobSet) (int64, error) {
	const words = 8
	type family [words]uint64
	if len(c.Shortages) > 64*words {
		return 0, errors.New("too many arguments to recheck")
	}
	order, hits, last := c.hitOrder(js)
	least := map[family]int64{{}: 0}
	for n, i := range order {
		next := make(map[family]int64, 2*len(least))
		keep := func(f family, weight int64) {
			for _, k := range hits[i] {
				if last[k] == n && f[k/64]&(1<<(k%64)) == 0 {
					return
				}
			}
			if old, seen := next[f]; !seen || weight < old {
				next[f] = weight
			}
		}
		for f, weight := range least {
			keep(f, weight)
			for _, k := range hits[i] {
				f[k/64] |= 1 << (k % 64)
			}
			// What reaches Value need not be told apart: it proves enough.
			if weight += js.Jobs[i].Weight; weight < c.Value {
				keep(f, weight)
			}
		}
		if least = next; len(least) > maxStates {
			return 0, errors.New("too many ways to choose late jobs to recheck")
		}
	}
	answer := c.Value
	for _, weight := range least {
		answer = min(answer, weight)
	}
	return answer, nil
}

// hitOrder puts the soft jobs of the shortages in an order that finishes small
// shortages early, with the shortages that each job hits and the place in the
// order of the last job of each shortage.
func (c *Certificate) hitOrder(js *model.JobSet) (order []model.JobID, hits map[model.JobID][]int, last []int) {
	type sized struct {
		k    int
		soft []model.JobID
	}
	var all []sized
	hits = map[model.JobID][]int{}
	for k := range c.Shortages {
		soft := softOf(js, c.Shortages[k].Jobs)
		all = append(all, sized{k, soft})
		for _, i := range soft {
			hits[i] = append(hits[i], k)
		}
	}
	slices.SortStableFunc(all, func(a, b sized) int { return len(a.soft) - len(b.soft) })
	place := map[model.JobID]int{}
	last = make([]int, len(c.Shortages))
	for _, s := range all {
		for _, i := range s.soft {
			if _, seen := place[i]; !seen {
				place[i] = len(order)
				order = append(order, i)
			}
			last[s.k] = max(last[s.k], place[i])
		}
	}
	return order, hits, last
}
