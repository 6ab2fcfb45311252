package setups

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// begun is a beginning of an order: the state that it leaves, and what is left.
type begun struct {
	at   state
	left uint64
	work ticks // of machines, by the jobs that are left
}

// longer is a beginning with one job more, of the layer before.
type longer struct {
	score  int64
	before int32
	job    int8
}

// Beam makes an order of up to MostSearched jobs by beam search: of all beginnings of a length it goes on with so many
// that leave the least bounds on the makespan. It is nil where ctx ends first. What is spent is told of in
// set-ups.
func Beam(ctx context.Context, p *Problem, width int, spend func(setups int)) []int {
	n := len(p.jobs)
	first := begun{left: ^uint64(0) >> (64 - n)}
	for k := range p.jobs {
		first.work += p.jobs[k].setup + p.jobs[k].run
	}
	layer, steps := []begun{first}, make([][]longer, 0, n)
	for range n {
		if ctx.Err() != nil {
			return nil
		}
		next := p.longerBy(layer)
		slices.SortFunc(next, func(a, b longer) int {
			return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.before, b.before), cmp.Compare(a.job, b.job))
		})
		spend(setupsPerBeginning * len(next))
		kept := next[:0]
		seen, after := make(map[begun]bool, width), make([]begun, 0, width)
		for _, l := range next {
			b := p.extended(&layer[l.before], int(l.job))
			b.at = b.at.atOnce(p.machines)
			if !seen[b] {
				seen[b] = true
				kept, after = append(kept, l), append(after, b)
			}
			if len(after) == width {
				break
			}
		}
		layer, steps = after, append(steps, slices.Clone(kept))
	}
	order, at := make([]int, n), int32(0)
	for k := n - 1; k >= 0; k-- {
		order[k], at = int(steps[k][at].job), steps[k][at].before
	}
	return order
}

// setupsPerBeginning are those that take as long as a beginning and its bounds.
const setupsPerBeginning = 12

// longerBy lists the beginnings of a layer with each job that is left.
func (p *Problem) longerBy(layer []begun) []longer {
	var out []longer
	for k := range layer {
		for rest := layer[k].left; rest != 0; rest &= rest - 1 {
			job := bits.TrailingZeros64(rest)
			b := p.extended(&layer[k], job)
			out = append(out, longer{p.score(&b), int32(k), int8(job)})
		}
	}
	return out
}

func (p *Problem) extended(b *begun, job int) begun {
	j := &p.jobs[job]
	return begun{b.at.then(j, p.machines), b.left &^ (1 << job), b.work - j.setup - j.run}
}

// score is ten times the greater of two bounds on the makespan, and their sum besides, in ticks of all machines: the server sets up what
// is left and the shortest job runs; machines take what is left, but for what they stand idle until the
// server comes to them. On draws of 50 jobs the sum brings 1 to 6 ticks of 670.
func (p *Problem) score(b *begun) int64 {
	if b.left == 0 {
		return 11 * int64(b.at.free[p.machines-1]) * int64(p.machines)
	}
	server := max(b.at.server, b.at.free[0])
	machines, begin, next := b.work, server, 0
	for k := range p.machines {
		machines += max(b.at.free[k], begin)
		for next < len(p.shortest) && b.left>>p.shortest[next]&1 == 0 {
			next++
		}
		if next < len(p.shortest) {
			begin += p.jobs[p.shortest[next]].setup
			next++
		}
	}
	for rest := b.left; rest != 0; rest &= rest - 1 {
		server += p.jobs[bits.TrailingZeros64(rest)].setup
	}
	server += p.jobs[bits.Len64(b.left)-1].run
	ofServer, ofMachines := int64(server)*int64(p.machines), int64(machines)
	return 10*max(ofServer, ofMachines) + ofServer + ofMachines
}
