package gen

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// laidTask is a task that has a place before it has a job.
type laidTask struct {
	task  model.Task // of figures alone
	place model.Placement
}

func (t *laidTask) finish() model.Time { return t.place.Start + t.task.WCET(t.place.Slave) }

// laid draws a set of hard jobs by filling the slaves with tasks first. The
// tasks are then dealt out to jobs, whose releases and deadlines are cut to
// fit. The knobs' shapes, kinds, releases and tightness play no part; slots
// must not be split and no task barred.
func laid(k Knobs, seed uint64) (*model.JobSet, model.Schedule) {
	m := newMaker(k, seed)
	m.js.Name = fmt.Sprintf("laid-%d", seed)
	m.drawCluster()
	witness := m.deal(m.layOut())
	m.js.Objectives = m.Objectives[m.rng.IntN(len(m.Objectives))]
	m.assemble()
	return m.js, witness
}

// layOut returns the tasks in the order of their heartbeats. Each goes to the
// slave where it finishes first among a random half of them: the slaves fill
// up evenly, but not with what suits them best.
func (m *maker) layOut() []laidTask {
	b := newBoard(m.js)
	tasks := make([]laidTask, m.Tasks.draw(m.rng))
	n := len(m.js.Slaves)
	for i := range tasks {
		t := laidTask{task: model.Task{Profile: m.drawProfile(model.MapSlot, m.drawWCET())}}
		soonest := model.Never
		for _, s := range m.rng.Perm(n)[:(n+1)/2] {
			tried := laidTask{t.task, b.fit(&t.task, model.SlaveID(s), 0)}
			if end := tried.finish(); end < soonest {
				t, soonest = tried, end
			}
		}
		b.put(&t.task, t.place)
		tasks[i] = t
	}
	slices.SortStableFunc(tasks, func(x, y laidTask) int {
		return cmp.Compare(m.js.Assigned(x.place), m.js.Assigned(y.place))
	})
	return tasks
}

// deal makes jobs of the tasks, sorted by heartbeat, and returns where the
// tasks of the job set are. A job takes some of the first tasks that are left
// as maps, and as reduces some of the first that are handed out after those.
func (m *maker) deal(tasks []laidTask) model.Schedule {
	var places model.Schedule
	for len(tasks) > 0 {
		job := model.Job{Name: fmt.Sprintf("j%d", len(m.js.Jobs)+1), Kind: model.Hard, Weight: 1}
		job.Release = max(0, m.js.Assigned(tasks[0].place)-model.Time(m.rng.IntN(int(m.js.Heartbeat))))
		end := model.Time(0)
		for stage, count := range []Range{m.FirstStage, m.LaterStage} {
			var picked []laidTask
			picked, tasks = m.pick(tasks, count.draw(m.rng), end)
			if len(picked) == 0 {
				break
			}
			slot := model.SlotKind(stage)
			st := model.Stage{Name: slot.String(), Slot: slot}
			for _, t := range picked {
				st.Groups = append(st.Groups, model.Group{Count: 1, Profile: t.task.Profile})
				places = append(places, t.place)
				end = max(end, t.finish())
			}
			job.Stages = append(job.Stages, st)
		}
		job.Deadline = end - job.Release + m.Slack.time(m.rng)
		m.js.Jobs = append(m.js.Jobs, job)
	}
	return places
}

// pick takes up to n tasks that are handed out at ready or later, each from
// among the first 4n that are left, and returns them and the rest. The very
// first is always among them if it is ready.
func (m *maker) pick(tasks []laidTask, n int, ready model.Time) (picked, rest []laidTask) {
	from := 0
	for from < len(tasks) && m.js.Assigned(tasks[from].place) < ready {
		from++
	}
	rest = slices.Clone(tasks)
	for i := range n {
		choice := min(len(rest)-from, 4*n-i)
		if choice <= 0 {
			break
		}
		at := from
		if i > 0 {
			at += m.rng.IntN(choice)
		}
		picked = append(picked, rest[at])
		rest = slices.Delete(rest, at, at+1)
	}
	return picked, rest
}
