package setups

import (
	"math"
	"math/bits"
)

// remaining are the jobs that are left at a node, with what is worked out once for all that may come next.
type remaining struct {
	// jobs, the longest first. ends has for each of them the greatest sum, over the jobs before it, of the run of a job and the set-ups
	// up to its own; endsAfter the same over the jobs after it.
	jobs            []int
	ends, endsAfter []ticks
	setups, work    int
	// shortest are the jobs with the shortest set-ups, one more than there are machines if there are.
	shortest [mostMachines + 1]int
	short    int
}

// of works out what remains where jobs are left.
func (r *remaining) of(p *Problem, left uint64) {
	r.jobs, r.ends, r.endsAfter = r.jobs[:0], r.ends[:0], r.endsAfter[:0]
	r.setups, r.work, r.short = 0, 0, 0
	most := ticks(0)
	for rest := left; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		j := &p.jobs[k]
		r.jobs, r.ends = append(r.jobs, k), append(r.ends, most)
		r.setups, r.work = r.setups+int(j.setup), r.work+int(j.setup+j.run)
		most = max(most, ticks(r.setups)+j.run)
		r.endsAfter = append(r.endsAfter, ticks(r.setups)+j.run)
	}
	most = 0
	for i := len(r.jobs) - 1; i >= 0; i-- {
		r.endsAfter[i], most = most, max(most, r.endsAfter[i])
	}
	for _, k := range p.shortest {
		if left>>k&1 == 0 {
			continue
		}
		r.shortest[r.short] = k
		if r.short++; r.short > p.machines {
			break
		}
	}
}

// rest is what is left when one of the remaining jobs is taken away.
type rest struct {
	// setups and work are those of the server and of machines.
	setups, work int
	// ends is how long the server and then a job take at least, whatever the order; longest the longest run.
	ends, longest ticks
	// sooner has for each number of jobs how long the server takes for so many at least.
	sooner [mostMachines]ticks
}

// firstJobs is the set of so many jobs, up to 64, from the first on.
func firstJobs(n int) uint64 { return ^uint64(0) >> (64 - n) }

// without takes the i-th of the jobs away, none where i is -1.
func (r *remaining) without(p *Problem, i int) (out rest) {
	out.setups, out.work = r.setups, r.work
	job, first := -1, 0
	if i >= 0 {
		job = r.jobs[i]
		j := &p.jobs[job]
		out.setups, out.work = r.setups-int(j.setup), r.work-int(j.setup+j.run)
		out.ends = max(r.ends[i], r.endsAfter[i]-j.setup)
		if i == 0 {
			first = 1
		}
	} else {
		out.ends = max(r.endsAfter[0], p.jobs[r.jobs[0]].setup+p.jobs[r.jobs[0]].run)
	}
	if first < len(r.jobs) {
		out.longest = p.jobs[r.jobs[first]].run
	}
	sum, n := ticks(0), 0
	for k := 0; k < p.machines; k++ {
		out.sooner[k] = sum
		for n < r.short && r.shortest[n] == job {
			n++
		}
		if n < r.short {
			sum += p.jobs[r.shortest[n]].setup
			n++
		}
	}
	return out
}

// plenty is more than any time, with room to count on from it.
var plenty = spare{math.MaxInt32, math.MaxInt32}

// spare is for how long machines, together, and the server may still stand idle.
type spare struct{ machines, server int }

// allows reports whether the server may wait for so long, or a machine for as long as that is below zero.
func (s *spare) allows(wait ticks) bool { return int(wait) <= s.server && -int(wait) <= s.machines }

// spare is what a state leaves until a time where so much is to be done by the server, and by machines.
func (at *state) spare(backward bool, by ticks, setups, work, machines int) spare {
	server := at.server
	if !backward {
		server = max(server, at.free[0])
	}
	may := spare{-work, int(by-server) - setups}
	for k := range machines {
		may.machines += max(0, int(by-at.free[k]))
	}
	return may
}

// sum is both together.
func (s spare) sum() int { return s.machines + s.server }

// setupsUpTo are the jobs that are set up within so many ticks, runsUpTo those that run for so many at most.
func (p *Problem) setupsUpTo(most int) uint64 {
	n := 0
	for step := MostSearched; step > 0; step /= 2 {
		if n+step <= len(p.shortest) && int(p.jobs[p.shortest[n+step-1]].setup) <= most {
			n += step
		}
	}
	return p.shortestOnes[n]
}

func (p *Problem) runsUpTo(most int) uint64 {
	n := 0
	for step := MostSearched; step > 0; step /= 2 {
		if n+step <= len(p.jobs) && int(p.jobs[n+step-1].run) > most {
			n += step
		}
	}
	return ^firstJobs(n)
}

// within are the jobs left before which, going forward or backward, server and machines wait for no longer than they may; going backward on some machine. Of
// the last job of all nobody waits for what comes next.
func (p *Problem) within(backward bool, here *state, left uint64, may spare) (jobs uint64) {
	if may.machines < 0 || may.server < 0 {
		return 0
	}
	if backward {
		for k, free := range here.free[:p.machines] {
			if k == 0 || free != here.free[k-1] {
				run := int(here.server - free)
				jobs |= p.runsUpTo(run+may.server) &^ p.runsUpTo(run-may.machines-1)
			}
		}
		return left & jobs
	}
	if left&(left-1) == 0 || p.machines == 1 {
		return left
	}
	setup := int(here.free[1] - max(here.server, here.free[0]))
	return left & p.setupsUpTo(setup+may.machines) & (p.runsUpTo(may.server) | ^p.setupsUpTo(setup-may.server-1))
}

// next goes over those of some jobs that may come next, going forward or backward, with the state after each, for how long server or machine wait for
// the other, and what is left then. Going backward a job may take a machine on which it ends after the server is free, so that another one is free sooner: each
// with which they wait for no longer than they may.
func (p *Problem) next(backward bool, here *state, r *remaining, jobs uint64, may spare, do func(job int, at state, apart ticks, rest *rest)) {
	for i, k := range r.jobs {
		j := &p.jobs[k]
		if jobs>>k&1 == 0 || i > 0 && p.jobs[r.jobs[i-1]].setup == j.setup && p.jobs[r.jobs[i-1]].run == j.run {
			continue // the latter as the job before
		}
		rest := r.without(p, i)
		if !backward {
			wait := here.wait(j, p.machines)
			do(k, here.then(j, p.machines), max(wait, -wait), &rest)
			continue
		}
		first := here.waits(j, p.machines)
		for machine := first; machine < p.machines; machine++ {
			if machine > first && here.free[machine] == here.free[machine-1] {
				continue // as the machine before
			}
			if done := here.free[machine] + j.run; may.allows(done - here.server) {
				do(k, here.before(j, machine, p.machines), max(here.server-done, done-here.server), &rest)
			}
		}
	}
}
