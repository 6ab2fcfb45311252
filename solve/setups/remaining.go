package setups

import (
	"math"
	"math/bits"
)

// remaining are the jobs that are left at a node, with what is worked out once for all that may come next.
type remaining struct {
	// left are the jobs; short has the same ones by their set-ups, a bit for each place in Problem.shortest.
	left, short  uint64
	setups, work int
	// ends has for each of the jobs, the longest first, the greatest sum, over the jobs before it, of the run of a job and the set-ups
	// up to its own; endsAfter the same over the jobs after it. There are none where it is not asked for.
	ends, endsAfter []ticks
	// sooner has for each number of jobs, up to as many as there are machines, how long the server takes for so many at least, worked out by next.
	sooner [mostMachines + 1]ticks
	// at and rest are those of the job that next is at, machine that on which it goes, backward.
	at      state
	rest    rest
	machine int
}

// of works out what remains where jobs are left.
func (r *remaining) of(p *Problem, left uint64) {
	r.left, r.short, r.setups, r.work = left, 0, 0, 0
	r.ends, r.endsAfter = r.ends[:0], r.endsAfter[:0]
	most := ticks(0)
	for rest := left; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		j := &p.jobs[k]
		r.ends = append(r.ends, most)
		r.short |= 1 << p.places[k]
		r.setups, r.work = r.setups+int(j.setup), r.work+int(j.setup+j.run)
		most = max(most, ticks(r.setups)+j.run)
		r.endsAfter = append(r.endsAfter, ticks(r.setups)+j.run)
	}
	most = 0
	for i := len(r.ends) - 1; i >= 0; i-- {
		r.endsAfter[i], most = most, max(most, r.endsAfter[i])
	}
}

// rest is what is left when one of the remaining jobs is taken away.
type rest struct {
	// setups and work are those of the server and of machines.
	setups, work int
	// ends is how long the server and then a job take at least, whatever the order, 0 where it was not asked for; longest the longest run.
	ends, longest ticks
	// sooner has for each number of jobs how long the server takes for so many at least.
	sooner [mostMachines]ticks
}

// firstJobs is the set of so many jobs, up to 64, from the first on.
func firstJobs(n int) uint64 { return ^uint64(0) >> (64 - n) }

// all are all of the jobs.
func (r *remaining) all(p *Problem) (out rest) {
	out.setups, out.work, out.longest = r.setups, r.work, p.jobs[bits.TrailingZeros64(r.left)].run
	out.ends = p.ends(r.left, r.setups)
	p.sums(out.sooner[:p.machines], r.short)
	return out
}

// without takes a job away, where next has worked out what all come to.
func (r *remaining) without(p *Problem, job int, out *rest) {
	j := &p.jobs[job]
	out.setups, out.work = r.setups-int(j.setup), r.work-int(j.setup+j.run)
	out.ends, out.longest = 0, 0
	left := r.left &^ (1 << job)
	if len(r.ends) > 0 {
		i := bits.OnesCount64(left & (1<<job - 1))
		out.ends = max(r.ends[i], r.endsAfter[i]-j.setup)
	}
	if left != 0 {
		out.longest = p.jobs[bits.TrailingZeros64(left)].run
	}
	among := bits.OnesCount64(r.short & (1<<p.places[job] - 1)) // the jobs with shorter set-ups
	out.sooner = [mostMachines]ticks(r.sooner[:])
	for k := among + 1; k < p.machines; k++ {
		out.sooner[k] = r.sooner[k+1] - j.setup
	}
}

// sums has the shortest set-ups of some jobs, by their places, add up, for each number of them.
func (p *Problem) sums(sooner []ticks, short uint64) {
	sum := ticks(0)
	for k := range sooner {
		sooner[k] = sum
		if short != 0 {
			sum += p.jobs[p.shortest[bits.TrailingZeros64(short)]].setup
			short &= short - 1
		}
	}
}

// ends is how long the server and then one of the jobs left take at least, whatever the order, where the server takes so long for all of them.
func (p *Problem) ends(left uint64, setups int) (most ticks) {
	server := ticks(0)
	for ; left != 0; left &= left - 1 { // the longest first
		j := &p.jobs[bits.TrailingZeros64(left)]
		if ticks(setups)+j.run <= most {
			break // as those after it
		}
		server += j.setup
		most = max(most, server+j.run)
	}
	return most
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
	most = min(most, math.MaxInt32-1)
	for step := MostSearched; step > 0; step /= 2 {
		if int(p.setupTimes[n+step-1]) <= most {
			n += step
		}
	}
	return p.shortestOnes[n]
}

func (p *Problem) runsUpTo(most int) uint64 {
	n := 0
	most = max(most, math.MinInt32)
	for step := MostSearched; step > 0; step /= 2 {
		if int(p.runTimes[n+step-1]) > most {
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

// inTime leaves out jobs left that cannot come next, going forward: those before which machines, each with one of the shortest set-ups that are left after
// it, wait for longer than they may, and those after which the server comes too late to longer ones.
func (p *Problem) inTime(here *state, left, short uint64, may spare, by ticks) (jobs uint64) {
	if left&(left-1) == 0 || p.machines == 1 {
		return left
	}
	server := max(here.server, here.free[0])
	jobs = left & p.setupsUpTo(p.longestSetup(here, short, int(by), may.machines))
	latest, sum := by-server, ticks(0) // of the set-up of the next job, and the sum of those of longer ones
	for rest := left; rest != 0; rest &= rest - 1 {
		k := bits.TrailingZeros64(rest)
		j := &p.jobs[k]
		if j.setup > latest {
			jobs &^= 1 << k
		}
		sum += j.setup
		latest = min(latest, by-server-sum-j.run)
	}
	return jobs
}

// longestSetup is how long the server may take for the next job at the most, where machines may wait for so long together: a machine waits for
// one set-up of the shortest ones after another, or till the end, which those do not count here that might. It is found by Newton's steps from above.
func (p *Problem) longestSetup(here *state, short uint64, by, may int) (setup int) {
	var before [mostMachines]int // for each machine, what it may take before that one waits
	machines, server := p.machines, int(max(here.server, here.free[0]))
	setup = int(here.free[1]) - server + may
	for k := 1; k < machines; k++ {
		if server+setup > by {
			machines = k
			break
		}
		before[k] = int(here.free[k]) - server
		if short != 0 {
			server += int(p.jobs[p.shortest[bits.TrailingZeros64(short)]].setup)
			short &= short - 1
		}
	}
	for {
		over, waiting := -may, 0
		for _, s := range before[1:machines] {
			if setup > s {
				over, waiting = over+setup-s, waiting+1
			}
		}
		if over <= 0 {
			return setup
		}
		setup -= (over + waiting - 1) / waiting
	}
}

// next goes over those of some jobs that may come next, going forward or backward, with the state after each, for how long server or machine wait for
// the other, and what is left then. Going backward a job may take a machine on which it ends after the server is free, so that another one is free sooner: each
// with which they wait for no longer than they may.
func (p *Problem) next(backward bool, here *state, r *remaining, jobs uint64, may spare, do func(job int, at *state, apart ticks, rest *rest)) {
	p.sums(r.sooner[:p.machines+1], r.short)
	for ; jobs != 0; jobs &= jobs - 1 {
		k := bits.TrailingZeros64(jobs)
		j := &p.jobs[k]
		if r.left&p.alikeBefore[k] != 0 {
			continue // as one that is left before it
		}
		r.without(p, k, &r.rest)
		if !backward {
			wait := here.wait(j, p.machines)
			r.at = *here
			r.at.set(j, p.machines)
			do(k, &r.at, max(wait, -wait), &r.rest)
			continue
		}
		first := here.waits(j, p.machines)
		for machine := first; machine < p.machines; machine++ {
			if machine > first && here.free[machine] == here.free[machine-1] {
				continue // as the machine before
			}
			if done := here.free[machine] + j.run; may.allows(done - here.server) {
				r.at, r.machine = here.before(j, machine, p.machines), machine
				do(k, &r.at, max(here.server-done, done-here.server), &r.rest)
			}
		}
	}
}
