package encode

import (
	"slices"

	"downbeat/model"
	"downbeat/model/query"
)

// layout is what order literals need to know of a question, before any variable
// is made.
type layout struct {
	*query.Layout
	form Form
	// refuted tells that the tasks bound to some slave do not fit there.
	refuted bool
	tasks   []taskLayout // by TaskID; empty for tasks left out
	// completions are those of the stages that others wait for. completes is the one
	// of each task's stage, -1 for none; awaits are those of the stages before.
	completions []completion
	completes   []int32
	awaits      [][]int32
}

// taskLayout bounds a task over all slaves that are left to it.
type taskLayout struct {
	start, fetch bounds // S and R
	// freeFetch: somewhere R is not S − C.
	freeFetch bool
	// assign lists the beats that A can take (fifo only, see listBeats).
	assign []model.Time
	// like is the first task of its gang, whose start is that of this one too; the task itself
	// outside gangs. never: the windows of the gang have no start in common.
	like  model.TaskID
	never bool
	// alike: it is the same on all slaves left to it, for what takes of pools and caps.
	alike bool
}

// completion is the time by which a stage has finished. It matters at the
// heartbeats that can hand out the stages after.
type completion struct {
	stage model.StageID
	after []*model.Stage
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
	fits := TightenDisjunctive(places)
	l := layOut(places)
	l.refuted = !fits
	return l
}

// layOut bounds the scales of what has places.
func layOut(places *query.Layout) *layout {
	n := len(places.JS.Tasks)
	l := &layout{
		Layout: places,
		tasks:  make([]taskLayout, n), completes: slices.Repeat([]int32{-1}, n), awaits: make([][]int32, n),
	}
	for _, t := range l.Included {
		l.tasks[t] = boundTask(l.Places[t])
		l.tasks[t].like, l.tasks[t].alike = t, l.JS.Takes(t) != nil && l.alike(l.Places[t])
	}
	for st := range model.StageID(l.JS.Stages()) {
		stage, i := l.JS.Stage(st)
		if l.Role[i] == query.Out {
			continue
		}
		l.addCompletion(st)
		if stage.IsGang() {
			l.gang(stage)
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

// addCompletion adds that of a stage, if any waits for it.
func (l *layout) addCompletion(st model.StageID) {
	next := l.Next(st)
	if len(next) == 0 {
		return
	}
	c := int32(len(l.completions))
	stage, _ := l.JS.Stage(st)
	for t := stage.First; t < stage.End; t++ {
		l.completes[t] = c
	}
	done := completion{stage: st, sole: -1}
	for _, id := range next {
		after, _ := l.JS.Stage(id)
		done.after = append(done.after, after)
		for t := after.First; t < after.End; t++ {
			l.awaits[t] = append(l.awaits[t], c)
		}
	}
	if stage.End == stage.First+1 && len(l.Places[stage.First]) == 1 {
		done.sole = stage.First
	}
	l.completions = append(l.completions, done)
}

// listBeats fills in the heartbeats of completions and, with fifo, of tasks.
// There may be as many as the horizon has ticks, so a formula's size is
// predicted without them.
func (l *layout) listBeats() {
	for i := range l.completions {
		if c := &l.completions[i]; c.sole < 0 {
			c.beats = l.beats(c.after...)
		}
	}
	if l.JS.FIFO {
		for _, t := range l.Included {
			l.tasks[t].assign = l.beats(only(t))
		}
	}
}

// only is a stage of one task.
func only(t model.TaskID) *model.Stage { return &model.Stage{First: t, End: t + 1} }

// beats lists the heartbeats that can hand out one of the tasks of some stages.
func (l *layout) beats(stages ...*model.Stage) []model.Time {
	var beats []model.Time
	for _, stage := range stages {
		for t := stage.First; t < stage.End; t++ {
			for k := range l.Places[t] {
				beats = append(beats, l.slaveBeats(&l.Places[t][k])...)
			}
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

// countBeats bounds the number of heartbeats that can hand out one of the tasks of
// some stages: slaves with the same beats count once, from the first beat of any to
// the last.
func (l *layout) countBeats(stages ...*model.Stage) int64 {
	phases := map[model.Time]bounds{}
	for _, stage := range stages {
		for t := stage.First; t < stage.End; t++ {
			for k := range l.Places[t] {
				l.joinBeats(phases, &l.Places[t][k])
			}
		}
	}
	total := int64(0)
	for _, span := range phases {
		total += int64((span.hi-span.lo)/l.JS.Heartbeat) + 1
	}
	return total
}

// joinBeats adds the beats of a place to those of its phase.
func (l *layout) joinBeats(phases map[model.Time]bounds, p *query.Place) {
	_, lo := l.JS.BeatAtOrAfter(p.Slave, p.FirstFetch)
	_, hi := l.JS.BeatAtOrBefore(p.Slave, p.LastFetch())
	span, seen := phases[lo%l.JS.Heartbeat]
	if !seen {
		span = bounds{lo, hi}
	}
	phases[lo%l.JS.Heartbeat] = span.extend(lo, hi)
}

func sortedUnique(times []model.Time) []model.Time {
	slices.Sort(times)
	return slices.Compact(times)
}
