package gen

import (
	"cmp"
	"fmt"
	"slices"

	"downbeat/model"
)

// laidTask is a task that has a place before it has a job.
type laidTask struct {
	profile *model.Profile
	piece   piece
	place   model.Placement
}

// laid draws a set of hard jobs by filling the slaves first: task after task
// goes to the slave that is done soonest, at the first time it fits. The tasks
// are then dealt out to jobs, whose releases and deadlines are cut to fit. The
// knobs' shapes, kinds, releases and tightness play no part, and slots must
// not be split.
func laid(k Knobs, seed uint64) (*model.JobSet, model.Schedule) {
	m := newMaker(k, seed)
	m.js.Name = fmt.Sprintf("laid-%d", seed)
	m.drawCluster()
	witness := m.deal(m.layOut())
	m.js.Objectives = m.Objectives[m.rng.IntN(len(m.Objectives))]
	m.assemble()
	return m.js, witness
}

// layOut returns the tasks in the order of their heartbeats.
func (m *maker) layOut() []laidTask {
	b := newBoard(m.js)
	tasks := make([]laidTask, m.Tasks.draw(m.rng))
	end := make([]model.Time, len(m.js.Slaves))
	for i := range tasks {
		profile := m.drawProfile(model.MapSlot, m.drawWCET())
		slave := model.NoSlave
		for _, s := range m.rng.Perm(len(end)) {
			if id := model.SlaveID(s); profile.Eligible(id) && (slave < 0 || end[s] < end[slave]) {
				slave = id
			}
		}
		p := piece{slave: slave, wcet: profile.WCET(slave), transfer: profile.Transfer(slave)}
		tasks[i] = laidTask{profile, p, b.fit(p, 0)}
		b.put(p, tasks[i].place)
		end[slave] = max(end[slave], tasks[i].place.Start+p.wcet)
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
				st.Groups = append(st.Groups, model.Group{Count: 1, Profile: t.profile})
				places = append(places, t.place)
				end = max(end, t.place.Start+t.piece.wcet)
			}
			job.Stages = append(job.Stages, st)
		}
		job.Deadline = end - job.Release + m.Slack.time(m.rng)
		m.js.Jobs = append(m.js.Jobs, job)
	}
	return places
}

// pick takes up to n tasks that are handed out at ready or later, each from
// among the first 2n that are left, and returns them and the rest. The very
// first is always among them if it is ready.
func (m *maker) pick(tasks []laidTask, n int, ready model.Time) (picked, rest []laidTask) {
	from := 0
	for from < len(tasks) && m.js.Assigned(tasks[from].place) < ready {
		from++
	}
	rest = slices.Clone(tasks)
	for i := range n {
		choice := min(len(rest)-from, 2*n-i)
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
