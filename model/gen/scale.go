package gen

import (
	"fmt"
	"math/rand/v2"

	"downbeat/model"
)

// scaleClass is a kind of machine in [Scale].
type scaleClass struct {
	name         string
	cores, slots int
	percent      model.Time // of a task's shortest WCET
}

var scaleClasses = []scaleClass{
	{name: "new", cores: 4, slots: 5, percent: 100},
	{name: "mid", cores: 4, slots: 5, percent: 125},
	{name: "old", cores: 2, slots: 3, percent: 160},
}

// Transfers of Scale, in ticks: on one of the slaves that hold a map task's
// input, on any other, and of a reduce task.
const scaleLocal, scaleRemote, scaleShuffle = 1, 4, 3

// Scale is a set for measuring how a planner grows: at least 100 tasks, on one
// slave per 100 of them. Three classes of machines, every map task's input on
// three slaves, a third of the jobs hard, and releases spread so that the
// cluster is more than full throughout. Jobs, releases and slack are distributed
// the same at every size: only the number of jobs and slaves grows.
func Scale(tasks int, seed uint64) *model.JobSet {
	s := &scaler{rng: rand.New(rand.NewPCG(seed, uint64(tasks))), slaves: tasks / 100, wcets: map[model.Time]model.Row{}}
	s.js = &model.JobSet{
		Name: fmt.Sprintf("scale-%d-%d", tasks, seed), Heartbeat: 3, Objectives: []model.Objective{model.Misses},
	}
	s.drawSlaves()
	s.remote = model.ConstRow(s.slaves, scaleRemote)
	s.shuffle = model.ConstRow(s.slaves, scaleShuffle)
	for left := tasks; left > 0; {
		left -= s.drawJob(left)
	}
	s.drawReleases()
	if err := s.js.Assemble(); err != nil {
		panic("gen: " + err.Error())
	}
	return s.js
}

type scaler struct {
	rng             *rand.Rand
	js              *model.JobSet
	slaves          int
	remote, shuffle model.Row
	// wcets are rows by the shortest WCET in them: a row has a figure for every
	// slave, so tasks share them.
	wcets map[model.Time]model.Row
	// work are core-ticks on the fastest slaves, speed core-ticks of such work
	// that the cluster does in 100 ticks.
	work, speed model.Time
}

// classOf deals the slaves out: of ten, four are new, three mid, three old.
func classOf(slave, slaves int) *scaleClass {
	switch at := slave * 10; {
	case at < 4*slaves:
		return &scaleClasses[0]
	case at < 7*slaves:
		return &scaleClasses[1]
	}
	return &scaleClasses[2]
}

func (s *scaler) drawSlaves() {
	members := map[string]int{}
	for i := range s.slaves {
		c := classOf(i, s.slaves)
		members[c.name]++
		s.js.Slaves = append(s.js.Slaves, model.Slave{
			Name: fmt.Sprintf("%s-%d", c.name, members[c.name]), Class: c.name,
			Cores: c.cores, Slots: c.slots, FirstBeat: model.Time(s.rng.IntN(int(s.js.Heartbeat))),
		})
		s.speed += model.Time(c.cores) * 100 * 100 / c.percent
	}
}

func (s *scaler) wcet(shortest model.Time) model.Row {
	row, ok := s.wcets[shortest]
	if !ok {
		values := make([]model.Time, s.slaves)
		for i := range values {
			values[i] = (shortest*classOf(i, s.slaves).percent + 99) / 100
		}
		row = model.DenseRow(values)
		s.wcets[shortest] = row
	}
	return row
}

// drawJob adds a job of up to the given number of tasks and returns how many
// it has.
func (s *scaler) drawJob(left int) int {
	maps := min(Range{4, 28}.draw(s.rng), left)
	reduces := min(1+maps/8, left-maps)
	run, reduce := Range{8, 19}.time(s.rng), Range{6, 15}.time(s.rng)
	stage := model.Stage{Name: "map", Slot: model.MapSlot}
	for range maps {
		at := []model.SlaveID{s.drawSlave(), s.drawSlave(), s.drawSlave()}
		profile := model.NewProfile(s.wcet(run), s.remote.With(at, scaleLocal))
		stage.Groups = append(stage.Groups, model.Group{Count: 1, Profile: profile})
	}
	job := model.Job{
		Name: fmt.Sprintf("j%d", len(s.js.Jobs)+1), Kind: model.Soft, Weight: 1, Stages: []model.Stage{stage},
	}
	alone := run + scaleRemote + 2*s.js.Heartbeat
	if reduces > 0 {
		job.Stages = append(job.Stages, model.Stage{Name: "reduce", Slot: model.ReduceSlot, Groups: []model.Group{{
			Count: reduces, Profile: model.NewProfile(s.wcet(reduce), s.shuffle),
		}}})
		alone += reduce + scaleShuffle + s.js.Heartbeat
	}
	if s.rng.IntN(3) == 0 {
		job.Kind = model.Hard
		alone *= 2 // one that must be met is not asked for at the last moment
	}
	job.Deadline = alone * Range{120, 250}.time(s.rng) / 100
	s.work += model.Time(maps)*run + model.Time(reduces)*reduce
	s.js.Jobs = append(s.js.Jobs, job)
	return maps + reduces
}

func (s *scaler) drawSlave() model.SlaveID { return model.SlaveID(s.rng.IntN(s.slaves)) }

// drawReleases spreads the jobs over the time that the cores need for the work
// at one and a tenth of what they can do: some jobs cannot be in time.
func (s *scaler) drawReleases() {
	span := Range{0, int(s.work * 100 * 10 / 11 / s.speed)}
	for i := range s.js.Jobs {
		s.js.Jobs[i].Release = span.time(s.rng)
	}
}
