package price

import (
	"context"
	"slices"

	"downbeat/encode"
	"downbeat/model"
)

// Refute looks for an argument that not all jobs can finish by due (absolute, by
// JobID; model.Never for jobs that play no part): prices, or where those prove
// nothing, cases with prices in each. nil means that it found none, for whatever
// reason. steps is how often it looked at prices.
//
// For cases it shaves (Carlier and Pinson, 1994; Martin and Shmoys, 1996): if
// prices refute that a stage ends as early, or as late, as it might, the windows
// around shrink, and with smaller windows prices refute more. When no edge gives
// way any more it takes the halves of the widest window one by one; where the
// ends of all stages are settled it shaves where and when tasks run. What is left
// then it asks about, if ask is not nil. It gives up after some work, in starts
// looked at: 10⁸ take about a second; 0 rules out cases.
func Refute(ctx context.Context, js *model.JobSet, due []model.Time, work int, ask Ask) (c *model.Cases, steps int) {
	refusal := refuseAll(due)
	if !fits(js, due, refusal) {
		return nil, 0
	}
	m, impossible := newMarket(js, due, refusal)
	r := refuter{ctx: ctx, leeways: newLeeways(m), left: work, ask: ask}
	if impossible > 0 {
		return r.empty(), 0
	}
	first := min(DefaultSteps, maxWork/(1+m.size))
	if first < fewestSteps {
		return nil, 0
	}
	if c = r.byPrices(m.price, first, 1); c == nil && !r.done() {
		c = r.refute(slices.Clone(m.price))
	}
	return c, r.steps
}

// Ask tells whether it is refuted that tasks keep to rooms as well. If it does not
// know, or knows better, the argument has failed.
type Ask func(rooms []encode.Room) (refuted bool)

// refuseAll is the refusal of one unit for each job that is due.
func refuseAll(due []model.Time) []int64 {
	refusal := make([]int64, len(due))
	for i, d := range due {
		if d < model.Never {
			refusal[i] = unit
		}
	}
	return refusal
}

// Ends counts the ends of an argument by cases.
func Ends(c *model.Cases) int {
	if c.Holds == nil && c.Fails == nil {
		return 1
	}
	return Ends(c.Holds) + Ends(c.Fails)
}

// refuter looks at cases, depth first.
type refuter struct {
	ctx context.Context
	*leeways
	// left is the work that may still be done, steps those taken.
	left, steps int
	ask         Ask
}

// Steps for prices of a part, from prices that were good for the whole, whose
// first factor is warmFactor: a few at first, then as many as are of use.
const (
	fewSteps, manySteps = 100, 250
	warmFactor          = 0.2
)

func (r *refuter) done() bool { return r.left <= 0 || r.ctx.Err() != nil }

// empty is the argument where a task has no placement left.
func (r *refuter) empty() *model.Cases {
	return &model.Cases{Tariff: &model.Tariff{Refusal: r.m.refusal}}
}

// byPrices looks for prices that refute what the windows leave. It leaves the
// last ones in the market: unlike the best, which are often none at all, they are
// a start for more.
func (r *refuter) byPrices(start []int64, steps int, factor float64) *model.Cases {
	copy(r.m.price, start)
	a := newAscent(r.m, steps)
	a.factor = factor
	a.run(r.ctx, steps, 1, unit)
	r.left -= steps * (1 + r.m.size)
	r.steps += steps
	if a.value <= 0 {
		return nil
	}
	return &model.Cases{Tariff: r.m.tariff(a.best)}
}

// refute settles what the windows leave, from prices that are good there; nil if
// it cannot. It leaves the windows as they were.
func (r *refuter) refute(start []int64) *model.Cases {
	mark := r.mark()
	defer r.back(mark)
	s := shaving{refuter: r, start: start}
	split, wide := model.Split{}, false
	if !s.run(s.gates, fewSteps, manySteps) {
		if split, wide = r.widest(); !wide && !s.run(s.tasks, fewSteps) && !s.asked() {
			return nil
		}
	}
	if s.rest == nil {
		if r.done() {
			return nil
		}
		c := &model.Cases{Split: split}
		if c.Holds = r.side(&split, true, s.start); c.Holds != nil {
			c.Fails = r.side(&split, false, s.start)
		}
		if c.Fails == nil {
			return nil
		}
		s.rest = c
	}
	return wrap(s.facts, s.rest)
}

// side settles one side of a split.
func (r *refuter) side(split *model.Split, holds bool, start []int64) *model.Cases {
	mark := r.mark()
	defer r.back(mark)
	if !r.narrow(split, holds) {
		return r.empty()
	}
	if c := r.byPrices(start, manySteps, warmFactor); c != nil {
		return c
	}
	return r.refute(slices.Clone(r.m.price))
}

// widest splits the end of the stage about which least is known, at its middle.
func (r *refuter) widest() (split model.Split, ok bool) {
	width := model.Time(0)
	for j := range r.m.jobs {
		b := &r.m.jobs[j]
		for k := range b.stages[:len(b.stages)-1] {
			if first, last := r.m.gate(b, k); last-first > width {
				width, ok = last-first, true
				split = model.Split{Kind: model.StageEndsBy, Task: r.m.js.Jobs[b.id].Stages[k].First, At: (first + last) / 2}
			}
		}
	}
	return split, ok
}

// fact is a split of which one side is left, for the other is refuted.
type fact struct {
	split   model.Split
	holds   bool // which side is left
	refuted *model.Cases
}

// wrap puts facts around an argument about what they leave.
func wrap(facts []fact, rest *model.Cases) *model.Cases {
	for k := len(facts) - 1; k >= 0; k-- {
		f := &facts[k]
		c := &model.Cases{Split: f.split, Holds: f.refuted, Fails: rest}
		if f.holds {
			c.Holds, c.Fails = rest, f.refuted
		}
		rest = c
	}
	return rest
}

// shaving narrows windows by refuting their edges.
type shaving struct {
	*refuter
	// start are prices that are good for what is left.
	start []int64
	facts []fact
	// rest is an argument against all that the facts leave, once there is one.
	rest *model.Cases
}

// run shaves with so many steps at each edge until nothing more comes of it, and
// reports whether everything is refuted.
func (s *shaving) run(round func(steps int), steps ...int) bool {
	for _, steps := range steps {
		for known := -1; known < len(s.facts) && !s.done(); {
			known = len(s.facts)
			if round(steps); s.rest != nil {
				return true
			}
			if known < len(s.facts) {
				s.rest = s.byPrices(s.start, manySteps, warmFactor)
				copy(s.start, s.m.price)
			}
			if s.rest != nil {
				return true
			}
		}
	}
	return false
}

// asked asks about what is left.
func (s *shaving) asked() bool {
	if s.ask == nil || s.done() || !s.ask(s.rooms()) {
		return false
	}
	s.rest = &model.Cases{Searched: true}
	return true
}

// gates shaves the times at which stages end.
func (s *shaving) gates(steps int) {
	for j := range s.m.jobs {
		b := &s.m.jobs[j]
		for k := range b.stages[:len(b.stages)-1] {
			split := model.Split{Kind: model.StageEndsBy, Task: s.m.js.Jobs[b.id].Stages[k].First}
			s.edges(split, func() (first, last model.Time) { return s.m.gate(b, k) }, steps)
		}
	}
}

// tasks shaves where and when tasks run that are alone in their class.
func (s *shaving) tasks(steps int) {
	for t := range s.at {
		id := model.TaskID(t)
		if s.at[t].job < 0 || s.class(id).count > 1 {
			continue
		}
		c := s.class(id)
		for k := range c.options {
			if o := &c.options[k]; s.rest == nil && s.m.possible(o) {
				s.learn(s.against(model.Split{Kind: model.OnSlave, Task: id, Slave: model.SlaveID(o.slave)}, true, steps))
			}
		}
		s.edges(model.Split{Kind: model.TaskEndsBy, Task: id}, func() (first, last model.Time) { return s.m.finishes(c) }, steps)
		s.edges(model.Split{Kind: model.FetchedBy, Task: id}, func() (first, last model.Time) { return s.m.fetches(c) }, steps)
	}
}

// against refutes one side of a split, if it can.
func (s *shaving) against(split model.Split, holds bool, steps int) fact {
	mark := s.mark()
	defer s.back(mark)
	f := fact{split: split, holds: !holds}
	switch {
	case !s.narrow(&split, holds):
		f.refuted = s.empty()
	case !s.done():
		f.refuted = s.byPrices(s.start, steps, warmFactor)
	}
	return f
}

// learn keeps a fact, if it is one.
func (s *shaving) learn(f fact) {
	if f.refuted == nil {
		return
	}
	s.facts = append(s.facts, f)
	if !s.narrow(&f.split, f.holds) {
		s.rest = s.empty()
	}
}

// edges refutes that something happens by its earliest time, by one tick later,
// by three later, and so on as long as it can; and then the same from above.
func (s *shaving) edges(split model.Split, window func() (first, last model.Time), steps int) {
	for _, below := range [...]bool{true, false} {
		if s.rest != nil {
			return
		}
		first, last := window()
		var best fact
		for cut, stride := model.Time(1), model.Time(1); last > first; stride *= 2 {
			if split.At = last - cut; below {
				split.At = first + cut - 1
			}
			f := s.against(split, below, steps)
			if f.refuted != nil {
				best = f
			}
			if f.refuted == nil || cut == last-first {
				break
			}
			cut = min(cut+stride, last-first)
		}
		s.learn(best)
	}
}
