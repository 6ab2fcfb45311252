package strategy

import (
	"math"

	"downbeat/heuristics/lns"
	"downbeat/model"
	"downbeat/solve/fluid"
	"downbeat/solve/incumbent"
)

// guideTask is what an objective asks of a relaxation, and what of plans.
type guideTask struct {
	js      *model.JobSet
	squeaky *lns.SqueakyWheel
	// objective is the first one; Misses where the hard deadlines are.
	objective   model.Objective
	shape       model.Shape // its
	mayMissHard bool
	// letsGo: a job is in time, or is let go and comes last, as where late jobs are counted; it
	// is not a little late.
	letsGo bool
	// rounds: what is let go is what the first objective counts, so that guides can be
	// rounded to less than a plan has.
	rounds bool
	// patience is the number of evaluations without a better plan after which the
	// relaxation is set up anew, starts how often that may be.
	patience, starts int
	// target is the value that is aimed at where it is a time, floor the last that was
	// not come to.
	target, floor int64
}

const (
	// patienceForMisses is long, as a relaxation is adapted all the while;
	// patienceForTarget is for one of many.
	patienceForMisses, patienceForTarget = 30, 3
	startsForMisses, startsForTarget     = 100, 20
)

// newGuideTask is that of an objective; while there is no plan it is to be Misses, as soft
// jobs stand in the way of hard ones.
func newGuideTask(w *incumbent.Incumbent, squeaky *lns.SqueakyWheel, objective model.Objective) *guideTask {
	t := &guideTask{
		js: w.JS, squeaky: squeaky, objective: objective, shape: objective.Shape(), mayMissHard: w.MayMissHard,
		patience: patienceForTarget, starts: startsForTarget,
		rounds: len(w.Goal) > 0 && w.Goal[0].Shape() == model.Misses.Shape(),
	}
	if t.shape.Counts() {
		t.letsGo, t.patience, t.starts = true, patienceForMisses, startsForMisses
	}
	t.floor = t.alone() - 1
	t.target = t.floor
	return t
}

// alone is the value if each job had the cluster to itself.
func (t *guideTask) alone() int64 {
	finishes := make([]model.Time, len(t.js.Jobs))
	for i := range finishes {
		finishes[i] = t.js.Jobs[i].Release + t.squeaky.Figures().Jobs[i].Path
	}
	return t.js.Value(t.objective, finishes)
}

// next chooses what the next relaxation is about, with a plan of some values known
// but for Misses; false if there is nothing left.
func (t *guideTask) next(values []int64) bool {
	if t.shape.Measure == model.Completion {
		return false // list scheduling alone is as good
	}
	t.starts--
	if !t.shape.Max {
		return t.starts >= 0
	}
	if values[1] > t.target {
		t.floor = t.target
	}
	t.target = t.floor + (values[1]-t.floor)/2
	return t.starts >= 0 && t.target > t.floor
}

// byRule orders stages by when they have to start.
func (t *guideTask) byRule() lns.Aim {
	aim := t.blank()
	fig := t.squeaky.Figures()
	aim.Key = make([]float64, len(fig.Stages))
	for i := range fig.Stages {
		aim.Key[fig.ID(int32(i))] = float64(fig.Stages[i].Due - fig.Stages[i].Length)
	}
	return aim
}

// blank is an aim without an order: all jobs by when they are to finish.
func (t *guideTask) blank() lns.Aim {
	n := len(t.js.Jobs)
	aim := lns.Aim{By: make([]model.Time, n), Last: make([]bool, n)}
	for i := range aim.By {
		aim.By[i] = t.due(model.JobID(i))
	}
	return aim
}

// due is by when a job is to finish, on the clock.
func (t *guideTask) due(i model.JobID) model.Time {
	job := &t.js.Jobs[i]
	switch {
	case t.shape.Max && t.shape.Measure == model.Delay && t.shape.Jobs.Has(job.Kind):
		return job.Due() + model.Time(t.target)
	case t.shape.Counts() && t.squeaky.Hopeless(i):
		return model.Never
	}
	return job.Due()
}

const (
	// softDrop is what it costs to let go of a soft job, over its weight, where hard
	// ones may be let go for 1.
	softDrop = 1e-3
	// lateSpan is how long after its due time a job may finish at a price, over the time
	// before; one that is later is let go for what it costs to come last.
	lateSpan = 1
)

// options say what the relaxation is about: jobs may be let go for their weights, are
// to keep a target, or pay for lateness.
func (t *guideTask) options() fluid.Options {
	n := len(t.js.Jobs)
	opt := fluid.Options{Due: make([]model.Time, n), Drop: make([]float64, n), Slope: make([]float64, n)}
	end := t.lastDue()
	for i := range t.js.Jobs {
		job := &t.js.Jobs[i]
		opt.Due[i], opt.Drop[i] = t.due(model.JobID(i)), math.Inf(1)
		switch {
		case t.mayMissHard && job.Kind == model.Hard:
			opt.Drop[i] = 1
		case t.mayMissHard:
			opt.Drop[i] = softDrop * float64(job.Weight)
		case job.Kind != model.Soft:
		case t.shape.Counts():
			opt.Drop[i] = float64(job.Weight)
		case t.shape.Sums():
			opt.Slope[i] = float64(job.Weight)
			opt.Drop[i] = float64(job.Weight) * float64(max(lateSpan*job.Deadline, end-job.Due()))
		}
	}
	opt.LateSpan = lateSpan
	return opt
}

// lastDue is the last due time of all jobs.
func (t *guideTask) lastDue() model.Time {
	last := model.Time(0)
	for i := range t.js.Jobs {
		if job := &t.js.Jobs[i]; job.Kind != model.BestEffort {
			last = max(last, job.Due())
		}
	}
	return last
}

// aim is what plans by a guide are to be like.
func (t *guideTask) aim(guide *fluid.Guide) lns.Aim {
	aim := t.blank()
	aim.Key = guide.Start
	for i, share := range guide.Out {
		switch {
		case share > 0.5:
			aim.By[i], aim.Last[i] = model.Never, true
		case t.shape.Sums() && t.shape.Jobs.Has(t.js.Jobs[i].Kind):
			aim.By[i] = max(aim.By[i], model.Time(guide.Finish[i]))
		}
	}
	return aim
}
