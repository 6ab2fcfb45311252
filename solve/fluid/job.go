package fluid

import (
	"math"

	"downbeat/model"
)

// job is a job as the relaxation sees it. Its times are points of a grid of its own,
// which begins with its release.
type job struct {
	id      model.JobID
	release model.Time
	// unit is the distance of grid points in ticks; stride that of the hand-outs
	// which are looked at, in units.
	unit   model.Time
	stride int
	// length is the last grid point at which the job may finish, due the last at
	// which it does so for nothing.
	length, due int
	// drop is what it costs to leave the job out; slope what each unit past due does.
	drop, slope float64
	stages      []stage
	// active are the columns of the job that have a share, which add up to 1.
	active []column
}

// stage is a stage of a job: all its tasks are handed out at once.
type stage struct {
	// first is the earliest hand-out, last the latest finish.
	first, last int
	parts       []part
}

// part is the tasks of a stage that may run on the same pools.
type part struct {
	count float64
	modes []mode
}

// mode is how the tasks of a part run on a pool, in the mean: units of the job's grid.
type mode struct {
	pool       int
	fetch, run int
	needs      []need
}

// need is what the tasks of a part hold together of a row.
type need struct {
	row   int
	hold  model.Hold
	units float64
}

// length is the time from hand-out to finish.
func (m *mode) length() int { return m.fetch + m.run }

// held is when tasks handed out at a grid point hold what is held in the way of h.
func (m *mode) held(at int, h model.Hold) (from, to int) {
	switch h {
	case model.HoldFetch:
		return at, at + m.fetch
	case model.HoldRun:
		return at + m.fetch, at + m.fetch + m.run
	default:
		return at, at + m.fetch + m.run
	}
}

// column is one of a job: out of the plan, or a hand-out and a mode for each part.
type column struct {
	share float64
	out   bool
	picks []pick
}

// pick is the hand-out of a part's stage, and the index of a mode of the part.
type pick struct{ at, mode int32 }

// equal reports whether two columns of a job are the same.
func (w *column) equal(v *column) bool {
	if w.out != v.out {
		return false
	}
	for i := range w.picks {
		if !w.out && w.picks[i] != v.picks[i] {
			return false
		}
	}
	return true
}

// inUnits rounds a time to the nearest grid point.
func (j *job) inUnits(ticks float64) int { return int(math.Round(ticks / float64(j.unit))) }
