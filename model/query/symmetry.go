package query

import (
	"fmt"

	"downbeat/model"
)

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
