package lcg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"downbeat/solve/lcg/core"
)

// dealt are tasks to be dealt out to slaves at some weights, though not two of them to slaves that are at odds.
type dealt struct {
	lengths [][]int32 // by task and slave
	weights []int64
	odds    [][2][2]int // task and slave
}

// TestLoads deals tasks out at no more than the cheapest way costs, or one less: the former is found, the latter refuted.
func TestLoads(t *testing.T) {
	answers := map[bool]int{}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 31))
		d := drawDealt(rng)
		least := d.least(make([]int, len(d.lengths)), 0)
		if least == math.MaxInt64 || least == 0 {
			continue
		}
		most := least - rng.Int64N(2)
		cost, ok := d.search(seed, int32(most))
		if ok != (least <= most) || ok && cost != least {
			t.Fatalf("seed %d, %+v: the cheapest way costs %d, of %d: %v, %d", seed, d, least, most, ok, cost)
		}
		answers[ok]++
	}
	if answers[true] < 300 || answers[false] < 300 {
		t.Errorf("answers %v are one-sided", answers)
	}
}

func drawDealt(rng *rand.Rand) *dealt {
	slaves, tasks := 2+rng.IntN(3), 3+rng.IntN(4)
	d := &dealt{}
	for range slaves {
		d.weights = append(d.weights, rng.Int64N(5))
	}
	for range tasks {
		var lengths []int32
		for range slaves {
			lengths = append(lengths, 1+rng.Int32N(9))
		}
		d.lengths = append(d.lengths, lengths)
	}
	for range rng.IntN(6 * tasks) {
		var of [2][2]int
		for i := range of {
			of[i] = [2]int{rng.IntN(tasks), rng.IntN(slaves)}
		}
		d.odds = append(d.odds, of)
	}
	return d
}

// least is what the cheapest way costs, tried task by task.
func (d *dealt) least(on []int, next int) int64 {
	if next == len(on) {
		cost := int64(0)
		for i, k := range on {
			cost += d.weights[k] * int64(d.lengths[i][k])
		}
		for _, of := range d.odds {
			if on[of[0][0]] == of[0][1] && on[of[1][0]] == of[1][1] {
				return math.MaxInt64
			}
		}
		return cost
	}
	best := int64(math.MaxInt64)
	for k := range d.weights {
		on[next] = k
		best = min(best, d.least(on, next+1))
	}
	return best
}

// search asks a solver for a way that costs so much at most, as one more slave has that many ticks of weight 1, and tells what it costs.
func (d *dealt) search(seed uint64, most int32) (cost int64, ok bool) {
	s := core.New(seed)
	s.Check = true
	r := &loads{}
	for _, weight := range d.weights {
		r.slaves = append(r.slaves, weighed{weight: weight})
	}
	r.slaves = append(r.slaves, weighed{resource{tasks: []optionalTask{{x: core.True, after: most - 1}}}, 1})
	for _, lengths := range d.lengths {
		var u loaded
		var some []core.Lit
		for k, length := range lengths {
			x := s.NewBool()
			for _, other := range some {
				s.AddClause(x.Not(), other.Not())
			}
			some = append(some, x)
			u.places = append(u.places, costly{x: x, slave: k, length: int64(length)})
		}
		s.AddClause(some...)
		r.tasks = append(r.tasks, u)
	}
	for _, of := range d.odds {
		s.AddClause(r.tasks[of[0][0]].places[of[0][1]].x.Not(), r.tasks[of[1][0]].places[of[1][1]].x.Not())
	}
	r.charge()
	r.post(s)
	if s.Search(context.Background(), func() bool { return false }) != core.Satisfiable {
		return 0, false
	}
	for i := range r.tasks {
		for _, at := range r.tasks[i].places {
			if s.IsTrue(at.x) {
				cost += at.cost
			}
		}
	}
	return cost, true
}

// TestWeighing finds weights for slaves of which two have work for 30 ticks that only they can do: at these that refutes 14 ticks for each slave,
// where the work of all would fit into nine on each.
func TestWeighing(t *testing.T) {
	r := &loads{slaves: make([]weighed, 4)}
	for k := range r.slaves {
		r.slaves[k].tasks = []optionalTask{{after: 9, fromSpan: span{0, 4}}}
	}
	for range 3 {
		r.tasks = append(r.tasks, loaded{places: []costly{{slave: 0, length: 10}, {slave: 1, length: 10}}})
	}
	r.tasks = append(r.tasks, loaded{places: []costly{{slave: 2, length: 5}, {slave: 3, length: 5}}})
	r.weigh()
	r.charge()
	cost, worth := int64(0), int64(0)
	for i := range r.tasks {
		cost += r.tasks[i].places[0].cost
	}
	for k := range r.slaves {
		worth += r.slaves[k].weight * r.slaves[k].time(nil)
	}
	if cost <= worth {
		t.Errorf("tasks cost %d, and there is %d", cost, worth)
	}
}
