package model

import (
	"fmt"
	"slices"
	"strings"
)

// Misfit is a task, or a gang, that can never run, whatever else there is: it takes more of a
// pool than there ever is, or its tasks cannot be held at once, or not on slaves apart.
type Misfit struct {
	Job   JobID
	Stage int32
	// Of is what does not fit: a pool, a cap, or the slaves.
	Of MisfitOf
	// Problem is a sentence with the sum, without the stage, which it says something of; Advice is
	// what to write instead.
	Problem, Advice string
}

// MisfitOf is what a misfit has too little of.
type MisfitOf uint8

// What a misfit may have too little of.
const (
	MisfitPool MisfitOf = iota
	MisfitCap
	MisfitSlaves
)

// Misfits lists those of a set, in its order.
type Misfits struct {
	js   *JobSet
	List []Misfit
}

// Error names the first, and counts the others.
func (m *Misfits) Error() string {
	first := m.List[0]
	job := &m.js.Jobs[first.Job]
	text := fmt.Sprintf("job %q: stage %q %s", job.Name, job.Stages[first.Stage].Name, first.Problem)
	if n := len(m.List) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// misfits finds what can never run; nil where there is nothing of the kind.
func (js *JobSet) misfits() error {
	if !js.Coupled() {
		return nil
	}
	r := available{js: js, slave: func(SlaveID) bool { return true }, amount: (*Shared).Most}
	found := &Misfits{js: js}
	for i := range js.Jobs {
		for k := range js.Jobs[i].Stages {
			if m := r.misfit(JobID(i), int32(k)); m != nil {
				found.List = append(found.List, *m)
			}
		}
	}
	if found.List == nil {
		return nil
	}
	return found
}

// available is what tasks may count on: some slaves, and an amount of what they share.
type available struct {
	js     *JobSet
	slave  func(SlaveID) bool
	amount func(*Shared) int64
	// end tells that amounts are those in the end.
	end bool
}

// most says of an amount that there is no more.
func (r *available) most() string {
	if r.end {
		return "in the end there are"
	}
	return "there are never more than"
}

// misfit says why tasks of a stage do not fit in, each by itself or, of a gang or where they are
// apart, all at once; nil where nothing of the kind is found.
func (r *available) misfit(job JobID, stage int32) *Misfit {
	st := &r.js.Jobs[job].Stages[stage]
	m := &Misfit{Job: job, Stage: stage}
	if r.alone(m, st) || st.IsGang() && r.together(m, st) || st.IsApart() && r.tooFew(m, st) || st.IsGang() && (r.crowded(m, st) || !r.alike(st) && r.unpacked(m, st)) {
		return m
	}
	return nil
}

// alone finds what a task alone needs more of than there is.
func (r *available) alone(m *Misfit, st *Stage) bool {
	for t := st.First; t < st.End; t++ {
		if t > st.First && r.js.Tasks[t].Profile == r.js.Tasks[t-1].Profile {
			continue
		}
		for _, take := range r.js.Takes(t) {
			sh := &r.js.shared[take.Shared]
			if there := r.amount(sh); sh.Pool >= 0 && take.Units > there {
				m.Of = MisfitPool
				m.Problem = fmt.Sprintf("needs %d of %s for a task, and %s %d", take.Units, r.js.SharedName(take.Shared), r.most(), there)
				m.Advice = fmt.Sprintf("let it need at most %d, or give the pool %d", there, take.Units)
				return true
			}
		}
	}
	return false
}

// together finds what all tasks of a gang together need more of than there is.
func (r *available) together(m *Misfit, st *Stage) bool {
	sum := map[SharedID]int64{}
	for t := st.First; t < st.End; t++ {
		for _, take := range r.js.Takes(t) {
			sum[take.Shared] += take.Units
		}
	}
	tasks := int(st.End - st.First)
	for t := st.First; t < st.End; t++ {
		for _, take := range r.js.Takes(t) {
			sh := &r.js.shared[take.Shared]
			need, there := sum[take.Shared], r.amount(sh)
			switch {
			case need <= there:
			case sh.Pool >= 0:
				m.Of = MisfitPool
				m.Problem = fmt.Sprintf("is a gang: its %d tasks need %d of %s at once, and %s %d", tasks, need, r.js.SharedName(take.Shared), r.most(), there)
				m.Advice = fmt.Sprintf("give the pool %d, or let the gang need less", need)
				return true
			default:
				m.Of = MisfitCap
				m.Problem = fmt.Sprintf("is a gang: its %d tasks are held at once, and at_most lets no more than %d be", tasks, there)
				m.Advice = fmt.Sprintf("write at_most: %d, or leave gang out", need)
				return true
			}
		}
	}
	return false
}

// tooFew finds that there are not as many slaves as tasks that have to be apart. It counts the
// largest number of tasks that find a slave each (augmenting paths).
func (r *available) tooFew(m *Misfit, st *Stage) bool {
	owner := map[SlaveID]TaskID{}
	slaves := r.slaves(st)
	for t := st.First; t < st.End; t++ {
		r.match(t, slaves, owner, map[SlaveID]bool{})
	}
	if len(owner) == int(st.End-st.First) {
		return false
	}
	m.Of = MisfitSlaves
	m.Problem = fmt.Sprintf("has %d tasks that are apart, each on a machine of its own, and there are machines for %d", st.End-st.First, len(owner))
	m.Advice = "add machines, or leave apart out"
	return true
}

// match finds a slave for a task, moving others.
func (r *available) match(t TaskID, slaves []SlaveID, owner map[SlaveID]TaskID, tried map[SlaveID]bool) bool {
	for _, s := range slaves {
		if _, taken := owner[s]; !taken && r.js.Tasks[t].Eligible(s) {
			owner[s] = t
			return true
		}
	}
	for _, s := range slaves {
		if tried[s] || !r.js.Tasks[t].Eligible(s) {
			continue
		}
		tried[s] = true
		if other := owner[s]; !r.js.Tasks[other].Alike(&r.js.Tasks[t]) && r.match(other, slaves, owner, tried) {
			owner[s] = t
			return true
		}
	}
	return false
}

// slaves lists those on which some task of a stage may run.
func (r *available) slaves(st *Stage) []SlaveID {
	var out []SlaveID
	for s := range SlaveID(len(r.js.Slaves)) {
		for t := st.First; r.slave(s) && t < st.End; t++ {
			if r.js.Tasks[t].Eligible(s) {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// alike reports whether all tasks of a stage take the same of every slave.
func (r *available) alike(st *Stage) bool {
	lead := &r.js.Tasks[st.First]
	return !slices.ContainsFunc(r.js.Tasks[st.First:st.End], func(t Task) bool { return !t.Alike(lead) })
}

// crowded finds that slaves do not hold all tasks of a gang at once: by the tasks that each can
// hold where they are alike, else by sums of what they need.
func (r *available) crowded(m *Misfit, st *Stage) bool {
	slaves := r.slaves(st)
	lead, alike := &r.js.Tasks[st.First], r.alike(st)
	fit, most := int64(0), int64(1)
	if !st.IsApart() {
		most = int64(st.End - st.First)
	}
	need, there := map[ResourceID]int64{}, map[ResourceID]int64{}
	for _, s := range slaves {
		room := most
		for _, supply := range r.js.Supplies(s) {
			if supply.Hold == HoldFetch {
				continue // one after the other
			}
			there[supply.Resource] += supply.Units
			if units := r.js.Need(lead, s, supply.Resource); units > 0 {
				room = min(room, supply.Units/units)
			}
		}
		fit += room
	}
	tasks := int64(st.End - st.First)
	if alike && fit < tasks {
		m.Of = MisfitSlaves
		m.Problem = fmt.Sprintf("is a gang of %d tasks, and the machines where they may run hold %d at once", tasks, fit)
		m.Advice = "add machines, or let tasks need less"
		return true
	}
	for t := st.First; t < st.End && !alike; t++ {
		for r0 := range NumResources {
			need[r0] += r.least(t, slaves, r0)
		}
	}
	for r0 := range NumResources {
		if r0 == FetchLine || need[r0] <= there[r0] {
			continue
		}
		word := r.js.ResourceName(r0)
		if r0 < FirstNamed && !strings.HasSuffix(word, "s") {
			word += "s"
		}
		m.Of = MisfitSlaves
		m.Problem = fmt.Sprintf("is a gang: its %d tasks need %d %s at once, and the machines where they may run have %d", tasks, need[r0], word, there[r0])
		m.Advice = "add machines, or let tasks need less"
		return true
	}
	return false
}

// least is what a task needs of a resource on whichever of some slaves it may run.
func (r *available) least(t TaskID, slaves []SlaveID, of ResourceID) int64 {
	least := int64(-1)
	for _, s := range slaves {
		if task := &r.js.Tasks[t]; task.Eligible(s) {
			if need := r.js.Need(task, s, of); least < 0 || need < least {
				least = need
			}
		}
	}
	return max(0, least)
}
