package setups

import (
	"cmp"
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"downbeat/model"
)

// longer is a beginning of an order, one job longer than one of the layer before: the state that it leaves, and what is left.
type longer struct {
	at    state
	left  uint64
	score int64
	step
}

// step is that to a beginning from the one before it in its layer.
type step struct {
	before int32
	job    int8
}

// scored is one of some beginnings.
type scored struct {
	score int64
	at    int32
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
	// Prices, where there are any, have it choose by them, forward, and learn from what has become of the beginnings.
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
	first := longer{left: firstJobs(n)}
	if !b.Backward {
		first.at = p.start
	}
	layer, steps := []longer{first}, make([][]step, 0, jobs)
	covered := newKept(p.machines)
	var next []longer
	var layers [][]chosen
	for depth := range jobs {
		if ctx.Err() != nil {
			return nil
		}
		width := b.width(n, depth)
		var tried int
		next, tried = b.longer(p, layer, next[:0], 2*width)
		byScore := make([]scored, len(next))
		for k := range next {
			byScore[k] = scored{next[k].score, int32(k)}
		}
		spend(setupsPerBeginning * tried)
		covered.forget()
		layer = layer[:0]
		var made []step
		for s := range leastFirst(byScore, 2*width) {
			if l := &next[s.at]; !covered.covers(l.left, &l.at) {
				covered.add(l.left, &l.at)
				made = append(made, l.step)
				if layer = append(layer, *l); len(layer) == width {
					break
				}
			}
		}
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

// chosen are the beginnings of a layer, forward, with what they leave idle.
func (p *Problem) chosen(layer []longer) []chosen {
	out := make([]chosen, len(layer))
	var r remaining
	for k := range layer {
		r.of(p, layer[k].left)
		out[k] = chosen{layer[k].left, p.idle(&layer[k].at, r.setups, r.work), layer[k].before}
	}
	return out
}

// leastFirst sorts beginnings by score as far as they are asked for, about so many at a time.
func leastFirst(all []scored, some int) iter.Seq[scored] {
	return func(yield func(scored) bool) {
		for len(all) > 0 {
			n := leastOnes(all, some)
			slices.SortFunc(all[:n], func(a, b scored) int {
				if a.score != b.score {
					return cmp.Compare(a.score, b.score)
				}
				return cmp.Compare(a.at, b.at)
			})
			for _, s := range all[:n] {
				if !yield(s) {
					return
				}
			}
			all = all[n:]
		}
	}
}

// scoresSampled are those that tell which ones are among the least.
const scoresSampled = 256

// leastOnes has some of the least scores come first, and tells how many, at least one: about as many as asked for, or all.
func leastOnes(all []scored, some int) (n int) {
	if len(all) <= 2*some || len(all) <= scoresSampled {
		return len(all)
	}
	var sample [scoresSampled]int64
	for k := range sample {
		sample[k] = all[k*len(all)/scoresSampled].score
	}
	slices.Sort(sample[:])
	most := sample[some*scoresSampled/len(all)]
	for k := range all {
		if all[k].score <= most {
			all[n], all[k] = all[k], all[n]
			n++
		}
	}
	return n
}

// setupsPerBeginning are those that take as long as a beginning and its bounds.
const setupsPerBeginning = 20

// longer appends the beginnings of a layer with each job that is left, where prices choose about so many at the least that cost the least, and tells how many were made.
func (b Beam) longer(p *Problem, layer, out []longer, some int) (_ []longer, made int) {
	var r remaining
	dear := int64(math.MaxInt64) // those that cost as much are not among them
	by, last := ticks(0), int64(math.MaxInt64)
	if b.Below > 0 {
		by = p.until(b.Below - 1)
		last = int64(by) * int64(p.machines)
	}
	for k := range layer {
		r.of(p, layer[k].left)
		pay, price := p.walks.left(layer[k].left), b.Prices.before(layer[k].left)
		may := plenty
		if b.Below > 0 {
			may = layer[k].at.spare(b.Backward, by, r.setups, r.work, p.machines)
		}
		jobs := p.within(b.Backward, &layer[k].at, layer[k].left, may)
		if b.Prices != nil {
			if len(out) > mostUnchosen*some {
				out, dear = cheapest(out, some)
			}
			jobs = b.Prices.below(p, &layer[k].at, &r, jobs, price, dear)
			made++ // as long as that takes
		}
		p.next(b.Backward, &layer[k].at, &r, jobs, may, func(job int, at *state, _ ticks, rest *rest) {
			made++
			at.useful(b.Backward, rest, p.machines)
			score, end := b.score(p, at, rest)
			if end > last {
				return
			}
			left := layer[k].left &^ (1 << job)
			switch {
			case b.Prices != nil && left != 0:
				if score = b.Prices.after(price, left, job, p.idle(at, rest.setups, rest.work)); score >= dear {
					return
				}
			case p.walks != nil && !b.Backward:
				score = b.walked(score, p.walks.least(at, len(r.ends)-1, job, pay-p.walks.rewards[job]))
			}
			out = append(out, longer{*at, left, score, step{int32(k), int8(job)}})
		})
	}
	return out, made
}

// mostUnchosen is how many times as many beginnings as are asked for are made before the cheapest ones are chosen.
const mostUnchosen = 2

// cheapest are about some of the beginnings of least score, and a score that all others reach.
func cheapest(all []longer, some int) (least []longer, dear int64) {
	byScore := make([]scored, len(all))
	for k := range all {
		byScore[k] = scored{all[k].score, int32(k)}
	}
	n := leastOnes(byScore, some)
	for _, s := range byScore[:n] {
		dear = max(dear, s.score)
	}
	return slices.DeleteFunc(all, func(l longer) bool { return l.score > dear }), dear + 1
}

// score is ten times the greater of two bounds on the makespan, and their sum besides, in quarters of a tick of all machines: the server sets up what
// is left and jobs run before or after it; machines take what is left, but for what they stand idle until the
// server comes to them. On draws of 50 jobs the sum brings 1 to 6 ticks of 670.
// end is the greater one, in ticks of all machines.
func (b Beam) score(p *Problem, at *state, rest *rest) (score, end int64) {
	server, sum := at.free[0]+rest.ends, rest.work
	for k := range p.machines {
		if sum += int(at.free[k]); b.Backward {
			sum += int(rest.sooner[k])
		}
	}
	if b.Backward {
		server = max(server, at.server+ticks(rest.setups))
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
