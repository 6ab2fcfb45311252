package window

import (
	"fmt"
	"slices"
	"testing"

	"downbeat/model"

	"pgregory.net/rapid"
)

// horizon bounds all times of the random sets, so that every placement can be
// listed.
const horizon = 26

// drawSlaves gives slaves with absences.
func drawSlaves(t *rapid.T) []model.Slave {
	out := make([]model.Slave, rapid.IntRange(1, 2).Draw(t, "slaves"))
	for i := range out {
		s := &out[i]
		s.Name, s.Cores, s.Slots = string(rune('a'+i)), 1, 1
		s.FirstBeat = model.Time(rapid.IntRange(0, 4).Draw(t, "first"))
		for range rapid.IntRange(0, 3).Draw(t, "absences") {
			a := model.Time(rapid.IntRange(0, 20).Draw(t, "from"))
			s.Down = append(s.Down, model.Interval{Start: a, End: a + model.Time(rapid.IntRange(1, 6).Draw(t, "for"))})
		}
	}
	return out
}

// drawSet gives one job with up to three stages of up to two tasks.
func drawSet(t *rapid.T) *model.JobSet {
	js := &model.JobSet{Heartbeat: model.Time(rapid.IntRange(1, 4).Draw(t, "h")), Slaves: drawSlaves(t)}
	job := model.Job{Name: "j", Release: model.Time(rapid.IntRange(0, 5).Draw(t, "release"))}
	for i := range rapid.IntRange(1, 3).Draw(t, "stages") {
		st := model.Stage{Name: string(rune('x' + i))}
		for range rapid.IntRange(1, 2).Draw(t, "tasks") {
			wcet, transfer := make([]model.Time, len(js.Slaves)), make([]model.Time, len(js.Slaves))
			for s := range wcet {
				wcet[s] = model.Time(rapid.IntRange(0, 4).Draw(t, "wcet"))
				transfer[s] = model.Time(rapid.IntRange(0, 2).Draw(t, "transfer"))
			}
			wcet[0] = max(1, wcet[0])
			st.Groups = append(st.Groups, model.Group{Count: 1, Profile: model.NewProfile(model.DenseRow(wcet), model.DenseRow(transfer))})
		}
		job.Stages = append(job.Stages, st)
	}
	js.Jobs = []model.Job{job}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	return js
}

// place is a slave, a heartbeat that hands a task out there, and its finish.
type place struct {
	slave          model.SlaveID
	assign, finish model.Time
}

// places lists every placement of a task within the horizon: the slave is up
// from assignment to finish, and between them transfer and run have room.
func places(js *model.JobSet, t model.TaskID) []place {
	var out []place
	task := &js.Tasks[t]
	for s := range js.Slaves {
		id := model.SlaveID(s)
		if !task.Eligible(id) {
			continue
		}
		for a := js.Slaves[s].FirstBeat; a < horizon; a += js.Heartbeat {
			for f := a + task.Transfer(id) + task.WCET(id); f <= horizon && up(&js.Slaves[s], a, f); f++ {
				out = append(out, place{id, a, f})
			}
		}
	}
	return out
}

// up looks at every tick.
func up(s *model.Slave, from, to model.Time) bool {
	for t := from; t < to; t++ {
		for _, d := range s.Down {
			if d.Start <= t && t < d.End {
				return false
			}
		}
	}
	return true
}

// barriers calls yield with every choice of times between the stages, from the
// release to the due time: stage k runs within [b[k], b[k+1]).
func barriers(stages int, release, due model.Time, yield func(b []model.Time)) {
	b := make([]model.Time, stages+1)
	b[0], b[stages] = release, due
	var choose func(k int)
	choose = func(k int) {
		if k == stages {
			yield(b)
			return
		}
		for b[k] = b[k-1]; b[k] <= due; b[k]++ {
			choose(k + 1)
		}
	}
	choose(1)
}

// brute is what the windows of the only job should be.
type brute struct {
	feasible bool
	spans    map[model.TaskID]map[model.SlaveID]Span
	tasks    []Task
}

// bruteForce collects the placements that occur in some schedule of the job
// alone that ends by due, tasks of a stage side by side without limit.
func bruteForce(js *model.JobSet, due model.Time) brute {
	job := &js.Jobs[0]
	out := brute{spans: map[model.TaskID]map[model.SlaveID]Span{}, tasks: make([]Task, len(js.Tasks))}
	all := make([][]place, len(js.Tasks))
	for t := range all {
		all[t] = places(js, model.TaskID(t))
		out.spans[model.TaskID(t)] = map[model.SlaveID]Span{}
		out.tasks[t] = Task{FirstFinish: model.Never, FirstAssign: model.Never, LastFinish: -1, LastAssign: -1}
	}
	barriers(len(job.Stages), job.Release, due, func(b []model.Time) {
		fits := make([][]place, len(all))
		for si, st := range job.Stages {
			for t := st.First; t < st.End; t++ {
				for _, p := range all[t] {
					if p.assign >= b[si] && p.finish <= b[si+1] {
						fits[t] = append(fits[t], p)
					}
				}
				if len(fits[t]) == 0 {
					return
				}
			}
		}
		out.feasible = true
		for t, ps := range fits {
			for _, p := range ps {
				out.take(js, model.TaskID(t), p)
			}
		}
	})
	return out
}

// take widens the bounds of a task by a placement.
func (b *brute) take(js *model.JobSet, t model.TaskID, p place) {
	start := p.finish - js.Tasks[t].WCET(p.slave)
	sp, seen := b.spans[t][p.slave]
	if !seen {
		sp = Span{p.assign, start}
	}
	b.spans[t][p.slave] = Span{min(sp.FirstFetch, p.assign), max(sp.LastStart, start)}
	k := &b.tasks[t]
	k.FirstAssign, k.LastAssign = min(k.FirstAssign, p.assign), max(k.LastAssign, p.assign)
	k.FirstFinish, k.LastFinish = min(k.FirstFinish, p.finish), max(k.LastFinish, p.finish)
}

func TestComputeAgainstAllPlacements(t *testing.T) {
	lateSeen, inTimeSeen := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		js := drawSet(t)
		due := model.Time(rapid.IntRange(int(js.Jobs[0].Release), horizon).Draw(t, "due"))
		w, want := Compute(js, []model.Time{due}), bruteForce(js, due)
		if w.IsLate(0) == want.feasible || slices.Contains(w.Late, 0) == want.feasible {
			t.Fatalf("late: %v %v, but by brute force feasible is %v", w.IsLate(0), w.Late, want.feasible)
		}
		if want.feasible != (w.CriticalPath[0] <= due) {
			t.Fatalf("the critical path is %d, the due time %d, feasible %v", w.CriticalPath[0], due, want.feasible)
		}
		if !want.feasible {
			lateSeen++
			return
		}
		inTimeSeen++
		if first := bruteForce(js, w.CriticalPath[0]-1); first.feasible {
			t.Fatalf("the critical path is %d, but the job can finish earlier", w.CriticalPath[0])
		}
		for id := range model.TaskID(len(js.Tasks)) {
			if w.Tasks[id] != want.tasks[id] {
				t.Fatalf("task %d: %+v, want %+v", id, w.Tasks[id], want.tasks[id])
			}
			for s := range model.SlaveID(len(js.Slaves)) {
				span, possible := want.spans[id][s]
				if !possible {
					span = None
				}
				if w.Possible(id, s) != possible || w.Span(id, s) != span {
					t.Fatalf("task %d on slave %d: %+v possible %v, want %+v possible %v", id, s, w.Span(id, s), w.Possible(id, s), span, possible)
				}
			}
		}
	})
	if lateSeen == 0 || inTimeSeen == 0 {
		t.Fatalf("one-sided: %d late, %d in time", lateSeen, inTimeSeen)
	}
}

func TestOpenToTheRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		js := drawSet(t)
		w := Compute(js, []model.Time{model.Never})
		if len(w.Late) > 0 || w.IsLate(0) {
			t.Fatal("late without a due time")
		}
		last := js.Jobs[0].Stages[len(js.Jobs[0].Stages)-1]
		for id := last.First; id < last.End; id++ {
			if w.Tasks[id].LastFinish < model.Never/2 {
				t.Fatalf("task %d: %+v is bounded", id, w.Tasks[id])
			}
			for s := range model.SlaveID(len(js.Slaves)) {
				if w.Possible(id, s) != js.Tasks[id].Eligible(s) {
					t.Fatalf("task %d on slave %d: possible %v, eligible %v", id, s, w.Possible(id, s), js.Tasks[id].Eligible(s))
				}
			}
		}
		if near := Compute(js, []model.Time{w.CriticalPath[0]}); near.IsLate(0) {
			t.Fatalf("late for a due time at its critical path of %d", w.CriticalPath[0])
		}
		if short := Compute(js, []model.Time{w.CriticalPath[0] - 1}); !short.IsLate(0) {
			t.Fatalf("in time for a due time before its critical path of %d", w.CriticalPath[0])
		}
	})
}

func TestFirstAndLastAssign(t *testing.T) {
	const far = 60
	rapid.Check(t, func(t *rapid.T) {
		js := &model.JobSet{Heartbeat: model.Time(rapid.IntRange(1, 4).Draw(t, "h")), Slaves: drawSlaves(t)[:1]}
		js.Jobs = []model.Job{{Name: "j", Stages: []model.Stage{{Name: "s", Groups: []model.Group{{
			Count: 1, Profile: model.NewProfile(model.ConstRow(1, 1), model.ConstRow(1, 0)),
		}}}}}}
		if err := js.Assemble(); err != nil {
			t.Fatal(err)
		}
		transfer := model.Time(rapid.IntRange(0, 3).Draw(t, "transfer"))
		wcet := model.Time(rapid.IntRange(1, 4).Draw(t, "wcet"))
		hold, slave := transfer+wcet, &js.Slaves[0]
		at := model.Time(rapid.IntRange(0, 30).Draw(t, "at"))
		first, lastAssign, lastFinish := model.Time(-1), model.Time(-1), model.Time(-1)
		for a := slave.FirstBeat; a < far; a += js.Heartbeat {
			if first < 0 && a >= at && up(slave, a, a+hold) {
				first = a
			}
			for f := a + hold; f <= at && up(slave, a, f); f++ {
				lastAssign, lastFinish = max(lastAssign, a), max(lastFinish, f)
			}
		}
		if got := FirstAssign(js, 0, at, hold); got != first {
			t.Fatalf("first assignment from %d is %d, want %d", at, got, first)
		}
		if a, f := LastAssign(js, 0, at, transfer, wcet); a != lastAssign || f != lastFinish {
			t.Fatalf("last assignment for a finish by %d is %d, finish %d, want %d, %d", at, a, f, lastAssign, lastFinish)
		}
		if a, f := LastAssign(js, 0, model.Never, transfer, wcet); a != model.Never || f != model.Never {
			t.Fatalf("without a limit the last assignment is %d, finish %d", a, f)
		}
	})
}

// TestJobsDoNotMeet: a job's windows are the same alone and among others.
func TestJobsDoNotMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := drawSet(t), drawSet(t)
		second := two.Jobs[0]
		second.Name, second.Stages = "other", slices.Clone(one.Jobs[0].Stages)
		both := *one
		both.Jobs, both.Tasks = []model.Job{second, one.Jobs[0]}, nil
		both.Jobs[1].Stages = slices.Clone(one.Jobs[0].Stages)
		if err := both.Assemble(); err != nil {
			t.Fatal(err)
		}
		due := model.Time(rapid.IntRange(1, horizon).Draw(t, "due"))
		alone, among := Compute(one, []model.Time{due}), Compute(&both, []model.Time{2 * due, due})
		if alone.IsLate(0) != among.IsLate(1) || alone.CriticalPath[0] != among.CriticalPath[1] {
			t.Fatalf("late %v, critical path %d among others; alone %v, %d", among.IsLate(1), among.CriticalPath[1], alone.IsLate(0), alone.CriticalPath[0])
		}
		if alone.IsLate(0) {
			return
		}
		shift := both.Jobs[1].First
		for id := range model.TaskID(len(one.Tasks)) {
			if alone.Tasks[id] != among.Tasks[id+shift] {
				t.Fatalf("task %d: %+v among others, %+v alone", id, among.Tasks[id+shift], alone.Tasks[id])
			}
		}
	})
}

// TestComputeWithout: a job of 3 ticks before one of 4 that is due at 9. If that may be
// left out, it has its window and the first one is free.
func TestComputeWithout(t *testing.T) {
	js := &model.JobSet{Heartbeat: 1, Slaves: []model.Slave{{Name: "s", Cores: 1, Slots: 1}}}
	for i, wcet := range []model.Time{3, 4} {
		p := model.NewProfile(model.ConstRow(1, wcet), model.ConstRow(1, 0))
		js.Jobs = append(js.Jobs, model.Job{Name: fmt.Sprint("j", i), Stages: []model.Stage{{Name: "map", Groups: []model.Group{{Count: 1, Profile: p}}}}})
	}
	js.Jobs[1].After = []model.JobID{0}
	if err := js.Assemble(); err != nil {
		t.Fatal(err)
	}
	due := []model.Time{20, 9}
	with, without := Compute(js, due), ComputeWithout(js, due, []bool{false, true})
	for _, c := range []struct {
		w    *Windows
		want [2]Span
	}{{with, [2]Span{{0, 2}, {3, 5}}}, {without, [2]Span{{0, 17}, {3, 5}}}} {
		if got := [2]Span{c.w.Span(0, 0), c.w.Span(1, 0)}; got != c.want {
			t.Errorf("windows %v, want %v", got, c.want)
		}
	}
}
