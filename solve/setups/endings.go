package setups

import (
	"cmp"
	"math/bits"
	"slices"
)

// ending is a set of jobs that may come last in an order, with for how long machines, together, and the server stand idle from the first of its
// set-ups on, at the least.
//
// What comes last has to be chosen at the beginning: jobs of which each runs just as much longer as the server needs for those
// after it are few, and an order whose first jobs use them up ends late, whatever comes between.
type ending struct {
	jobs uint64
	spare
}

// endings are sets of as many jobs each, those that leave machines the least idle first.
type endings struct {
	jobs int
	sets []ending
}

// mostEndings bounds endings, which take a millisecond or two.
const mostEndings = 1 << 8

// endings lists with what orders end that end by a time: with sets of as many jobs as make mostEndings at the most, and half of all jobs. Where there
// are none of some jobs there is no such order.
func (p *Problem) endings(by ticks) (e endings) {
	var r remaining
	n := len(p.jobs)
	r.of(p, firstJobs(n))
	all, start := r.all(p), p.start
	start.useful(false, &all, p.machines)
	may := start.spare(false, by, all.setups, all.work, p.machines)
	layer := []longer{{left: firstJobs(n)}}
	for jobs := 1; jobs <= n/2; jobs++ {
		var next []longer
		var sets []ending
		for k := range layer {
			l := &layer[k]
			r.of(p, l.left)
			was := p.idle(&l.at, r.setups, r.work)
			spare := spare{may.machines - was.machines, may.server - was.server}
			p.next(true, &l.at, &r, p.within(true, &l.at, l.left, spare), spare, func(job int, at *state, _ ticks, rest *rest) {
				if idle := p.idle(at, rest.setups, rest.work); idle.machines <= may.machines && idle.server <= may.server {
					next = append(next, longer{at: *at, left: l.left &^ (1 << job)})
					sets = append(sets, ending{p.leftOver(firstJobs(n) &^ (l.left &^ (1 << job))), idle})
				}
			})
			if len(next) > endingsTried*mostEndings {
				return e
			}
		}
		if sets = least(sets); len(sets) > mostEndings {
			return e
		}
		e = endings{jobs, sets}
		layer = p.uncovered(next)
	}
	return e
}

// leftOver has the last ones of jobs that are alike in place of others: of these the first one comes next, going forward as backward, so that forward the
// last ones are left.
func (p *Problem) leftOver(jobs uint64) uint64 {
	for _, alike := range p.alike {
		to, count := bits.Len64(alike), bits.OnesCount64(jobs&alike)
		jobs = jobs&^alike | (uint64(1)<<count-1)<<(to-count)
	}
	return jobs
}

// endingsTried is how many times mostEndings states are tried: several of them have the same jobs.
const endingsTried = 4

// least leaves out endings of which another one with the same jobs leaves no more idle, and sorts the others.
func least(sets []ending) []ending {
	slices.SortFunc(sets, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.jobs, b.jobs), cmp.Compare(a.machines, b.machines), cmp.Compare(a.server, b.server))
	})
	kept := sets[:0]
	for _, a := range sets {
		if k := len(kept) - 1; k < 0 || kept[k].jobs != a.jobs || a.server < kept[k].server {
			kept = append(kept, a)
		}
	}
	slices.SortFunc(kept, func(a, b ending) int {
		return cmp.Or(cmp.Compare(a.machines, b.machines), cmp.Compare(a.server, b.server), cmp.Compare(a.jobs, b.jobs))
	})
	return kept
}

// uncovered leaves out states that another one with the same jobs left covers.
func (p *Problem) uncovered(all []longer) []longer {
	slices.SortFunc(all, func(a, b longer) int {
		if c := cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.at.server, b.at.server)); c != 0 {
			return c
		}
		return slices.Compare(a.at.free[:p.machines], b.at.free[:p.machines])
	})
	kept := all[:0]
next:
	for _, a := range all {
		for k := len(kept) - 1; k >= 0 && kept[k].left == a.left; k-- {
			if kept[k].at.noLater(&a.at, p.machines) {
				continue next
			}
		}
		kept = append(kept, a)
	}
	return kept
}

// idle is for how long machines and the server stand idle in a state that leaves so much of what they do.
func (p *Problem) idle(at *state, setups, work int) spare {
	idle := spare{work - p.work, int(at.server) + setups - p.setups}
	for k := range p.machines {
		idle.machines += int(at.free[k])
	}
	return idle
}

// among appends those whose jobs are all left.
func among(out, of []ending, left uint64) []ending {
	for k := range of {
		if of[k].jobs&^left == 0 {
			out = append(out, of[k])
		}
	}
	return out
}

// ends reports whether one of some endings is without a job, and leaves no more idle than what is spare.
func ends(of []ending, job int, spare spare) bool {
	for k := range of {
		if of[k].machines > spare.machines {
			return false // as all that come after it
		}
		if of[k].jobs>>job&1 == 0 && of[k].server <= spare.server {
			return true
		}
	}
	return false
}
