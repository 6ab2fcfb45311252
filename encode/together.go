package encode

import (
	"github.com/irifrance/gini/z"

	"downbeat/encode/cnf"
	"downbeat/model"
	"downbeat/model/query"
)

// C12: the tasks of a gang have one start, and so one scale of order literals among
// them; where their windows leave none in common the job is not placed. Of tasks that
// are apart no two run on a slave:
//
//	at most one x[t,k] of those with the same slave

// gang gives the tasks of a stage that start together the bounds that they have in common.
func (l *layout) gang(stage *model.Stage) {
	common := l.tasks[stage.First].start
	for t := stage.First; t < stage.End; t++ {
		common.lo, common.hi = max(common.lo, l.tasks[t].start.lo), min(common.hi, l.tasks[t].start.hi)
	}
	if stage.StartAt > 0 {
		common.lo, common.hi = max(common.lo, stage.StartAt), min(common.hi, stage.StartAt)
	}
	never := common.lo > common.hi
	if never {
		common.hi = common.lo
	}
	for t := stage.First; t < stage.End; t++ {
		lay := &l.tasks[t]
		lay.start, lay.like, lay.never = common, stage.First, never
	}
}

// eachApart calls yield for the places on one slave of tasks that are apart.
func (l *layout) eachApart(yield func(on []query.Candidate)) {
	for st := range model.StageID(l.JS.Stages()) {
		stage, _ := l.JS.Stage(st)
		if !stage.IsApart() {
			continue
		}
		bySlave := make(map[model.SlaveID][]query.Candidate)
		var slaves []model.SlaveID
		for t := stage.First; t < stage.End; t++ {
			for k := range l.Places[t] {
				s := l.Places[t][k].Slave
				if bySlave[s] == nil {
					slaves = append(slaves, s)
				}
				bySlave[s] = append(bySlave[s], query.Candidate{Task: t, Index: k})
			}
		}
		for _, s := range slaves {
			yield(bySlave[s])
		}
	}
}

func predictTogether(l *layout, _ int64) int64 {
	total := int64(0)
	for _, t := range l.Included {
		if l.tasks[t].never {
			total++
		}
	}
	l.eachApart(func(on []query.Candidate) { total += cnf.AtMostClauses(int64(len(on)), 1) })
	return total
}

func buildTogether(e *Encoding) {
	for _, t := range e.Included {
		if e.tasks[t].never {
			e.Add(e.on[e.JS.Tasks[t].Job].Not())
		}
	}
	e.eachApart(func(on []query.Candidate) {
		lits := make([]z.Lit, len(on))
		for i, c := range on {
			lits[i] = e.placedOn(c)
		}
		e.AtMost(lits, 1)
	})
}
