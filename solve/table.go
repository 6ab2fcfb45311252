package solve

import (
	"downbeat/model"
	"downbeat/solve/incumbent"
	"downbeat/solve/lagrange"
	"downbeat/solve/portfolio"
	"downbeat/solve/strategy"
)

// row is a line of the table: a strategy, for whom, and its share.
type row struct {
	// objectives and workers are those that it is for.
	objectives objectives
	workers    workers
	// from and below bound the number of tasks of sets that it is for; 0 stands for no bound.
	from, below int
	// strategy says what a unit is, and whether it applies.
	strategy *portfolio.Strategy
	// seed is added to that of the worker.
	seed  uint64
	units []int // by round, the last for all after: see portfolio.Entry
}

// objectives are kinds of objectives, one or more.
type objectives uint16

const (
	anyPlan   objectives = 1 << iota // none: a plan that meets the hard deadlines, or a proof that there is none
	misses                           // how many jobs are late, by weight, or how many hard ones
	turns                            // the same of jobs that take turns on slaves
	weighted                         // the weighted tardiness
	tardiness                        // by how much the latest job is late
	makespan                         // when the last job ends
	shop                             // any of these three of a job shop
	flexible                         // the makespan of a job shop whose tasks have some choice
	projects                         // the makespan of a project of which there is always as much of all, also the tardiness of a hybrid flow shop
	placed                           // the weighted tardiness, too, where no task has a choice of slaves, but for hybrid flow shops
	fine                             // the weighted tardiness, too, where ticks are so fine that branching looks at coarser ones
	linked                           // how many jobs are late, too, where jobs come after others
	objective = misses | turns | weighted | tardiness | makespan | shops | projects
	times     = tardiness | makespan | shops | projects
	shops     = shop | flexible
)

// workers are those that a row is for, one or more.
type workers uint8

const (
	alone     workers = 1 << iota // a single one
	several                       // more than one, side by side
	hurried                       // those with one of many questions, each about any plan
	following                     // those with an objective after one that is open, of which plans are all that counts
	// instead: what the workers go over once one of their strategies has refused.
	instead
	usual = alone | several
)

// each lists units by round.
func each(units ...int) []int { return units }

// long stands for slices without a bound, which end of themselves, or by their time.
var long []int

// Numbers of tasks; what they come from stands beside the strategies.
const (
	large        = strategy.Large           // 400: the ejection pool, guides and pools of slaves
	beside       = strategy.BesideLists     // 100: the ejection pool, beside lists
	tooMany      = strategy.TooManyToChoose // 401: candidates of the master problem
	many         = strategy.Many            // 40: tardiness that the first bounds leave open
	manyWeighted = strategy.ManyWeighted    // 25: weighted tardiness that questions leave open
	soonPlanned  = 60                       // late jobs: candidates of the master problem close most sets below at once; weighted tardiness: below, what the first round leaves of plans and bound is settled by branching; of 60 tasks plans still gain from neighbourhoods
	largeShop    = 500                      // of a job shop: a conflict takes milliseconds, and plans gain most from the seconds after the first two
	largeProject = 200                      // of a project: questions find no plan, and plans gain for minutes
	vast         = 5_000                    // of late jobs: of 10,000 tasks a question took 36 s and 2.3 GB for nothing; of job shops seconds, in which plans gain
	slow         = 150                      // of late jobs: from here on a question of 160 polls takes more than candidates of the master problem that come to as much
	few          = 50                       // of many questions: those that branching refutes in less than clause learning
)

// table is the portfolio: which strategies run, in what order and with what share. A worker
// goes over the rows that are for it, from the top to the bottom, round by round; a strategy
// that stands in several rows with one seed goes on in each where it stopped. Before the table
// plan.go tries energy and some constructions (findPlan, close).
//
// A new strategy is a file in package strategy and its rows here. Units that no comment says
// more about are by judgement.
var table = []row{
	// Any plan. Of fewer than 100 tasks clause learning answers nearly all questions within a few polls; what it leaves open then is
	// refuted by branching, if at all, in a small part of what clause learning goes on for. Of many such questions, each with
	// little work, most are answered at once by clause learning, which comes first then.
	{anyPlan, usual | hurried, 0, 0, strategy.Packing, 0, each(16)}, // as for the makespan
	{anyPlan, usual | hurried, 0, 0, strategy.Assignment, 0, each(8)},
	{anyPlan, usual | hurried, 0, 0, strategy.SetupServer, 0, each(64)},
	{anyPlan, hurried, 0, few, strategy.ClauseLearning, 0, each(1, 5)},
	{anyPlan, hurried, few, 0, strategy.ClauseLearning, 0, each(10)},
	{anyPlan, usual, 0, 0, strategy.Multipliers, 0, each(1, 1, 0)},
	{anyPlan, hurried, 0, few, strategy.Multipliers, 0, each(1, 1, 0)},
	{anyPlan, hurried, few, 0, strategy.Multipliers, 0, each(0, 1, 1, 0)},
	{anyPlan, usual, 0, 0, strategy.IteratedGreedy, 0, each(8)},
	{anyPlan, usual, 0, 0, strategy.TabuSearch, 0, each(8)},
	{anyPlan, usual, 0, 0, strategy.Annealing, 0, each(8)},
	{anyPlan, usual, 0, 0, strategy.Justification, 0, each(8)},
	{anyPlan, usual, beside, 0, strategy.QueueAnnealing, 0, each(0, 8)}, // plans of 165 tasks that clause learning left open for 40 s come in one
	{anyPlan, usual, 0, beside, strategy.ClauseLearning, 0, each(1, 5)},
	{anyPlan, usual, beside, 0, strategy.ClauseLearning, 0, each(0, 10)},
	{anyPlan, usual, 0, beside, strategy.Branching, 0, each(1)},
	{anyPlan, usual, beside, 0, strategy.Branching, 0, each(0, 4)},
	{anyPlan, hurried, 0, few, strategy.Branching, 0, each(1)},
	{anyPlan, hurried, few, 0, strategy.Branching, 0, each(0, 4)},
	{anyPlan, usual, 0, 0, strategy.TardinessRelaxation, 0, each(0, 1)},
	{anyPlan, hurried, 0, 0, strategy.TardinessRelaxation, 0, each(0, 0, 1)},
	// Where clause learning refuses, as it does fifo, gini answers: of 123 sets with fifo 117
	// were closed with it, 109 without. Beside clause learning it has no row: of 128 sets without
	// fifo it closed none that was left open (docs/diary.md).
	{anyPlan, instead | usual | hurried, 0, 0, strategy.SAT, 0, long},
	{anyPlan, instead | usual | hurried, 0, 0, strategy.Enumeration, 0, each(1)},
	{anyPlan, instead | usual | hurried, 0, 0, strategy.Lists, 2, long},

	// An objective: what comes first, as it is over in seconds or is all that is quick. What
	// multipliers of pools have for large sets comes before questions that may be too large
	// to be put.
	{objective, usual, 0, 0, strategy.EnumerationOfFineTicks, 0, each(1)},
	{times, usual, largeShop, 0, strategy.FromBoundByPropagation, 0, each(1, 0)},            // of 10,000 tasks some seconds
	{makespan | shops, usual, 0, largeShop, strategy.FromBoundByPropagation, 0, each(1, 0)}, // milliseconds; mk04, mk05 and ta031 of flow shops are closed by the first good plan
	{projects, usual, 0, 0, strategy.FromBoundBriefly, 0, each(1, 0)},                       // open shops, whose bound mostly is what one machine or job has to do, are closed by it
	{objective &^ shop, usual, large, 0, strategy.GuidedLists, 0, each(20, 8)},
	// Late jobs of job shops: orders of the jobs of flow shops come to good plans at once; what clause learning leaves open, more of them.
	{misses, usual, 0, tooMany, strategy.TabuSearch, 0, each(2, 8)},
	{misses, usual, tooMany, 0, strategy.TabuSearch, 0, each(16, 8)},
	{times, usual, 0, 0, strategy.Packing, 0, each(16)},
	{times, usual, 0, 0, strategy.Assignment, 0, each(16)},    // most of what it closes takes less
	{weighted, usual, 0, 0, strategy.Sequencing, 0, each(40)}, // 120 of 125 sets of 40 jobs take less
	// Late jobs that take turns: what is soon closed, then plans, then values from the bound up.
	{turns, usual, 0, 0, strategy.Multipliers, 0, each(1, 1, 0)},
	{turns, usual, 0, 0, strategy.EjectionPool, 0, each(12, 0)},
	{turns, usual, 0, tooMany, strategy.Master, 0, each(16, 0, 64)}, // one of the first candidates may have a plan: of 150 jobs on three slaves and 200 on five they do
	{turns, usual, 0, 0, strategy.BelowPlan, 0, each(1)},
	{turns, usual, 0, 0, strategy.Sequencing, 0, each(4)},
	{turns, usual, 0, 0, strategy.Neighbourhoods, 0, each(60)},
	{turns, usual, 0, 0, strategy.Sequencing, 0, each(40, 80)},
	{makespan, usual, 0, 0, strategy.SetupServer, 0, each(64, 1024)},                 // a draw that it does not close is closed by nothing else, so that it has all the time once the others have been asked: of 36 s of two workers those had more than 20
	{tardiness | makespan, usual, large, 0, strategy.QueueAnnealing, 0, each(24, 0)}, // of 1,000 tasks plans are 5 to 20 % better after ten seconds than with multipliers first, which take as long
	{weighted, alone, large, 0, strategy.QueueAnnealing, 0, each(24, 0)},             // of two workers one has multipliers, and the other is at it soon
	{objective &^ (shop | projects), usual, large, 0, strategy.PoolMultipliers, 0, each(12)},
	{misses, usual, large, 0, strategy.QueueAnnealing, 0, each(52, 32)},   // of 1,000 tasks most of what it comes to comes in six seconds, and dives, each of which takes as long, find nothing more
	{linked, usual, large, 0, strategy.EjectionPool, 0, each(160, 80)},    // of 2,000 and 5,000 tasks plans gain for 20 s
	{misses, several, large, 0, strategy.QueueAnnealing, 1, each(52, 32)}, // other strategies bring nothing in that time
	{times, usual, 0, 0, strategy.IteratedGreedy, 0, each(16, 0)},
	{times, usual, 0, 0, strategy.TabuSearch, 0, each(16, 0)},
	{weighted, usual, 0, 0, strategy.TabuSearch, 0, each(4, 0)}, // the rest of it after bounds, which may close a set at once: of 300 equal tasks it took 4 s for nothing
	{times, usual, 0, 0, strategy.Justification, 0, each(16, 0)},
	{times | weighted | misses, usual, 0, 0, strategy.Annealing, 0, each(16, 32)},

	// The bound, and for a single worker the plan. In its round 0 are the bounds, in each round
	// after a question, more for the bounds, list scheduling and neighbourhoods. Where the first
	// bounds leave much open, plans come in round 0 too, a little of them: for tardiness before
	// branching, with dives after it, for weighted tardiness after a short slice of branching,
	// which small budgets are better spent on. The question, which is not answered in time as
	// long as the gap is wide, comes last there.
	// Of job shops and projects plans are soon the best, or nearly so: what is quickly refuted from the bound up, then
	// the value below the plan's. Of large shops the best plan takes longer than what is quickly refuted, and no
	// question finds it: tabu search has as much more in each slice as they have.
	{shops, usual, 0, largeShop, strategy.FromBoundBriefly, 0, each(1, 0)},
	{shop, usual, 0, largeShop, strategy.BelowPlan, 0, each(1, 0)},        // within reach it closes la36 and la40 in two thirds of the time, and flow shops whose plan is a tick above the bound
	{projects, usual, 0, vast, strategy.PartialOrders, 0, each(400, 100)}, // of job shops with a pool they come to what justification does not, of projects a slice soon ends
	{projects, usual, 0, 0, strategy.FromBoundBriefly, 0, each(4, 0)},
	{times, usual, 0, 0, strategy.IteratedGreedy, 0, each(0, 8)},
	{times | weighted, usual, 0, 0, strategy.TabuSearch, 0, each(0, 8)},
	{shops, usual, largeShop, vast, strategy.FromBoundBriefly, 0, each(0, 1, 0)},
	{shops, usual, vast, 0, strategy.FromBoundBriefly, 0, each(0, 0, 1, 0)}, // of 10,000 tasks two questions took 6 s
	{shops, usual, 0, largeShop, strategy.BelowPlan, 0, each(0, 1)},
	{shops, usual, largeShop, 0, strategy.BelowPlan, 0, each(0, 0, 0, 1)}, // a slice of 4,000 conflicts found no plan of any of three
	{projects, usual, largeProject, 0, strategy.Justification, 0, each(0, 64)},
	{projects, usual, 0, largeProject, strategy.BelowPlan, 0, each(0, 4)},
	{projects, usual, largeProject, 0, strategy.BelowPlan, 0, each(0, 0, 0, 4)},
	{shops, usual, 0, 0, strategy.FromBound, 0, each(0, 0, 0, 1)},
	{flexible, usual, 0, 0, strategy.Multipliers, 0, each(0, 1, 1, 0)}, // what questions leave open in round 0 multipliers may close at once
	{projects, usual, 0, 0, strategy.FromBoundButLast, 0, each(0, 0, 1)},
	{projects, usual, large, 0, strategy.PoolMultipliers, 0, each(0, 12)}, // of open shops of 900 tasks they took 17 s for nothing
	{misses, alone, 0, vast, strategy.FromBound, 0, each(0, 1)},
	{makespan, alone, 0, 0, strategy.FromBound, 0, each(0, 1)},
	{makespan, several, 0, 0, strategy.FromBound, 0, each(0, 1)},
	{misses, several, 0, vast, strategy.FromBound, 0, each(0, 0, 0, 1)}, // those whom the master problem leaves idle look for plans first
	{tardiness, usual, 0, many, strategy.FromBound, 0, each(0, 1)},
	{weighted, usual, 0, manyWeighted, strategy.FromBound, 0, each(0, 1)},
	{times, usual, 0, 0, strategy.Justification, 0, each(0, 32)},
	// Of projects and the like it closes in no time what branching leaves wide open; of hybrid flow shops of more than a few jobs branching comes further.
	{placed, usual, many, large, strategy.QueueAnnealing, 0, each(4, 0)}, // jobs on one slave, which questions take seconds for
	{placed, usual, beside, 0, strategy.FromBoundBriefly, 0, each(1, 0)}, // the question below takes seconds, and leaves a bound of 0
	{placed, usual, beside, 0, strategy.BelowPlan, 0, each(4, 16)},
	{weighted, usual, 0, 0, strategy.Walks, 0, each(12)},
	{weighted | tardiness | makespan | projects, usual, 0, 0, strategy.Multipliers, 0, each(1, 0, 0, 1, 0)},
	// What the value below the plan's leaves open after a quarter of its slice would else have next to no bound by then, and neighbourhoods are quicker
	// to better its plan: of fewer than 100 tasks, which cost these little, both come before the rest. Of 150 multipliers first left bounds and plans behind.
	{placed, usual, 0, beside, strategy.BelowPlan, 0, each(1, 0)},
	{placed, usual, 0, beside, strategy.FromBoundBriefly, 0, each(1, 0)},
	{placed, usual, 0, beside, strategy.TabuSearch, 0, each(12, 0)},
	{placed, usual, 0, beside, strategy.Neighbourhoods, 0, each(60, 0)},
	{placed, usual, 0, beside, strategy.BelowPlan, 0, each(3, 16)},
	{misses, usual, 0, 0, strategy.Multipliers, 0, each(1, 0, 16, 0)},
	{misses, usual, beside, large, strategy.QueueAnnealing, 0, each(4, 8)}, // of 11 sets of 100 to 150 tasks all were closed, in 12 s together and not 19
	{linked, usual, 0, beside, strategy.EjectionPool, 0, each(4, 0)},       // three of 14 overloaded nights in chains end a job better
	{misses, usual, beside, large, strategy.EjectionPool, 0, each(12, 0)},  // most of what it comes to at all comes in a third of a second
	// Where jobs wait for jobs, weigh much and little, or take several cores, lists and dives leave plans far from the bound, and
	// the next lower value is soon found, where candidates of the master problem take seconds together; near the bound it is left to
	// that, which mostly closes it within 16 of them. Of the makespan it finds plans that values from the bound up, which may take long, come before.
	{makespan, usual, many, large, strategy.QueueAnnealing, 0, each(4, 16)}, // of 60 tasks two or three ticks better in a tenth of a second; smaller sets are closed by the next value
	{misses | makespan, usual, 0, tooMany, strategy.BelowPlan, 0, each(2, 4)},
	{makespan, usual, 0, many, strategy.QueueAnnealing, 0, each(4, 16)},
	{misses, usual, 0, tooMany, strategy.TabuSearch, 0, each(8)},
	// Where the first of these leave much open, values far below the plan's may be refuted at once, and a longer question, or lists, come to
	// plans in less time than more of them do.
	{misses, usual, soonPlanned, beside, strategy.Master, 0, each(2, 0)},         // most small sets are closed by these
	{misses, usual, soonPlanned, beside, strategy.QueueAnnealing, 0, each(2, 8)}, // where no candidate has a plan it is better by one or two late jobs, or it soon ends
	{misses, usual, 0, beside, strategy.Master, 0, each(16, 0)},
	{misses, usual, 0, beside, strategy.FromBoundBriefly, 0, each(16, 0)},
	{misses, usual, 0, slow, strategy.BelowPlan, 0, each(2, 0)},
	{misses, usual, beside, slow, strategy.Lists, 1, each(16, 0)},
	{misses, usual, 0, beside, strategy.Master, 0, each(24)},
	{misses, usual, beside, tooMany, strategy.Master, 0, each(64)},
	{misses, usual, tooMany, 0, strategy.LateDives, 0, each(1, 2)},
	// Of weighted tardiness plans are better in half a second than neighbourhoods come to in many.
	{weighted, alone, many, soonPlanned, strategy.QueueAnnealing, 0, each(4, 4, 16)},    // as branching grows: plans differ by a tenth from one beginning to the next
	{weighted, several, many, soonPlanned, strategy.QueueAnnealing, 0, each(8, 16, 32)}, // units are divided, but rounds hardly shorter, as branching is shared
	{fine, usual, manyWeighted, many, strategy.QueueAnnealing, 0, each(4)},              // of such sets in ticks branching closes most
	{weighted, alone, soonPlanned, large, strategy.QueueAnnealing, 0, each(4, 16)},
	{weighted, several, soonPlanned, large, strategy.QueueAnnealing, 0, each(8, 32)},
	// Of the greatest lateness of 60 and 80 tasks a quarter of a second has plans a tick better, but bounds close sets of 40 later.
	{tardiness, usual, many, beside, strategy.QueueAnnealing, 0, each(1, 4)},
	{tardiness, usual, beside, large, strategy.QueueAnnealing, 0, each(2, 8)},
	{weighted | tardiness | makespan, usual, large, 0, strategy.QueueAnnealing, 0, each(40, 32)},
	// In milliseconds a slice of branching takes ten seconds, in which neighbourhoods come to most of what they do.
	{fine, usual, manyWeighted, soonPlanned, strategy.Neighbourhoods, 0, each(60, 0)},
	{weighted, usual, 0, soonPlanned, strategy.BranchingOnEnds, 0, each(1, 4)},
	{weighted, usual, soonPlanned, 0, strategy.BranchingOnEnds, 0, each(1)},
	{weighted, usual, 0, 0, strategy.TabuSearch, 0, each(12, 0)},
	{tardiness, usual, 0, many, strategy.Branching, 0, each(4)},
	{tardiness, usual, 0, many, strategy.Branching, 0, each(4, 0)},
	{makespan, usual, 0, 0, strategy.Branching, 0, each(0, 4)},
	{misses, usual, beside, large, strategy.EjectionPool, 1, each(0, 16)},
	{turns, usual, 0, large, strategy.EjectionPool, 1, each(0, 16)},
	{misses | turns | makespan | projects, usual, large, 0, strategy.EjectionPool, 1, each(0, 4)},
	{weighted | tardiness, usual, large, 0, strategy.EjectionPool, 1, each(1, 4)},
	{misses | turns | makespan, usual, 0, 0, strategy.Lists, 1, each(0, 4)},
	{tardiness, usual, 0, many, strategy.Lists, 1, each(0, 4)},
	{tardiness, usual, many, 0, strategy.Lists, 1, each(1, 4)},
	{tardiness, usual, tooMany, 0, strategy.Dives, 0, each(3)}, // before what brings less there; each takes seconds
	{weighted, usual, 0, manyWeighted, strategy.Lists, 1, each(0, 4)},
	{weighted, usual, manyWeighted, 0, strategy.Lists, 1, each(1, 4)},
	{misses | makespan, usual, 0, 0, strategy.Neighbourhoods, 0, each(0, 60)},
	{shops | projects, usual, 0, 0, strategy.Neighbourhoods, 0, each(0, 0, 8)},
	{tardiness, usual, 0, many, strategy.Neighbourhoods, 0, each(0, 60)},
	{tardiness, usual, many, 0, strategy.Neighbourhoods, 0, each(15, 60)},
	{weighted, usual, 0, manyWeighted, strategy.Neighbourhoods, 0, each(0, 60)},
	{weighted, usual, manyWeighted, soonPlanned, strategy.Neighbourhoods, 0, each(60, 15)},
	{weighted, usual, soonPlanned, 0, strategy.Neighbourhoods, 0, each(60)},
	{weighted, usual, 0, beside, strategy.BelowPlan, 0, each(1)}, // of projects on several slaves a few polls close it; of more tasks these take seconds
	{objective, usual, 0, 0, strategy.Enumeration, 0, each(0, 1)},
	{tardiness, usual, many, 0, strategy.Branching, 0, each(4)},
	{tardiness, usual, many, 0, strategy.Branching, 0, each(4, 0)},
	{tardiness, usual, many, tooMany, strategy.Dives, 0, each(6, 12)}, // most that come to a plan do so with the first dive; the last tick was found by the thirtieth
	{tardiness, usual, many, 0, strategy.FromBound, 0, each(0, 1)},
	{weighted, usual, manyWeighted, 0, strategy.FromBound, 0, each(0, 0, 1)},

	// After an objective that is open.
	{objective, following, large, 0, strategy.GuidedLists, 0, each(20, 8)},
	{objective, following, 0, 0, strategy.QueueAnnealing, 0, each(4)},
	{objective, following, 0, 0, strategy.Lists, 0, each(4)},
	{objective, following, 0, tooMany, strategy.BelowPlan, 0, each(1)},
	{objective, following, 0, 0, strategy.Neighbourhoods, 0, each(60)},

	// Where no questions can be put: the same.
	{objective, instead | usual, large, 0, strategy.GuidedLists, 0, each(20, 8)},
	{times, instead | usual, 0, 0, strategy.IteratedGreedy, 0, each(8)},
	{times | weighted, instead | usual, 0, 0, strategy.TabuSearch, 0, each(8)},
	{times, instead | usual, 0, 0, strategy.Justification, 0, each(32)},
	{misses | turns, instead | usual, beside, large, strategy.EjectionPool, 0, each(16)},
	{objective, instead | usual, large, 0, strategy.EjectionPool, 0, each(4)},
	{objective, instead | usual | following, 0, 0, strategy.Lists, 0, each(4)},
	{objective, instead | usual | following, 0, 0, strategy.Neighbourhoods, 0, each(60)},
	{objective, instead | usual, 0, 0, strategy.Enumeration, 0, each(1)},
}

// listFor is what workers go over for some work. Some may be at the one list still as others go over to the
// other: what is in both is begun once, since a runner is no two workers' at the same time.
func listFor(w *portfolio.Work, kind workers) portfolio.List {
	begun := map[start]*portfolio.Begun{}
	return portfolio.List{Entries: entries(w, kind, begun), Otherwise: entries(w, kind|instead, begun)}
}

// start is what a strategy is begun with.
type start struct {
	strategy *portfolio.Strategy
	seed     uint64
}

// entries are what workers of a kind go over: the rows of the table that are for them, for the work at
// hand and for sets of so many tasks, of strategies that apply, which are begun unless they were. Nil if there are none.
func entries(w *portfolio.Work, kind workers, begun map[start]*portfolio.Begun) []portfolio.Entry {
	var out []portfolio.Entry
	of := objectiveOf(w)
	for n := range table {
		r := &table[n]
		if !r.isFor(w, kind, of) {
			continue
		}
		at := start{r.strategy, w.Seed + r.seed}
		if begun[at] == nil {
			begun[at] = portfolio.Begin(w, at.strategy, at.seed)
		}
		out = append(out, portfolio.Entry{Row: n + 1, Begun: begun[at], Units: r.units})
	}
	return out
}

// isFor reports whether a worker of a kind has a row for some work, of which the objective is given.
func (r *row) isFor(w *portfolio.Work, kind workers, of objectives) bool {
	tasks := len(w.JS.Tasks)
	return r.workers&kind == kind && r.workers&instead == kind&instead && r.objectives&of != 0 &&
		tasks >= r.from && (r.below == 0 || tasks < r.below) && r.strategy.AppliesTo(w)
}

// objectiveOf is the kind of objective that is worked on.
func objectiveOf(w *portfolio.Work) objectives {
	if w.P == incumbent.AnyPlan {
		return anyPlan
	}
	switch shape := w.Goal[w.P].Shape(); {
	case strategy.JobShop(w):
		return shop
	case strategy.FlexibleJobShop(w):
		return flexible
	case strategy.HybridFlowShop(w) && shape.Max:
		return projects
	case shape.Sums() && strategy.InTurn(w.JS) && !strategy.HybridFlowShop(w):
		return weighted | placed
	case shape.Sums() && lagrange.Fine(w.JS):
		return weighted | fine
	case shape.Sums():
		return weighted
	case shape.Max && shape.Measure == model.Delay:
		return tardiness
	case shape.Max && strategy.Justification.AppliesTo(w) && strategy.Steady(w.JS):
		return projects
	case shape.Max:
		return makespan
	}
	if strategy.Sequencing.AppliesTo(w) {
		return turns
	}
	if w.JS.JobsLinked() {
		return misses | linked
	}
	return misses
}
