package strategy

import (
	"context"
	"math"
	"slices"

	"downbeat/heuristics/project"
	"downbeat/heuristics/tabu"
	"downbeat/model"
	"downbeat/solve/budget"
	"downbeat/solve/event"
	"downbeat/solve/incumbent"
	"downbeat/solve/portfolio"
)

// TabuSearch improves plans of shops by local search on the critical path: job shops, also flexible ones, parallel
// machines, and clusters on which nothing else ties tasks to each other, for the makespan, the
// greatest lateness or the weighted tardiness, and of job shops for late jobs. It knows plans only by the objective, which has to be the first one.
var TabuSearch = &portfolio.Strategy{
	Name: "tabu search", Unit: "an eighth of a second", Sharing: portfolio.Copies, Grows: 4, Most: mostGrown,
	Applies: func(w *portfolio.Work) bool {
		return sole(w) && tabu.Treats(w.JS, aimOf(w)) && !justifies(w) && (!aimOf(w).Shape().Counts() || lateOfJobShop(w))
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &longestPath{w: w, unit: 16_000_000, task: 160, brief: math.MaxInt, waits: 1, begin: func() pathSearch { return tabu.New(w.JS, aimOf(w), seed) }}
	},
}

// IteratedGreedy improves plans of hybrid flow shops by the order in which jobs come in, for the greatest finish and lateness.
var IteratedGreedy = &portfolio.Strategy{
	Name: "iterated greedy", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool { return sole(w) && tabu.TreatsHybridGreedy(w.JS, aimOf(w)) },
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &longestPath{w: w, unit: 16_000_000, task: 160, brief: 2, waits: 2, begin: func() pathSearch { return tabu.NewHybridGreedy(w.JS, aimOf(w), seed) }}
	},
}

// justifyTask is the placements of a justified schedule that take as long as list scheduling for a task, annealTask those of annealing.
const justifyTask, annealTask = 20, 10

// Justification improves plans of projects by a genetic algorithm that justifies schedules, for the same objectives. Shops
// are projects, too, but tabu search is better at them unless they are hybrid flow shops.
var Justification = &portfolio.Strategy{
	Name: "justification", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool {
		return sole(w) && justifies(w)
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &longestPath{w: w, unit: 2_000_000, task: justifyTask, brief: 2, waits: 2, begin: func() pathSearch { return project.New(w.JS, aimOf(w), seed) }}
	},
}

// Annealing improves plans of tasks that wait for no others, and of which each may hold much of what slaves have, for the same objectives, and for
// the weight of late jobs and the weighted tardiness of jobs of a task each.
var Annealing = &portfolio.Strategy{
	Name: "annealing", Unit: "an eighth of a second", Sharing: portfolio.Copies,
	Applies: func(w *portfolio.Work) bool {
		return sole(w) && project.TreatsSeparate(w.JS, aimOf(w)) && (aimOf(w).Shape().Counts() || !tabu.Treats(w.JS, aimOf(w)))
	},
	Begin: func(w *portfolio.Work, seed uint64) portfolio.Runner {
		return &longestPath{w: w, unit: 250_000, task: annealTask, brief: 2, waits: 2, begin: func() pathSearch { return project.NewAnnealing(w.JS, aimOf(w), seed) }}
	},
}

// justifies reports whether justification is what treats an objective.
func justifies(w *portfolio.Work) bool {
	return project.Treats(w.JS, aimOf(w)) && (!tabu.Treats(w.JS, aimOf(w)) || HybridFlowShop(w))
}

// justifier moves the tasks of plans of projects that clause learning has found as far as they go; nil does nothing.
type justifier struct {
	w *portfolio.Work
	s *project.Search
}

// newJustifier is nil where justification is not what treats the objective.
func newJustifier(w *portfolio.Work, seed uint64) *justifier {
	if !Justification.AppliesTo(w) {
		return nil
	}
	return &justifier{w, project.New(w.JS, aimOf(w), seed)}
}

// justifications of a plan that is found, and of what it is crossed with: of a plan of clause learning, which stops at the value asked for,
// most tasks can still be moved. They take about as long as a hundredth of the question.
const justifications = 4

// justify has plans come from the best one, by moving its tasks as far as they go.
func (j *justifier) justify(ctx context.Context) {
	if j == nil {
		return
	}
	j.s.Consider(j.w.Best())
	j.s.Run(ctx, justifications*justifyTask*int64(len(j.w.JS.Tasks)), j.w.Offer)
	budget.Spend(ctx, justifications)
	event.Count(ctx, event.Counts{Constructions: justifications})
}

// Steady reports whether slaves are there at all times, and there is always as much of pools.
func Steady(js *model.JobSet) bool {
	return !slices.ContainsFunc(js.Slaves, func(s model.Slave) bool { return len(s.Down) > 0 }) &&
		!slices.ContainsFunc(js.Pools, func(p model.Pool) bool { return len(p.Levels) > 1 })
}

// sole reports whether what is sought is limited by no other objective.
func sole(w *portfolio.Work) bool { return w.P == incumbent.AnyPlan || w.First(w.P) }

// aimOf is what they work on: for any plan, that the latest hard job is in time.
func aimOf(w *portfolio.Work) model.Objective {
	if w.P == incumbent.AnyPlan {
		return model.HardTardiness
	}
	return w.Goal[w.P]
}

// onLongestPath reports whether one of them applies: they take the place of lists then, and of most neighbourhoods. For sums
// they do of job shops only.
func onLongestPath(w *portfolio.Work) bool {
	return JobShop(w) || TabuSearch.AppliesTo(w) && aimOf(w).Shape().Max || Justification.AppliesTo(w) || Annealing.AppliesTo(w) && aimOf(w).Shape().Max
}

// pathSearch is local search for an objective that is the length of a longest path, or a sum of what such lengths cost: see
// packages tabu, project and queue.
type pathSearch interface {
	Consider(plan model.Schedule)
	Best() int64
	Work() int64
	Improved() int64
	Run(ctx context.Context, work int64, offer func(model.Schedule))
}

// longestPath goes on with one search, to which better plans of others are added.
type longestPath struct {
	w *portfolio.Work
	// unit is the work that takes about an eighth of a second, task what takes as long as list scheduling for a task.
	unit, task int64
	// brief is from which round on slices no longer end early, unless the last questions are within reach; waits
	// how many times as long as it took to the best plan they go on before they do.
	brief int
	waits int64
	begin func() pathSearch
	s     pathSearch // nil before the first slice
	// better is the best plan that was not handed in yet.
	better model.Schedule
	// options are those of all tasks for a slave, from the first slice on.
	options int64
}

// Slices end early when they have brought nothing for some times as long as it took to the best plan, and for as long as so many
// constructions: the tasks times the slaves that each may go to, over hasty, twice as many in each slice. Small sets are soon done with, and others
// take up their time; of large ones the best plan is found late, if at all.
const hasty, mostDoubled = 8, 16

// soonSearched: of 25 to 30 tasks what is beyond reach for its gap is not so for its size: questions come to the plan that is left, and a third of the time went into
// 400,000 constructions for nothing. Where there are thousands of values, as in milliseconds, questions do not.
const soonSearched = 40

// handEvery is after how many constructions plans are handed in: to check one of 10,000 tasks takes as long as 200 moves, and in the first minute
// each construction comes to a better one.
const handEvery = 4

// Run implements portfolio.Runner.
func (l *longestPath) Run(ctx context.Context, s portfolio.Slice) portfolio.Outcome {
	if l.s == nil {
		l.s = l.begin()
		l.options = options(l.w.JS)
	}
	brief := s.Round < l.brief || len(l.w.JS.Tasks) < soonSearched && stride(l.w) == 1
	if l.consider() {
		brief = brief || !beyondReach(l.w.Gap(l.w.P))
	}
	construction := l.task * int64(len(l.w.JS.Tasks))
	constructions := int64(math.MaxInt64)
	if s.Units > 0 {
		constructions = 1 + int64(s.Units)*l.unit/construction
	}
	patient := int64(len(l.w.JS.Tasks)) * l.options / hasty * construction << min(s.Number, mostDoubled)
	defer l.handIn()
	for from, n := l.s.Work(), int64(0); n < constructions; n++ {
		improved := l.s.Improved()
		barren := s.Units > 0 && brief && l.s.Work()-max(from, improved) > max(patient, l.waits*improved)
		if barren || ctx.Err() != nil || l.w.Over(l.w.P) {
			break
		}
		l.consider()
		before := l.s.Work()
		l.s.Run(ctx, construction, func(plan model.Schedule) { l.better = plan })
		if n%handEvery == 0 || l.reaches() {
			l.handIn()
		}
		if l.s.Work() == before && ctx.Err() == nil {
			return portfolio.Done
		}
		budget.Spend(ctx, 1)
		event.Count(ctx, event.Counts{Constructions: 1})
	}
	return portfolio.Open
}

// consider goes on from the best plan if others have found it; false if there is none. Where any plan will do, one has been found, and
// this is over.
func (l *longestPath) consider() bool {
	best := l.w.Best()
	if best == nil || l.w.P == incumbent.AnyPlan {
		return false
	}
	if value, _ := l.w.Gap(l.w.P); value < l.s.Best() {
		l.s.Consider(best)
	}
	return true
}

// options counts for how many slaves each task has a choice, all together.
func options(js *model.JobSet) (n int64) {
	for t := range js.Tasks {
		js.Tasks[t].EachRun(func(wcet, _ model.Time, slaves model.SlaveID) {
			if wcet > 0 {
				n += int64(slaves)
			}
		})
	}
	return n
}

// reaches reports whether the best plan is as good as one can be.
func (l *longestPath) reaches() bool {
	if l.w.P == incumbent.AnyPlan {
		return l.s.Best() == 0
	}
	_, bound := l.w.Gap(l.w.P)
	return l.s.Best() <= bound
}

// handIn offers the best plan if it was not, where any will do one that meets all hard deadlines.
func (l *longestPath) handIn() {
	if l.better != nil && (l.w.P != incumbent.AnyPlan || l.s.Best() == 0) {
		l.w.Offer(l.better)
	}
	l.better = nil
}
