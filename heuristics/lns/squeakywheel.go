package lns

import (
	"cmp"
	"context"
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// SqueakyWheel is squeaky-wheel optimisation of orders that come from elsewhere. Not safe for
// concurrent use.
type SqueakyWheel struct {
	s    *search
	rank []int64
	// by is what stages are handed out by where that goes by time, idle what a core that waits counted
	// for the best of its plans.
	by   heuristics.Priority
	idle float64
}

// idles are what a core that waits may count ([heuristics.Priority]). Of gen.Scale of 10,000 tasks the first
// leaves the fewest jobs late, with pools and gangs the second, which has 3 % less idle there.
var idles = [...]float64{0.3, 1}

// SqueakyRun is what came of some constructions.
type SqueakyRun struct {
	// Values are the best of them, as [Search] has values. Late lists the jobs that
	// finished too late then. Both are nil if there was none.
	Values []int64
	Late   []model.JobID
}

// NewSqueakyWheel prepares it. It heeds all options but the number of constructions, which each
// run has of its own, and takes the plan to start from into account while ctx lasts.
func NewSqueakyWheel(ctx context.Context, js *model.JobSet, opt Options) *SqueakyWheel {
	s := newSearch(ctx, js, opt)
	s.board.Samples = wheelSamples
	w := &SqueakyWheel{s: s, rank: make([]int64, len(s.fig.Stages)), idle: idles[0]}
	if opt.Start != nil {
		w.Consider(ctx, opt.Start)
	}
	return w
}

// Consider takes a valid complete schedule into account that comes from elsewhere, unless
// ctx ends first.
func (w *SqueakyWheel) Consider(ctx context.Context, plan model.Schedule) {
	if w.s.board.Load(ctx, plan) {
		w.s.consider()
	}
}

// wheelSamples is the number of slaves tried by chance: an order that fills the
// cluster is worth as much as the places that are found for it. At 100,000 tasks 48 in
// place of 8 leave 102 misses of 145.
const wheelSamples = 48

// Placed counts the tasks that were placed: the measure of work.
func (w *SqueakyWheel) Placed() int64 { return w.s.board.Placed }

// Figures are those of the set.
func (w *SqueakyWheel) Figures() *heuristics.Figures { return w.s.fig }

// Values are the best so far, as [Search] has values; nil before the first run.
func (w *SqueakyWheel) Values() []int64 { return w.s.values }

// Hopeless reports whether a job is late in every plan.
func (w *SqueakyWheel) Hopeless(i model.JobID) bool { return w.s.late[i] }

// Aim is what plans are to be like.
type Aim struct {
	// Key orders the stages, by [model.StageID]; where they are handed out by time it is when, in ticks on
	// the clock.
	Key []float64
	// ByTime: they are handed out by time ([heuristics.Board.Dispatch]), not placed one after the other.
	ByTime bool
	// By is when each job is to finish, in ticks on the clock; Never stands for any time.
	By []model.Time
	// Last marks jobs that come after all others.
	Last []bool
}

// Run constructs in the order of the keys, and then in orders in which jobs that
// finish too late come earlier, until so many in a row were no better or ctx ends. If that
// is before the first construction, which sets of up to 1,000 tasks get if they have no plan
// yet, the values are nil.
func (w *SqueakyWheel) Run(ctx context.Context, aim Aim, patience int) SqueakyRun {
	s := w.s
	s.ctx = ctx
	d := s.deferral
	d.Last = slices.Clone(d.Last)
	for i := range d.Last {
		d.Last[i] = d.Last[i] || aim.Last[i]
	}
	fill, hurry := func() bool { return s.fill(s.orderBy(w.rank), d) }, w.hurry
	if aim.ByTime {
		fill, hurry = func() bool { return s.dispatch(w.by, d) }, w.hurryByTime
		w.prioritise(aim)
	} else {
		w.rankBy(aim.Key)
	}
	var best SqueakyRun
	for n, idle := 0, 0; idle < patience && (n == 0 || !s.done()); n++ {
		idle++
		if !fill() {
			break
		}
		if s.consider() && aim.ByTime {
			w.idle = w.by.Idle
		}
		late := w.late(aim.By)
		if values := s.measure(); best.Values == nil || slices.Compare(values, best.Values) < 0 {
			best, idle = SqueakyRun{Values: slices.Clone(values), Late: late}, 0
		}
		if len(late) == 0 {
			break
		}
		hurry(late)
	}
	return best
}

// prioritise sets what stages are handed out by.
func (w *SqueakyWheel) prioritise(aim Aim) {
	fig := w.s.fig
	w.by.Idle = w.idle
	w.by.Key, w.by.Due = w.by.Key[:0], w.by.Due[:0]
	for i := range fig.Stages {
		st := &fig.Stages[i]
		due := model.Never
		if by := aim.By[st.Ref.Job]; by < model.Never {
			due = st.Due + by - w.s.js.Jobs[st.Ref.Job].Due()
		}
		w.by.Key, w.by.Due = append(w.by.Key, aim.Key[fig.ID(int32(i))]), append(w.by.Due, due)
	}
}

// rankBy ranks the stages by their keys; those of a chain keep their sequence.
func (w *SqueakyWheel) rankBy(byID []float64) {
	fig := w.s.fig
	order, key := make([]int32, len(byID)), make([]float64, len(byID))
	for i := range order {
		order[i], key[i] = int32(i), byID[fig.ID(int32(i))]
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(a, b)) })
	fig.InSequence(order)
	for i, stage := range order {
		w.rank[stage] = int64(i) * rankStep
	}
	if !fig.Chains() {
		return
	}
	for i := range w.s.js.Jobs {
		for st := fig.Base[i] + 1; st < fig.Base[i+1]; st++ {
			w.rank[st] = max(w.rank[st], w.rank[st-1])
		}
	}
}

// late lists the jobs that finish too late on the board.
func (w *SqueakyWheel) late(by []model.Time) []model.JobID {
	var late []model.JobID
	for i := range by {
		if w.s.board.JobFinish(model.JobID(i)) > by[i] {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// hurrySpan is how many times the distance is halved at most by which a job moves.
const hurrySpan = 6

// hurry moves jobs forward by up to a quarter of the order, most of them by much less:
// where there are many jobs, few of them are near in time.
func (w *SqueakyWheel) hurry(late []model.JobID) {
	reach := float64(len(w.rank)*rankStep) / 4
	w.forward(late, reach, func(stage int32, by float64) { w.rank[stage] -= 1 + int64(by) })
}

// hurryByTime is hurry where stages are handed out by time.
func (w *SqueakyWheel) hurryByTime(late []model.JobID) {
	jobs := w.s.js.Jobs
	first, last := model.Never, model.Time(0)
	for i := range jobs {
		first, last = min(first, jobs[i].Release), max(last, jobs[i].Release)
	}
	w.forward(late, float64(last-first)/4, func(stage int32, by float64) { w.by.Key[stage] -= 1 + by })
	w.by.Idle = idles[w.s.rng.IntN(len(idles))]
}

// forward moves the stages of jobs forward, those of each by a part of reach by chance.
func (w *SqueakyWheel) forward(late []model.JobID, reach float64, move func(stage int32, by float64)) {
	for _, i := range late {
		by := reach * math.Exp2(-hurrySpan*w.s.rng.Float64())
		for st := w.s.fig.Base[i]; st < w.s.fig.Base[i+1]; st++ {
			move(st, by)
		}
	}
}
