package gen

import (
	"math/rand/v2"

	"downbeat/model"
)

// Range is the closed range of integers Lo to Hi, drawn from uniformly.
type Range struct{ Lo, Hi int }

func (r Range) draw(rng *rand.Rand) int { return r.Lo + rng.IntN(r.Hi-r.Lo+1) }

func (r Range) time(rng *rand.Rand) model.Time { return model.Time(r.draw(rng)) }

// Shape is the sequence of stages of a job.
type Shape int

// The shapes of jobs. ThreeStages is the general form with slot kinds drawn
// at random.
const (
	MapOnly Shape = iota
	ReduceOnly
	MapReduce
	ThreeStages
	shapes
)

// Knobs describe a distribution of job sets. Chances are probabilities in
// [0, 1]; times are in ticks. The zero value of a chance switches the feature
// off.
type Knobs struct {
	// Tasks is the number of tasks of the whole set, FirstStage and LaterStage
	// those of a job's first stage and of each later one. The last job is cut
	// so that the total fits.
	Tasks, FirstStage, LaterStage Range
	// Shapes are the relative frequencies of the shapes of jobs, by Shape.
	Shapes [shapes]int

	// Slaves is their number, Cores the cores of each. A slave has Cores +
	// SpareSlots slots, at least 1.
	Slaves, Cores, SpareSlots Range
	// EqualSlave is the chance that a slave belongs to the class of the one
	// before: equal in cores, slots, first heartbeat, absences and in the
	// figures of all tasks, replicas aside.
	EqualSlave float64
	// Heartbeat is the interval h. Stagger is the chance that a class has its
	// first heartbeat at a random time in [0, 2h) rather than at 0.
	Heartbeat Range
	Stagger   float64
	// SplitSlots is the chance that a class tells map and reduce slots apart.
	SplitSlots float64
	// Concurrent and FIFO are the chances of the set-wide switches.
	Concurrent, FIFO float64
	// Down is the chance that a class has an absence (then one in three has a
	// second), DownAt where it starts, DownFor how long it lasts.
	Down            float64
	DownAt, DownFor Range

	// WCET and Transfer are drawn per group of equal tasks.
	WCET, Transfer Range
	// EqualTasks is the chance that all tasks of a stage are equal. StageWCET
	// says that those of other stages still share their WCET.
	EqualTasks float64
	StageWCET  bool
	// Speeds, if not zero, gives each class a factor in percent by which all
	// its WCETs are scaled, rounded up.
	Speeds Range
	// Uneven is the chance that a group's WCET (transfer) is drawn anew for
	// every class.
	Uneven float64
	// Local is the chance that a group's input has replicas: on about a third
	// of the slaves the transfer is LocalTransfer.
	Local         float64
	LocalTransfer Range
	// Barred is the chance that a group is barred from a class.
	Barred float64

	// Release is drawn per job. If Load is positive it is ignored and releases
	// are spread over the time that the work takes at Load percent of all cores.
	Release Range
	Load    int
	// Hard and BestEffort are the chances of these kinds; the rest is soft.
	Hard, BestEffort float64
	// Weight is drawn per soft job.
	Weight Range
	// Tightness is a deadline in percent of the time that the job needs alone
	// on the cluster.
	Tightness Range
	// Witness is the chance that the deadline of each hard job is its finish in
	// one serial schedule of the whole set, plus Slack; Tightness then holds for
	// soft jobs only. With a negative Slack the schedule may no longer do, but
	// no job gets less time than it needs alone.
	Witness float64
	Slack   Range
	// Objectives are drawn one at random per set; nil stands for none named.
	Objectives [][]model.Objective

	Today
}

// TinyKnobs are those of Tiny, a start for variations.
func TinyKnobs() Knobs {
	return Knobs{
		Tasks: Range{3, 6}, FirstStage: Range{1, 2}, LaterStage: Range{1, 2},
		Shapes: [shapes]int{MapOnly: 3, ReduceOnly: 1, MapReduce: 4, ThreeStages: 1},
		Slaves: Range{1, 3}, Cores: Range{1, 2}, SpareSlots: Range{-1, 1}, EqualSlave: 0.4,
		Heartbeat: Range{1, 4}, Stagger: 0.6, SplitSlots: 0.25, Concurrent: 0.2, FIFO: 0.25,
		Down: 0.25, DownAt: Range{0, 12}, DownFor: Range{1, 5},
		WCET: Range{1, 5}, Transfer: Range{0, 3}, EqualTasks: 0.5,
		Uneven: 0.4, Local: 0.3, LocalTransfer: Range{0, 1}, Barred: 0.15,
		Release: Range{0, 4}, Hard: 0.4, BestEffort: 0.15, Weight: Range{1, 3},
		Tightness: Range{80, 200}, Witness: 0.5, Slack: Range{-5, 0},
		Objectives: everyGoal(),
	}
}

// everyGoal lists none, each objective alone, and all lists of two and three.
// None stands several times.
func everyGoal() [][]model.Objective {
	all := []model.Objective{model.Misses, model.Tardiness, model.WeightedTardiness, model.Makespan}
	goals := [][]model.Objective{nil, nil, nil, nil}
	for _, a := range all {
		goals = append(goals, []model.Objective{a}, []model.Objective{a})
		for _, b := range all {
			if b == a {
				continue
			}
			goals = append(goals, []model.Objective{a, b})
			for _, c := range all {
				if c != a && c != b {
					goals = append(goals, []model.Objective{a, b, c})
				}
			}
		}
	}
	return goals
}

// Tiny is a set of up to six tasks on up to three slaves with small times and
// every feature of the model mixed in. Often tasks, or slaves, are identical.
// About a third of the sets is infeasible or has a late job in every plan.
func Tiny(seed uint64) *model.JobSet {
	js, _ := Random(TinyKnobs(), seed)
	return js
}

// Small has the features of Tiny at the given number of tasks, meant for 8 to
// 14, on two to four slaves.
func Small(seed uint64, tasks int) *model.JobSet {
	k := TinyKnobs()
	k.small(tasks)
	js, _ := Random(k, seed)
	return js
}

// small makes tiny sets those of the given number of tasks.
func (k *Knobs) small(tasks int) {
	k.Tasks = Range{tasks, tasks}
	k.Slaves = Range{2, 4}
	k.FirstStage = Range{1, 4}
	k.Release = Range{0, 10}
	k.Tightness = Range{95, 320}
}
