package query

import (
	"fmt"

	"downbeat/model"
)

// Tasks of one stage and slaves that are alike differ in their numbers only, so
// that an engine may order them:
//
//	(a) tasks t before u of one stage with equal figures everywhere: R_t ≤ R_u;
//	    with fifo, or where R = S − C on every slave, S_t ≤ S_u
//	(b) slaves i before i+1 of a group of equal slaves: a task may run on i+1
//	    only if a task of lower number runs on i
//
// Nothing is lost. If a valid schedule violates (a), exchange the whole
// placements (slave, A, R, S) of t and u: the stage, and so C3, C7 and C8, are
// the same for both, the slaves see the same fetches, holds and runs, and the
// vector (R_1, R_2, …), or that of the S, is lexicographically smaller, so the
// exchanges end. Equal slaves can be renamed in order of first use; renaming
// changes neither R nor S, so it does not disturb (a).
//
// Ordering tasks that are equal on one slave only (same C and E there, other
// replicas elsewhere) is sound too, and was tried with formulas: proofs of
// infeasibility took several times as long (20 to 40 tasks, six questions, three
// clause orders each: 138 s against 43 s, of which 4 were cut off at 20 s).

// EqualSlaves groups slaves that none of the given tasks can tell apart; groups
// of one are left out. Restrictions and fixed tasks make slaves differ.
func (q *Question) EqualSlaves(tasks []model.TaskID) [][]model.SlaveID {
	if q.Restrict != nil || q.Fixed != nil {
		return nil
	}
	var profiles []*model.Profile
	seen := map[*model.Profile]bool{}
	for _, t := range tasks {
		if p := q.JS.Tasks[t].Profile; !seen[p] {
			seen[p] = true
			profiles = append(profiles, p)
		}
	}
	byKey := map[string]int{}
	var groups [][]model.SlaveID
	for s := range model.SlaveID(len(q.JS.Slaves)) {
		slave := q.JS.Slaves[s]
		slave.Name, slave.Class = "", ""
		key := fmt.Appendf(nil, "%v", slave)
		for _, p := range profiles {
			key = fmt.Appendf(key, " %d:%d", p.WCET(s), p.Transfer(s))
		}
		i, ok := byKey[string(key)]
		if !ok {
			i = len(groups)
			byKey[string(key)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], s)
	}
	out := groups[:0]
	for _, g := range groups {
		if len(g) > 1 {
			out = append(out, g)
		}
	}
	return out
}

// EqualPairs yields pairs of tasks of a stage with equal figures and domains,
// neighbours in number.
func (l *Layout) EqualPairs(yield func(t, u model.TaskID) bool) {
	last := map[*model.Profile]model.TaskID{}
	stage, job := int32(-1), model.JobID(-1)
	for _, u := range l.Included {
		task := &l.JS.Tasks[u]
		if task.Stage != stage || task.Job != job {
			clear(last)
			stage, job = task.Stage, task.Job
		}
		if t, ok := last[task.Profile]; ok && l.SameDomain(t, u) && !yield(t, u) {
			return
		}
		last[task.Profile] = u
	}
}
