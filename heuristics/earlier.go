package heuristics

import (
	"cmp"
	"context"
	"slices"

	"downbeat/model"
)

const (
	// earlierRounds is how often all jobs are tried: little is left to gain after two.
	earlierRounds = 2
	// earlierAnyway is the number of tasks up to which jobs are tried even where ctx has ended:
	// some tens of milliseconds.
	earlierAnyway = 1000
	// tradeWork bounds the trades, in placements of tasks, and tradeEach for each task of the set:
	// the example night of 46 tasks gains a percent in sum from four times as much.
	tradeWork = 25_000
	tradeEach = 500
	// mostTraded is the most jobs that change places in a trade.
	mostTraded = 4
)

// Earlier returns a plan in which jobs finish earlier, in sum and then at the last, where list
// scheduling finds them room. First each in turn, those that finish first in front, is taken out
// and placed anew, and stays there if it then finishes before; then a few at a time, where no
// objective of goal rises, and no hard job finishes later: its slack is what a night can go wrong
// by. It is the same for the same seed unless ctx ends it. The schedule must be complete and
// valid.
func Earlier(ctx context.Context, js *model.JobSet, goal []model.Objective, s model.Schedule, seed uint64) model.Schedule {
	if len(js.Tasks) <= earlierAnyway {
		ctx = context.WithoutCancel(ctx)
	}
	if ctx.Err() != nil {
		return s
	}
	b := NewBoard(NewFigures(js), seed)
	if !b.Load(ctx, s) {
		return s
	}
	b.hastenAll(ctx)
	if len(js.Jobs) > 1 {
		newTrader(b, goal).trade(ctx)
	}
	return slices.Clone(b.Place)
}

// hastenAll tries all jobs, each by itself.
func (b *Board) hastenAll(ctx context.Context) {
	var order []model.JobID
	for i := range b.js.Jobs {
		order = append(order, model.JobID(i))
	}
	for range earlierRounds {
		slices.SortStableFunc(order, func(x, y model.JobID) int { return cmp.Compare(b.JobFinish(x), b.JobFinish(y)) })
		moved := false
		for _, i := range order {
			if ctx.Err() != nil {
				return
			}
			moved = b.hasten(i) || moved
		}
		if !moved {
			return
		}
	}
}

// hasten places a job anew if it then finishes earlier, and reports whether it does. No job
// finishes later for it.
func (b *Board) hasten(i model.JobID) bool {
	finish, job := b.JobFinish(i), &b.js.Jobs[i]
	if finish <= job.Release+b.fig.Jobs[i].Path || b.fig.hasPinned(i) {
		return false
	}
	was := slices.Clone(b.Place[job.First:job.End])
	b.TakeJob(i)
	if b.InsertJob(i); b.JobFinish(i) < finish {
		return true
	}
	b.TakeJob(i)
	b.putJob(i, was)
	return false
}

// putJob places all tasks of a job where they were.
func (b *Board) putJob(i model.JobID, was model.Schedule) {
	for k, at := range was {
		b.Put(b.js.Jobs[i].First+model.TaskID(k), at)
	}
}

// trader has jobs change places.
type trader struct {
	*Board
	goal []model.Objective
	// finishes and values are those of the plan on the board, rank is by job its place in an order
	// in which jobs can be placed.
	finishes []model.Time
	values   []int64
	rank     []int
}

func newTrader(b *Board, goal []model.Objective) *trader {
	t := &trader{Board: b, goal: goal, finishes: b.js.Finishes(b.Place), rank: make([]int, len(b.js.Jobs))}
	t.values = t.valuesOf(t.finishes)
	if b.js.JobsLinked() {
		for at, i := range b.js.JobOrder() {
			t.rank[i] = at
		}
	}
	return t
}

// valuesOf is what is minimised, in lexicographic order: how hard jobs are late, the goal, the
// sum of all finishes and the last of them.
func (t *trader) valuesOf(finishes []model.Time) []int64 {
	values := []int64{t.js.ListValue(model.HardMisses, finishes), t.js.Value(model.HardTardiness, finishes), t.js.Value(model.HardTotalTardiness, finishes)}
	for _, o := range t.goal {
		values = append(values, t.js.Value(o, finishes))
	}
	sum := int64(0)
	for _, finish := range finishes {
		sum += int64(finish)
	}
	return append(values, sum, int64(slices.Max(finishes)))
}

func (t *trader) trade(ctx context.Context) {
	most := min(tradeWork, tradeEach*int64(len(t.js.Tasks)))
	for work := int64(0); work < most && ctx.Err() == nil; {
		begun := t.Placed
		t.try(t.few())
		work += t.Placed - begun + int64(1+len(t.js.Jobs)/mostTraded)
	}
}

// few are two jobs or more by chance, in an order by chance in which they can be placed.
func (t *trader) few() (jobs []model.JobID) {
	for n := 2 + t.Rand.IntN(mostTraded-1); len(jobs) < min(n, len(t.js.Jobs)); {
		if i := model.JobID(t.Rand.IntN(len(t.js.Jobs))); !slices.Contains(jobs, i) {
			jobs = append(jobs, i)
		}
	}
	slices.SortStableFunc(jobs, func(a, b model.JobID) int { return cmp.Compare(t.rank[a], t.rank[b]) })
	return jobs
}

// try places jobs anew, one after the other, and leaves them so if the plan is better for it. Hard
// jobs, and jobs that others come after, must not finish later. Jobs with a stage that starts at a given
// time keep their places.
func (t *trader) try(jobs []model.JobID) {
	if slices.ContainsFunc(jobs, t.fig.hasPinned) {
		return
	}
	was := make([]model.Schedule, len(jobs))
	for k, i := range jobs {
		was[k] = slices.Clone(t.Place[t.js.Jobs[i].First:t.js.Jobs[i].End])
		t.TakeJob(i)
	}
	finishes, fine := slices.Clone(t.finishes), true
	for _, i := range jobs {
		t.InsertJob(i)
		finishes[i] = t.JobFinish(i)
		fine = fine && (finishes[i] <= t.finishes[i] || t.js.Jobs[i].Kind != model.Hard && t.fig.MayWait(i))
	}
	if fine {
		if values := t.valuesOf(finishes); slices.Compare(values, t.values) < 0 {
			t.finishes, t.values = finishes, values
			return
		}
	}
	for _, i := range jobs {
		t.TakeJob(i)
	}
	for k, i := range jobs {
		t.putJob(i, was[k])
	}
}
