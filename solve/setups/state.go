package setups

// ticks count from the release of all jobs.
type ticks int32

// state is what set-ups so far leave: when the server is free, and when the machines are, the
// first one first. The first one of all is zero.
type state struct {
	server ticks
	free   [mostMachines]ticks
}

// then sets a job up as soon as the server and a machine are free.
func (at state) then(j *job, machines int) state {
	at.set(j, machines)
	return at
}

// wait is for how long the server waits after a job is set up, or a machine where that is below zero.
func (at *state) wait(j *job, machines int) ticks {
	server := max(at.server, at.free[0]) + j.setup
	first := server + j.run
	if machines > 1 {
		first = min(first, at.free[1])
	}
	return first - server
}

// set is then, in place.
func (at *state) set(j *job, machines int) {
	at.server = max(at.server, at.free[0]) + j.setup
	end, k := at.server+j.run, 1
	for ; k < machines && at.free[k] < end; k++ {
		at.free[k-1] = at.free[k]
	}
	at.free[k-1] = end
}

// late is by how many ticks machines are busy after a time, together.
func (at *state) late(after ticks, machines int) (busy ticks) {
	for k := machines - 1; k >= 0 && at.free[k] > after; k-- {
		busy += at.free[k] - after
	}
	return busy
}

// useful has the server and each machine free no sooner than they are of use: going forward, the server takes so long for as many of the jobs that are
// left as there are machines that are free before; going backward, after the longest job that is left a machine would wait for the server.
func (at *state) useful(backward bool, left *rest, machines int) {
	if backward {
		for k := range machines {
			at.free[k] = max(at.free[k], at.server-left.longest)
		}
		return
	}
	at.server = max(at.server, at.free[0])
	for k := range machines {
		at.free[k] = max(at.free[k], at.server+left.sooner[k])
	}
}

// waits is the machine on which a job goes with time running backward, where it runs before the server comes to it: of those that are done
// when the server is free the one that began last, else the first one.
func (at *state) waits(j *job, machines int) int {
	for k := machines - 1; k > 0; k-- {
		if at.free[k]+j.run <= at.server {
			return k
		}
	}
	return 0
}

// before has a job run on a machine, and then its set-up, with time running backward.
func (at state) before(j *job, machine, machines int) state {
	end := max(at.server, at.free[machine]+j.run) + j.setup
	copy(at.free[machine:machines-1], at.free[machine+1:machines])
	at.free[machines-1], at.server = end, end
	return at
}

// noLater reports whether nothing is free later than in another state.
func (at *state) noLater(than *state, machines int) bool {
	if at.server > than.server {
		return false
	}
	for k := range machines {
		if at.free[k] > than.free[k] {
			return false
		}
	}
	return true
}
