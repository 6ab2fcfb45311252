package fluid

import (
	"math"
	"slices"

	"downbeat/model"
)

// Guide is what a relaxation says about plans: means, no promises.
type Guide struct {
	// Out is the share of each job that is left out, 0 to 1; 0 for jobs that the
	// relaxation leaves out of account.
	Out []float64
	// Start is the mean hand-out of each stage, in ticks, by [model.StageID]; +Inf for
	// those of jobs that it leaves out of account.
	Start []float64
	// Finish is the mean finish of each job, in ticks; +Inf for jobs that are aside.
	Finish []float64
}

// Guide reads off the shares as they are.
func (r *Relaxation) Guide() *Guide {
	n := len(r.js.Jobs)
	inf := math.Inf(1)
	g := &Guide{
		Out: make([]float64, n), Finish: slices.Repeat([]float64{inf}, n),
		Start: slices.Repeat([]float64{inf}, r.js.Stages()),
	}
	var starts []float64 // by level
	for i := range r.jobs {
		j := &r.jobs[i]
		starts = append(starts[:0], make([]float64, len(j.stages))...)
		g.Out[j.id], g.Finish[j.id] = j.means(starts)
		job := &r.js.Jobs[j.id]
		for at, level := range levels(job) {
			for _, k := range level {
				g.Start[job.FirstStage+model.StageID(k)] = starts[at]
			}
		}
	}
	return g
}

// means works out the mean hand-outs of a job's stages, the share that is out, and the
// mean finish of what is in.
func (j *job) means(starts []float64) (out, finish float64) {
	in := 0.0
	clear(starts)
	for i := range j.active {
		w := &j.active[i]
		if w.out {
			out += w.share
			continue
		}
		in += w.share
		finish += w.share * float64(j.clock(j.end(w)))
		at := 0
		for k := range j.stages {
			starts[k] += w.share * float64(j.clock(int(w.picks[at].at)))
			at += len(j.stages[k].parts)
		}
	}
	for k := range starts {
		if in > 0 {
			starts[k] /= in
		} else {
			starts[k] = float64(j.clock(j.stages[k].first))
		}
	}
	return out, finish / max(leastShare, in)
}
