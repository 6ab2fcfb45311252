package jobfile

import (
	"fmt"
	"time"

	"downbeat/model"
	"downbeat/model/clock"
	"downbeat/model/files/document"
)

// noteData tells of data on slaves where the task may not run: no task is local there.
func (r *profileReader) noteData(own *figureFields, wcet *model.Row, slot model.SlotKind) {
	runs := func(s model.SlaveID) bool { return wcet.At(s) > 0 && own.needs.FitOn(&r.JS.Slaves[s], slot) }
	var idle []string
	for _, c := range own.data.Classes {
		class := r.Classes[c]
		var members []string
		for s := class.First; s < class.End; s++ {
			if !runs(s) {
				members = append(members, r.JS.Slaves[s].Name)
			}
		}
		if len(members) == int(class.End-class.First) {
			members = []string{class.Name}
		}
		idle = append(idle, members...)
	}
	for _, s := range own.data.Slaves {
		if !runs(s) {
			idle = append(idle, r.JS.Slaves[s].Name)
		}
	}
	if len(idle) > 0 {
		n := own.data.node
		r.Remark(document.Fault{Line: n.Line, Column: n.Column,
			Message: fmt.Sprintf("data is on %s, where the tasks may not run", some(idle))})
	}
}

// noteNextDay tells of a due time without a day that is on a later day than the release: by the
// clock it lies before the release, and less than half a day before, so that the same day may
// have been meant. One that is more than that before is early in the morning of the next day,
// as is usual at night.
func (r *jobReader) noteNextDay(o *document.Object, due *document.Field, j *model.Job) {
	written := document.Deref(due.Value).Value
	at, isClock := clock.Parse(written)
	c := clock.Of(r.JS)
	from, known := c.At(j.Release)
	to, _ := c.At(j.Due())
	if !isClock || !at.Bare || !known || o.Get("release") == nil || clock.Days(from, to) == 0 || to.Sub(from) <= 12*time.Hour {
		return
	}
	r.Remark(document.Fault{Line: due.Key.Line, Column: due.Key.Column,
		Message: fmt.Sprintf("due is %s, no later than the release at %s on that day, so that %s is due at %s, %s after it", written, c.Point(j.Release), o.What, c.Point(j.Due()), c.Span(j.Deadline)),
		Advice:  fmt.Sprintf("write due: %q if that is meant", c.Point(j.Due()))})
}

// noteSlaves tells of slaves that are of no use: nothing can run on them, or they are
// away from the first release to the last deadline.
func (l *loader) noteSlaves() {
	used := usedSlaves(l.JS)
	from, to := span(l.JS)
	c := clock.Of(l.JS)
	for _, e := range l.Entries {
		var unused, away []string
		for s := e.First; s < e.End; s++ {
			slave := &l.JS.Slaves[s]
			switch {
			case !used[s]:
				unused = append(unused, slave.Name)
			case slave.BackAt(from) >= to:
				away = append(away, slave.Name)
			}
		}
		if len(unused) > 0 {
			l.noteEntry(e, "no task can run on "+members(e, unused), "check wcet and slaves, and what the tasks need")
		}
		if len(away) > 0 {
			until := "to " + c.Point(to)
			if to == model.MaxTime { // some job may end at any time
				until = "on"
			}
			l.noteEntry(e, fmt.Sprintf("%s away from %s %s, for as long as there are jobs", are(members(e, away), away), c.Point(from), until), "")
		}
	}
}

// noteEntry makes a note on an entry of the list of slaves.
func (l *loader) noteEntry(e clusterEntry, message, advice string) {
	l.Remark(document.Fault{Line: e.Name.Line, Column: e.Name.Column, Message: message, Advice: advice})
}

// members names slaves of an entry.
func members(e clusterEntry, names []string) string {
	if len(names) > 1 && len(names) == int(e.End-e.First) {
		return "the slaves of class " + document.Shorten(e.Name.Value)
	}
	return some(names)
}

// are adds the verb for so many names.
func are(who string, names []string) string {
	if len(names) == 1 {
		return who + " is"
	}
	return who + " are"
}

// usedSlaves marks the slaves that a task can run on.
func usedSlaves(js *model.JobSet) []bool {
	used := make([]bool, len(js.Slaves))
	var rest []model.SlaveID
	for s := range js.Slaves {
		rest = append(rest, model.SlaveID(s))
	}
	seen := map[*model.Profile]bool{}
	for t := range js.Tasks {
		p := js.Tasks[t].Profile
		if len(rest) == 0 {
			break
		}
		if seen[p] {
			continue
		}
		seen[p] = true
		kept := rest[:0]
		for _, s := range rest {
			if used[s] = p.Eligible(s); !used[s] {
				kept = append(kept, s)
			}
		}
		rest = kept
	}
	return used
}

// span is the time from the first release to the last deadline, or to the end of all
// time if a job has none.
func span(js *model.JobSet) (from, to model.Time) {
	from = model.MaxTime
	for i := range js.Jobs {
		from, to = min(from, js.Jobs[i].Release), max(to, js.Jobs[i].Due())
	}
	return from, min(to, model.MaxTime)
}
