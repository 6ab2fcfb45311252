package setups

import "downbeat/model"

// state is what set-ups so far leave: when the server is free, and when the machines are, the
// first one first.
type state struct {
	server model.Time
	free   [MostMachines]model.Time
}

func (p *Problem) start() state {
	at := state{server: p.from}
	for k := range p.machines {
		at.free[k] = p.from
	}
	return at
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
func (at *state) late(after model.Time, machines int) (ticks model.Time) {
	for k := machines - 1; k >= 0 && at.free[k] > after; k-- {
		ticks += at.free[k] - after
	}
	return ticks
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
