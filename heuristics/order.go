package heuristics

import (
	"cmp"
	"slices"

	"downbeat/model"
)

// Order lists every stage of a job set once, the stages of each job in
// sequence. List scheduling places them in this order.
type Order []StageRef

// Key ranks a stage: what has the smaller key goes first.
type Key func(f *Figures, st StageRef) int64

// Rule is a way to order stages. Its keys are compared one after the other;
// ties go by Penn's variable order (§4.2): release, then job and task numbers.
type Rule struct {
	Name string
	// ByStage ranks each stage by itself, so that the stages of a job may lie
	// apart; otherwise the job's first stage stands for the whole.
	ByStage bool
	Keys    []Key
}

// Deadline is earliest deadline first (Penn §4.2 (i), EDF).
func Deadline(f *Figures, st StageRef) int64 { return int64(f.Jobs[st.Job].Due) }

// Laxity is least laxity first (Penn §4.2 (ii), LLF), seen from the release:
// the time to spare if the job had the cluster to itself.
func Laxity(f *Figures, st StageRef) int64 {
	job := &f.Jobs[st.Job]
	return int64(job.Due - f.jobOf(st).Release - job.Path)
}

// LatestStart is the deadline less the critical path: laxity on the clock.
func LatestStart(f *Figures, st StageRef) int64 {
	return int64(f.Jobs[st.Job].Due - f.Jobs[st.Job].Path)
}

// LatestStartByWork is the deadline less the job's work spread over all cores.
func LatestStartByWork(f *Figures, st StageRef) int64 {
	cores := model.Time(0)
	for i := range f.js.Slaves {
		cores += model.Time(f.js.Slaves[i].Cores)
	}
	return int64(f.Jobs[st.Job].Due - f.Jobs[st.Job].Work/cores)
}

// Release is first come, first served.
func Release(f *Figures, st StageRef) int64 { return int64(f.jobOf(st).Release) }

// ShortestWork is the sum of the tasks' least C + E, smallest first (SPT).
func ShortestWork(f *Figures, st StageRef) int64 { return int64(f.Jobs[st.Job].Work) }

// weightScale keeps figures divided by weights apart.
const weightScale = 1024

// ShortestWorkPerWeight is weighted SPT (Smith's rule).
func ShortestWorkPerWeight(f *Figures, st StageRef) int64 {
	return ShortestWork(f, st) * weightScale / f.jobOf(st).Weight
}

// Density is work over relative deadline, densest first (Penn §5.1 (7)).
func Density(f *Figures, st StageRef) int64 {
	job := f.jobOf(st)
	if job.Kind == model.BestEffort {
		return 0
	}
	return -int64(f.Jobs[st.Job].Work) * weightScale / int64(job.Deadline)
}

// HardFirst puts hard jobs before soft ones, best-effort jobs last.
func HardFirst(f *Figures, st StageRef) int64 { return -int64(f.jobOf(st).Kind) }

// HeaviestFirst puts soft jobs with great weight first; hard jobs come before.
func HeaviestFirst(f *Figures, st StageRef) int64 {
	job := f.jobOf(st)
	if job.Kind == model.Hard {
		return -int64(model.Never)
	}
	return -job.Weight
}

// StageDeadline is the latest finish of the stage that leaves the stages after
// it enough time: EDF with a due time per stage.
func StageDeadline(f *Figures, st StageRef) int64 { return int64(f.at(st).Due) }

// StageLatestStart is StageDeadline less the stage's own length.
func StageLatestStart(f *Figures, st StageRef) int64 {
	s := f.at(st)
	return int64(s.Due - s.Length)
}

// StageRelease is the earliest time at which the stage could begin.
func StageRelease(f *Figures, st StageRef) int64 { return int64(f.at(st).Head) }

// LongestTail puts stages first that have most left behind them (makespan).
func LongestTail(f *Figures, st StageRef) int64 {
	s := f.at(st)
	return -int64(s.Length + s.Tail)
}

// Rules lists the orders that are worth a try, best first on average.
func Rules() []Rule {
	return []Rule{
		{"stage-latest-start", true, []Key{StageLatestStart}},
		{"edf", false, []Key{Deadline}},
		{"stage-edf", true, []Key{StageDeadline}},
		{"latest-start", false, []Key{LatestStart}},
		{"latest-start-by-work", false, []Key{LatestStartByWork}},
		{"llf", false, []Key{Laxity}},
		{"release", false, []Key{Release}},
		{"stage-release", true, []Key{StageRelease}},
		{"shortest-work", false, []Key{ShortestWork}},
		{"shortest-work-per-weight", false, []Key{ShortestWorkPerWeight}},
		{"density", false, []Key{Density}},
		{"hard-first-edf", false, []Key{HardFirst, Deadline}},
		{"hard-first-stage-edf", true, []Key{HardFirst, StageDeadline}},
		{"hard-first-stage-latest-start", true, []Key{HardFirst, StageLatestStart}},
		{"heaviest-first-edf", false, []Key{HeaviestFirst, Deadline}},
		{"longest-tail", true, []Key{LongestTail}},
	}
}

// Order applies the rule. A stage never ranks before one that it waits for, whatever
// the keys say.
func (r Rule) Order(f *Figures) Order {
	n := len(r.Keys)
	keys := make([]int64, len(f.Stages)*n)
	row := func(i int32) []int64 { return keys[int(i)*n : (int(i)+1)*n] }
	for j := range f.js.Jobs {
		for i := f.Base[j]; i < f.Base[j+1]; i++ {
			for k, key := range r.Keys {
				row(i)[k] = key(f, f.Stages[i].Ref)
			}
			if i > f.Base[j] && (!r.ByStage || f.chains && slices.Compare(row(i), row(i-1)) < 0) {
				copy(row(i), row(i-1))
			}
		}
	}
	ranked := make([]int32, len(f.Stages))
	for i := range ranked {
		ranked[i] = int32(i)
	}
	slices.SortFunc(ranked, func(a, b int32) int {
		ra, rb := f.Stages[a].Ref, f.Stages[b].Ref
		return cmp.Or(
			slices.Compare(row(a), row(b)),
			cmp.Compare(f.jobOf(ra).Release, f.jobOf(rb).Release),
			cmp.Compare(a, b))
	})
	f.InSequence(ranked)
	order := make(Order, len(ranked))
	for i, s := range ranked {
		order[i] = f.Stages[s].Ref
	}
	return order
}

// InSequence moves stages, given by index in [Figures.Stages], forward so that each
// stands behind those that it waits for. Where stages form chains that has been seen to.
func (f *Figures) InSequence(order []int32) {
	if f.chains {
		return
	}
	ranked, placed := slices.Clone(order), make([]bool, len(order))
	order = order[:0]
	var place func(int32)
	place = func(stage int32) {
		if placed[stage] {
			return
		}
		placed[stage] = true
		for _, before := range f.js.Before(f.ID(stage)) {
			place(f.index[before])
		}
		order = append(order, stage)
	}
	for _, stage := range ranked {
		place(stage)
	}
}
