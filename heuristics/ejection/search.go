package ejection

import (
	"context"
	"math/rand/v2"
	"slices"

	"downbeat/heuristics"
	"downbeat/model"
	"downbeat/model/window"
)

// Search is a search for the last of some objectives; those before it keep their
// values. It works on one board, and goes on where it stopped.
type Search struct {
	js    *model.JobSet
	fig   *heuristics.Figures
	board *heuristics.Board
	lanes lanes      // of the tasks on the board
	rng   *rand.Rand // the board's
	goal  []model.Objective
	aim   model.Shape // of the last of goal
	sums  bool        // the aim is a sum of delays
	// typical is the mean of the lengths of stages, in ticks: windows and
	// temperatures go by it.
	typical model.Time

	jobs []job
	// caps are by when the tasks of each stage are to finish; Never for none.
	caps []model.Time
	// penalty is the weighted sum of the ticks by which tasks finish after their caps,
	// broken the part of it of strict jobs; late lists the jobs that have such tasks.
	penalty, broken int64
	late            []model.JobID
	// delay is the weighted tardiness of the jobs on the board, if that is the aim.
	delay int64

	// pool are the late jobs; poolPrice is what they add to the value. They are off the board, as are jobs
	// that the aim does not ask for, but for those that others on the board come after.
	pool      []model.JobID
	poolPrice int64
	linked    bool // jobs come after others
	// rank is, by stage, its place in an order in which each is behind those that it waits for.
	rank []int32

	near nearest
	// presences are for caps of jobs that others come after.
	presences *window.Presences
	step      step
	trail     trail // from the base, the last plan that was as good as asked for
	try       try
	// fine: a value that is a time is asked to fall by 1 part in 2^fine.
	fine int
	// value is that of the base, best that of the best plan that is known outside.
	value, best int64
	offer       func(model.Schedule)
	// offered is the work that was done when a plan was last offered.
	offered int64
}

// job is what a search knows of a job.
type job struct {
	// weight is what a tick after the caps counts.
	weight int64
	// strict: no plan is looked for in which tasks of the job finish after their caps.
	strict bool
	// hopeless jobs are late in every plan.
	hopeless bool
	pooled   bool // in the pool
	// by is when it is to finish if it is on the board, and not in the pool; Never for any time.
	by model.Time
	// uses are what it is on the board for: itself, unless it is in the pool or not asked for, and the jobs
	// after it that are on the board. With none it is off it.
	uses int32
	// lateness is the number of ticks by which its tasks finish after their caps; at is the
	// place in the list of late jobs, -1 if there are none.
	lateness model.Time
	at       int
	// delay is its part of the weighted tardiness.
	delay int64
	// failures counts the tries with it that came to nothing.
	failures int
}

// Treats reports whether the last of some objectives can be searched for: that takes
// values of those before which can be kept job by job, deadlines where they are summed up, and jobs
// that can wait, none with a stage that starts at a given time. Jobs come after others only where late ones are ejected.
func Treats(js *model.JobSet, goal []model.Objective) bool {
	before, aim := goal[:len(goal)-1], goal[len(goal)-1].Shape()
	return (!js.JobsLinked() || len(before) == 0 && aim.Counts()) && !slices.ContainsFunc(js.Jobs, pinned) && !slices.ContainsFunc(before, func(o model.Objective) bool { return o.Shape().Sums() }) &&
		(!aim.Sums() || aim.Measure == model.Delay)
}

// pinned reports whether a job has a stage that starts at a given time.
func pinned(job model.Job) bool {
	return slices.ContainsFunc(job.Stages, func(st model.Stage) bool { return st.StartAt > 0 })
}

// New prepares a search for the last of some objectives, which Treats allows. Equal
// seeds give equal choices.
func New(js *model.JobSet, goal []model.Objective, seed uint64) *Search {
	fig := heuristics.NewFigures(js)
	s := &Search{
		js: js, fig: fig, goal: goal, aim: goal[len(goal)-1].Shape(),
		board: heuristics.NewBoard(fig, seed),
		jobs:  make([]job, len(js.Jobs)),
		caps:  make([]model.Time, len(fig.Stages)),
		near:  nearest{},
		step:  newStep(js), trail: newTrail(js), linked: js.JobsLinked(),
		presences: window.NewPresences(js), rank: make([]int32, len(fig.Stages)),
	}
	order := make([]int32, len(fig.Stages))
	for i := range order {
		order[i] = int32(i)
	}
	fig.SortStages(order)
	for at, stage := range order {
		s.rank[stage] = int32(at)
	}
	s.sums = s.aim.Sums()
	s.rng = s.board.Rand
	s.lanes = newLanes(s.board, len(js.Slaves))
	sum := model.Time(0)
	for i := range fig.Stages {
		sum += fig.Stages[i].Length
	}
	s.typical = max(1, sum/model.Time(max(1, len(fig.Stages))))
	for i := range s.jobs {
		s.jobs[i].hopeless = fig.LateAlone(model.JobID(i))
		s.jobs[i].at = -1
	}
	return s
}

// pooled reports whether the search is for few late jobs, which wait in the pool.
func (s *Search) pooled() bool {
	return len(s.goal) == 1 && s.aim.Counts()
}

// counts reports whether the job adds to the number of late jobs that is aimed at.
func (s *Search) counts(job *model.Job) bool {
	return s.aim.Counts() && s.aim.Jobs.Has(job.Kind)
}

// price is what a job in the pool adds to the value.
func (s *Search) price(i model.JobID) int64 { return s.aim.Weight(&s.js.Jobs[i]) }

// valueOf is the value of the aim.
func (s *Search) valueOf(finishes []model.Time) int64 {
	return s.js.Value(s.goal[len(s.goal)-1], finishes)
}

// Placed counts insertions: the measure of work.
func (s *Search) Placed() int64 { return s.board.Placed }

// Best is the value of the best plan that the search has seen or found.
func (s *Search) Best() int64 { return s.best }

// RestartFrom makes a valid complete plan the one to go on from.
func (s *Search) RestartFrom(plan model.Schedule) {
	finishes := s.js.Finishes(plan)
	s.value = s.valueOf(finishes)
	s.best = s.value
	s.leave(finishes)
	s.place(plan)
	s.trail.forget()
	s.try.on = false
	s.fine = coarsest
	s.limit(finishes)
}

// leave sorts out which jobs are off the board in a plan with the given finishes.
func (s *Search) leave(finishes []model.Time) {
	s.pool, s.poolPrice = s.pool[:0], 0
	for i := range s.js.Jobs {
		job, j := &s.js.Jobs[i], &s.jobs[i]
		j.pooled, j.uses = false, 1
		switch {
		case s.pooled() && s.counts(job) && job.Late(finishes[i]) > 0:
			s.enterPool(model.JobID(i))
			j.uses = 0
		case len(s.goal) == 1 && job.Kind == model.BestEffort && !s.aim.Jobs.Has(job.Kind):
			j.uses = 0
		}
	}
	for _, i := range slices.Backward(s.js.JobOrder()) {
		if s.jobs[i].uses > 0 {
			for _, before := range s.js.Jobs[i].After {
				s.jobs[before].uses++
			}
		}
	}
}

// out reports whether a job is off the board.
func (s *Search) out(i model.JobID) bool { return s.jobs[i].uses == 0 }

// place brings the board to a plan, but for jobs that are off it. Only tasks that are
// elsewhere move.
func (s *Search) place(plan model.Schedule) {
	for t, p := range s.board.Place {
		if p.Slave != model.NoSlave && (s.out(s.js.Tasks[t].Job) || p != plan[t]) {
			s.board.Take(model.TaskID(t))
		}
	}
	for t, p := range s.board.Place {
		if p.Slave == model.NoSlave && !s.out(s.js.Tasks[t].Job) {
			s.board.Put(model.TaskID(t), plan[t])
		}
	}
	for st := range s.fig.Stages {
		s.board.Restage(int32(st))
	}
	s.lanes.index()
}

// Run searches until ctx is done, a number of placements has been made, or nothing is
// left to do. It calls offer with complete plans, each better than all before, but no
// more often than pays: with the last one at its end.
func (s *Search) Run(ctx context.Context, placements int64, offer func(model.Schedule)) {
	s.offer = offer
	end := s.board.Placed + placements
	for steps := 0; s.board.Placed < end; steps++ {
		if steps%pollEvery == 0 && ctx.Err() != nil {
			break
		}
		if !s.try.on && !s.begin() {
			break
		}
		if len(s.late) > 0 {
			s.move()
		}
		s.judge()
	}
	if s.value < s.best {
		s.abandon()
		s.report()
	}
}

const (
	// pollEvery is the number of steps between two looks at the context.
	pollEvery = 16
	// offerShare: half as many placements as there are tasks cost about ten times what
	// it costs to complete a plan and to validate it.
	offerShare = 2
)

// reportIfWorth offers the plan on the board if it is better than the best known, and
// enough was done since one was offered.
func (s *Search) reportIfWorth() {
	if s.value < s.best && s.board.Placed-s.offered > int64(len(s.js.Tasks)/offerShare) {
		s.report()
	}
}

// report offers the plan on the board, completed with the jobs that are off it.
func (s *Search) report() {
	outside := s.outside()
	s.board.Charge = 0
	for _, i := range outside {
		s.board.InsertJob(i)
	}
	plan := slices.Clone(s.board.Place)
	for _, i := range outside {
		s.board.TakeJob(i)
	}
	// A job that was off the board may be in time by luck.
	s.best, s.offered = min(s.value, s.valueOf(s.js.Finishes(plan))), s.board.Placed
	s.offer(plan)
}
