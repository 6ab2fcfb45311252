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

// atOnce has each machine free no sooner than the server, without which it is of no use.
func (at state) atOnce(machines int) state {
	for k := 0; k < machines && at.free[k] < at.server; k++ {
		at.free[k] = at.server
	}
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
