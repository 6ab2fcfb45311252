package setups

import (
	"cmp"
	"context"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// longer is a beginning of an order, one job longer than one of the layer before: the state that it leaves, and what is left, of which short has the jobs by their set-ups, as
// in [remaining].
type longer struct {
	at           state
	left, short  uint64
	setups, work ticks
	step
}

// step is that to a beginning from the one before it in its layer: a job, and backward the machine on which it goes.
type step struct {
	before       int32
	job, machine int8
}

// scored is a step that has not been made yet.
type scored struct {
	score int64
	step
}

// Beam is a beam search: of all beginnings of a length it goes on with some that leave the least bounds on the makespan, and leaves out those
// of which another one leaves no less.
type Beam struct {
	// Width is the number of beginnings that it goes on with, with half of the jobs left: with fewer there are more of them, so that
	// each layer takes as long. Of 32 beams of 300 for 8 draws of 30 to 50 jobs 15 end 1 to 3 ticks earlier than with as many
	// throughout, 4 a tick later. Where prices choose their number grows with the square: of setups-40x5-1 within 452 and long-50x3-1 within 1316 eight drawings of them, 4,000 wide,
	// find an order in 20 s of processor time, three in 65 s where it grows as without.
	Width int
	// Below is when an order is to have ended: beginnings that lead to later ends alone are left out. 0 stands for any time.
	Below model.Time
	// Backward has it begin from the end of the order.
	Backward bool
	// LongFirst has it choose beginnings that leave less work, too: small jobs last fill what is idle at the end. Forward, where there
	// are walks, these choose instead, alone.
	LongFirst bool
	// ShortLast is for how many quarters of a tick each tick counts, forward, that the server takes for the shortest set-ups that are left, one fewer than
	// machines: what comes last needs some, as machines are free one soon after the other.
	ShortLast int
	// Prices, where there are any, of beams in the same direction, have it choose by them, and learn from what has become of the beginnings.
	Prices *Prices
}

// Order makes an order of up to MostSearched jobs, nil where ctx ends first, or none is found that ends in time. What is spent is
// told of in set-ups.
func (b Beam) Order(ctx context.Context, p *Problem, spend func(setups int)) []int {
	steps := b.steps(ctx, p, len(p.jobs), spend)
	if steps == nil {
		return nil
	}
	order := beginning(steps, 0)
	if b.Backward {
		slices.Reverse(order)
	}
	return order
}

// Beginnings makes so many beginnings of so many jobs at the most, nil where ctx ends first, or none leads to an end in time: of those that the beam ends with the ones that
// leave the least work, of machines and of the server, in any order.
func (b Beam) Beginnings(ctx context.Context, p *Problem, jobs, most int, rng *rand.Rand, spend func(setups int)) (out [][]int) {
	steps := b.steps(ctx, p, jobs, spend)
	if steps == nil {
		return nil
	}
	for k := range steps[jobs-1] {
		out = append(out, beginning(steps, int32(k)))
	}
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(p.takes(b), p.takes(a)) })
	out = out[:min(most, len(out))]
	rng.Shuffle(len(out), func(i, k int) { out[i], out[k] = out[k], out[i] })
	return out
}

// takes is what jobs take of machines, and of the server as often as there are machines.
func (p *Problem) takes(jobs []int) (ticks int) {
	for _, k := range jobs {
		ticks += int(p.jobs[k].run) + (p.machines+1)*int(p.jobs[k].setup)
	}
	return ticks
}

// beginning has the jobs of that at a place of the last layer.
func beginning(steps [][]step, at int32) []int {
	order := make([]int, len(steps))
	for k := len(steps) - 1; k >= 0; k-- {
		order[k], at = int(steps[k][at].job), steps[k][at].before
	}
	return order
}

// steps are those to the beginnings of each length, up to so many jobs.
func (b Beam) steps(ctx context.Context, p *Problem, jobs int, spend func(setups int)) [][]step {
	n := len(p.jobs)
	first := longer{left: firstJobs(n), short: firstJobs(n), setups: ticks(p.setups), work: ticks(p.work)}
	if !b.Backward {
		first.at = p.start
	}
	layer, steps := []longer{first}, make([][]step, 0, jobs)
	var next []longer
	var ways, room []scored
	var covered covered
	var layers [][]chosen
	for depth := range jobs {
		if ctx.Err() != nil {
			return nil
		}
		width := b.width(n, depth)
		var tried int
		ways, tried = b.ways(p, layer, ways[:0], 2*width)
		spend(setupsPerBeginning * tried)
		room = slices.Grow(room[:0], len(ways))[:len(ways)]
		next = next[:0]
		covered.begin(min(width, len(ways)))
		var made []step
		for s := range leastFirst(ways, room, 2*width) {
			next = append(next, layer[s.before].longer(p, s.step, b.Backward))
			if !covered.add(p, next) {
				next = next[:len(next)-1]
				continue
			}
			if made = append(made, s.step); len(made) == width {
				break
			}
		}
		layer, next = next, layer
		if len(made) == 0 {
			steps = nil
			break
		}
		if b.Prices != nil {
			layers = append(layers, p.chosen(layer))
		}
		steps = append(steps, made)
	}
	if b.Prices != nil {
		b.Prices.learn(layers)
	}
	return steps
}

// longer makes a step.
func (l *longer) longer(p *Problem, s step, backward bool) longer {
	j := &p.jobs[s.job]
	out := longer{l.at, l.left &^ (1 << s.job), l.short &^ (1 << p.places[s.job]), l.setups - j.setup, l.work - j.setup - j.run, s}
	var rest rest
	if backward {
		if out.at = l.at.before(j, int(s.machine), p.machines); out.left != 0 {
			rest.longest = p.jobs[bits.TrailingZeros64(out.left)].run
		}
	} else {
		out.at.set(j, p.machines)
		p.sums(rest.sooner[:p.machines], out.short)
	}
	out.at.useful(backward, &rest, p.machines)
	return out
}

// covered tells which beginnings of a layer others leave no less than.
type covered struct {
	// last has for sets of jobs, at a place by hash or after it, the last beginning that leaves each, counted from 1; same for each beginning the one before it with the same jobs left.
	last, same []int32
}

// mostCompared are the last beginnings of a layer with the same jobs left with which one is compared.
const mostCompared = 8

// begin begins with a layer of so many at the most.
func (c *covered) begin(most int) {
	n := 1 << bits.Len(uint(2*most))
	c.last, c.same = slices.Grow(c.last[:0], n)[:n], c.same[:0]
	clear(c.last)
}

// add adds the last one of a layer, and reports whether none of those before it leaves no less.
func (c *covered) add(p *Problem, layer []longer) bool {
	l, mask := &layer[len(layer)-1], uint64(len(c.last)-1)
	at := l.left * 0x9E3779B97F4A7C15 >> 20 & mask
	for c.last[at] != 0 && layer[c.last[at]-1].left != l.left {
		at = (at + 1) & mask
	}
	for k, compared := c.last[at], 0; k != 0 && compared < mostCompared; k, compared = c.same[k-1], compared+1 {
		if layer[k-1].at.noLater(&l.at, p.machines) {
			return false
		}
	}
	c.same = append(c.same, c.last[at])
	c.last[at] = int32(len(layer))
	return true
}

// mostWider is how many times its width prices have a beam go on with at the most.
const mostWider = 10

// width is the number of beginnings that the beam goes on with, of one job more than depth of n.
func (b Beam) width(n, depth int) int {
	width, left := b.Width*n/(2*(n-depth)), n-depth
	if b.Prices != nil {
		width = min(width*n/(2*left), mostWider*b.Width)
	}
	return max(1, width)
}

// chosen are the beginnings of a layer, with what they leave idle.
func (p *Problem) chosen(layer []longer) []chosen {
	out := make([]chosen, len(layer))
	for k := range layer {
		l := &layer[k]
		out[k] = chosen{l.left, p.idle(&l.at, int(l.setups), int(l.work)), l.before}
	}
	return out
}

// leastFirst sorts steps by score as far as they are asked for, those of equal score as they are, about so many at a time, with room for all.
func leastFirst(all, room []scored, some int) iter.Seq[scored] {
	return func(yield func(scored) bool) {
		for len(all) > 0 {
			most, n := leastScore(all, some), 0
			over := room[:0]
			for _, s := range all {
				if s.score > most {
					over = append(over, s)
					continue
				}
				all[n] = s
				n++
			}
			copy(all[n:], over)
			for _, s := range sorted(all[:n], room[:n]) {
				if !yield(s) {
					return
				}
			}
			all = all[n:]
		}
	}
}

// digitBits are those of scores that are sorted by at once.
const digitBits = 8

// sorted are all by score, those of equal score as they were, in their place or in room for as many, by one digit after another.
func sorted(all, room []scored) []scored {
	least, most := int64(math.MaxInt64), int64(math.MinInt64)
	for k := range all {
		least, most = min(least, all[k].score), max(most, all[k].score)
	}
	for shift := 0; most-least >= 1<<shift && shift < 63; shift += digitBits {
		var places [1 << digitBits]int32
		for k := range all {
			places[(all[k].score-least)>>shift&(1<<digitBits-1)]++
		}
		at := int32(0)
		for k, n := range places {
			places[k], at = at, at+n
		}
		for k := range all {
			place := &places[(all[k].score-least)>>shift&(1<<digitBits-1)]
			room[*place] = all[k]
			*place++
		}
		all, room = room, all
	}
	return all
}

// scoresSampled are those that tell which ones are among the least.
const scoresSampled = 256

// leastScore is one that about so many do not pass, at least one, or all.
func leastScore(all []scored, some int) int64 {
	if len(all) <= 2*some || len(all) <= scoresSampled {
		return math.MaxInt64
	}
	var sample [scoresSampled]int64
	for k := range sample {
		sample[k] = all[k*len(all)/scoresSampled].score
	}
	slices.Sort(sample[:])
	return sample[some*scoresSampled/len(all)]
}

// setupsPerBeginning are those that take as long as a beginning and its bounds.
const setupsPerBeginning = 15

// ways appends the steps from the beginnings of a layer, with each job that is left, where prices choose about so many at the least that cost the least, and tells how many were tried.
func (b Beam) ways(p *Problem, layer []longer, out []scored, some int) (_ []scored, tried int) {
	var r remaining
	dear := int64(math.MaxInt64) // those that cost as much are not among them
	by, last := ticks(0), int64(math.MaxInt64)
	if b.Below > 0 {
		by = p.until(b.Below - 1)
		last = int64(by) * int64(p.machines)
	}
	for k := range layer {
		here := &layer[k].at
		r.of(p, layer[k].left)
		pay, before := p.walks.left(r.left), b.Prices.before(r.left)
		may := plenty
		if b.Below > 0 {
			may = here.spare(b.Backward, by, r.setups, r.work, p.machines)
		}
		jobs := p.within(b.Backward, here, r.left, may)
		if b.Prices != nil {
			if len(out) > mostUnchosen*some {
				if dear = leastScore(out, some); dear < math.MaxInt64 {
					dear++
				}
				out = slices.DeleteFunc(out, func(s scored) bool { return s.score >= dear })
			}
			jobs = b.Prices.below(p, b.Backward, here, &r, jobs, before, dear)
			tried++ // as long as that takes
		}
		p.next(b.Backward, here, &r, jobs, may, func(job int, at *state, _ ticks, rest *rest) {
			tried++
			at.useful(b.Backward, rest, p.machines)
			idle, left, price := p.idle(at, rest.setups, rest.work), r.left&^(1<<job), int64(math.MinInt64)
			if b.Prices != nil && left != 0 {
				if price = b.Prices.after(before, left, job, idle); price >= dear {
					return
				}
			}
			score, end := b.score(p, at, idle, rest)
			switch {
			case end > last:
				return
			case price > math.MinInt64:
				score = price
			case p.walks != nil && !b.Backward:
				score = b.walked(score, p.walks.least(at, len(r.ends)-1, job, pay-p.walks.rewards[job]))
			}
			out = append(out, scored{score, step{int32(k), int8(job), int8(r.machine)}})
		})
	}
	return out, tried
}

// mostUnchosen is how many times as many steps as are asked for are told of before the cheapest ones are chosen.
const mostUnchosen = 2

// score is ten times the greater of two bounds on the makespan, and their sum besides, in quarters of a tick of all machines: the server sets up what
// is left and jobs run before or after it; machines take what is left, but for what they stand idle until the
// server comes to them. On draws of 50 jobs the sum brings 1 to 6 ticks of 670.
// end is the greater one, in ticks of all machines.
func (b Beam) score(p *Problem, at *state, idle spare, rest *rest) (score, end int64) {
	server, sum := at.free[0]+rest.ends, idle.machines+p.work
	if b.Backward {
		server = max(server, at.server+ticks(rest.setups))
		for _, sooner := range rest.sooner[:p.machines] {
			sum += int(sooner)
		}
	}
	ofServer, ofMachines := int64(max(server, at.free[p.machines-1]))*int64(p.machines), int64(sum)
	end = max(ofServer, ofMachines)
	score = 4 * (10*end + ofServer + ofMachines)
	if b.LongFirst {
		score += longFirst * int64(rest.work)
	}
	if !b.Backward {
		score += int64(b.ShortLast) * int64(rest.sooner[p.machines-1])
	}
	return score, end
}

// longFirst is for how many quarters of a tick a tick of work that is left counts: of two draws of 50 jobs on 5 machines it brings a tick each.
const longFirst = 3

// walkWeight is how much more what the cheapest walk comes to counts than the sums: of 12 draws of 50 jobs on 2 machines, s in
// 1 to 100, 120 and 150, beams of 300 end 0 to 18 ticks earlier than by sums alone.
const walkWeight = 100

// walked counts what the cheapest walk comes to, which is in parts of a tick.
func (b Beam) walked(score, least int64) int64 {
	if b.LongFirst {
		return least
	}
	return score + walkWeight*8*least/partsOfTick // in quarters of a tick of two machines
}
