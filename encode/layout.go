package encode

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
	"downbeat/model/query/disjunctive"
)

// layout is what order literals need to know of a question, before any variable
// is made.
type layout struct {
	*query.Layout
	// refuted tells that the tasks bound to some slave do not fit there.
	refuted bool
	tasks   []taskLayout // by TaskID; empty for tasks left out
	// completions are those of all stages but the last of each job. completes is
	// the one of each task's stage, awaits that of the stage before; -1 for none.
	completions       []completion
	completes, awaits []int32
}

// taskLayout bounds a task over all slaves that are left to it.
type taskLayout struct {
	start, fetch bounds // S and R
	// freeFetch: somewhere R is not S − C.
	freeFetch bool
	// assign lists the beats that A can take (fifo only, see listBeats).
	assign []model.Time
}

// completion is the time by which a stage has finished. It matters at the
// heartbeats that can hand out the stage after.
type completion struct {
	after *model.Stage
	beats []model.Time // see listBeats
	// sole is the task of the stage, if there is but one and it has one slave
	// left: its finish says what literals of the completion would. Else -1.
	sole model.TaskID
}

type bounds struct{ lo, hi model.Time }

func (b bounds) extend(lo, hi model.Time) bounds {
	return bounds{min(b.lo, lo), max(b.hi, hi)}
}

func newLayout(q query.Question) *layout {
	places := query.NewLayout(q)
	places.PlaceTasks()
	fits := disjunctive.Tighten(places)
	l := layOut(places)
	l.refuted = !fits
	return l
}

// layOut bounds the scales of what has places.
func layOut(places *query.Layout) *layout {
	n := len(places.JS.Tasks)
	l := &layout{
		Layout: places,
		tasks:  make([]taskLayout, n), completes: make([]int32, n), awaits: make([]int32, n),
	}
	for t := range n {
		l.completes[t], l.awaits[t] = -1, -1
	}
	for _, t := range l.Included {
		l.tasks[t] = boundTask(l.Places[t])
	}
	for i := range l.JS.Jobs {
		if l.Role[i] != query.Out {
			l.addCompletions(&l.JS.Jobs[i])
		}
	}
	return l
}

func boundTask(places []query.Place) taskLayout {
	var out taskLayout
	for k := range places {
		p := &places[k]
		if k == 0 {
			out.start = bounds{p.FirstStart(), p.LastStart}
			out.fetch = bounds{p.FirstFetch, p.LastFetch()}
		}
		out.start = out.start.extend(p.FirstStart(), p.LastStart)
		out.fetch = out.fetch.extend(p.FirstFetch, p.LastFetch())
		out.freeFetch = out.freeFetch || !p.Tied
	}
	return out
}

func (l *layout) addCompletions(job *model.Job) {
	for si := 0; si+1 < len(job.Stages); si++ {
		stage, after := &job.Stages[si], &job.Stages[si+1]
		c := int32(len(l.completions))
		for t := stage.First; t < stage.End; t++ {
			l.completes[t] = c
		}
		for t := after.First; t < after.End; t++ {
			l.awaits[t] = c
		}
		sole := model.TaskID(-1)
		if stage.End == stage.First+1 && len(l.Places[stage.First]) == 1 {
			sole = stage.First
		}
		l.completions = append(l.completions, completion{after: after, sole: sole})
	}
}

// listBeats fills in the heartbeats of completions and, with fifo, of tasks.
// There may be as many as the horizon has ticks, so a formula's size is
// predicted without them.
func (l *layout) listBeats() {
	for i := range l.completions {
		if c := &l.completions[i]; c.sole < 0 {
			c.beats = l.beats(c.after.First, c.after.End)
		}
	}
	if l.JS.FIFO {
		for _, t := range l.Included {
			l.tasks[t].assign = l.beats(t, t+1)
		}
	}
}

// beats lists the heartbeats that can hand out one of the tasks [first, end).
func (l *layout) beats(first, end model.TaskID) []model.Time {
	var beats []model.Time
	for t := first; t < end; t++ {
		for k := range l.Places[t] {
			beats = append(beats, l.slaveBeats(&l.Places[t][k])...)
		}
	}
	return sortedUnique(beats)
}

// slaveBeats lists the heartbeats that can hand a task to a slave.
func (l *layout) slaveBeats(p *query.Place) []model.Time {
	var beats []model.Time
	_, at := l.JS.BeatAtOrAfter(p.Slave, p.FirstFetch)
	for ; at <= p.LastFetch(); at += l.JS.Heartbeat {
		beats = append(beats, at)
	}
	return beats
}

// countBeats bounds the number of heartbeats that can hand out one of the tasks
// [first, end): slaves with the same beats count once, from the first beat of
// any to the last.
func (l *layout) countBeats(first, end model.TaskID) int64 {
	phases := map[model.Time]bounds{}
	for t := first; t < end; t++ {
		for k := range l.Places[t] {
			p := &l.Places[t][k]
			_, lo := l.JS.BeatAtOrAfter(p.Slave, p.FirstFetch)
			_, hi := l.JS.BeatAtOrBefore(p.Slave, p.LastFetch())
			span, seen := phases[lo%l.JS.Heartbeat]
			if !seen {
				span = bounds{lo, hi}
			}
			phases[lo%l.JS.Heartbeat] = span.extend(lo, hi)
		}
	}
	total := int64(0)
	for _, span := range phases {
		total += int64((span.hi-span.lo)/l.JS.Heartbeat) + 1
	}
	return total
}

func sortedUnique(times []model.Time) []model.Time {
	slices.Sort(times)
	return slices.Compact(times)
}
