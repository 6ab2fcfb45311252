package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// squeakRounds is the number of constructions that squeaky wheel gets at most;
// on tight sets it is done after some dozens or not at all. squeakRestart is
// the number of rounds without improvement after which it begins again.
const (
	squeakRounds  = 400
	squeakRestart = 40
)

// squeak is squeaky-wheel optimisation (Joslin & Clements, 1999): construct,
// see which jobs are in trouble, move them forward in the order, again. It
// begins with the order of the best rule and goes on in turn with job orders
// and orders of single stages.
func (s *searcher) squeak() {
	if s.bestOrder == nil {
		return
	}
	rank := make([]int64, len(s.fig.stages))
	since := squeakRestart
	for round := 0; round < squeakRounds && !s.done(); round++ {
		if since >= squeakRestart {
			s.rankBy(rank, s.bestOrder)
			since = 0
		}
		s.blame(rank)
		order := s.orderBy(rank)
		s.construct(order)
		since++
		if s.consider() {
			s.bestOrder = order
			since = 0
		}
	}
}

// rankBy numbers the stages in the given order, with room in between.
func (s *searcher) rankBy(rank []int64, order Order) {
	for i, ref := range order {
		rank[s.fig.base[ref.Job]+ref.Stage] = int64(i) * rankStep
	}
}

const rankStep = 16

// orderBy sorts the stages by rank; ranks ascend along each job.
func (s *searcher) orderBy(rank []int64) Order {
	ids := make([]int32, len(rank))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortFunc(ids, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank[a], rank[b]), cmp.Compare(a, b))
	})
	order := make(Order, len(ids))
	for i, id := range ids {
		order[i] = s.fig.stages[id].ref
	}
	return order
}

// blame moves the jobs that are in trouble on the board forward by a random
// distance of up to a quarter of the order.
func (s *searcher) blame(rank []int64) {
	reach := int64(len(rank)) * rankStep / 4
	for i := range s.js.Jobs {
		if !s.inTrouble(model.JobID(i)) {
			continue
		}
		forward := 1 + s.rng.Int64N(reach+1)
		for st := s.fig.base[i]; st < s.fig.base[i+1]; st++ {
			rank[st] -= forward
		}
	}
}

// inTrouble reports whether the job, as it is on the board, keeps the values
// from falling: it is late though it need not be or, for tardiness and
// makespan, no better than the best known.
func (s *searcher) inTrouble(i model.JobID) bool {
	job := &s.js.Jobs[i]
	finish := s.board.jobFinish(i)
	if s.late[i] && s.policy.deferLate {
		return false
	}
	return job.Late(finish) > 0 && job.Late(finish) > s.allowed(job) ||
		s.objective() == model.Makespan && int64(finish) >= s.values[1]
}

// objective is the first one; misses if there is none.
func (s *searcher) objective() model.Objective {
	if len(s.opt.Objectives) == 0 {
		return model.Misses
	}
	return s.opt.Objectives[0]
}

// allowed is the lateness that a job may have in a schedule better than the best.
func (s *searcher) allowed(job *model.Job) model.Time {
	if job.Kind == model.Soft && s.objective() == model.Tardiness {
		return max(0, model.Time(s.values[1])-1)
	}
	return 0
}
