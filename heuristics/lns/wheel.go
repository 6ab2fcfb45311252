package lns

import (
	"cmp"
	"context"
	"math"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
)

// Wheel is squeaky-wheel optimisation of orders that come from elsewhere. Not safe for
// concurrent use.
type Wheel struct {
	s    *search
	rank []int64
}

// Spin is what came of some constructions.
type Spin struct {
	// Values are the best of them, as [Search] has values. Late lists the jobs that
	// were late then without being meant to be.
	Values []int64
	Late   []model.JobID
}

// NewWheel prepares it. It heeds all options but the number of constructions, which each
// turn has of its own.
func NewWheel(js *model.JobSet, opt Options) *Wheel {
	s := newSearch(context.Background(), js, opt)
	if opt.Start != nil {
		s.board.Load(opt.Start)
		s.consider()
	}
	return &Wheel{s: s, rank: make([]int64, len(s.fig.Stages))}
}

// Placed counts the tasks that were placed: the measure of work.
func (w *Wheel) Placed() int64 { return w.s.board.Placed }

// Hopeless reports whether a job is late in every plan.
func (w *Wheel) Hopeless(i model.JobID) bool { return w.s.late[i] }

// Turn constructs in the order of a key per stage, stages numbered through all jobs,
// and then in orders in which jobs that are late come earlier, until so many in a row
// were no better. Jobs marked in out are meant to be late: they come last. The first
// construction is made even if ctx is done.
func (w *Wheel) Turn(ctx context.Context, key []float64, out []bool, patience int) Spin {
	s := w.s
	s.ctx = ctx
	d := s.deferral
	d.Last = slices.Clone(d.Last)
	for i := range out {
		d.Last[i] = d.Last[i] || out[i]
	}
	w.rankBy(key)
	var best Spin
	for n, idle := 0, 0; idle < patience && (n == 0 || !s.done()); n++ {
		idle++
		s.construct(s.orderBy(w.rank), d)
		late := w.late(d)
		if values := s.measure(); best.Values == nil || slices.Compare(values, best.Values) < 0 {
			best, idle = Spin{Values: slices.Clone(values), Late: late}, 0
		}
		if len(late) == 0 {
			break
		}
		w.hurry(late)
	}
	return best
}

// rankBy ranks the stages by their keys; those of a job keep their sequence.
func (w *Wheel) rankBy(key []float64) {
	order := make([]int32, len(key))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(key[a], key[b]), cmp.Compare(a, b)) })
	for i, stage := range order {
		w.rank[stage] = int64(i) * rankStep
	}
	fig := w.s.fig
	for i := range w.s.js.Jobs {
		for st := fig.Base[i] + 1; st < fig.Base[i+1]; st++ {
			w.rank[st] = max(w.rank[st], w.rank[st-1])
		}
	}
}

// late lists the jobs on the board that are in trouble and do not come last.
func (w *Wheel) late(d heuristics.Deferral) []model.JobID {
	var late []model.JobID
	for i := range w.s.js.Jobs {
		if !d.Last[i] && w.s.inTrouble(model.JobID(i)) {
			late = append(late, model.JobID(i))
		}
	}
	return late
}

// hurrySpan is how many times the distance is halved at most by which a job moves.
const hurrySpan = 6

// hurry moves jobs forward by up to a quarter of the order, most of them by much less:
// where there are many jobs, few of them are near in time.
func (w *Wheel) hurry(late []model.JobID) {
	reach := float64(len(w.rank)*rankStep) / 4
	for _, i := range late {
		forward := 1 + int64(reach*math.Exp2(-hurrySpan*w.s.rng.Float64()))
		for st := w.s.fig.Base[i]; st < w.s.fig.Base[i+1]; st++ {
			w.rank[st] -= forward
		}
	}
}
