package bound

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"downbeat/model"
	"downbeat/model/verify"
)

// maxStates bounds the memory of leastCover.
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
		return c.leastLate(js)
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

// row reads shortage k as a demand on late jobs, by the validator's figures.
func (c *Certificate) row(js *model.JobSet, k int) (row, error) {
	sh := &c.Shortages[k]
	needs, err := verify.Needs(js, c.Due(js, k), sh)
	if err != nil {
		return row{}, fmt.Errorf("argument %d: %w", k+1, err)
	}
	r := row{excess: -sh.Have, shortage: sh}
	for n, i := range sh.Jobs {
		r.excess += needs[n]
		if js.Jobs[i].Kind == model.Soft {
			r.jobs = append(r.jobs, i)
			r.needs = append(r.needs, needs[n])
		}
	}
	return r, nil
}

// leastLate is the least weight of soft jobs that relieve every shortage, at
// most Value.
func (c *Certificate) leastLate(js *model.JobSet) (int64, error) {
	rows := make([]row, len(c.Shortages))
	for k := range rows {
		var err error
		if rows[k], err = c.row(js, k); err != nil {
			return 0, err
		}
	}
	return leastCover(js, rows, c.Value)
}

// leastCover is the least weight of jobs that cover all rows, or value if that
// is less. It goes through the jobs one by one, keeping for all that the rows
// can still lack the least weight that leaves them so. (The search in cheapest
// branches and bounds instead.)
func leastCover(js *model.JobSet, rows []row, value int64) (int64, error) {
	t := newTable(js, rows)
	states := map[string]int64{t.key(t.excess): 0}
	for n := range t.order {
		next := make(map[string]int64, 2*len(states))
		for key, weight := range states {
			lacks := t.lacks(key)
			t.keep(next, n+1, lacks, weight, value)
			for k := range lacks {
				lacks[k] = max(0, lacks[k]-t.need[n][k])
			}
			t.keep(next, n+1, lacks, weight+js.Jobs[t.order[n]].Weight, value)
		}
		if states = next; len(states) > maxStates {
			return 0, errors.New("too many ways to choose late jobs to recheck")
		}
	}
	answer := value
	for _, weight := range states {
		answer = min(answer, weight)
	}
	return answer, nil
}

// table holds what leastCover needs to know job by job.
type table struct {
	// order lists the soft jobs of all rows, those of small rows first.
	order []model.JobID
	// excess per row; need per place in order and row.
	excess []int64
	need   [][]int64
	// rest is, per place and row, what the jobs from that place on need;
	// dearest is the most that any of them needs per unit of weight, rounded up.
	rest, dearest [][]int64
}

func newTable(js *model.JobSet, rows []row) *table {
	t := &table{}
	bySize := make([]int, len(rows))
	for k := range rows {
		bySize[k] = k
		t.excess = append(t.excess, rows[k].excess)
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return len(rows[a].jobs) - len(rows[b].jobs) })
	place := map[model.JobID]int{}
	for _, k := range bySize {
		for n, i := range rows[k].jobs {
			if _, seen := place[i]; !seen {
				place[i] = len(t.order)
				t.order = append(t.order, i)
				t.need = append(t.need, make([]int64, len(rows)))
			}
			t.need[place[i]][k] = rows[k].needs[n]
		}
	}
	t.rest = make([][]int64, len(t.order)+1)
	t.dearest = make([][]int64, len(t.order)+1)
	for n := len(t.order); n >= 0; n-- {
		t.rest[n], t.dearest[n] = make([]int64, len(rows)), make([]int64, len(rows))
		for k := range rows {
			if n < len(t.order) {
				weight := js.Jobs[t.order[n]].Weight
				t.rest[n][k] = t.rest[n+1][k] + t.need[n][k]
				t.dearest[n][k] = max(t.dearest[n+1][k], (t.need[n][k]+weight-1)/weight)
			}
		}
	}
	return t
}

// keep records a state before place n, unless a row can no longer be relieved
// or all ways on weigh value or more: those prove enough.
func (t *table) keep(states map[string]int64, n int, lacks []int64, weight, value int64) {
	more := int64(0)
	for k, lack := range lacks {
		if lack > t.rest[n][k] {
			return
		}
		if lack > 0 {
			more = max(more, (lack+t.dearest[n][k]-1)/t.dearest[n][k])
		}
	}
	if weight+more >= value {
		return
	}
	key := t.key(lacks)
	if old, seen := states[key]; !seen || weight < old {
		states[key] = weight
	}
}

// key packs what the rows lack; lacks unpacks it.
func (t *table) key(lacks []int64) string {
	buf := make([]byte, 0, 8*len(lacks))
	for _, lack := range lacks {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(lack))
	}
	return string(buf)
}

func (t *table) lacks(key string) []int64 {
	out := make([]int64, len(t.excess))
	for k := range out {
		out[k] = int64(binary.LittleEndian.Uint64([]byte(key[8*k:])))
	}
	return out
}
