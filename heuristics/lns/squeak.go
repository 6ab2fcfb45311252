package lns

import (
	"downbeat/heuristics"
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
func (s *search) squeak() {
	if s.bestOrder == nil {
		return
	}
	rank := make([]int64, len(s.fig.Stages))
	since := squeakRestart
	for round := 0; round < squeakRounds && !s.done(); round++ {
		if since >= squeakRestart {
			s.rankBy(rank, s.bestOrder)
			since = 0
		}
		if !s.blame(rank, s.inTrouble) {
			return
		}
		order := s.orderBy(rank)
		since++
		if s.construct(order, s.deferral) {
			s.bestOrder = order
			since = 0
		}
	}
}

// blame moves the jobs that are in trouble on the board forward by a random
// distance of up to a quarter of the order, and tells whether there were any.
func (s *search) blame(rank []int64, trouble func(model.JobID) bool) bool {
	reach := int64(len(rank)) * rankStep / 4
	blamed := false
	for i := range s.js.Jobs {
		if !trouble(model.JobID(i)) {
			continue
		}
		blamed = true
		forward := 1 + s.rng.Int64N(reach+1)
		for st := s.fig.Base[i]; st < s.fig.Base[i+1]; st++ {
			rank[st] -= forward
		}
	}
	return blamed
}

// postpone looks for a schedule with the same jobs late, but less so: where
// misses come first and more is asked for, the late jobs are given later due
// times and take their turn by them, instead of coming last. Squeaky wheel then
// helps the others to stay on time.
func (s *search) postpone() {
	if !s.deferral.Late || len(s.opt.Objectives) < 2 {
		return
	}
	late := make([]bool, len(s.js.Jobs))
	end := model.Time(0)
	for i, finish := range s.js.Finishes(s.incumbent) {
		late[i] = s.js.Jobs[i].Late(finish) > 0
		end = max(end, finish)
	}
	trouble := func(i model.JobID) bool {
		return !late[i] && s.js.Jobs[i].Late(s.board.JobFinish(i)) > 0
	}
	inPlace := heuristics.Deferral{}
	rank := make([]int64, len(s.fig.Stages))
	for by := model.Time(1); by <= end; by *= 2 {
		key := func(f *heuristics.Figures, st heuristics.StageRef) int64 {
			if late[st.Job] {
				return heuristics.StageLatestStart(f, st) + int64(by)
			}
			return heuristics.StageLatestStart(f, st)
		}
		s.rankBy(rank, heuristics.Rule{ByStage: true, Keys: []heuristics.Key{key}}.Order(s.fig))
		for range squeakRestart {
			if s.done() {
				return
			}
			s.construct(s.orderBy(rank), inPlace)
			if !s.blame(rank, trouble) {
				break
			}
		}
	}
}

// inTrouble reports whether the job, as it is on the board, keeps the values
// from falling: it is late though it need not be or, where the first objective is the greatest
// of all jobs, no better than the best known.
func (s *search) inTrouble(i model.JobID) bool {
	job, first := &s.js.Jobs[i], s.objective(0)
	finish := s.board.JobFinish(i)
	if s.deferral.Last[i] {
		return false
	}
	return job.Late(finish) > 0 && job.Late(finish) > s.allowed(job) ||
		first.Max && first.Measure == model.Completion && first.Jobs.Has(job.Kind) && first.Cost(job, finish) >= s.values[1]
}

// allowed is the lateness that a job may have in a schedule better than the best.
func (s *search) allowed(job *model.Job) model.Time {
	if first := s.objective(0); first.Max && first.Measure == model.Delay && first.Jobs.Has(job.Kind) {
		return max(0, model.Time(s.values[1])-1)
	}
	return 0
}
