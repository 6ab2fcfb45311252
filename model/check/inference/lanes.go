package inference

import (
	"fmt"
	"math"

	"downbeat/model"
)

// bases checks what tasks pay in any case.
func bases(js *model.JobSet, base []int64) error {
	if base != nil && len(base) != len(js.Tasks) {
		return fmt.Errorf("%d tasks pay in any case, of %d", len(base), len(js.Tasks))
	}
	for t, paid := range base {
		if paid < 0 || paid > mostPrice {
			return fmt.Errorf("task %d pays %d in any case", t, paid)
		}
	}
	return nil
}

// crowds reports whether the tasks of a stage run in lanes.
func (p *subproblem) crowds(stage int32) bool {
	return p.base != nil && stage == 0 && len(p.job.Stages) > 1
}

// lane is what runs of a stage cost on a slave, of which so many may be at a time and each takes run ticks at least, beyond what their tasks pay in any
// case: least[k][t] is that of k of them, one after the other, by the end of the last.
type lane struct {
	number int64
	run    model.Time
	least  [][]int64
}

// mostInLanes is of how many tasks it is worked out at most.
const mostInLanes = 32

// inLanes adds, by when the first stage ends, to what comes after it what its tasks cost in lanes more than each by itself.
func (p *subproblem) inLanes(r *route, part []batch, after []int64) []int64 {
	lanes, base, count := make([]lane, len(p.js.Slaves)), int64(0), 0
	alone, out := make([]int64, len(after)), make([]int64, len(after))
	t := p.job.First
	for i := range part {
		single := r.dear(len(after))
		p.seats(r, &part[i], t, lanes, single)
		least := r.most
		for k := range alone {
			least = min(least, single[k])
			alone[k] = min(r.most, plus(alone[k], times(part[i].count, least)))
		}
		base += part[i].count * p.base[t]
		count += int(part[i].count)
		t += model.TaskID(part[i].count)
	}
	if count < 2 || count > mostInLanes {
		return after
	}
	for s := range lanes {
		lanes[s].fill(count)
	}
	heads := make([]int, len(lanes))
	for k := range out {
		if out[k] = after[k]; alone[k] < r.most {
			out[k] = plus(out[k], max(0, min(r.most, base+cheapest(lanes, heads, k, count))-alone[k]))
		}
	}
	r.stop(len(out) * count * len(lanes))
	return out
}

// seats lowers single to what a task of a batch, the first of which is given, costs by its end, and what runs cost on slaves.
func (p *subproblem) seats(r *route, b *batch, first model.TaskID, lanes []lane, single []int64) {
	for _, s := range b.stays {
		ends, l := [][]int64{r.dear(len(single))}, &lanes[s.slave]
		handOut([]batch{{1, []stay{s}}}, r.heartbeat, r.from, model.Interval{Start: r.from, End: r.from + model.Time(len(single))}, ends)
		if l.least == nil {
			*l = lane{run: s.run, least: [][]int64{make([]int64, len(single)), dearest(len(single))}}
		}
		l.run = min(l.run, s.run)
		has := int64(math.MaxInt32)
		if need := p.js.Need(&p.js.Tasks[first], s.slave, model.Cores); need > 0 {
			has = int64(p.js.Slaves[s.slave].Cores) / need
		}
		l.number = max(l.number, has)
		for k, cost := range ends[0] {
			if cost < r.most {
				single[k], l.least[1][k] = min(single[k], cost), min(l.least[1][k], cost-p.base[first])
			}
		}
	}
}

// dearest is a cost above all others, at every time.
func dearest(n int) []int64 {
	out := make([]int64, n)
	for k := range out {
		out[k] = never
	}
	return out
}

// fill works out what up to count runs cost one after the other.
func (l *lane) fill(count int) {
	if l.least == nil {
		return
	}
	one := l.least[1]
	l.least = l.least[:1]
	for k := 1; k <= count; k++ {
		now, least := dearest(len(one)), int64(never)
		for t := range one {
			if from := t - int(l.run); one[t] < never && (k == 1 || from >= 0 && l.least[k-1][from] < never) {
				least = min(least, one[t]+l.least[k-1][max(0, from)])
			}
			now[t] = least
		}
		l.least = append(l.least, now)
	}
}

// cheapest is the least of count runs that end by a time. A run more in a lane costs no less than the one before: of k+1 runs and k-1 others, all of one
// length, each meets two of the others at most, so that they can be parted into twice k (Minty, 1980). So the cheapest ones are taken first.
func cheapest(lanes []lane, heads []int, t, count int) (sum int64) {
	clear(heads)
	for left := int64(count); left > 0; {
		least, of := int64(never), -1
		for s := range lanes {
			if k := heads[s]; lanes[s].least != nil && lanes[s].least[k+1][t] < never {
				if more := lanes[s].least[k+1][t] - lanes[s].least[k][t]; more < least {
					least, of = more, s
				}
			}
		}
		if of < 0 {
			return never
		}
		heads[of]++
		number := min(left, lanes[of].number)
		sum, left = sum+number*least, left-number
	}
	return sum
}
