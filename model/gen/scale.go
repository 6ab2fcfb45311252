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

// scaleMemory is the memory of a slave of ScaleToday for each of its cores.
const scaleMemory = 4

// Scale is a set for measuring how a planner grows: at least 100 tasks, on one
// slave per 100 of them. Three classes of machines, every map task's input on
// three slaves, a third of the jobs hard, and releases spread so that the
// cluster is more than full throughout. Jobs, releases and slack are distributed
// the same at every size: only the number of jobs and slaves grows.
func Scale(tasks int, seed uint64) *model.JobSet {
	return newScaler(tasks, seed, fmt.Sprintf("scale-%d-%d", tasks, seed)).draw(tasks, nil)
}

// ScaleToday is Scale with memory on the slaves, of which tasks need as much as there is
// of cores in the mean and some need more, and with stage graphs: maps in two stages that
// do not wait for each other, a reduce stage after both, and a last stage of one task,
// which may make it one task more.
func ScaleToday(tasks int, seed uint64) *model.JobSet {
	s := newScaler(tasks, seed, fmt.Sprintf("scale-today-%d-%d", tasks, seed))
	s.today, s.js.Named = true, []string{"memory"}
	return s.draw(tasks, nil)
}

func newScaler(tasks int, seed uint64, name string) *scaler {
	return &scaler{
		rng: rand.New(rand.NewPCG(seed, uint64(tasks))), slaves: tasks / 100, wcets: map[model.Time]model.Row{},
		js: &model.JobSet{Name: name, Heartbeat: 3, Objectives: []model.Objective{model.Misses}},
	}
}

// draw draws the set; last, which may be nil, is what is done before it is assembled.
func (s *scaler) draw(tasks int, last func()) *model.JobSet {
	s.drawSlaves()
	s.remote = model.ConstRow(s.slaves, scaleRemote)
	s.shuffle = model.ConstRow(s.slaves, scaleShuffle)
	for left := tasks; left > 0; {
		left -= s.drawJob(left)
	}
	s.drawReleases()
	if last != nil {
		last()
	}
	if err := s.js.Assemble(); err != nil {
		panic("gen: " + err.Error())
	}
	return s.js
}

type scaler struct {
	today, shares   bool
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
	// taken is what tasks hold of pools at the least, in units × ticks.
	taken [2]model.Time
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
		if s.today {
			s.js.Slaves[i].Units = []int64{int64(c.cores) * scaleMemory}
		}
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
	if s.today {
		left = max(1, left-1) // its last stage
	}
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
	if s.today {
		s.modernise(&job)
		alone += scaleLast + scaleShuffle + s.js.Heartbeat
	}
	more := 0
	if s.shares {
		tasks, longer := s.share(&job, run, reduce)
		more, alone = tasks, alone+longer
	}
	job.Deadline = alone * Range{120, 250}.time(s.rng) / 100
	s.work += model.Time(maps)*run + model.Time(reduces)*reduce
	s.js.Jobs = append(s.js.Jobs, job)
	if s.today {
		return maps + reduces + 1
	}
	return maps + reduces + more
}

// scaleLast is the least WCET of the task of the last stage of jobs of ScaleToday.
const scaleLast = 2

// modernise divides a job's maps up into two stages of tasks of different memory, and
// adds a last stage.
func (s *scaler) modernise(job *model.Job) {
	needing := func(groups []model.Group, memory int) []model.Group {
		for i := range groups {
			groups[i].Profile = groups[i].Profile.Needing(model.Needs{Units: [model.MaxNamed]int64{int64(memory)}})
		}
		return groups
	}
	maps := job.Stages[0].Groups
	half := (len(maps) + 1) / 2
	stages := []model.Stage{{Name: "scan", Slot: model.MapSlot, After: []int32{}, Groups: needing(maps[:half], Range{2, 4}.draw(s.rng))}}
	if half < len(maps) {
		stages = append(stages, model.Stage{Name: "lookup", Slot: model.MapSlot, After: []int32{}, Groups: needing(maps[half:], Range{3, 6}.draw(s.rng))})
	}
	last := []int32{0, 1}[:len(stages)]
	for _, reduce := range job.Stages[1:] {
		reduce.Name, reduce.After, reduce.Groups = "join", last, needing(reduce.Groups, Range{4, 8}.draw(s.rng))
		stages, last = append(stages, reduce), []int32{int32(len(stages))}
	}
	job.Stages = append(stages, model.Stage{Name: "load", Slot: model.ReduceSlot, After: last, Groups: []model.Group{{
		Count: 1, Profile: model.NewProfile(s.wcet(scaleLast), s.shuffle),
	}}})
}

func (s *scaler) drawSlave() model.SlaveID { return model.SlaveID(s.rng.IntN(s.slaves)) }

// drawReleases spreads the jobs over the time that the cores need for the work
// at one and a tenth of what they can do: some jobs cannot be in time.
func (s *scaler) drawReleases() {
	span := s.span()
	for i := range s.js.Jobs {
		s.js.Jobs[i].Release = span.time(s.rng)
	}
}

// span is the time of the releases.
func (s *scaler) span() Range { return Range{0, int(s.work * 100 * 10 / 11 / s.speed)} }
